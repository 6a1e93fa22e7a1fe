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
    text.bytes().map(|byte| u64::from(PLAIN[usize::from(byte)])).sum()
}

/// Quarters of a token for the character a byte begins; none for bytes that continue one.
const PLAIN: [u8; 256] = table(false);

/// The same inside a JSON string, where some characters are escaped.
const QUOTED: [u8; 256] = table(true);

const fn table(quoted: bool) -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte {
            // A backslash and a letter, or the whole of `\u001b` where there is no short form.
            0x22 | 0x5C | 8 | 9 | 10 | 12 | 13 if quoted => 2,
            0..0x20 if quoted => 6,
            0..0x80 => 1,
            0x80..0xC0 => 0,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 4,
            _ => 8,
        };
        byte += 1;
    }
    table
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
    let (count, sum) = entries.fold((0, 0), |(count, sum), (key, value)| (count + 1, sum + of_entry(key, value)));
    2 + between(count) + sum
}

/// Quarters of one entry of an object.
pub(crate) fn of_entry(key: &str, value: &Value) -> u64 {
    of_quoted(key) + 1 + of_json(value)
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
    2 + text.bytes().map(|byte| u64::from(QUOTED[usize::from(byte)])).sum::<u64>()
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
