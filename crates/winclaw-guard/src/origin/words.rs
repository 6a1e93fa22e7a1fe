//! The destinations that a text names: the words of a person, a command, a result.

use super::destination::{self, Destination, Link, Places};
use super::reading::Reading;

/// How much of a text is looked at, in bytes, and most words of it.
const MAX_TEXT: usize = 65_536;
const MAX_WORDS: usize = 8_192;

/// How much of a result is looked through for links, in bytes, and most links of one.
const MAX_RESULT: usize = 1_048_576;
const MAX_LINKS: usize = 1_024;

/// Every destination that stands in `text`.
pub(crate) fn read(text: &str, places: &Places) -> Reading {
    let mut found = Reading { more: text.len() > MAX_TEXT, ..Reading::default() };
    for word in candidates(head(text, MAX_TEXT)).take(MAX_WORDS) {
        if let Some(led) = destination::url(word, places) {
            found.to.extend(led.to);
            found.links.extend(led.link);
        } else if let Some(address) = destination::address(word) {
            found.to.insert(address);
        } else if destination::is_path(word) {
            found.to.insert(destination::path(word, places));
        } else if let Some(host) = destination::bare_host(word) {
            found.to.insert(Destination::Host(host));
        }
    }
    found
}

/// The words of a text that may be destinations: as white space and quotes part them, and, where other scripts stand
/// beside them without a space, the runs of ASCII.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(is_between).flat_map(|word| {
        let runs = word.split(|c: char| !c.is_ascii()).filter(move |run| run.len() < word.len());
        let link = word.find("://").map(|at| &word[scheme(word, at)..]);
        std::iter::once(word).chain(runs).chain(link)
    });
    // Paths with spaces stand in quotes.
    let quoted = text.split(is_quote).filter(|part| part.contains(' ') && destination::is_path(part));
    words
        .chain(quoted)
        .flat_map(|word| {
            let bare = word.trim_matches(is_around).trim_end_matches(['.', ',', ':', ';', '!', '?']);
            // `--url=host` and `@file` of commands.
            let value = bare.split_once('=').map(|(_, value)| value).or_else(|| bare.strip_prefix('@'));
            std::iter::once(bare).chain(value)
        })
        .filter(|word| word.len() > 1)
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || is_quote(c) || matches!(c, ',' | ';' | '，' | '；' | '、' | '！' | '？' | '|' | '<' | '>')
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '「' | '」' | '《' | '》' | '（' | '）' | '【' | '】')
}

fn is_around(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '。' | '：')
}

/// The links that stand in a result, each as it is written and with `&amp;` read as HTML does.
pub(crate) fn links(text: &str, places: &Places) -> Vec<Link> {
    let text = head(text, MAX_RESULT);
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '\\' | '{' | '}' | '|' | '^');
    let whole = text.match_indices("://").map(|(at, _)| text[scheme(text, at)..].split(ends).next().unwrap_or(""));
    let forms = whole.flat_map(|link| {
        let trimmed = link.trim_end_matches(['.', ',', ':', ';', '!', '?']);
        let inner = trimmed.strip_suffix([')', ']']).unwrap_or(trimmed);
        let bare = inner.trim_end_matches([')', ']', '.', ',']);
        [link.to_owned(), inner.to_owned(), bare.to_owned(), trimmed.replace("&amp;", "&")]
    });
    forms.filter_map(|link| destination::url(&link, places)?.link).take(MAX_LINKS * 4).collect()
}

/// Where the scheme begins that ends at `at`.
fn scheme(text: &str, at: usize) -> usize {
    at - text[..at].bytes().rev().take(12).take_while(u8::is_ascii_alphabetic).count()
}

/// Whether the person's folded `said` has the folded `name` as whole words; between Chinese characters there are none.
pub(crate) fn says(said: &str, name: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let stands_alone = |(at, part): (usize, &str)| {
        let (before, after) = (said[..at].chars().next_back(), said[at + part.len()..].chars().next());
        let starts = joins(name.chars().next()) && joins(before);
        let ends = joins(name.chars().next_back()) && joins(after);
        !starts && !ends
    };
    !name.is_empty() && said.match_indices(name).any(stands_alone)
}

/// The first `bytes` of `text`, not cutting a character.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
