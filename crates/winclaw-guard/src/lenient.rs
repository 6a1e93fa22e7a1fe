//! Text that is JSON but for a comma too many, single quotes, or Python's words.

/// Rewrites the slips in a text, without changing anything else.
struct Rewriter<'a> {
    text: &'a str,
    at: usize,
    out: String,
    /// The kind of the last token, and of the one before it.
    last: Token,
    before: Token,
    /// Where in `out` the last comma stands.
    comma: usize,
    slips: Slips,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Start,
    Open,
    Comma,
    Colon,
    Value,
}

/// What was rewritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Slips {
    comma: bool,
    quotes: bool,
    words: bool,
}

/// `text` as JSON, with a sentence that says what was rewritten; `None` when it has none of the slips that can be read in
/// one way only. Whether the result is JSON is for the caller to see: brackets and strings that are not closed stay so.
pub(crate) fn rewritten(text: &str) -> Option<(String, String)> {
    let out = String::with_capacity(text.len());
    let (last, before) = (Token::Start, Token::Start);
    let mut rewriter = Rewriter { text, at: 0, out, last, before, comma: 0, slips: Slips::default() };
    while rewriter.at < text.len() {
        rewriter.step()?;
    }
    let said = rewriter.slips.said()?;
    Some((rewriter.out, said))
}

impl Slips {
    fn said(self) -> Option<String> {
        let words = [
            (self.comma, "a comma before a closing bracket was left out"),
            (self.quotes, "single quotes were read as double ones"),
            (self.words, "True, False and None were read as true, false and null"),
        ];
        let said: Vec<&str> = words.into_iter().filter(|(done, _)| *done).map(|(_, words)| words).collect();
        (!said.is_empty()).then(|| format!("The arguments were not quite JSON: {}.", said.join(", ")))
    }
}

impl Rewriter<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Takes one token over. `None` where nothing can be made of the text.
    fn step(&mut self) -> Option<()> {
        let first = self.rest().chars().next()?;
        match first {
            '"' => self.double_quoted(),
            '\'' => return self.single_quoted(),
            '{' | '[' => self.mark(first, Token::Open),
            ',' => {
                self.comma = self.out.len();
                self.mark(first, Token::Comma);
            }
            ':' => self.mark(first, Token::Colon),
            '}' | ']' => self.close(first),
            c if c.is_ascii_alphabetic() => self.word(),
            c if c.is_whitespace() => self.copy(c.len_utf8()),
            _ => {
                self.token(Token::Value);
                self.copy(first.len_utf8());
            }
        }
        Some(())
    }

    fn token(&mut self, token: Token) {
        self.before = std::mem::replace(&mut self.last, token);
    }

    fn mark(&mut self, c: char, token: Token) {
        self.token(token);
        self.copy(c.len_utf8());
    }

    /// Copies so many bytes as they stand.
    fn copy(&mut self, bytes: usize) {
        let piece = self.text.get(self.at..self.at + bytes).unwrap_or("");
        self.out.push_str(piece);
        self.at += bytes.max(1);
    }

    /// A closing bracket; a comma right before it goes, if a value stands before that.
    fn close(&mut self, c: char) {
        if self.last == Token::Comma && self.before == Token::Value {
            self.out.remove(self.comma);
            self.slips.comma = true;
        }
        self.mark(c, Token::Value);
    }

    fn double_quoted(&mut self) {
        let length = string_end(self.rest(), b'"').unwrap_or(self.rest().len());
        self.token(Token::Value);
        self.copy(length);
    }

    /// A string in single quotes, where a string may begin and nowhere else.
    fn single_quoted(&mut self) -> Option<()> {
        if !matches!(self.last, Token::Open | Token::Comma | Token::Colon) {
            return None;
        }
        let rest = self.text.get(self.at..)?;
        let length = string_end(rest, b'\'')?;
        let inner = rest.get(1..length - 1)?;
        self.out.push('"');
        self.out.push_str(&requoted(inner));
        self.out.push('"');
        self.at += length;
        self.token(Token::Value);
        self.slips.quotes = true;
        Some(())
    }

    fn word(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let json = match rest.get(..length) {
            Some("True") => "true",
            Some("False") => "false",
            Some("None") => "null",
            _ => "",
        };
        self.token(Token::Value);
        if json.is_empty() {
            return self.copy(length);
        }
        self.out.push_str(json);
        self.at += length;
        self.slips.words = true;
    }
}

/// Length of the string `text` begins with, both quotes included; `None` if it is not closed.
fn string_end(text: &str, quote: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// What stood between single quotes, for between double ones.
fn requoted(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut escaped = false;
    for c in inner.chars() {
        match c {
            '\'' if escaped => {
                out.pop();
                out.push('\'');
            }
            '"' if !escaped => out.push_str("\\\""),
            c => out.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Option<Value> {
        serde_json::from_str(&rewritten(text)?.0).ok()
    }

    #[test]
    fn what_can_be_read_in_one_way_is_read_so() {
        let cases = [
            (r#"{"a": 1,}"#, json!({"a": 1})),
            ("{\"a\": [1, 2 , ] ,\n}", json!({"a": [1, 2]})),
            (r#"{'a': 'it is "so"', 'b': ['x', "y"]}"#, json!({"a": "it is \"so\"", "b": ["x", "y"]})),
            (r"{'a': 'it\'s', 'b': 'C:\\x', 'c': '\u5317'}", json!({"a": "it's", "b": "C:\\x", "c": "北"})),
            ("{'a': True, 'b': False, 'c': None}", json!({"a": true, "b": false, "c": null})),
            (r#"{"a": {"b": {},},}"#, json!({"a": {"b": {}}})),
            (r#"{"text": "a, }", "n": 1,}"#, json!({"text": "a, }", "n": 1})),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_could_mean_two_things_or_is_not_closed_is_left() {
        let cases = [
            r#"{"a": 1}"#,
            "{'a': 'it's'}",
            "{'a': 'echo 'b', 'c''}",
            "{'a': 'b",
            "{'a': 'b'",
            "{'a': ['b',",
            "{,}",
            "[1,,]",
            "{'a' 'b'}",
            "{a: 'b'}",
            "it's",
        ];
        for text in cases {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_cut_anywhere_is_never_made_whole() {
        let whole = "{'a': ['one, }', \"two\",], 'b': {'c': None,}, 'd': True,}";
        assert!(read(whole).is_some());
        for (end, _) in whole.char_indices() {
            assert_eq!(read(&whole[..end]), None, "{}", &whole[..end]);
        }
    }
}
