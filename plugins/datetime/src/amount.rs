//! Amounts of time: `3 days 2 hours`, `P1M`, `3天2小时`.

use jiff::Span;

use crate::numbers::number;

const FORM: &str = "write it as \"3 days 2 hours\", \"-1 month\", \"P1Y2M3DT4H\" or \"3天2小时\"";

/// Reads an amount in ISO 8601, in English words or in Chinese. A sign in front or `ago` behind makes it negative.
///
/// # Errors
/// Says how an amount is written.
pub fn parse(text: &str) -> Result<Span, String> {
    let text = text.trim();
    let found = match text.chars().any(|c| c > '\u{2e80}') {
        true => signed_chinese(text),
        false => english(text),
    };
    found.ok_or_else(|| format!("`{text}` is no amount of time that is understood; {FORM}"))
}

/// Numbers in words, as they are said before a unit.
const WORDS: [(&str, &str); 16] = [
    ("a", "1"),
    ("an", "1"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("thirty", "30"),
];

/// An amount in English or ISO 8601.
pub fn english(text: &str) -> Option<Span> {
    let lower =
        text.to_lowercase().replace("half an hour", "30 minutes").replace("a fortnight", "2 weeks").replace(',', " ");
    let words = lower.split_whitespace().filter(|word| *word != "and");
    let plain: Vec<&str> =
        words.map(|word| WORDS.iter().find(|(name, _)| *name == word).map_or(word, |(_, digits)| digits)).collect();
    let plain = plain.join(" ");
    let is_iso = plain.trim_start_matches(['-', '+']).starts_with('p');
    if is_iso { text.trim().to_uppercase().parse().ok() } else { plain.parse().ok() }
}

fn signed_chinese(text: &str) -> Option<Span> {
    let (text, negative) = match text.strip_prefix(['-', '－', '负']) {
        Some(rest) => (rest.trim(), true),
        None => (text, false),
    };
    let (span, rest) = chinese(text)?;
    let (negative, rest) = match rest.trim() {
        "前" | "之前" | "以前" => (true, ""),
        "后" | "之后" | "以后" => (negative, ""),
        other => (negative, other),
    };
    rest.is_empty().then(|| if negative { span.negate() } else { span })
}

/// The unit a Chinese word names, in months, days or seconds.
#[derive(Clone, Copy)]
enum Unit {
    Months(i64),
    Days(i64),
    Seconds(i64),
}

/// Units in Chinese, longest first where one begins another. `月` alone is a month of the year and not an amount.
const UNITS: [(&str, Unit); 15] = [
    ("年", Unit::Months(12)),
    ("个月", Unit::Months(1)),
    ("季度", Unit::Months(3)),
    ("星期", Unit::Days(7)),
    ("礼拜", Unit::Days(7)),
    ("周", Unit::Days(7)),
    ("天", Unit::Days(1)),
    ("日", Unit::Days(1)),
    ("小时", Unit::Seconds(3600)),
    ("钟头", Unit::Seconds(3600)),
    ("刻钟", Unit::Seconds(900)),
    ("分钟", Unit::Seconds(60)),
    ("分", Unit::Seconds(60)),
    ("秒钟", Unit::Seconds(1)),
    ("秒", Unit::Seconds(1)),
];

/// The amount that `text` starts with, such as `3天2小时` or `一个半小时`, and what stands after it.
pub fn chinese(text: &str) -> Option<(Span, &str)> {
    let (mut months, mut days, mut seconds) = (0_i64, 0_i64, 0_i64);
    let mut rest = text;
    let mut any = false;
    while let Some((doubled, unit, after)) = one_unit(rest) {
        match unit {
            Unit::Months(each) if (doubled * each) % 2 == 0 => months = months.checked_add(doubled * each / 2)?,
            Unit::Seconds(each) if (doubled * each) % 2 == 0 => seconds = seconds.checked_add(doubled * each / 2)?,
            Unit::Days(each) if doubled % 2 == 0 => days = days.checked_add(doubled / 2 * each)?,
            Unit::Days(1) => seconds = seconds.checked_add(doubled * 43_200)?,
            _ => return None,
        }
        (rest, any) = (after.trim_start_matches(['零', '又', ' ']), true);
    }
    if !any {
        return None;
    }
    Some((span(months, days, seconds)?, rest))
}

fn span(months: i64, days: i64, seconds: i64) -> Option<Span> {
    let span = Span::new().try_years(months / 12).ok()?.try_months(months % 12).ok()?.try_days(days).ok()?;
    span.try_hours(seconds / 3600).ok()?.try_minutes(seconds / 60 % 60).ok()?.try_seconds(seconds % 60).ok()
}

/// Twice the number (so that halves are whole), its unit, and what stands after them: `3天`, `半年`, `一个半小时`.
fn one_unit(text: &str) -> Option<(i64, Unit, &str)> {
    let (doubled, rest) = match text.strip_prefix('半') {
        Some(rest) => (1, rest),
        None => {
            let (count, rest) = number(text.trim_start())?;
            let rest = rest.trim_start();
            rest.strip_prefix("个半").map_or((count * 2, rest), |rest| (count * 2 + 1, rest))
        }
    };
    let rest = if rest.starts_with("个月") { rest } else { rest.strip_prefix('个').unwrap_or(rest) };
    let (word, unit) = UNITS.iter().find(|(word, _)| rest.starts_with(word))?;
    Some((doubled, *unit, &rest[word.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_every_form() {
        for (text, iso) in [
            ("3 days 2 hours", "P3DT2H"),
            ("3 days, and 2 hours", "P3DT2H"),
            ("P1Y2M3DT4H", "P1Y2M3DT4H"),
            ("PT90M", "PT90M"),
            ("-1 month", "-P1M"),
            ("2 weeks ago", "-P2W"),
            ("a week", "P1W"),
            ("an hour and thirty minutes", "PT1H30M"),
            ("half an hour", "PT30M"),
            ("1.5 hours", "PT1H30M"),
            ("3天2小时", "P3DT2H"),
            ("三天", "P3D"),
            ("一年零三个月", "P1Y3M"),
            ("两周", "P14D"),
            ("半年", "P6M"),
            ("半小时", "PT30M"),
            ("半个小时", "PT30M"),
            ("一个半小时", "PT1H30M"),
            ("3 个月 5 天", "P3M5D"),
            ("三天前", "-P3D"),
            ("90分钟", "PT1H30M"),
            ("-2小时", "-PT2H"),
            ("一刻钟", "PT15M"),
        ] {
            assert_eq!(parse(text).map(|span| span.to_string()), Ok(iso.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused_with_the_form() {
        for text in ["", "soon", "3", "三", "3月", "99999999999 years", "P", "3 days tomorrow", "半个月零", "一个半月"]
        {
            let refused = parse(text).is_err_and(|error| error.contains("write it as"));
            assert!(refused, "{text}: {:?}", parse(text));
        }
    }
}
