//! Messages and Responses beyond the recorded shapes: what is missing, broken off, unknown or an error.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const BOTH: [Format; 2] = [Format::Messages, Format::Responses];

fn listen(format: Format, parts: &[&[u8]]) -> Result<Heard, ModelError> {
    let (mut text, mut reasoning, mut started) = (String::new(), String::new(), Vec::new());
    let mut sink = |delta: Delta<'_>| match delta {
        Delta::Text(piece) => text.push_str(piece),
        Delta::Reasoning(piece) => reasoning.push_str(piece),
        Delta::CallStarted { name } => started.push(name.to_owned()),
        Delta::Sent { .. } => {}
    };
    let mut assembler = Assembler::new(format, &[]);
    for part in parts {
        assembler.feed(part, &mut sink)?;
    }
    let reply = assembler.finish(&mut sink)?;
    Ok(Heard { reply, text, reasoning, started })
}

fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("x"))).collect()
}

fn heard(format: Format, all: &[Value]) -> ChatReply {
    listen(format, &[events(all).as_bytes()]).expect("a reply").reply
}

fn block(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stopped(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}})
}

fn text(words: &str) -> Value {
    delta(0, json!({"type": "text_delta", "text": words}))
}

fn said(words: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": 0, "delta": words})
}

fn ended(kind: &str, response: Value) -> Value {
    json!({"type": format!("response.{kind}"), "response": response})
}

fn item(stage: &str, index: u64, item: Value) -> Value {
    json!({"type": format!("response.output_item.{stage}"), "output_index": index, "item": item})
}

#[test]
fn a_reply_of_either_vendor_that_was_not_finished_says_so() {
    let start = json!({"type": "message_start", "message": {"usage": {"input_tokens": 5}}});
    let messages = [("end_turn", false), ("tool_use", false), ("max_tokens", true), ("refusal", true)];
    for (reason, cut_off) in messages {
        let reply = heard(Format::Messages, &[start.clone(), text("a"), stopped(reason)]);
        assert_eq!((reply.cut_off, reply.text.as_str()), (cut_off, "a"), "{reason}");
    }
    assert!(heard(Format::Messages, &[start, text("a")]).cut_off);
    let responses = [("completed", false), ("incomplete", true), ("cancelled", true)];
    for (status, cut_off) in responses {
        let reply = heard(Format::Responses, &[said("a"), ended(status, json!({"status": status}))]);
        assert_eq!((reply.cut_off, reply.text.as_str()), (cut_off, "a"), "{status}");
    }
    assert!(heard(Format::Responses, &[json!({"type": "response.created"}), said("a")]).cut_off);
}

#[test]
fn errors_of_either_vendor_inside_a_stream_are_errors() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "full"}});
    let broken = json!({"type": "error", "error": {"type": "api_error", "message": "full"}});
    let limited = json!({"type": "error", "code": "rate_limit_exceeded", "message": "full", "param": null});
    let failed = ended("failed", json!({"status": "failed", "error": {"code": "server_error", "message": "full"}}));
    let cases = [
        (Format::Messages, overloaded, 503),
        (Format::Messages, broken, 503),
        (Format::Responses, limited, 429),
        (Format::Responses, failed, 503),
    ];
    for (format, event, status) in cases {
        let stream = events(&[text("a"), said("a"), event]);
        let expected = ModelError::Rejected { status, message: "full".into() };
        assert_eq!(listen(format, &[stream.as_bytes()]), Err(expected), "{stream}");
    }
    let whole = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "full"}}).to_string();
    for format in BOTH {
        let expected = ModelError::Rejected { status: 400, message: "full".into() };
        assert_eq!(listen(format, &[whole.as_bytes()]), Err(expected));
    }
}

#[test]
fn calls_of_messages_survive_what_servers_leave_out() {
    let call = |index, id: Value, input: Value| {
        block(index, json!({"type": "tool_use", "id": id, "name": "sky", "input": input}))
    };
    let more = |index, piece: &str| delta(index, json!({"type": "input_json_delta", "partial_json": piece}));
    let all = [
        call(0, json!("a"), json!({"n": 1})),
        call(1, json!("a"), json!({"gone": true})),
        more(1, "{\"n\":"),
        more(1, "2}"),
        call(2, Value::Null, json!({})),
        block(3, json!({"type": "tool_use", "id": "x"})),
        more(9, "{}"),
        json!({"type": "content_block_start"}),
        json!({"odd": 1}),
        stopped("tool_use"),
    ];
    let reply = heard(Format::Messages, &all);
    let expected = [("a", "sky", r#"{"n":1}"#), ("call_0_1", "sky", r#"{"n":2}"#), ("call_0_2", "sky", "")];
    assert_eq!((short(&reply.calls), reply.skipped_lines), (expected.to_vec(), 3));
}

#[test]
fn thoughts_without_a_proof_are_heard_but_never_sealed() {
    let thinking =
        |index, signature: &str| block(index, json!({"type": "thinking", "thinking": "hm", "signature": signature}));
    let stop = |index| json!({"type": "content_block_stop", "index": index});
    let all = [thinking(0, ""), stop(0), thinking(1, "s"), thinking(2, "s"), stop(2), stopped("end_turn")];
    let reply = heard(Format::Messages, &all);
    assert_eq!((reply.reasoning.as_deref(), reply.sealed.len()), (Some("hmhmhm"), 1));
    let plain = json!({"type": "reasoning", "id": "r", "summary": [{"text": "hm"}], "encrypted_content": null});
    let reply = heard(Format::Responses, &[item("done", 0, plain), ended("completed", json!({"status": "completed"}))]);
    assert_eq!((reply.reasoning.as_deref(), reply.sealed), (Some("hm"), vec![]));
}

#[test]
fn what_only_the_end_of_responses_holds_is_taken_once() {
    let call = |id: &str, arguments: Value| json!({"type": "function_call", "call_id": id, "name": "sky", "arguments": arguments});
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "b"}]});
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]});
    let output = json!([message, call("a", json!("{}")), call("b", json!("{\"n\":1}"))]);
    let end = ended("completed", json!({"status": "completed", "output": output, "usage": {"input_tokens": 4}}));
    let reply = heard(Format::Responses, std::slice::from_ref(&end));
    let calls = vec![("a", "sky", "{}"), ("b", "sky", r#"{"n":1}"#)];
    assert_eq!((short(&reply.calls), reply.text.as_str(), reply.usage.input), (calls.clone(), "b", Some(4)));
    // The same items were streamed before, under other places.
    let streamed = [said("b"), item("done", 7, call("a", json!("{}"))), item("added", 8, call("b", json!(""))), end];
    let reply = heard(Format::Responses, &streamed);
    assert_eq!((short(&reply.calls), reply.text.as_str()), (calls, "b"));
    let reply = heard(Format::Responses, &[item("done", 0, refusal)]);
    assert_eq!(reply.text, "no");
}

#[test]
fn a_search_the_server_runs_is_no_call_and_one_for_the_client_may_stream() {
    let search = |execution: &str, arguments: Value| json!({"type": "tool_search_call", "call_id": execution, "execution": execution, "arguments": arguments});
    let piece = |kind: &str, delta: &str| json!({"type": kind, "output_index": 1, "delta": delta});
    let all = [
        item("added", 0, search("server", json!({}))),
        item("done", 0, search("server", json!({"paths": []}))),
        item("added", 1, search("client", json!({}))),
        piece("response.tool_search_call_arguments.delta", "{\"queries\":"),
        piece("response.tool_search_call.arguments.delta", "[]}"),
    ];
    assert_eq!(short(&heard(Format::Responses, &all).calls), [("client", "tool_search", r#"{"queries":[]}"#)]);
}

#[test]
fn an_answer_of_either_vendor_without_a_reply_is_an_error() {
    for format in BOTH {
        for body in ["", "data: [DONE]\n\n", "<html>busy</html>", "{}", "data: {\"type\":\"ping\"}\n\n", "{"] {
            let error = listen(format, &[body.as_bytes()]).expect_err(body);
            assert!(matches!(error, ModelError::Protocol { .. }), "{format:?} {body}: {error:?}");
        }
    }
}

fn any_event() -> impl Strategy<Value = Value> {
    let index = prop_oneof![Just(json!(0)), Just(json!(1)), Just(Value::Null), Just(json!("1"))];
    let word = prop_oneof![Just("a"), Just(""), Just("{\"n\":"), Just("1}")];
    let kind = prop_oneof![
        Just("text"),
        Just("tool_use"),
        Just("thinking"),
        Just("redacted_thinking"),
        Just("function_call"),
        Just("tool_search_call"),
        Just("reasoning"),
        Just("message"),
        Just("odd"),
    ];
    let event = prop_oneof![
        Just("content_block_start"),
        Just("content_block_delta"),
        Just("content_block_stop"),
        Just("message_start"),
        Just("message_delta"),
        Just("response.output_item.added"),
        Just("response.output_item.done"),
        Just("response.output_text.delta"),
        Just("response.function_call_arguments.delta"),
        Just("response.function_call_arguments.done"),
        Just("response.completed"),
        Just("odd"),
    ];
    let delta =
        prop_oneof![Just("text_delta"), Just("input_json_delta"), Just("signature_delta"), Just("thinking_delta")];
    (index, word, kind, event, delta).prop_map(|(index, word, kind, event, delta)| {
        let item = json!({"type": kind, "id": word, "call_id": word, "name": "sky", "text": word, "thinking": word,
            "data": "d", "signature": "s", "input": {"n": 1}, "arguments": word, "encrypted_content": word,
            "content": [{"text": word}], "summary": [{"text": word}]});
        let piece = match event {
            "content_block_delta" => json!({"type": delta, "text": word, "partial_json": word, "signature": word, "thinking": word}),
            _ => json!(word),
        };
        json!({"type": event, "index": index, "output_index": index, "delta": piece, "content_block": item, "item": item,
            "arguments": word, "message": {"content": [item]}, "response": {"output": [item], "status": "completed"}})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn no_events_make_it_panic_and_the_pieces_are_the_reply_wherever_they_are_cut(
        all in proptest::collection::vec(any_event(), 0..10), cut in any::<prop::sample::Index>(), vendor in 0usize..2,
    ) {
        let stream = events(&all);
        let bytes = stream.as_bytes();
        let whole = listen(BOTH[vendor], &[bytes]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len() + 1));
        prop_assert_eq!(&listen(BOTH[vendor], &[head, tail]), &whole);
        if let Ok(heard) = whole {
            prop_assert_eq!(&heard.text, &heard.reply.text);
            prop_assert_eq!(&heard.reasoning, heard.reply.reasoning.as_deref().unwrap_or(""));
            let ids: BTreeSet<&str> = heard.reply.calls.iter().map(|call| call.id.as_str()).collect();
            prop_assert_eq!(ids.len(), heard.reply.calls.len());
        }
    }
}
