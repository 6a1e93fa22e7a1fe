//! Each vendor's profile completes a task of several steps, each of which needs what the step before gave, against the
//! server that holds that vendor's rules and answers in its dialect, streaming and not.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_model::{ChatModel, ChatReply, ChatRequest, Message, ModelChoice, Remote, Script, WireCall};
use winclaw_testkit::{Arguments, CallIds, Continued, Index, MockOptions, MockServer, TextCalls, VENDORS};
use winclaw_tool::ToolSpec;

const KEY: &str = "sk-test-5f3c9a";

/// Two places at once, then a forecast that needs both ids, then a note that needs the forecast, then the answer.
fn errand() -> Script {
    let place = |name: &str| json!({"name": "sky__place", "arguments": {"name": name, "quote": "say \"hi\""}});
    let steps = json!([
        {"expect": {"tools": ["sky__place", "sky__forecast", "notes__add"], "results": 0},
         "reply": {"text": "先找地点🌧。", "reasoning": "想一想🌧", "calls": [place("北京"), place("Oslo")]}},
        {"expect": {"results": 2},
         "reply": {"reasoning": "now the sky", "calls": [{"name": "sky__forecast", "arguments": {"from": "{{result:0:/id}}", "to": "{{result:1:/id}}"}}]}},
        {"expect": {"results": 3, "last_contains": "degrees"},
         "reply": {"reasoning": "write it down", "calls": [{"name": "notes__add", "arguments": {"lines": ["{{result:2:/degrees}}", "北京🌧"]}}]}},
        {"expect": {"results": 4, "last_contains": "saved"}, "reply": {"text": "{{result:3:/saved}} 行：{{result:2:/degrees}} °C🌧"}}
    ]);
    Script::parse(&json!({"schema": 1, "name": "errand", "steps": steps}).to_string()).expect("a script")
}

fn tool(name: &str, properties: Value) -> Arc<ToolSpec> {
    let parameters = json!({"type": "object", "properties": properties});
    Arc::new(ToolSpec { name: name.into(), description: "d".into(), parameters })
}

fn tools() -> Vec<Arc<ToolSpec>> {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    vec![
        tool("sky__place", json!({"name": text, "quote": text})),
        tool("sky__forecast", json!({"from": number, "to": number})),
        tool("notes__add", json!({"lines": {"type": "array", "items": {}}})),
        // A tool without arguments, which some vendors want written in another way.
        tool("clock__now", json!({})),
    ]
}

/// What the tools give: each result depends on its arguments.
fn run(call: &WireCall) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).expect("arguments in JSON");
    let result = match call.name.as_str() {
        "sky__place" => {
            assert_eq!(arguments["quote"], "say \"hi\"");
            json!({"id": arguments["name"].as_str().expect("a name").chars().count()})
        }
        "sky__forecast" => {
            json!({"degrees": arguments["from"].as_i64().expect("an id") * 10 + arguments["to"].as_i64().expect("an id")})
        }
        "notes__add" => json!({"saved": arguments["lines"].as_array().expect("lines").len()}),
        other => panic!("no tool {other}"),
    };
    result.to_string()
}

fn adapter(provider: &str, mock: &MockServer, stream: bool) -> Remote {
    let choice = ModelChoice {
        base_url: Some(mock.base_url()),
        stream: Some(stream),
        ..ModelChoice::parse(&format!("{provider}/m")).expect("a choice")
    };
    let env = |name: &str| name.ends_with("_API_KEY").then(|| KEY.to_owned());
    Remote::new(&choice, &env).expect("an adapter")
}

/// What was said over a whole task.
struct Told {
    replies: Vec<ChatReply>,
    messages: Vec<Message>,
}

/// Runs the errand to its end.
async fn task(model: &Remote, mock: &MockServer) -> Told {
    let mut told = Told { replies: Vec::new(), messages: vec![Message::user("查北京和 Oslo 的天气🌧")] };
    loop {
        let request = ChatRequest {
            system: "Be brief.".into(),
            tools: tools(),
            messages: told.messages.clone(),
            ..ChatRequest::default()
        };
        let reply = model.complete(&request, &mut |_| {}, &CancellationToken::new()).await;
        let reply = reply.unwrap_or_else(|error| panic!("{error}; refused: {:#?}", mock.refusals()));
        assert!(!reply.cut_off && reply.set_aside.is_empty(), "{reply:?}");
        let ChatReply { text, reasoning, calls, sealed, .. } = reply.clone();
        told.replies.push(reply);
        let results: Vec<Message> = calls
            .iter()
            .map(|call| Message::Tool { call_id: call.id.clone(), content: run(call), reveals: Vec::new() })
            .collect();
        told.messages.push(Message::Assistant { text, reasoning, calls, sealed });
        if results.is_empty() {
            return told;
        }
        told.messages.extend(results);
    }
}

/// The task ended well, and every body was accepted.
fn ended_well(told: &Told, mock: &MockServer, which: &str) {
    assert_eq!(mock.refusals(), Vec::<String>::new(), "{which}");
    assert_eq!(told.replies.iter().map(|reply| reply.calls.len()).collect::<Vec<_>>(), [2, 1, 1, 0], "{which}");
    assert_eq!(told.replies[3].text, "2 行：24 °C🌧", "{which}");
    assert_eq!(winclaw_model::validate(&told.messages[..told.messages.len() - 1]), Ok(()), "{which}");
    let ids: Vec<&str> = told.replies.iter().flat_map(|reply| &reply.calls).map(|call| call.id.as_str()).collect();
    let different: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), different.len(), "{which}: {ids:?}");
}

fn options(vendor: &str) -> MockOptions {
    MockOptions { key: Some(KEY.into()), ..MockOptions::of(vendor) }
}

#[tokio::test]
async fn every_profile_completes_a_task_of_several_steps_streaming_and_not() {
    for vendor in VENDORS.iter() {
        for stream in [true, false] {
            let which = format!("{} stream={stream}", vendor.name);
            let mock = MockServer::scripted_with(errand(), options(vendor.name));
            let told = task(&adapter(vendor.name, &mock, stream), &mock).await;
            ended_well(&told, &mock, &which);
            let requests = mock.requests();
            assert!(requests.iter().all(|request| request.path == vendor.path()), "{which}");
            assert!(
                requests.iter().all(|request| request.json()["stream"].as_bool().unwrap_or(false) == stream),
                "{which}"
            );
            let usage = &told.replies[1].usage;
            assert!(
                usage.input.is_some_and(|input| input > 0) && usage.output.is_some_and(|output| output > 0),
                "{which}: {usage:?}"
            );
            assert_eq!(told.replies[0].text, "先找地点🌧。", "{which}");
            assert!(
                told.replies[0].reasoning.as_deref().is_some_and(|thoughts| thoughts == "想一想🌧"),
                "{which}: {:?}",
                told.replies[0]
            );
        }
    }
}

#[tokio::test]
async fn cached_tokens_are_read_from_every_vendor_that_counts_them() {
    for name in ["openai", "deepseek", "openrouter", "qwen", "kimi", "glm", "anthropic", "openai-responses"] {
        for stream in [true, false] {
            let mock = MockServer::scripted_with(errand(), options(name));
            let told = task(&adapter(name, &mock, stream), &mock).await;
            let usage = &told.replies[2].usage;
            assert!(usage.cached.is_some_and(|cached| cached > 20), "{name} stream={stream}: {usage:?}");
        }
    }
}

#[tokio::test]
async fn every_profile_works_however_the_stream_is_cut() {
    for vendor in VENDORS.iter() {
        for piece_bytes in [1, 7] {
            let mock = MockServer::scripted_with(errand(), MockOptions { piece_bytes, ..options(vendor.name) });
            let told = task(&adapter(vendor.name, &mock, true), &mock).await;
            ended_well(&told, &mock, &format!("{} in pieces of {piece_bytes}", vendor.name));
        }
    }
}

/// A dialect that no vendor has whole, made of what each was seen to do.
fn odd(change: impl FnOnce(&mut MockOptions)) -> MockOptions {
    let mut options = options("openai");
    change(&mut options);
    options
}

#[tokio::test]
async fn odd_dialects_give_the_same_task() {
    let dialects = [
        ("missing index, pieces", odd(|it| it.dialect.index = Index::Missing)),
        (
            "index 0 for all, whole",
            odd(|it| (it.dialect.index, it.dialect.arguments) = (Index::Zero, Arguments::Whole)),
        ),
        ("index 0 for all, pieces", odd(|it| it.dialect.index = Index::Zero)),
        ("arguments as object", odd(|it| it.dialect.arguments = Arguments::Object)),
        ("ids empty", odd(|it| it.dialect.ids = CallIds::Empty)),
        ("ids from the beginning", odd(|it| it.dialect.ids = CallIds::Counted)),
        ("ids by name", odd(|it| it.dialect.ids = CallIds::ByName)),
        ("empty ids go on", odd(|it| it.dialect.continued = Continued::Empty)),
        ("no [DONE]", odd(|it| it.dialect.done = false)),
        ("CRLF and no gap", odd(|it| (it.dialect.line_end, it.dialect.gap) = ("\r\n", ""))),
        ("junk lines", odd(|it| it.garbage = vec!["data: {bad".into(), ": keep-alive".into(), "id: 7".into()])),
        ("never streams", odd(|it| it.never_stream = true)),
    ];
    for (which, options) in dialects {
        for stream in [true, false] {
            let mock = MockServer::scripted_with(errand(), options.clone());
            let told = task(&adapter("openai", &mock, stream), &mock).await;
            ended_well(&told, &mock, which);
        }
    }
}

#[tokio::test]
async fn calls_that_a_local_model_writes_as_text_are_calls() {
    for name in ["ollama", "lmstudio", "deepseek"] {
        for how in [TextCalls::Dsml, TextCalls::Tags, TextCalls::Fenced] {
            for stream in [true, false] {
                let which = format!("{name} {how:?} stream={stream}");
                let mock = MockServer::scripted_with(errand(), MockOptions { as_text: Some(how), ..options(name) });
                let told = task(&adapter(name, &mock, stream), &mock).await;
                ended_well(&told, &mock, &which);
                assert_eq!(
                    told.replies.iter().map(|reply| reply.text_calls).collect::<Vec<_>>(),
                    [2, 1, 1, 0],
                    "{which}"
                );
                let said: String = told.replies.iter().map(|reply| reply.text.as_str()).collect();
                assert!(
                    !said.contains("DSML") && !said.contains("tool_call") && !said.contains("```"),
                    "{which}: {said}"
                );
            }
        }
    }
}

/// OpenRouter: what it says twice goes back once, whole.
#[tokio::test]
async fn details_of_thoughts_go_back_as_they_came() {
    for stream in [true, false] {
        let mock = MockServer::scripted_with(errand(), options("openrouter"));
        task(&adapter("openrouter", &mock, stream), &mock).await;
        let last = mock.requests()[3].json();
        let said =
            last["messages"].as_array().expect("messages").iter().filter(|message| message["role"] == "assistant");
        let told: Vec<String> = said
            .map(|message| {
                let details =
                    message["reasoning_details"].as_array().unwrap_or_else(|| panic!("no details: {message}"));
                assert!(details.iter().all(|detail| detail["type"] == "reasoning.text"), "{message}");
                details.iter().map(|detail| detail["text"].as_str().expect("text")).collect()
            })
            .collect();
        assert_eq!(told, ["想一想🌧", "now the sky", "write it down"], "stream={stream}");
    }
}
