use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;
use winclaw_tool::{Failure, FailureCode, Outcome, ToolId, ToolOutput};

/// How long a call may take to end after it was told to: 500 ms.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// The moment `limit` from now. A limit beyond what a clock can say is thirty years.
pub(crate) fn deadline(limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    Instant::now() + limit.min(FAR)
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Ok(Value),
    Error(Failure),
}

/// Reads what a plugin answered: `{"ok": value}` or `{"error": failure}`.
pub(crate) fn parse(tool: &ToolId, json: &str) -> Outcome {
    match serde_json::from_str(json) {
        Ok(Answer::Ok(value)) => Ok(ToolOutput::new(value)),
        Ok(Answer::Error(failure)) => Err(failure),
        Err(error) => Err(garbled(tool.as_str(), &error.to_string())),
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
