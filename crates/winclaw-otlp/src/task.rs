use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::span::{Event, Link, SpanKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, Status};
use sha2::{Digest as _, Sha256};

/// Ids and times of one task.
#[derive(Debug, Default)]
pub(crate) struct Task {
    pub(crate) id: String,
    /// Wall clock at the start, in milliseconds since 1970.
    pub(crate) started: u64,
}

impl Task {
    /// The first 16 bytes of a hash of the task's id.
    pub(crate) fn trace_id(&self) -> Vec<u8> {
        trace_id(&self.id)
    }

    /// The id of the span that `key` names within the task.
    pub(crate) fn span_id(&self, key: &str) -> Vec<u8> {
        span_id(&self.id, key)
    }

    /// Nanoseconds since 1970 of a moment of the task.
    pub(crate) fn nanos(&self, at_ms: u64) -> u64 {
        self.started.saturating_add(at_ms).saturating_mul(1_000_000)
    }

    /// A span from `ms` before `at_ms` until `at_ms`; below the task's own but for that itself.
    pub(crate) fn span(&self, key: &str, name: String, kind: SpanKind, at_ms: u64, ms: u64) -> Span {
        let parent_span_id = if key == ROOT { Vec::new() } else { self.span_id(ROOT) };
        Span {
            trace_id: self.trace_id(),
            span_id: self.span_id(key),
            parent_span_id,
            name,
            kind: kind.into(),
            start_time_unix_nano: self.nanos(at_ms.saturating_sub(ms)),
            end_time_unix_nano: self.nanos(at_ms),
            ..Span::default()
        }
    }

    pub(crate) fn event(&self, name: &str, at_ms: u64, attributes: Vec<KeyValue>) -> Event {
        Event { time_unix_nano: self.nanos(at_ms), name: name.into(), attributes, ..Event::default() }
    }
}

/// The key of the span of the task itself.
pub(crate) const ROOT: &str = "task";

/// A link to the task `id`.
pub(crate) fn link(id: &str) -> Link {
    Link { trace_id: trace_id(id), span_id: span_id(id, ROOT), ..Link::default() }
}

pub(crate) fn failed(message: &str) -> Status {
    Status { message: message.to_owned(), code: StatusCode::Error.into() }
}

fn trace_id(task: &str) -> Vec<u8> {
    id(&["winclaw trace", task], 16)
}

fn span_id(task: &str, key: &str) -> Vec<u8> {
    id(&["winclaw span", task, key], 8)
}

/// The first `len` bytes of a hash of `parts`; never all zero, which would be no id.
fn id(parts: &[&str], len: usize) -> Vec<u8> {
    let mut id = Sha256::digest(parts.join("\0")).as_slice()[..len].to_vec();
    if id.iter().all(|byte| *byte == 0) {
        id[len - 1] = 1;
    }
    id
}
