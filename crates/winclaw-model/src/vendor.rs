use serde_json::Value;

use crate::{Cost, ModelError, Usage};

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

/// The message of an error body: OpenAI's `error.message`, or what other servers write instead. What stands behind it in
/// the body and helps to find the fault follows in brackets: the place, and the words of the server behind a router.
pub(crate) fn message_of_body(body: &str) -> String {
    let value: Option<Value> = serde_json::from_str(body).ok();
    // Gemini's endpoint answers with a list of one.
    let value = value.as_ref().map(|value| value.get(0).filter(|_| value.is_array()).unwrap_or(value));
    let error = value.map(|value| value.get("error").unwrap_or(value));
    let message = error.and_then(message_in).or_else(|| value.and_then(message_in));
    let message = message.unwrap_or_else(|| body.to_owned());
    let behind = error.and_then(behind).filter(|behind| !message.contains(behind.as_str()));
    let message = behind.map_or(message.clone(), |behind| format!("{message} ({behind})"));
    let message = tidy(&message);
    if message.is_empty() { "(no message)".into() } else { message }
}

fn behind(error: &Value) -> Option<String> {
    let raw = error.pointer("/metadata/raw").and_then(Value::as_str).map(message_of_body);
    raw.or_else(|| error.get("param").and_then(Value::as_str).map(str::to_owned)).filter(|behind| !behind.is_empty())
}

/// Whether a refusal is about the key, though its status does not say so: Gemini answers 400.
pub(crate) fn is_about_the_key(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("api key not valid") || message.contains("api_key_invalid") || message.contains("api key expired")
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

/// The token counts of a `usage` object of chat completions, under the names the vendors have for them.
///
/// Thoughts count as reply. Gemini's endpoint leaves them out of `completion_tokens` but not out of `total_tokens`.
pub(crate) fn usage_in(usage: &Value) -> Usage {
    let count = |paths: &[&str]| paths.iter().find_map(|path| usage.pointer(path)?.as_u64());
    let input = count(&["/prompt_tokens", "/input_tokens", "/promptTokenCount", "/prompt_eval_count"]);
    let thoughts = usage.get("thoughtsTokenCount").and_then(Value::as_u64).unwrap_or(0);
    let output = count(&["/completion_tokens", "/output_tokens", "/candidatesTokenCount", "/eval_count"]);
    let output = output.map(|output| output.saturating_add(thoughts));
    let rest = count(&["/total_tokens"]).and_then(|total| total.checked_sub(input?));
    Usage {
        input,
        cached: count(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cached_tokens",
            "/cachedContentTokenCount",
        ]),
        written: count(&[
            "/prompt_tokens_details/cache_write_tokens",
            "/prompt_tokens_details/cache_creation_input_tokens",
            "/prompt_tokens_details/cache_creation_tokens",
            "/cache_creation_input_tokens",
        ]),
        output: output.map(|output| output.max(rest.unwrap_or(0))),
    }
}

/// What the vendor says a reply cost; OpenRouter does, in US dollars.
pub(crate) fn charge_in(usage: &Value) -> Option<Cost> {
    let dollars = usage.get("cost")?.as_f64().filter(|cost| (0.0..1e9).contains(cost))?;
    Some(Cost { amount: (dollars * 1e6).round() as u64, currency: "USD".into() })
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
            (r#"[{"error":{"code":400,"message":"bad"}}]"#, "bad"),
            (r#"{"error":{"message":"no","param":"tools[1].function.name"}}"#, "no (tools[1].function.name)"),
            (r#"{"error":{"message":"tools[1] no","param":"tools[1]"}}"#, "tools[1] no"),
            (
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"no\"}}"}}}"#,
                "Provider returned error (no)",
            ),
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
    fn token_counts_are_read_under_every_vendors_names() {
        let usage = |input, cached, written, output| Usage { input, cached, written, output };
        let cases = [
            (
                json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}),
                usage(Some(9), Some(4), None, Some(2)),
            ),
            (json!({"prompt_cache_hit_tokens": 7}), usage(None, Some(7), None, None)),
            (
                json!({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11, "cached_tokens": 5}),
                usage(Some(9), Some(5), None, Some(2)),
            ),
            (
                json!({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 31}),
                usage(Some(9), None, None, Some(22)),
            ),
            (
                json!({"promptTokenCount": 8, "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "cachedContentTokenCount": 1}),
                usage(Some(8), Some(1), None, Some(5)),
            ),
            (json!({"prompt_eval_count": 3, "eval_count": 4}), usage(Some(3), None, None, Some(4))),
            (
                json!({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 6}}),
                usage(Some(9), Some(2), Some(6), Some(1)),
            ),
            (json!({}), Usage::default()),
        ];
        for (given, expected) in cases {
            assert_eq!(usage_in(&given), expected, "{given}");
        }
    }

    #[test]
    fn a_cost_the_vendor_tells_is_read() {
        assert_eq!(charge_in(&json!({"cost": 0.001_234_6})).map(|cost| cost.amount), Some(1235));
        for none in [json!({}), json!({"cost": {"total": 1}}), json!({"cost": -1}), json!({"cost": 1e30})] {
            assert_eq!(charge_in(&none), None, "{none}");
        }
    }
}
