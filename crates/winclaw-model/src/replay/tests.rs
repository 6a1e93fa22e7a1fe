use serde_json::{Value, json};
use winclaw_tool::ToolSpec;

use super::*;
use crate::{Message, WireCall};

fn script(steps: Value) -> Script {
    let script = json!({"schema": 1, "name": "sky", "steps": steps});
    Script::parse(&script.to_string()).expect("a script")
}

fn call(id: &str) -> Message {
    let call = WireCall { id: id.into(), name: "sky__forecast".into(), arguments: r#"{"place":"Oslo"}"#.into() };
    Message::Assistant { text: String::new(), reasoning: None, calls: vec![call], sealed: Vec::new() }
}

fn result(id: &str, content: &str) -> Message {
    Message::Tool { call_id: id.into(), content: content.into(), reveals: Vec::new() }
}

fn request(rest: Vec<Message>) -> ChatRequest {
    let tool = |name: &str| {
        std::sync::Arc::new(ToolSpec { name: name.into(), description: String::new(), parameters: json!({}) })
    };
    let mut messages = vec![Message::user("Is it warm in Oslo?")];
    messages.extend(rest);
    let tools = vec![tool("sky__forecast"), tool("ask_user")];
    ChatRequest { system: "Be brief.".into(), tools, messages, ..ChatRequest::default() }
}

fn asked_once() -> ChatRequest {
    request(vec![call("a"), result("a", r#"{"degrees": 7} [advice]"#)])
}

fn mismatch(expect: Value) -> Option<String> {
    let script = script(json!([{"expect": expect, "reply": {"text": "ok"}}]));
    match script.next(&mut Cursor::default(), &asked_once()) {
        Ok(_) => None,
        Err(ModelError::ReplayMismatch { name, step, message }) => {
            assert_eq!((name.as_str(), step), ("sky", 1));
            Some(message)
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn demands_that_are_met_let_the_reply_pass() {
    let demands = [
        json!({}),
        json!({"tools": "sky__forecast", "not_tools": ["map__find"]}),
        json!({"system_contains": "brief", "results": 1}),
        json!({"messages_contain": ["warm", "Oslo\"}", "degrees"], "last_contains": ["advice"]}),
    ];
    for expect in demands {
        assert_eq!(mismatch(expect.clone()), None, "{expect}");
    }
}

#[test]
fn a_demand_that_is_not_met_says_what_there_was() {
    let demands = [
        (json!({"tools": ["ask_user", "map__find"]}), ["map__find", "sky__forecast, ask_user"]),
        (json!({"not_tools": "ask_user"}), ["must not hold `ask_user`", "sky__forecast, ask_user"]),
        (json!({"system_contains": "verbose"}), ["the system prompt", "Be brief."]),
        (json!({"messages_contain": "Rome"}), ["some message", "Oslo"]),
        (json!({"last_contains": "warm"}), ["the last message", "degrees"]),
        (json!({"results": 0}), ["must be 0", "there are 1"]),
    ];
    for (expect, parts) in demands {
        let message = mismatch(expect.clone()).expect("a mismatch");
        for part in parts {
            assert!(message.contains(part), "{expect}: {message}");
        }
    }
}

#[test]
fn replies_carry_results_and_ids_of_their_own() {
    let script = script(json!([{"reply": {
        "text": "{{result:0:/degrees}} degrees", "reasoning": "hm",
        "calls": [{"name": "notes__add", "arguments": {"n": "{{result:0:/degrees}}"}}, {"name": "x", "arguments": "{\"cut"},
                  {"id": "a", "name": "y"}],
        "cut_off": true
    }}]));
    let reply = script.next(&mut Cursor::default(), &asked_once()).expect("a reply");
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref(), reply.cut_off), ("7 degrees", Some("hm"), true));
    let calls: Vec<_> =
        reply.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("call_0_0", "notes__add", r#"{"n":7}"#), ("call_0_1", "x", "{\"cut"), ("a_0_2", "y", "{}")]);
}

#[test]
fn a_mark_that_points_at_nothing_is_a_mismatch() {
    let script = script(json!([{"reply": {"text": "{{result:0:/rain}}"}}]));
    let error = script.next(&mut Cursor::default(), &asked_once()).expect_err("a mismatch");
    assert!(error.to_string().contains("/rain") && error.to_string().contains("degrees"), "{error}");
}

#[test]
fn a_step_may_answer_several_times_and_the_script_ends() {
    let script = script(json!([{"reply": {"text": "a"}, "times": 3}, {"reply": {"text": "b"}}]));
    let mut at = Cursor::default();
    let mut text = || script.next(&mut at, &asked_once()).map(|reply| reply.text);
    for expected in ["a", "a", "a", "b"] {
        assert_eq!(text(), Ok(expected.to_owned()));
    }
    let error = text().expect_err("the end");
    assert!(
        matches!(&error, ModelError::ReplayMismatch { step: 3, message, .. } if message.contains("request 5")),
        "{error}"
    );
}

#[test]
fn a_step_that_waits_for_something_else_is_passed_over_for_good() {
    let script = script(json!([
        {"when": {"last_contains": "nobody said this"}, "reply": {"text": "a"}},
        {"when": {"results": 1}, "reply": {"text": "b"}, "times": 2},
        {"reply": {"text": "c"}},
    ]));
    let mut at = Cursor::default();
    let mut text = |request: &ChatRequest| script.next(&mut at, request).map(|reply| reply.text);
    let bare = ChatRequest { messages: vec![Message::user("hello")], ..ChatRequest::default() };
    assert_eq!(text(&asked_once()), Ok("b".to_owned()));
    // What was begun goes on.
    assert_eq!(text(&bare), Ok("b".to_owned()));
    assert_eq!(text(&asked_once()), Ok("c".to_owned()));
    assert_eq!(at.asked(), 3);
}

#[test]
fn scripts_with_mistakes_are_refused() {
    let cases = [
        (json!({"schema": 2, "name": "x", "steps": []}), "schema is 2"),
        (json!({"schema": 1, "name": "x", "steps": [{"reply": {"txt": "a"}}]}), "txt"),
        (json!({"schema": 1, "name": "x", "steps": [{"reply": {}, "expects": {}}]}), "expects"),
        (json!({"schema": 1, "steps": []}), "name"),
    ];
    for (json, part) in cases {
        let error = Script::parse(&json.to_string()).expect_err("a mistake");
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_script_reads_back_as_it_is_written() {
    let script = script(json!([{"expect": {"tools": "a"}, "reply": {"calls": [{"name": "x"}]}, "times": 2}]));
    let json = serde_json::to_string(&script).expect("json");
    assert_eq!(Script::parse(&json), Ok(script));
}

#[test]
fn a_file_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("script.json");
    for content in [None, Some("{\"schema\": 1,\n nonsense")] {
        if let Some(content) = content {
            std::fs::write(&path, content).expect("a file");
        }
        let error = Replay::from_file(&path).expect_err("unusable");
        assert!(matches!(&error, ModelError::Config { what, .. } if what.en.contains("script.json")), "{error:?}");
    }
}

fn run(replay: &Replay, request: &ChatRequest) -> (Result<ChatReply, ModelError>, Vec<String>) {
    let mut heard = Vec::new();
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Sent { body, attempt } => {
            assert_eq!((body, attempt), (replay.payload(request).as_slice(), 1));
            heard.push("Sent".to_owned());
        }
        other => heard.push(format!("{other:?}")),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let reply = runtime.block_on(replay.complete(request, &mut sink, &CancellationToken::new()));
    (reply, heard)
}

#[test]
fn a_replayed_model_streams_and_is_always_labelled() {
    let steps = json!([{"reply": {"text": "北京今天有雨，气温七度", "calls": [{"name": "x"}]}}]);
    let replay = Replay::new(script(steps));
    assert_eq!((replay.label().as_str(), replay.replayed(), replay.window_tokens()), ("replay/sky", true, 128_000));
    let (reply, heard) = run(&replay, &asked_once());
    assert_eq!(reply.expect("a reply").text, "北京今天有雨，气温七度");
    assert_eq!(heard, ["Sent", r#"Text("北京今天有雨，气")"#, r#"Text("温七度")"#, r#"CallStarted { name: "x" }"#]);
    assert_eq!(replay.asked(), 1);
}

#[test]
fn a_request_no_vendor_would_take_is_refused_and_costs_no_step() {
    let replay = Replay::new(script(json!([{"reply": {"text": "a"}}])));
    let (reply, _) = run(&replay, &request(vec![call("a")]));
    assert!(matches!(reply, Err(ModelError::Protocol { .. })), "{reply:?}");
    assert_eq!(replay.asked(), 0);
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let replay = Replay::new(script(json!([{"reply": {"text": "a"}}])));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let reply = runtime.block_on(replay.complete(&asked_once(), &mut |_| {}, &cancel));
    assert_eq!(reply, Err(ModelError::Cancelled));
}
