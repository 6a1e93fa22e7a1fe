//! Rows that are nested too deep to be read, and nothing else of their file lost.

use std::path::Path;

use serde_json::Value;
use winclaw_tool::{Problem, ProblemKind, Text};

/// Levels of values in a file; a value below the last is not read. serde_json goes as far.
const LEVELS: usize = 127;

/// What stands for a value that lies too deep. No file has this text by chance; a row that has it on purpose costs itself.
const MARK: &str = "\u{0}winclaw: nested too deep";

/// Whether a text could not be read for its depth alone.
pub(crate) fn is_too_deep(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("recursion limit exceeded")
}

/// `text` with a mark for each array or object that lies too deep; other bytes as they are.
pub(crate) fn pruned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mark = Value::from(MARK).to_string();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for c in text.chars() {
        let opens = !quoted && matches!(c, '[' | '{');
        let closes = !quoted && matches!(c, ']' | '}');
        depth += usize::from(opens);
        if opens && depth == LEVELS + 1 {
            out.push_str(&mark);
        }
        if depth <= LEVELS {
            out.push(c);
        }
        depth = depth.saturating_sub(usize::from(closes));
        quoted = if c == '"' && !escaped { !quoted } else { quoted };
        escaped = quoted && c == '\\' && !escaped;
    }
    out
}

/// Whether something below `value` was too deep.
pub(crate) fn is_marked(value: &Value) -> bool {
    match value {
        Value::String(text) => text == MARK,
        Value::Array(items) => items.iter().any(is_marked),
        Value::Object(map) => map.values().any(is_marked),
        _ => false,
    }
}

/// The problem of the row at `at` of `file`.
pub(crate) fn problem(file: &Path, at: &str) -> Problem {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    Problem {
        kind: ProblemKind::Manifest,
        subject: format!("{name}:{at}"),
        what: Text::new(
            "This entry is nested more than 128 levels and was left out.",
            "该条目嵌套超过 128 层，已略过。",
        ),
        mend: Text::new(
            "Make its parameters flatter: name an inner schema once under `$defs` and refer to it.",
            "请减少其参数的嵌套：将内层结构写入 $defs 并引用。",
        ),
        fatal: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_too_deep_is_marked_and_the_rest_stays() {
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for (levels, marked) in [(1, false), (126, false), (127, true), (5_000, true)] {
            let text = format!(r#"{{"a": "\\\"[[{{", "b": {}, "c": ["]"]}}"#, nested(levels));
            let value: Value = serde_json::from_str(&pruned(&text)).expect("json");
            assert_eq!(is_marked(&value), marked, "{levels}");
            assert_eq!((&value["a"], &value["c"]), (&Value::from("\\\"[[{"), &serde_json::json!(["]"])));
            assert_eq!(pruned(&text) == text, !marked, "{levels}");
        }
        assert_eq!(pruned("]]}{"), "]]}{", "no sound file, and no panic");
    }

    #[test]
    fn serde_says_so_of_depth_alone() {
        let error = |text: &str| serde_json::from_str::<Value>(text).expect_err("no json");
        assert!(is_too_deep(&error(&"[".repeat(200))));
        assert!(!is_too_deep(&error("[1,")));
    }
}
