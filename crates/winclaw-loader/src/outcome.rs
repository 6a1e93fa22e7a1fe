use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;
use winclaw_tool::{Failure, FailureCode, Outcome, ToolId, ToolOutput};

/// How long a call may take to end after it was told to: 500 ms.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// The moment `limit` from now. A limit beyond what a clock can say is thirty years.
pub(crate) fn deadline(limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    Instant::now() + limit.min(FAR)
}

/// Most bytes of a result that is taken apart. In memory a list of small numbers takes many times the bytes of its text;
/// what is longer is passed on as that text.
const MAX_TAKEN_APART: usize = 8 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer<'a> {
    Ok(#[serde(borrow)] &'a RawValue),
    Error(Failure),
}

/// Reads what a plugin answered: `{"ok": value}` or `{"error": failure}`.
pub(crate) fn parse(tool: &ToolId, json: &str) -> Outcome {
    let read = match serde_json::from_str(json) {
        Ok(Answer::Ok(value)) => value_of(value.get()).map(ToolOutput::new),
        Ok(Answer::Error(failure)) => return Err(failure),
        Err(error) => Err(error),
    };
    read.map_err(|error| garbled(tool.as_str(), &error.to_string()))
}

fn value_of(json: &str) -> serde_json::Result<Value> {
    match json.len() > MAX_TAKEN_APART && !json.starts_with('"') {
        true => Ok(Value::String(json.to_owned())),
        false => serde_json::from_str(json),
    }
}

/// The plugin answered something that is no outcome.
pub(crate) fn garbled(tool: &str, why: &str) -> Failure {
    let message = format!("`{tool}` answered, but not with an outcome this host understands: {why}");
    Failure::new(FailureCode::Incompatible, message).with_hint(
        "This is a fault of the plugin; report it to its publisher or install another version.",
        "这是插件的缺陷，请告知其发布者或安装其他版本。",
    )
}

/// The call ran past its deadline.
pub(crate) fn late(tool: &ToolId, limit: Duration) -> Failure {
    let shown = format!("{} s", limit.as_secs_f64());
    let message =
        format!("`{tool}` did not answer within its limit of {shown} and was stopped; its work may be half done");
    Failure::new(FailureCode::Timeout, message).with_hint(
        format!("The limit is `timeout_ms` in the plugin's manifest, now {shown}."),
        format!("时限由插件清单中的 `timeout_ms` 规定，当前为 {shown}。"),
    )
}

/// The call was cancelled by the host.
pub(crate) fn cancelled(tool: &ToolId) -> Failure {
    let message = format!("the call of `{tool}` was cancelled before it ended; its work may be half done");
    Failure::new(FailureCode::Cancelled, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_result_that_is_no_text_comes_as_its_text() {
        let tool = ToolId::parse("sky.forecast").expect("an id");
        let list = format!("[{}0]", "0,".repeat(MAX_TAKEN_APART / 2));
        let output = parse(&tool, &format!("{{\"ok\":{list}}}")).expect("an output");
        assert_eq!(output.value, Value::String(list));
        let text = Value::String("x".repeat(MAX_TAKEN_APART));
        assert_eq!(parse(&tool, &serde_json::json!({"ok": text}).to_string()).expect("an output").value, text);
    }

    #[test]
    fn answers_are_outcomes_or_are_called_garbled() {
        let tool = ToolId::parse("sky.forecast").expect("an id");
        assert_eq!(parse(&tool, r#"{"ok":[1]}"#), Ok(ToolOutput::new(serde_json::json!([1]))));
        let failure = parse(&tool, r#"{"error":{"code":"denied","message":"no","retryable":false}}"#);
        assert_eq!(failure, Err(Failure::denied("no")));
        for text in ["", "{}", "[]", r#"{"ok":1,"error":2}"#, r#"{"error":{"code":"odd"}}"#, "\u{0}"] {
            assert_eq!(parse(&tool, text).expect_err("garbled").code, FailureCode::Incompatible, "{text:?}");
        }
    }
}
