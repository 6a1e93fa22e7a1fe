use serde_json::Value;

/// About how many tokens `text` costs: four ASCII bytes a token, one token a CJK character, half a token for a letter
/// of another script, two for a character beyond the basic plane.
///
/// An estimate for budgets, not a bill; [`Exposure::calibrate`](crate::Exposure::calibrate) learns from bills. Cutting a
/// text in two never makes the sum of the parts smaller.
pub fn estimate_tokens(text: &str) -> u32 {
    tokens(quarters(text))
}

/// Whole tokens of so many quarters.
pub(crate) fn tokens(quarters: u64) -> u32 {
    u32::try_from(quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

/// Quarters of a token in `text`; the sum over the parts of a text is that of the text.
pub(crate) fn quarters(text: &str) -> u64 {
    text.as_bytes().chunks(1024).map(|chunk| u64::from(chunk.iter().map(|byte| weight(*byte)).sum::<u32>())).sum()
}

/// Quarters of a token for the character this byte begins; none for the bytes that continue one. Without branches, so that
/// the compiler can look at many bytes at once.
fn weight(byte: u8) -> u32 {
    u32::from(byte < 0x80)
        + 2 * u32::from((0xC0..=0xDF).contains(&byte))
        + 4 * u32::from((0xE0..=0xEF).contains(&byte))
        + 8 * u32::from(byte >= 0xF0)
}

/// Quarters of `value` as compact JSON, without writing it.
pub(crate) fn of_json(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => of_number(number),
        Value::String(text) => of_quoted(text),
        Value::Array(items) => 2 + between(items.len()) + items.iter().map(of_json).sum::<u64>(),
        Value::Object(map) => of_entries(map.iter()),
    }
}

/// Quarters of an object with these entries as compact JSON.
pub(crate) fn of_entries<'a>(entries: impl Iterator<Item = (&'a String, &'a Value)>) -> u64 {
    let (count, sum) =
        entries.fold((0, 0), |(count, sum), (key, value)| (count + 1, sum + of_quoted(key) + 1 + of_json(value)));
    2 + between(count) + sum
}

/// Commas between so many things.
pub(crate) fn between(count: usize) -> u64 {
    count.saturating_sub(1) as u64
}

fn of_number(number: &serde_json::Number) -> u64 {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => digits(number),
        (None, Some(number)) => 1 + digits(number.unsigned_abs()),
        (None, None) => number.to_string().len() as u64,
    }
}

fn digits(number: u64) -> u64 {
    1 + u64::from(number.checked_ilog10().unwrap_or(0))
}

/// Quarters of `text` as a JSON string.
pub(crate) fn of_quoted(text: &str) -> u64 {
    let escapes = |chunk: &[u8]| u64::from(chunk.iter().map(|byte| escape(*byte)).sum::<u32>());
    2 + quarters(text) + text.as_bytes().chunks(1024).map(escapes).sum::<u64>()
}

/// What escaping this byte adds: a backslash, or the whole of `\u001b` where there is no short form.
fn escape(byte: u8) -> u32 {
    let short = matches!(byte, b'"' | b'\\' | 8 | 9 | 10 | 12 | 13);
    u32::from(short) + 5 * u32::from(byte < 0x20 && !short)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_script_has_its_weight() {
        for (text, tokens) in [("", 0), ("abcd", 1), ("abcde", 2), ("北京", 2), ("Привет", 3), ("🌤", 2)] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn counting_json_is_like_writing_it() {
        let value = json!({
            "city": "北京", "days": [0, 9, 10, -10, -1, u64::MAX, i64::MIN, 2.5, 1e300, null], "none": [], "empty": {},
            "quote": "\"\\\n\t\r\u{8}\u{c}\u{1b}\u{0}\u{7f}é🌤", "yes": [true, false], "nested": {"a": {"b": "/"}},
        });
        assert_eq!(of_json(&value), quarters(&value.to_string()));
    }
}
