//! Dates and times in digits: ISO 8601 and its everyday forms.

use jiff::ZonedDateTime;
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::{Offset, TimeZone};

use crate::calendar::{OUT_OF_RANGE, day};
use crate::draft::{Draft, Reading, resolve};

/// Reads `2026-12-01`, `2026/12/1 15:00`, `2026-12-01T15:00+08:00[Asia/Shanghai]`, `20261201` and `@1700000000`.
///
/// `None` when the text has another form; an error when it has this form and names no moment.
pub fn read(text: &str, now: &ZonedDateTime) -> Option<Result<Reading, String>> {
    if let Some(seconds) = text.strip_prefix('@') {
        return Some(unix(seconds, now));
    }
    let (date, rest) = leading_date(text)?;
    Some(date.and_then(|(year, month, number)| dated(year, month, number, rest, now)))
}

fn unix(seconds: &str, now: &ZonedDateTime) -> Result<Reading, String> {
    let stamp = seconds.trim().parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let stamp = stamp.ok_or("`@` is followed by seconds since 1970, such as @1700000000")?;
    Ok(Reading { at: stamp.to_zoned_datetime(now.time_zone().clone()), has_time: true, notes: Vec::new() })
}

type Numbers = (i64, i64, i64);

/// Year, month and day at the start of `text`, and what stands after them.
fn leading_date(text: &str) -> Option<(Result<Numbers, String>, &str)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (year, rest) = digits_of(digits)?;
    if year.len() == 8 && !rest.starts_with(['-', '/', '.']) {
        return Some((numbers(false, &year[..4], &year[4..6], &year[6..]), rest));
    }
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    let (month, rest) = digits_of(&rest[1..])?;
    let (number, rest) = digits_of(rest.strip_prefix(separator)?)?;
    if year.len() < 4 {
        let what = format!("`{text}` can be read in different ways; write year-month-day, such as 2026-12-01");
        return Some((Err(what), rest));
    }
    Some((numbers(negative, year, month, number), rest))
}

fn digits_of(text: &str) -> Option<(&str, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    (length > 0).then(|| text.split_at(length))
}

fn numbers(negative: bool, year: &str, month: &str, number: &str) -> Result<Numbers, String> {
    let read = |digits: &str| digits.parse::<i64>().map_err(|_| OUT_OF_RANGE.to_owned());
    let year = read(year)?;
    Ok((if negative { -year } else { year }, read(month)?, read(number)?))
}

fn dated(year: i64, month: i64, number: i64, rest: &str, now: &ZonedDateTime) -> Result<Reading, String> {
    let date = day(year, month, number)?;
    let rest = rest.trim_start_matches(['T', 't', ' ', ',']).trim();
    if rest.is_empty() {
        return Draft { date: Some(date), ..Draft::default() }.finish(now);
    }
    let padded = if rest.as_bytes().get(1) == Some(&b':') { format!("0{rest}") } else { rest.to_owned() };
    // A fixed date stands in, so that only the time and the zone are judged here.
    let whole = format!("2000-01-01T{padded}");
    let Ok(pieces) = Pieces::parse(&whole) else { return with_words(date, rest, now) };
    let Some(time) = pieces.time() else { return with_words(date, rest, now) };
    let mut notes = Vec::new();
    let civil = date.to_datetime(time);
    let at = match zone(&pieces)? {
        Some(zone) => in_zone(civil, zone, offset(&pieces), &mut notes)?,
        None => resolve(civil, now, &mut notes)?,
    };
    Ok(Reading { at, has_time: true, notes })
}

/// A date in digits followed by a time in words, such as `2026-12-01 3pm` or `2026-12-01 下午三点`.
fn with_words(date: jiff::civil::Date, rest: &str, now: &ZonedDateTime) -> Result<Reading, String> {
    let mut draft = Draft { date: Some(date), ..Draft::default() };
    crate::read::words(rest, now, &mut draft)?;
    draft.finish(now)
}

fn offset(pieces: &Pieces<'_>) -> Option<Offset> {
    match pieces.offset()? {
        PiecesOffset::Numeric(numeric) => Some(numeric.offset()),
        _ => Some(Offset::UTC),
    }
}

/// The zone named in brackets, else that of the offset.
fn zone(pieces: &Pieces<'_>) -> Result<Option<TimeZone>, String> {
    let named =
        pieces.to_time_zone().map_err(|_| "the zone in brackets is not known; write one such as [Asia/Shanghai]")?;
    Ok(named.or_else(|| offset(pieces).map(TimeZone::fixed)))
}

/// The moment in `zone`; an offset that is given as well decides between the two times of a fold.
fn in_zone(
    civil: jiff::civil::DateTime,
    zone: TimeZone,
    offset: Option<Offset>,
    notes: &mut Vec<String>,
) -> Result<ZonedDateTime, String> {
    let by_offset =
        offset.and_then(|offset| offset.to_timestamp(civil).ok()).map(|stamp| stamp.to_zoned_datetime(zone.clone()));
    match by_offset {
        Some(at) if at.datetime() == civil => Ok(at),
        Some(at) => Err(format!(
            "the offset does not fit the zone: at that time it is UTC{}",
            crate::zone::offset_text(at.offset())
        )),
        None => {
            let anywhere = jiff::Timestamp::UNIX_EPOCH.to_zoned_datetime(zone);
            resolve(civil, &anywhere, notes)
        }
    }
}
