//! The expression as fend is to read it: percentages as people mean them, and `√`.

use crate::source::Source;
use crate::tokens::{Kind, Token};

/// Writes `tokens` for fend.
///
/// `a + 15%` and `a - 15%` change the sum before them by that share, so that `200 + 15%` is 230, as on a pocket
/// calculator; `15% of a` is that share; any other `15%` is 15/100. An expression of nothing but percentages, such as
/// `50% + 25%`, stays in per cent. `10 % 3` is the remainder.
pub fn rewrite(source: &Source, tokens: &[Token]) -> String {
    let mut writer = Writer { source, tokens, out: String::new(), levels: vec![Level::default()], number: 0 };
    (0..tokens.len()).for_each(|index| writer.write(index));
    writer.out.trim().to_owned()
}

/// The sum being written at one depth of brackets.
#[derive(Default)]
struct Level {
    /// Where it starts in the output.
    start: usize,
    /// Where its last sign between two values stands in the output.
    sign: usize,
}

struct Writer<'a> {
    source: &'a Source,
    tokens: &'a [Token],
    out: String,
    levels: Vec<Level>,
    /// Where the last number starts in the output.
    number: usize,
}

impl Writer<'_> {
    fn write(&mut self, index: usize) {
        let token = self.tokens[index];
        if index > 0 && self.tokens[index - 1].to < token.from {
            self.out.push(' ');
        }
        let here = self.out.len();
        match token.kind {
            Kind::Percent if self.is_share(index) => self.share(index),
            Kind::Root => self.out.push_str("sqrt"),
            Kind::Number | Kind::Word if index > 0 && self.tokens[index - 1].kind == Kind::Root => {
                self.out += &format!("({})", self.text(index));
            }
            _ => self.out += &self.text(index),
        }
        self.follow(index, here);
    }

    /// Keeps the levels in step with what was written at `here`.
    fn follow(&mut self, index: usize, here: usize) {
        let end = self.out.len();
        let starts_anew = match self.tokens[index].kind {
            Kind::End => true,
            Kind::Word => is_conversion(&self.text(index)),
            _ => false,
        };
        match self.tokens[index].kind {
            Kind::Open => self.levels.push(Level { start: end, sign: end }),
            Kind::Close if self.levels.len() > 1 => drop(self.levels.pop()),
            Kind::Number => self.number = here,
            _ => {}
        }
        if let Some(level) = self.levels.last_mut() {
            match self.tokens[index].kind {
                Kind::Sign => level.sign = here,
                _ if starts_anew => level.start = end,
                _ => {}
            }
        }
    }

    fn text(&self, index: usize) -> String {
        self.source.slice(self.tokens[index].from, self.tokens[index].to)
    }

    fn kind(&self, index: Option<usize>) -> Option<Kind> {
        index.and_then(|index| self.tokens.get(index)).map(|token| token.kind)
    }

    /// Whether the `%` at `index` makes the number before it a percentage, and is not "remainder".
    fn is_share(&self, index: usize) -> bool {
        let follows_number = self.kind(index.checked_sub(1)) == Some(Kind::Number);
        let value_follows = match self.kind(Some(index + 1)) {
            Some(Kind::Number | Kind::Open | Kind::Root) => true,
            Some(Kind::Word) => !self.is_of(index + 1) && !is_conversion(&self.text(index + 1)),
            _ => false,
        };
        follows_number && !value_follows
    }

    fn is_of(&self, index: usize) -> bool {
        self.kind(Some(index)) == Some(Kind::Word) && self.text(index) == "of"
    }

    fn share(&mut self, index: usize) {
        let number = self.out[self.number..].trim_end().to_owned();
        if self.is_of(index + 1) || self.only_shares() {
            self.out.push('%');
        } else if self.changes_sum(index) {
            let level = self.levels.last().map_or((0, 0), |level| (level.start, level.sign));
            let sign = self.out[level.1..].chars().next().unwrap_or('+');
            let sum = self.out[level.0..level.1].trim().to_owned();
            self.out.truncate(level.0);
            self.out += &format!("({sum}) * (1 {sign} {number}/100)");
        } else {
            self.out.truncate(self.number);
            self.out += &format!("({number}/100)");
        }
    }

    /// Whether the percentage that ends at `index` is a whole term after a sign between two values.
    fn changes_sum(&self, index: usize) -> bool {
        let after_sign = self.kind(index.checked_sub(2)) == Some(Kind::Sign);
        let left = self.kind(index.checked_sub(3));
        let between = matches!(left, Some(Kind::Number | Kind::Word | Kind::Percent | Kind::Suffix | Kind::Close));
        let ends_term = match self.kind(Some(index + 1)) {
            None | Some(Kind::Sign | Kind::Close | Kind::End) => true,
            Some(Kind::Word) => is_conversion(&self.text(index + 1)),
            _ => false,
        };
        after_sign && between && ends_term
    }

    /// Whether every value is a percentage, and they are only added up.
    fn only_shares(&self) -> bool {
        let mut pairs = self.tokens.iter().zip(self.tokens.iter().skip(1).map(Some).chain([None]));
        pairs.all(|(token, next)| match token.kind {
            Kind::Number => next.is_some_and(|next| next.kind == Kind::Percent),
            Kind::Percent | Kind::Sign => true,
            _ => false,
        })
    }
}

fn is_conversion(word: &str) -> bool {
    matches!(word, "to" | "in" | "as")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    #[test]
    fn percentages_are_read_as_people_mean_them() {
        for (written, read) in [
            ("200 + 15%", "(200) * (1 + 15/100)"),
            ("200 - 15%", "(200) * (1 - 15/100)"),
            ("100 + 10% + 10%", "((100) * (1 + 10/100)) * (1 + 10/100)"),
            ("(200 + 15%) * 2", "((200) * (1 + 15/100)) * 2"),
            ("2 * 100 + 5% to 1 dp", "(2 * 100) * (1 + 5/100) to 1 dp"),
            ("100 km + 10%", "(100 km) * (1 + 10/100)"),
            ("15% of 200", "15% of 200"),
            ("200 + 15% of 100", "200 + 15% of 100"),
            ("200 * 15%", "200 * (15/100)"),
            ("200 + 15% * 100", "200 + (15/100) * 100"),
            ("200的15%", "200 * (15/100)"),
            ("2 * -15%", "2 * -(15/100)"),
            ("50% + 25%", "50% + 25%"),
            ("50%", "50%"),
            ("10 % 3", "10 % 3"),
            ("0.5 to %", "0.5 to %"),
            ("1 + (3 - 50%)", "1 + ((3) * (1 - 50/100))"),
        ] {
            let source = Source::read(written);
            assert_eq!(rewrite(&source, &tokens(&source)), read, "{written}");
        }
    }

    #[test]
    fn a_root_gets_its_brackets() {
        for (written, read) in
            [("√2 + 1", "sqrt(2) + 1"), ("√(2+2)", "sqrt(2+2)"), ("根号16", "sqrt(16)"), ("√pi", "sqrt(pi)")]
        {
            let source = Source::read(written);
            assert_eq!(rewrite(&source, &tokens(&source)), read, "{written}");
        }
    }
}
