//! What the tools give back.

use jiff::ZonedDateTime;
use winclaw_sdk::result;

use crate::calendar::weekday_names;
use crate::draft::Reading;
use crate::zone;

/// A moment, written in every way that is asked for.
#[result]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// ISO 8601 with offset, to the second.
    pub iso: String,
    /// Local date.
    pub date: String,
    /// Local time, `HH:MM:SS`.
    pub time: String,
    /// Day of the week in English.
    pub weekday: String,
    /// Day of the week in Chinese.
    pub weekday_zh: String,
    /// IANA zone, or the offset when there is none.
    pub zone: String,
    /// Offset from UTC, `+08:00`.
    pub utc_offset: String,
    /// Seconds since 1970-01-01 UTC.
    pub unix: i64,
}

impl Moment {
    /// The moment `at`.
    pub fn of(at: &ZonedDateTime) -> Self {
        let (weekday, weekday_zh) = weekday_names(at.weekday());
        let offset = zone::offset_text(at.offset());
        Moment {
            iso: format!("{}{offset}", at.strftime("%Y-%m-%dT%H:%M:%S")),
            date: at.date().to_string(),
            time: at.strftime("%H:%M:%S").to_string(),
            weekday: weekday.to_owned(),
            weekday_zh: weekday_zh.to_owned(),
            zone: zone::name(at.time_zone(), at.offset()),
            utc_offset: offset,
            unix: at.timestamp().as_second(),
        }
    }
}

/// The present moment.
#[result]
#[derive(Debug)]
pub struct Now {
    /// The moment.
    #[serde(flatten)]
    pub moment: Moment,
    /// What was assumed, such as the zone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A text that was understood.
#[result]
#[derive(Debug)]
pub struct Parsed {
    /// The moment; its start when only a date was named.
    #[serde(flatten)]
    pub moment: Moment,
    /// Whether the text names a time of day. `false`: only the date counts.
    pub has_time: bool,
    /// What was assumed, such as the zone or the year.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Parsed {
    /// What `reading` says.
    pub fn of(reading: Reading) -> Self {
        Parsed { moment: Moment::of(&reading.at), has_time: reading.has_time, notes: reading.notes }
    }
}

/// A moment in two zones.
#[result]
#[derive(Debug)]
pub struct Converted {
    /// In the zone it was given in.
    pub from: Moment,
    /// In the zone asked for.
    pub to: Moment,
    /// How far the second zone's clock is ahead, such as `+13:00`.
    pub ahead: String,
    /// What was assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The time between two moments.
#[result]
#[derive(Debug)]
pub struct Difference {
    /// The first moment.
    pub from: Moment,
    /// The second moment.
    pub to: Moment,
    /// Whether the second is before the first; all amounts below are then negative.
    pub backwards: bool,
    /// In years, months, days and so on, in words.
    pub words: String,
    /// The same in ISO 8601.
    pub iso: String,
    /// Calendar days between the two dates.
    pub days: i64,
    /// Seconds between the two moments.
    pub seconds: i64,
    /// The whole in the unit asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What was assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A moment and what was added to reach it.
#[result]
#[derive(Debug)]
pub struct Added {
    /// The moment it was added to.
    pub from: Moment,
    /// What was added, in ISO 8601.
    pub amount: String,
    /// The result.
    pub result: Moment,
    /// What was assumed, or moved because a day or hour does not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What day a date is.
#[result]
#[derive(Debug)]
pub struct Day {
    /// The date.
    pub date: String,
    /// Day of the week in English.
    pub weekday: String,
    /// Day of the week in Chinese.
    pub weekday_zh: String,
    /// Whether it is a Saturday or Sunday. Public holidays are not known.
    pub weekend: bool,
    /// ISO week, `2026-W49`.
    pub iso_week: String,
    /// 1 to 366.
    pub day_of_year: i16,
    /// Whether its year has 366 days.
    pub leap_year: bool,
    /// Days from today, negative for the past.
    pub days_from_today: i64,
    /// What was assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
