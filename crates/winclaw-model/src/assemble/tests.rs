use serde_json::json;

use super::*;
use crate::{Usage, WireCall};

mod cases;
mod cuts;
mod vendors;

/// What a reply and its pieces amount to, for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    reply: ChatReply,
    text: String,
    reasoning: String,
    started: Vec<String>,
}

fn hear(parts: &[&[u8]], conversation: &[Message]) -> Result<Heard, ModelError> {
    let (mut text, mut reasoning, mut started) = (String::new(), String::new(), Vec::new());
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(piece) => text.push_str(piece),
        Delta::Reasoning(piece) => reasoning.push_str(piece),
        Delta::CallStarted { name } => started.push(name.to_owned()),
        Delta::Sent { .. } => {}
    };
    let mut assembler = Assembler::new(Format::Chat, conversation);
    for part in parts {
        assembler.feed(part, &mut sink)?;
    }
    let reply = assembler.finish(&mut sink)?;
    Ok(Heard { reply, text, reasoning, started })
}

fn reply(body: &str) -> ChatReply {
    hear(&[body.as_bytes()], &[]).expect("a reply").reply
}

fn event(delta: Value, finish: Option<&str>) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
}

/// A stream whose deltas hold these pieces of `tool_calls`, one each.
fn stream(pieces: &[Value]) -> String {
    let deltas: String = pieces.iter().map(|piece| event(json!({"tool_calls": [piece]}), None)).collect();
    deltas + &event(json!({}), Some("tool_calls")) + "data: [DONE]\n\n"
}

fn piece(index: Value, id: Value, name: Value, arguments: Value) -> Value {
    let mut piece = json!({"function": {}});
    let mut set = |path: &str, value: Value| {
        if value != json!("ABSENT") {
            let (parent, key) = path.rsplit_once('/').expect("a path");
            piece.pointer_mut(parent).expect("a parent")[key] = value;
        }
    };
    set("/index", index);
    set("/id", id);
    set("/function/name", name);
    set("/function/arguments", arguments);
    piece
}

fn short(calls: &[WireCall]) -> Vec<(&str, &str, &str)> {
    calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect()
}

/// Feeds `pieces` and compares the calls as (id, name, arguments).
fn check(pieces: &[(Value, Value, Value, Value)], expected: &[(&str, &str, &str)]) {
    let pieces: Vec<Value> = pieces.iter().cloned().map(|(i, id, name, args)| piece(i, id, name, args)).collect();
    let reply = reply(&stream(&pieces));
    assert_eq!(short(&reply.calls), expected, "{pieces:#?}");
    assert!(!reply.cut_off);
}

fn no() -> Value {
    json!("ABSENT")
}

#[test]
fn arguments_are_joined_before_they_mean_anything() {
    check(
        &[
            (json!(0), json!("c1"), json!("sky__say"), json!("{\"cmd\":\"say \\")),
            (json!(0), no(), no(), json!("\"hi\\\"")),
            (json!(0), no(), no(), json!("\",\"n\":6")),
            (json!(0), no(), no(), json!("0}")),
        ],
        &[("c1", "sky__say", r#"{"cmd":"say \"hi\"","n":60}"#)],
    );
}

#[test]
fn calls_without_an_index_are_told_apart_by_their_ids() {
    check(&[(no(), json!("c1"), json!("sky"), json!("{}"))], &[("c1", "sky", "{}")]);
    check(
        &[
            (no(), json!("c1"), json!("sky"), json!("{\"a\"")),
            (no(), no(), no(), json!(":1}")),
            (no(), json!("c2"), json!("sky"), json!("{\"a\":2}")),
        ],
        &[("c1", "sky", r#"{"a":1}"#), ("c2", "sky", r#"{"a":2}"#)],
    );
    check(
        &[
            (no(), json!("c1"), json!("sky"), json!("")),
            (no(), json!("c2"), json!("sky"), json!("")),
            (no(), json!("c1"), no(), json!("{\"a\":1}")),
            (no(), json!("c2"), no(), json!("{\"a\":2}")),
        ],
        &[("c1", "sky", r#"{"a":1}"#), ("c2", "sky", r#"{"a":2}"#)],
    );
}

#[test]
fn several_calls_at_one_index_stay_several() {
    let three = |id: fn(&str) -> Value| {
        ["c1", "c2", "c3"].map(|n| (json!(0), id(n), json!("notes__add"), json!(format!("{{\"p\":\"{n}\"}}"))))
    };
    let (a, b, c) = (r#"{"p":"c1"}"#, r#"{"p":"c2"}"#, r#"{"p":"c3"}"#);
    check(&three(|n| json!(n)), &[("c1", "notes__add", a), ("c2", "notes__add", b), ("c3", "notes__add", c)]);
    check(
        &three(|_| no()),
        &[("call_0_0", "notes__add", a), ("call_0_1", "notes__add", b), ("call_0_2", "notes__add", c)],
    );
    check(
        &three(|_| json!("same")),
        &[("same", "notes__add", a), ("call_0_1", "notes__add", b), ("call_0_2", "notes__add", c)],
    );
}

#[test]
fn what_only_goes_on_opens_no_new_call() {
    let expected = [("c1", "sky", r#"{"a":1}"#)];
    let first = |id: Value, arguments: &str| (json!(0), id, json!("sky"), json!(arguments));
    check(&[first(json!("c1"), "{\"a\""), (json!(0), json!(""), no(), json!(":1}"))], &expected);
    check(&[first(json!("c1"), "{\"a\""), (json!(0), json!(""), json!(""), json!(":1}"))], &expected);
    check(&[first(json!("c1"), "{\"a\""), (json!(0), Value::Null, Value::Null, json!(":1}"))], &expected);
    check(&[first(json!("c1"), "{\"a\""), first(json!("c1"), ":1}"), first(json!("c1"), "")], &expected);
    check(&[first(json!("c1"), ""), first(no(), "{\"a\":1}"), first(no(), "")], &expected);
    check(&[first(json!("c1"), ""), (json!(0), json!("c9"), no(), json!("{\"a\":1}"))], &expected);
    check(&[first(no(), "{\"a\""), (json!(0), json!("c1"), no(), json!(":1}"))], &expected);
    check(&[(no(), json!("c1"), json!("sky"), json!("{\"a\"")), (json!(0), json!(""), no(), json!(":1}"))], &expected);
    check(&[(json!(0), json!("c1"), no(), no()), (json!(0), no(), json!("sky"), json!("{\"a\":1}"))], &expected);
    check(
        &[first(json!("c1"), "{}"), (json!(0), no(), no(), json!("{\"a\":")), (json!(0), no(), no(), json!("1}"))],
        &expected,
    );
}

#[test]
fn another_name_is_another_call() {
    check(
        &[(json!(0), no(), json!("sky"), json!("")), (json!(0), no(), json!("map"), json!("{}"))],
        &[("call_0_0", "sky", ""), ("call_0_1", "map", "{}")],
    );
}

#[test]
fn parallel_calls_may_come_interleaved() {
    check(
        &[
            (json!(0), json!("c1"), json!("sky"), json!("")),
            (json!(1), json!("c2"), json!("map"), json!("")),
            (json!(0), no(), no(), json!("{\"a\":1}")),
            (json!("1"), no(), no(), json!("{\"b\":2}")),
        ],
        &[("c1", "sky", r#"{"a":1}"#), ("c2", "map", r#"{"b":2}"#)],
    );
}

#[test]
fn arguments_may_be_an_object_or_nothing() {
    let cases = [(json!({"a": 1}), r#"{"a":1}"#), (Value::Null, ""), (no(), ""), (json!("  "), "  "), (json!(""), "")];
    for (arguments, expected) in cases {
        check(&[(json!(0), json!("c1"), json!("sky"), arguments)], &[("c1", "sky", expected)]);
    }
}

#[test]
fn ids_are_new_in_the_conversation() {
    let before = |ids: &[&str]| {
        let calls = ids.iter().map(|id| WireCall { id: (*id).into(), name: "sky".into(), arguments: "{}".into() });
        vec![Message::Assistant { text: String::new(), reasoning: None, calls: calls.collect(), sealed: Vec::new() }]
    };
    let body = stream(&[piece(json!(0), json!("x:0"), json!("sky"), json!("{}"))]);
    let id = |before: &[Message]| hear(&[body.as_bytes()], before).expect("a reply").reply.calls[0].id.clone();
    assert_eq!(id(&[]), "x:0");
    assert_eq!(id(&before(&["x:0"])), "call_1_0");
    assert_eq!(id(&before(&["x:0", "call_1_0"])), "call_1_0_1");
    let odd = [json!(""), Value::Null, json!("a\u{7}b"), json!("x".repeat(500)), json!(7)];
    for id in odd {
        check(&[(json!(0), id, json!("sky"), json!("{}"))], &[("call_0_0", "sky", "{}")]);
    }
}

#[test]
fn pieces_that_cannot_be_a_call_are_counted() {
    let reply = reply(&stream(&[json!(7), piece(json!(3), json!("c"), no(), json!("{}"))]));
    assert_eq!((reply.calls.len(), reply.skipped_lines), (0, 2));
}

#[test]
fn no_stream_can_make_calls_without_end() {
    let many: Vec<Value> = (0..1100).map(|n| piece(json!(n), no(), json!("sky"), json!("{}"))).collect();
    let reply = reply(&stream(&many));
    assert_eq!((reply.calls.len(), reply.skipped_lines), (1024, 76));
}

#[test]
fn junk_is_passed_over_and_counted() {
    let good = |text: &str| event(json!({"content": text}), None);
    let end = event(json!({}), Some("stop"));
    let cases = [
        (format!("{}data: {{bad\n\n{}{end}", good("a"), good("b")), 1),
        (format!("{}data: {{bad\n{}{end}", good("a"), good("b")), 1),
        (format!("hello\n{}: keep-alive\nevent: x\nid: 1\nretry: 5\n{}{end}", good("a"), good("b")), 1),
        (format!("{}data: 7\n\ndata: []\n\ndata: {{\"ping\":1}}\n\n{}{end}data: [DONE]\n\n", good("a"), good("b")), 3),
        (format!("{}{}{end}data: [DONE]\n\ndata: {{bad\n\n{}", good("a"), good("b"), good("c")), 0),
    ];
    for (body, skipped) in cases {
        let reply = reply(&body);
        assert_eq!((reply.text.as_str(), reply.skipped_lines, reply.cut_off), ("ab", skipped, false), "{body}");
    }
}

#[test]
fn lines_that_are_not_utf8_are_passed_over_and_never_mended() {
    let mut body = event(json!({"content": "北"}), None).into_bytes();
    body.extend_from_slice(b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n");
    body.extend_from_slice(event(json!({"content": "京"}), Some("stop")).as_bytes());
    let reply = hear(&[&body], &[]).expect("a reply").reply;
    assert_eq!((reply.text.as_str(), reply.skipped_lines), ("北京", 1));
}

#[test]
fn one_event_may_spread_over_several_data_lines() {
    let body =
        "data: {\"choices\": [\ndata: {\"delta\": {\"content\": \"a\"}, \"finish_reason\": \"stop\"}\ndata: ]}\n\n";
    let reply = reply(body);
    assert_eq!((reply.text.as_str(), reply.skipped_lines), ("a", 0));
}

#[test]
fn a_reply_that_was_not_finished_says_so() {
    let call = event(
        json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "sky", "arguments": "{\"a\":[1"}}]}),
        None,
    );
    let text = event(json!({"content": "hi"}), None);
    let ended = |reason: &str| event(json!({}), Some(reason));
    let cases = [
        (call.clone(), true),
        (format!("{call}{}", ended("length")), true),
        (format!("{call}{}data: [DONE]\n\n", ended("length")), true),
        (format!("{text}{}", ended("content_filter")), true),
        (format!("{text}{}", ended("insufficient_system_resource")), true),
        (text.clone(), true),
        (format!("{text}{}", ended("stop")), false),
        (format!("{text}data: [DONE]\n\n"), false),
        (format!("{text}{}", ended("tool_calls")), false),
        (format!("{text}data: {{\"choices\":[{{\"delta\""), true),
    ];
    for (body, cut_off) in cases {
        assert_eq!(reply(&body).cut_off, cut_off, "{body}");
    }
    assert_eq!(short(&reply(&call).calls), [("c", "sky", "{\"a\":[1")]);
}

#[test]
fn errors_inside_a_stream_are_errors() {
    let text = event(json!({"content": "hi"}), None);
    let error = "data: {\"error\":{\"message\":\"the pool is full\",\"type\":\"server_error\"}}";
    let list = error.replace("{\"error\"", "[{\"error\"").replace("}}", "}}]");
    let bodies = [
        format!("{text}{error}\n\n{text}"),
        format!("event: error\n{error}\n\n"),
        format!("{text}{error}"),
        format!("{text}{list}\n\n"),
    ];
    for body in bodies {
        let error = hear(&[body.as_bytes()], &[]).expect_err("an error");
        assert_eq!(error, ModelError::Rejected { status: 503, message: "the pool is full".into() }, "{body}");
    }
}

#[test]
fn an_answer_without_a_reply_is_an_error() {
    for body in ["", "\n\n", "data: [DONE]\n\n", "<html>busy</html>", "{", "{\"choices\":[]}", ": keep-alive\n\n"] {
        let error = hear(&[body.as_bytes()], &[]).expect_err(body);
        assert!(matches!(error, ModelError::Protocol { .. }), "{body}: {error:?}");
    }
}

#[test]
fn an_answer_has_a_limit() {
    let megabyte = vec![b'a'; 1024 * 1024];
    let mut assembler = Assembler::new(Format::Chat, &[]);
    let fed = (0..40).try_for_each(|_| assembler.feed(&megabyte, &mut |_| {}));
    assert!(matches!(fed, Err(ModelError::Protocol { .. })), "{fed:?}");
}

#[test]
fn thoughts_parts_refusals_and_costs_are_read() {
    let usage =
        json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 4}});
    let body = [
        event(json!({"role": "assistant", "content": null, "reasoning_content": "h"}), None),
        event(json!({"reasoning": "m", "reasoning_content": null}), None),
        event(json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), None),
        event(json!({"refusal": "c"}), Some("stop")),
        format!("data: {usage}\n\ndata: {}\n\ndata: [DONE]\n\n", json!({"choices": [], "usage": null})),
    ];
    let heard = hear(&[body.concat().as_bytes()], &[]).expect("a reply");
    assert_eq!((heard.reply.text.as_str(), heard.reply.reasoning.as_deref()), ("abc", Some("hm")));
    assert_eq!((heard.text.as_str(), heard.reasoning.as_str()), ("abc", "hm"));
    assert_eq!(heard.reply.usage, Usage { input: Some(9), cached: Some(4), output: Some(3), ..Usage::default() });
}

#[test]
fn only_the_first_of_several_choices_is_heard() {
    let body = "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(reply(body).text, "yes");
}

fn whole() -> String {
    let call =
        json!({"id": "c1", "type": "function", "function": {"name": "sky", "arguments": "{\"city\":\"北京🌧\"}"}});
    let message = json!({"role": "assistant", "content": "好", "tool_calls": [call]});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    serde_json::to_string_pretty(&json!({"choices": [choice], "usage": {"prompt_tokens": 1}})).expect("json")
}

#[test]
fn a_whole_answer_to_a_stream_request_is_read_all_the_same() {
    let heard = hear(&[format!("\u{feff}\n{}\n", whole()).as_bytes()], &[]).expect("a reply");
    assert_eq!(short(&heard.reply.calls), [("c1", "sky", r#"{"city":"北京🌧"}"#)]);
    assert_eq!((heard.text.as_str(), heard.started, heard.reply.cut_off), ("好", vec!["sky".to_owned()], false));
    assert_eq!(heard.reply.usage.input, Some(1));
}

#[test]
fn what_a_filter_stopped_says_so_in_every_format() {
    let refusal = json!({"type": "message", "content": [{"type": "text", "text": "a"}], "stop_reason": "refusal"});
    let incomplete = |reason: &str| {
        json!({"object": "response", "status": "incomplete", "incomplete_details": {"reason": reason},
               "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]})
    };
    let chat = |reason: &str| json!({"choices": [{"message": {"content": "a"}, "finish_reason": reason}]});
    let cases = [
        (Format::Chat, chat("content_filter"), true),
        (Format::Chat, chat("length"), false),
        (Format::Messages, refusal, true),
        (Format::Responses, incomplete("content_filter"), true),
        (Format::Responses, incomplete("max_output_tokens"), false),
    ];
    for (format, body, filtered) in cases {
        let mut assembler = Assembler::new(format, &[]);
        assembler.feed(body.to_string().as_bytes(), &mut |_| {}).expect("fed");
        let reply = assembler.finish(&mut |_| {}).expect("a reply");
        assert_eq!((reply.cut_off, reply.filtered, reply.text.as_str()), (true, filtered, "a"), "{body}");
    }
}
