//! Days with a name, by the solar and by the Chinese lunar calendar.

use chinese_lunisolar_calendar::LunisolarDate;
use jiff::civil::Date;

use crate::calendar::{add_days, day};

/// When a festival is.
#[derive(Clone, Copy)]
enum When {
    /// Month and day of the solar year.
    Solar(i64, i64),
    /// Month and day of the lunar year.
    Lunar(u8, u8),
    /// The day before the lunar new year.
    NewYearsEve,
}

/// Names of festivals, longest first where one begins another.
#[rustfmt::skip]
const FESTIVALS: [(&str, When); 33] = [
    ("元旦", When::Solar(1, 1)), ("情人节", When::Solar(2, 14)), ("妇女节", When::Solar(3, 8)),
    ("植树节", When::Solar(3, 12)), ("愚人节", When::Solar(4, 1)), ("劳动节", When::Solar(5, 1)),
    ("五一", When::Solar(5, 1)), ("青年节", When::Solar(5, 4)), ("儿童节", When::Solar(6, 1)),
    ("六一", When::Solar(6, 1)), ("教师节", When::Solar(9, 10)), ("国庆节", When::Solar(10, 1)),
    ("国庆", When::Solar(10, 1)), ("万圣节", When::Solar(10, 31)), ("平安夜", When::Solar(12, 24)),
    ("圣诞节", When::Solar(12, 25)), ("圣诞", When::Solar(12, 25)),
    ("春节", When::Lunar(1, 1)), ("元宵节", When::Lunar(1, 15)), ("端午节", When::Lunar(5, 5)),
    ("端午", When::Lunar(5, 5)), ("七夕", When::Lunar(7, 7)), ("中秋节", When::Lunar(8, 15)),
    ("中秋", When::Lunar(8, 15)), ("重阳节", When::Lunar(9, 9)), ("除夕", When::NewYearsEve),
    ("christmas eve", When::Solar(12, 24)), ("christmas", When::Solar(12, 25)),
    ("new year's day", When::Solar(1, 1)), ("chinese new year", When::Lunar(1, 1)),
    ("spring festival", When::Lunar(1, 1)), ("mid-autumn festival", When::Lunar(8, 15)),
    ("dragon boat festival", When::Lunar(5, 5)),
];

/// A festival that a text starts with.
#[derive(Clone, Copy)]
pub struct Festival(When);

/// The festival that `text` starts with, and what stands after it. English names are lower case.
pub fn festival(text: &str) -> Option<(Festival, &str)> {
    FESTIVALS.iter().find_map(|(name, when)| Some((Festival(*when), text.strip_prefix(name)?)))
}

impl Festival {
    /// Its date in a solar year.
    ///
    /// # Errors
    /// For a lunar festival outside the years 1901 to 2100, for which the calendar is known.
    pub fn in_year(self, year: i64) -> Result<Date, String> {
        match self.0 {
            When::Solar(month, number) => day(year, month, number),
            When::Lunar(month, number) => lunar(year, month, number, false),
            When::NewYearsEve => add_days(lunar(year, 1, 1, false)?, -1),
        }
    }

    /// The first of its dates that is not before `today`.
    pub fn coming(self, today: Date) -> Result<Date, String> {
        let year = i64::from(today.year());
        let this = self.in_year(year)?;
        if this >= today { Ok(this) } else { self.in_year(year + 1) }
    }
}

/// The solar date of a day of the Chinese lunar calendar; `leap` means the leap month of that number.
///
/// # Errors
/// When the year has no such day, or lies outside 1901 to 2100.
pub fn lunar(year: i64, month: u8, number: u8, leap: bool) -> Result<Date, String> {
    let found = u16::try_from(year).ok().filter(|year| (1901..=2100).contains(year));
    let Some(short) = found else {
        return Err(format!("the lunar calendar is known for the years 1901 to 2100, not for {year}"));
    };
    let date = LunisolarDate::from_ymd(short, month, leap, number).map_err(|_| {
        format!("the lunar year {year} has no day {number} in its month {month}{}", if leap { " (leap)" } else { "" })
    })?;
    let solar = date.to_solar_date();
    day(
        i64::from(solar.to_solar_year().to_u16()),
        i64::from(solar.to_solar_month().to_u8()),
        i64::from(solar.to_solar_day().to_u8()),
    )
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn festivals_have_their_dates() {
        for (name, year, expected) in [
            ("春节", 2027, date(2027, 2, 6)),
            ("除夕", 2027, date(2027, 2, 5)),
            ("中秋节", 2026, date(2026, 9, 25)),
            ("端午", 2026, date(2026, 6, 19)),
            ("国庆节", 2026, date(2026, 10, 1)),
            ("christmas eve", 2026, date(2026, 12, 24)),
        ] {
            let (found, rest) = festival(name).expect(name);
            assert_eq!((found.in_year(year), rest), (Ok(expected), ""), "{name}");
        }
    }

    #[test]
    fn the_coming_one_may_be_next_year() {
        let (spring, _) = festival("春节").expect("a festival");
        assert_eq!(spring.coming(date(2026, 11, 30)), Ok(date(2027, 2, 6)));
        assert_eq!(spring.coming(date(2027, 2, 6)), Ok(date(2027, 2, 6)));
    }

    #[test]
    fn the_lunar_calendar_has_its_limits() {
        assert!(lunar(1900, 1, 1, false).is_err_and(|error| error.contains("1901 to 2100")));
        assert!(lunar(2026, 1, 31, false).is_err());
        assert!(lunar(2026, 5, 1, true).is_err_and(|error| error.contains("leap")));
        assert_eq!(lunar(2025, 6, 1, true), Ok(date(2025, 7, 25)));
    }
}
