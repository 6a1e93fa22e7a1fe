//! JSON inside strings.

use serde_json::Value;

/// `text` as JSON, if it is an object, an array or a string of it.
pub(super) fn as_json(text: &str) -> Option<Value> {
    let inner = text.trim_ascii();
    let (first, last) = (inner.bytes().next()?, inner.bytes().last()?);
    let framed = matches!((first, last), (b'{', b'}') | (b'[', b']') | (b'"', b'"'));
    if !framed || inner.len() < 2 {
        return None;
    }
    serde_json::from_str(inner).ok()
}

/// `text`, which is `value`, as it is written for `clean`; nothing when the two are alike.
pub(super) fn rewritten(text: &str, value: &Value, clean: &Value) -> Option<String> {
    if value == clean {
        return None;
    }
    let inner = text.trim_ascii();
    let start = text.len() - text.trim_ascii_start().len();
    let pretty = inner.contains('\n');
    let written = if pretty { serde_json::to_string_pretty(clean) } else { serde_json::to_string(clean) };
    Some(format!("{}{}{}", &text[..start], written.ok()?, &text[start + inner.len()..]))
}
