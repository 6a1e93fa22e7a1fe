//! How each vendor fails, and that its profile goes on as far as one can: busy servers, refused keys, tools that the vendor
//! takes exception to, streams that break off, and schemas that no two vendors take alike.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Message, ModelChoice, ModelError, Pause, Remote, Script, Timeouts,
};
use winclaw_testkit::{Busy, MockOptions, MockServer, VENDORS, Vendor};
use winclaw_tool::ToolSpec;

const KEY: &str = "sk-test-5f3c9a";
/// Vendors whose refusals do not say which tool.
const NAMELESS: [&str; 2] = ["glm", "kimi"];

fn script(steps: Value) -> Script {
    Script::parse(&json!({"schema": 1, "name": "faults", "steps": steps}).to_string()).expect("a script")
}

fn one(text: &str) -> Script {
    script(json!([{"reply": {"text": text}}]))
}

fn options(vendor: &str) -> MockOptions {
    MockOptions { key: Some(KEY.into()), ..MockOptions::of(vendor) }
}

fn adapter_with(provider: &str, mock: &MockServer, key: &str, stream: bool) -> Remote {
    let choice = ModelChoice {
        base_url: Some(mock.base_url()),
        stream: Some(stream),
        ..ModelChoice::parse(&format!("{provider}/m")).expect("a choice")
    };
    let env = |name: &str| name.ends_with("_API_KEY").then(|| key.to_owned());
    Remote::new(&choice, &env).expect("an adapter")
}

fn adapter(provider: &str, mock: &MockServer) -> Remote {
    adapter_with(provider, mock, KEY, true)
}

fn tool(name: &str, parameters: Value) -> Arc<ToolSpec> {
    Arc::new(ToolSpec { name: name.into(), description: "d".into(), parameters })
}

fn place() -> Value {
    json!({"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]})
}

fn request(tools: Vec<Arc<ToolSpec>>, messages: Vec<Message>) -> ChatRequest {
    let all = [vec![Message::user("hello")], messages].concat();
    ChatRequest { system: "Be brief.".into(), tools, messages: all, ..ChatRequest::default() }
}

fn hello() -> ChatRequest {
    request(vec![tool("sky__forecast", place()), tool("notes__add", place()), tool("mail__send", place())], Vec::new())
}

async fn ask(model: &Remote, request: &ChatRequest) -> Result<ChatReply, ModelError> {
    model.complete(request, &mut |_| {}, &CancellationToken::new()).await
}

/// A pause that waits not at all and writes down how long it should have.
fn recorder() -> (Pause, Arc<Mutex<Vec<Duration>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let to = waits.clone();
    let pause = Pause::new(move |time| {
        to.lock().expect("the waits").push(time);
        Box::pin(async {})
    });
    (pause, waits)
}

/// The time so many seconds from now, as HTTP writes it.
fn http_date(seconds: i64) -> String {
    let then = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
    jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&then).expect("a date")
}

#[tokio::test]
async fn a_busy_vendor_is_waited_for_as_long_as_it_asks_in_seconds_or_until_a_date() {
    for vendor in VENDORS.iter() {
        let date = http_date(20);
        let busy = vec![Busy::new(429).header("retry-after", "7"), Busy::new(429).header("retry-after", &date)];
        let mock = MockServer::scripted_with(one("at last"), MockOptions { busy, ..options(vendor.name) });
        let (pause, waits) = recorder();
        let reply = ask(&adapter(vendor.name, &mock).with_pause(pause), &hello()).await;
        assert_eq!(reply.map(|reply| reply.text), Ok("at last".into()), "{}: {:?}", vendor.name, mock.refusals());
        let waits = waits.lock().expect("the waits").clone();
        assert!(
            waits.len() == 2 && waits[0] >= Duration::from_secs(7) && waits[0] < Duration::from_secs(12),
            "{waits:?}"
        );
        assert!(waits[1] > Duration::from_secs(15) && waits[1] < Duration::from_secs(30), "{}: {waits:?}", vendor.name);
        let bodies: Vec<Vec<u8>> = mock.requests().into_iter().map(|request| request.body).collect();
        assert!(bodies.len() == 3 && bodies.iter().all(|body| *body == bodies[0]), "{}", vendor.name);
    }
}

#[tokio::test]
async fn an_overloaded_vendor_is_asked_again() {
    for (name, status) in [("anthropic", 529), ("openai", 503), ("gemini", 503), ("openrouter", 503), ("glm", 500)] {
        let mock =
            MockServer::scripted_with(one("at last"), MockOptions { busy: vec![Busy::new(status)], ..options(name) });
        let (pause, waits) = recorder();
        let reply = ask(&adapter(name, &mock).with_pause(pause), &hello()).await;
        assert_eq!(reply.map(|reply| reply.text), Ok("at last".into()), "{name}");
        assert_eq!((mock.requests().len(), waits.lock().expect("the waits").len()), (2, 1), "{name}");
    }
}

#[tokio::test]
async fn a_refused_key_is_told_as_that_by_every_vendor() {
    for vendor in VENDORS.iter() {
        let mock = MockServer::scripted_with(one("a"), options(vendor.name));
        let error = ask(&adapter_with(vendor.name, &mock, "sk-wrong-77", true), &hello()).await.expect_err(vendor.name);
        assert!(matches!(error, ModelError::Authentication { message: Some(_), .. }), "{}: {error:?}", vendor.name);
        assert!(!format!("{error} {error:?}").contains("sk-wrong-77"), "{error:?}");
        assert_eq!(mock.requests().len(), 1, "{}", vendor.name);
    }
}

/// Names of tools in a body, whatever its format.
fn names(body: &Value) -> Vec<String> {
    let name = |tool: &Value| tool["function"]["name"].as_str().or(tool["name"].as_str()).map(str::to_owned);
    body["tools"].as_array().into_iter().flatten().filter_map(name).collect()
}

#[tokio::test]
async fn a_tool_that_a_refusal_names_is_dropped_and_the_rest_asked_again_once() {
    for vendor in VENDORS.iter().filter(|vendor| !NAMELESS.contains(&vendor.name)) {
        for stream in [true, false] {
            let refuse_tools = vec!["notes__add".to_owned()];
            let mock = MockServer::scripted_with(one("well"), MockOptions { refuse_tools, ..options(vendor.name) });
            let reply = ask(&adapter_with(vendor.name, &mock, KEY, stream), &hello()).await;
            let reply = reply.unwrap_or_else(|error| panic!("{}: {error}; {:?}", vendor.name, mock.refusals()));
            assert_eq!(reply.text, "well", "{}", vendor.name);
            let left: Vec<&str> = reply.set_aside.iter().map(|aside| aside.tool.as_str()).collect();
            assert_eq!(left, ["notes__add"], "{}", vendor.name);
            assert!(!reply.set_aside[0].why.en.is_empty() && !reply.set_aside[0].why.zh.is_empty());
            let sent: Vec<Vec<String>> = mock.requests().iter().map(|request| names(&request.json())).collect();
            assert_eq!(sent.len(), 2, "{}", vendor.name);
            assert_eq!(sent[1], ["sky__forecast", "mail__send"], "{}", vendor.name);
            // The agent remembers it, and then it costs nothing more.
            let without = ["notes__add".to_owned()].into();
            let later = ask(&adapter(vendor.name, &mock), &ChatRequest { without, ..hello() }).await;
            assert!(matches!(later, Err(ModelError::Rejected { .. })), "the script is at its end: {later:?}");
            assert_eq!(mock.requests().len(), 3, "{}", vendor.name);
        }
    }
}

#[tokio::test]
async fn a_refusal_that_names_no_tool_is_told_and_not_repeated() {
    for (name, words) in NAMELESS.into_iter().zip(["API 调用参数有误", "moonshot flavored json schema"]) {
        let refuse_tools = vec!["notes__add".to_owned()];
        let mock = MockServer::scripted_with(one("well"), MockOptions { refuse_tools, ..options(name) });
        let error = ask(&adapter(name, &mock), &hello()).await.expect_err("refused");
        assert!(
            matches!(&error, ModelError::Rejected { status: 400, message } if message.contains(words)),
            "{error:?}"
        );
        assert_eq!(mock.requests().len(), 1);
    }
}

#[tokio::test]
async fn two_tools_that_refusals_name_are_not_hunted_down_for_ever() {
    let refuse_tools = ["sky__forecast", "notes__add", "mail__send"].map(str::to_owned).to_vec();
    let mock = MockServer::scripted_with(one("well"), MockOptions { refuse_tools, ..options("openai") });
    assert!(ask(&adapter("openai", &mock), &hello()).await.is_err());
    assert!(mock.requests().len() <= 4, "{:?}", mock.refusals());
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_is_no_answer_that_ended_well() {
    let long = one(&"abcde".repeat(40));
    for vendor in VENDORS.iter() {
        let mock = MockServer::scripted_with(
            long.clone(),
            MockOptions { fail_after: Some((12, 503)), ..options(vendor.name) },
        );
        let reply = ask(&adapter(vendor.name, &mock), &hello()).await;
        match reply {
            Ok(reply) => {
                assert!(reply.cut_off && !reply.text.is_empty(), "{}: {reply:?}", vendor.name);
                assert!(reply.broken.is_some(), "{}: {reply:?}", vendor.name);
            }
            Err(error) => assert!(matches!(error, ModelError::Rejected { .. }), "{}: {error:?}", vendor.name),
        }
        assert_eq!(mock.requests().len(), 1, "{}", vendor.name);
    }
}

#[tokio::test]
async fn a_stream_that_stalls_or_breaks_off_is_a_reply_that_says_so() {
    let long = one(&"abcde".repeat(80));
    for vendor in VENDORS.iter() {
        let stalls = MockOptions { stall_after: Some(4000), piece_bytes: 50, ..options(vendor.name) };
        let drops = MockOptions { drop_after: Some(4000), piece_bytes: 50, ..options(vendor.name) };
        for options in [stalls, drops] {
            let mock = MockServer::scripted_with(long.clone(), options);
            let short = Timeouts { idle: Duration::from_millis(200), ..Timeouts::default() };
            let model = adapter(vendor.name, &mock).with_timeouts(short).expect("an adapter");
            let reply = ask(&model, &hello()).await.unwrap_or_else(|error| panic!("{}: {error}", vendor.name));
            assert!(reply.cut_off && !reply.text.is_empty(), "{}: {reply:?}", vendor.name);
        }
    }
}

#[tokio::test]
async fn a_vendor_that_wants_thoughts_is_sent_some_even_where_there_were_none() {
    for name in ["deepseek", "kimi"] {
        let steps = json!([
            {"reply": {"calls": [{"name": "sky__forecast", "arguments": {"place": "x"}}]}},
            {"expect": {"results": 1}, "reply": {"text": "well"}}
        ]);
        let mock = MockServer::scripted_with(script(steps), options(name));
        let model = adapter(name, &mock);
        let ChatReply { text, reasoning, calls, sealed, .. } = ask(&model, &hello()).await.expect("a reply");
        let result = Message::Tool { call_id: calls[0].id.clone(), content: "1".into(), reveals: Vec::new() };
        let said = Message::Assistant { text, reasoning, calls, sealed };
        let last = ask(&model, &request(hello().tools, vec![said, result])).await;
        assert_eq!(last.map(|reply| reply.text), Ok("well".into()), "{name}: {:?}", mock.refusals());
    }
}

#[tokio::test]
async fn a_conversation_may_move_from_any_vendor_to_any_other() {
    let steps = json!([
        {"reply": {"reasoning": "hm", "calls": [{"name": "sky__forecast", "arguments": {"place": "x"}}]}},
    ]);
    let mut told = Vec::new();
    for vendor in VENDORS.iter() {
        let mock = MockServer::scripted_with(script(steps.clone()), options(vendor.name));
        let mut all = hello();
        all.messages.extend(told.iter().cloned());
        let reply = ask(&adapter(vendor.name, &mock), &all).await;
        let ChatReply { text, reasoning, calls, sealed, .. } =
            reply.unwrap_or_else(|error| panic!("{}: {error}; {:?}", vendor.name, mock.refusals()));
        let result = Message::Tool { call_id: calls[0].id.clone(), content: "1".into(), reveals: Vec::new() };
        told.extend([Message::Assistant { text, reasoning, calls, sealed }, result]);
    }
    for vendor in VENDORS.iter() {
        let mock = MockServer::scripted_with(one("well"), options(vendor.name));
        let mut all = hello();
        all.messages.extend(told.iter().cloned());
        let reply = ask(&adapter(vendor.name, &mock), &all).await;
        assert_eq!(reply.map(|reply| reply.text), Ok("well".into()), "{}: {:?}", vendor.name, mock.refusals());
    }
}

/// Schemas as they are met: of generators, of other protocols, and wrong ones.
fn schemas() -> Vec<Value> {
    let text = json!({"type": "string"});
    let of = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    vec![
        json!({}),
        Value::Null,
        json!(true),
        json!({"type": "object"}),
        json!({"properties": {"a": text}}),
        json!({"type": ["object", "null"], "properties": {"a": text}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "title": "T", "type": "object", "properties": {"a": text}, "additionalProperties": false, "examples": [{}]}),
        json!({"anyOf": [{"type": "object", "properties": {"a": text}}, {"type": "object", "properties": {"b": text}}]}),
        json!({"type": "object", "properties": {"a": text}, "anyOf": [{"required": ["a"]}]}),
        json!({"type": "object", "oneOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"type": "object", "properties": {"k": text}}}}),
        json!({"type": "object", "allOf": [{"properties": {"a": text}}, {"properties": {"b": text}, "required": ["b"]}]}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}}),
        json!({"type": "object", "properties": {"h": {"type": "object", "properties": {"x": text}}, "acts": {"type": "array", "items": {"$ref": "#/properties/h"}}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/s.json"}}}),
        json!({"type": "object", "properties": {"a": text}, "required": ["a", "missing"]}),
        json!({"type": "object", "properties": {"a": text}, "required": null}),
        json!({"type": "object", "properties": {"a": text}, "required": "a"}),
        json!({"type": "object", "properties": ["a"]}),
        json!({"type": "array", "items": text}),
        json!("string"),
        of(json!(true)),
        of(json!(false)),
        of(json!({})),
        of(json!("string")),
        of(json!({"description": "any"})),
        of(json!({"type": "array"})),
        of(json!({"type": "array", "items": {}})),
        of(json!({"type": "array", "items": true})),
        of(json!({"type": "array", "items": [text, {"type": "integer"}]})),
        of(json!({"type": "array", "prefixItems": [text], "uniqueItems": true, "contains": text})),
        of(json!({"type": ["string", "null"]})),
        of(json!({"type": ["string", "array", "null"], "items": text})),
        of(json!({"type": "string", "format": "uri", "pattern": "^a", "minLength": 1, "contentEncoding": "base64"})),
        of(json!({"type": "string", "format": "date-time", "default": "x", "examples": ["y"]})),
        of(json!({"type": "integer", "format": "uint32", "minimum": 0, "exclusiveMinimum": 0, "multipleOf": 2})),
        of(json!({"type": "number", "exclusiveMinimum": true, "minimum": 1})),
        of(json!({"enum": ["a", "b"]})),
        of(json!({"enum": [1, 2]})),
        of(json!({"enum": ["a", 1, null]})),
        of(json!({"type": "integer", "enum": [1, 2, 3]})),
        of(json!({"type": "string", "enum": []})),
        of(json!({"const": "x"})),
        of(json!({"type": "string", "const": 7})),
        of(json!({"type": "string", "anyOf": [text, {"type": "string", "format": "uri"}], "description": "d"})),
        of(json!({"oneOf": [{"const": 1}, {"const": 2}], "default": 1, "title": "T"})),
        of(json!({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/x"}]})),
        of(json!({"allOf": [text], "not": {"const": "z"}})),
        of(json!({"type": "object", "additionalProperties": text})),
        of(
            json!({"type": "object", "additionalProperties": {}, "patternProperties": {"^x": text}, "propertyNames": text}),
        ),
        of(json!({"type": "object", "properties": {}, "minProperties": 1})),
        of(json!({"type": "string", "properties": {"b": text}, "required": ["b"]})),
        of(
            json!({"if": {"type": "string"}, "then": text, "else": {"type": "integer"}, "dependentRequired": {"a": ["b"]}}),
        ),
        of(json!({"type": "any"})),
        of(json!({"type": "String"})),
        of(json!({"type": "string", "description": 7, "nullable": true, "deprecated": true, "readOnly": true})),
        json!({"type": "object", "properties": {"a b": text, "城市": text, "$ref": text, "x".repeat(70): text}}),
    ]
}

/// What one tool costs: that tool at most.
#[test]
fn whatever_a_schema_says_the_vendor_takes_the_body() {
    let mut wrong = Vec::new();
    for vendor in VENDORS.iter() {
        let mock = MockServer::scripted_with(one("a"), options(vendor.name));
        for (number, schema) in schemas().into_iter().enumerate() {
            let tools =
                vec![tool("sky__forecast", place()), tool("odd__one", schema.clone()), tool("mail__send", place())];
            let model = adapter(vendor.name, &mock);
            let request = request(tools, Vec::new());
            let body = model.payload(&request);
            if let Err(refusal) = vendor.check(&body) {
                wrong.push(format!("{} {number} {schema}: {}", vendor.name, refusal.message));
            }
            let value: Value = serde_json::from_slice(&body).expect("JSON");
            let sent = names(&value);
            let aside = model.compile(&request);
            assert_eq!(sent.len() + aside.len(), 3, "{} {schema}: {sent:?} {aside:?}", vendor.name);
            assert!(sent.contains(&"sky__forecast".into()) && sent.contains(&"mail__send".into()), "{sent:?}");
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Names that some vendor refuses are sent as others, called by them, and found again.
#[tokio::test]
async fn whatever_a_tool_is_called_the_vendor_takes_the_body_and_calls_find_it() {
    let odd = ["admin.tools.list", "Docker file scanner", "北京天气", "21st_notes", "-x", "ab", &"n".repeat(90)];
    for vendor in VENDORS.iter() {
        let tools: Vec<_> = odd.iter().map(|name| tool(name, place())).collect();
        let all = request(tools, Vec::new());
        let mock = MockServer::scripted_with(one("a"), options(vendor.name));
        let model = adapter(vendor.name, &mock);
        let body = model.payload(&all);
        assert_eq!(vendor.check(&body).map(drop), Ok(()), "{}", vendor.name);
        let sent = names(&serde_json::from_slice(&body).expect("JSON"));
        assert_eq!(sent.len() + model.compile(&all).len(), odd.len(), "{}: {sent:?}", vendor.name);
        let steps = json!([{"reply": {"calls": sent.iter().map(|name| json!({"name": name})).collect::<Vec<_>>()}}]);
        let mock = MockServer::scripted_with(script(steps), options(vendor.name));
        let reply =
            ask(&adapter(vendor.name, &mock), &all).await.unwrap_or_else(|error| panic!("{}: {error}", vendor.name));
        let called: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(called, odd, "{}", vendor.name);
    }
}

#[test]
fn no_profile_sends_more_tools_than_its_vendor_takes() {
    for vendor in VENDORS.iter() {
        let mock = MockServer::scripted_with(one("a"), options(vendor.name));
        let tools = (0..174).map(|n| tool(&format!("tool__{n}"), place())).collect();
        let all = request(tools, Vec::new());
        let model = adapter(vendor.name, &mock);
        let body = model.payload(&all);
        assert_eq!(vendor.check(&body).map(drop), Ok(()), "{}", vendor.name);
        let sent = names(&serde_json::from_slice(&body).expect("JSON")).len();
        assert_eq!(sent + model.compile(&all).len(), 174, "{}", vendor.name);
    }
}

#[test]
fn vendors_are_found_by_name() {
    assert!(VENDORS.iter().all(|vendor| Vendor::of(vendor.name) == Some(vendor)));
}
