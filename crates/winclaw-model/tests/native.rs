//! The bodies and replies of the formats with native deferred tools, compared with written fixtures of the documented
//! shapes. The fixtures were written by hand from the documentation, not printed by the code.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_model::{
    Assembler, ChatReply, ChatRequest, Delta, Format, Message, Profile, Sealed, Usage, WireCall, validate,
};
use winclaw_tool::ToolSpec;

const DEFERRED: [&str; 4] = ["sky__forecast", "mail__send", "sky__tides", "mail__read"];

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn specs(names: &[&str]) -> Vec<Arc<ToolSpec>> {
    let all: Vec<ToolSpec> = serde_json::from_str(&read("tools.json")).expect("tools");
    let find = |name: &&str| all.iter().find(|spec| spec.name == *name).expect("a tool of the fixtures").clone().into();
    names.iter().map(find).collect()
}

fn user(text: &str) -> Message {
    Message::user(text)
}

fn said(text: &str, calls: &[(&str, &str, &str)]) -> Message {
    let call = |(id, name, arguments): &(&str, &str, &str)| WireCall {
        id: (*id).into(),
        name: (*name).into(),
        arguments: (*arguments).into(),
    };
    let calls = calls.iter().map(call).collect();
    Message::Assistant { text: text.into(), reasoning: Some("aloud".into()), calls, sealed: Vec::new() }
}

fn result(call_id: &str, content: &str, reveals: &[&str]) -> Message {
    Message::Tool {
        call_id: call_id.into(),
        content: content.into(),
        reveals: specs(reveals).iter().map(|spec| (**spec).clone()).collect(),
    }
}

/// The search, with thoughts of either vendor before the words.
fn searched() -> Vec<Message> {
    let mut search = said("I look for tools.", &[("toolu_1", "tool_search", r#"{"queries":["rain","send mail"]}"#)]);
    if let Message::Assistant { sealed, .. } = &mut search {
        let blocks = [
            json!({"type": "thinking", "thinking": "Weather, then mail.", "signature": "sig-1"}),
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc-1"}),
        ];
        sealed.extend(blocks.map(|block| Sealed { before: 0, block }));
    }
    let ask = user("Will it rain in Oslo tomorrow? Mail the answer to Ada.");
    vec![ask, search, result("toolu_1", "Found sky__forecast and mail__send.", &["sky__forecast", "mail__send"])]
}

/// The conversation after each step, by the name of its fixture.
fn steps() -> Vec<(&'static str, ChatRequest)> {
    let request = |messages: &[Message]| ChatRequest {
        system: "Be brief.".into(),
        tools: specs(&["tool_search", "notes__add"]),
        deferred: specs(&DEFERRED),
        messages: messages.to_vec(),
        ..ChatRequest::default()
    };
    let mut all = searched();
    let mut steps = vec![("1-first", request(&all[..1])), ("2-searched", request(&all))];
    all.push(said("", &[("toolu_2", "sky__forecast", r#"{"place": "Oslo"}"#)]));
    all.push(result("toolu_2", r#"{"rain":true}"#, &[]));
    steps.push(("3-called", request(&all)));
    let three = [
        ("toolu_3", "mail__send", r#"{"to":"Ada","text":"Rain."}"#),
        ("toolu_4", "tool_search", r#"{"queries":["tides"]}"#),
        ("toolu_5", "notes__add", r#"{"text": "Ra"#),
    ];
    all.push(said(" \n", &three));
    all.push(result("toolu_3", "", &[]));
    all.push(result("toolu_4", "Found sky__tides.\n\nLikely useful now: sky__tides.", &["sky__tides", "sky__tides"]));
    all.push(result("toolu_5", "The arguments were cut off.", &["mail__read"]));
    steps.push(("4-parallel", request(&all)));
    steps.push(("5-compacted", compacted()));
    steps
}

/// A new epoch: what was used stands in the array, what does not fit there in the summary.
fn compacted() -> ChatRequest {
    let tides = serde_json::to_string(&*specs(&["sky__tides"])[0]).expect("json");
    let summary = format!("So far: it will rain in Oslo, and Ada was told.\n\nSchemas of tools used before:\n{tides}");
    let messages = vec![
        user(&summary),
        said("I look again.", &[("toolu_6", "sky__forecast", r#"{"place":"Bergen"}"#)]),
        result("toolu_6", r#"{"rain":false}"#, &["mail__read", "sky__forecast"]),
        user("And the tides?"),
    ];
    let tools = specs(&["tool_search", "notes__add", "sky__forecast", "mail__send"]);
    let deferred = specs(&["sky__tides", "mail__read"]);
    ChatRequest { system: "Be brief.".into(), tools, deferred, messages, ..ChatRequest::default() }
}

fn profile(provider: &str) -> &'static Profile {
    Profile::of(provider).expect("a profile")
}

fn body(provider: &str, request: &ChatRequest) -> Value {
    profile(provider).format.body(request, "m-1", profile(provider), true)
}

fn compare(provider: &str, folder: &str) {
    for (name, request) in steps() {
        assert_eq!(validate(&request.messages), Ok(()), "{name}");
        let written: Value = serde_json::from_str(&read(&format!("{folder}/{name}.json"))).expect("json");
        let built = body(provider, &request);
        assert_eq!(built, written, "{name}: {}", serde_json::to_string_pretty(&built).expect("json"));
    }
}

#[test]
fn the_bodies_for_anthropic_are_as_documented() {
    compare("anthropic", "anthropic");
}

#[test]
fn the_bodies_for_responses_are_as_documented() {
    compare("openai-responses", "responses");
}

#[test]
fn each_body_of_an_epoch_begins_as_the_one_before() {
    for provider in ["anthropic", "openai-responses", "openai"] {
        let bodies: Vec<String> = steps()[..4].iter().map(|(_, request)| body(provider, request).to_string()).collect();
        for pair in bodies.windows(2) {
            let shared = pair[0].strip_suffix("]}").expect("the conversation comes last");
            assert!(pair[1].starts_with(shared), "{provider}: {}\n{}", pair[0], pair[1]);
        }
    }
}

#[test]
fn chat_completions_know_nothing_of_it() {
    for (name, request) in steps() {
        let body = body("openai", &request).to_string();
        for word in ["defer_loading", "tool_reference", "reveals", "sealed", "signature", "encrypted_content"] {
            assert!(!body.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn without_an_ordinary_tool_none_is_deferred_and_without_a_search_nothing_is_found_natively() {
    let mut request = steps().swap_remove(1).1;
    request.tools.clear();
    request.system.clear();
    let anthropic = body("anthropic", &request).to_string();
    assert!(anthropic.contains("input_schema"), "{anthropic}");
    let responses = body("openai-responses", &request).to_string();
    for (body, words) in [
        (&anthropic, ["defer_loading", "tool_reference", "\"system\""]),
        (&responses, ["tool_search_output", "tool_search_call", "instructions"]),
    ] {
        assert!(words.iter().all(|word| !body.contains(word)), "{body}");
        assert!(body.contains(r#"\"name\":\"sky__forecast\""#), "the schema is text then: {body}");
    }
}

#[test]
fn without_a_system_prompt_the_last_ordinary_tool_marks_the_prefix() {
    let mut request = steps().swap_remove(0).1;
    request.system.clear();
    let body = body("anthropic", &request);
    let marked = body["tools"].as_array().expect("tools").iter().filter(|tool| tool.get("cache_control").is_some());
    let marked: Vec<_> = marked.map(|tool| (&tool["name"], tool.get("defer_loading"))).collect();
    assert_eq!(marked, [(&json!("notes__add"), None)]);
    assert_eq!(body.get("system"), None);
}

#[test]
fn names_and_ids_no_vendor_takes_are_mended_in_pairs() {
    let messages = vec![user(" "), said("", &[("get:0", "sky.forecast", "")]), result("get:0", "x", &[])];
    let request = ChatRequest { messages, ..ChatRequest::default() };
    let anthropic = body("anthropic", &request);
    let call = &anthropic["messages"][1]["content"][0];
    let name = call["name"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("sky_forecast_x") && call["input"] == json!({}), "{call}");
    assert_eq!(call["id"], anthropic["messages"][2]["content"][0]["tool_use_id"]);
    assert_ne!(anthropic["messages"][0]["content"], " ");
    let responses = body("openai-responses", &request);
    let call = &responses["input"][1];
    assert_eq!((&call["name"], &call["arguments"]), (&json!(name), &json!("{}")));
    assert_eq!(call["call_id"], responses["input"][2]["call_id"]);
}

/// What a reply and its pieces amount to.
#[derive(Debug, Clone, PartialEq)]
struct Heard {
    reply: ChatReply,
    text: String,
    thoughts: String,
    started: Vec<String>,
}

fn hear(format: Format, parts: &[&[u8]]) -> Heard {
    let (mut text, mut thoughts, mut started) = (String::new(), String::new(), Vec::new());
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(piece) => text.push_str(piece),
        Delta::Reasoning(piece) => thoughts.push_str(piece),
        Delta::CallStarted { name } => started.push(name.to_owned()),
        Delta::Sent { .. } => {}
    };
    let mut assembler = Assembler::new(format, &[]);
    for part in parts {
        assembler.feed(part, &mut sink).expect("no error in the stream");
    }
    let reply = assembler.finish(&mut sink).expect("a reply");
    Heard { reply, text, thoughts, started }
}

fn expected(calls: [&str; 2], arguments: &str, sealed: Vec<Value>) -> Heard {
    let call = |id: &str, name: &str, arguments: &str| WireCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let searched = r#"{"queries":["tides"]}"#;
    let reply = ChatReply {
        text: "查北京🌧".into(),
        reasoning: Some("先看天气".into()),
        calls: vec![call(calls[0], "sky__forecast", arguments), call(calls[1], "tool_search", searched)],
        sealed: sealed.into_iter().map(|block| Sealed { before: 0, block }).collect(),
        cut_off: false,
        usage: Usage { input: Some(242), cached: Some(200), written: None, output: Some(57) },
        ..ChatReply::default()
    };
    let started = vec!["sky__forecast".into(), "tool_search".into()];
    Heard { text: reply.text.clone(), thoughts: "先看天气".into(), started, reply }
}

/// Anthropic counts what it wrote to its cache.
fn writes(mut heard: Heard) -> Heard {
    heard.reply.usage.written = Some(30);
    heard
}

fn replies() -> [(Format, String, Heard); 4] {
    let signed = || {
        let thinking = json!({"type": "thinking", "thinking": "先看天气", "signature": "c2ln"});
        vec![thinking, json!({"type": "redacted_thinking", "data": "aGlkZGVu"})]
    };
    let summary = json!([{"type": "summary_text", "text": "先看天气"}]);
    let reasoning = json!({"type": "reasoning", "id": "rs_a", "summary": summary, "encrypted_content": "c2VhbGVk"});
    let (anthropic, responses) = (["toolu_a", "toolu_b"], ["call_a", "call_b"]);
    let (spaced, dense) = (r#"{"place": "北京"}"#, r#"{"place":"北京"}"#);
    [
        (Format::Messages, read("anthropic/reply.sse"), writes(expected(anthropic, spaced, signed()))),
        (Format::Messages, read("anthropic/reply.json"), writes(expected(anthropic, dense, signed()))),
        (Format::Responses, read("responses/reply.sse"), expected(responses, spaced, vec![reasoning.clone()])),
        (Format::Responses, read("responses/reply.json"), expected(responses, spaced, vec![reasoning])),
    ]
}

#[test]
fn streams_and_whole_answers_are_read_as_documented_wherever_they_are_cut() {
    for (format, answer, expected) in replies() {
        let bytes = answer.as_bytes();
        assert_eq!(hear(format, &[bytes]), expected, "{format:?}");
        for cut in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            assert_eq!(hear(format, &[head, tail]), expected, "{format:?} cut at {cut}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(hear(format, &single), expected, "{format:?}");
    }
}

#[test]
fn what_a_model_sealed_goes_back_unchanged_and_in_its_place() {
    for (format, answer, heard) in replies() {
        let ChatReply { text, reasoning, calls, sealed, .. } = hear(format, &[answer.as_bytes()]).reply;
        assert_eq!(sealed, heard.reply.sealed);
        let messages = vec![
            user("x"),
            Message::Assistant { text, reasoning, calls: calls.clone(), sealed: sealed.clone() },
            result(&calls[0].id, "1", &[]),
            result(&calls[1].id, "2", &[]),
        ];
        let request = ChatRequest { tools: specs(&["tool_search"]), messages, ..ChatRequest::default() };
        let (provider, said) = match format {
            Format::Messages => ("anthropic", "/messages/1/content"),
            _ => ("openai-responses", "/input"),
        };
        let body = body(provider, &request);
        let blocks = body.pointer(said).and_then(Value::as_array).expect("blocks");
        let first = blocks.iter().position(|block| *block == sealed[0].block).expect("the thoughts");
        let words = blocks.iter().position(|block| block.to_string().contains("查北京")).expect("the words");
        assert!(first < words, "{body}");
    }
}
