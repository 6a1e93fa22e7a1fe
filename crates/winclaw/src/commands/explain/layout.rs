//! Lines that fit the terminal, also a narrow one, also in Chinese.

use unicode_width::UnicodeWidthChar as _;

use crate::screen::{Screen, Style, columns, width};

/// The columns lines are made for where nobody can say how wide the terminal is.
const USUAL: usize = 100;

/// Nothing is set narrower or wider than this.
const NARROWEST: usize = 24;
const WIDEST: usize = 140;

/// How many columns there are: as `COLUMNS` says, else the terminal, else 100; at least 24 and at most 140.
pub fn screen_width() -> usize {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
    stated.or_else(terminal).unwrap_or(USUAL).clamp(NARROWEST, WIDEST)
}

/// Lines to be printed.
pub struct Page {
    screen: Screen,
    width: usize,
    lines: Vec<String>,
}

impl Page {
    /// An empty page for `width` columns.
    pub fn new(screen: Screen, width: usize) -> Page {
        Page { screen, width, lines: Vec::new() }
    }

    /// A headline, with an empty line before it unless it is the first.
    pub fn head(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        let lines = wrap(text, self.width);
        self.lines.extend(lines.into_iter().map(|line| self.screen.paint(Style::Bold, &line)));
    }

    /// Text at `indent` columns from the left; line breaks in it stay.
    pub fn text(&mut self, indent: usize, text: &str) {
        let room = self.width.saturating_sub(indent).max(1);
        for line in text.lines().flat_map(|line| wrap(line, room)) {
            self.lines.push(format!("{:indent$}{line}", "").trim_end().to_owned());
        }
    }

    /// Text as it is, however wide.
    pub fn raw(&mut self, text: &str) {
        self.lines.extend(text.lines().map(str::to_owned));
    }

    /// Labels with what they say beside them, or below them where there is no room.
    pub fn fields(&mut self, fields: &[(&str, String)]) {
        let widest = fields.iter().map(|(label, _)| width(label)).max().unwrap_or(0) + 4;
        for (label, text) in fields {
            if widest * 3 > self.width {
                self.text(2, label);
                self.text(4, text);
                continue;
            }
            let lines = wrap(text, self.width - widest);
            for (at, line) in lines.iter().enumerate() {
                let label = if at == 0 { *label } else { "" };
                let gap = widest - 2 - width(label);
                self.lines.push(format!("  {label}{:gap$}{line}", "").trim_end().to_owned());
            }
        }
    }

    /// Rows in columns, each with notes below it. Where a row does not fit, every row gives its first cell and, below
    /// it, the others, each after its `label` if there is one.
    pub fn table(&mut self, labels: &[&str], rows: &[(Vec<String>, Vec<String>)]) {
        let cells: Vec<Vec<String>> = rows.iter().map(|(cells, _)| cells.clone()).collect();
        let set = columns(&cells);
        let fits = set.iter().all(|line| width(line) + 2 <= self.width);
        for ((cells, notes), line) in rows.iter().zip(set) {
            match cells.split_first() {
                Some((first, rest)) if !fits => self.stacked(first, rest, labels),
                _ => self.lines.push(format!("  {line}").trim_end().to_owned()),
            }
            notes.iter().for_each(|note| self.text(4, note));
        }
    }

    /// A row for which there is no room beside one another.
    fn stacked(&mut self, first: &str, rest: &[String], labels: &[&str]) {
        self.text(2, first.trim());
        let cell = |(at, cell): (usize, &String)| {
            let cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
            match labels.get(at) {
                _ if cell.is_empty() => None,
                Some(label) => Some(format!("{label}: {cell}")),
                None => Some(cell),
            }
        };
        let cells: Vec<String> = rest.iter().enumerate().filter_map(cell).collect();
        if !cells.is_empty() {
            self.text(4, &cells.join(", "));
        }
    }

    /// The lines.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// `text` as lines of at most `room` columns: broken at spaces and beside wide characters, and within a word only when
/// the word alone is too wide. An empty text is one empty line.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim_end();
    while width(rest) > room.max(2) {
        let at = break_at(rest, room.max(2));
        lines.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}

/// Where the first line of `text`, which is wider than `room`, ends; never 0.
fn break_at(text: &str, room: usize) -> usize {
    let mut best = None;
    let mut used = 0;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        if at > 0 && may_break(last, c) {
            best = Some(at);
        }
        used += c.width().unwrap_or(0);
        if used > room && at > 0 {
            return best.unwrap_or(at);
        }
        last = c;
    }
    text.len()
}

/// Whether a line may end between two characters; spaces at its end go.
fn may_break(before: char, after: char) -> bool {
    let wide = |c: char| c.width().unwrap_or(0) > 1;
    let closes = matches!(after, '，' | '。' | '、' | '；' | '：' | '）' | '”' | '！' | '？' | '…');
    let opens = matches!(before, '（' | '“');
    before == ' ' || after == ' ' || ((wide(before) || wide(after)) && !closes && !opens)
}
