use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

/// What stands in place of a secret.
pub const MARK: &str = "[redacted]";

/// `value` without secrets: the same shape, with [`MARK`] in place of what must not be kept.
///
/// Three things count as secret: what a telling name holds (`{"api_key": …}`, `["Cookie", …]`,
/// `{"name": "Authorization", "value": …}`); inside any string, what follows a telling name (`password=…`, `密码：…`,
/// `--token …`); and inside any string, what looks like a key by its shape (`sk-…`, `Bearer …`, `AKIA…`, `ghp_…`, JSON
/// web tokens, PEM private keys, a password in a URL). Numbers under a telling name are hidden, booleans and null are
/// not. Ids, hashes, file names and token counts stay. Redacting twice changes nothing more.
pub fn redact(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact_text(text).into_owned()),
        Value::Array(items) => Value::Array(redact_items(items)),
        Value::Object(map) => Value::Object(redact_map(map)),
        other => other.clone(),
    }
}

/// A header as a pair: `["Cookie", "…"]`.
fn redact_items(items: &[Value]) -> Vec<Value> {
    match items {
        [Value::String(name), secret] if is_secret_name(name) && !secret.is_boolean() && !secret.is_null() => {
            vec![Value::String(name.clone()), hidden(secret)]
        }
        _ => items.iter().map(redact).collect(),
    }
}

fn redact_map(map: &Map<String, Value>) -> Map<String, Value> {
    let named = ["name", "key", "header"].iter().filter_map(|key| map.get(*key)?.as_str()).any(is_secret_name);
    let redact_entry = |(key, value): (&String, &Value)| {
        let hide = is_secret_name(key) || named && key == "value";
        let value = if hide { hidden(value) } else { redact(value) };
        (redact_text(key).into_owned(), value)
    };
    map.iter().map(redact_entry).collect()
}

/// What a telling name held: the mark, except where there is nothing to hide.
fn hidden(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::String(text) if text.is_empty() => value.clone(),
        _ => Value::String(MARK.to_owned()),
    }
}

/// Names that hold a secret when they stand alone, in lower case and without separators.
const WHOLE: [&str; 12] = [
    "authorization",
    "proxyauthorization",
    "cookie",
    "cookies",
    "setcookie",
    "pwd",
    "pass",
    "credential",
    "credentials",
    "jwt",
    "otp",
    "auth",
];

/// Ends of names that hold a secret, in lower case and without separators.
const ENDS: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "apikey",
    "privatekey",
    "secretkey",
    "accesskey",
    "authkey",
];

/// Names that end like a secret and hold none: places in a list of results.
const HARMLESS: [&str; 5] = ["pagetoken", "nexttoken", "continuationtoken", "synctoken", "maxtoken"];

const CHINESE: [&str; 5] = ["密码", "口令", "密钥", "令牌", "私钥"];

fn is_secret_name(name: &str) -> bool {
    if name.len() > 128 {
        return false;
    }
    let bare: String =
        name.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).flat_map(char::to_lowercase).collect();
    let harmless = HARMLESS.iter().any(|end| bare.ends_with(end));
    let telling = WHOLE.contains(&bare.as_str()) || ENDS.iter().any(|end| bare.ends_with(end));
    telling && !harmless || CHINESE.iter().any(|word| bare.ends_with(word))
}

/// `text` without the secrets in it; see [`redact`].
pub fn redact_text(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for rule in RULES.iter() {
        if let Cow::Owned(changed) = rule.pattern.replace_all(&clean, |found: &Captures<'_>| (rule.put)(found)) {
            clean = Cow::Owned(changed);
        }
    }
    clean
}

struct Rule {
    pattern: Regex,
    put: fn(&Captures<'_>) -> String,
}

/// `(?-u:\b)` is a boundary of ASCII words, so that a key right after a Chinese character is still found.
const SHAPES: &str = concat!(
    r"(?-u:\b)(?:",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",
    r"|gh[pousr]_[A-Za-z0-9]{16,}",
    r"|github_pat_[A-Za-z0-9_]{20,}",
    r"|glpat-[A-Za-z0-9_-]{16,}",
    r"|gsk_[A-Za-z0-9]{20,}",
    r"|xai-[A-Za-z0-9]{20,}",
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}",
    r"|AIza[0-9A-Za-z_-]{30,}",
    r"|hf_[A-Za-z0-9]{20,}",
    r"|npm_[A-Za-z0-9]{30,}",
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}",
    r"|eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?",
    r")",
);

const PEM: &str = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)";

const VENDOR_KEY: &str = r"(^|[^A-Za-z0-9_-])(sk-[A-Za-z0-9_-]{12,})";

const BEARER: &str = r"(?i)(?-u:\b)(bearer\s+)([A-Za-z0-9._~+/=-]{8,})";

const USER_IN_URL: &str = r"(://)[^/\s:@]*:[^/\s@]+(@)";

const COOKIE: &str = r#"(?i)((?-u:\b)(?:set-)?cookie\s*:\s*)([^\r\n"]+)"#;

/// A telling name as it stands in running text. What it matches is still asked of [`is_secret_name`].
const NAME: &str = concat!(
    r"(?:[A-Za-z0-9_.-]{0,64}(?:password|passwd|passphrase|passcode|secret|token|(?:api|private|secret|access|auth)[_.-]?key)",
    r"|(?:proxy-)?authorization|pwd|密码|口令|密钥|令牌|私钥)",
);

/// The secret after a telling name: quoted, or ASCII up to what ends a value in code, JSON, URLs and sentences.
const SECRET: &str = concat!(
    r"(?:\[redacted\]",
    r#"|"[^"]*"|'[^']*'"#,
    r#"|(?:(?:bearer|basic|digest|token|negotiate)\s+)?(?:\[redacted\]|[!-~&&[^"'\\,;&}\])]]{3,}))"#,
);

static RULES: LazyLock<[Rule; 8]> = LazyLock::new(|| {
    let rule = |pattern: &str, put| Rule { pattern: Regex::new(pattern).expect("a pattern of this file"), put };
    let pair = format!(r#"(?i)({NAME})(\\*["']?\s*(?:[:=：＝]|是|为)\s*\\*)({SECRET})"#);
    let quoted = format!(r#"(?i)({NAME})(\\+"\s*[:=]\s*\\+")([^"\\]+)"#);
    let flag = format!(r"(?i)(--{NAME})(\s+)({SECRET})");
    [
        rule(PEM, |_| MARK.to_owned()),
        rule(SHAPES, |_| MARK.to_owned()),
        rule(
            VENDOR_KEY,
            |found| {
                if is_random(&found[2]) { format!("{}{MARK}", &found[1]) } else { found[0].to_owned() }
            },
        ),
        rule(BEARER, |found| if is_random(&found[2]) { format!("{}{MARK}", &found[1]) } else { found[0].to_owned() }),
        rule(USER_IN_URL, |found| format!("{}{MARK}{}", &found[1], &found[2])),
        rule(COOKIE, |found| format!("{}{MARK}", &found[1])),
        rule(&quoted, hide_value),
        rule(&format!("{pair}|{flag}"), hide_value),
    ]
});

/// Whether a word looks drawn by lot and not written by a person: it has digits, both cases, or a very long run.
fn is_random(word: &str) -> bool {
    let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
    let mixed = has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
    let longest = word.split(['-', '_', '.']).map(str::len).max().unwrap_or(0);
    has(char::is_ascii_digit) || mixed || longest >= 20
}

/// Keeps the name, what stands between, and the quotes.
fn hide_value(found: &Captures<'_>) -> String {
    let mut parts = found.iter().skip(1).flatten().map(|part| part.as_str());
    let (Some(name), Some(between), Some(secret)) = (parts.next(), parts.next(), parts.next()) else {
        return found[0].to_owned();
    };
    let quote = secret.chars().next().filter(|c| matches!(c, '"' | '\'')).map(String::from).unwrap_or_default();
    if !is_secret_name(name) || secret.len() == 2 * quote.len() {
        return found[0].to_owned();
    }
    format!("{name}{between}{quote}{MARK}{quote}")
}

#[cfg(test)]
mod tests;
