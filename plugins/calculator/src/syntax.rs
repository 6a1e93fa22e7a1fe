//! Where an expression is wrong, and what is expected there.

use crate::source::Source;
use crate::tokens::{Kind, Token};

/// A mistake: the index in the source, and what is wrong and would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Index of the character in the source; its length for "at the end".
    pub at: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

fn mistake<T>(at: usize, what: impl Into<String>) -> Result<T, Mistake> {
    Err(Mistake { at, what: what.into() })
}

/// Deepest nesting of brackets.
const MAX_DEPTH: usize = 40;

/// The functions of one argument that must have their brackets: `sin 30°` would else be read as `(sin 30)°`.
const FUNCTIONS: [&str; 23] = [
    "sqrt", "cbrt", "abs", "floor", "ceil", "round", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "ln", "log", "log2", "log10", "exp",
];

/// Functions and words of fend that are chance or print something other than a result.
const REFUSED: [&str; 7] = ["roll", "sample", "today", "tomorrow", "yesterday", "version", "roman"];

/// What people write for functions of several arguments, which fend does not have.
const SEVERAL: [&str; 8] = ["max", "min", "gcd", "lcm", "sum", "mean", "avg", "average"];

/// Finds the first mistake that can be seen without computing.
///
/// # Errors
/// The mistake: an unknown character, a wrong bracket, a value or operator that is missing, chance, a comma that is not
/// a thousands separator.
pub fn check(source: &Source, tokens: &[Token]) -> Result<(), Mistake> {
    if tokens.is_empty() {
        return mistake(0, "there is nothing to compute; write an expression such as `2 * (3 + 4)`");
    }
    brackets(tokens)?;
    for (index, token) in tokens.iter().enumerate() {
        piece(source, token, tokens.get(index + 1))?;
    }
    order(source, tokens)
}

fn brackets(tokens: &[Token]) -> Result<(), Mistake> {
    let mut open = Vec::new();
    for token in tokens {
        match token.kind {
            Kind::Open if open.len() == MAX_DEPTH => return mistake(token.from, "brackets are nested too deep"),
            Kind::Open => open.push(token.from),
            Kind::Close if open.pop().is_none() => {
                return mistake(token.from, "`)` closes nothing; remove it or write `(` before it");
            }
            _ => {}
        }
    }
    open.pop().map_or(Ok(()), |at| mistake(at, "`(` is never closed; write `)` where it ends"))
}

fn piece(source: &Source, token: &Token, next: Option<&Token>) -> Result<(), Mistake> {
    let text = source.slice(token.from, token.to);
    match token.kind {
        Kind::Unknown => mistake(token.from, unknown(&text)),
        Kind::Currency => mistake(token.from, format!("`{text}`: {NO_RATES}")),
        Kind::Operator if text == "//" => {
            mistake(token.from, "`//` is no operator; for whole division write `floor(a / b)`")
        }
        Kind::Operator if matches!(text.as_str(), "<<" | ">>") => {
            mistake(token.from, format!("`{text}` is no operator here; write `a * 2^b` or `floor(a / 2^b)`"))
        }
        Kind::Number => number(token.from, &text),
        Kind::Word => word(source, token, &text, next),
        _ => Ok(()),
    }
}

/// Said whenever money is to be converted.
pub const NO_RATES: &str = "exchange rates are not available; leave out the currency and give the rate yourself, such as \
                            `100 * 7.1`";

fn unknown(text: &str) -> String {
    match text {
        "[" | "]" | "{" | "}" => format!("`{text}` is not used here; write `(` and `)`"),
        "<" | ">" => format!("`{text}` is not supported; compute the difference of the two sides instead"),
        "," => "`,` is not expected here; functions take one argument, and the decimal sign is `.`".into(),
        "除" => "`除` can be read both ways; write `除以` or `/`".into(),
        _ => format!("`{text}` has no meaning here; write digits, + - * / ^ ! % ( ), units and functions"),
    }
}

fn number(at: usize, text: &str) -> Result<(), Mistake> {
    let whole = text.split(['.', 'e', 'E']).next().unwrap_or_default();
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped = groups.len() == 1 || (groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3));
    if !grouped || text.matches(',').count() >= groups.len() {
        return mistake(
            at,
            format!(
                "`{text}`: a comma may only stand before each three digits; the decimal sign is `.`, and functions take one argument"
            ),
        );
    }
    if text.matches('.').count() > 1 {
        return mistake(at, format!("`{text}` has two decimal points"));
    }
    Ok(())
}

fn word(source: &Source, token: &Token, text: &str, next: Option<&Token>) -> Result<(), Mistake> {
    let lower = text.to_lowercase();
    if REFUSED.contains(&lower.as_str()) || is_dice(&lower) {
        return mistake(
            token.from,
            format!("`{text}` is not available: a result here never depends on chance or on the day"),
        );
    }
    if lower == "除" {
        return mistake(token.from, unknown("除"));
    }
    let Some(next) = next else { return Ok(()) };
    if SEVERAL.contains(&lower.as_str()) && next.kind == Kind::Open {
        return mistake(
            token.from,
            format!("there is no function `{text}`; write it out, such as `(3 + 5) / 2` for a mean"),
        );
    }
    if FUNCTIONS.contains(&lower.as_str()) && next.kind == Kind::Number {
        let value = source.slice(next.from, next.to);
        return mistake(next.from, format!("`{text}` needs brackets around its argument, such as `{text}({value})`"));
    }
    Ok(())
}

/// `d6`: dice, which fend spreads out into a distribution. `2d6` is the number 2 and the word `d6`.
fn is_dice(word: &str) -> bool {
    word.strip_prefix('d').is_some_and(|sides| !sides.is_empty() && sides.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether every operator has its values.
fn order(source: &Source, tokens: &[Token]) -> Result<(), Mistake> {
    let mut before: Option<&Token> = None;
    for token in tokens {
        let wanting = before.is_none_or(|before| wants_value(source, before));
        let needs_left = matches!(token.kind, Kind::Operator | Kind::Percent | Kind::Suffix | Kind::Close);
        if wanting && needs_left && !is_foot_or_inch(source, token, before) {
            return mistake(token.from, missing_before(source, token, before));
        }
        before = Some(token);
    }
    match before {
        Some(last) if wants_value(source, last) && last.kind != Kind::End => {
            let text = source.slice(last.from, last.to);
            mistake(source.chars().len(), format!("a value is expected after `{text}`, such as `{text} 2`"))
        }
        _ => Ok(()),
    }
}

fn wants_value(source: &Source, token: &Token) -> bool {
    let is_keyword = || matches!(source.slice(token.from, token.to).as_str(), "to" | "of" | "in" | "as" | "mod");
    match token.kind {
        Kind::Sign | Kind::Operator | Kind::Open | Kind::Root | Kind::End => true,
        Kind::Word => is_keyword(),
        _ => false,
    }
}

/// `to %`, `to '` and `to "` name units.
fn is_foot_or_inch(source: &Source, token: &Token, before: Option<&Token>) -> bool {
    let names_unit = matches!(token.kind, Kind::Suffix | Kind::Percent);
    names_unit && before.is_some_and(|before| before.kind == Kind::Word && source.slice(before.from, before.to) != "of")
}

fn missing_before(source: &Source, token: &Token, before: Option<&Token>) -> String {
    let text = source.slice(token.from, token.to);
    match (token.kind, before) {
        (Kind::Close, Some(before)) if before.kind == Kind::Open => {
            "`()` is empty; write a value between the brackets".into()
        }
        (Kind::Close, Some(before)) => {
            format!("a value is expected after `{}`, but here stands `)`", source.slice(before.from, before.to))
        }
        (_, Some(before)) => {
            format!("a value is expected after `{}`, but here stands `{text}`", source.slice(before.from, before.to))
        }
        (_, None) => format!("a value is expected before `{text}`, such as `1 {text} 2`"),
    }
}

/// The first two values side by side, for an expression that could not be read otherwise.
pub fn missing_operator(source: &Source, tokens: &[Token]) -> Option<Mistake> {
    let is_value = |token: &Token| matches!(token.kind, Kind::Number | Kind::Word | Kind::Close);
    let pair = tokens.windows(2).find(|pair| is_value(&pair[0]) && pair[1].kind == Kind::Number)?;
    let (left, right) = (source.slice(pair[0].from, pair[0].to), source.slice(pair[1].from, pair[1].to));
    Some(Mistake {
        at: pair[1].from,
        what: format!("an operator such as `*` or `+` is expected between `{left}` and `{right}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    #[track_caller]
    fn check_text(text: &str) -> Result<(), (usize, String)> {
        let source = Source::read(text);
        let tokens = tokens(&source);
        check(&source, &tokens).map_err(|mistake| (source.place(mistake.at), mistake.what))
    }

    #[test]
    fn each_mistake_is_placed_and_says_what_is_expected() {
        for (text, place, part) in [
            ("", 1, "nothing to compute"),
            ("1 +", 4, "a value is expected after `+`"),
            ("* 3", 1, "a value is expected before `*`"),
            ("2 * / 3", 5, "a value is expected after `*`, but here stands `/`"),
            ("（1＋2", 1, "never closed"),
            ("1 + 2)", 6, "closes nothing"),
            ("()", 2, "is empty"),
            ("(1 + ) * 2", 6, "after `+`, but here stands `)`"),
            ("7 // 2", 3, "floor"),
            ("1 << 3", 3, "2^b"),
            ("3,5 + 1", 1, "decimal sign"),
            ("1,0000", 1, "three digits"),
            ("1.2.3", 1, "two decimal points"),
            ("gcd(12, 18)", 1, "no function `gcd`"),
            ("f(2, 3)", 4, "one argument"),
            ("sin 30°", 5, "sin(30)"),
            ("2d6", 2, "chance"),
            ("roll d20", 1, "chance"),
            ("[1+2]*3", 1, "write `(` and `)`"),
            ("$5 * 2", 1, "exchange rates"),
            ("3 > 2", 3, "not supported"),
            ("6除2", 2, "除以"),
            ("3 加 # 4", 5, "no meaning"),
            ("5 km to", 8, "after `to`"),
            ("@debug 1", 1, "no meaning"),
        ] {
            let (at, what) = check_text(text).expect_err(text);
            assert!(at == place && what.contains(part), "{text}: character {at}: {what}");
        }
    }

    #[test]
    fn sound_expressions_pass() {
        for text in [
            "1",
            "-3",
            "+4",
            "2 * -3",
            "2^-1",
            "1,000,000.5",
            "5!",
            "3 m² to ft^2",
            "0.5 to %",
            "x = 5; x^2",
            "6' 2\" to cm",
            "√2",
            "sin(30°)",
            "10 mod 3",
            "5 choose 2",
            "1 1/2",
            "0xff + 0b11",
            "15% of 200",
            "1 == 1",
        ] {
            assert_eq!(check_text(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn two_values_side_by_side_miss_an_operator() {
        let source = Source::read("2 3");
        let found = missing_operator(&source, &tokens(&source)).expect("a mistake");
        assert_eq!((found.at, found.what.contains("between `2` and `3`")), (2, true));
    }
}
