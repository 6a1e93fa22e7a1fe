//! The tools as a host calls them, at a fixed moment.

use datetime::plugin;
use winclaw_sdk::serde_json::{Value, json};
use winclaw_sdk::{Failure, FailureCode};
use winclaw_sdk_testing::{TestHost, conformance};

/// Monday, 30 November 2026, 16:00 in Shanghai.
fn host() -> TestHost {
    TestHost::new().now("2026-11-30T08:00:00Z")
}

fn call(tool: &str, arguments: Value) -> Value {
    let shown = arguments.to_string();
    host().call(&plugin(), tool, arguments).expect(&shown).value
}

fn fails(tool: &str, arguments: Value) -> Failure {
    let shown = arguments.to_string();
    host().call(&plugin(), tool, arguments).expect_err(&shown)
}

fn parse(text: &str) -> Value {
    call("parse", json!({"text": text, "zone": "Asia/Shanghai"}))
}

/// Checks what each text is read as: `2026-12-01` for a date alone, `2026-12-01 15:00` with a time.
#[track_caller]
fn read_as(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let result = parse(text);
        let date = result["date"].as_str().expect("a date");
        let time = result["time"].as_str().expect("a time");
        let shown = if result["has_time"] == json!(true) { format!("{date} {}", &time[..5]) } else { date.to_owned() };
        assert_eq!(shown, *expected, "{text}: {result}");
    }
}

#[test]
fn it_keeps_the_rules_of_a_plugin() {
    conformance(&plugin());
}

#[test]
fn now_is_the_hosts_moment_in_the_zone_asked_for() {
    let result = call("now", json!({"zone": "北京"}));
    assert_eq!(
        result,
        json!({"iso": "2026-11-30T16:00:00+08:00", "date": "2026-11-30", "time": "16:00:00", "weekday": "Monday",
               "weekday_zh": "星期一", "zone": "Asia/Shanghai", "utc_offset": "+08:00", "unix": 1_796_025_600})
    );
    assert_eq!(call("now", json!({"zone": "New York"}))["iso"], "2026-11-30T03:00:00-05:00");
    assert_eq!(call("now", json!({"zone": "+05:30"}))["zone"], "UTC+05:30");
}

#[test]
fn without_a_zone_the_systems_is_named() {
    let result = call("now", json!({}));
    assert!(result["notes"][0].as_str().is_some_and(|note| note.starts_with("no zone was given")), "{result}");
}

#[test]
fn chinese_days_are_read() {
    read_as(&[
        ("今天", "2026-11-30"),
        ("明天", "2026-12-01"),
        ("后天", "2026-12-02"),
        ("大后天", "2026-12-03"),
        ("前天", "2026-11-28"),
        ("大前天", "2026-11-27"),
        ("下周三", "2026-12-09"),
        ("这周三", "2026-12-02"),
        ("周三", "2026-12-02"),
        ("周一", "2026-11-30"),
        ("上个星期天", "2026-11-29"),
        ("下下周五", "2026-12-18"),
        ("本周末", "2026-12-05"),
        ("礼拜天", "2026-12-06"),
        ("三天后", "2026-12-03"),
        ("两周以后", "2026-12-14"),
        ("一个月前", "2026-10-30"),
        ("再过10天", "2026-12-10"),
        ("半年后", "2027-05-30"),
        ("上个月底", "2026-10-31"),
        ("下个月5号", "2026-12-05"),
        ("下月初", "2026-12-01"),
        ("月底", "2026-11-30"),
        ("明年2月底", "2027-02-28"),
        ("二月底", "2027-02-28"),
        ("今年年底", "2026-12-31"),
        ("去年底", "2025-12-31"),
        ("12月1日", "2026-12-01"),
        ("3月15号", "2027-03-15"),
        ("十二月二十五日", "2026-12-25"),
        ("2026年12月1日", "2026-12-01"),
        ("二〇二七年三月一日", "2027-03-01"),
        ("15号", "2026-12-15"),
        ("30号", "2026-11-30"),
        ("2月29日", "2028-02-29"),
    ]);
}

#[test]
fn chinese_festivals_and_the_lunar_calendar_are_read() {
    read_as(&[
        ("春节", "2027-02-06"),
        ("明年春节", "2027-02-06"),
        ("今年中秋节", "2026-09-25"),
        ("除夕", "2027-02-05"),
        ("国庆节", "2027-10-01"),
        ("2028年端午", "2028-05-28"),
        ("农历八月十五", "2027-09-15"),
        ("正月初一", "2027-02-06"),
        ("2026年腊月廿三", "2027-01-30"),
        ("元旦", "2027-01-01"),
    ]);
}

#[test]
fn chinese_times_are_read() {
    read_as(&[
        ("明天下午三点", "2026-12-01 15:00"),
        ("下周三上午10点半", "2026-12-09 10:30"),
        ("今晚八点一刻", "2026-11-30 20:15"),
        ("明早7点", "2026-12-01 07:00"),
        ("中午12点", "2026-11-30 12:00"),
        ("凌晨两点", "2026-11-30 02:00"),
        ("明天晚上12点", "2026-12-02 00:00"),
        ("后天15:30", "2026-12-02 15:30"),
        ("2026年12月1日15时05分", "2026-12-01 15:05"),
        ("两小时后", "2026-11-30 18:00"),
        ("一个半小时后", "2026-11-30 17:30"),
        ("半小时前", "2026-11-30 15:30"),
        ("3天后下午2点", "2026-12-03 14:00"),
        ("明天上午", "2026-12-01 09:00"),
        ("明天下午三点零五分", "2026-12-01 15:05"),
        ("现在", "2026-11-30 16:00"),
        ("２０２６－１２－０１　９：３０", "2026-12-01 09:30"),
    ]);
}

#[test]
fn english_dates_are_read() {
    read_as(&[
        ("today", "2026-11-30"),
        ("Tomorrow", "2026-12-01"),
        ("the day after tomorrow", "2026-12-02"),
        ("next Wednesday", "2026-12-09"),
        ("this Wednesday", "2026-12-02"),
        ("last Friday", "2026-11-27"),
        ("Friday", "2026-12-04"),
        ("next week", "2026-12-07"),
        ("this weekend", "2026-12-05"),
        ("in 2 weeks", "2026-12-14"),
        ("two weeks from now", "2026-12-14"),
        ("3 days ago", "2026-11-27"),
        ("a month later", "2026-12-30"),
        ("end of the month", "2026-11-30"),
        ("end of next month", "2026-12-31"),
        ("beginning of next year", "2027-01-01"),
        ("end of February", "2027-02-28"),
        ("December 1", "2026-12-01"),
        ("Dec 1st, 2026", "2026-12-01"),
        ("1 March", "2027-03-01"),
        ("25 December 2027", "2027-12-25"),
        ("the 15th", "2026-12-15"),
        ("Christmas", "2026-12-25"),
        ("Chinese New Year 2027", "2027-02-06"),
        ("2026-12-01", "2026-12-01"),
        ("2026/12/1", "2026-12-01"),
        ("20261201", "2026-12-01"),
    ]);
}

#[test]
fn english_times_are_read() {
    read_as(&[
        ("tomorrow at 3pm", "2026-12-01 15:00"),
        ("3:30 PM tomorrow", "2026-12-01 15:30"),
        ("next Wednesday at 12pm", "2026-12-09 12:00"),
        ("12am", "2026-11-30 00:00"),
        ("noon", "2026-11-30 12:00"),
        ("tonight at 8", "2026-11-30 20:00"),
        ("at 8 tonight", "2026-11-30 20:00"),
        ("tomorrow at noon", "2026-12-01 12:00"),
        ("8 o'clock tonight", "2026-11-30 20:00"),
        ("tomorrow morning", "2026-12-01 09:00"),
        ("in 3 hours", "2026-11-30 19:00"),
        ("in 3 days and 2 hours", "2026-12-03 18:00"),
        ("90 minutes ago", "2026-11-30 14:30"),
        ("now", "2026-11-30 16:00"),
        ("2026-12-01 9:05", "2026-12-01 09:05"),
        ("2026-12-01 3pm", "2026-12-01 15:00"),
        ("2026-12-01T15:00Z", "2026-12-01 15:00"),
        ("15:45:10", "2026-11-30 15:45"),
        ("@1796025600", "2026-11-30 16:00"),
        ("24:00", "2026-12-01 00:00"),
    ]);
}

#[test]
fn what_is_assumed_is_noted() {
    for (text, note) in [
        ("周三", "the coming one is taken: 2026-12-02"),
        ("3月15日", "the coming one is taken: 2027-03-15"),
        ("Christmas", "the coming one is taken: 2026-12-25"),
        ("the 15th", "the coming one is taken: 2026-12-15"),
        ("本周末", "Saturday"),
        ("next Wednesday", "weeks start on Monday"),
        ("next month", "same day"),
        ("December 2026", "first of the month"),
        ("明天三点", "not 15:00"),
        ("tomorrow at 3", "not 15:00"),
        ("明天上午", "09:00 is assumed"),
        ("明天晚上12点", "on the next date"),
        ("midnight", "start of the date"),
    ] {
        let notes = parse(text)["notes"].to_string();
        assert!(notes.contains(note), "{text}: {notes}");
    }
    for text in ["2026-12-01", "明天下午三点", "三天后"] {
        assert_eq!(parse(text).get("notes"), None, "{text}");
    }
}

#[test]
fn what_is_not_understood_is_named_with_forms_that_are() {
    for (text, part) in [
        ("", "empty"),
        ("soonish", "`soonish`"),
        ("tomorrow maybe", "`maybe`"),
        ("清明节", "`清明节`"),
        ("下周", "whole week"),
        ("下个月", "whole month"),
        ("明年", "whole year"),
        ("3月", "whole month"),
        ("2027-02-29", "2027 is not a leap year"),
        ("2026-13-01", "no month 13"),
        ("2026年2月30日", "February 2026 has 28 days"),
        ("April 31", "April 2026 has 30 days"),
        ("12/25/2026", "2026-12-01"),
        ("25:00", "no time 25:00"),
        ("13pm", "1 to 12"),
        ("下午3点 下午4点", "two times"),
        ("明天 后天", "two dates"),
        ("10000-01-01", "-9999 to 9999"),
        ("99999年后", "not understood"),
        ("9999年后", "-9999 to 9999"),
    ] {
        let failure = fails("parse", json!({"text": text, "zone": "Asia/Shanghai"}));
        assert_eq!(failure.code, FailureCode::InvalidArgs, "{text}");
        assert!(failure.message.starts_with("text: ") && failure.message.contains(part), "{text}: {failure}");
    }
}

#[test]
fn a_time_is_converted_between_zones() {
    let result = call("convert", json!({"time": "15:00", "from": "北京", "to": "纽约"}));
    assert_eq!(result["from"]["iso"], "2026-11-30T15:00:00+08:00");
    assert_eq!(result["to"]["iso"], "2026-11-30T02:00:00-05:00");
    assert_eq!(result["ahead"], "-13:00");
    let result =
        call("convert", json!({"time": "2026-07-01T09:00+01:00[Europe/London]", "from": "UTC", "to": "Tokyo"}));
    assert_eq!(result["to"]["iso"], "2026-07-01T17:00:00+09:00");
    let failure = fails("convert", json!({"time": "15:00", "from": "CST", "to": "UTC"}));
    assert!(failure.message.starts_with("from: `CST` means different zones"), "{failure}");
}

#[test]
fn clock_changes_are_noted() {
    let at = |text: &str| call("parse", json!({"text": text, "zone": "America/New_York"}));
    let gap = at("2026-03-08 02:30");
    assert_eq!(gap["iso"], "2026-03-08T03:30:00-04:00");
    assert!(gap["notes"][0].as_str().is_some_and(|note| note.contains("does not exist")), "{gap}");
    let fold = at("2026-11-01 01:30");
    assert_eq!(fold["iso"], "2026-11-01T01:30:00-04:00");
    assert!(fold["notes"][0].as_str().is_some_and(|note| note.contains("comes twice")), "{fold}");
    assert_eq!(at("2026-11-01T01:30-05:00[America/New_York]")["iso"], "2026-11-01T01:30:00-05:00");
}

#[test]
fn the_time_between_is_told_in_every_way() {
    let result = call("difference", json!({"a": "2024-02-28", "b": "2026-12-01 12:00", "unit": "days", "zone": "UTC"}));
    assert_eq!((&result["words"], &result["iso"]), (&json!("2 years 9 months 3 days 12 hours"), &json!("P2Y9M3DT12H")));
    assert_eq!((&result["days"], &result["total"]), (&json!(1007), &json!(1007.5)));
    let result = call("difference", json!({"a": "明天", "b": "今天", "zone": "UTC"}));
    assert_eq!(
        (&result["backwards"], &result["days"], &result["seconds"]),
        (&json!(true), &json!(-1), &json!(-86_400))
    );
    let result = call("difference", json!({"a": "2026-11-01", "b": "2026-11-02", "unit": "hours", "zone": "New York"}));
    assert_eq!(result["total"], json!(25.0));
}

#[test]
fn amounts_are_added_and_what_moves_is_noted() {
    for (time, amount, zone, expected, noted) in [
        ("2026-01-31", "1 month", "UTC", "2026-02-28T00:00:00+00:00", "no day 31"),
        ("2028-02-29", "1 year", "UTC", "2029-02-28T00:00:00+00:00", "no day 29"),
        ("2026-03-07 02:30", "1 day", "America/New_York", "2026-03-08T03:30:00-04:00", "does not exist"),
        ("2026-03-07 12:00", "24 hours", "America/New_York", "2026-03-08T13:00:00-04:00", "clock is changed"),
        ("2026-03-07 12:00", "1 day", "America/New_York", "2026-03-08T12:00:00-04:00", ""),
        ("now", "3天2小时", "Asia/Shanghai", "2026-12-03T18:00:00+08:00", ""),
        ("2026-12-01", "-P1Y2M", "UTC", "2025-10-01T00:00:00+00:00", ""),
        ("9998-12-31", "1 day", "UTC", "9999-01-01T00:00:00+00:00", ""),
    ] {
        let result = call("add", json!({"time": time, "amount": amount, "zone": zone}));
        assert_eq!(result["result"]["iso"], expected, "{time} + {amount}");
        let notes = result.get("notes").map(Value::to_string).unwrap_or_default();
        assert!(notes.contains(noted) && notes.is_empty() == noted.is_empty(), "{time} + {amount}: {notes}");
    }
    let failure = fails("add", json!({"time": "9999-12-29", "amount": "1 week", "zone": "UTC"}));
    assert!(failure.message.contains("-9999 to 9999"), "{failure}");
    let failure = fails("add", json!({"time": "now", "amount": "soon"}));
    assert!(failure.message.starts_with("amount: "), "{failure}");
}

#[test]
fn a_date_has_its_weekday() {
    let result = call("weekday", json!({"date": "2026-12-25", "zone": "UTC"}));
    assert_eq!(
        result,
        json!({"date": "2026-12-25", "weekday": "Friday", "weekday_zh": "星期五", "weekend": false,
               "iso_week": "2026-W52", "day_of_year": 359, "leap_year": false, "days_from_today": 25})
    );
    assert_eq!(call("weekday", json!({"date": "-0001-01-01", "zone": "UTC"}))["leap_year"], json!(false));
    assert_eq!(call("weekday", json!({"date": "1 January 2027", "zone": "UTC"}))["iso_week"], "2026-W53");
}

#[test]
fn the_readme_shows_the_real_output() {
    let rows = include_str!("../README.md").lines().filter_map(|line| line.strip_prefix("| `datetime."));
    let mut seen = 0;
    for row in rows.filter(|row| row.contains("` | `{")) {
        let (call_text, shown) = row.split_once("` | `").expect("two cells");
        let (tool, arguments) = call_text.split_once(' ').expect("a tool and its arguments");
        let arguments: Value = winclaw_sdk::serde_json::from_str(arguments).expect("arguments");
        let shown: Value =
            winclaw_sdk::serde_json::from_str(shown.trim_end_matches(" |").trim_end_matches('`')).expect(shown);
        assert_eq!(call(tool, arguments), shown, "{row}");
        seen += 1;
    }
    assert!(seen >= 3, "the table of examples is gone");
}
