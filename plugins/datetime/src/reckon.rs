//! Differences and sums of moments, with what is worth saying about them.

use jiff::fmt::friendly::{Designator, Spacing, SpanPrinter};
use jiff::{Span, ZonedDateTime};

use crate::args::Unit;
use crate::calendar::OUT_OF_RANGE;
use crate::report::{Added, Difference, Moment};

/// The time from `from` to `to`; both are seen in the zone of `from`.
///
/// # Errors
/// When it cannot be expressed, which for moments within the years -9999 to 9999 does not happen.
pub fn difference(from: &ZonedDateTime, to: &ZonedDateTime, unit: Option<Unit>) -> Result<Difference, String> {
    let out = |_| OUT_OF_RANGE.to_owned();
    let to = to.with_time_zone(from.time_zone().clone());
    let span = from.until((jiff::Unit::Year, &to)).map_err(out)?;
    let days = from.date().until((jiff::Unit::Day, to.date())).map_err(out)?;
    let total = unit.map(|unit| span.total((unit.of_jiff(), from)).map_err(out)).transpose()?;
    Ok(Difference {
        from: Moment::of(from),
        to: Moment::of(&to),
        backwards: to.timestamp() < from.timestamp(),
        words: words(&span),
        iso: span.to_string(),
        days: i64::from(days.get_days()),
        seconds: to.timestamp().as_second() - from.timestamp().as_second(),
        total,
        notes: Vec::new(),
    })
}

/// `3 days 2 hours`.
fn words(span: &Span) -> String {
    let printer = SpanPrinter::new().designator(Designator::Verbose).spacing(Spacing::BetweenUnitsAndDesignators);
    printer.span_to_string(span)
}

/// The moment `span` after `from`. A day that a month does not have becomes its last one, and an hour that a clock
/// change skips moves on; both are noted.
///
/// # Errors
/// When the result lies outside the years -9999 to 9999.
pub fn add(from: &ZonedDateTime, span: Span) -> Result<Added, String> {
    let result = from.checked_add(span).map_err(|_| OUT_OF_RANGE.to_owned())?;
    let mut notes = Vec::new();
    let has_days = span.get_weeks() != 0 || span.get_days() != 0;
    let has_clock = span.get_hours() != 0 || span.get_minutes() != 0 || span.get_seconds() != 0;
    let has_months = span.get_years() != 0 || span.get_months() != 0;
    if has_months && !has_days && !has_clock && result.day() != from.day() {
        notes.push(format!("that month has no day {}; its last day is taken", from.day()));
    }
    if !has_clock && result.time() != from.time() {
        notes.push(format!(
            "the clock is put forward then and {} does not exist; {} is taken",
            from.time(),
            result.time()
        ));
    }
    if has_clock && result.offset() != from.offset() {
        notes.push("the clock is changed in between; the hours are counted as they pass".to_owned());
    }
    Ok(Added { from: Moment::of(from), amount: span.to_string(), result: Moment::of(&result), notes })
}
