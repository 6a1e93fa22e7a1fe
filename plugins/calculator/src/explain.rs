//! Mistakes and fend's errors, in words that say how to mend them.

use winclaw_sdk::{Failure, FailureCode};

use crate::answer::Checked;
use crate::engine::{Limit, TIME_LIMIT};
use crate::source::Source;
use crate::syntax::{self, Mistake, NO_RATES};
use crate::tokens::Kind;
use crate::units::MONEY;

/// `invalid_args` that names the argument, the place and what is expected.
pub fn mistake(field: &str, source: &Source, mistake: &Mistake) -> Failure {
    Failure::invalid_args(format!("{field}, character {}: {}", source.place(mistake.at), mistake.what))
}

/// What fend said about `checked`, as a failure.
pub fn error(error: &str, checked: &Checked, limit: &Limit<'_>) -> Failure {
    if let Some(name) = error.strip_prefix("unknown identifier '").and_then(|rest| rest.strip_suffix('\'')) {
        return unknown_word(name, checked);
    }
    match error {
        "interrupted" if limit.is_over() => Failure::tool_failed(format!(
            "The computation was stopped after {} seconds; the numbers are too large. Use smaller ones, or logarithms.",
            TIME_LIMIT.as_secs()
        ))
        .with_hint("The numbers are too large to compute.", "数字过大，无法计算。"),
        "interrupted" => Failure::new(FailureCode::Cancelled, "The computation was cancelled."),
        "division by zero" => {
            Failure::tool_failed("Division by zero: the value after `/` is 0, so there is no result.")
                .with_hint("Division by zero has no result.", "除数为零，没有结果。")
        }
        "modulo by zero" => {
            Failure::tool_failed("Remainder of a division by zero: the value after `mod` is 0, so there is no result.")
        }
        "exchange rates are not available" => Failure::invalid_args(NO_RATES),
        "unexpected input found" | "expected a number" => unreadable(error, checked),
        other => Failure::invalid_args(format!("This cannot be computed: {other}.")),
    }
}

fn unknown_word(name: &str, checked: &Checked) -> Failure {
    let Checked { source, tokens, .. } = checked;
    if MONEY.contains(&name) {
        return Failure::invalid_args(NO_RATES);
    }
    let token = tokens.iter().find(|token| token.kind == Kind::Word && source.slice(token.from, token.to) == name);
    let place = token.map(|token| format!(" at character {}", source.place(token.from))).unwrap_or_default();
    Failure::invalid_args(format!(
        "`{name}`{place} is no unit, function or constant known here. Units are written as km, kg, °C, km/h, MiB or 公里, \
         functions as sqrt(2), sin(30°), ln(10), constants as pi, e."
    ))
}

fn unreadable(error: &str, checked: &Checked) -> Failure {
    match syntax::missing_operator(&checked.source, &checked.tokens) {
        Some(found) => mistake(checked.field, &checked.source, &found),
        None => Failure::invalid_args(format!("{}: `{}` cannot be read: {error}.", checked.field, checked.plain)),
    }
}
