use unicode_normalization::char::is_combining_mark;
use winclaw_tool::Text;

/// What stands at the end of a text that was cut.
const CUT: &str = "… [cut]";

/// `text` without characters that are not seen or that reorder what is seen, at most `cap_chars` characters long.
///
/// Left out are control characters (line feed and tab stay; carriage returns and Unicode line ends become line feeds),
/// bidirectional controls, zero-width and filler characters, variation selectors but the two for emoji, tag characters
/// and byte order marks. White space at both ends goes. A cut text ends in `… [cut]`, which counts towards the cap, and
/// is never cut between a letter and its accent.
pub fn clean(text: &str, cap_chars: usize) -> String {
    cut(visible(text), cap_chars, CUT)
}

/// [`clean`] of a text that is not needed any more.
pub(crate) fn clean_own(text: String, cap_chars: usize) -> String {
    cut(visible_own(text), cap_chars, CUT)
}

/// [`clean`] with every run of white space made one space.
pub(crate) fn one_line(text: &str, cap_chars: usize) -> String {
    let visible = visible(text);
    if is_one_line(&visible) {
        return cut(visible, cap_chars, CUT);
    }
    let words: Vec<&str> = visible.split_whitespace().collect();
    cut(words.join(" "), cap_chars, CUT)
}

/// Whether all white space in `text` is single spaces.
fn is_one_line(text: &str) -> bool {
    let mut after_space = false;
    text.chars().all(|c| {
        let space = c.is_whitespace();
        let fine = !space || (c == ' ' && !after_space);
        after_space = space;
        fine
    })
}

/// [`one_line`] for both wordings.
pub(crate) fn one_line_each(text: &Text, cap_chars: usize) -> Text {
    Text { en: one_line(&text.en, cap_chars), zh: one_line(&text.zh, cap_chars) }
}

/// Whether `text` has characters that a reader cannot see and an honest author has no use for.
///
/// Joiners, soft hyphens and byte order marks are taken out too, but stand in honest texts.
pub(crate) fn has_hidden(text: &str) -> bool {
    let honest = |c: char| matches!(c, '\r' | '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}');
    !is_plain(text) && text.chars().any(|c| is_hidden(c) && !honest(c) && c != '\u{85}')
}

/// Whether `text` is printable ASCII with line feeds and tabs, so that there is nothing to look for.
fn is_plain(text: &str) -> bool {
    // Whole chunks without a way out in between, so that the compiler can look at many bytes at once.
    let plain = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\t');
    text.as_bytes().chunks(64).all(|chunk| chunk.iter().fold(true, |so_far, b| so_far & plain(b)))
}

/// [`visible`] of a text that is not needed any more; a plain one keeps its place in memory.
pub(crate) fn visible_own(mut text: String) -> String {
    if !is_plain(&text) {
        return visible(&text);
    }
    text.truncate(text.trim_end().len());
    let start = text.len() - text.trim_start().len();
    if start > 0 {
        text.drain(..start);
    }
    text
}

/// `text` without hidden characters and without white space at its ends.
pub(crate) fn visible(text: &str) -> String {
    if is_plain(text) {
        return text.trim().to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => kept.push('\n'),
            c if is_hidden(c) => {}
            c => kept.push(c),
        }
    }
    kept.trim().to_owned()
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{FE0E}' | '\u{FE0F}' => false,
        c if c.is_control() => true,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' => true,
        '\u{FFF0}'..='\u{FFFB}' | '\u{FFFE}' | '\u{FFFF}' | '\u{1D173}'..='\u{1D17A}' => true,
        '\u{E0000}'..='\u{E0FFF}' => true,
        _ => false,
    }
}

/// `text` with at most `cap_chars` characters, `mark` at its end if it was longer.
pub(crate) fn cut(mut text: String, cap_chars: usize, mark: &str) -> String {
    if text.len() <= cap_chars || text.chars().count() <= cap_chars {
        return text;
    }
    let room = cap_chars.saturating_sub(mark.chars().count());
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    text.truncate(whole_letter(&text, end));
    text.truncate(text.trim_end().len());
    text.extend(mark.chars().take(cap_chars));
    text
}

/// The last place not after `end` where no accent is parted from its letter; gives up after 16 accents.
fn whole_letter(text: &str, end: usize) -> usize {
    if !text[end..].starts_with(is_combining_mark) {
        return end;
    }
    let before = text[..end].char_indices().rev().take(16);
    before.into_iter().find(|&(_, c)| !is_combining_mark(c)).map_or(end, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_taken_out() {
        let cases = [
            ("plain\ttext\nhere", "plain\ttext\nhere"),
            ("a\u{1b}[31mred\u{7}\u{0}", "a[31mred"),
            ("a\r\nb\rc\u{2028}d", "a\nb\nc\nd"),
            ("\u{202e}evil\u{2066}x\u{200f}", "evilx"),
            ("z\u{200b}e\u{200d}r\u{feff}o\u{ad}", "zero"),
            ("tag\u{e0041}\u{e007f}\u{e0101}", "tag"),
            ("  北京\u{3164} ", "北京"),
            ("☀\u{fe0f}", "☀\u{fe0f}"),
        ];
        for (given, expected) in cases {
            assert_eq!(clean(given, 100), expected, "{given:?}");
        }
    }

    #[test]
    fn a_cut_is_seen_and_counts_towards_the_cap() {
        let long = clean(&"字".repeat(50), 20);
        assert_eq!(long.chars().count(), 20);
        assert!(long.ends_with("… [cut]"), "{long}");
        assert_eq!(clean(&"字".repeat(20), 20), "字".repeat(20));
        assert_eq!(clean("abcdef", 3).chars().count(), 3);
    }

    #[test]
    fn an_accent_is_never_parted_from_its_letter() {
        let text = format!("{}e\u{301}{}", "a".repeat(12), "b".repeat(20));
        assert_eq!(clean(&text, 20), format!("{}… [cut]", "a".repeat(12)));
    }

    #[test]
    fn one_line_has_one_line() {
        for text in ["a\n\n  b\tc\u{2029}d", "a\nb c d", "a b\tc d", "a b  c d", "a b\u{3000}c d", " a b c d\r\n"] {
            assert_eq!(one_line(text, 50), "a b c d", "{text:?}");
        }
    }
}
