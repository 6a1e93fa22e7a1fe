use super::*;

#[test]
fn every_provider_is_found_by_its_name_and_stands_once() {
    for profile in PROFILES.iter() {
        assert_eq!(Profile::of(&profile.provider), Some(profile));
        assert_eq!(PROFILES.iter().filter(|other| other.provider == profile.provider).count(), 1);
    }
    assert_eq!(Profile::of("nobody"), None);
}

#[test]
fn patterns_fit_whole_names() {
    let cases = [
        ("gpt-5", "gpt-5", true),
        ("gpt-5", "gpt-5-mini", false),
        ("gpt-5*", "GPT-5-mini", true),
        ("*claude-*-4*", "anthropic/claude-sonnet-4.5", true),
        ("*claude-*-4*", "anthropic/claude-3", false),
        ("*", "", true),
        ("a*b*c", "aXbYc", true),
        ("a*a", "a", false),
        ("**", "x", true),
    ];
    for (pattern, name, expected) in cases {
        let row = ModelRow { pattern: pattern.into(), ..ModelRow::default() };
        assert_eq!(row.fits(name), expected, "{pattern} {name}");
    }
}

#[test]
fn a_provider_of_ones_own_differs_only_where_it_says_so() {
    let like = Profile::of("deepseek").expect("a profile");
    let overrides = ProfileOverrides { base_url: Some("http://h/v1".into()), max_tools: Some(7), ..Default::default() };
    let own = Profile::custom("my-lab", like, overrides);
    assert_eq!((own.provider.as_ref(), own.key_variable.as_ref()), ("my-lab", "MY_LAB_API_KEY"));
    assert_eq!((own.base_url.as_ref(), own.max_tools, own.key_required), ("http://h/v1", 7, false));
    assert_eq!((own.reasoning, own.empty_content), (like.reasoning, like.empty_content));
    let read = serde_json::from_str::<ProfileOverrides>(r#"{"reasoning":"echo","images":true}"#).expect("overrides");
    assert_eq!((read.reasoning, read.images), (Some(Reasoning::Echo), Some(true)));
    assert!(serde_json::from_str::<ProfileOverrides>(r#"{"reasonning":"echo"}"#).is_err());
}
