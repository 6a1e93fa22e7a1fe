//! Reported faults of streams, each with its input, cut and broken off at every byte.

use std::sync::Arc;

use serde_json::{Value, json};
use winclaw_tool::ToolSpec;

use super::*;
use crate::wire::chat_body;

fn request() -> ChatRequest {
    let spec =
        |name: &str, parameters: Value| Arc::new(ToolSpec { name: name.into(), description: "d".into(), parameters });
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tools = vec![
        spec("sky__forecast", city),
        spec("notes.add", json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}})),
        spec("clock__now", json!({"type": "object", "properties": {}})),
    ];
    ChatRequest { tools, messages: vec![Message::user("x")], ..ChatRequest::default() }
}

fn listen(parts: &[&[u8]]) -> Result<Heard, ModelError> {
    let (mut text, mut reasoning, mut started) = (String::new(), String::new(), Vec::new());
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(piece) => text.push_str(piece),
        Delta::Reasoning(piece) => reasoning.push_str(piece),
        Delta::CallStarted { name } => started.push(name.to_owned()),
        Delta::Sent { .. } => {}
    };
    let mut assembler = Assembler::for_request(Profile::of("openai").expect("a profile"), &request());
    for part in parts {
        assembler.feed(part, &mut sink)?;
    }
    let reply = assembler.finish(&mut sink)?;
    Ok(Heard { reply, text, reasoning, started })
}

/// The reply to a body, which is the same however it is cut; and whatever of it comes, nothing runs that it did not hold.
fn everywhere(body: &str) -> Heard {
    let bytes = body.as_bytes();
    let whole = listen(&[bytes]).expect("a reply");
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(listen(&[head, tail]).as_ref(), Ok(&whole), "cut at {cut}");
        let Ok(part) = listen(&[head]) else { continue };
        assert_eq!(part.text, part.reply.text, "broken off at {cut}");
        assert!(!part.text.contains('\u{fffd}') && !part.text.contains("DSML"), "broken off at {cut}: {part:?}");
        let open = usize::from(part.reply.cut_off && part.reply.text_calls == 0);
        let finished = part.reply.calls.len().saturating_sub(open);
        for call in part.reply.calls.iter().take(finished) {
            assert!(
                whole.reply.calls.iter().any(|other| other.arguments == call.arguments),
                "broken off at {cut}: {call:?}"
            );
        }
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(listen(&single), Ok(whole.clone()));
    whole
}

fn calls(body: &str) -> Vec<(String, Value)> {
    let read = |call: &WireCall| (call.name.clone(), serde_json::from_str(&call.arguments).expect("an object"));
    everywhere(body).reply.calls.iter().map(read).collect()
}

fn said(deltas: &[&str], finish: &str) -> String {
    let deltas: String = deltas.iter().map(|text| event(json!({"content": text}), None)).collect();
    deltas + &event(json!({}), Some(finish)) + "data: [DONE]\n\n"
}

#[test]
fn d01_arguments_are_read_once_when_the_call_closes() {
    let first = piece(json!(0), json!("c1"), json!("sky__forecast"), json!("{\"cmd\":\"say \\"));
    let more = ["\"hi\\\"", "\",\"n\":6", "0}"].map(|arguments| piece(json!(0), no(), no(), json!(arguments)));
    let body = stream(&std::iter::once(first).chain(more).collect::<Vec<_>>());
    assert_eq!(calls(&body), [("sky__forecast".to_owned(), json!({"cmd": "say \"hi\"", "n": 60}))]);
}

#[test]
fn d02_a_piece_without_an_index_is_a_call() {
    let body = stream(&[piece(no(), json!("c1"), json!("sky__forecast"), json!("{}"))]);
    assert_eq!(calls(&body), [("sky__forecast".to_owned(), json!({}))]);
}

#[test]
fn d03_three_calls_at_index_0_are_three() {
    let three = [("c1", "a"), ("c2", "b"), ("c3", "c")];
    let pieces =
        three.map(|(id, p)| piece(json!(0), json!(id), json!("notes.add"), json!(json!({"p": p}).to_string())));
    let expected = three.map(|(_, p)| ("notes.add".to_owned(), json!({"p": p})));
    assert_eq!(calls(&stream(&pieces)), expected);
}

#[test]
fn d04_an_empty_id_goes_on_with_the_call() {
    let pieces = [
        piece(json!(0), json!("c1"), json!("sky__forecast"), json!("{\"a\"")),
        piece(json!(0), json!(""), no(), json!(":1}")),
    ];
    assert_eq!(calls(&stream(&pieces)), [("sky__forecast".to_owned(), json!({"a": 1}))]);
}

#[test]
fn d05_no_arguments_are_an_empty_object_in_the_history() {
    for none in [json!(""), Value::Null, json!("   "), no(), json!({})] {
        let reply = everywhere(&stream(&[piece(json!(0), json!("c1"), json!("clock__now"), none)])).reply;
        let calls = reply.calls;
        assert!(["", "{}"].contains(&calls[0].arguments.trim()), "{calls:?}");
        let said = Message::Assistant { text: String::new(), reasoning: None, calls, sealed: Vec::new() };
        let request = ChatRequest { messages: vec![said], ..ChatRequest::default() };
        let body = chat_body(&request, "m", Profile::of("openai").expect("a profile"), true);
        assert_eq!(body["messages"][0]["tool_calls"][0]["function"]["arguments"], "{}");
    }
}

#[test]
fn d06_arguments_that_were_cut_off_are_never_mended() {
    let raw = "{\"commands\":[\"npm install\",\"npm test\"";
    let call = event(json!({"tool_calls": [piece(json!(0), json!("c1"), json!("notes.add"), json!(raw))]}), None);
    let reply = everywhere(&(call + &event(json!({}), Some("length")) + "data: [DONE]\n\n")).reply;
    assert_eq!((reply.cut_off, reply.calls[0].arguments.as_str()), (true, raw));
}

const DSML: [&str; 4] = [
    "hello<｜DS",
    "ML｜tool_calls><｜DSML｜invoke name=\"sky__forecast\">",
    "<｜DSML｜parameter name=\"city\" string=\"true\">北京</｜DSML｜para",
    "meter></｜DSML｜invoke></｜DSML｜tool_calls>",
];

#[test]
fn d07_markup_becomes_a_call_or_one_clear_error_and_is_never_an_answer() {
    let heard = everywhere(&said(&DSML, "stop"));
    assert_eq!((heard.text.as_str(), heard.started.as_slice()), ("hello", ["sky__forecast".to_owned()].as_slice()));
    assert_eq!((heard.reply.text_calls, heard.reply.calls.len(), heard.reply.cut_off), (1, 1, false));
    assert_eq!(heard.reply.calls[0].arguments, r#"{"city":"北京"}"#);
    let unknown: Vec<String> = DSML.iter().map(|text| text.replace("sky__forecast", "sky__gone")).collect();
    let unknown: Vec<&str> = unknown.iter().map(String::as_str).collect();
    let heard = everywhere(&said(&unknown, "stop"));
    let unread = heard.reply.unread.expect("an error");
    assert_eq!((heard.text.as_str(), heard.reply.calls.len(), heard.reply.cut_off), ("hello", 0, false));
    assert!(unread.en.contains("`sky__gone`") && unread.zh.contains("sky__gone"), "{unread:?}");
    let heard = everywhere(&said(&DSML[..3], "length"));
    assert_eq!((heard.text.as_str(), heard.reply.calls.len()), ("hello", 0));
    assert!(heard.reply.unread.is_some() && heard.reply.cut_off);
}

#[test]
fn d07_a_call_both_made_and_written_is_one() {
    let made = piece(json!(0), json!("c1"), json!("sky__forecast"), json!("{\"city\":\"北京\"}"));
    let body: String = DSML.iter().map(|text| event(json!({"content": text}), None)).collect();
    let body = body + &stream(&[made]);
    let reply = everywhere(&body).reply;
    assert_eq!((reply.calls.len(), reply.calls[0].id.as_str(), reply.text_calls), (1, "c1", 0));
    let other = piece(json!(0), json!("c1"), json!("sky__forecast"), json!("{\"city\": \"上海\"}"));
    let body: String = DSML.iter().map(|text| event(json!({"content": text}), None)).collect();
    let reply = everywhere(&(body + &stream(&[other]))).reply;
    assert_eq!((reply.calls.len(), reply.text_calls), (2, 1));
}

#[test]
fn d08_characters_are_whole_wherever_the_bytes_are_cut() {
    let body = stream(&[piece(json!(0), json!("c1"), json!("sky__forecast"), json!("{\"city\":\"北京🌧\"}"))]);
    assert_eq!(calls(&body), [("sky__forecast".to_owned(), json!({"city": "北京🌧"}))]);
    assert_eq!(everywhere(&said(&["北", "京🌧", "是"], "stop")).text, "北京🌧是");
}

#[test]
fn d09_a_line_that_cannot_be_read_is_passed_over_and_counted() {
    let good = |text: &str| event(json!({"content": text}), None);
    let body = format!("{}data: {{bad\n\n{}{}", good("a"), good("b"), event(json!({}), Some("stop")));
    let heard = everywhere(&body);
    assert_eq!((heard.text.as_str(), heard.reply.skipped_lines, heard.reply.cut_off), ("ab", 1, false));
}

#[test]
fn calls_come_back_under_the_tools_own_names() {
    let profile = Profile::of("openai").expect("a profile");
    let body = chat_body(&request(), "m", profile, true);
    let wire = body["tools"][1]["function"]["name"].as_str().expect("a name");
    assert_ne!(wire, "notes.add");
    let heard = everywhere(&stream(&[piece(json!(0), json!("c1"), json!(wire), json!("{}"))]));
    assert_eq!((heard.reply.calls[0].name.as_str(), heard.started[0].as_str()), ("notes.add", "notes.add"));
}

#[test]
fn what_a_vendor_wants_back_is_kept_with_its_call() {
    let extra = json!({"google": {"thought_signature": "s"}});
    let mut signed = piece(json!(1), json!("c2"), json!("sky__forecast"), json!("{}"));
    signed["extra_content"] = extra.clone();
    let plain = piece(json!(0), json!("c1"), json!("clock__now"), json!("{}"));
    let reply = everywhere(&stream(&[plain, signed])).reply;
    assert_eq!(
        reply.sealed,
        [crate::Sealed { before: 2, block: json!({"type": "extra_content", "extra_content": extra}) }]
    );
}

#[test]
fn thoughts_in_pieces_are_joined_by_their_index() {
    let detail = |index: u64, text: &str| {
        event(
            json!({"reasoning": text, "reasoning_details": [{"type": "reasoning.text", "index": index, "text": text, "signature": null}]}),
            None,
        )
    };
    let sealed = event(
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "s"}, {"type": "reasoning.encrypted", "data": "d"}]}),
        None,
    );
    let body = detail(0, "a") + &detail(0, "b") + &detail(1, "c") + &sealed + &said(&["hi"], "stop");
    let heard = everywhere(&body);
    let details = json!([
        {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
        {"type": "reasoning.text", "index": 1, "text": "c", "signature": null},
        {"type": "reasoning.encrypted", "data": "d"}]);
    assert_eq!((heard.reasoning.as_str(), &heard.reply.sealed[0].block["reasoning_details"]), ("abc", &details));
}

#[test]
fn tokens_and_costs_are_found_where_each_vendor_puts_them() {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 2, "cached_tokens": 4});
    let moonshot = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]});
    let groq = json!({"choices": [], "x_groq": {"usage": usage}});
    for chunk in [moonshot, groq] {
        let reply =
            everywhere(&format!("{}data: {chunk}\n\ndata: [DONE]\n\n", event(json!({"content": "x"}), None))).reply;
        assert_eq!((reply.usage.input, reply.usage.cached, reply.usage.output), (Some(9), Some(4), Some(2)));
    }
    let router = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.0012}});
    let reply =
        everywhere(&format!("{}data: {router}\n\ndata: [DONE]\n\n", event(json!({"content": "x"}), None))).reply;
    assert_eq!(reply.cost.map(|cost| (cost.amount, cost.currency)), Some((1200, "USD".into())));
}

#[test]
fn ten_megabytes_of_arguments_in_small_pieces_take_no_square_time() {
    let first = piece(json!(0), json!("c1"), json!("notes.add"), json!("{\"text\":\""));
    let mut assembler = Assembler::for_request(Profile::of("openai").expect("a profile"), &request());
    let mut feed = |value: &Value| {
        assembler.feed(event(json!({"tool_calls": [value]}), None).as_bytes(), &mut |_| {}).expect("no error");
    };
    feed(&first);
    let piece = piece(json!(0), json!("c1"), no(), json!(format!("{}}}", "a".repeat(1000))));
    (0..10_000).for_each(|_| feed(&piece));
    let reply = assembler.finish(&mut |_| {}).expect("a reply");
    assert_eq!(reply.calls[0].arguments.len(), 9 + 10_000 * 1001);
}
