//! Every rule of Messages and Responses: a sound body is accepted, and one that breaks the rule is refused for it.

use serde_json::{Value, json};
use winclaw_model::{Format, Message};
use winclaw_testkit::rules::{Accepted, Refusal, Rules, check};

fn checked(format: Format, body: &Value) -> Result<Accepted, Refusal> {
    check(format, body.to_string().as_bytes(), &Rules::default())
}

/// What the body holds at `path` becomes `value`; `null` takes it away.
fn changed(mut body: Value, path: &str, value: &Value) -> Value {
    let (parent, key) = path.rsplit_once('/').expect("a path");
    let parent = body.pointer_mut(parent).unwrap_or_else(|| panic!("no {path}"));
    match (parent, value) {
        (Value::Object(fields), Value::Null) => drop(fields.remove(key)),
        (Value::Object(fields), value) => drop(fields.insert(key.into(), value.clone())),
        (Value::Array(items), Value::Null) => drop(items.remove(key.parse().expect("a place"))),
        (Value::Array(items), value) if key == "-" => items.push(value.clone()),
        (Value::Array(items), value) => items[key.parse::<usize>().expect("a place")] = value.clone(),
        (other, _) => panic!("{path} leads into {other}"),
    }
    body
}

fn refused_for(format: Format, sound: &Value, cases: &[(&str, Value, &str)]) {
    for (path, value, part) in cases {
        let refusal = checked(format, &changed(sound.clone(), path, value));
        let refusal = refusal.expect_err(&format!("{path} = {value} must be refused"));
        assert_eq!(refusal.status, 400);
        assert!(refusal.message.contains(part), "{path} = {value}: {} lacks {part}", refusal.message);
    }
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "d", "input_schema": {"type": "object", "properties": {}}})
}

fn deferred(name: &str) -> Value {
    changed(tool(name), "/defer_loading", &json!(true))
}

fn call(id: &str, name: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": {}})
}

fn reference(name: &str) -> Value {
    json!({"type": "tool_reference", "tool_name": name})
}

fn result(id: &str, content: Value) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": content})
}

fn messages() -> Value {
    let mark = json!({"type": "ephemeral"});
    let found = json!([reference("sky__forecast")]);
    json!({
        "model": "m", "max_tokens": 100, "stream": true, "cache_control": mark,
        "tools": [tool("tool_search"), tool("notes__add"), deferred("sky__forecast"), deferred("sky__tides")],
        "system": [{"type": "text", "text": "s", "cache_control": mark}],
        "messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, call("a", "tool_search"), call("b", "notes__add")]},
            {"role": "user", "content": [result("b", json!("done")), result("a", found), {"type": "text", "text": "found"}]},
            {"role": "assistant", "content": [call("c", "sky__forecast")]},
            {"role": "user", "content": [result("c", json!([{"type": "text", "text": "rain"}]))]}
        ]
    })
}

#[test]
fn a_sound_request_of_messages_is_read_in_full() {
    let accepted = checked(Format::Messages, &messages()).expect("accepted");
    assert_eq!((accepted.model.as_str(), accepted.stream, accepted.request.system.as_str()), ("m", true, "s"));
    assert_eq!((accepted.request.tools.len(), accepted.request.deferred.len()), (2, 2));
    assert_eq!(winclaw_model::validate(&accepted.request.messages), Ok(()));
    let Message::Tool { call_id, content, reveals } = &accepted.request.messages[3] else { panic!("a result") };
    assert_eq!((call_id.as_str(), content.as_str(), reveals[0].name.as_str()), ("a", "found", "sky__forecast"));
    assert!(accepted.shows("sky__forecast") && accepted.shows("notes__add") && !accepted.shows("sky__tides"));
}

#[test]
fn each_rule_of_messages_for_tools_and_caching_is_held() {
    let mark = json!({"type": "ephemeral"});
    let all = json!([deferred("tool_search"), deferred("sky__forecast")]);
    let many: Vec<Value> = (0..10_001).map(|n| tool(&format!("t{n}"))).collect();
    let name = "/tools/0/name";
    let cases = [
        ("/model", json!(""), "model"),
        ("/max_tokens", Value::Null, "max_tokens"),
        ("/max_tokens", json!(0), "max_tokens"),
        ("/store", json!(false), "Extra inputs"),
        ("/tools", all, "At least one tool must be non-deferred"),
        ("/tools", json!(many), "at most 10000"),
        ("/tools/2/cache_control", mark.clone(), "cannot have both defer_loading=true and cache_control set"),
        ("/tools/0/strictly", json!(true), "Extra inputs"),
        (name, json!("sky.forecast"), "pattern"),
        (name, json!("天气"), "pattern"),
        (name, json!(""), "pattern"),
        (name, json!("x".repeat(129)), "pattern"),
        (name, json!("sky__tides"), "unique"),
        ("/tools/3/input_schema", json!({}), "'object'"),
        ("/tools/3/input_schema", Value::Null, "'object'"),
        ("/tools/3/input_schema/anyOf", json!([{}]), "top level"),
        ("/tools/0/cache_control", json!({"type": "lasting"}), "'ephemeral'"),
        ("/system", json!([{"type": "text", "text": ""}]), "non-empty"),
        ("/system", json!(7), "system"),
    ];
    refused_for(Format::Messages, &messages(), &cases);
    let marked = |body: Value, place: &str| changed(body, place, &mark);
    let three = marked(messages(), "/tools/0/cache_control");
    let four = marked(three, "/tools/1/cache_control");
    assert!(checked(Format::Messages, &four).is_ok());
    let five = marked(four, "/messages/1/content/0/cache_control");
    let refusal = checked(Format::Messages, &five).expect_err("five");
    assert!(refusal.message.contains("maximum of 4 blocks"), "{}", refusal.message);
}

#[test]
fn each_rule_of_messages_for_the_conversation_is_held() {
    let twice = json!([result("c", json!("1")), result("c", json!("2"))]);
    let late = json!([{"type": "text", "text": "x"}, result("c", json!("1"))]);
    let mixed = json!([{"type": "text", "text": "x"}, reference("sky__forecast")]);
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "forged"});
    let cases = [
        ("/messages", json!([]), "at least one message"),
        ("/messages/0", Value::Null, "first message"),
        ("/messages/0/role", json!("system"), "'user' or 'assistant'"),
        ("/messages/0/name", json!("x"), "Extra inputs"),
        ("/messages/0/content", json!(""), "non-empty"),
        ("/messages/0/content", json!(" \n"), "non-whitespace"),
        ("/messages/0/content", json!([]), "non-empty content"),
        ("/messages/1/content", json!([]), "non-empty content"),
        ("/messages/1/content/0/text", json!(""), "non-empty"),
        ("/messages/1/content/0", json!({"type": "image"}), "not expected"),
        ("/messages/1/content/1/id", json!("get:0"), "pattern"),
        ("/messages/1/content/1/id", json!("b"), "unique"),
        ("/messages/3/content/0/id", json!("a"), "unique"),
        ("/messages/1/content/1/name", json!("a b"), "pattern"),
        ("/messages/1/content/1/input", json!("{}"), "an object"),
        ("/messages/1/content/-", thinking.clone(), "Invalid `signature`"),
        ("/messages/2/content/0", Value::Null, "were found without `tool_result` blocks immediately after: b"),
        ("/messages/2", Value::Null, "were found without `tool_result` blocks immediately after"),
        ("/messages/4", Value::Null, "were found without `tool_result` blocks immediately after: c"),
        ("/messages/4/content/0/tool_use_id", json!("z"), "unexpected `tool_use_id`"),
        ("/messages/4/content/0/tool_use_id", json!("b"), "unexpected `tool_use_id`"),
        ("/messages/4/content", twice, "multiple `tool_result` blocks"),
        ("/messages/4/content", late, "must come first"),
        ("/messages/2/content/1/content/0/tool_name", json!("map__find"), "no corresponding tool definition"),
        ("/messages/2/content/1/content/0/tool_name", json!("notes__add"), "must have defer_loading"),
        ("/messages/2/content/1/content", mixed, "stand alone"),
        ("/messages/2/content/1/content", json!([{"type": "text", "text": ""}]), "non-empty"),
        ("/messages/2/content/1/content", json!(7), "a string or a list"),
        ("/messages/-", json!({"role": "assistant", "content": "x"}), "must end with a user message"),
        ("/messages/-", json!({"role": "assistant", "content": [call("d", "notes__add")]}), "immediately after: d"),
    ];
    refused_for(Format::Messages, &messages(), &cases);
}

#[test]
fn signed_thoughts_may_stand_anywhere_but_last() {
    let hidden = json!({"type": "redacted_thinking", "data": "x"});
    let before = changed(messages(), "/messages/3/content", &json!([hidden, call("c", "sky__forecast")]));
    let accepted = checked(Format::Messages, &before).expect("accepted");
    let Message::Assistant { sealed, .. } = &accepted.request.messages[4] else { panic!("the model's") };
    assert_eq!((sealed[0].before, &sealed[0].block), (0, &hidden));
    let bare = changed(messages(), "/messages/3/content/-", &json!({"type": "redacted_thinking"}));
    assert!(checked(Format::Messages, &bare).is_err());
}

fn function(name: &str) -> Value {
    json!({"type": "function", "name": name, "description": "d", "strict": false, "parameters": {"type": "object", "properties": {}}})
}

fn found(name: &str) -> Value {
    changed(function(name), "/defer_loading", &json!(true))
}

fn said(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": text})
}

fn function_call(id: &str, name: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{}"})
}

fn output(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "1"})
}

fn search(id: &str) -> Value {
    json!({"type": "tool_search_call", "call_id": id, "execution": "client", "status": "completed", "arguments": {}})
}

fn searched(id: &str, tools: &[Value]) -> Value {
    json!({"type": "tool_search_output", "call_id": id, "execution": "client", "status": "completed", "tools": tools})
}

fn responses() -> Value {
    json!({
        "model": "m", "stream": true, "store": false, "include": ["reasoning.encrypted_content"], "instructions": "s",
        "tools": [
            {"type": "tool_search", "execution": "client", "description": "d", "parameters": {"type": "object"}},
            function("notes__add")
        ],
        "input": [
            said("user", "u"), said("assistant", "a"), search("a"), function_call("b", "notes__add"),
            output("b"), searched("a", &[found("sky__forecast")]), said("user", "found"),
            function_call("c", "sky__forecast"), output("c")
        ]
    })
}

#[test]
fn a_sound_request_of_responses_is_read_in_full() {
    let accepted = checked(Format::Responses, &responses()).expect("accepted");
    assert_eq!((accepted.model.as_str(), accepted.stream, accepted.request.system.as_str()), ("m", true, "s"));
    assert_eq!((accepted.request.tools.len(), accepted.request.messages.len()), (2, 6));
    assert_eq!(winclaw_model::validate(&accepted.request.messages), Ok(()));
    let Message::Tool { call_id, content, reveals } = &accepted.request.messages[3] else { panic!("a result") };
    assert_eq!((call_id.as_str(), content.as_str(), reveals[0].name.as_str()), ("a", "found", "sky__forecast"));
    assert!(accepted.shows("sky__forecast") && !accepted.shows("sky__tides"));
    let alone = changed(responses(), "/input", &json!("hi"));
    assert_eq!(checked(Format::Responses, &alone).expect("accepted").request.messages.len(), 1);
}

#[test]
fn each_rule_of_responses_for_tools_is_held() {
    let many: Vec<Value> = (0..129).map(|n| function(&format!("t{n}"))).collect();
    let name = "/tools/1/name";
    let cases = [
        ("/model", Value::Null, "model parameter"),
        ("/max_tokens", json!(7), "Unknown parameter: 'max_tokens'"),
        ("/tools", json!(many), "array too long"),
        ("/tools/1/type", json!("custom"), "tools[1].type"),
        ("/tools/1/function", json!({}), "Unknown parameter"),
        (name, json!("sky.forecast"), "pattern"),
        (name, json!("x".repeat(65)), "maximum length 64"),
        (name, json!("tool_search"), "twice"),
        ("/tools/1/parameters", json!({"type": "array"}), "type: \"object\""),
        ("/tools/1/parameters/oneOf", json!([]), "top level"),
        ("/tools/1/strict", Value::Null, "'additionalProperties' is required"),
        ("/tools/1/strict", json!(true), "'additionalProperties' is required"),
        ("/tools/0/execution", Value::Null, "execution"),
        ("/tools/0/description", Value::Null, "description"),
        ("/tools/0/parameters", Value::Null, "type: \"object\""),
        ("/tools/0/name", json!("x"), "Unknown parameter"),
        ("/tools", json!([found("notes__add")]), "Deferred tools require tools.tool_search"),
        ("/tools/0", Value::Null, "needs the tool_search tool"),
    ];
    refused_for(Format::Responses, &responses(), &cases);
}

#[test]
fn each_rule_of_responses_for_the_conversation_is_held() {
    let reasoning = |proof: Value| json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": proof});
    let strange = json!({"type": "message", "role": "robot", "content": "x"});
    let cases = [
        ("/input", json!([]), "'input'"),
        ("/input/0", strange, "role"),
        ("/input/0/content", json!(7), "content"),
        ("/input/0/name", json!("x"), "Unknown parameter"),
        ("/input/0/type", json!("odd"), "'odd'"),
        ("/input/2/arguments", json!("{}"), "expected an object"),
        ("/input/2/execution", json!("server"), "execution"),
        ("/input/2/call_id", json!(""), "1 to 64"),
        ("/input/2/call_id", json!("x".repeat(65)), "1 to 64"),
        ("/input/3/call_id", json!("a"), "Duplicate call_id"),
        ("/input/3/name", json!("a b"), "pattern"),
        ("/input/3/arguments", json!({}), "expected a string"),
        ("/input/4", Value::Null, "No tool output found for function call b"),
        ("/input/4/call_id", json!("z"), "No tool call found"),
        ("/input/4/call_id", json!("a"), "No tool call found for function call output"),
        ("/input/4/output", Value::Null, "output"),
        ("/input/5", Value::Null, "No tool output found for tool search call a"),
        ("/input/2", Value::Null, "No tool call found for tool search call output with call_id a"),
        ("/input/5/call_id", Value::Null, "No tool call found for tool search call output"),
        ("/input/5/call_id", json!("b"), "No tool call found for tool search call output"),
        ("/input/5/tools", Value::Null, "tools"),
        ("/input/5/execution", Value::Null, "execution"),
        ("/input/5/tools/0/defer_loading", Value::Null, "defer_loading"),
        ("/input/5/tools/0/strict", Value::Null, "'additionalProperties' is required"),
        ("/input/5/tools/0/name", json!("sky.forecast"), "pattern"),
        ("/input/5", output("b"), "Duplicate output"),
        ("/input/8", Value::Null, "No tool output found for function call c"),
        ("/input/-", said("assistant", "x"), "must end"),
        ("/input/-", reasoning(json!("sealed-cbf29ce484222325")), "without its required following item"),
        ("/input/1", reasoning(json!("forged")), "could not be verified"),
        ("/input/1", reasoning(Value::Null), "not persisted"),
    ];
    refused_for(Format::Responses, &responses(), &cases);
    // The output of a search comes before the search.
    let mut turned = responses();
    turned["input"].as_array_mut().expect("items").swap(2, 5);
    assert!(checked(Format::Responses, &turned).is_err());
}

#[test]
fn thoughts_that_something_follows_are_accepted_and_keep_their_place() {
    let thoughts =
        json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "sealed-cbf29ce484222325"});
    let mut body = responses();
    body["input"].as_array_mut().expect("items").insert(7, thoughts.clone());
    let accepted = checked(Format::Responses, &body).expect("accepted");
    let Message::Assistant { sealed, .. } = &accepted.request.messages[4] else { panic!("the model's") };
    assert_eq!((sealed[0].before, &sealed[0].block), (1, &thoughts));
}

#[test]
fn refusals_have_the_vendors_shape() {
    let messages = check(Format::Messages, b"{", &Rules::default()).expect_err("refused").body;
    assert_eq!((&messages["type"], &messages["error"]["type"]), (&json!("error"), &json!("invalid_request_error")));
    let responses = check(Format::Responses, b"{", &Rules::default()).expect_err("refused").body;
    assert_eq!((responses.get("type"), &responses["error"]["type"]), (None, &json!("invalid_request_error")));
}
