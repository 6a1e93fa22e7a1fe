use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::{Captures, Regex};

use super::names::{is_folder, is_secret};
use super::{MARK, patterns};

mod words;

use words::{is_plain, is_sentence, is_short_password};

/// Whether any rule may match; false for most texts, and cheap.
pub(super) fn may_hold_secret(text: &str) -> bool {
    static MAY: LazyLock<Regex> = LazyLock::new(|| pattern(patterns::MAY));
    MAY.is_match(text)
}

/// `text` without what the rules find; nothing when they find nothing.
pub(super) fn apply(text: &str) -> Option<String> {
    let mut clean: Option<String> = None;
    for rule in RULES.iter() {
        if let Some(changed) = rule.apply(clean.as_deref().unwrap_or(text)) {
            clean = Some(changed);
        }
    }
    clean.filter(|clean| clean != text)
}

struct Rule {
    pattern: Regex,
    /// What stands in place of what was found; the text behind it is the second argument.
    put: fn(&Captures<'_>, &str) -> String,
}

impl Rule {
    fn apply(&self, text: &str) -> Option<String> {
        let (mut out, mut end) = (String::new(), 0);
        for found in self.pattern.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            out.push_str(&text[end..whole.start()]);
            out.push_str(&(self.put)(&found, &text[whole.end()..]));
            end = whole.end();
        }
        out.push_str(&text[end..]);
        (end > 0 && out != text).then_some(out)
    }
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of this file")
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| by_shape().into_iter().chain(by_name()).collect());

fn rule(text: &str, put: fn(&Captures<'_>, &str) -> String) -> Rule {
    Rule { pattern: pattern(text), put }
}

/// Secrets that are known by how they look, or by where they stand in an address or a command.
fn by_shape() -> Vec<Rule> {
    vec![
        rule(patterns::PEM, |_, _| MARK.to_owned()),
        rule(patterns::SHAPES, mark_second),
        rule(patterns::VENDOR_KEY, |found, _| keep_unless(found, is_key)),
        rule(patterns::BEARER, |found, _| keep_unless(found, is_random)),
        rule(patterns::BASIC, |found, _| keep_unless(found, is_basic)),
        rule(patterns::USER_IN_URL, |found, _| format!("{}{MARK}{}", &found[1], &found[2])),
        rule(patterns::KEY_IN_URL, |found, _| {
            if is_key(&found[2]) { format!("{}{MARK}{}", &found[1], &found[3]) } else { found[0].to_owned() }
        }),
        rule(patterns::COOKIE, mark_second),
        rule(patterns::HOOKS, mark_second),
        rule(patterns::SLACK_HOOK, mark_second),
        rule(patterns::QUERY, |found, _| keep_unless(found, is_random)),
        rule(patterns::CURL_USER, mark_second),
        rule(patterns::COMMANDS, |found, _| keep_unless(found, |word| !stands_for_secret("", unquoted(word).1))),
    ]
}

/// Secrets that follow a telling name.
fn by_name() -> Vec<Rule> {
    let (name, between, secret) = (patterns::NAME, patterns::BETWEEN, patterns::SECRET);
    vec![
        rule(patterns::ENV_LINE, hide_line),
        rule(patterns::ENV_ESCAPED, hide_line),
        rule(&format!(r#"(?i)({name})(\\+"\s*[:=]\s*\\+")([^"\\]+)"#), hide_value),
        rule(&format!("(?i)({name})({between})({secret})|(?i)((?:--|(?:^|\\s)-){name})(\\s+)({secret})"), hide_value),
        rule(&format!("(?i)({name})({}){}", patterns::PAIRED, r#"([^"\\]+)"#), hide_value),
        rule(&format!(r#"(?i)(--{name})(\\*["']\s*,\s*\\*["'])([^"'\\]+)"#), hide_value),
        rule(&format!("(?i)({name})((?:%22|%20)*%3[ad](?:%22|%20)*)({})", patterns::URL_SECRET), hide_value),
        rule(&format!(r"(?i)({name})((?:\s[^<>]*)?>(?:<!\[CDATA\[)?)([^<>]+)(</|\]\]>)"), hide_element),
        rule(patterns::VARIABLE, hide_variable),
        rule(patterns::BARE_HEADER, |found, _| keep_unless(found, |word| !is_plain(word) && !is_mark(word))),
        rule(patterns::SHORT_NAME, |found, rest| {
            let hide = is_short_password(&found[2], rest) && !is_mark(&found[2]) && !stands_for_secret("", &found[2]);
            if hide { mark_second(found, rest) } else { found[0].to_owned() }
        }),
        rule(patterns::CHINESE_NAME, |found, _| keep_unless(found, words::is_typed_password)),
        rule(patterns::ENGLISH_NAME, |found, _| keep_unless(found, |word| is_random(word) && has_digit(word))),
    ]
}

/// The first group as it is and the mark behind it.
fn mark_second(found: &Captures<'_>, _: &str) -> String {
    format!("{}{MARK}", &found[1])
}

fn is_mark(word: &str) -> bool {
    word.starts_with("[redacted")
}

/// A word without its quotes, between what was taken off it.
fn unquoted(word: &str) -> (&str, &str, &str) {
    let quote = |c| matches!(c, '"' | '\'' | '`' | '\\');
    let inner = word.trim_start_matches(quote);
    let (head, bare) = (&word[..word.len() - inner.len()], inner.trim_end_matches(quote));
    (head, bare, &inner[bare.len()..])
}

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
fn hide_value(found: &Captures<'_>, rest: &str) -> String {
    let mut parts = found.iter().skip(1).flatten().map(|part| part.as_str());
    let (Some(name), Some(between), Some(secret)) = (parts.next(), parts.next(), parts.next()) else {
        return found[0].to_owned();
    };
    let (open, close) = quotes(secret);
    let inner = secret.strip_prefix(open).unwrap_or(secret);
    let inner = inner.strip_suffix(close).unwrap_or(inner);
    let bare = name.trim_start().trim_start_matches('-');
    let colon = between.contains([':', '：']) && between.ends_with(' ');
    let said = colon && open.is_empty() && is_sentence(bare, inner, rest);
    if !is_secret(bare) || inner.is_empty() || said || stands_for_secret(name, inner) {
        return found[0].to_owned();
    }
    format!("{name}{between}{open}{MARK}{close}")
}

/// The quotes around `secret`; the second is empty where it was cut off.
fn quotes(secret: &str) -> (&'static str, &'static str) {
    const PAIRS: [(&str, &str); 8] =
        [("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("‘", "’"), ("«", "»"), ("「", "」"), ("『", "』")];
    let pair = PAIRS.into_iter().find(|(open, _)| secret.starts_with(open));
    pair.map_or(("", ""), |(open, close)| (open, if secret.ends_with(close) { close } else { "" }))
}

/// Hides what an element of XML holds.
fn hide_element(found: &Captures<'_>, _: &str) -> String {
    let value = found[3].trim();
    if !is_secret(&found[1]) || value.is_empty() || stands_for_secret(&found[1], value) {
        return found[0].to_owned();
    }
    format!("{}{}{MARK}{}", &found[1], &found[2], &found[4])
}

/// Hides the whole value of a variable on a line of its own.
fn hide_line(found: &Captures<'_>, _: &str) -> String {
    let value = found[4].trim().trim_matches(['"', '\'']);
    if !is_secret(&found[2]) || value.is_empty() || stands_for_secret(&found[2], value) {
        return found[0].to_owned();
    }
    format!("{}{}{}{MARK}", &found[1], &found[2], &found[3])
}

/// Hides the value of a variable and keeps its quotes.
fn hide_variable(found: &Captures<'_>, _: &str) -> String {
    let (head, value, tail) = unquoted(&found[4]);
    if !is_secret(&found[2]) || value.is_empty() || stands_for_secret(&found[2], value) {
        return found[0].to_owned();
    }
    format!("{}{}{}{head}{MARK}{tail}", &found[1], &found[2], &found[3])
}

/// Whether a value is no secret itself: the name of a variable, a gap to fill in, stars, or the folder in `PWD`.
fn stands_for_secret(name: &str, value: &str) -> bool {
    static STANDS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:\$\{?[A-Z_][A-Z0-9_]*\}?|%[A-Z_][A-Z0-9_]*%|<[^<>]*>|\*+|\.{3,}|…)$"));
    STANDS.is_match(value) || name.to_ascii_lowercase().ends_with("pwd") && is_folder(value)
}
