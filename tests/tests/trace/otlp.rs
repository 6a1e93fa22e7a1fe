//! Export to a server that decodes what it is sent with the protocol's own types and holds it to its rules.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::Value;

use super::after_a_task;
use super::server::{Heard, Said, Server};

/// What a collector must refuse.
fn wrong(request: &ExportTraceServiceRequest) -> Option<String> {
    let spans: Vec<&Span> = spans(request);
    let ids: BTreeMap<&[u8], &Span> = spans.iter().map(|span| (span.span_id.as_slice(), *span)).collect();
    let bad = |span: &&&Span| {
        let zero = |id: &[u8]| id.iter().all(|byte| *byte == 0);
        let parent = ids.get(span.parent_span_id.as_slice());
        span.trace_id.len() != 16
            || span.span_id.len() != 8
            || zero(&span.trace_id)
            || zero(&span.span_id)
            || span.name.is_empty()
            || span.kind == 0
            || span.start_time_unix_nano == 0
            || span.end_time_unix_nano < span.start_time_unix_nano
            || !span.parent_span_id.is_empty() && parent.is_none_or(|parent| parent.trace_id != span.trace_id)
            || text(span, "gen_ai.operation.name").is_none()
    };
    let service =
        request.resource_spans.iter().all(|of| of.resource.as_ref().is_some_and(|r| !r.attributes.is_empty()));
    match spans.iter().find(bad) {
        Some(span) => Some(format!("{span:?}")),
        None if spans.is_empty() || ids.len() != spans.len() || !service => {
            Some("no spans, ids twice, or no service".into())
        }
        None => None,
    }
}

fn spans(request: &ExportTraceServiceRequest) -> Vec<&Span> {
    request.resource_spans.iter().flat_map(|of| &of.scope_spans).flat_map(|of| &of.spans).collect()
}

fn text<'a>(span: &'a Span, key: &str) -> Option<&'a str> {
    let value = span.attributes.iter().find(|attribute| attribute.key == key)?.value.as_ref()?;
    match value.value.as_ref()? {
        Any::StringValue(text) => Some(text),
        _ => None,
    }
}

fn decode(heard: &Heard) -> Result<ExportTraceServiceRequest, String> {
    match heard.header("content-type") {
        Some("application/x-protobuf") => {
            ExportTraceServiceRequest::decode(heard.body.as_slice()).map_err(|e| e.to_string())
        }
        Some("application/json") => {
            // The protocol wants 64-bit numbers as strings, which the types also take as numbers.
            let json: Value = serde_json::from_slice(&heard.body).map_err(|error| error.to_string())?;
            let span = &json["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
            if !span["startTimeUnixNano"].is_string() || span["traceId"].as_str().map(str::len) != Some(32) {
                return Err(format!("not the JSON of the protocol: {span}"));
            }
            serde_json::from_value(json).map_err(|error| error.to_string())
        }
        other => Err(format!("content type {other:?}")),
    }
}

fn collector(heard: &Heard) -> Said {
    let refuse = |why: String| ("400 Bad Request", "text/plain", why.into_bytes());
    if heard.line.trim_end() != "POST /v1/traces HTTP/1.1" {
        return refuse(format!("not the path of the protocol: {}", heard.line));
    }
    match decode(heard).and_then(|request| wrong(&request).map_or(Ok(()), Err)) {
        Err(why) => refuse(why),
        Ok(()) => {
            let answer = ExportTraceServiceResponse { partial_success: None };
            ("200 OK", "application/x-protobuf", answer.encode_to_vec())
        }
    }
}

#[test]
fn a_collector_takes_a_task_in_either_encoding() {
    let room = after_a_task();
    let server = Server::new(collector);
    for encoding in ["protobuf", "json"] {
        let words = ["trace", "export", "--endpoint", &server.url(), "--encoding", encoding];
        let run = room.winclaw(&words).env("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b");
        run.run().exits(0).says(&["6 spans of 1 tasks sent", "0 of them refused"]);
    }
    let heard = server.heard();
    assert_eq!(heard.len(), 2);
    let requests: Vec<ExportTraceServiceRequest> = heard.iter().map(|heard| decode(heard).expect("decoded")).collect();
    assert_eq!(requests[0], requests[1], "both encodings say the same");
    assert_eq!(heard[0].header("x-team"), Some("a b"));
    let names: Vec<&str> = spans(&requests[0]).iter().map(|span| span.name.as_str()).collect();
    let expected = [
        "invoke_agent winclaw",
        "chat test",
        "execute_tool calculator.evaluate",
        "chat test",
        "execute_tool misbehave.echo",
        "chat test",
    ];
    assert_eq!(names, expected);
    let tool = spans(&requests[0])[2];
    assert_eq!(text(tool, "gen_ai.tool.name"), Some("calculator.evaluate"));
    assert!(text(tool, "gen_ai.tool.call.id").is_some_and(|id| !id.is_empty()));
    assert!(!String::from_utf8_lossy(&heard[1].body).contains("6*7"), "contents only where they are asked for");
    room.winclaw(&["trace", "export", "--endpoint", &server.url(), "--content", "--encoding", "json"]).run().exits(0);
    assert!(String::from_utf8_lossy(&server.heard()[2].body).contains("6*7"));
}

#[test]
fn a_file_holds_what_a_collector_would_be_sent() {
    let room = after_a_task();
    let json = room.winclaw(&["trace", "export"]).run().exits(0).json();
    let request: ExportTraceServiceRequest = serde_json::from_value(json.clone()).expect("a request");
    assert_eq!(wrong(&request), None);
    let file = room.path().join("task.json");
    room.winclaw(&["trace", "export", "last", "--out", file.to_str().expect("UTF-8")]).run().exits(0);
    let kept: Value = serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON");
    assert_eq!(kept, json, "the same task gives the same spans");
}

#[test]
fn what_goes_wrong_is_said_with_its_code() {
    let room = after_a_task();
    let export = |url: &str| room.winclaw(&["trace", "export", "--endpoint", url]).run();
    export("127.0.0.1:4318").exits(2).complains(&["http://127.0.0.1:4318"]);
    export("http://127.0.0.1:1").exits(4).complains(&["cannot be reached"]);
    let busy = Server::new(|_| ("503 Service Unavailable", "text/plain", b"too busy \x1b[2J".to_vec()));
    export(&busy.url()).exits(4).complains(&["503", "too busy"]);
    let partial = Server::new(|_| {
        let partial = ExportTracePartialSuccess { rejected_spans: 2, error_message: "two are too old".into() };
        let answer = ExportTraceServiceResponse { partial_success: Some(partial) };
        ("200 OK", "application/x-protobuf", answer.encode_to_vec())
    });
    export(&partial.url()).exits(6).says(&["2 of them refused"]).complains(&["two are too old"]);
}

#[test]
fn the_collector_of_these_tests_can_refuse() {
    let span = Span { name: "chat".into(), trace_id: vec![1; 16], span_id: vec![1; 8], kind: 1, ..Span::default() };
    assert!(wrong(&request_of(span)).is_some(), "without times");
    assert!(wrong(&ExportTraceServiceRequest::default()).is_some());
}

fn request_of(span: Span) -> ExportTraceServiceRequest {
    use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans};
    let scope_spans = vec![ScopeSpans { spans: vec![span], ..ScopeSpans::default() }];
    ExportTraceServiceRequest { resource_spans: vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }] }
}
