//! Arithmetic with dates that both grammars need.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

/// The days of the week, Monday first, in the forms they are named by.
pub const WEEKDAYS: [(&str, &str); 7] = [
    ("Monday", "星期一"),
    ("Tuesday", "星期二"),
    ("Wednesday", "星期三"),
    ("Thursday", "星期四"),
    ("Friday", "星期五"),
    ("Saturday", "星期六"),
    ("Sunday", "星期日"),
];

/// The months in English.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// English and Chinese name of a day of the week.
pub fn weekday_names(weekday: Weekday) -> (&'static str, &'static str) {
    WEEKDAYS[usize::from(weekday.to_monday_zero_offset().unsigned_abs()) % 7]
}

/// The date of day `index` (0 is Monday) in the week that lies `weeks` after that of `today`. Weeks start on Monday.
pub fn in_week(today: Date, weeks: i64, index: i64) -> Result<Date, String> {
    let back = i64::from(today.weekday().to_monday_zero_offset());
    add_days(today, weeks * 7 + index - back)
}

/// The first day with index `index` (0 is Monday) that is not before `today`.
pub fn coming(today: Date, index: i64) -> Result<Date, String> {
    let ahead = (index - i64::from(today.weekday().to_monday_zero_offset())).rem_euclid(7);
    add_days(today, ahead)
}

/// The date `days` later.
pub fn add_days(start: Date, days: i64) -> Result<Date, String> {
    start.checked_add(days.days()).map_err(|_| OUT_OF_RANGE.to_owned())
}

/// The date `months` later; the last day of a shorter month.
pub fn add_months(start: Date, months: i64) -> Result<Date, String> {
    start.checked_add(months.months()).map_err(|_| OUT_OF_RANGE.to_owned())
}

/// Said of a date outside the years that can be computed.
pub const OUT_OF_RANGE: &str = "the result lies outside the years -9999 to 9999";

/// The date with these numbers.
///
/// # Errors
/// Says which of them is wrong and what is right: no 13th month, no 29 February in a common year.
pub fn day(year: i64, month: i64, day: i64) -> Result<Date, String> {
    let Ok(short) = i16::try_from(year) else { return Err(year_out_of_range(year)) };
    if !(-9999..=9999).contains(&short) {
        return Err(year_out_of_range(year));
    }
    let Some(month) = i8::try_from(month).ok().filter(|month| (1..=12).contains(month)) else {
        return Err(format!("there is no month {month}; months are 1 to 12, as in 2026-12-01 (year-month-day)"));
    };
    let first = date(short, month, 1);
    match i8::try_from(day).ok().filter(|day| (1..=first.days_in_month()).contains(day)) {
        Some(day) => Ok(date(short, month, day)),
        None => Err(no_such_day(first, day)),
    }
}

fn year_out_of_range(year: i64) -> String {
    format!("year {year} is out of range; years are -9999 to 9999")
}

fn no_such_day(first: Date, day: i64) -> String {
    let month = capital(MONTHS[usize::from(first.month().unsigned_abs()) - 1]);
    let (year, days) = (first.year(), first.days_in_month());
    let why = if first.month() == 2 && day == 29 { format!(" ({year} is not a leap year)") } else { String::new() };
    format!("{month} {year} has {days} days{why}, so there is no day {day}; give 1 to {days}")
}

/// `monday` to `Monday`.
pub fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The next date with this month and day that is not before `today`.
pub fn coming_day(today: Date, month: i64, number: i64) -> Result<Date, String> {
    let year = i64::from(today.year());
    let fits = |found: &Date| *found >= today;
    let within = (0..8).filter_map(|later| day(year + later, month, number).ok()).find(fits);
    within.map_or_else(|| day(year, month, number), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_start_on_monday() {
        let today = date(2026, 11, 29); // a Sunday
        assert_eq!(in_week(today, 0, 0), Ok(date(2026, 11, 23)));
        assert_eq!(in_week(today, 1, 2), Ok(date(2026, 12, 2)));
        assert_eq!(coming(today, 6), Ok(today));
        assert_eq!(coming(today, 0), Ok(date(2026, 11, 30)));
    }

    #[test]
    fn dates_that_do_not_exist_are_explained() {
        for (numbers, part) in [
            ((2027, 2, 29), "February 2027 has 28 days (2027 is not a leap year)"),
            ((1900, 2, 29), "not a leap year"),
            ((2026, 4, 31), "April 2026 has 30 days, so there is no day 31"),
            ((2026, 13, 1), "no month 13"),
            ((2026, 1, 0), "give 1 to 31"),
            ((10000, 1, 1), "year 10000 is out of range"),
            ((99999, 1, 1), "out of range"),
        ] {
            let error = day(numbers.0, numbers.1, numbers.2).expect_err("no such date");
            assert!(error.contains(part), "{numbers:?}: {error}");
        }
        assert_eq!(day(2028, 2, 29), Ok(date(2028, 2, 29)));
        assert_eq!(day(2000, 2, 29), Ok(date(2000, 2, 29)));
    }

    #[test]
    fn a_day_without_a_year_is_the_coming_one() {
        let today = date(2026, 11, 30);
        assert_eq!(coming_day(today, 11, 30), Ok(today));
        assert_eq!(coming_day(today, 3, 1), Ok(date(2027, 3, 1)));
        assert_eq!(coming_day(today, 2, 29), Ok(date(2028, 2, 29)));
        assert!(coming_day(today, 2, 30).is_err());
    }
}
