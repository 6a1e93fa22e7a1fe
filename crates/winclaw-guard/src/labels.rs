//! Parameters that say something about a call and change nothing in it, though no manifest declares them so.

use serde_json::{Map, Value};
use winclaw_tool::{DetailKey, SideEffect, ToolManifest};

use crate::shape;

/// Names of such parameters, in lower case and without separators. They count only where the schema does not require
/// them, no detail key names them, and something else says what the call does.
const NAMES: [&str; 46] = [
    "attempt",
    "cachebust",
    "cachebuster",
    "callid",
    "caption",
    "comment",
    "correlationid",
    "desc",
    "description",
    "displayname",
    "explanation",
    "intent",
    "intention",
    "iteration",
    "justification",
    "label",
    "meta",
    "metadata",
    "marker",
    "nonce",
    "note",
    "notes",
    "now",
    "purpose",
    "rationale",
    "reason",
    "reasoning",
    "remark",
    "requestid",
    "retry",
    "retrycount",
    "round",
    "salt",
    "seq",
    "sequence",
    "statusmessage",
    "step",
    "taskdescription",
    "thinking",
    "thought",
    "thoughts",
    "timestamp",
    "title",
    "traceid",
    "ts",
    "why",
];

/// Shortest run of letters and digits that is taken for an id when it has both, in characters.
const ID: usize = 8;

/// `arguments` without what is only a label, for comparing; `None` where there is nothing of the kind.
///
/// Where the schema requires other parameters, or a detail key has a value, labels are left out; elsewhere only what
/// varies in them is: numbers, ids and case. Of a tool that only reads, the same holds for every optional text.
pub(crate) fn without(manifest: &ToolManifest, arguments: &Value) -> Option<Value> {
    let map = arguments.as_object()?;
    let view = View::of(manifest, map);
    let changed = map.iter().any(|(key, value)| view.plain(key, value).as_ref() != Some(value));
    changed.then(|| map.iter().filter_map(|(key, value)| Some((key.clone(), view.plain(key, value)?))).collect())
}

/// `arguments` without labels, wherever other parameters are left; `None` where there are no labels.
pub(crate) fn core(manifest: &ToolManifest, arguments: &Value) -> Option<Value> {
    let map = arguments.as_object()?;
    let view = View::of(manifest, map);
    let has_labels = view.has_others && map.keys().any(|key| view.is_label(key));
    let kept = || map.iter().filter(|(key, _)| !view.is_label(key)).map(|(key, value)| (key.clone(), value.clone()));
    has_labels.then(|| kept().collect())
}

/// What is known of the parameters of a call.
struct View<'a> {
    manifest: &'a ToolManifest,
    details: Vec<&'a str>,
    /// Whether parameters that are no labels say what the call does, as far as the manifest tells.
    stated: bool,
    has_others: bool,
}

impl<'a> View<'a> {
    fn of(manifest: &'a ToolManifest, map: &Map<String, Value>) -> View<'a> {
        let details = manifest.detail_keys.iter().map(|entry| DetailKey::read(entry).parameter()).collect();
        let mut view = View { manifest, details, stated: false, has_others: false };
        view.has_others = map.keys().any(|key| !view.is_label(key) && !manifest.volatile_keys.contains(key));
        view.stated = map.keys().any(|key| view.is_stated(key));
        view
    }

    fn is_stated(&self, key: &str) -> bool {
        let schema = &self.manifest.parameters;
        self.details.contains(&key) || shape::requires(schema, schema, key)
    }

    fn is_label(&self, key: &str) -> bool {
        let plain: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        NAMES.contains(&plain.as_str())
            && !self.is_stated(key)
            && !self.manifest.destructive_if.iter().any(|one| one == key)
    }

    /// The value as it counts; `None` if it does not.
    fn plain(&self, key: &str, value: &Value) -> Option<Value> {
        match self.is_label(key) && self.has_others {
            true if self.stated => None,
            true => Some(skeleton(value)),
            false => Some(self.optional(key, value)),
        }
    }

    fn optional(&self, key: &str, value: &Value) -> Value {
        let reads = self.manifest.side_effect == SideEffect::Read;
        match value {
            Value::String(text) if reads && self.stated && !self.is_stated(key) && has_letters(text) => skeleton(value),
            other => other.clone(),
        }
    }
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// What stays of a label when numbers, ids and case do not count.
fn skeleton(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(plain_words(text)),
        Value::Array(_) | Value::Object(_) => value.clone(),
        _ => Value::from("#"),
    }
}

fn plain_words(text: &str) -> String {
    let word = |word: &str| {
        let (letters, digits) = (has_letters(word), word.chars().any(char::is_numeric));
        let is_id = letters && digits && word.chars().nth(ID - 1).is_some();
        if is_id { "#".to_owned() } else { without_numbers(&word.to_lowercase()) }
    };
    text.split(|c: char| !c.is_alphanumeric()).map(word).collect::<Vec<_>>().join(" ")
}

/// `text` with each number replaced by one mark.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_numeric() && plain.ends_with('#') => {}
            c if c.is_numeric() => plain.push('#'),
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest(side_effect: &str, required: &[&str], detail: &[&str]) -> ToolManifest {
        let stated = json!({"name": "x", "category": "things", "summary": "S", "description": "D.", "side_effect": side_effect,
            "detail_keys": detail, "parameters": {"type": "object", "required": required, "properties": {}}});
        serde_json::from_value(stated).expect("a manifest")
    }

    #[test]
    fn a_label_beside_what_is_required_does_not_count() {
        let tool = manifest("external", &["cmd"], &[]);
        for label in [json!("noop 1"), json!("looking again"), json!(7)] {
            assert_eq!(without(&tool, &json!({"cmd": "ls", "Title": label})), Some(json!({"cmd": "ls"})));
        }
        assert_eq!(without(&tool, &json!({"cmd": "ls", "dir": "a1"})), None, "what changes the world counts whole");
        assert_eq!(without(&tool, &json!({"title": "a"})), None, "a label alone is what the call is about");
    }

    #[test]
    fn a_label_that_is_required_or_a_detail_counts() {
        for tool in [manifest("write", &["title", "list"], &[]), manifest("write", &["list"], &["title"])] {
            assert_eq!(without(&tool, &json!({"list": "home", "title": "Milk 1"})), None);
        }
    }

    #[test]
    fn where_nothing_is_required_only_what_varies_in_a_label_is_left_out() {
        let tool = manifest("write", &[], &[]);
        let plain = |title: &str| without(&tool, &json!({"cmd": "ls", "title": title}));
        assert_eq!(plain("noop1"), plain("Noop 22").map(|_| plain("noop1").expect("a value")));
        assert_eq!(plain("try 5f3a9c2e11"), plain("try 77bb01aa2c"));
        assert_ne!(plain("Milk"), plain("Bread"));
        assert_eq!(core(&tool, &json!({"cmd": "ls", "title": "Milk"})), Some(json!({"cmd": "ls"})));
    }

    #[test]
    fn of_what_only_reads_numbers_in_optional_texts_do_not_count() {
        let tool = manifest("read", &["q"], &[]);
        let plain = |more: Value| without(&tool, &json!({"q": "a1", "more": more}));
        assert_eq!(plain(json!("tab7")), plain(json!("tab8")));
        assert_eq!(plain(json!(7)), None, "a number may be a page");
        assert_eq!(plain(json!("7")), None);
    }
}
