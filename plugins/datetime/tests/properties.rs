//! What must hold for any date and amount.

use datetime::read::read;
use datetime::{amount, reckon};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, ZonedDateTime};
use proptest::prelude::*;

fn moment(second: i64, zone: &str) -> ZonedDateTime {
    let zone = TimeZone::get(zone).expect("a zone");
    Timestamp::from_second(second).expect("a moment").to_zoned_datetime(zone)
}

fn zones() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Adding the difference between two moments to the first gives the second.
    #[test]
    fn the_difference_leads_from_one_to_the_other(a in -10_000_000_000_i64..10_000_000_000, b in -10_000_000_000_i64..10_000_000_000, zone in zones()) {
        let (from, to) = (moment(a, zone), moment(b, zone));
        let difference = reckon::difference(&from, &to, None).expect("a difference");
        prop_assert_eq!(difference.seconds, b - a);
        let span = difference.iso.parse().expect("a span");
        prop_assert_eq!(reckon::add(&from, span).expect("a sum").result.unix, b);
    }

    /// Hours, minutes and seconds that are added can be taken away again.
    #[test]
    fn hours_can_be_taken_away_again(a in -10_000_000_000_i64..10_000_000_000, hours in -100_000_i64..100_000, zone in zones()) {
        let from = moment(a, zone);
        let there = from.checked_add(hours.hours()).expect("a sum");
        prop_assert_eq!(reckon::add(&there, (-hours).hours()).expect("a sum").result.unix, a);
    }

    /// What a result writes is read back as the same moment.
    #[test]
    fn a_written_moment_is_read_back(a in -60_000_000_000_i64..200_000_000_000, zone in zones()) {
        let at = moment(a, zone);
        let written = reckon::add(&at, 0.seconds()).expect("a sum").result.iso;
        // Offsets with seconds are of before there were zones; ISO 8601 writes them, and they are read as well.
        let reading = read(&written, &moment(0, "UTC"));
        prop_assert_eq!(reading.map(|reading| reading.at.timestamp().as_second()), Ok(a), "{}", written);
    }

    /// No text makes the parsers panic.
    #[test]
    fn any_text_is_answered(text in "[0-9a-z 年月日号天周星期上下个前后点半初底农历:/.@+-]{0,14}") {
        let _ = read(&text, &moment(1_796_025_600, "Asia/Shanghai"));
        let _ = amount::parse(&text);
    }

    #[test]
    fn any_bytes_are_answered(text in any::<String>()) {
        let _ = read(&text, &moment(1_796_025_600, "Asia/Shanghai"));
        let _ = amount::parse(&text);
        let _ = datetime::zone::find(&text);
    }
}
