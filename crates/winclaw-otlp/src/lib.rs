//! A trace as OpenTelemetry spans, in the form that collectors read.
//!
//! Invariants:
//! - Nothing leaves that the trace itself does not hold, so what was redacted stays so.
