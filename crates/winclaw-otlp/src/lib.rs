//! A trace as OpenTelemetry spans, in the form that collectors read.
//!
//! A task becomes one trace: a span `invoke_agent`, under it a `chat` for each call of the model and an `execute_tool` for
//! each call of a tool, named after the conventions for generative AI. [`spans`] makes them from the lines of a trace file,
//! [`request`] puts them into the message of the protocol, and [`send`] posts it.
//!
//! Invariants:
//! - Nothing leaves that the trace itself does not hold, so what was redacted stays so.
//! - What people and tools said leaves only where it is asked for; without it a span has names, times, counts and codes.
//! - The same trace gives the same bytes: ids come from the task's id, times from its start.
//! - Only [`send`] uses the network, and only the address it is given.

mod names;
mod send;
mod spans;
mod task;
mod value;

use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};

pub use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest as Message;
pub use send::{Encoding, Endpoint, SendError, Sent, send};
pub use spans::{Options, spans};

/// `spans` in the message that a collector takes, said to be of the program `version`.
pub fn request(spans: Vec<Span>, version: &str) -> Message {
    let attributes = vec![value::text("service.name", names::SERVICE), value::text("service.version", version)];
    let scope = InstrumentationScope {
        name: names::SERVICE.into(),
        version: version.into(),
        ..InstrumentationScope::default()
    };
    let spans = ScopeSpans { scope: Some(scope), spans, ..ScopeSpans::default() };
    let resource = Resource { attributes, ..Resource::default() };
    let of_resource = ResourceSpans { resource: Some(resource), scope_spans: vec![spans], ..ResourceSpans::default() };
    Message { resource_spans: vec![of_resource] }
}

/// The message as JSON of the protocol: ids in hexadecimal, 64-bit numbers as strings.
pub fn to_json(request: &Message) -> String {
    // Strings, numbers and lists can always be written.
    serde_json::to_string(request).unwrap_or_default()
}

#[cfg(test)]
mod tests;
