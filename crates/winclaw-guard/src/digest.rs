use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use winclaw_tool::{FailureCode, Outcome, ToolManifest, details};

use crate::labels;

/// SHA-256 of what makes two calls, or two results, the same.
pub(crate) type Signature = [u8; 32];

/// Deepest nesting that is told apart; below it everything counts as the same.
const MAX_DEPTH: usize = 128;

/// Shortest text of an argument that is masked in a failure's message, in bytes.
const MIN_MASKED: usize = 2;

/// Longest result that is looked at without its numbers and without what the arguments said, in bytes of text.
const MAX_LOOSE: usize = 65_536;

/// Shortest text of an argument that a result may echo, in bytes.
const MIN_ECHO: usize = 3;

/// What came of a call, for comparing.
pub(crate) struct CallResult {
    /// Equal for equal results.
    pub(crate) print: Signature,
    /// Equal for results that differ only in texts of the call's own arguments.
    pub(crate) echo: Signature,
    /// Equal for results that differ only in numbers.
    pub(crate) loose: Signature,
    /// For a failure: equal for failures that differ only in numbers and in what the arguments said.
    pub(crate) failure: Option<FailureKind>,
}

/// A failure without what varies.
pub(crate) struct FailureKind {
    pub(crate) print: Signature,
    pub(crate) message: String,
    /// Whether a person or a rule said no.
    pub(crate) denied: bool,
    /// Whether the same call may succeed later.
    pub(crate) passing: bool,
}

/// What a call's arguments are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sign {
    /// What makes two calls the same: the order of keys, the values at volatile paths and labels do not matter.
    pub(crate) same: Signature,
    /// Of what the call is about: the values of its detail keys, or else all but its labels. `None` if there are neither.
    pub(crate) about: Option<Signature>,
    /// Whether `about` is all but the labels: then it says what the call does, not only what it is about.
    pub(crate) about_is_all: bool,
    /// The same for calls that differ only in numbers.
    pub(crate) numbers: Signature,
}

impl Sign {
    pub(crate) fn of(manifest: &ToolManifest, arguments: &Value) -> Sign {
        let volatile = &manifest.volatile_keys;
        let plain = labels::without(manifest, arguments);
        let text = without_spaces(&canonical(plain.as_ref().unwrap_or(arguments), volatile));
        let detail = about(&details(&manifest.detail_keys, arguments), volatile);
        let core = || labels::core(manifest, arguments).map(|core| digest(&canonical(&core, volatile)));
        let about_is_all = detail.is_none();
        let numbers = numbers(&text, detail);
        Sign { same: digest(&text), about: detail.or_else(core), about_is_all, numbers }
    }

    /// Of arguments that could not be read.
    pub(crate) fn of_text(raw: &str) -> Sign {
        let same = digest(raw.trim());
        Sign { same, about: None, about_is_all: false, numbers: same }
    }
}

/// `text` with each run of spaces as one, and none beside quotes; escaped ones inside strings count as spaces.
fn without_spaces(text: &str) -> String {
    let plain = text.replace("\\n", " ").replace("\\t", " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").replace("\" ", "\"").replace(" \"", "\"")
}

/// Of the arguments without their numbers; those in what the call is about count.
fn numbers(text: &str, detail: Option<Signature>) -> Signature {
    let mut hasher = Sha256::new();
    hasher.update(detail.unwrap_or_default());
    hasher.update(labels::without_numbers(text));
    hasher.finalize().into()
}

fn digest(text: &str) -> Signature {
    Sha256::digest(text).into()
}

fn about(details: &[(&str, &Value)], volatile: &[String]) -> Option<Signature> {
    let mut text = String::new();
    for (path, value) in details.iter().filter(|(path, _)| volatile.iter().all(|one| one != path)) {
        let prefix = format!("{path}.");
        let inner: Vec<String> =
            volatile.iter().filter_map(|one| one.strip_prefix(&prefix)).map(str::to_owned).collect();
        text.push_str(&Value::from(*path).to_string());
        text.push_str(&canonical(value, &inner));
    }
    (!text.is_empty()).then(|| digest(&text))
}

/// What came of a call with `arguments`.
pub(crate) fn result_of(outcome: &Outcome, arguments: &Value, volatile: &[String]) -> CallResult {
    match outcome {
        Ok(output) => {
            let text = canonical(&output.value, volatile);
            let print = digest(&format!("ok {text}"));
            let is_short = text.len() <= MAX_LOOSE;
            let loosely = |text: String| if is_short { digest(&format!("ok {text}")) } else { print };
            let echo = loosely(if is_short { without_echo(&text, arguments) } else { String::new() });
            let loose = loosely(if is_short { labels::without_numbers(&text) } else { String::new() });
            CallResult { print, echo, loose, failure: None }
        }
        Err(failure) => {
            let told = failure.to_string();
            let kind = digest(&masked(&told, arguments));
            let denied = failure.code == FailureCode::Denied;
            let print = digest(&format!("failed {told}"));
            let failure =
                FailureKind { print: kind, message: failure.message.clone(), denied, passing: failure.retryable };
            CallResult { print, echo: print, loose: kind, failure: Some(failure) }
        }
    }
}

/// `text` without the texts of `arguments` that have letters: what only comes back says nothing.
fn without_echo(text: &str, arguments: &Value) -> String {
    let mut texts = Vec::new();
    gather(arguments, &mut texts, MAX_DEPTH);
    texts.retain(|text| text.len() >= MIN_ECHO && text.chars().any(char::is_alphabetic));
    without(text, texts)
}

/// `value` as text with sorted keys, without what stands at the dotted `volatile` paths.
pub(crate) fn canonical(value: &Value, volatile: &[String]) -> String {
    let mut text = String::new();
    let kept = volatile.iter().fold(None, |kept: Option<Value>, path| {
        let mut kept = kept.unwrap_or_else(|| value.clone());
        remove(&mut kept, path);
        Some(kept)
    });
    write(kept.as_ref().unwrap_or(value), &mut text, MAX_DEPTH);
    text
}

fn remove(value: &mut Value, path: &str) {
    let Value::Object(map) = value else { return };
    match path.split_once('.') {
        None => {
            map.shift_remove(path);
        }
        Some((head, rest)) => {
            map.get_mut(head).into_iter().for_each(|inner| remove(inner, rest));
        }
    }
}

fn write(value: &Value, text: &mut String, depth: usize) {
    match value {
        _ if depth == 0 => text.push('…'),
        Value::Object(map) => write_object(map, text, depth),
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text, depth - 1);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

fn write_object(map: &Map<String, Value>, text: &mut String, depth: usize) {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| key.as_str());
    text.push('{');
    for (key, value) in entries {
        text.push_str(&Value::String(key.clone()).to_string());
        text.push(':');
        write(value, text, depth - 1);
        text.push(',');
    }
    text.push('}');
}

/// `message` with the texts of `arguments` and every number replaced, so that trivially varied calls fail alike.
fn masked(message: &str, arguments: &Value) -> String {
    let mut texts = Vec::new();
    gather(arguments, &mut texts, MAX_DEPTH);
    labels::without_numbers(&without(message, texts))
}

/// `text` with each of `texts` replaced, longest first.
fn without(text: &str, mut texts: Vec<&str>) -> String {
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.iter().fold(text.to_owned(), |text, part| text.replace(part, "§"))
}

fn gather<'a>(value: &'a Value, texts: &mut Vec<&'a str>, depth: usize) {
    match value {
        _ if depth == 0 || texts.len() >= 64 => {}
        Value::String(text) if text.len() >= MIN_MASKED => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts, depth - 1)),
        Value::Object(map) => map.values().for_each(|item| gather(item, texts, depth - 1)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use winclaw_tool::Failure;

    use super::*;

    fn kind(message: &str, arguments: &Value) -> Signature {
        result_of(&Err(Failure::tool_failed(message)), arguments, &[]).failure.expect("a failure").print
    }

    fn manifest(detail: &[&str], volatile: &[&str]) -> ToolManifest {
        let stated = json!({"name": "x", "category": "things", "summary": "S", "description": "D.", "side_effect": "read",
            "parameters": {"type": "object"}, "detail_keys": detail, "volatile_keys": volatile});
        serde_json::from_value(stated).expect("a manifest")
    }

    #[test]
    fn calls_are_about_the_same_thing_when_the_values_of_their_detail_keys_are() {
        let plain = manifest;
        let manifest = manifest(&["text", "in.dir", "send:to", "run"], &["run.id", "text2"]);
        let about = |value: Value| Sign::of(&manifest, &value).about;
        let one = about(json!({"text": "a", "limit": 5, "run": {"id": 1, "x": 2}}));
        assert!(one.is_some() && one == about(json!({"run": {"x": 2, "id": 7}, "limit": 9, "text": "a", "to": "bob"})));
        for other in [
            json!({"text": "b", "run": {"x": 2}}),
            json!({"text": "a", "run": {"x": 3}}),
            json!({"text": "a"}),
            json!({"text": "a", "run": {"x": 2}, "in": {"dir": "d"}}),
            json!({"text": "a", "run": {"x": 2}, "action": "send", "to": "bob"}),
        ] {
            assert_ne!(about(other.clone()), one, "{other}");
        }
        assert_eq!(about(json!({"limit": 5})), None, "nothing says what it is about");
        assert_eq!(Sign::of(&plain(&[], &[]), &json!({"text": "a"})).about, None);
        assert_eq!(Sign::of(&plain(&["a"], &["a"]), &json!({"a": 1})).about, None);
    }

    #[test]
    fn order_of_keys_and_volatile_values_do_not_matter_and_all_else_does() {
        let volatile = ["title", "run.id"];
        let sign = |value: Value| Sign::of(&manifest(&[], &volatile), &value).same;
        let call = sign(json!({"cmd": "noop", "run": {"id": 1, "dir": "a"}, "title": "one"}));
        assert_eq!(call, sign(json!({"title": "two", "run": {"dir": "a", "id": 2}, "cmd": "noop"})));
        assert_eq!(call, sign(json!({"run": {"dir": "a"}, "cmd": "noop"})));
        for other in [
            json!({"cmd": "noop"}),
            json!({"cmd": "noop", "run": {"dir": "b"}}),
            json!({"cmd": ["noop"], "run": {"dir": "a"}}),
        ] {
            assert_ne!(call, sign(other));
        }
        assert_ne!(sign(json!([1, 2])), sign(json!([2, 1])));
    }

    #[test]
    fn a_failure_is_the_same_when_only_numbers_and_arguments_differ() {
        let one = kind("no file /tmp/a1 (errno 2)", &json!({"path": "/tmp/a1"}));
        assert_eq!(one, kind("no file /tmp/b22 (errno 17)", &json!({"path": "/tmp/b22"})));
        assert_ne!(one, kind("no permission for /tmp/a1", &json!({"path": "/tmp/a1"})));
    }
}
