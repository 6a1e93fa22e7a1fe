//! Chinese words for dates and times: a table of rules, each of which takes what the text starts with.

use jiff::ZonedDateTime;
use jiff::civil::Date;

use crate::amount;
use crate::calendar::{self, add_days, add_months, in_week};
use crate::draft::{Draft, Period, from_now};
use crate::english::coming_in_month;
use crate::festivals::{festival, lunar};
use crate::numbers::number;
use crate::read::FORMS;

/// Reads what a text starts with into the draft: what stands after it, or what is wrong; `None` if it is not meant.
type Rule = for<'a> fn(&'a str, &ZonedDateTime, &mut Draft) -> Option<Result<&'a str, String>>;

const RULES: [Rule; 11] =
    [days, counted, weeks, months, years, lunar_date, month_date, day_of_month, named_day, period, clock];

/// What may stand between the parts.
const FILLERS: [char; 6] = [' ', ',', '的', '在', '于', '，'];

/// Reads `text` into `draft`.
///
/// # Errors
/// Names the first part that is not understood, or what is wrong with a date or time.
pub fn read(text: &str, now: &ZonedDateTime, draft: &mut Draft) -> Result<(), String> {
    let mut rest = text.trim_end().trim_start_matches(FILLERS);
    while !rest.is_empty() {
        let after = RULES.iter().find_map(|rule| rule(rest, now, draft));
        let after = after.ok_or_else(|| format!("`{rest}` in `{text}` is not understood; {FORMS}"))??;
        rest = after.trim_start_matches(FILLERS);
    }
    Ok(())
}

/// The first entry of `table` whose word `text` starts with, and what stands after it.
fn word<'a, T: Copy>(text: &'a str, table: &[(&str, T)]) -> Option<(T, &'a str)> {
    table.iter().find_map(|(word, value)| Some((*value, text.strip_prefix(word)?)))
}

/// Sets a date whose week, month or year was not named.
fn set_coming<'a>(draft: &mut Draft, date: Result<Date, String>, rest: &'a str) -> Option<Result<&'a str, String>> {
    Some(draft.set_coming(date).map(|()| rest))
}

fn set<'a>(draft: &mut Draft, date: Result<Date, String>, rest: &'a str) -> Option<Result<&'a str, String>> {
    Some(date.and_then(|date| draft.set_date(date)).map(|()| rest))
}

/// Days counted from today, and the part of the day they name; longest words first.
const DAYS: [(&str, (i64, Option<Period>)); 16] = [
    ("大后天", (3, None)),
    ("大前天", (-3, None)),
    ("后天", (2, None)),
    ("前天", (-2, None)),
    ("今天", (0, None)),
    ("今日", (0, None)),
    ("明天", (1, None)),
    ("明日", (1, None)),
    ("昨天", (-1, None)),
    ("昨日", (-1, None)),
    ("今晚", (0, Some(Period::Evening))),
    ("明晚", (1, Some(Period::Evening))),
    ("昨晚", (-1, Some(Period::Evening))),
    ("今早", (0, Some(Period::Morning))),
    ("明早", (1, Some(Period::Morning))),
    ("后晚", (2, Some(Period::Evening))),
];

/// `明天`, `大后天`, `今晚`, `现在`.
fn days<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    if let Some(rest) = text.strip_prefix("现在").or_else(|| text.strip_prefix("此刻")) {
        draft.exact = Some(now.clone());
        return Some(Ok(rest));
    }
    let ((days, part), rest) = word(text, &DAYS)?;
    draft.period = part.or(draft.period);
    set(draft, add_days(now.date(), days), rest)
}

/// `三天后`, `2小时前`, `再过两周`.
fn counted<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let passed = text.strip_prefix("再过").or_else(|| text.strip_prefix('过'));
    let (span, rest) = amount::chinese(passed.unwrap_or(text))?;
    let rest = rest.trim_start();
    let ends = [("之后", false), ("以后", false), ("后", false), ("之前", true), ("以前", true), ("前", true)];
    let (is_past, rest) = match word(rest, &ends) {
        Some(found) => found,
        None if passed.is_some() => (false, rest),
        None => return None,
    };
    Some(from_now(draft, now, if is_past { span.negate() } else { span }).map(|()| rest))
}

/// How many weeks or months a word in front counts.
const STEPS: [(&str, i64); 7] = [("上上", -2), ("下下", 2), ("上", -1), ("下", 1), ("这", 0), ("本", 0), ("此", 0)];

/// `下周三`, `上个星期天`, `周五`, `这周末`.
fn weeks<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (step, rest) = word(text, &STEPS).map_or((None, text), |(step, rest)| (Some(step), rest));
    let rest = rest.strip_prefix('个').unwrap_or(rest);
    let rest = ["周", "星期", "礼拜"].iter().find_map(|week| rest.strip_prefix(week))?;
    let indices = [("一", 0), ("二", 1), ("三", 2), ("四", 3), ("五", 4), ("六", 5), ("日", 6), ("天", 6), ("末", 5)];
    let Some((index, after)) = word(rest, &indices) else {
        return step.map(|_| Err(format!("`{text}` names a whole week; name a day of it, such as 下周三")));
    };
    if rest.starts_with('末') {
        draft.note("周末 is read as the Saturday");
    }
    match step {
        Some(step) => set(draft, in_week(now.date(), step, index), after),
        None => set_coming(draft, calendar::coming(now.date(), index), after),
    }
}

/// `上个月底`, `下个月5号`, `月初`.
fn months<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (step, rest) = word(text, &STEPS).map_or((None, text), |(step, rest)| (Some(step), rest));
    let rest = rest.strip_prefix('个').filter(|_| step.is_some()).unwrap_or(rest).strip_prefix('月')?;
    let month = match add_months(now.date(), step.unwrap_or(0)) {
        Ok(month) => month,
        Err(error) => return Some(Err(error)),
    };
    match within_month(rest, month) {
        Some((date, rest)) => set(draft, date, rest),
        None => {
            step.map(|_| Err(format!("`{text}` names a whole month; name a day of it, such as 下个月5号 or 下个月底")))
        }
    }
}

/// `初`, `底`, `中`, `5号` after the name of a month: the date, and what stands after it.
fn within_month(text: &str, month: Date) -> Option<(Result<Date, String>, &str)> {
    let edges = [("初", 1), ("中旬", 15), ("中", 15), ("底", 0), ("末", 0)];
    if let Some((number, rest)) = word(text, &edges).filter(|_| !text.starts_with("初一")) {
        let date = if number == 0 { month.last_of_month() } else { month.first_of_month() };
        return Some((add_days(date, if number == 15 { 14 } else { 0 }), rest));
    }
    let (number, rest) = number(text.trim_start())?;
    let rest =
        ['日', '号'].iter().find_map(|end| rest.strip_prefix(*end)).or_else(|| rest.is_empty().then_some(rest))?;
    Some((calendar::day(i64::from(month.year()), i64::from(month.month()), number), rest))
}

/// `明年春节`, `2026年12月1日`, `今年底`.
fn years<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let this = i64::from(now.year());
    let named = [("今年", 0), ("本年", 0), ("明年", 1), ("后年", 2), ("去年", -1), ("前年", -2)];
    let (year, rest) = match word(text, &named) {
        Some((step, rest)) => (this + step, rest),
        None => {
            let (year, rest) = number(text)?;
            (year, rest.trim_start().strip_prefix('年').filter(|_| (1000..=9999).contains(&year))?)
        }
    };
    let rest = rest.trim_start_matches(FILLERS);
    if let Some((found, rest)) = festival(rest) {
        return set(draft, found.in_year(year), rest);
    }
    if let Some((date, rest)) = lunar_parts(rest) {
        return set(draft, date.and_then(|(month, day, leap)| lunar(year, month, day, leap)), rest);
    }
    if let Some((is_end, rest)) =
        word(rest, &[("年底", true), ("年末", true), ("底", true), ("末", true), ("年初", false), ("初", false)])
    {
        return set(draft, if is_end { calendar::day(year, 12, 31) } else { calendar::day(year, 1, 1) }, rest);
    }
    match month_number(rest).map(|(month, rest)| (calendar::day(year, month, 1), rest)) {
        Some((Err(error), _)) => Some(Err(error)),
        Some((Ok(month), rest)) => match within_month(rest, month) {
            Some((date, rest)) => set(draft, date, rest),
            None => Some(Err(format!("`{text}` names a whole month; name a day of it, such as 12月1日"))),
        },
        None => Some(Err(format!("`{text}` names a whole year; name a day of it, such as 2026年12月1日"))),
    }
}

fn month_number(text: &str) -> Option<(i64, &str)> {
    let (month, rest) = number(text)?;
    Some((month, rest.trim_start().strip_prefix("月份").or_else(|| rest.trim_start().strip_prefix('月'))?))
}

/// `12月1日`, `三月底`: the coming one.
fn month_date<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (month, rest) = month_number(text)?;
    let this = match calendar::day(i64::from(now.year()), month, 1) {
        Ok(this) => this,
        Err(error) => return Some(Err(error)),
    };
    let leap = calendar::day(2028, month, 1).unwrap_or(this);
    let Some((date, after)) = within_month(rest, leap) else {
        return Some(Err(format!("`{text}` names a whole month; name a day of it, such as 12月1日 or 12月底")));
    };
    let is_end = rest.starts_with(['底', '末']);
    let coming = date.and_then(|date| match is_end {
        true => calendar::coming_day(now.date().first_of_month(), month, 1).map(Date::last_of_month),
        false => calendar::coming_day(now.date(), month, i64::from(date.day())),
    });
    set_coming(draft, coming, after)
}

/// `15号`: of this month, or of the next when it has passed.
fn day_of_month<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (day, rest) = number(text)?;
    let rest = rest.strip_prefix('号').or_else(|| rest.strip_prefix('日'))?;
    set_coming(draft, coming_in_month(now, day), rest)
}

/// `农历八月十五`, `正月初一`: the coming one.
fn lunar_date<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (parts, rest) = lunar_parts(text)?;
    let coming = parts.and_then(|(month, day, leap)| {
        let year = i64::from(now.year());
        let dates = (year - 1..=year + 20).filter_map(|year| lunar(year, month, day, leap).ok());
        let coming = dates.into_iter().find(|date| *date >= now.date());
        coming.ok_or_else(|| format!("no coming lunar year has the day `{text}`"))
    });
    set_coming(draft, coming, rest)
}

type LunarDay = (u8, u8, bool);

/// Month, day and whether it is the leap month, of a text that starts with 农历, 正月, 冬月 or 腊月.
fn lunar_parts(text: &str) -> Option<(Result<LunarDay, String>, &str)> {
    let marked = ["农历", "阴历", "旧历"].iter().find_map(|mark| text.strip_prefix(mark));
    let rest = marked.unwrap_or(text);
    let (leap, rest) = rest.strip_prefix('闰').map_or((false, rest), |rest| (true, rest));
    let named = word(rest, &[("正月", 1), ("冬月", 11), ("腊月", 12)]);
    let (month, rest) = named.or_else(|| month_number(rest).filter(|_| marked.is_some()))?;
    let (tens, rest) = word(rest, &[("初", 0), ("廿", 20)]).unwrap_or((0, rest));
    let Some((day, rest)) = number(rest) else {
        return Some((Err(format!("`{text}` names a whole month; name a day of it, such as 正月初一")), rest));
    };
    let fits = u8::try_from(month).ok().zip(u8::try_from(tens + day).ok());
    let parts =
        fits.map(|(month, day)| (month, day, leap)).ok_or_else(|| format!("`{text}` is no day of the lunar calendar"));
    Some((parts, rest.strip_prefix('日').unwrap_or(rest)))
}

/// `春节`, `国庆节`: the coming one.
fn named_day<'a>(text: &'a str, now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (found, rest) = festival(text)?;
    set_coming(draft, found.coming(now.date()), rest)
}

/// `下午`, `晚上`.
fn period<'a>(text: &'a str, _now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let parts = [
        ("凌晨", Period::SmallHours),
        ("清晨", Period::Morning),
        ("早上", Period::Morning),
        ("早晨", Period::Morning),
        ("上午", Period::Morning),
        ("中午", Period::Noon),
        ("正午", Period::Noon),
        ("下午", Period::Afternoon),
        ("午后", Period::Afternoon),
        ("傍晚", Period::Evening),
        ("晚上", Period::Evening),
        ("夜里", Period::Evening),
        ("深夜", Period::Evening),
    ];
    let (part, rest) = word(text, &parts)?;
    draft.period = Some(part);
    Some(Ok(rest))
}

/// `三点半`, `15:30`, `3点一刻`, `15时30分`.
fn clock<'a>(text: &'a str, _now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<&'a str, String>> {
    let (hour, rest) = number(text)?;
    if let Some(rest) = rest.strip_prefix(':') {
        let (minute, rest) = number(rest)?;
        let (second, rest) = rest.strip_prefix(':').and_then(number).unwrap_or((0, rest));
        return Some(draft.set_clock(hour, minute, second).map(|()| rest));
    }
    let rest = rest.strip_prefix("点钟").or_else(|| rest.strip_prefix('点')).or_else(|| rest.strip_prefix('时'))?;
    draft.is_bare_hour = true;
    let (minute, second, rest) = minutes(rest);
    Some(draft.set_clock(hour, minute, second).map(|()| rest))
}

/// What stands after the hour: `半`, `一刻`, `三刻`, `15分30秒`, `15`, `整`.
fn minutes(text: &str) -> (i64, i64, &str) {
    if let Some((minute, rest)) = word(text, &[("半", 30), ("一刻", 15), ("三刻", 45), ("整", 0)]) {
        return (minute, 0, rest);
    }
    let text = text.strip_prefix('零').filter(|rest| number(rest).is_some()).unwrap_or(text);
    let Some((minute, rest)) = number(text) else { return (0, 0, text) };
    let Some(rest) = rest.strip_prefix('分') else { return (minute, 0, rest) };
    match number(rest).and_then(|(second, rest)| Some((second, rest.strip_prefix('秒')?))) {
        Some((second, rest)) => (minute, second, rest),
        None => (minute, 0, rest),
    }
}
