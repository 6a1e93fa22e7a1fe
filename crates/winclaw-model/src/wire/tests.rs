use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_tool::ToolSpec;

use super::*;
use crate::{ChatRequest, EmptyContent, Image, Profile, Reasoning, Sealed, WireCall};

fn call(id: &str, arguments: &str) -> WireCall {
    WireCall { id: id.into(), name: "sky__forecast".into(), arguments: arguments.into() }
}

fn user(text: &str) -> Message {
    Message::user(text)
}

fn calls(calls: &[WireCall]) -> Message {
    Message::Assistant { text: String::new(), reasoning: None, calls: calls.to_vec(), sealed: Vec::new() }
}

fn asks(ids: &[&str]) -> Message {
    calls(&ids.iter().map(|id| call(id, "{}")).collect::<Vec<_>>())
}

fn result(id: &str) -> Message {
    Message::Tool { call_id: id.into(), content: "ok".into(), reveals: Vec::new() }
}

fn profile(provider: &str) -> Profile {
    Profile::of(provider).expect("a profile").clone()
}

fn request(messages: Vec<Message>) -> ChatRequest {
    let parameters = json!({"type": "object", "properties": {"place": {"type": "string"}}});
    let tool = ToolSpec { name: "sky__forecast".into(), description: "Weather.".into(), parameters };
    ChatRequest { system: "Be brief.".into(), tools: vec![tool.into()], messages, ..ChatRequest::default() }
}

#[test]
fn the_body_has_tools_and_system_before_the_conversation() {
    let body = chat_body(&request(vec![user("hi")]), "m", &profile("openai"), true);
    let expected = concat!(
        r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":"#,
        r#"{"name":"sky__forecast","description":"Weather.","parameters":{"type":"object","properties":{"place":"#,
        r#"{"type":"string"}}}}}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hi"}]}"#
    );
    assert_eq!(body.to_string(), expected);
}

#[test]
fn without_tools_system_or_stream_their_fields_are_absent() {
    let request = ChatRequest { messages: vec![user("hi")], ..ChatRequest::default() };
    let forced = Profile { parallel_tool_calls: Some(false), ..profile("openai") };
    let body = chat_body(&request, "m", &forced, false).to_string();
    assert_eq!(body, r#"{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}"#);
}

#[test]
fn parallel_calls_are_ruled_only_where_the_profile_says_so() {
    let forced = Profile { parallel_tool_calls: Some(false), ..profile("openai") };
    assert_eq!(chat_body(&request(vec![user("hi")]), "m", &forced, true)["parallel_tool_calls"], json!(false));
    let plain = chat_body(&request(vec![user("hi")]), "m", &profile("openai"), true);
    assert_eq!(plain.get("parallel_tool_calls"), None);
}

#[test]
fn a_message_that_only_calls_is_written_as_the_profile_demands() {
    let rules =
        [(EmptyContent::Null, Some(Value::Null)), (EmptyContent::Empty, Some(json!(""))), (EmptyContent::Omit, None)];
    for (empty_content, expected) in rules {
        let profile = Profile { empty_content, ..profile("openai") };
        let body = chat_body(&request(vec![user("hi"), calls(&[call("a", "{}")]), result("a")]), "m", &profile, true);
        assert_eq!(body["messages"][2].get("content").cloned(), expected, "{empty_content:?}");
    }
}

#[test]
fn thoughts_go_back_only_where_the_profile_demands_and_then_always_with_calls() {
    let said = |reasoning: Option<&str>, calls: &[WireCall]| Message::Assistant {
        text: "x".into(),
        reasoning: reasoning.map(str::to_owned),
        calls: calls.to_vec(),
        sealed: Vec::new(),
    };
    let cases = [
        (Reasoning::Keep, said(Some("hm"), &[call("a", "{}")]), Some("hm")),
        (Reasoning::Keep, said(None, &[call("a", "{}")]), Some("")),
        (Reasoning::Keep, said(Some("hm"), &[]), Some("hm")),
        (Reasoning::Keep, said(None, &[]), None),
        (Reasoning::Drop, said(Some("hm"), &[call("a", "{}")]), None),
    ];
    for (reasoning, message, expected) in cases {
        let profile = Profile { reasoning, ..profile("openai") };
        let body = chat_body(&request(vec![message.clone()]), "m", &profile, true);
        let sent = body["messages"][1].get("reasoning_content").and_then(Value::as_str);
        assert_eq!(sent, expected, "{reasoning:?} {message:?}");
    }
}

#[test]
fn arguments_in_the_history_are_always_an_object() {
    let cases = [
        ("", "{}"),
        (" \n", "{}"),
        (r#"{"b": 1, "a":2}"#, r#"{"b": 1, "a":2}"#),
        (r#"{"a"#, r#"{"unreadable":"{\"a"}"#),
        ("[1]", r#"{"unreadable":"[1]"}"#),
    ];
    for (raw, sent) in cases {
        let body = chat_body(&request(vec![calls(&[call("a", raw)])]), "m", &profile("openai"), true);
        assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["arguments"], json!(sent), "{raw:?}");
    }
}

#[test]
fn d18_thoughts_go_back_in_the_way_of_each_provider() {
    let said = |reasoning: Option<&str>| Message::Assistant {
        text: String::new(),
        reasoning: reasoning.map(str::to_owned),
        calls: vec![call("a", "{}")],
        sealed: Vec::new(),
    };
    let cases = [
        ("openai", "reasoning_content", None, None),
        ("deepseek", "reasoning_content", Some("hm"), Some("")),
        ("kimi", "reasoning_content", Some("hm"), Some(".")),
        ("glm", "reasoning_content", Some("hm"), None),
        ("openrouter", "reasoning", Some("hm"), None),
        ("qwen", "reasoning_content", None, None),
        ("ollama", "reasoning_content", None, None),
    ];
    for (provider, field, with, without) in cases {
        for (reasoning, expected) in [(Some("hm"), with), (None, without)] {
            let body =
                chat_body(&request(vec![user("x"), said(reasoning), result("a")]), "m", &profile(provider), true);
            let sent = body["messages"][2].get(field).and_then(Value::as_str);
            assert_eq!(sent, expected, "{provider} {reasoning:?}");
        }
    }
    let empty = Profile { reasoning: Reasoning::Empty, ..profile("openai") };
    let body = chat_body(&request(vec![user("x"), said(Some("hm")), result("a")]), "m", &empty, true);
    assert_eq!(body["messages"][2]["reasoning_content"], "");
}

#[test]
fn d19_a_message_that_only_calls_is_written_in_the_way_of_each_provider() {
    let content = |provider: &str| {
        let body = chat_body(&request(vec![user("x"), asks(&["a"]), result("a")]), "m", &profile(provider), true);
        body["messages"][2].get("content").cloned()
    };
    assert_eq!((content("openai"), content("openrouter")), (Some(Value::Null), Some(Value::Null)));
    for provider in ["deepseek", "ollama", "lmstudio", "qwen", "kimi", "glm"] {
        assert_eq!(content(provider), Some(json!("")), "{provider}");
    }
    assert_eq!(content("gemini"), None);
}

#[test]
fn thoughts_a_vendor_sealed_in_chat_completions_go_back_to_it_alone() {
    let details = json!([{"type": "reasoning.encrypted", "data": "x", "index": 0}]);
    let extra = json!({"google": {"thought_signature": "s"}});
    let sealed = vec![
        Sealed { before: 0, block: json!({"type": "reasoning_details", "reasoning_details": details}) },
        Sealed { before: 2, block: json!({"type": "extra_content", "extra_content": extra}) },
    ];
    let calls = vec![call("a", "{}"), call("b", "{}")];
    let said = Message::Assistant { text: String::new(), reasoning: Some("hm".into()), calls, sealed };
    let messages = vec![user("x"), said, result("a"), result("b")];
    let sent =
        |provider: &str| chat_body(&request(messages.clone()), "m", &profile(provider), true)["messages"][2].clone();
    let router = sent("openrouter");
    assert_eq!((&router["reasoning_details"], router.get("reasoning")), (&details, None));
    let gemini = sent("gemini");
    assert_eq!(gemini["tool_calls"][1]["extra_content"], extra);
    // A call of another model has no signature; the first of a message must have one.
    let stand_in = &gemini["tool_calls"][0]["extra_content"]["google"]["thought_signature"];
    assert_eq!(stand_in, "skip_thought_signature_validator");
    for provider in ["openai", "deepseek"] {
        let plain = sent(provider).to_string();
        assert!(!plain.contains("extra_content") && !plain.contains("reasoning_details"), "{plain}");
    }
}

#[test]
fn pictures_are_sent_to_models_that_see_and_told_to_others() {
    let image = Image { media_type: "image/png".into(), data: "aGk=".into() };
    let asked = Message::User { text: "what is it?".into(), images: vec![image] };
    let request = request(vec![asked]);
    let body = |provider: &str, model: &str| {
        profile(provider).format.body(&request, model, &profile(provider), true).to_string()
    };
    let url = "data:image/png;base64,aGk=";
    assert!(body("openai", "m").contains(&format!(r#"{{"type":"image_url","image_url":{{"url":"{url}"}}}}"#)));
    assert!(body("openai-responses", "m").contains(&format!(r#"{{"type":"input_image","image_url":"{url}"}}"#)));
    let source = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    assert!(body("anthropic", "m").contains(source));
    for (provider, model) in [("deepseek", "deepseek-v4-pro"), ("ollama", "qwen3:8b")] {
        let body = body(provider, model);
        assert!(body.contains("a picture was attached") || body.contains("A picture was attached"), "{body}");
        assert!(!body.contains("aGk="), "{body}");
    }
    assert!(body("deepseek", "deepseek-flash").contains(url) && body("ollama", "qwen3-vl:8b").contains(url));
}

#[test]
fn a_bound_on_the_reply_and_fields_of_ones_own_are_sent_under_the_providers_names() {
    let extra =
        json!({"service_tier": "flex", "model": "not this", "messages": 1}).as_object().cloned().expect("an object");
    for (provider, field) in [
        ("openai", "max_completion_tokens"),
        ("deepseek", "max_tokens"),
        ("anthropic", "max_tokens"),
        ("openai-responses", "max_output_tokens"),
    ] {
        let profile = Profile { max_output: Some(77), extra: extra.clone(), ..profile(provider) };
        let body = profile.format.body(&request(vec![user("x")]), "m", &profile, true);
        assert_eq!(
            (&body[field], &body["service_tier"], &body["model"]),
            (&json!(77), &json!("flex"), &json!("m")),
            "{provider}"
        );
        let conversation = if provider == "openai-responses" { "input" } else { "messages" };
        assert!(body[conversation].is_array(), "{provider}");
    }
    let body = chat_body(&request(vec![user("x")]), "m", &profile("glm"), true);
    assert_eq!((body.get("stream_options"), &body["stream"]), (None, &json!(true)));
}

#[test]
fn d10_names_on_the_wire_are_legal_and_the_same_in_the_history() {
    let spec = |name: &str| ToolSpec { name: name.into(), description: "d".into(), parameters: json!({}) }.into();
    let long = "n".repeat(90);
    let names = ["admin.tools.list", "Docker file scanner", &long, "北京天气"];
    let calls: Vec<WireCall> = names
        .iter()
        .map(|name| WireCall { id: (*name).into(), name: (*name).into(), arguments: "{}".into() })
        .collect();
    let said = Message::Assistant { text: String::new(), reasoning: None, calls, sealed: Vec::new() };
    let messages = std::iter::once(user("x")).chain([said]).chain(names.iter().map(|name| result(name))).collect();
    let request =
        ChatRequest { tools: names.iter().map(|name| spec(name)).collect(), messages, ..ChatRequest::default() };
    let body = chat_body(&request, "m", &profile("kimi"), true);
    for (at, name) in names.iter().enumerate() {
        let wire = &body["tools"][at]["function"]["name"];
        assert_eq!(&body["messages"][1]["tool_calls"][at]["function"]["name"], wire, "{name}");
        assert!(profile("kimi").names.allows(wire.as_str().expect("a name")), "{wire}");
        let id = body["messages"][1]["tool_calls"][at]["id"].as_str().expect("an id").to_owned();
        assert!(id.len() <= 40 && body["messages"][2 + at]["tool_call_id"] == json!(id), "{id}");
    }
}

#[test]
fn an_empty_reply_is_not_sent_back() {
    let body = chat_body(&request(vec![user("a"), calls(&[]), user("b")]), "m", &profile("openai"), true);
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(3));
}

#[test]
fn conversations_that_vendors_refuse_are_refused_here() {
    let sound: [Vec<Message>; 4] = [
        vec![user("x")],
        vec![user("x"), asks(&["a", "b"]), result("b"), result("a")],
        vec![user("x"), asks(&["a"]), result("a"), asks(&["b"]), result("b")],
        vec![user("x"), calls(&[]), user("y")],
    ];
    for messages in sound {
        assert_eq!(validate(&messages), Ok(()), "{messages:?}");
    }
    let broken: [(Vec<Message>, &str); 9] = [
        (vec![], "empty"),
        (vec![user("x"), calls(&[])], "own message"),
        (vec![user("x"), asks(&["a"])], "`a` has no result"),
        (vec![user("x"), asks(&["a", "b"]), result("a"), user("y")], "before the result of `b`"),
        (vec![user("x"), result("a")], "message 1"),
        (vec![user("x"), asks(&["a"]), result("a"), result("a")], "message 3"),
        (vec![user("x"), asks(&["a"]), result("a"), asks(&["a"]), result("a")], "message 3"),
        (vec![user("x"), asks(&["a", "a"]), result("a"), result("a")], "new id"),
        (vec![user("x"), calls(&[call("", "{}")]), result("")], "new id"),
    ];
    for (messages, part) in broken {
        let error = validate(&messages).expect_err("must be refused");
        assert!(error.to_string().contains(part), "{error} lacks {part}");
    }
}

fn any_spec() -> impl Strategy<Value = ToolSpec> {
    prop_oneof![Just("sky__forecast"), Just("mail__send"), Just("notes__add")].prop_map(|name| ToolSpec {
        name: name.into(),
        description: "d".into(),
        parameters: json!({"type": "object"}),
    })
}

fn any_sealed() -> impl Strategy<Value = Sealed> {
    let kind = prop_oneof![Just("thinking"), Just("reasoning"), Just("odd")];
    (0usize..4, kind).prop_map(|(before, kind)| Sealed { before, block: json!({"type": kind, "signature": "s"}) })
}

fn any_message() -> impl Strategy<Value = Message> {
    let name = prop_oneof![Just("tool_search".to_owned()), "[a-z_.]{1,6}"];
    let call = ("[a-z:]{1,4}", name, ".{0,12}").prop_map(|(id, name, arguments)| WireCall { id, name, arguments });
    let said = (
        ".{0,12}",
        proptest::option::of(".{0,6}"),
        proptest::collection::vec(call, 0..3),
        proptest::collection::vec(any_sealed(), 0..3),
    );
    let result = ("[a-z:]{1,4}", ".{0,12}", proptest::collection::vec(any_spec(), 0..3));
    prop_oneof![
        ".{0,12}".prop_map(Message::user),
        said.prop_map(|(text, reasoning, calls, sealed)| Message::Assistant { text, reasoning, calls, sealed }),
        result.prop_map(|(call_id, content, reveals)| Message::Tool { call_id, content, reveals }),
    ]
}

/// The first place from `at` on where no results of one turn are torn apart; vendors never see such a conversation.
fn whole_turns(messages: &[Message], at: usize) -> usize {
    let result = |at: usize| matches!(messages.get(at), Some(Message::Tool { .. }));
    (at..messages.len()).find(|at| *at == 0 || !result(*at) || !result(*at - 1)).unwrap_or(messages.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_longer_conversation_keeps_every_byte_of_the_shorter(
        messages in proptest::collection::vec(any_message(), 1..8), shorter in 0usize..8, provider in 0usize..crate::PROFILES.len(),
    ) {
        let profile = &crate::PROFILES[provider];
        let with_tools = |messages: &[Message]| {
            let mut request = request(messages.to_vec());
            let spec = |name: &str| ToolSpec { name: name.into(), ..(*request.tools[0]).clone() };
            let (search, deferred) = (spec("tool_search"), spec("mail__send"));
            request.tools.push(search.into());
            request.deferred.push(deferred.into());
            request
        };
        let body = |messages: &[Message]| profile.format.body(&with_tools(messages), "m", profile, true).to_string();
        let (short, long) = (body(&messages[..whole_turns(&messages, shorter.min(messages.len()))]), body(&messages));
        let shared = short.strip_suffix("]}").expect("the messages come last");
        prop_assert!(long.starts_with(shared), "{short}\n{long}");
    }
}
