//! Everything the program prints goes through here: language, colour, and nothing that could spoil a terminal.

use std::io::{IsTerminal, Write, stderr, stdout};

use winclaw_tool::{Lang, Text};

use crate::hidden;

/// How a word is set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Stronger.
    Bold,
    /// Weaker.
    Dim,
    /// Good.
    Green,
    /// Look here.
    Yellow,
    /// Bad.
    Red,
}

/// Where and how to print. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// The language of the words.
    pub lang: Lang,
    colour: bool,
}

impl Screen {
    /// A screen in `lang`; colours only on a terminal and without `NO_COLOR`.
    pub fn new(lang: Lang) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Screen { lang, colour: !refused && stdout().is_terminal() && stderr().is_terminal() }
    }

    /// A screen without colours, wherever the tests run.
    #[cfg(test)]
    pub fn plain(lang: Lang) -> Self {
        Screen { lang, colour: false }
    }

    /// Whether there are colours.
    pub fn colours(&self) -> bool {
        self.colour
    }

    /// Empties the screen of the terminal; what scrolled away stays. For a terminal alone.
    pub fn wipe(&self) {
        self.part("\u{1b}[H\u{1b}[2J");
    }

    /// The wording of `en`/`zh` in this screen's language.
    pub fn word<'a>(&self, en: &'a str, zh: &'a str) -> &'a str {
        if self.lang == Lang::Zh { zh } else { en }
    }

    /// The wording of `text`.
    pub fn text<'a>(&self, text: &'a Text) -> &'a str {
        text.get(self.lang)
    }

    /// `text` in `style`, or as it is where there are no colours.
    pub fn paint(&self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Green => "32",
            Style::Yellow => "33",
            Style::Red => "31",
        };
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// A line of result, on standard output. A closed pipe ends the output, not the program; a disk that is full, or
    /// anything else in the way of the result, ends the program with 1.
    pub fn line(&self, text: &str) {
        self.part(&format!("{text}\n"));
    }

    /// Part of a result, on standard output, at once. Ends as [`Screen::line`] does.
    pub fn part(&self, text: &str) {
        let text = hidden::hide(text);
        let mut out = stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                self.note(&format!("{}: {error}", self.word("cannot write the result", "无法写出结果")));
                std::process::exit(1);
            }
            _ => {}
        }
    }

    /// `value` as a line of JSON, on standard output.
    pub fn json(&self, value: &impl serde::Serialize) {
        self.line(&escaped(&serde_json::to_string(value).unwrap_or_default()));
    }

    /// Draws over the line of the terminal where the cursor is, on standard error; without text it only empties it.
    pub fn draw(&self, text: &str) {
        let mut out = stderr().lock();
        let _ = write!(out, "\r{}\u{1b}[K", hidden::hide(text)).and_then(|()| out.flush());
    }

    /// A line about what happens, on standard error.
    pub fn note(&self, text: &str) {
        let _ = writeln!(stderr().lock(), "{}", hidden::hide(text));
    }
}

/// `text` from outside (a model, a tool, a manifest) made safe for a terminal: no C0 or C1 control characters but line
/// breaks and tabs, no bidirectional overrides.
pub fn harmless(text: &str) -> String {
    text.chars().filter(|c| !is_hostile(*c)).collect()
}

/// JSON with the characters that [`harmless`] takes out written as escapes: it means the same, and spoils no terminal.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match is_hostile(c) {
            true => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
            false => out.push(c),
        }
    }
    out
}

fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// Width of `text` on a terminal: two columns for East Asian wide characters and emoji, one for others.
pub fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Rows set in columns, two spaces apart; the last column runs free.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(widest).collect();
    rows.iter().map(|row| set_row(row, &widths)).collect()
}

fn set_row(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, cell) in row.iter().enumerate() {
        line.push_str(cell);
        if column + 1 < row.len() {
            let gap = widths[column].saturating_sub(width(cell)) + 2;
            line.extend(std::iter::repeat_n(' ', gap));
        }
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_bytes_reach_a_terminal() {
        let hostile = "x\u{1b}[2J\u{1b}]0;PWN\u{7}\u{9b}1m\u{202e}y\n\tz";
        assert_eq!(harmless(hostile), "x[2J]0;PWN1my\n\tz");
    }

    #[test]
    fn json_means_the_same_without_control_characters() {
        let hostile = "x\u{1b}[2J\u{7f}\u{9b}1m\u{202e}y\u{e0041}\n";
        let json = escaped(&serde_json::to_string(hostile).expect("json"));
        assert!(json.is_ascii(), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("json"), hostile);
    }

    #[test]
    fn columns_line_up_with_wide_characters() {
        let rows = vec![vec!["天气".to_owned(), "a".to_owned()], vec!["ab".to_owned(), "b".to_owned()]];
        assert_eq!(columns(&rows), ["天气  a", "ab    b"]);
    }
}
