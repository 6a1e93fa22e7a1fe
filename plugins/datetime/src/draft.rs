//! What a grammar has understood so far, and how it becomes a moment.

use jiff::civil::{Date, DateTime, Time, time};
use jiff::tz::AmbiguousOffset;
use jiff::{ToSpan, ZonedDateTime};

use crate::calendar::add_days;

/// A text that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The moment; midnight when only a date was named.
    pub at: ZonedDateTime,
    /// Whether a time of day was named.
    pub has_time: bool,
    /// What was assumed on the way.
    pub notes: Vec<String>,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// 凌晨: 0 to 5.
    SmallHours,
    /// Morning.
    Morning,
    /// Around 12.
    Noon,
    /// Afternoon.
    Afternoon,
    /// Evening and night, until midnight and a little after.
    Evening,
}

impl Period {
    /// The hour assumed when none is named, and its name.
    fn default_hour(self) -> (i8, &'static str) {
        match self {
            Period::SmallHours => (3, "the small hours"),
            Period::Morning => (9, "the morning"),
            Period::Noon => (12, "noon"),
            Period::Afternoon => (15, "the afternoon"),
            Period::Evening => (20, "the evening"),
        }
    }

    /// The hour of 24 for an hour of 12, and how many days later it lies.
    fn hour(self, hour: i8) -> (i8, i64) {
        match (self, hour) {
            (Period::SmallHours | Period::Morning, 12) => (0, 0),
            (Period::Noon, 1..=3) | (Period::Afternoon, 1..=11) => (hour + 12, 0),
            (Period::Evening, 12) => (0, 1),
            (Period::Evening, 1..=4) => (hour, 1),
            (Period::Evening, 5..=11) => (hour + 12, 0),
            _ => (hour, 0),
        }
    }
}

/// What was understood so far.
#[derive(Debug, Default)]
pub struct Draft {
    /// The exact moment, when the text counts from now in hours or less.
    pub exact: Option<ZonedDateTime>,
    /// The date.
    pub date: Option<Date>,
    /// The clock time: hour as it was written, minute, second.
    pub clock: Option<(i8, i8, i8)>,
    /// Whether the hour is one of 12 unless the part of the day is named.
    pub is_bare_hour: bool,
    /// The part of the day.
    pub period: Option<Period>,
    /// What was assumed.
    pub notes: Vec<String>,
}

impl Draft {
    /// Sets the date; a text has only one.
    pub fn set_date(&mut self, date: Date) -> Result<(), String> {
        match self.date.replace(date) {
            None => Ok(()),
            Some(_) => Err("two dates are named; give one".into()),
        }
    }

    /// Sets a date whose year was not named.
    pub fn set_coming(&mut self, date: Result<Date, String>) -> Result<(), String> {
        let date = date?;
        self.note(format!("the coming one is taken: {date}"));
        self.set_date(date)
    }

    /// Sets the clock time; a text has only one.
    pub fn set_clock(&mut self, hour: i64, minute: i64, second: i64) -> Result<(), String> {
        let fits = (0..=24).contains(&hour) && (0..=59).contains(&minute) && (0..=59).contains(&second);
        if !fits || (hour == 24 && minute + second > 0) {
            return Err(format!(
                "there is no time {hour}:{minute:02}; hours are 0 to 23 and minutes 0 to 59, as in 15:30"
            ));
        }
        let small = |number: i64| i8::try_from(number).unwrap_or(0);
        match self.clock.replace((small(hour), small(minute), small(second))) {
            None => Ok(()),
            Some(_) => Err("two times of day are named; give one".into()),
        }
    }

    /// Remembers what was assumed.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The moment, in the zone of `now`.
    ///
    /// # Errors
    /// When nothing was named, or the moment lies outside the years -9999 to 9999.
    pub fn finish(mut self, now: &ZonedDateTime) -> Result<Reading, String> {
        if let Some(at) = self.exact {
            return Ok(Reading { at, has_time: true, notes: self.notes });
        }
        if self.date.is_none() && self.clock.is_none() && self.period.is_none() {
            return Err("no date or time is named".into());
        }
        let date = self.date.unwrap_or(now.date());
        let (time, days) = self.time();
        let has_time = time.is_some();
        let civil = add_days(date, days)?.to_datetime(time.unwrap_or(Time::midnight()));
        let at = resolve(civil, now, &mut self.notes)?;
        Ok(Reading { at, has_time, notes: self.notes })
    }

    /// The time of day, and how many days after the date it lies.
    fn time(&mut self) -> (Option<Time>, i64) {
        let Some((hour, minute, second)) = self.clock else {
            let Some(period) = self.period else { return (None, 0) };
            let (hour, name) = period.default_hour();
            self.note(format!("no hour was given; {hour:02}:00 is assumed for {name}"));
            return (Some(time(hour, 0, 0, 0)), 0);
        };
        let (hour, days) = match (self.period, hour) {
            (_, 24) => (0, 1),
            (Some(period), hour) => period.hour(hour),
            (None, hour) => (hour, 0),
        };
        if self.is_bare_hour && self.period.is_none() && (1..=11).contains(&hour) {
            self.note(format!(
                "no part of the day was named; the hour is read as {hour:02}:00 in the morning, not {}:00",
                hour + 12
            ));
        }
        if days > 0 && self.period.is_some() {
            self.note("that night's hour after midnight is on the next date");
        }
        (Some(time(hour, minute, second, 0)), days)
    }
}

/// The moment of a clock time in the zone of `now`; a clock change in the way is noted.
///
/// A time that is skipped moves on by as much as the clock; of a time that comes twice the first is taken.
pub fn resolve(civil: DateTime, now: &ZonedDateTime, notes: &mut Vec<String>) -> Result<ZonedDateTime, String> {
    let found = now.time_zone().to_ambiguous_zoned_datetime(civil);
    let offset = found.offset();
    let at = found.compatible().map_err(|_| crate::calendar::OUT_OF_RANGE.to_owned())?;
    match offset {
        AmbiguousOffset::Unambiguous { .. } => {}
        AmbiguousOffset::Gap { .. } => notes.push(format!(
            "the clock is put forward then and {} does not exist; {} is taken",
            civil.time(),
            at.time()
        )),
        AmbiguousOffset::Fold { before, after } => notes.push(format!(
            "the clock is put back then and {} comes twice; the first (UTC{before}) is taken, the second is UTC{after}",
            civil.time()
        )),
    }
    Ok(at)
}

/// A span counted from now: its date when it has only days and longer, the exact moment else.
pub fn from_now(draft: &mut Draft, now: &ZonedDateTime, span: jiff::Span) -> Result<(), String> {
    let at = now.checked_add(span).map_err(|_| crate::calendar::OUT_OF_RANGE.to_owned())?;
    let has_clock =
        span.get_hours() != 0 || span.get_minutes() != 0 || span.get_seconds() != 0 || span.get_milliseconds() != 0;
    if has_clock {
        draft.exact = Some(at.checked_sub(i64::from(at.subsec_nanosecond()).nanoseconds()).unwrap_or(at));
        return Ok(());
    }
    draft.set_date(at.date())
}
