//! Values that were hidden once, and so are secret wherever they stand later.

use std::collections::BTreeSet;

use serde_json::Value;

use super::encoded::as_json;
use super::{MARK, Secrets};

/// Most values that are learnt; what a task hides beyond them is hidden where it is found and nowhere else.
const MOST: usize = 64;

/// Shortest and longest value that is learnt, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 6..=512;

/// What a writer has hidden so far. Words of a language and numbers are not learnt: they stand in harmless places too.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learnt {
    values: BTreeSet<String>,
    secrets: Secrets,
}

impl Learnt {
    /// `value` redacted with `known`, and without what was hidden in it or in values before it.
    pub(crate) fn redact(&mut self, known: &Secrets, value: &Value) -> Value {
        let clean = known.redact(value);
        let before = self.values.len();
        self.compare(value, &clean);
        if self.values.len() > before {
            self.secrets = Secrets::exactly(&self.values);
        }
        if self.values.is_empty() { clean } else { self.secrets.hide_in(clean) }
    }

    fn compare(&mut self, before: &Value, after: &Value) {
        match (before, after) {
            (Value::String(before), Value::String(after)) => self.compare_texts(before, after),
            (Value::Array(before), Value::Array(after)) => {
                before.iter().zip(after).for_each(|(before, after)| self.compare(before, after));
            }
            (Value::Object(before), Value::Object(after)) => {
                let both = before.iter().filter_map(|(key, value)| Some((value, after.get(key)?)));
                both.for_each(|(before, after)| self.compare(before, after));
            }
            (whole, Value::String(mark)) if mark == MARK => self.learn_all(whole),
            _ => {}
        }
    }

    fn compare_texts(&mut self, before: &str, after: &str) {
        if before == after || !after.contains(MARK) {
            return;
        }
        match (as_json(before), as_json(after)) {
            (Some(before), Some(after)) => self.compare(&before, &after),
            _ => self.learn_gaps(before, after),
        }
    }

    /// Learns what of `before` stands where `after` has marks: the text between two marks is found again in `before`.
    fn learn_gaps(&mut self, before: &str, after: &str) {
        let mut kept = after.split(MARK);
        let Some(mut rest) = kept.next().and_then(|head| before.strip_prefix(head)) else { return };
        let mut kept = kept.peekable();
        while let Some(text) = kept.next() {
            let end = match (text.is_empty(), kept.peek()) {
                (true, None) => Some(rest.len()),
                (true, Some(_)) => None,
                (false, None) => rest.ends_with(text).then(|| rest.len() - text.len()),
                (false, Some(_)) => rest.find(text),
            };
            let Some(end) = end else { return };
            self.learn(&rest[..end]);
            rest = &rest[end + text.len()..];
        }
    }

    fn learn_all(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.learn(text),
            Value::Array(items) => items.iter().for_each(|item| self.learn_all(item)),
            Value::Object(map) => map.values().for_each(|value| self.learn_all(value)),
            _ => {}
        }
    }

    fn learn(&mut self, value: &str) {
        let quote = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | '“' | '”');
        // A full stop behind a secret may end the sentence; without it the secret is still found.
        let value = value.trim_matches(quote).trim_end_matches(['.', ',', ';', ':', '!', '?']);
        if self.values.len() < MOST && LENGTH.contains(&value.chars().count()) && tells(value) {
            self.values.insert(value.to_owned());
        }
    }
}

/// Whether `value` is neither a number, a date, words of a language, nor a mark.
fn tells(value: &str) -> bool {
    let number = value.chars().all(|c| !c.is_alphabetic());
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    let mixed = value.chars().skip(1).any(char::is_uppercase) && value.chars().any(char::is_lowercase);
    let words = value.contains(' ') || !value.is_ascii();
    let sign = value.bytes().any(|b| b"!#$%^&*+=?@~".contains(&b));
    !number && !value.contains(MARK) && (digit || !words && (mixed || sign || value.len() >= 20))
}

#[cfg(test)]
mod tests;
