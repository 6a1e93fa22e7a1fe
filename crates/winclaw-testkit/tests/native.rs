//! Whole tasks over the formats that reveal tools natively, against a server that holds them to the vendors' rules.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Message, ModelChoice, ModelError, NativeTools, Remote, Script, WireCall,
};
use winclaw_testkit::{Busy, MockOptions, MockServer};
use winclaw_tool::ToolSpec;

const KEY: &str = "sk-test-5f3c9a";
const BOTH: [&str; 2] = ["anthropic", "openai-responses"];

fn script(steps: Value) -> Script {
    Script::parse(&json!({"schema": 1, "name": "native", "steps": steps}).to_string()).expect("a script")
}

/// A search, a call of what it revealed beside another search, the answer.
fn errand() -> Script {
    script(json!([
        {"expect": {"tools": ["tool_search"], "not_tools": ["sky__forecast", "sky__tides"], "results": 0},
         "reply": {"text": "我先找工具🌧", "reasoning": "想一想", "calls": [{"name": "tool_search", "arguments": {"queries": ["rain"]}}]}},
        {"expect": {"revealed": "sky__forecast", "not_tools": "sky__forecast", "last_contains": ["found it", "degrees of sky__forecast"]},
         "reply": {"reasoning": "hm", "calls": [
            {"name": "sky__forecast", "arguments": {"place": "北京🌧"}},
            {"name": "tool_search", "arguments": {"queries": ["tides"]}},
            {"name": "notes__add", "arguments": {}}]}},
        {"expect": {"results": 4, "revealed": ["sky__forecast", "sky__tides", "mail__send"], "messages_contain": "北京"},
         "reply": {"text": "{{result:1:/high}} °C"}}
    ]))
}

fn options() -> MockOptions {
    MockOptions { key: Some(KEY.into()), ..MockOptions::default() }
}

fn spec(name: &str) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": {"place": {"type": "string"}}});
    ToolSpec { name: name.into(), description: format!("degrees of {name}"), parameters }
}

fn request(messages: &[Message]) -> ChatRequest {
    ChatRequest {
        system: "Be brief.".into(),
        tools: ["tool_search", "notes__add"].map(|name| spec(name).into()).into(),
        deferred: ["sky__forecast", "sky__tides", "mail__send"].map(|name| spec(name).into()).into(),
        messages: messages.to_vec(),
        ..ChatRequest::default()
    }
}

fn model(provider: &str, mock: &MockServer) -> Remote {
    model_with(provider, mock, Some(KEY))
}

fn model_with(provider: &str, mock: &MockServer, key: Option<&str>) -> Remote {
    let env = |name: &str| match name {
        "ANTHROPIC_BASE_URL" => Some(mock.root()),
        "OPENAI_BASE_URL" => Some(mock.base_url()),
        name if name.ends_with("_API_KEY") => key.map(str::to_owned),
        _ => None,
    };
    Remote::new(&ModelChoice::parse(&format!("{provider}/m")).expect("a choice"), &env).expect("a model")
}

async fn ask(model: &Remote, messages: &[Message]) -> Result<ChatReply, ModelError> {
    model.complete(&request(messages), &mut |_| {}, &CancellationToken::new()).await
}

/// What a host answers: searches reveal, and so does a note, beside its result.
fn answer(call: &WireCall) -> Message {
    let (content, reveals) = match (call.name.as_str(), call.arguments.contains("tides")) {
        ("tool_search", true) => ("found it too", vec![spec("sky__tides")]),
        ("tool_search", false) => ("found it", vec![spec("sky__forecast")]),
        ("notes__add", _) => ("noted", vec![spec("mail__send")]),
        _ => (r#"{"high": 7}"#, vec![]),
    };
    Message::Tool { call_id: call.id.clone(), content: content.into(), reveals }
}

/// Talks until the model calls nothing more; gives its last reply.
async fn converse(model: &Remote, mock: &MockServer, reveal: bool) -> Result<ChatReply, ModelError> {
    let mut messages = vec![Message::user("查北京天气")];
    loop {
        let reply = ask(model, &messages).await?;
        assert!(!reply.cut_off && reply.skipped_lines == 0, "{reply:?}; {:?}", mock.refusals());
        if reply.calls.is_empty() {
            return Ok(reply);
        }
        let mut results: Vec<Message> = reply.calls.iter().map(answer).collect();
        for result in &mut results {
            if let Message::Tool { reveals, .. } = result {
                reveals.retain(|_| reveal);
            }
        }
        let ChatReply { text, reasoning, calls, sealed, .. } = reply;
        messages.push(Message::Assistant { text, reasoning, calls, sealed });
        messages.extend(results);
    }
}

#[tokio::test]
async fn a_search_a_native_call_and_an_answer_work_with_both_vendors() {
    for provider in BOTH {
        let mock = MockServer::scripted_with(errand(), options());
        let reply = converse(&model(provider, &mock), &mock, true).await;
        let reply = reply.unwrap_or_else(|error| panic!("{provider}: {error}; {:?}", mock.refusals()));
        assert_eq!(reply.text, "7 °C", "{provider}");
        assert!(reply.usage.cached.is_some_and(|cached| cached > 100), "{provider}: {:?}", reply.usage);
        assert_eq!((mock.requests().len(), mock.refusals()), (3, vec![]));
    }
}

#[tokio::test]
async fn it_works_however_badly_the_server_streams() {
    let badly = [
        MockOptions { piece_bytes: 1, ..options() },
        MockOptions { piece_bytes: 7, garbage: vec![": keep-alive".into()], ..options() },
        MockOptions { never_stream: true, ..options() },
        MockOptions { pace: Duration::from_millis(1), ..options() },
    ];
    for provider in BOTH {
        for options in &badly {
            let mock = MockServer::scripted_with(errand(), options.clone());
            let reply = converse(&model(provider, &mock), &mock, true).await;
            assert_eq!(reply.map(|reply| reply.text), Ok("7 °C".into()), "{provider}: {:?}", mock.refusals());
        }
    }
}

#[tokio::test]
async fn the_prefix_never_changes_and_thoughts_go_back_as_they_came() {
    for (provider, proof) in [("anthropic", "signature"), ("openai-responses", "encrypted_content")] {
        let mock = MockServer::scripted_with(errand(), options());
        let model = model(provider, &mock);
        converse(&model, &mock, true).await.expect("an answer");
        let bodies: Vec<String> =
            mock.requests().into_iter().map(|request| String::from_utf8(request.body).expect("text")).collect();
        for pair in bodies.windows(2) {
            let shared = pair[0].strip_suffix("]}").expect("the conversation comes last");
            assert!(pair[1].starts_with(shared), "{provider}");
        }
        let proofs: Vec<usize> =
            bodies.iter().map(|body| body.matches(&format!("\"{proof}\":\"sealed-")).count()).collect();
        assert_eq!(proofs, [0, 1, 2], "{provider}");
        let first = request(&[Message::user("查北京天气")]);
        assert_eq!(String::from_utf8(model.payload(&first)).expect("text"), bodies[0]);
    }
}

#[tokio::test]
async fn a_call_of_what_nothing_revealed_is_a_mistake_of_the_script() {
    for provider in BOTH {
        let forgiving = script(json!([
            {"reply": {"calls": [{"name": "tool_search", "arguments": {"queries": ["rain"]}}]}},
            {"reply": {"calls": [{"name": "sky__forecast", "arguments": {}}]}},
            {"reply": {"text": "done"}}
        ]));
        let mock = MockServer::scripted_with(forgiving.clone(), options());
        let error = converse(&model(provider, &mock), &mock, false).await.expect_err("nothing was revealed");
        assert!(error.to_string().contains("`sky__forecast`, which nothing has shown"), "{provider}: {error}");
        let mock = MockServer::scripted_with(forgiving, MockOptions { hallucinates: true, ..options() });
        assert_eq!(converse(&model(provider, &mock), &mock, false).await.map(|reply| reply.text), Ok("done".into()));
    }
}

#[tokio::test]
async fn the_key_travels_in_the_vendors_header_and_in_no_message() {
    let one = || script(json!([{"reply": {"text": "a"}}]));
    for (provider, sent) in [("anthropic", KEY.to_owned()), ("openai-responses", format!("Bearer {KEY}"))] {
        let mock = MockServer::scripted_with(one(), options());
        let hello = [Message::user("hi")];
        assert_eq!(ask(&model(provider, &mock), &hello).await.map(|reply| reply.text), Ok("a".into()));
        assert_eq!(mock.requests()[0].authorization, Some(sent));
        let mock = MockServer::scripted_with(one(), MockOptions { key: Some("another".into()), ..options() });
        let error = ask(&model(provider, &mock), &hello).await.expect_err("a wrong key");
        assert!(matches!(error, ModelError::Authentication { message: Some(_), .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains(KEY));
    }
    let mock = MockServer::scripted(one());
    assert!(ask(&model_with("anthropic", &mock, None), &[Message::user("hi")]).await.is_ok());
}

#[tokio::test]
async fn errors_carry_the_words_of_either_vendor_and_a_busy_one_is_asked_again() {
    for provider in BOTH {
        let busy = vec![Busy::new(529).header("retry-after", "0"), Busy::new(429).header("retry-after", "0")];
        let steps = script(json!([{"reply": {"text": "at last"}}]));
        let mock = MockServer::scripted_with(steps, MockOptions { busy, ..options() });
        let hello = [Message::user("hi")];
        assert_eq!(ask(&model(provider, &mock), &hello).await.map(|reply| reply.text), Ok("at last".into()));
        assert_eq!(mock.requests().len(), 3);
        let mock = MockServer::scripted_with(script(json!([])), options());
        let error = ask(&model(provider, &mock), &hello).await.expect_err("the script is empty");
        assert!(matches!(&error, ModelError::Rejected { status: 400, message } if message.contains("no reply left")));
    }
}

#[tokio::test]
async fn a_reply_at_the_length_limit_and_a_dropped_one_are_cut_off() {
    let long = "abcde".repeat(100);
    for provider in BOTH {
        let limit = script(json!([{"reply": {"text": "a", "cut_off": true}}]));
        let mock = MockServer::scripted_with(limit, options());
        let hello = [Message::user("hi")];
        assert!(ask(&model(provider, &mock), &hello).await.expect("a reply").cut_off, "{provider}");
        let steps = script(json!([{"reply": {"text": long}}]));
        let dropped = MockOptions { drop_after: Some(3000), piece_bytes: 10, ..options() };
        let mock = MockServer::scripted_with(steps, dropped);
        let reply = ask(&model(provider, &mock), &hello).await.expect("a part of a reply");
        assert!(reply.cut_off && !reply.text.is_empty() && long.starts_with(&reply.text), "{provider}: {reply:?}");
    }
}

#[test]
fn each_provider_says_how_it_reveals_tools() {
    let mock = MockServer::scripted(script(json!([])));
    let native = |provider| model(provider, &mock).native();
    assert_eq!(native("anthropic"), Some(NativeTools::References));
    assert_eq!(native("openai-responses"), Some(NativeTools::SearchResult));
    for provider in ["openai", "deepseek", "ollama", "lmstudio"] {
        assert_eq!(native(provider), None);
    }
    assert_eq!(model("anthropic", &mock).max_tools(), 10_000);
}
