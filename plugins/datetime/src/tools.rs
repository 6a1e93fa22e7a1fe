//! The tools.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use winclaw_sdk::prelude::*;

use crate::args::{AddArgs, ConvertArgs, DifferenceArgs, NowArgs, ParseArgs, WeekdayArgs};
use crate::calendar::{OUT_OF_RANGE, weekday_names};
use crate::draft::Reading;
use crate::report::{Added, Converted, Day, Difference, Moment, Now, Parsed};
use crate::{amount, read, reckon, zone};

/// The present date, time, weekday and zone. Call it whenever a task depends on what day or time it is.
#[tool(side_effect = "read")]
pub fn now(args: NowArgs, cx: &Context) -> Result<Now, Failure> {
    let mut notes = Vec::new();
    let now = present("zone", args.zone.as_deref(), cx, &mut notes)?;
    Ok(Now { moment: Moment::of(&now), notes })
}

/// Turns a date or time in words, English or Chinese, into an exact one.
///
/// Weeks start on Monday and "next Wednesday" is that of next week. `notes` say what was assumed.
#[tool(side_effect = "read")]
pub fn parse(args: ParseArgs, cx: &Context) -> Result<Parsed, Failure> {
    let mut notes = Vec::new();
    let now = present("zone", args.zone.as_deref(), cx, &mut notes)?;
    let reading = understood("text", &args.text, &now, &mut notes)?;
    Ok(Parsed::of(Reading { notes, ..reading }))
}

/// Converts a time from one zone to another.
#[tool(side_effect = "read")]
pub fn convert(args: ConvertArgs, cx: &Context) -> Result<Converted, Failure> {
    let mut notes = Vec::new();
    let target = zone::find(&args.to).map_err(|error| wrong("to", &error))?;
    let now = present("from", args.from.as_deref(), cx, &mut notes)?;
    let from = understood("time", &args.time, &now, &mut notes)?.at;
    let to = from.with_time_zone(target);
    let ahead = jiff::tz::Offset::from_seconds(to.offset().seconds() - from.offset().seconds());
    let ahead = ahead.map(zone::offset_text).map_err(|_| wrong("to", OUT_OF_RANGE))?;
    Ok(Converted { from: Moment::of(&from), to: Moment::of(&to), ahead, notes })
}

/// The time from `a` to `b` in calendar units, days and seconds; `total` in a unit of choice.
#[tool(side_effect = "read")]
pub fn difference(args: DifferenceArgs, cx: &Context) -> Result<Difference, Failure> {
    let mut notes = Vec::new();
    let now = present("zone", args.zone.as_deref(), cx, &mut notes)?;
    let from = understood("a", &args.a, &now, &mut notes)?.at;
    let to = understood("b", &args.b, &now, &mut notes)?.at;
    let difference = reckon::difference(&from, &to, args.unit).map_err(|error| wrong("b", &error))?;
    Ok(Difference { notes, ..difference })
}

/// Adds an amount of time to a date or time, or takes it away.
///
/// Days and longer keep the time of day; hours and shorter are counted as they pass.
#[tool(side_effect = "read")]
pub fn add(args: AddArgs, cx: &Context) -> Result<Added, Failure> {
    let mut notes = Vec::new();
    let now = present("zone", args.zone.as_deref(), cx, &mut notes)?;
    let from = understood("time", &args.time, &now, &mut notes)?.at;
    let span = amount::parse(&args.amount).map_err(|error| wrong("amount", &error))?;
    let mut added = reckon::add(&from, span).map_err(|error| wrong("amount", &error))?;
    notes.append(&mut added.notes);
    Ok(Added { notes, ..added })
}

/// What day of the week a date is, with ISO week, day of the year and distance from today. Public holidays are not known.
#[tool(side_effect = "read")]
pub fn weekday(args: WeekdayArgs, cx: &Context) -> Result<Day, Failure> {
    let mut notes = Vec::new();
    let now = present("zone", args.zone.as_deref(), cx, &mut notes)?;
    let date = understood("date", &args.date, &now, &mut notes)?.at.date();
    let week = date.iso_week_date();
    let (weekday, weekday_zh) = weekday_names(date.weekday());
    let away = now.date().until((jiff::Unit::Day, date)).map_err(|_| wrong("date", OUT_OF_RANGE))?;
    Ok(Day {
        date: date.to_string(),
        weekday: weekday.to_owned(),
        weekday_zh: weekday_zh.to_owned(),
        weekend: date.weekday().to_monday_zero_offset() >= 5,
        iso_week: format!("{}-W{:02}", week.year(), week.week()),
        day_of_year: date.day_of_year(),
        leap_year: date.in_leap_year(),
        days_from_today: i64::from(away.get_days()),
        notes,
    })
}

/// The host's present moment in the zone named `zone`, else in the system's, which is noted.
fn present(field: &str, zone: Option<&str>, cx: &Context, notes: &mut Vec<String>) -> Result<ZonedDateTime, Failure> {
    let stamp = Timestamp::from_millisecond(cx.now_ms())
        .map_err(|_| Failure::unavailable("the clock of this machine is wrong"))?;
    let zone = match zone.map(str::trim).filter(|zone| !zone.is_empty()) {
        Some(name) => zone::find(name).map_err(|error| wrong(field, &error))?,
        None => system(notes),
    };
    Ok(stamp.to_zoned_datetime(zone))
}

fn system(notes: &mut Vec<String>) -> TimeZone {
    match TimeZone::try_system() {
        Ok(zone) if !zone.is_unknown() => {
            let name = zone.iana_name().unwrap_or("without a name");
            notes.push(format!("no zone was given; the system's is taken: {name}"));
            zone
        }
        _ => {
            notes.push("no zone was given and the system's is not known; UTC is taken".to_owned());
            TimeZone::UTC
        }
    }
}

fn understood(field: &str, text: &str, now: &ZonedDateTime, notes: &mut Vec<String>) -> Result<Reading, Failure> {
    let mut reading = read::read(text, now).map_err(|error| wrong(field, &error))?;
    notes.append(&mut reading.notes);
    Ok(reading)
}

fn wrong(field: &str, error: &str) -> Failure {
    Failure::invalid_args(format!("{field}: {error}"))
}
