//! What the tools are called with.

use winclaw_sdk::args;

/// What `now` is called with.
#[args]
pub struct NowArgs {
    /// Zone: IANA name, large city (北京, New York) or offset (+08:00). Default: the system's.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub zone: Option<String>,
}

/// What `parse` is called with.
#[args]
pub struct ParseArgs {
    /// "next Wednesday", "tomorrow at 3pm", "in 2 weeks", "下周三", "明天下午三点", "三天后", "上个月底", "明年春节", "2026-12-01 15:00".
    #[schemars(length(min = 1, max = 100))]
    pub text: String,
    /// Zone: IANA name, large city or offset. Default: the system's.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub zone: Option<String>,
}

/// What `convert` is called with.
#[args]
pub struct ConvertArgs {
    /// The time, in any form that parse understands: "15:00", "2026-12-01 09:30", "明天下午三点", "now".
    #[schemars(length(min = 1, max = 100))]
    pub time: String,
    /// Zone the time is given in: IANA name, large city or offset. Default: the system's.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub from: Option<String>,
    /// Zone to convert to: IANA name, large city or offset.
    #[schemars(length(min = 1, max = 60))]
    pub to: String,
}

/// What `difference` is called with.
#[args]
pub struct DifferenceArgs {
    /// The first date or time, in any form that parse understands.
    #[schemars(length(min = 1, max = 100))]
    pub a: String,
    /// The second date or time.
    #[schemars(length(min = 1, max = 100))]
    pub b: String,
    /// Unit for `total`. Default: no total.
    #[serde(default)]
    pub unit: Option<Unit>,
    /// Zone: IANA name, large city or offset. Default: the system's.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub zone: Option<String>,
}

/// What `add` is called with.
#[args]
pub struct AddArgs {
    /// The date or time to start from, in any form that parse understands: "now", "2026-01-31", "明天".
    #[schemars(length(min = 1, max = 100))]
    pub time: String,
    /// What to add: "3 days 2 hours", "-1 month", "P1Y2M", "3天2小时". A minus sign takes it away.
    #[schemars(length(min = 1, max = 100))]
    pub amount: String,
    /// Zone: IANA name, large city or offset. Default: the system's.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub zone: Option<String>,
}

/// What `weekday` is called with.
#[args]
pub struct WeekdayArgs {
    /// The date, in any form that parse understands: "2026-12-25", "10月1日", "today".
    #[schemars(length(min = 1, max = 100))]
    pub date: String,
    /// Zone that says what day today is. Default: the system's.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub zone: Option<String>,
}

/// A unit of time.
#[args]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// 12 months.
    Years,
    /// Calendar months.
    Months,
    /// 7 days.
    Weeks,
    /// Calendar days.
    Days,
    /// Hours.
    Hours,
    /// Minutes.
    Minutes,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// What jiff calls it.
    pub fn of_jiff(self) -> jiff::Unit {
        match self {
            Unit::Years => jiff::Unit::Year,
            Unit::Months => jiff::Unit::Month,
            Unit::Weeks => jiff::Unit::Week,
            Unit::Days => jiff::Unit::Day,
            Unit::Hours => jiff::Unit::Hour,
            Unit::Minutes => jiff::Unit::Minute,
            Unit::Seconds => jiff::Unit::Second,
        }
    }
}
