use winclaw_catalog::names::{Word, is_cjk, words};

use crate::stop::is_stop;

/// Most clauses a text is split into; the last holds the rest.
const MOST: usize = 16;

/// Signs that end a clause wherever they stand.
const SIGNS: [char; 15] = ['。', '；', '，', '、', '！', '？', '：', ';', '!', '?', '\n', '•', '·', '…', '|'];

/// Chinese words that begin the next clause.
const CHINESE: [&str; 12] =
    ["然后", "并且", "接着", "随后", "顺便", "另外", "此外", "以及", "同时", "最后", "并", "再"];

/// English words that begin the next clause.
const ENGLISH: [&str; 6] = ["then", "and", "also", "plus", "finally", "afterwards"];

/// Words in which `并` or `再` begins no clause.
const WHOLE: [&str; 13] =
    ["合并", "兼并", "归并", "吞并", "并发", "并行", "并列", "并购", "并非", "再见", "再次", "再生", "再现"];

/// The clauses of a request, each a need of its own perhaps: split at punctuation and at words such as 然后, 顺便,
/// `and`, `then`. Pieces that say too little by themselves stay with the clause before. At most 16, in order; together
/// they hold every word of the text.
pub fn clauses(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in pieces(text) {
        let full = found.len() == MOST;
        match found.last_mut() {
            Some(last) if full || !says_enough(piece) || !says_enough(last) => {
                last.push(' ');
                last.push_str(piece);
            }
            _ => found.push(piece.to_owned()),
        }
    }
    found
}

/// Whether there are two words that mean something, or three CJK characters.
fn says_enough(clause: &str) -> bool {
    let meaning = |word: Word<'_>| match word.cjk {
        true => word.text.chars().count() * 2,
        false if is_stop(&word.text.to_lowercase()) => 0,
        false => 3,
    };
    words(clause).map(meaning).sum::<usize>() >= 6
}

/// The pieces between signs and joining words, trimmed, none empty.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let next = move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = split(rest);
        rest = after;
        Some(piece.trim())
    };
    std::iter::from_fn(next).filter(|piece| !piece.is_empty())
}

/// The first piece and what follows it.
fn split(text: &str) -> (&str, &str) {
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        if SIGNS.contains(&c) || ends_sentence(c, &text[..at], after) {
            return (&text[..at], after);
        }
        if at > 0 && joins(&text[..at], &text[at..]) {
            return (&text[..at], &text[at..]);
        }
    }
    (text, "")
}

/// A full stop or comma ends a clause only before white space: `1.5`, `1,000` and `a.b` stay whole. Beside a CJK character
/// a comma or colon does so too: NFKC has made them of `，` and `：`, behind which no space stands.
fn ends_sentence(c: char, before: &str, after: &str) -> bool {
    let next = after.chars().next();
    let beside_cjk = || next.is_some_and(is_cjk) || before.chars().next_back().is_some_and(is_cjk);
    match c {
        '.' => next.is_none_or(char::is_whitespace),
        ',' | ':' => next.is_none_or(char::is_whitespace) || beside_cjk(),
        _ => false,
    }
}

/// Whether `after` begins with a word that begins a clause.
fn joins(before: &str, after: &str) -> bool {
    match after.chars().next() {
        Some(c) if is_cjk(c) => {
            let whole = |word: &str| after.starts_with(word) || straddles(before, after, word);
            CHINESE.iter().any(|word| after.starts_with(word)) && !WHOLE.iter().any(|word| whole(word))
        }
        Some(c) if c.is_ascii_alphabetic() && before.ends_with(char::is_whitespace) => {
            let word = after.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
            ENGLISH.iter().any(|joining| word.eq_ignore_ascii_case(joining))
        }
        _ => false,
    }
}

/// Whether the two-character `word` lies half in `before` and half in `after`.
fn straddles(before: &str, after: &str, word: &str) -> bool {
    let mut halves = word.chars();
    halves.next() == before.chars().next_back() && halves.next() == after.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_split_into_needs() {
        let cases: [(&str, &[&str]); 11] = [
            ("查北京天气，写成文本", &["查北京天气", "写成文本"]),
            ("查天气然后发邮件顺便提醒我", &["查天气", "然后发邮件", "顺便提醒我"]),
            ("把两个表合并再发出去", &["把两个表合并", "再发出去"]),
            // As NFKC leaves it.
            ("查北京天气,写成文本", &["查北京天气", "写成文本"]),
            ("上午9:30提醒我开会,金额1,000元", &["上午9:30提醒我开会", "金额1,000元"]),
            ("Find the symbol and rename it everywhere", &["Find the symbol", "and rename it everywhere"]),
            ("Look up the rate, then mail the report.", &["Look up the rate", "then mail the report"]),
            ("Jobs in Tokyo, Japan", &["Jobs in Tokyo Japan"]),
            ("Add 1,000.5 to a.b", &["Add 1,000.5 to a.b"]),
            ("", &[]),
            ("。。", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(clauses(text), expected, "{text}");
        }
    }
}
