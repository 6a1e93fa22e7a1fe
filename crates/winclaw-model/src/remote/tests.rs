use super::*;
use crate::PROFILES;

fn model(model: &str, set: &[(&str, &str)]) -> Result<Remote, ModelError> {
    let env = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Remote::new(&ModelChoice::parse(model).expect("a choice"), &env)
}

#[test]
fn a_missing_key_is_told_by_its_variable_before_anything_is_sent() {
    for (name, variable) in [
        ("openai/m", "OPENAI_API_KEY"),
        ("deepseek/m", "DEEPSEEK_API_KEY"),
        ("anthropic/m", "ANTHROPIC_API_KEY"),
        ("openai-responses/m", "OPENAI_API_KEY"),
    ] {
        let error = model(name, &[]).expect_err("no key");
        assert!(matches!(&error, ModelError::Authentication { variable: it, .. } if it == variable), "{error:?}");
    }
}

#[test]
fn servers_elsewhere_and_on_this_machine_need_no_key() {
    let elsewhere = model("openai/m", &[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/")]).expect("a model");
    assert_eq!(elsewhere.url.as_str(), "http://127.0.0.1:9/v1/chat/completions");
    assert!(elsewhere.key.is_none());
    assert!(model("ollama/m", &[]).is_ok_and(|model| model.key.is_none()));
}

#[test]
fn a_vendor_behind_tls_can_be_prepared_without_asking_it() {
    let model = model("deepseek/m", &[("DEEPSEEK_API_KEY", "k")]);
    let url = model.as_ref().map(|model| model.url.as_str());
    // A machine without root certificates says so instead of panicking.
    let unreachable = matches!(&model, Err(ModelError::Unreachable { .. }));
    assert!(unreachable || url == Ok("https://api.deepseek.com/chat/completions"), "{model:?}");
}

#[test]
fn keys_are_never_printed() {
    let set = [("OPENAI_API_KEY", "sk-very-secret"), ("OPENAI_BASE_URL", "http://u:sk-very-secret@127.0.0.1:9/v1")];
    let model = model("openai/m", &set).expect("a model");
    let shown = format!("{model:?} {:?} {:?}", model.key, model.silent());
    assert!(!shown.contains("very-secret") && shown.contains("127.0.0.1:9/v1"), "{shown}");
    assert_eq!(model.without_key("bad key sk-very-secret!"), "bad key [key]!");
}

#[test]
fn the_url_is_built_from_any_base() {
    let cases = [
        ("http://h", "http://h/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        (" https://h/v1/chat/completions ", "https://h/v1/chat/completions"),
        ("https://h/d?api-version=1", "https://h/d/chat/completions?api-version=1"),
    ];
    for (base, url) in cases {
        assert_eq!(endpoint(base, &PROFILES[0]).as_ref().map(Url::as_str), Some(url));
    }
    let others = [
        ("anthropic", "http://h", "http://h/v1/messages"),
        ("anthropic", "http://h/v1/", "http://h/v1/messages"),
        ("anthropic", "http://h/a/v1/messages", "http://h/a/v1/messages"),
        ("openai-responses", "http://h/v1", "http://h/v1/responses"),
        ("openai-responses", "http://h/v1/responses/", "http://h/v1/responses"),
    ];
    for (provider, base, url) in others {
        let profile = Profile::of(provider).expect("a profile");
        assert_eq!(endpoint(base, profile).as_ref().map(Url::as_str), Some(url));
    }
}

#[test]
fn odd_keys_and_urls_are_told_without_showing_them() {
    let key = model("openai/m", &[("OPENAI_API_KEY", "sk-\u{1}字")]).expect_err("a bad key");
    assert!(matches!(&key, ModelError::Authentication { message: Some(_), .. }), "{key:?}");
    for url in ["nowhere", "ftp://x/v1", "http://"] {
        let error = model("openai/m", &[("OPENAI_BASE_URL", url)]).expect_err(url);
        assert!(error.text().en.contains("OPENAI_BASE_URL"), "{error}");
    }
}

#[test]
fn a_configured_url_that_is_none_is_told_by_its_key() {
    let overrides = crate::ProfileOverrides { base_url: Some("nowhere".into()), ..Default::default() };
    let profile = Profile::custom("mine", &PROFILES[0], overrides);
    let choice = ModelChoice { profile: Some(profile), ..ModelChoice::parse("openai/m").expect("a choice") };
    let told = |set: &[(&str, &str)]| {
        let env = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Remote::new(&choice, &env).expect_err("no URL").text().en
    };
    let configured = told(&[]);
    assert!(configured.contains("providers.mine.base_url") && !configured.contains("MINE_BASE_URL"), "{configured}");
    assert!(told(&[("MINE_BASE_URL", "nor this")]).contains("MINE_BASE_URL"));
}

#[test]
fn one_variable_bounds_all_waits() {
    let of = |value: &str| Timeouts::from_env(&|name| (name == "WINCLAW_MODEL_TIMEOUT_MS").then(|| value.to_owned()));
    let short = Duration::from_millis(250);
    assert_eq!(of("250"), Timeouts { connect: short, first_byte: short, idle: short });
    assert_eq!(of("600000").connect, Duration::from_secs(10));
    for bad in ["0", "-1", "soon", ""] {
        assert_eq!(of(bad), Timeouts::default(), "{bad}");
    }
}
