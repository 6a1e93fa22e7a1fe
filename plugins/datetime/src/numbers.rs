//! Numbers at the start of a text, in digits or Chinese numerals.

/// The number `text` starts with and what stands after it; `None` when it starts with none.
///
/// Reads `12`, `十二`, `二十`, `一百零五`, `两`, and years written digit by digit such as `二〇二六`. At most four digits.
pub fn number(text: &str) -> Option<(i64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=6).contains(&digits) {
        return Some((text[..digits].parse().ok()?, &text[digits..]));
    }
    let length = text.char_indices().find(|(_, c)| !is_numeral(*c)).map_or(text.len(), |(at, _)| at);
    if digits > 0 || length == 0 {
        return None;
    }
    let (numeral, rest) = text.split_at(length);
    Some((chinese(numeral)?, rest))
}

fn is_numeral(c: char) -> bool {
    digit(c).is_some() || place(c).is_some()
}

fn digit(c: char) -> Option<i64> {
    "零一二三四五六七八九".chars().zip(0..).find(|(numeral, _)| *numeral == c).map(|(_, value)| value).or(match c {
        '〇' => Some(0),
        '两' => Some(2),
        _ => None,
    })
}

fn place(c: char) -> Option<i64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1000),
        _ => None,
    }
}

fn chinese(numeral: &str) -> Option<i64> {
    let chars: Vec<char> = numeral.chars().collect();
    if chars.len() > 8 {
        return None;
    }
    if chars.iter().all(|c| digit(*c).is_some()) {
        return Some(chars.iter().filter_map(|c| digit(*c)).fold(0, |number, digit| number * 10 + digit));
    }
    let (mut sum, mut pending) = (0, None);
    for c in chars {
        match place(c) {
            Some(place) => sum += pending.take().unwrap_or(1) * place,
            None => pending = digit(c),
        }
    }
    Some(sum + pending.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_numerals_are_read() {
        for (text, expected) in [
            ("12月", Some((12, "月"))),
            ("十二月", Some((12, "月"))),
            ("二十号", Some((20, "号"))),
            ("三十一", Some((31, ""))),
            ("一百零五天", Some((105, "天"))),
            ("两天", Some((2, "天"))),
            ("二〇二六年", Some((2026, "年"))),
            ("十", Some((10, ""))),
            ("天", None),
            ("", None),
            ("1234567", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }
}
