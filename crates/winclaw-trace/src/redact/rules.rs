use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::{Captures, Regex};

use super::names::{is_folder, is_secret};
use super::{MARK, patterns};

/// Whether any rule may match; false for most texts, and cheap.
pub(super) fn may_hold_secret(text: &str) -> bool {
    static MAY: LazyLock<Regex> = LazyLock::new(|| pattern(patterns::MAY));
    MAY.is_match(text)
}

/// `text` without what the rules find; nothing when they find nothing.
pub(super) fn apply(text: &str) -> Option<String> {
    let mut clean: Option<String> = None;
    for rule in RULES.iter() {
        let now = clean.as_deref().unwrap_or(text);
        if let std::borrow::Cow::Owned(changed) =
            rule.pattern.replace_all(now, |found: &Captures<'_>| (rule.put)(found))
        {
            clean = Some(changed);
        }
    }
    clean.filter(|clean| clean != text)
}

struct Rule {
    pattern: Regex,
    put: fn(&Captures<'_>) -> String,
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of this file")
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |text: &str, put| Rule { pattern: pattern(text), put };
    let (name, between, secret) = (patterns::NAME, patterns::BETWEEN, patterns::SECRET);
    vec![
        rule(patterns::PEM, |_| MARK.to_owned()),
        rule(patterns::SHAPES, |_| MARK.to_owned()),
        rule(patterns::VENDOR_KEY, |found| keep_unless(found, is_key)),
        rule(patterns::BEARER, |found| keep_unless(found, is_random)),
        rule(patterns::BASIC, |found| keep_unless(found, is_basic)),
        rule(patterns::USER_IN_URL, |found| format!("{}{MARK}{}", &found[1], &found[2])),
        rule(patterns::KEY_IN_URL, |found| {
            if is_key(&found[2]) { format!("{}{MARK}{}", &found[1], &found[3]) } else { found[0].to_owned() }
        }),
        rule(patterns::COOKIE, |found| format!("{}{MARK}", &found[1])),
        rule(patterns::QUERY, |found| keep_unless(found, is_random)),
        rule(patterns::CURL_USER, |found| format!("{}{MARK}", &found[1])),
        rule(patterns::ENV_LINE, hide_line),
        rule(patterns::ENV_ESCAPED, hide_line),
        rule(&format!(r#"(?i)({name})(\\+"\s*[:=]\s*\\+")([^"\\]+)"#), hide_value),
        rule(&format!("(?i)({name})({between})({secret})|(?i)((?:--|(?:^|\\s)-){name})(\\s+)({secret})"), hide_value),
        rule(&format!("(?i)({name})({}){}", patterns::PAIRED, r#"([^"\\]+)"#), hide_value),
        rule(&format!(r#"(?i)(--{name})(\\*["']\s*,\s*\\*["'])([^"'\\]+)"#), hide_value),
        rule(&format!("(?i)({name})((?:%22|%20)*%3[ad](?:%22|%20)*)({})", patterns::URL_SECRET), hide_value),
        rule(
            r#"(?i)((?:密码|密碼|口令|密钥|令牌|password|passcode|passphrase|api[ _-]?key)(?:\s+is)?\s+["'“]?)([!-~&&[^"']]{6,})"#,
            |found| keep_unless(found, |word| is_random(word) && word.bytes().any(|b| b.is_ascii_digit())),
        ),
    ]
});

/// The first group and the mark when the second is secret by `test`; else what was found.
fn keep_unless(found: &Captures<'_>, test: fn(&str) -> bool) -> String {
    if test(&found[2]) { format!("{}{MARK}", &found[1]) } else { found[0].to_owned() }
}

/// Whether a word looks drawn by lot and not written by a person: it has digits, both cases, or a very long run.
fn is_random(word: &str) -> bool {
    let longest = word.split(['-', '_', '.']).map(str::len).max().unwrap_or(0);
    has_digit(word) || is_mixed(word) || longest >= 20
}

/// Whether a word looks like the body of a key: a long run that looks drawn by lot, and not words with hyphens.
fn is_key(word: &str) -> bool {
    let run = |run: &str| run.len() >= 12 && (has_digit(run) || is_mixed(run) || run.len() >= 20);
    word.split(['-', '_', '.']).any(run) || word.len() >= 30 && has_digit(word) && is_mixed(word)
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
}

fn is_mixed(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_uppercase()) && word.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether a word is `user:password` in base64.
fn is_basic(word: &str) -> bool {
    const ANY: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const ENGINE: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, ANY);
    ENGINE.decode(word).is_ok_and(|bytes| bytes.contains(&b':') && bytes.iter().all(|b| *b >= b' ' && *b != 0x7f))
}

/// Keeps the name, what stands between, and the quotes.
fn hide_value(found: &Captures<'_>) -> String {
    let mut parts = found.iter().skip(1).flatten().map(|part| part.as_str());
    let (Some(name), Some(between), Some(secret)) = (parts.next(), parts.next(), parts.next()) else {
        return found[0].to_owned();
    };
    let quote = secret.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')).map(String::from).unwrap_or_default();
    let inner = secret.trim_matches(['"', '\'', '`']);
    if !is_secret(name.trim_start().trim_start_matches('-')) || inner.is_empty() || stands_for_secret(name, inner) {
        return found[0].to_owned();
    }
    format!("{name}{between}{quote}{MARK}{quote}")
}

/// Hides the whole value of a variable on a line of its own.
fn hide_line(found: &Captures<'_>) -> String {
    let value = found[4].trim().trim_matches(['"', '\'']);
    if !is_secret(&found[2]) || value.is_empty() || stands_for_secret(&found[2], value) {
        return found[0].to_owned();
    }
    format!("{}{}{}{MARK}", &found[1], &found[2], &found[3])
}

/// Whether a value is no secret itself: the name of a variable, a gap to fill in, stars, or the folder in `PWD`.
fn stands_for_secret(name: &str, value: &str) -> bool {
    static STANDS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:\$\{?[A-Z_][A-Z0-9_]*\}?|%[A-Z_][A-Z0-9_]*%|<[^<>]*>|\*+|\.{3,}|…)$"));
    STANDS.is_match(value) || name.to_ascii_lowercase().ends_with("pwd") && is_folder(value)
}
