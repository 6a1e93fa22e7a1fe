//! What of a message a person would search for, and what a session is called.

use serde_json::Value;

/// Longest text of one message that is searched, in characters. Results are cut far below it; arguments may not be.
const MAX: usize = 200_000;

/// Longest title, in characters.
const TITLE: usize = 60;

/// The role of a message; empty where it has none.
pub(crate) fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// The words of a message: what was said, what was called with which arguments, what came back. Neither images nor
/// thoughts.
pub(crate) fn words(message: &Value) -> String {
    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
    let calls = message.get("calls").and_then(Value::as_array).into_iter().flatten();
    let call = |call: &Value| {
        let part = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{} {}", part("name"), part("arguments"))
    };
    let parts = [text("text").to_owned(), text("content").to_owned()].into_iter().chain(calls.map(call));
    let joined = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    joined.chars().filter(|c| *c != '\0').take(MAX).collect()
}

/// A title for a session that begins with `message`: the first line that says anything, cut at a word where there are
/// words.
pub(crate) fn title(message: &Value) -> String {
    let text = message.get("text").and_then(Value::as_str).unwrap_or_default();
    let first = text.lines().map(tidy).find(|line| !line.is_empty()).unwrap_or_default();
    cut(&first)
}

/// `text` on one line without control characters.
pub(crate) fn tidy(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(line: &str) -> String {
    if line.chars().count() <= TITLE {
        return line.to_owned();
    }
    let head: String = line.chars().take(TITLE - 1).collect();
    let at_word = head.rfind(' ').filter(|at| *at > head.len() / 2);
    format!("{}…", &head[..at_word.unwrap_or(head.len())])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        let cases = [
            ("look up the weather", "look up the weather"),
            ("\n\n  查\u{1b}北京\t天气 \n more", "查 北京 天气"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(title(&json!({"role": "user", "text": text})), expected);
        }
        let long = title(&json!({"text": "word ".repeat(40)}));
        assert!(long.ends_with("word…") && long.chars().count() <= TITLE, "{long}");
        assert_eq!(title(&json!({"text": "长".repeat(100)})).chars().count(), TITLE);
    }

    #[test]
    fn what_is_searched_is_what_was_said_called_and_answered() {
        let message = json!({"role": "assistant", "text": "I look.", "reasoning": "secret thought",
            "calls": [{"id": "c", "name": "sky__forecast", "arguments": "{\"place\":\"北京\"}"}]});
        assert_eq!(words(&message), "I look.\nsky__forecast {\"place\":\"北京\"}");
        assert_eq!(words(&json!({"role": "tool", "content": "sunny\u{0}"})), "sunny");
        assert_eq!(words(&json!({"role": "user", "text": "hi", "images": [{"data": "AAAA"}]})), "hi");
    }
}
