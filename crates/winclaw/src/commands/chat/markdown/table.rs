use unicode_width::UnicodeWidthChar as _;

use super::flow::may_part;
use super::inline::{Span, spans};
use super::style::Style;
use crate::screen::width;

/// Most bytes of a table that are held; a longer one is shown in parts.
const HELD: usize = 64 * 1024;

/// A table, held until its last row, since a column is as wide as its widest cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<String>,
    bytes: usize,
    quotes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Middle,
}

impl Table {
    /// A further row; what was held, set in `columns`, when it is too much.
    pub(super) fn add(&mut self, row: String, quotes: usize, columns: usize) -> Option<Vec<Vec<Span>>> {
        let full = self.bytes + row.len() > HELD;
        let before = full.then(|| self.take(columns));
        self.bytes += row.len();
        self.quotes = quotes;
        self.rows.push(row);
        before
    }

    /// How deep in quotes it stands.
    pub(super) fn quotes(&self) -> usize {
        self.quotes
    }

    /// The lines of what was held, set in `columns`.
    pub(super) fn take(&mut self, columns: usize) -> Vec<Vec<Span>> {
        let (rows, quotes) = (std::mem::take(&mut self.rows), self.quotes);
        self.bytes = 0;
        let room = columns.saturating_sub(2 * quotes);
        let head = rows.first().map_or(0, |row| cells(row).len());
        let sides = rows.get(1).and_then(|row| sides(row)).filter(|sides| !sides.is_empty() && sides.len() == head);
        match sides {
            Some(sides) => set(&rows, &sides, room),
            None => rows.iter().map(|row| spans(row.trim(), Style::PLAIN)).collect(),
        }
    }
}

/// The row under the head, which says where each column's text stands; `None` when it is no such row.
fn sides(row: &str) -> Option<Vec<Side>> {
    let side = |cell: &String| {
        let dashes = cell.trim_matches(':');
        let is_side = !dashes.is_empty() && dashes.chars().all(|c| c == '-');
        is_side.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Side::Middle,
            (false, true) => Side::Right,
            _ => Side::Left,
        })
    };
    cells(row).iter().map(side).collect()
}

/// The cells of a row, trimmed. A bar behind a backslash or in code belongs to its cell.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut cells, mut cell, mut in_code, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in row.chars() {
        in_code ^= c == '`' && !escaped;
        match c {
            '|' if escaped => {
                cell.pop();
                cell.push('|');
            }
            '|' if !in_code => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    if !cell.trim().is_empty() {
        cells.push(cell);
    }
    cells.iter().map(|cell| cell.replace("<br>", " ").replace("<br/>", " ").trim().to_owned()).collect()
}

fn set(rows: &[String], sides: &[Side], room: usize) -> Vec<Vec<Span>> {
    let mut table: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    table.remove(1);
    // Cells beyond the head are shown too.
    let mut sides = sides.to_vec();
    sides.resize(table.iter().map(Vec::len).max().unwrap_or(0).max(sides.len()), Side::Left);
    let widest = |n: usize| table.iter().filter_map(|row| row.get(n)).map(|cell| shown(cell)).max().unwrap_or(0).max(1);
    let room = room.saturating_sub(3 * sides.len().saturating_sub(1));
    let widths = fit((0..sides.len()).map(widest).collect(), room);
    if widths.iter().sum::<usize>() > room {
        return one_below_another(&table);
    }
    let mut lines = Vec::new();
    for (n, row) in table.iter().enumerate() {
        let style = if n == 0 { Style::BOLD } else { Style::PLAIN };
        lines.extend(set_row(row, &sides, &widths, style));
        if n == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(vec![(rule.join("─┼─"), Style::DIM)]);
        }
    }
    lines
}

/// A table with more columns than the screen can hold: each row as lines of name and value.
fn one_below_another(table: &[Vec<String>]) -> Vec<Vec<Span>> {
    let (head, rows) = table.split_first().map_or((&[][..], table), |(head, rows)| (&head[..], rows));
    let mut lines = Vec::new();
    for row in rows {
        for (n, cell) in row.iter().enumerate() {
            let name = head.get(n).map(|name| spans(name, Style::BOLD)).unwrap_or_default();
            let mut line = name;
            line.push((": ".into(), Style::DIM));
            line.extend(spans(cell, Style::PLAIN));
            lines.push(line);
        }
        lines.push(Vec::new());
    }
    lines
}

/// The columns a cell takes without its marks.
fn shown(cell: &str) -> usize {
    spans(cell, Style::PLAIN).iter().map(|(text, _)| width(text)).sum()
}

/// Takes from the widest until all fit; a column keeps at least six, or what it needs.
fn fit(mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths.iter_mut().filter(|width| **width > 6).max() else { break };
        *widest -= 1;
    }
    widths
}

/// The lines of one row, as many as its longest cell needs.
fn set_row(row: &[String], sides: &[Side], widths: &[usize], style: Style) -> Vec<Vec<Span>> {
    let empty = String::new();
    let cell = |(n, width): (usize, &usize)| broken(row.get(n).unwrap_or(&empty), *width, style);
    let columns: Vec<Vec<Vec<Span>>> = widths.iter().enumerate().map(cell).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(1);
    (0..height).map(|line| set_line(&columns, line, sides, widths)).collect()
}

fn set_line(columns: &[Vec<Vec<Span>>], line: usize, sides: &[Side], widths: &[usize]) -> Vec<Span> {
    let mut all = Vec::new();
    for (n, column) in columns.iter().enumerate() {
        let cell = column.get(line).cloned().unwrap_or_default();
        let takes: usize = cell.iter().map(|(text, _)| width(text)).sum();
        let free = widths[n].saturating_sub(takes);
        let left = match sides[n] {
            Side::Left => 0,
            Side::Right => free,
            Side::Middle => free / 2,
        };
        all.push((" ".repeat(left), Style::PLAIN));
        all.extend(cell);
        if n + 1 < columns.len() {
            all.push((" ".repeat(free - left), Style::PLAIN));
            all.push((" │ ".into(), Style::DIM));
        }
    }
    all
}

/// A cell in lines of `width` columns; never none.
fn broken(cell: &str, width: usize, style: Style) -> Vec<Vec<Span>> {
    let mut lines = Lines { width, ..Lines::default() };
    for (text, style) in spans(cell, style) {
        text.chars().for_each(|c| lines.put(c, style));
    }
    lines.end_word();
    lines.done.push(lines.line);
    lines.done
}

/// Running text broken into lines that are set side by side.
#[derive(Default)]
struct Lines {
    width: usize,
    done: Vec<Vec<Span>>,
    line: Vec<Span>,
    column: usize,
    word: Vec<(char, Style)>,
    space: bool,
}

impl Lines {
    fn put(&mut self, c: char, style: Style) {
        if c.is_whitespace() {
            self.end_word();
            self.space = self.column > 0;
            return;
        }
        if self.word.last().is_some_and(|(before, _)| may_part(*before, c)) {
            self.end_word();
        }
        self.word.push((c, style));
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let takes: usize = word.iter().map(|(c, _)| columns_of(*c)).sum();
        let space = std::mem::take(&mut self.space);
        if self.column > 0 && self.column + usize::from(space) + takes > self.width {
            self.break_line();
        } else if space && takes > 0 {
            self.write(' ', Style::PLAIN);
        }
        word.into_iter().for_each(|(c, style)| self.write(c, style));
    }

    fn write(&mut self, c: char, style: Style) {
        if self.column > 0 && self.column + columns_of(c) > self.width {
            self.break_line();
        }
        self.column += columns_of(c);
        self.line.push((c.to_string(), style));
    }

    fn break_line(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
        self.column = 0;
    }
}

fn columns_of(c: char) -> usize {
    c.width().unwrap_or(0)
}
