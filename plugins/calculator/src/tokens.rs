//! The pieces of an expression, found only to say where it is wrong and to read percentages as people mean them.

use crate::source::{Source, is_han};

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number, with digit separators, fraction and exponent.
    Number,
    /// A unit, function, constant or keyword.
    Word,
    /// `+` or `-`.
    Sign,
    /// An operator that needs a value on both sides.
    Operator,
    /// `%`.
    Percent,
    /// What stands after a value: `!`, `²`, `°`, `'`.
    Suffix,
    /// `√`.
    Root,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `;` between statements.
    End,
    /// `$`, `¥`, `€`, `£`.
    Currency,
    /// A character that has no meaning here.
    Unknown,
}

/// A piece: what it is and where it stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Index of its first character.
    pub from: usize,
    /// Index after its last character.
    pub to: usize,
}

/// The pieces of `source`, spaces left out.
pub fn tokens(source: &Source) -> Vec<Token> {
    let chars = source.chars();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (kind, length) = piece(&chars[at..]);
        if !chars[at].is_whitespace() {
            found.push(Token { kind, from: at, to: at + length });
        }
        at += length;
    }
    found
}

fn piece(rest: &[char]) -> (Kind, usize) {
    let two: String = rest.iter().take(2).collect();
    match rest[0] {
        c if c.is_ascii_digit() => (Kind::Number, number(rest)),
        '.' if rest.get(1).is_some_and(char::is_ascii_digit) => (Kind::Number, number(rest)),
        '°' if rest.get(1).is_some_and(|c| matches!(c, 'C' | 'F')) => (Kind::Word, 2),
        c if is_word(c) => (Kind::Word, rest.iter().take_while(|c| is_word(**c) || c.is_ascii_digit()).count()),
        _ if ["==", "!=", "//", "<<", ">>"].contains(&two.as_str()) => (Kind::Operator, 2),
        '+' | '-' => (Kind::Sign, 1),
        '*' | '/' | '^' | '&' | '|' | '=' => (Kind::Operator, 1),
        '%' => (Kind::Percent, 1),
        '!' | '²' | '³' | '°' | '\'' | '"' => (Kind::Suffix, 1),
        '√' => (Kind::Root, 1),
        '(' => (Kind::Open, 1),
        ')' => (Kind::Close, 1),
        ';' => (Kind::End, 1),
        '$' | '¥' | '€' | '£' => (Kind::Currency, 1),
        _ => (Kind::Unknown, 1),
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || is_han(c) || matches!(c, 'µ' | 'μ' | 'Ω' | 'Å')
}

/// How many characters the number at the start of `rest` has.
fn number(rest: &[char]) -> usize {
    let at = |index: usize| rest.get(index).copied().unwrap_or(' ');
    if at(0) == '0' && matches!(at(1), 'x' | 'X' | 'b' | 'B' | 'o' | 'O') && at(2).is_ascii_hexdigit() {
        return 2 + rest[2..].iter().take_while(|c| c.is_ascii_hexdigit() || **c == '_').count();
    }
    let mut length = 0;
    while at(length).is_ascii_digit() || (matches!(at(length), ',' | '_' | '.') && at(length + 1).is_ascii_digit()) {
        length += 1;
    }
    let sign = usize::from(matches!(at(length + 1), '+' | '-'));
    if matches!(at(length), 'e' | 'E') && at(length + 1 + sign).is_ascii_digit() {
        length += 1 + sign;
        length += rest[length..].iter().take_while(|c| c.is_ascii_digit()).count();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_where_they_end() {
        for (text, pieces) in [
            ("1,000.5e-3+x", "1,000.5e-3|+|x"),
            ("0xff to binary", "0xff|to|binary"),
            ("5公里 + 3 m²", "5|公里|+|3|m|²"),
            ("2^-3!", "2|^|-|3|!"),
            ("15% of (20 °C)", "15|%|of|(|20|°C|)"),
            ("3e", "3|e"),
            ("7//2<<1", "7|//|2|<<|1"),
        ] {
            let source = Source::read(text);
            let cut: Vec<String> = tokens(&source).iter().map(|token| source.slice(token.from, token.to)).collect();
            assert_eq!(cut.join("|"), pieces);
        }
    }
}
