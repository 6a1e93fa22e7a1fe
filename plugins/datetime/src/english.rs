//! English words for dates and times.
//!
//! No library fits: interim 0.2 reads `12pm` as the next midnight, stops on `3PM` and does not know `in 2 weeks`;
//! human-date-parser stands on chrono; parse_datetime reads bare letters as military zones.

use jiff::ZonedDateTime;

use crate::amount;
use crate::calendar::{self, MONTHS, WEEKDAYS, add_days, add_months, in_week};
use crate::draft::{Draft, Period, from_now};
use crate::festivals::festival;
use crate::read::FORMS;

/// Reads the words a phrase starts with into the draft: how many they are, or what is wrong; `None` if it is not meant.
type Rule = fn(&[&str], &ZonedDateTime, &mut Draft) -> Option<Result<usize, String>>;

const RULES: [Rule; 12] =
    [counted, days, weeks, edges, weekday, month_date, ordinal, named_day, digits, clock, period, at];

/// Words that carry no meaning here.
const FILLERS: [&str; 5] = ["on", "the", "of", "by", "around"];

/// Reads `text` into `draft`.
///
/// # Errors
/// Names the first word that is not understood, or what is wrong with a date or time.
pub fn read(text: &str, now: &ZonedDateTime, draft: &mut Draft) -> Result<(), String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split([' ', ',', '\t']).filter(|word| !word.is_empty() && !FILLERS.contains(word)).collect();
    let mut rest = &words[..];
    while let Some(first) = rest.first() {
        let taken = RULES.iter().find_map(|rule| rule(rest, now, draft));
        let taken = taken.ok_or_else(|| format!("`{first}` in `{text}` is not understood; {FORMS}"))??;
        rest = &rest[taken..];
    }
    Ok(())
}

/// `in 2 weeks`, `3 days ago`, `two hours from now`.
fn counted(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let (span, taken) = if words[0] == "in" {
        (1..words.len().min(10)).rev().find_map(|end| Some((amount::english(&words[1..=end].join(" "))?, end + 1)))?
    } else {
        let end = words.iter().take(10).position(|word| matches!(*word, "ago" | "later" | "hence" | "from"))?;
        let span = amount::english(&words[..end].join(" "))?;
        match (words[end], words.get(end + 1)) {
            ("ago", _) => (span.negate(), end + 1),
            ("from", Some(&"now")) => (span, end + 2),
            ("from", Some(&"today")) => (span, end + 2),
            ("from", _) => return None,
            _ => (span, end + 1),
        }
    };
    Some(from_now(draft, now, span).map(|()| taken))
}

/// `today`, `tomorrow`, `the day after tomorrow`, `now`.
fn days(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let (days, taken) = match words {
        ["now", ..] => {
            draft.exact = Some(now.clone());
            return Some(Ok(1));
        }
        ["day", "after", "tomorrow", ..] => (2, 3),
        ["day", "before", "yesterday", ..] => (-2, 3),
        ["today", ..] => (0, 1),
        ["tomorrow", ..] => (1, 1),
        ["yesterday", ..] => (-1, 1),
        ["tonight", ..] => {
            draft.period = Some(Period::Evening);
            (0, 1)
        }
        ["this", part, ..] if part_of_day(part).is_some() => (0, 1),
        _ => return None,
    };
    Some(add_days(now.date(), days).and_then(|date| draft.set_date(date)).map(|()| taken))
}

/// `next`, `this` or `last`, as steps from the present one.
fn step(word: &str) -> Option<i64> {
    match word {
        "next" => Some(1),
        "this" | "coming" => Some(0),
        "last" | "past" | "previous" => Some(-1),
        _ => None,
    }
}

/// `next Wednesday`, `this weekend`, `next week`, `last month`.
fn weeks(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let (first, second) = (words.first()?, words.get(1)?);
    let step = step(first)?;
    let today = now.date();
    let date = match *second {
        "week" => add_days(today, 7 * step),
        "month" => add_months(today, step),
        "year" => add_months(today, 12 * step),
        "weekend" => in_week(today, step, 5),
        day if *first == "coming" => calendar::coming(today, weekday_index(day)?),
        day => in_week(today, step, weekday_index(day)?),
    };
    let note = match *second {
        "week" | "month" | "year" => format!("`{first} {second}` is read as the same day of it"),
        "weekend" => "the weekend is read as its Saturday".into(),
        _ if *first == "coming" => return Some(draft.set_coming(date).map(|()| 2)),
        day => format!("`{first} {day}` is read as that day of {first} week; weeks start on Monday"),
    };
    draft.note(note);
    Some(date.and_then(|date| draft.set_date(date)).map(|()| 2))
}

/// `end of month`, `beginning of next year`, `end of February`.
fn edges(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let is_end = match *words.first()? {
        "end" => true,
        "start" | "beginning" => false,
        _ => return None,
    };
    let (steps, named) = words.get(1).and_then(|word| step(word)).map_or((0, 1), |step| (step, 2));
    let today = now.date();
    let date = match *words.get(named)? {
        "month" => add_months(today, steps).map(|day| if is_end { day.last_of_month() } else { day.first_of_month() }),
        "year" => {
            add_months(today, 12 * steps).map(|day| if is_end { day.last_of_year() } else { day.first_of_year() })
        }
        "week" => in_week(today, steps, if is_end { 6 } else { 0 }),
        month => {
            let first = calendar::coming_day(today.first_of_month(), month_index(month)?, 1);
            first.map(|day| if is_end { day.last_of_month() } else { day })
        }
    };
    Some(date.and_then(|date| draft.set_date(date)).map(|()| named + 1))
}

/// `Friday`: the coming one, today included.
fn weekday(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let date = match *words.first()? {
        "weekend" => calendar::coming(now.date(), 5),
        word => calendar::coming(now.date(), weekday_index(word)?),
    };
    Some(draft.set_coming(date).map(|()| 1))
}

/// `December 1`, `1 Dec 2026`, `Dec 1st, 2026`, `December 2026`.
fn month_date(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let (month, number, mut taken) = match (month_index(words[0]), day_number(words[0])) {
        (Some(month), _) => {
            let number = words.get(1).and_then(|word| day_number(word));
            (month, number, if number.is_some() { 2 } else { 1 })
        }
        (None, Some(number)) => (month_index(words.get(1)?)?, Some(number), 2),
        (None, None) => return None,
    };
    let year = words.get(taken).and_then(|word| year(word));
    taken += usize::from(year.is_some());
    if number.is_none() {
        draft.note("no day was given; the first of the month is taken");
    }
    let set = match year {
        Some(year) => calendar::day(year, month, number.unwrap_or(1)).and_then(|date| draft.set_date(date)),
        None => draft.set_coming(calendar::coming_day(now.date(), month, number.unwrap_or(1))),
    };
    Some(set.map(|()| taken))
}

/// `the 15th`: of this month, or of the next when it has passed.
fn ordinal(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let word = words.first()?;
    let number = day_number(word).filter(|_| !word.ends_with(|c: char| c.is_ascii_digit()))?;
    Some(draft.set_coming(coming_in_month(now, number)).map(|()| 1))
}

/// Day `number` of this month, or of the next when it has passed.
pub fn coming_in_month(now: &ZonedDateTime, number: i64) -> Result<jiff::civil::Date, String> {
    let today = now.date();
    let month = if number < i64::from(today.day()) { add_months(today.first_of_month(), 1)? } else { today };
    calendar::day(i64::from(month.year()), i64::from(month.month()), number)
}

/// `Christmas`, `Chinese New Year 2027`.
fn named_day(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let whole = words.join(" ");
    let (found, rest) = festival(&whole).filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '))?;
    let taken = words.len() - rest.split_whitespace().count();
    let year = words.get(taken).and_then(|word| year(word));
    let set = match year {
        Some(year) => found.in_year(year).and_then(|date| draft.set_date(date)),
        None => draft.set_coming(found.coming(now.date())),
    };
    Some(set.map(|()| taken + usize::from(year.is_some())))
}

/// A date in digits after other words, such as `3pm 2026-12-01`.
fn digits(words: &[&str], now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let reading = crate::absolute::read(words.first()?, now)?;
    Some(reading.and_then(|reading| draft.set_date(reading.at.date())).map(|()| 1))
}

/// `3pm`, `at 3:30 pm`, `15:00`, `3 o'clock`, `at 3`.
fn clock(words: &[&str], _now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let skipped = usize::from(words[0] == "at");
    let word = *words.get(skipped)?;
    let next = words.get(skipped + 1).copied().unwrap_or_default();
    let halves = [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)];
    let suffix = halves.iter().find_map(|(name, pm)| Some((word.strip_suffix(name)?, *pm, 1)));
    let apart = || halves.iter().find(|(name, _)| next == *name).map(|(_, pm)| (word, *pm, 2));
    let Some((digits, pm, taken)) = suffix.or_else(apart) else {
        let is_hour = next == "o'clock";
        let (hour, minute, second) = time(word).filter(|_| is_hour || skipped == 1 || word.contains(':'))?;
        draft.is_bare_hour = !word.contains(':');
        return Some(draft.set_clock(hour, minute, second).map(|()| skipped + 1 + usize::from(is_hour)));
    };
    let (hour, minute, second) = time(digits)?;
    if !(1..=12).contains(&hour) {
        return Some(Err(format!("there is no `{hour}` with am or pm; hours are 1 to 12 then, as in 3:30pm")));
    }
    Some(draft.set_clock(hour % 12 + if pm { 12 } else { 0 }, minute, second).map(|()| skipped + taken))
}

/// `at` before anything else, such as `at noon`.
fn at(words: &[&str], _now: &ZonedDateTime, _draft: &mut Draft) -> Option<Result<usize, String>> {
    (words[0] == "at" && words.len() > 1).then_some(Ok(1))
}

fn time(digits: &str) -> Option<(i64, i64, i64)> {
    let mut parts = digits.split(':').map(|part| part.parse::<u8>().ok().map(i64::from));
    let (hour, minute, second) = (parts.next()??, parts.next(), parts.next());
    parts.next().is_none().then_some((hour, minute.unwrap_or(Some(0))?, second.unwrap_or(Some(0))?))
}

/// `in the morning`, `afternoon`, `noon`, `midnight`.
fn period(words: &[&str], _now: &ZonedDateTime, draft: &mut Draft) -> Option<Result<usize, String>> {
    let skipped = usize::from(words[0] == "in");
    let word = words.get(skipped)?;
    let taken = skipped + 1;
    match *word {
        "noon" | "midday" if draft.clock.is_none() => return Some(draft.set_clock(12, 0, 0).map(|()| taken)),
        "midnight" if draft.clock.is_none() => {
            draft.note("midnight is read as the start of the date");
            return Some(draft.set_clock(0, 0, 0).map(|()| taken));
        }
        _ => {}
    }
    draft.period = Some(part_of_day(word)?);
    Some(Ok(taken))
}

fn part_of_day(word: &str) -> Option<Period> {
    match word {
        "morning" => Some(Period::Morning),
        "noon" | "midday" => Some(Period::Noon),
        "afternoon" => Some(Period::Afternoon),
        "evening" | "night" => Some(Period::Evening),
        _ => None,
    }
}

fn weekday_index(word: &str) -> Option<i64> {
    let word = word.trim_end_matches('.');
    let fits = |name: &str| word.len() >= 3 && name.to_lowercase().starts_with(word);
    WEEKDAYS.iter().zip(0..).find(|((name, _), _)| fits(name)).map(|(_, index)| index)
}

fn month_index(word: &str) -> Option<i64> {
    let word = word.trim_end_matches('.');
    let fits = |name: &str| word.len() >= 3 && name.starts_with(word);
    MONTHS.iter().zip(1..).find(|(name, _)| fits(name)).map(|(_, index)| index)
}

/// `1`, `1st`, `22nd`: at most two digits.
fn day_number(word: &str) -> Option<i64> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(word);
    (digits.len() <= 2).then(|| digits.parse::<u8>().ok().map(i64::from)).flatten()
}

fn year(word: &str) -> Option<i64> {
    (word.len() == 4).then(|| word.parse::<u16>().ok().map(i64::from)).flatten()
}
