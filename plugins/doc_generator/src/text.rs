//! Questions about characters: which XML can hold, which are East Asian, and how wide they are on a page.

use std::borrow::Cow;

/// `text` without the characters XML 1.0 cannot hold and without the marks of [`crate::emphasis`].
///
/// Carriage returns go too: Word shows them as nothing and LibreOffice as a break.
pub(crate) fn legal(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_legal) { Cow::Borrowed(text) } else { text.chars().filter(|&c| is_legal(c)).collect() }
}

fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..) && c != '\u{7F}'
}

/// Whether `c` is a Chinese, Japanese or Korean letter.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether `c` is punctuation that is written with Chinese, Japanese or Korean, such as `，` and `“`.
pub(crate) fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '\u{2014}' | '\u{2018}'..='\u{201D}' | '\u{2026}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3020}'
        | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}' | '\u{FFE0}'..='\u{FFE6}')
}

/// Whether no space belongs where a line was broken next to `c`: Chinese and Japanese are written without spaces.
pub(crate) fn joins_lines(c: char) -> bool {
    (is_cjk(c) && !is_hangul(c)) || matches!(c, '\u{3001}'..='\u{3020}' | '\u{FF01}'..='\u{FF65}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}')
}

/// Width of `text` in columns of a terminal: two for an East Asian character, one for any other.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_cjk(c) || is_cjk_punctuation(c) { 2 } else { 1 }).sum()
}

/// The writing a document is in, as far as fonts and language tags need to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Script {
    /// None of the others.
    #[default]
    Latin,
    /// Han characters without kana or hangul.
    Chinese,
    /// Kana somewhere.
    Japanese,
    /// Hangul somewhere.
    Korean,
}

impl Script {
    /// The script of `text`, from the characters in it alone.
    pub(crate) fn of(text: &str) -> Script {
        let has = |found: fn(char) -> bool| text.chars().any(found);
        if has(|c| matches!(c, '\u{3041}'..='\u{30FF}')) {
            Script::Japanese
        } else if has(is_hangul) {
            Script::Korean
        } else if has(is_cjk) {
            Script::Chinese
        } else {
            Script::Latin
        }
    }

    /// The BCP 47 tag of a page in this script.
    pub(crate) fn page_lang(self) -> &'static str {
        if self == Script::Latin { "en" } else { self.east_asian_lang() }
    }

    /// The tag Word checks East Asian text by.
    pub(crate) fn east_asian_lang(self) -> &'static str {
        match self {
            Script::Latin | Script::Chinese => "zh-CN",
            Script::Japanese => "ja-JP",
            Script::Korean => "ko-KR",
        }
    }

    /// The font of East Asian text that comes with Windows, and the one that usually stands in for it elsewhere.
    pub(crate) fn east_asian_fonts(self) -> (&'static str, &'static str) {
        match self {
            Script::Latin | Script::Chinese => ("Microsoft YaHei", "Noto Sans CJK SC"),
            Script::Japanese => ("Yu Gothic", "Noto Sans CJK JP"),
            Script::Korean => ("Malgun Gothic", "Noto Sans CJK KR"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_removed_and_the_rest_is_untouched() {
        assert_eq!(legal("a\u{0}b\u{1b}[2J\u{7f}\u{FFFE}\u{FDD0}c\r\n"), "ab[2Jc\n");
        let kept = "Tab\tline\n中文，日本語 한국어 😀 👨‍👩‍👧 שלום \u{200F}é";
        assert!(matches!(legal(kept), Cow::Borrowed(same) if same == kept));
    }

    #[test]
    fn the_script_follows_from_the_characters() {
        let cases = [
            ("Weather", Script::Latin, "en"),
            ("", Script::Latin, "en"),
            ("北京 weather", Script::Chinese, "zh-CN"),
            ("東京の天気", Script::Japanese, "ja-JP"),
            ("서울 날씨", Script::Korean, "ko-KR"),
        ];
        for (text, script, lang) in cases {
            assert_eq!((Script::of(text), Script::of(text).page_lang()), (script, lang), "{text}");
        }
    }

    #[test]
    fn chinese_takes_two_columns() {
        assert_eq!(columns("温度 25°C，晴"), 4 + 1 + 4 + 2 + 2);
    }
}
