use unicode_width::UnicodeWidthChar as _;

use super::style::Style;
use crate::screen::width;

/// Running text on its way to a terminal: broken between words where the line is full, never reaching back.
///
/// A word is held until it is known to be whole, so what is written depends on the characters alone and not on when
/// they come. Wide characters may be parted from each other, but no line begins with a closing mark or ends with an
/// opening one.
#[derive(Debug)]
pub(super) struct Flow {
    out: String,
    width: usize,
    column: usize,
    /// What a broken line goes on behind.
    hang: String,
    /// What the terminal is set to.
    style: Style,
    word: Vec<(char, Style)>,
    /// Whether the word goes on one that was too long to be held.
    goes_on: bool,
    spaces: usize,
}

impl Flow {
    /// For lines of `width` columns.
    pub(super) fn new(width: usize) -> Self {
        let (out, hang, word) = (String::new(), String::new(), Vec::new());
        Flow { out, width: width.max(8), column: 0, hang, style: Style::PLAIN, word, goes_on: false, spaces: 0 }
    }

    /// What was written since the last time.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// What broken lines go on behind, until the next line.
    pub(super) fn hang(&mut self, prefix: String) {
        self.hang = prefix;
    }

    /// A character of running text.
    pub(super) fn put(&mut self, c: char, style: Style) {
        if c == ' ' || c == '\t' {
            self.end_word();
            self.spaces += 1;
            return;
        }
        if self.word.last().is_some_and(|(before, _)| may_part(*before, c)) {
            self.end_word();
        }
        self.word.push((c, style));
        if self.word.len() >= self.width {
            self.end_word();
            self.goes_on = true;
        }
    }

    /// A character that stands where it stands: of code, of a table, of a mark before a line.
    pub(super) fn fixed(&mut self, c: char, style: Style) {
        self.end_word();
        self.gap();
        self.write(c, style);
    }

    /// Text that stands where it stands.
    pub(super) fn fixed_text(&mut self, text: &str, style: Style) {
        text.chars().for_each(|c| self.fixed(c, style));
    }

    /// Ends the line.
    pub(super) fn newline(&mut self) {
        self.end_word();
        self.spaces = 0;
        self.set(Style::PLAIN);
        self.out.push('\n');
        self.column = 0;
        self.hang.clear();
    }

    /// Ends the text, wherever it stands.
    pub(super) fn finish(&mut self) {
        self.end_word();
        self.set(Style::PLAIN);
    }

    /// The columns of a line.
    pub(super) fn columns(&self) -> usize {
        self.width
    }

    fn end_word(&mut self) {
        let goes_on = std::mem::take(&mut self.goes_on);
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let takes = width(&word.iter().map(|(c, _)| *c).collect::<String>());
        let begun = self.column > width(&self.hang);
        if begun && !goes_on && self.column + self.spaces + takes > self.width {
            self.break_line();
        }
        self.gap();
        word.into_iter().for_each(|(c, style)| self.write(c, style));
    }

    fn break_line(&mut self) {
        self.spaces = 0;
        self.set(Style::PLAIN);
        self.out.push('\n');
        self.column = 0;
        for c in self.hang.clone().chars() {
            self.write(c, if c == ' ' { Style::PLAIN } else { Style::DIM });
        }
    }

    fn gap(&mut self) {
        for _ in 0..std::mem::take(&mut self.spaces) {
            self.write(' ', Style::PLAIN);
        }
    }

    fn write(&mut self, c: char, style: Style) {
        self.set(style);
        self.out.push(c);
        self.column += c.width().unwrap_or(0);
        // A word longer than a line is broken by the terminal.
        if self.column > self.width {
            self.column %= self.width;
        }
    }

    fn set(&mut self, style: Style) {
        if self.style != style {
            self.out.push_str(&style.sequence());
            self.style = style;
        }
    }
}

const CLOSING: &str = "，。、；：？！）》」』】〕〉’”…—～·,.;:?!)]}%";
const OPENING: &str = "（《「『【〔〈‘“([{";

/// Whether a line may be broken between the two.
pub(super) fn may_part(before: char, after: char) -> bool {
    let wide = |c: char| c.width() == Some(2);
    (wide(before) || wide(after)) && !joins(after) && !CLOSING.contains(after) && !OPENING.contains(before)
}

/// What belongs to the character before it: marks, joiners, variations.
fn joins(c: char) -> bool {
    c.width() == Some(0) || ('\u{1f3fb}'..='\u{1f3ff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(width: usize, text: &str) -> String {
        let mut flow = Flow::new(width);
        text.chars().for_each(|c| flow.put(c, Style::PLAIN));
        flow.finish();
        flow.take()
    }

    #[test]
    fn lines_break_between_words_and_between_wide_characters() {
        assert_eq!(set(12, "one two three four"), "one two\nthree four");
        assert_eq!(set(8, "北京今天天气"), "北京今天\n天气");
        assert_eq!(set(8, "北京今天，晴"), "北京今\n天，晴");
        assert_eq!(set(8, "abc北京今（晴）"), "abc北京\n今（晴）");
    }

    #[test]
    fn a_word_longer_than_a_line_is_left_whole() {
        assert_eq!(set(8, "a https://example.org/x b"), "a\nhttps://example.org/x b");
    }

    #[test]
    fn a_broken_line_goes_on_behind_its_mark() {
        let mut flow = Flow::new(10);
        flow.fixed_text("- ", Style::PLAIN);
        flow.hang("  ".into());
        "aaaa bbbb cccc".chars().for_each(|c| flow.put(c, Style::BOLD));
        flow.newline();
        flow.put('x', Style::PLAIN);
        flow.finish();
        assert_eq!(
            flow.take(),
            "- \u{1b}[0;1maaaa\u{1b}[0m\n  \u{1b}[0;1mbbbb\u{1b}[0m\n  \u{1b}[0;1mcccc\u{1b}[0m\nx"
        );
    }
}
