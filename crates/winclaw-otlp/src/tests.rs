use std::collections::BTreeSet;

use prost::Message as _;
use serde_json::{Value, json};
use winclaw_trace::{Line, read_bytes};

use super::*;

fn lines(records: &[Value]) -> Vec<Line> {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let (lines, problems) = read_bytes(text.as_bytes());
    assert_eq!(problems, []);
    lines
}

fn task() -> Vec<Line> {
    let record = |at: u64, kind: &str, more: Value| {
        let mut record = json!({"v": 1, "seq": at, "at_ms": at, "kind": kind});
        record.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        record
    };
    let request = "SAID write to Li";
    lines(&[
        record(
            0,
            "start",
            json!({"task_id": "t-1", "started_unix_ms": 1_796_054_988_000_u64, "program": "winclaw 0.1.0",
            "model": "gemini/pro", "request": request, "lang": "en"}),
        ),
        record(1, "session", json!({"session_id": "s1", "request_no": 2, "after": "t-0"})),
        record(2, "exposure", json!({"call_no": 1, "shown": [{"tool": "mail.send"}], "reach": "full"})),
        record(3, "request", json!({"call_no": 1, "bytes": 100, "sha256": "ab"})),
        record(30, "request", json!({"call_no": 1, "attempt": 2, "bytes": 100})),
        record(
            130,
            "reply",
            json!({"calls": [{"id": "c1", "name": "mail__send"}], "ms": 127,
            "usage": {"input": 900, "cached": 800, "output": 40}}),
        ),
        record(131, "repair", json!({"call_id": "c1", "repair": "coerced", "at": "/n", "said": "SAID"})),
        record(
            140,
            "consent",
            json!({"call_id": "c1", "answer": "once", "scope": "once", "asked": "SAID?", "rule": "person"}),
        ),
        record(
            240,
            "call",
            json!({"call_id": "c1", "tool": "mail.send", "arguments": {"to": "SAID"}, "ms": 100,
            "outcome": "unavailable", "error": "SAID: no route"}),
        ),
        record(250, "loop", json!({"pattern": "repeat", "rung": "hint", "times": 3, "said": "SAID"})),
        record(300, "model_failed", json!({"call_no": 2, "code": "overloaded", "error": "SAID", "ms": 40})),
        record(300, "cost", json!({"call_no": 1, "micros": 12, "currency": "USD"})),
        record(310, "end", json!({"state": "model_failed", "exit_code": 4})),
    ])
}

fn made(content: bool) -> Vec<Span> {
    spans("t-1", task(), Options { content })
}

fn attribute(span: &Span, key: &str) -> Option<Value> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    serde_json::to_value(found.value.as_ref()?).ok()
}

#[test]
fn a_task_is_a_tree_of_spans_with_the_names_of_the_conventions() {
    let spans = made(false);
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["invoke_agent winclaw", "chat pro", "execute_tool mail.send", "chat pro"]);
    let text = |span: &Span, key: &str| {
        attribute(span, key).map(|value| value["stringValue"].as_str().expect("text").to_owned())
    };
    for (span, operation) in spans.iter().zip(["invoke_agent", "chat", "execute_tool", "chat"]) {
        assert_eq!(text(span, "gen_ai.operation.name").as_deref(), Some(operation));
        assert_eq!(text(span, "gen_ai.conversation.id").as_deref(), Some("s1"));
    }
    assert_eq!(text(&spans[0], "gen_ai.provider.name").as_deref(), Some("gcp.gemini"));
    assert_eq!(attribute(&spans[0], "gen_ai.usage.input_tokens"), Some(json!({"intValue": "900"})));
    assert_eq!(attribute(&spans[0], "winclaw.cost.usd_micros"), Some(json!({"intValue": "12"})));
    assert_eq!(attribute(&spans[1], "gen_ai.usage.cache_read.input_tokens"), Some(json!({"intValue": "800"})));
    assert_eq!(text(&spans[2], "gen_ai.tool.call.id").as_deref(), Some("c1"));
    assert_eq!(text(&spans[2], "winclaw.consent.answer").as_deref(), Some("once"));
    let errors: Vec<Option<String>> = spans.iter().map(|span| text(span, "error.type")).collect();
    assert_eq!(
        errors,
        [Some("model_failed"), None, Some("unavailable"), Some("overloaded")].map(|error| error.map(str::to_owned))
    );
    assert_eq!((spans[1].events.len(), spans[0].events[0].name.as_str()), (2, "winclaw.loop"));
}

#[test]
fn ids_are_stable_and_times_are_those_of_the_trace() {
    let spans = made(false);
    assert_eq!(spans, made(false));
    let ids: BTreeSet<&Vec<u8>> = spans.iter().map(|span| &span.span_id).collect();
    assert_eq!(ids.len(), spans.len());
    for span in &spans {
        assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8));
        assert_eq!(span.trace_id, spans[0].trace_id);
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
        assert!(span.start_time_unix_nano >= spans[0].start_time_unix_nano);
        assert!(span.end_time_unix_nano <= spans[0].end_time_unix_nano);
    }
    assert!(
        spans[0].parent_span_id.is_empty() && spans[1..].iter().all(|span| span.parent_span_id == spans[0].span_id)
    );
    let started = 1_796_054_988_000_000_000;
    assert_eq!((spans[0].start_time_unix_nano, spans[0].end_time_unix_nano), (started, started + 310_000_000));
    assert_eq!(
        (spans[2].start_time_unix_nano, spans[2].end_time_unix_nano),
        (started + 140_000_000, started + 240_000_000)
    );
    assert_eq!(spans[0].links[0].trace_id, super::task::link("t-0").trace_id);
    let other = super::spans("t-2", [], Options::default());
    assert_ne!((&other[0].trace_id, &other[0].span_id), (&spans[0].trace_id, &spans[0].span_id));
}

#[test]
fn what_was_said_leaves_only_where_it_is_asked_for() {
    let without = to_json(&request(made(false), "0.1.0"));
    assert!(!without.contains("SAID"), "{without}");
    let with = to_json(&request(made(true), "0.1.0"));
    assert!(
        with.contains("SAID write to Li")
            && with.contains("SAID: no route")
            && with.contains("gen_ai.tool.call.arguments")
    );
}

#[test]
fn the_json_is_that_of_the_protocol_and_means_what_the_bytes_mean() {
    let request = request(made(true), "0.1.0");
    let json: Value = serde_json::from_str(&to_json(&request)).expect("json");
    let span = &json["resourceSpans"][0]["scopeSpans"][0]["spans"][1];
    assert!(span["traceId"].as_str().is_some_and(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())));
    assert!(span["spanId"].as_str().is_some_and(|id| id.len() == 16));
    assert_eq!((&span["startTimeUnixNano"], &span["kind"]), (&json!("1796054988003000000"), &json!(3)));
    assert_eq!(json["resourceSpans"][0]["resource"]["attributes"][0]["value"], json!({"stringValue": "winclaw"}));
    let again: Message = serde_json::from_value(json).expect("a request");
    assert_eq!(again, request);
    assert_eq!(Message::decode(request.encode_to_vec().as_slice()), Ok(request));
}

#[test]
fn an_address_gets_the_path_of_the_protocol_and_shows_no_secret() {
    let cases = [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("https://me:secret@o.example.org/otlp/?k=secret#secret", "https://o.example.org/otlp/v1/traces"),
        ("http://[::1]:4318/v1/traces", "http://[::1]:4318/v1/traces"),
    ];
    for (given, shown) in cases {
        assert_eq!(Endpoint::new(given).expect(given).shown(), shown);
    }
    for bad in ["", "127.0.0.1:4318", "ftp://example.org", "file:///etc", "http://"] {
        assert!(matches!(Endpoint::new(bad), Err(SendError::Address { .. })), "{bad}");
    }
    let endpoint = Endpoint::new("http://localhost").expect("an address");
    let with = endpoint.clone().headers("authorization=Basic%20abc%3D, x-team = a").expect("headers");
    assert!(!format!("{with:?}").contains("abc"), "{with:?}");
    let error = endpoint.headers("x y=secret").expect_err("a bad name");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn any_trace_makes_spans() {
    let strange = lines(&[
        json!({"v": 1, "at_ms": u64::MAX, "kind": "call", "ms": u64::MAX}),
        json!({"v": 1, "at_ms": 1, "kind": "reply", "ms": u64::MAX, "usage": {"input": u64::MAX}}),
        json!({"v": 1, "at_ms": 2, "kind": "start", "started_unix_ms": u64::MAX, "model": "none"}),
        json!({"v": 1, "at_ms": 3, "kind": "dream"}),
    ]);
    for span in spans("t", strange, Options { content: true }) {
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano && !span.name.is_empty());
    }
}
