//! Any text that names a date or time, in English, Chinese or digits.

use jiff::ZonedDateTime;

use crate::draft::{Draft, Reading};
use crate::{absolute, chinese, english};

/// Longest text that is read, in characters.
const MAX_CHARS: usize = 100;

/// Reads `text` as seen from `now`, whose zone counts unless the text names another.
///
/// # Errors
/// Names the part that is not understood and the forms that are.
pub fn read(text: &str, now: &ZonedDateTime) -> Result<Reading, String> {
    let plain: String = text.trim().chars().map(half_width).collect();
    if plain.is_empty() {
        return Err(format!("the text is empty; {FORMS}"));
    }
    if plain.chars().count() > MAX_CHARS {
        return Err(format!("the text is longer than {MAX_CHARS} characters; give only the date or time"));
    }
    if let Some(reading) = absolute::read(&plain, now) {
        return reading;
    }
    let mut draft = Draft::default();
    words(&plain, now, &mut draft)?;
    draft.finish(now).map_err(|error| format!("`{text}`: {error}; {FORMS}"))
}

/// The forms that are understood, as examples.
pub const FORMS: &str = "write it as 2026-12-01, 2026-12-01 15:00, next Wednesday, tomorrow at 3pm, in 2 weeks, 下周三, \
                         明天下午三点, 三天后, 上个月底 or 12月1日";

/// Reads words of either language into `draft`.
pub fn words(text: &str, now: &ZonedDateTime, draft: &mut Draft) -> Result<(), String> {
    let is_chinese = text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c) || c == '〇');
    if is_chinese { chinese::read(text, now, draft) } else { english::read(text, now, draft) }
}

fn half_width(c: char) -> char {
    match c {
        '，' | '、' => ',',
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '　' | '\u{a0}' => ' ',
        '−' | '–' => '-',
        c => c,
    }
}
