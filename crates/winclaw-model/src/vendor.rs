use serde_json::Value;

use crate::{ModelError, Usage};

/// Longest message of a vendor that is passed on, in characters.
const MAX_MESSAGE: usize = 500;

/// The vendor's words made fit to show: no control or direction characters, at most 500 characters.
pub(crate) fn tidy(message: &str) -> String {
    let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    let spaced = message.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !hidden(*c));
    let spaced: String = spaced.take(4 * MAX_MESSAGE).collect();
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// The error a body or a piece of a stream holds, in any of the shapes vendors use; `None` when it holds none.
pub(crate) fn error_in(value: &Value) -> Option<ModelError> {
    let error = match value.get("error") {
        None | Some(Value::Null) if value.get("object").and_then(Value::as_str) == Some("error") => value,
        None | Some(Value::Null) => return None,
        Some(error) => error,
    };
    Some(rejected(error))
}

/// The error that `error`, an object or a text, stands for.
pub(crate) fn rejected(error: &Value) -> ModelError {
    let message = message_in(error).unwrap_or_else(|| error.to_string());
    ModelError::Rejected { status: status_in(error), message: tidy(&message) }
}

/// The message of an error body: OpenAI's `error.message`, or what other servers write instead.
pub(crate) fn message_of_body(body: &str) -> String {
    let value: Option<Value> = serde_json::from_str(body).ok();
    let inner = |value: &Value| message_in(value.get("error").unwrap_or(value)).or_else(|| message_in(value));
    let message = value.as_ref().and_then(inner).unwrap_or_else(|| body.to_owned());
    let message = tidy(&message);
    if message.is_empty() { "(no message)".into() } else { message }
}

fn message_in(error: &Value) -> Option<String> {
    if let Value::String(text) = error {
        return Some(text.clone());
    }
    let found = ["message", "detail", "error_msg", "msg"].iter().find_map(|key| error.get(key));
    found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

fn status_in(error: &Value) -> u16 {
    let words = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or("");
    let number = ["code", "status"].iter().find_map(|key| match error.get(key)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    });
    match number.and_then(|number| u16::try_from(number).ok()) {
        Some(status) if (400..600).contains(&status) => return status,
        _ => {}
    }
    let kind = format!("{} {}", words("type"), words("code"));
    if kind.contains("rate_limit") {
        429
    } else if ["server_error", "api_error", "overloaded", "timeout", "unavailable"]
        .iter()
        .any(|word| kind.contains(word))
    {
        503
    } else {
        400
    }
}

/// The token counts of a `usage` object, OpenAI's and DeepSeek's names alike.
pub(crate) fn usage_in(usage: &Value) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    Usage {
        input: count("/prompt_tokens"),
        cached: count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens")),
        written: None,
        output: count("/completion_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_found_in_every_shape() {
        let cases = [
            (json!({"error": {"message": "no", "type": "invalid_request_error", "code": null}}), 400, "no"),
            (json!({"error": {"message": "slow", "type": "rate_limit_error"}}), 429, "slow"),
            (json!({"error": {"message": "down", "code": 502}}), 502, "down"),
            (json!({"error": {"message": "down", "code": "503"}}), 503, "down"),
            (json!({"error": {"message": "down", "type": "server_error"}}), 503, "down"),
            (json!({"error": "plain"}), 400, "plain"),
            (json!({"object": "error", "message": "other", "code": 404}), 404, "other"),
            (json!({"error": {"odd": 1}}), 400, r#"{"odd":1}"#),
        ];
        for (value, status, message) in cases {
            let expected = ModelError::Rejected { status, message: message.into() };
            assert_eq!(error_in(&value), Some(expected), "{value}");
        }
        assert_eq!(error_in(&json!({"error": null, "choices": []})), None);
    }

    #[test]
    fn the_message_of_a_body_is_found_bounded_and_harmless() {
        let cases = [
            (r#"{"error":{"message":"bad key"}}"#, "bad key"),
            (r#"{"error":"model not found"}"#, "model not found"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (r#"{"message":"x"}"#, "x"),
            ("<html>\n<b>502</b>", "<html> <b>502</b>"),
            ("", "(no message)"),
            ("\u{1b}[2Ja\u{202e}b\u{7}", "[2Jab"),
        ];
        for (body, expected) in cases {
            assert_eq!(message_of_body(body), expected, "{body:?}");
        }
        let long = message_of_body(&"字".repeat(10_000));
        assert_eq!(long.chars().count(), MAX_MESSAGE + 1);
    }

    #[test]
    fn token_counts_are_read_under_either_name() {
        let openai = json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}});
        assert_eq!(usage_in(&openai), Usage { input: Some(9), cached: Some(4), output: Some(2), ..Usage::default() });
        assert_eq!(usage_in(&json!({"prompt_cache_hit_tokens": 7})).cached, Some(7));
        assert_eq!(usage_in(&json!({})), Usage::default());
    }
}
