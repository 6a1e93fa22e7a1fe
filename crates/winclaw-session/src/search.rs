//! Finding what was said.
//!
//! The index is FTS5 with the trigram tokenizer (<https://sqlite.org/fts5.html#the_trigram_tokenizer>), which finds any
//! three characters in a row and so serves English and Chinese alike. Words of one or two characters, most Chinese ones,
//! are looked for by reading.

use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::Value;

use crate::Snippet;
use crate::snippet::{find, fold, snippet};
use crate::words::words;

/// The shortest word the index knows, in characters.
const INDEXED: usize = 3;

/// A place where what was looked for was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// The session.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The number of the message; the first is 1. 0 for the title.
    pub number: u64,
    /// Whose message it is: `user`, `assistant` or `tool`; `title` for the title.
    pub role: String,
    /// The words around it.
    pub snippet: Snippet,
}

/// The words of a query: what stands between spaces, or between double quotes.
fn terms(query: &str) -> Vec<String> {
    let parts = query.split('"').enumerate();
    let terms = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.split_whitespace().collect::<Vec<_>>().join(" ")],
    });
    terms.filter(|term| !term.is_empty()).collect()
}

pub(crate) fn search(db: &Connection, query: &str, most: usize) -> rusqlite::Result<Vec<Hit>> {
    let terms = terms(query);
    if terms.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    let mut hits = titles(db, &terms)?;
    let (long, short): (Vec<String>, Vec<String>) =
        terms.iter().cloned().partition(|term| term.chars().count() >= INDEXED);
    let left = most.saturating_sub(hits.len());
    match long.is_empty() {
        true => hits.extend(by_reading(db, &terms, left)?),
        false => hits.extend(by_index(db, &terms, &long, &short, left)?),
    }
    hits.truncate(most);
    Ok(hits)
}

fn titles(db: &Connection, terms: &[String]) -> rusqlite::Result<Vec<Hit>> {
    let mut statement = db.prepare("SELECT id, title FROM sessions ORDER BY touched DESC")?;
    let mut rows = statement.query([])?;
    let mut hits = Vec::new();
    while let Some(row) = rows.next()? {
        let title: String = row.get(1)?;
        if count(&title, terms) > 0 {
            let snippet = snippet(&title, terms);
            hits.push(Hit { id: row.get(0)?, title, number: 0, role: "title".into(), snippet });
        }
    }
    Ok(hits)
}

/// The hit that is the message of row `row`, and its words. Its number is counted here and not while looking, since
/// counting reads the session.
fn place(db: &Connection, row: i64, terms: &[String]) -> rusqlite::Result<(Hit, String)> {
    let sql = "SELECT sessions.id, sessions.title, messages.role, coalesce(messages.said, messages.body),
        (SELECT count(*) FROM messages AS m WHERE m.session = messages.session AND m.kind <> 2 AND m.ord <= messages.ord)
        FROM messages JOIN sessions ON sessions.n = messages.session WHERE messages.id = ?1";
    db.query_row(sql, [row], |row| {
        let text = words(&body(row.get_ref(3)?.as_str()?));
        let number = u64::try_from(row.get::<_, i64>(4)?).unwrap_or(0);
        let snippet = snippet(&text, terms);
        Ok((Hit { id: row.get(0)?, title: row.get(1)?, number, role: row.get(2)?, snippet }, text))
    })
}

fn body(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// By the index for the long words; the short ones are looked for in what it finds.
fn by_index(
    db: &Connection,
    terms: &[String],
    long: &[String],
    short: &[String],
    most: usize,
) -> rusqlite::Result<Vec<Hit>> {
    let phrases: Vec<String> = long.iter().map(|term| format!("\"{}\"", term.replace('"', "\"\""))).collect();
    let mut statement = db.prepare(
        "SELECT messages.id FROM words JOIN messages ON messages.id = words.rowid
         JOIN sessions ON sessions.n = messages.session
         WHERE words MATCH ?1 ORDER BY words.rank, sessions.touched DESC, messages.ord DESC",
    )?;
    let mut rows = statement.query([phrases.join(" AND ")])?;
    let mut hits = Vec::new();
    while hits.len() < most
        && let Some(row) = rows.next()?
    {
        let (hit, text) = place(db, row.get(0)?, terms)?;
        if short.is_empty() || count(&text, short) > 0 {
            hits.push(hit);
        }
    }
    Ok(hits)
}

/// By reading every message that may hold the words; where they stand most often comes first.
fn by_reading(db: &Connection, terms: &[String], most: usize) -> rusqlite::Result<Vec<Hit>> {
    let mut statement = db.prepare(
        "SELECT messages.id, coalesce(messages.said, messages.body) FROM messages
         JOIN sessions ON sessions.n = messages.session
         WHERE messages.kind <> 2 AND messages.body LIKE ?1 ESCAPE '\\' ORDER BY sessions.touched DESC, messages.ord DESC",
    )?;
    let mut rows = statement.query(params![pattern(&terms[0])])?;
    let mut best: Vec<(usize, i64)> = Vec::new();
    while let Some(row) = rows.next()? {
        let times = count(&words(&body(row.get_ref(1)?.as_str()?)), terms);
        // The order among equals is that of reading: the latest first.
        let at = best.partition_point(|(others, _)| *others >= times);
        if times > 0 && at < most {
            best.insert(at, (times, row.get(0)?));
            best.truncate(most);
        }
    }
    best.into_iter().map(|(_, row)| place(db, row, terms).map(|(hit, _)| hit)).collect()
}

/// Finds at least every body that holds `term`, as JSON writes it. LIKE knows only the cases of ASCII, so other letters
/// with cases stand for anything.
fn pattern(term: &str) -> String {
    let written = serde_json::to_string(term).unwrap_or_default();
    let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or_default();
    let mut pattern = String::from("%");
    for c in inner.chars() {
        match c {
            '\\' | '%' | '_' => pattern.extend(['\\', c]),
            c if !c.is_ascii() && (c.is_lowercase() || c.is_uppercase()) => pattern.push('_'),
            c => pattern.push(c),
        }
    }
    pattern + "%"
}

/// How often the words stand in `text` all in all; 0 unless each does.
fn count(text: &str, terms: &[String]) -> usize {
    let text: Vec<char> = text.chars().map(fold).collect();
    let mut all = 0;
    for term in terms {
        let term: Vec<char> = term.chars().map(fold).collect();
        let (mut from, mut times) = (0, 0);
        while let Some(at) = find(&text[from..], &term) {
            from += at + term.len();
            times += 1;
        }
        if times == 0 {
            return 0;
        }
        all += times;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_between_spaces_or_quotes() {
        assert_eq!(terms(" a  \"b  c\" 北京 \"\" d\"e"), ["a", "b c", "北京", "d", "e"]);
        assert_eq!(terms("  \"  \" "), Vec::<String>::new());
    }

    #[test]
    fn a_pattern_finds_what_json_wrote() {
        let cases = [("北京", "%北京%"), ("50%", "%50\\%%"), ("a\\b", "%a\\\\\\\\b%"), ("Ä", "%_%")];
        for (term, expected) in cases {
            assert_eq!(pattern(term), expected);
        }
    }

    #[test]
    fn every_word_must_stand_there() {
        let terms = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(count("AbaB", &terms(&["ab"])), 2);
        assert_eq!(count("北京天气", &terms(&["北京", "上海"])), 0);
        assert_eq!(count("ÄÖ äö", &terms(&["äö"])), 2);
    }
}
