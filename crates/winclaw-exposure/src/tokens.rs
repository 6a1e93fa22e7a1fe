use std::io;

use serde::Serialize;

/// About how many tokens `text` costs: four ASCII bytes a token, one token a CJK character, half a token for a letter
/// of another script, two for a character beyond the basic plane.
///
/// An estimate for budgets, not a bill. Cutting a text in two never makes the sum of the parts smaller.
pub fn estimate_tokens(text: &str) -> u32 {
    tokens(quarters(text.as_bytes()))
}

/// The estimate for `value` as compact JSON, without writing it.
pub(crate) fn of_json(value: &impl Serialize) -> u32 {
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => tokens(counter.0),
        Err(_) => u32::MAX,
    }
}

struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += quarters(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn tokens(quarters: u64) -> u32 {
    u32::try_from(quarters.div_ceil(4)).unwrap_or(u32::MAX)
}

fn quarters(utf8: &[u8]) -> u64 {
    utf8.iter().map(|byte| weight(*byte)).sum()
}

/// Quarters of a token for the character this byte begins; none for the bytes that continue one.
fn weight(byte: u8) -> u64 {
    match byte {
        0x00..=0x7F => 1,
        0x80..=0xBF => 0,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 4,
        0xF0..=0xFF => 8,
    }
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
        let value = json!({"city": "北京", "days": [1, 2.5, null], "quote": "\"\\\n"});
        assert_eq!(of_json(&value), estimate_tokens(&value.to_string()));
    }
}
