use std::borrow::Cow;

use serde_json::{Map, Value};

mod encoded;
mod known;
mod learnt;
mod names;
mod patterns;
mod rules;

pub use known::Secrets;
pub(crate) use learnt::Learnt;
use names::hides;

/// Whether what a variable, header, field or option of this name holds counts as a secret; see [`redact`].
pub fn is_secret_name(name: &str) -> bool {
    names::is_secret(name)
}

/// What stands in place of a secret.
pub const MARK: &str = "[redacted]";

/// `value` without secrets: the same shape, with [`MARK`] in place of what must not be kept.
///
/// Three things count as secret: what a telling name holds (`{"api_key": …}`, `["Cookie", …]`, `["--password", …]`,
/// `{"name": "Authorization", "value": …}`); inside any string, what follows a telling name (`password=…`, `密码：…`,
/// `--token …`); and inside any string, what looks like a key by its shape (`sk-…`, `Bearer …`, `AKIA…`, `ghp_…`, JSON
/// web tokens, PEM private keys, a password in a URL). A string that is JSON is taken as JSON, however deep it nests.
/// Numbers under a telling name are hidden, booleans and null are not. Ids, hashes, file names and token counts stay.
/// Redacting twice changes nothing more. Every member of an object and every item of an array keeps its place.
pub fn redact(value: &Value) -> Value {
    Secrets::default().redact(value)
}

/// `text` without the secrets in it; see [`redact`].
pub fn redact_text(text: &str) -> Cow<'_, str> {
    Secrets::default().redact_text(text)
}

impl Secrets {
    /// As [`redact`], and without the known values in any of their forms.
    pub fn redact(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact_text(text).into_owned()),
            Value::Array(items) => Value::Array(self.items(items)),
            Value::Object(map) => Value::Object(self.map(map)),
            other => other.clone(),
        }
    }

    /// As [`redact_text`], and without the known values in any of their forms.
    pub fn redact_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let hidden = self.hide(text);
        if !rules::may_hold_secret(&hidden) {
            return hidden;
        }
        let clean = match encoded::as_json(&hidden) {
            Some(value) => encoded::rewritten(&hidden, &value, &self.redact(&value)),
            None => rules::apply(&hidden),
        };
        match clean {
            Some(clean) => Cow::Owned(clean),
            None => hidden,
        }
    }

    /// `value` with the mark in place of every known value in its strings and names, and nothing else changed.
    fn hide_in(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.hide(&text) {
                Cow::Owned(clean) => Value::String(clean),
                Cow::Borrowed(_) => Value::String(text),
            },
            Value::Array(items) => items.into_iter().map(|item| self.hide_in(item)).collect(),
            Value::Object(map) => {
                let mut clean = Map::new();
                for (key, value) in map {
                    clean.insert(free(&clean, self.hide(&key)), self.hide_in(value));
                }
                Value::Object(clean)
            }
            other => other,
        }
    }

    /// A header as a pair, `["Cookie", "…"]`; headers one after another; and the words of a command line.
    fn items(&self, items: &[Value]) -> Vec<Value> {
        let after_name = |n: usize| {
            let name = items.get(n.checked_sub(1)?)?.as_str()?;
            let pair = items.len() == 2 && !is_name(&items[1]);
            let header = items.len().is_multiple_of(2) && !n.is_multiple_of(2) && names::is_header(name);
            let flag = names::is_flag(name);
            (pair || header || flag).then_some(name)
        };
        let item = |(n, item): (usize, &Value)| match after_name(n) {
            Some(name) if hides(name, item) => hidden(item),
            _ => self.redact(item),
        };
        items.iter().enumerate().map(item).collect()
    }

    fn map(&self, map: &Map<String, Value>) -> Map<String, Value> {
        let named = ["name", "key", "header", "field", "k", "id"];
        let name = named.iter().filter_map(|key| map.get(*key)?.as_str()).find(|name| names::is_secret(name));
        let mut clean = Map::new();
        for (key, value) in map {
            let named = matches!(key.as_str(), "value" | "val" | "v" | "content");
            let hide = hides(key, value) || named && name.is_some_and(|name| hides(name, value));
            let value = if hide { hidden(value) } else { self.redact(value) };
            clean.insert(free(&clean, self.redact_text(key)), value);
        }
        clean
    }
}

/// `key`, numbered when two secrets became the same key.
fn free(map: &Map<String, Value>, key: Cow<'_, str>) -> String {
    let numbered = (2..).map(|n| format!("{key} {n}"));
    let mut keys = std::iter::once(key.to_string()).chain(numbered);
    keys.find(|key| !map.contains_key(key)).unwrap_or_default()
}

fn is_name(value: &Value) -> bool {
    value.as_str().is_some_and(names::is_secret)
}

/// What a telling name held: the mark, except where there is nothing to hide.
fn hidden(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::String(text) if text.is_empty() => value.clone(),
        _ => Value::String(MARK.to_owned()),
    }
}

#[cfg(test)]
mod tests;
