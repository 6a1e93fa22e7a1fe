use serde_json::json;
use winclaw_model::EmptyContent;

use super::*;

fn sound() -> Value {
    json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "tools": [
            {"type": "function", "function": {"name": "sky__forecast", "description": "d", "parameters": {"type": "object"}}},
            {"type": "function", "function": {"name": "notes__add", "parameters": {"type": "object", "properties": {}}}}
        ],
        "messages": [
            {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "sky__forecast", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "notes__add", "arguments": "{\"x\":1}"}}
            ]},
            {"role": "tool", "tool_call_id": "b", "content": "2"}, {"role": "tool", "tool_call_id": "a", "content": "1"},
            {"role": "assistant", "content": "done"}, {"role": "user", "content": "more"}
        ]
    })
}

fn check_with(change: impl FnOnce(&mut Value), rules: &Rules) -> Result<Accepted, Refusal> {
    let mut body = sound();
    change(&mut body);
    check(Format::Chat, body.to_string().as_bytes(), rules)
}

fn set(path: &str, value: Value) -> impl FnOnce(&mut Value) {
    move |body| *body.pointer_mut(path).expect("a place in the sound body") = value
}

#[test]
fn a_sound_request_is_read_in_full() {
    let accepted = check_with(|_| {}, &Rules::default()).expect("accepted");
    assert_eq!((accepted.model.as_str(), accepted.stream, accepted.usage), ("m", true, true));
    assert_eq!(accepted.request.system, "s");
    assert_eq!(accepted.request.tools.len(), 2);
    assert_eq!(accepted.request.messages.len(), 6);
    assert_eq!(winclaw_model::validate(&accepted.request.messages), Ok(()));
}

#[test]
fn each_rule_of_the_body_and_its_tools_is_held() {
    let many: Vec<Value> = (0..129)
        .map(|n| json!({"type": "function", "function": {"name": format!("t{n}"), "parameters": {"type": "object"}}}))
        .collect();
    let name = "/tools/0/function/name";
    let parameters = "/tools/0/function/parameters";
    let cases = [
        ("/model", json!(""), "model parameter"),
        ("/stream", json!(false), "stream_options"),
        ("/messages", json!([]), "too short"),
        ("/tools", json!([]), "too short"),
        ("/tools", json!({}), "an array"),
        ("/tools", json!(many), "maximum length 128"),
        ("/tools/0/type", json!("tool"), "'function'"),
        (name, json!("sky.forecast"), "pattern"),
        (name, json!("天气"), "pattern"),
        (name, json!("a b"), "pattern"),
        (name, json!(""), "pattern"),
        (name, json!("x".repeat(65)), "maximum length 64"),
        (name, json!("notes__add"), "twice"),
        (parameters, json!({"type": "array"}), "'type: \"object\"'"),
        (parameters, json!({}), "'type: \"object\"'"),
        (parameters, json!({"type": "object", "anyOf": [{}]}), "top level"),
    ];
    refused_for(cases);
}

#[test]
fn each_rule_of_the_conversation_is_held() {
    let call = "/messages/2/tool_calls/0";
    let cases = [
        ("/messages/0/role", json!("robot"), "Supported values"),
        ("/messages/1/content", Value::Null, "a string"),
        ("/messages/3/content", json!({}), "a string"),
        ("/messages/3/tool_call_id", json!("z"), "must be a response"),
        ("/messages/3/tool_call_id", json!("a"), "must be a response"),
        ("/messages/4", json!({"role": "user", "content": "u"}), "must be followed"),
        ("/messages/5", json!({"role": "tool", "tool_call_id": "a", "content": "1"}), "must be a response"),
        ("/messages/5/content", json!(""), "must be set"),
        ("/messages/5/content", Value::Null, "must be set"),
        ("/messages/6", json!({"role": "assistant", "content": "x", "tool_calls": []}), "too short"),
        ("/messages/6", sound()["messages"][2].clone(), "must be followed"),
        ("/messages/2/tool_calls/0/id", json!("b"), "Duplicate"),
        ("/messages/2/tool_calls/0/id", json!(""), "missing"),
        ("/messages/2/tool_calls/0/type", Value::Null, "'function'"),
        ("/messages/2/tool_calls/0/function/name", json!("sky.forecast"), "pattern"),
        ("/messages/2/tool_calls/0/function/arguments", json!({}), "written as a string"),
        ("/messages/2/tool_calls/0/function/arguments", json!("{\"a"), "written as a string"),
        (call, json!(1), "missing"),
    ];
    refused_for(cases);
}

fn refused_for<const N: usize>(cases: [(&str, Value, &str); N]) {
    for (path, value, part) in cases {
        let shown = format!("{path} = {value}");
        let refusal = check_with(set(path, value), &Rules::default()).expect_err(&shown);
        assert_eq!(refusal.status, 400);
        assert!(refusal.message.contains(part), "{shown}: {}", refusal.message);
    }
}

#[test]
fn what_is_no_json_is_refused_in_the_vendors_form() {
    let refusal = check(Format::Chat, b"{", &Rules::default()).expect_err("refused");
    assert_eq!(refusal.body["error"]["type"], "invalid_request_error");
}

#[test]
fn parallel_calls_may_be_ruled_only_with_tools() {
    let ruled = |body: &mut Value| body["parallel_tool_calls"] = json!(true);
    assert!(check_with(ruled, &Rules::default()).is_ok());
    let without_tools = |body: &mut Value| {
        ruled(body);
        body.as_object_mut().expect("an object").remove("tools");
    };
    assert!(check_with(without_tools, &Rules::default()).is_err());
}

#[test]
fn vendors_that_allow_one_way_to_write_no_content_refuse_the_others() {
    type Way = (EmptyContent, fn(&mut Value));
    let ways: [Way; 3] = [
        (EmptyContent::Null, |body| body["messages"][2]["content"] = Value::Null),
        (EmptyContent::Empty, |body| body["messages"][2]["content"] = json!("")),
        (EmptyContent::Omit, |body| {
            body["messages"][2].as_object_mut().expect("an object").remove("content");
        }),
    ];
    for (only, _) in ways {
        let content = Contents {
            null: only == EmptyContent::Null,
            empty: only == EmptyContent::Empty,
            absent: only == EmptyContent::Omit,
        };
        let rules = Rules { content, ..Rules::default() };
        for (form, change) in ways {
            assert_eq!(check_with(change, &rules).is_ok(), form == only, "{form:?} under {only:?}");
            assert!(check_with(change, &Rules::default()).is_ok());
        }
    }
}

#[test]
fn thoughts_are_demanded_or_refused_as_the_vendor_does() {
    let thinking = |body: &mut Value| body["messages"][2]["reasoning_content"] = json!("");
    let rules = |thoughts| Rules { thoughts, ..Rules::default() };
    assert!(check_with(thinking, &rules(Thoughts::Demanded)).is_ok());
    assert!(check_with(thinking, &rules(Thoughts::Refused)).is_err());
    assert!(check_with(|_| {}, &rules(Thoughts::Demanded)).is_err());
    assert!(check_with(|_| {}, &rules(Thoughts::Refused)).is_ok());
}
