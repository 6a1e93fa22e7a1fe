use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::Regex;

use super::MARK;

/// Shortest value that is hidden by value: shorter ones are words that stand in harmless places too.
const SHORTEST: usize = 8;

/// Values that are known to be secret, such as the keys of the environment, to be hidden wherever they stand.
///
/// A value is found as it is, percent-encoded, escaped for JSON, and in base64, also as a part of what was encoded. Values
/// of less than 8 bytes, and those of less than 16 without a digit, are not taken: they would be words, as `not-needed` is.
/// Debug shows how many there are and none of them.
#[derive(Clone, Default)]
pub struct Secrets {
    count: usize,
    forms: Option<Regex>,
}

impl Secrets {
    /// The secrets with these values.
    pub fn of<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> Secrets {
        let values: Vec<String> = values.into_iter().map(|value| value.as_ref().trim().to_owned()).collect();
        let taken: Vec<&String> = values.iter().filter(|value| is_taken(value)).collect();
        let forms = taken.iter().flat_map(|value| forms(value)).collect();
        Secrets::matching(taken.len(), forms)
    }

    /// The secrets with these values as they are, percent-encoded or escaped for JSON, however short they are.
    pub(super) fn exactly<'a>(values: impl IntoIterator<Item = &'a String>) -> Secrets {
        let values: Vec<&String> = values.into_iter().collect();
        let forms = values.iter().flat_map(|value| [(*value).clone(), percent(value, false), json_escaped(value)]);
        Secrets::matching(values.len(), forms.collect())
    }

    fn matching(count: usize, mut forms: Vec<String>) -> Secrets {
        // The longest first: the first alternative that matches wins.
        forms.sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        forms.dedup();
        let alternatives: Vec<String> = forms.iter().map(|form| regex::escape(form)).collect();
        let forms = if alternatives.is_empty() { None } else { Regex::new(&alternatives.join("|")).ok() };
        Secrets { count, forms }
    }

    /// `text` with the mark in place of every known value, and nothing else changed.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.forms {
            Some(forms) => forms.replace_all(text, regex::NoExpand(MARK)),
            None => Cow::Borrowed(text),
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.count)
    }
}

fn is_taken(value: &str) -> bool {
    let digit = value.bytes().any(|b| b.is_ascii_digit());
    value.len() >= 16 || value.len() >= SHORTEST && digit
}

/// Every way in which a text may hold `value`.
fn forms(value: &str) -> Vec<String> {
    let escaped = json_escaped(value);
    let mut forms =
        vec![value.to_owned(), percent(value, false), percent(value, true), json_escaped(&escaped), escaped];
    forms.extend((0..3).flat_map(|offset| base64(value, offset)).filter(|form| form.len() >= SHORTEST));
    forms
}

fn json_escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(text).to_owned()
}

fn percent(value: &str, lower: bool) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = if lower { write!(out, "%{byte:02x}") } else { write!(out, "%{byte:02X}") };
        }
    }
    out
}

/// The characters of base64 that `value` alone decides when `offset` bytes stand before it and any bytes after it.
fn base64(value: &str, offset: usize) -> Vec<String> {
    let bytes = [&[0; 3][..offset], value.as_bytes()].concat();
    let head = (offset * 8).div_ceil(6);
    let tail = usize::from(!bytes.len().is_multiple_of(3));
    let inner = |encoded: String| encoded.get(head..encoded.len() - tail).unwrap_or_default().to_owned();
    vec![inner(STANDARD_NO_PAD.encode(&bytes)), inner(URL_SAFE_NO_PAD.encode(&bytes))]
}
