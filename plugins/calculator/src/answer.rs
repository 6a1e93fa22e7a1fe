//! From what a person wrote to the result of a tool.

use winclaw_sdk::prelude::*;

use crate::engine::{self, Limit, TIME_LIMIT, Value as Computed};
use crate::explain;
use crate::rewrite::rewrite;
use crate::round::{Fraction, Rounding};
use crate::source::Source;
use crate::syntax;
use crate::tokens::{Token, tokens};

/// Longest expression, in characters.
pub const MAX_EXPRESSION: usize = 1_000;

/// Longest result that is given whole, in characters.
const MAX_RESULT: usize = 2_000;

/// How many characters of a longer result are given from its start and from its end.
const ENDS: usize = 50;

/// A computed value.
#[result]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The expression as it was given.
    pub expression: String,
    /// How it was read, when that is not how it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_as: Option<String>,
    /// The value with its unit. Digits in the middle of a very long one are left out.
    pub result: String,
    /// `true`: exact. `false`: rounded to the digits shown.
    pub exact: bool,
    /// The base of the digits, when it is not ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<u8>,
    /// The unit of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// How many digits the whole value has, when some are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<usize>,
}

/// Text that was found sound: what was written, and its pieces.
pub struct Checked {
    /// The argument it was given as.
    pub field: &'static str,
    /// What was written.
    pub source: Source,
    /// Its pieces.
    pub tokens: Vec<Token>,
    /// What fend is to read.
    pub plain: String,
}

/// Reads `text`, the argument `field`.
///
/// # Errors
/// `invalid_args`, with the place of the mistake and what is expected there.
pub fn check(field: &'static str, text: &str) -> Result<Checked, Failure> {
    if text.chars().count() > MAX_EXPRESSION {
        return Err(Failure::invalid_args(format!(
            "{field} is longer than {MAX_EXPRESSION} characters; compute it in parts"
        )));
    }
    let source = Source::read(text);
    let tokens = tokens(&source);
    syntax::check(&source, &tokens).map_err(|mistake| explain::mistake(field, &source, &mistake))?;
    let plain = rewrite(&source, &tokens);
    Ok(Checked { field, source, tokens, plain })
}

/// How a result is to be shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    base: Option<u8>,
    places: Option<u8>,
}

impl Shape {
    /// In `base`, with `precision` decimal places.
    ///
    /// # Errors
    /// `invalid_args` when one is out of its range.
    pub fn new(base: Option<u8>, precision: Option<u8>) -> Result<Self, Failure> {
        if let Some(base) = base.filter(|base| !(2..=36).contains(base)) {
            return Err(Failure::invalid_args(format!("base is {base}; give a number from 2 to 36")));
        }
        if let Some(precision) = precision.filter(|precision| *precision > 100) {
            return Err(Failure::invalid_args(format!("precision is {precision}; give 0 to 100 decimal places")));
        }
        Ok(Shape { base, places: precision })
    }
}

/// Computes `checked`, which was written as `text`, and shows it in `shape`.
///
/// # Errors
/// What fend finds wrong, in words; `tool_failed` after [`TIME_LIMIT`]; `cancelled`.
pub fn evaluate(
    text: &str,
    checked: &Checked,
    shape: Shape,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Answer, Failure> {
    let (mut plain, asked) = split_rounding(&checked.plain);
    if let Some(base) = shape.base {
        plain += &format!(" to base {base}");
    }
    let rounding = shape.places.map(|places| Rounding::Places(usize::from(places))).or(asked);
    let limit = Limit::new(TIME_LIMIT, cancelled);
    let value = engine::on_large_stack(|| compute(&plain, rounding, &limit))
        .map_err(|error| Failure::unavailable(format!("no thread for the computation: {error}")))?
        .map_err(|error| explain::error(&error, checked, &limit))?;
    if value.text.is_empty() || value.text.starts_with('\\') {
        return Err(Failure::invalid_args("the expression is a function and not a value; apply it, such as `sqrt(2)`"));
    }
    Ok(answer(text, &plain, value))
}

fn compute(plain: &str, rounding: Option<Rounding>, limit: &Limit<'_>) -> Result<Computed, String> {
    let value = engine::compute(plain, limit)?;
    rounded(plain, value, rounding, limit)
}

/// Takes ` to 2 dp` or ` to 3 sf` off the end of an expression.
fn split_rounding(plain: &str) -> (String, Option<Rounding>) {
    let words: Vec<&str> = plain.split_whitespace().collect();
    let count = |number: &str| number.parse().ok().filter(|count: &usize| *count <= MAX_RESULT);
    let asked = match words[..] {
        [.., "to", number, "dp"] => count(number).map(Rounding::Places),
        [.., "to", number, "sf"] => count(number).filter(|figures| *figures > 0).map(Rounding::Figures),
        _ => None,
    };
    match asked {
        Some(rounding) => (words[..words.len() - 3].join(" "), Some(rounding)),
        None => (plain.to_owned(), None),
    }
}

/// The value, rounded by our own arithmetic if it needs to be.
fn rounded(plain: &str, value: Computed, rounding: Option<Rounding>, limit: &Limit<'_>) -> Result<Computed, String> {
    let Some(number) = value.number.as_deref().filter(|number| needs_rounding(number, value.exact, rounding)) else {
        return Ok(value);
    };
    let base = base(plain, number).unwrap_or(10);
    let fraction = match engine::compute(&format!("{plain} to fraction"), limit) {
        Err(error) if error == "interrupted" => return Err(error),
        other => other.ok(),
    };
    let read = fraction.and_then(|found| Some((Fraction::read(found.number.as_deref()?, base.into())?, found.exact)));
    let Some((fraction, exact)) = read else { return Ok(value) };
    let rounded = fraction.write(rounding, exact);
    let text = format!("{}{}", rounded.text, value.tail);
    Ok(Computed { text, number: Some(rounded.text), exact: rounded.whole, ..value })
}

fn needs_rounding(number: &str, exact: bool, rounding: Option<Rounding>) -> bool {
    let places = number.split_once('.').map_or(0, |(_, places)| places.len());
    !exact
        || match rounding {
            Some(Rounding::Places(wanted)) => places > wanted,
            Some(Rounding::Figures(_)) => places > 0,
            None => false,
        }
}

fn answer(text: &str, plain: &str, value: Computed) -> Answer {
    let (result, digits) = shortened(&value.text);
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let read_as = (squeezed(plain) != squeezed(text)).then(|| plain.split_whitespace().collect::<Vec<_>>().join(" "));
    let unit = value.tail.trim();
    Answer {
        expression: text.to_owned(),
        read_as,
        result,
        exact: value.exact,
        base: base(plain, &value.text),
        unit: (!unit.is_empty()).then(|| unit.to_owned()),
        digits,
    }
}

/// The text itself, or its ends and how many digits it has.
fn shortened(text: &str) -> (String, Option<usize>) {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= MAX_RESULT {
        return (text.to_owned(), None);
    }
    let head: String = chars[..ENDS].iter().collect();
    let tail: String = chars[chars.len() - ENDS..].iter().collect();
    let digits = chars.iter().filter(|c| c.is_ascii_alphanumeric()).count();
    (format!("{head}…{tail}"), Some(digits))
}

/// The base that the expression asks for last, or that the digits carry as a prefix; `None` for ten.
fn base(plain: &str, result: &str) -> Option<u8> {
    let prefixes = [("0x", 16), ("0b", 2), ("0o", 8)];
    let carried =
        prefixes.iter().find(|(prefix, _)| result.trim_start_matches('-').starts_with(prefix)).map(|(_, base)| *base);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let asked = words.iter().enumerate().rev().find_map(|(index, word)| match *word {
        "base" => words.get(index + 1).and_then(|number| number.parse().ok()),
        "hex" | "hexadecimal" => Some(16),
        "binary" | "bin" => Some(2),
        "octal" | "oct" => Some(8),
        "decimal" => Some(10),
        _ => None,
    });
    carried.or(asked).filter(|base| *base != 10)
}
