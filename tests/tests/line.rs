//! The whole line over HTTP: what the model is really sent, and that what it calls really runs.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use winclaw_testkit::{MockOpenAi, Recorded};
use winclaw_tests::{Room, Run, script};

const REQUEST: &str = "查北京天气，写成 Word 文档";

/// Nothing listens there, so that a tool that asks the network is told at once that there is none.
const NO_NETWORK: (&str, &str) = ("HTTPS_PROXY", "http://127.0.0.1:1");

/// A run of `request` on the model that `server` plays.
fn asked(room: &Room, server: &MockOpenAi, request: &str, arguments: &[&str]) -> Run {
    let run = room.winclaw(&["run", request]).args(arguments);
    run.env("OPENAI_BASE_URL", &server.base_url()).env("OPENAI_API_KEY", "a-key").env(NO_NETWORK.0, NO_NETWORK.1)
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// The result that the model read last.
fn last_result(request: &Recorded) -> String {
    let body = request.json();
    let last = body["messages"].as_array().and_then(|messages| messages.last()).expect("messages");
    assert_eq!(last["role"], "tool", "{last}");
    last["content"].as_str().expect("a result").to_owned()
}

fn names(request: &Recorded) -> Vec<String> {
    let body = request.json();
    let tools = body["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["function"]["name"].as_str().expect("a name").to_owned()).collect()
}

/// `value` as it stands on the wire; that it stands there is checked.
fn bytes_of(request: &Recorded, value: &Value) -> String {
    let text = value.to_string();
    let body = String::from_utf8(request.body.clone()).expect("UTF-8");
    assert!(body.contains(&text), "the body is written otherwise than expected: {body}");
    text
}

/// Tools and system text have the same bytes in every request, and what was once said stays as it was.
fn prefix_is_frozen(requests: &[Recorded]) {
    let parts = |request: &Recorded| {
        let body = request.json();
        let messages = body["messages"].as_array().expect("messages").clone();
        let messages: Vec<String> = messages.iter().map(|message| bytes_of(request, message)).collect();
        (bytes_of(request, &body["tools"]), messages)
    };
    let all: Vec<(String, Vec<String>)> = requests.iter().map(parts).collect();
    assert!(all[0].1[0].contains("\"system\""), "{}", all[0].1[0]);
    for pair in all.windows(2) {
        let ((tools, messages), (next_tools, next_messages)) = (&pair[0], &pair[1]);
        assert_eq!(tools, next_tools, "the tools array changed");
        assert!(next_messages.len() > messages.len(), "nothing was added");
        assert_eq!(messages[..], next_messages[..messages.len()], "what was said before changed");
    }
}

/// The trace has one request record for each body, with its hash and size.
fn trace_tells_the_payload(room: &Room, requests: &[Recorded]) {
    let sha256 = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let sent: Vec<(String, u64)> =
        requests.iter().map(|request| (sha256(&request.body), request.body.len() as u64)).collect();
    let record = |record: &Value| {
        (record["sha256"].as_str().expect("a hash").to_owned(), record["bytes"].as_u64().expect("a size"))
    };
    let told: Vec<(String, u64)> = room.records("request").iter().map(record).collect();
    assert_eq!(told, sent);
}

#[test]
fn the_tools_a_request_needs_are_sent_and_run_and_the_prefix_never_changes() {
    let room = Room::new();
    let server = MockOpenAi::scripted(script(json!([
        {"expect": {"tools": ["weather__forecast", "doc_generator__create"], "messages_contain": REQUEST},
         "reply": {"text": "先查天气。", "calls": [call("weather__forecast", json!({"place": "北京"}))]}},
        {"expect": {"results": 1, "last_contains": ["unavailable", "cannot be reached"]},
         "reply": {"calls": [
            call("doc_generator__create", json!({"markdown": "# 北京天气\n\n没有网络。", "path": "weather.docx"})),
            call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"expect": {"results": 3, "messages_contain": ["weather.docx"], "last_contains": "42"},
         "reply": {"text": "天气服务无法连接，文档已写好。"}}
    ])));
    let done = asked(&room, &server, REQUEST, &["--approve", "writes"]).run().exits(5);
    assert_eq!(server.refusals(), Vec::<String>::new(), "{}", done.told());
    done.clone().says(&["先查天气。\n", "天气服务无法连接，文档已写好。\n"]);
    done.left(&room.work(), "docx");

    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    prefix_is_frozen(&requests);
    trace_tells_the_payload(&room, &requests);
    assert_eq!(room.records("call").len(), 3);
    assert_eq!(room.records("end")[0]["state"], "tool_failed");
}

#[test]
fn a_call_of_an_unshown_tool_is_run_and_its_schema_revealed_once() {
    let room = Room::new();
    let bridged = |expression: &str| {
        let arguments = json!({"name": "calculator.evaluate", "arguments": {"expression": expression}});
        json!([call("tool_call", arguments)])
    };
    let hidden = ["calculator__convert", "calculator__evaluate"];
    let server = MockOpenAi::scripted(script(json!([
        {"expect": {"tools": ["weather__forecast", "doc_generator__create", "tool_call"], "not_tools": hidden},
         "reply": {"calls": [call("calculator__convert", json!({"value": "3 km", "to": "m"}))]}},
        {"expect": {"results": 1, "not_tools": hidden}, "reply": {"calls": bridged("6*7")}},
        {"expect": {"results": 2, "not_tools": hidden}, "reply": {"calls": bridged("40+4")}},
        {"reply": {"text": "3000, 42, 44."}}
    ])));
    let arguments = ["--transport", "bridge", "--window", "16000"];
    let done = asked(&room, &server, REQUEST, &arguments).run().exits(0);
    assert_eq!(server.refusals(), Vec::<String>::new(), "{}", done.told());

    let requests = server.requests();
    let results: Vec<String> = requests[1..].iter().map(last_result).collect();
    let schema = |result: &str| result.contains("\"parameters\"");
    assert!(results[0].contains("3000") && schema(&results[0]) && results[0].contains("calculator__convert"));
    assert!(results[1].contains("42") && results[2].contains("44"), "{results:?}");
    // The second rises with the use of the first, or else when it is called; its schema stands there once.
    let shown = results.iter().map(|result| result.matches("\"name\":\"calculator__evaluate\"").count());
    assert_eq!(shown.sum::<usize>(), 1, "{results:?}");
    assert!(!schema(&results[2]), "shown twice: {}", results[2]);
    prefix_is_frozen(&requests);
    trace_tells_the_payload(&room, &requests);
    let risen: Vec<Value> = room.records("rise").iter().map(|rise| rise["tools"].clone()).collect();
    assert!(risen.contains(&json!(["calculator.convert"])), "{risen:?}");
    let last = room.records("exposure").pop().expect("every call of the model has an exposure");
    let shown: Vec<&Value> = last["shown"].as_array().into_iter().flatten().map(|shown| &shown["tool"]).collect();
    for tool in ["calculator.convert", "calculator.evaluate"] {
        assert!(shown.contains(&&json!(tool)), "{tool} is not shown: {shown:?}");
    }
}

#[test]
fn a_name_that_is_only_similar_is_offered_and_never_run() {
    let room = Room::new();
    let server = MockOpenAi::scripted(script(json!([
        {"reply": {"calls": [call("calculators__evaluate", json!({"expression": "6*7"}))]}},
        {"expect": {"last_contains": "calculator__evaluate"}, "reply": {"text": "."}}
    ])));
    asked(&room, &server, "6*7", &[]).run();
    assert_eq!(server.refusals(), Vec::<String>::new());
    assert!(!last_result(&server.requests()[1]).contains("42"));
    assert_eq!(room.records("call"), Vec::<Value>::new());
}

#[test]
fn whatever_is_called_each_call_gets_its_one_result() {
    let room = Room::new();
    let sum = |number: usize| call("calculator__evaluate", json!({"expression": format!("{number}+1")}));
    let mut calls: Vec<Value> = (0..10).map(sum).collect();
    calls.push(call("calculator__evaluate", json!("{\"expression\": \"1+")));
    calls.push(call("tool_search", json!({"queries": ["weather"]})));
    calls.push(call("no_such_tool", json!({})));
    // The server refuses a conversation in which a call has no result, or two.
    let server = MockOpenAi::scripted(script(json!([
        {"reply": {"text": "many", "calls": calls}},
        {"expect": {"results": 13}, "reply": {"text": "done"}}
    ])));
    let done = asked(&room, &server, "add and add", &["--transport", "bridge"]).run();
    assert_eq!(server.refusals(), Vec::<String>::new(), "{}", done.told());
    assert_eq!(room.records("call").len(), 8, "eight calls run from one reply");
}

#[test]
fn a_forced_direct_transport_sends_every_tool_and_no_bridge() {
    let room = Room::new();
    let server = MockOpenAi::scripted(script(json!([{"reply": {"text": "hello"}}])));
    asked(&room, &server, "hello", &["--transport", "direct"]).run().exits(0).says(&["hello\n"]);
    let sent = names(&server.requests()[0]);
    for plugin in winclaw_tests::shipped() {
        for tool in plugin.manifest["tools"].as_array().expect("tools") {
            let name = format!("{}__{}", plugin.id, tool["name"].as_str().expect("a name"));
            assert!(sent.contains(&name), "{name} is not sent: {sent:?}");
        }
    }
}
