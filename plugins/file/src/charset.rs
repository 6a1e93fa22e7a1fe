//! Bytes to text and back without loss: which encoding a file is in, and how to keep it.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EUC_JP, EUC_KR, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};
use winclaw_sdk::Failure;

/// How many bytes at the start of a file decide on its encoding when it is not read whole.
pub(crate) const SAMPLE: usize = 256 << 10;

/// Fewer bytes beyond ASCII than this tell East Asian encodings apart badly.
const SHORT: usize = 10;

/// An encoding, and whether a byte order mark stands before the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Charset {
    encoding: &'static Encoding,
    bom: bool,
}

/// Why bytes are not text in an encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotText {
    /// They hold NUL bytes, as programs, pictures and archives do.
    Binary,
    /// The encoding has no character for some of the bytes.
    Invalid(Charset),
}

impl Charset {
    /// UTF-8 without a mark, what new files are written in.
    pub(crate) const UTF8: Charset = Charset { encoding: UTF_8, bom: false };

    /// The encoding people call `name`, such as `gbk`, `utf-16le` or `shift_jis`.
    ///
    /// `utf-8-bom` is UTF-8 with a mark; `utf-16` is little-endian with a mark, as Windows writes it.
    pub(crate) fn named(name: &str) -> Result<Charset, Failure> {
        let wanted = name.trim().to_ascii_lowercase().replace(' ', "");
        let with_bom = |encoding| Charset { encoding, bom: true };
        match wanted.as_str() {
            "utf-8-bom" | "utf-8-sig" | "utf8-bom" | "utf8bom" => return Ok(with_bom(UTF_8)),
            "utf-16" | "utf16" | "unicode" => return Ok(with_bom(UTF_16LE)),
            "utf-16le-bom" => return Ok(with_bom(UTF_16LE)),
            "utf-16be-bom" => return Ok(with_bom(UTF_16BE)),
            _ => {}
        }
        let label = match wanted.as_str() {
            "cp936" | "ansi" => "gbk",
            "cp932" | "sjis" => "shift_jis",
            "cp950" => "big5",
            "cp949" => "euc-kr",
            "cp1252" => "windows-1252",
            other => other,
        };
        let known = Encoding::for_label_no_replacement(label.as_bytes());
        known.map(|encoding| Charset { encoding, bom: false }).ok_or_else(|| {
            Failure::invalid_args(format!(
                "`encoding`: \"{name}\" is not known; use utf-8, utf-8-bom, utf-16le, utf-16be, gbk, gb18030, big5, shift_jis, euc-kr or windows-1252, or leave it out"
            ))
        })
    }

    /// The encoding of a file that starts with `head`. `whole` says whether that is all of it.
    ///
    /// A byte order mark decides; then UTF-8, if it is valid; then statistics. A word or two that might be Korean,
    /// Japanese or Chinese is taken for Chinese.
    pub(crate) fn detect(head: &[u8], whole: bool) -> Result<Charset, NotText> {
        if let Some((encoding, _)) = Encoding::for_bom(head) {
            return Ok(Charset { encoding, bom: true });
        }
        if head.contains(&0) {
            return Err(NotText::Binary);
        }
        if is_utf8(head, whole) {
            return Ok(Charset::UTF8);
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(head, whole);
        // A hint overrides the statistics, so it is given only where there is too little text for them.
        let short = head.iter().filter(|byte| !byte.is_ascii()).count() < SHORT;
        let guess = |hint: Option<&[u8]>| detector.guess(hint, Utf8Detection::Deny);
        let encoding = match guess(None) {
            doubtful if short && (doubtful == EUC_KR || doubtful == EUC_JP) => guess(Some(b"cn")),
            clear => clear,
        };
        Ok(Charset { encoding, bom: false })
    }

    /// The name people know it by.
    pub(crate) fn name(self) -> String {
        match (self.encoding.name(), self.bom) {
            ("UTF-8", true) => "UTF-8 with BOM".to_owned(),
            (name, _) => name.to_owned(),
        }
    }

    /// Length of the byte order mark.
    pub(crate) fn mark(self) -> &'static [u8] {
        match (self.bom, self.encoding.name()) {
            (false, _) => b"",
            (true, "UTF-16LE") => b"\xFF\xFE",
            (true, "UTF-16BE") => b"\xFE\xFF",
            (true, _) => b"\xEF\xBB\xBF",
        }
    }

    /// This encoding as it stands at the start of a file: with a mark only if `head` has one.
    pub(crate) fn found_in(self, head: &[u8]) -> Charset {
        match Encoding::for_bom(head) {
            Some((encoding, _)) if encoding == self.encoding => Charset { encoding, bom: true },
            Some((encoding, _)) if self.is_utf16() && encoding != UTF_8 => Charset { encoding, bom: true },
            _ => Charset { bom: false, ..self },
        }
    }

    /// Bytes of one code unit: two for UTF-16, else one.
    pub(crate) fn unit(self) -> usize {
        if self.is_utf16() { 2 } else { 1 }
    }

    /// The line end as bytes of this encoding.
    pub(crate) fn newline(self) -> &'static [u8] {
        match self.encoding.name() {
            "UTF-16LE" => b"\n\0",
            "UTF-16BE" => b"\0\n",
            _ => b"\n",
        }
    }

    /// Where the lines of `bytes` end: after each line end. `bytes` starts with a whole code unit.
    ///
    /// None of the encodings uses the byte of `\n` inside a longer character, so lines are found without decoding.
    pub(crate) fn line_ends(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let unit = self.unit();
        memchr::memchr_iter(b'\n', bytes).filter_map(move |at| {
            let start = at - at % unit;
            (bytes.get(start..start + unit) == Some(self.newline())).then_some(start + unit)
        })
    }

    /// The longest start of `bytes` of at most `most` bytes that does not end inside a character.
    pub(crate) fn whole_characters(self, bytes: &[u8], most: usize) -> usize {
        let most = most.min(bytes.len());
        let whole = |end: &usize| !self.encoding.decode_without_bom_handling(&bytes[..*end]).1;
        (most.saturating_sub(3).max(1)..=most).rev().find(whole).unwrap_or(most)
    }

    /// The text of `bytes` and whether some were replaced by `U+FFFD`. The mark, if any, is not part of the text.
    pub(crate) fn decode(self, bytes: &[u8]) -> (String, bool) {
        let body = bytes.strip_prefix(self.mark()).unwrap_or(bytes);
        let (text, replaced) = self.encoding.decode_without_bom_handling(body);
        (text.into_owned(), replaced)
    }

    /// The text of a whole file, only if writing it back gives the very same bytes.
    pub(crate) fn decode_exactly(self, bytes: &[u8]) -> Result<String, NotText> {
        let (text, replaced) = self.decode(bytes);
        match !replaced && self.encode_file(&text).as_deref() == Ok(bytes) {
            true => Ok(text),
            false => Err(NotText::Invalid(self)),
        }
    }

    /// `text` as bytes, without a mark. The error is the first character this encoding does not have.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self.encoding.name() {
            "UTF-16LE" => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            "UTF-16BE" => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            _ => {
                let (bytes, _, unmappable) = self.encoding.encode(text);
                if !unmappable && self.encoding.decode_without_bom_handling(&bytes).0 == text {
                    return Ok(bytes.into_owned());
                }
                let lost = text.chars().find(|c| !self.keeps(*c)).or(text.chars().next());
                lost.map_or(Ok(Vec::new()), Err)
            }
        }
    }

    /// Whether `c` is read as it was written. Some encodings write a character as another's bytes, as Shift_JIS does with `¥`
    /// and `\`.
    fn keeps(self, c: char) -> bool {
        let mut buffer = [0; 4];
        let one: &str = c.encode_utf8(&mut buffer);
        let (bytes, _, unmappable) = self.encoding.encode(one);
        !unmappable && self.encoding.decode_without_bom_handling(&bytes).0 == one
    }

    /// `text` as the bytes of a file: the mark, if any, and then the text.
    pub(crate) fn encode_file(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = self.mark().to_vec();
        bytes.append(&mut self.encode(text)?);
        Ok(bytes)
    }

    fn is_utf16(self) -> bool {
        self.encoding == UTF_16LE || self.encoding == UTF_16BE
    }

    /// The failure for a character this encoding does not have.
    pub(crate) fn lacks(self, c: char) -> Failure {
        let wider =
            if self.encoding == GB18030 || self.encoding.name() == "GBK" { "gb18030 or utf-8" } else { "utf-8" };
        Failure::invalid_args(format!(
            "{} has no character `{c}` (U+{:04X}); set `encoding` to {wider}",
            self.name(),
            u32::from(c)
        ))
    }
}

/// Whether `head` is UTF-8, but for a last character that may be cut off when the file goes on.
fn is_utf8(head: &[u8], whole: bool) -> bool {
    match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => !whole && error.error_len().is_none(),
    }
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// There is no line end.
    None,
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// Both occur.
    Mixed,
}

impl LineEnds {
    /// The line ends of `text`.
    pub(crate) fn of(text: &str) -> LineEnds {
        let all = text.matches('\n').count();
        let crlf = text.matches("\r\n").count();
        match (all, crlf) {
            (0, _) => LineEnds::None,
            (_, 0) => LineEnds::Lf,
            (all, crlf) if all == crlf => LineEnds::CrLf,
            _ => LineEnds::Mixed,
        }
    }

    /// The word results use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LineEnds::None => "none",
            LineEnds::Lf => "lf",
            LineEnds::CrLf => "crlf",
            LineEnds::Mixed => "mixed",
        }
    }

    /// `text` with its line ends made these. `None` and `Mixed` change nothing.
    pub(crate) fn apply(self, text: &str) -> String {
        match self {
            LineEnds::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            LineEnds::Lf => text.replace("\r\n", "\n"),
            LineEnds::None | LineEnds::Mixed => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHINESE: &str = "今天北京天气晴朗，气温二十五度，适合出行。\n明天有小雨，请带伞。\n";
    const TRADITIONAL: &str = "今天台北天氣晴朗，氣溫二十五度，適合出門散步。\n明天會下雨，請記得帶傘。\n";
    const JAPANESE: &str = "今日は東京の天気が良いです。明日は雨が降るでしょう。\nかさを持って行ってください。\n";
    const FRENCH: &str = "Il a été décidé que la forêt près de l'école sera protégée.\n";

    fn charset(name: &str) -> Charset {
        Charset::named(name).expect("an encoding")
    }

    #[test]
    fn encodings_are_told_apart_without_being_named() {
        let cases = [
            ("utf-8", CHINESE, "UTF-8"),
            ("utf-8-bom", CHINESE, "UTF-8 with BOM"),
            ("utf-16", CHINESE, "UTF-16LE"),
            ("utf-16be-bom", CHINESE, "UTF-16BE"),
            ("gbk", CHINESE, "GBK"),
            ("gb18030", CHINESE, "GBK"),
            ("gbk", "你好，世界", "GBK"),
            ("gbk", "你好", "GBK"),
            ("gbk", "姓名,年龄\n张三,20\n", "GBK"),
            ("euc-kr", "오늘 서울 날씨는 맑습니다.", "EUC-KR"),
            ("big5", TRADITIONAL, "Big5"),
            ("shift_jis", JAPANESE, "Shift_JIS"),
            ("windows-1252", FRENCH, "windows-1252"),
            ("utf-8", "plain ascii", "UTF-8"),
            ("utf-8", "", "UTF-8"),
        ];
        for (written, text, found) in cases {
            let bytes = charset(written).encode_file(text).expect("bytes");
            let detected = Charset::detect(&bytes, true).expect("text");
            assert_eq!(detected.name(), found, "{written}: {text}");
            assert_eq!(detected.decode(&bytes), (text.to_owned(), false), "{written}: {text}");
        }
    }

    #[test]
    fn a_character_cut_off_by_the_sample_is_still_utf8() {
        let bytes = "温度".as_bytes();
        assert_eq!(Charset::detect(&bytes[..4], false), Ok(Charset::UTF8));
        assert_ne!(Charset::detect(&bytes[..4], true), Ok(Charset::UTF8));
        assert_eq!(Charset::detect(b"\x7fELF\x00\x01", true), Err(NotText::Binary));
    }

    #[test]
    fn names_of_people_and_windows_are_known_and_others_refused() {
        for name in ["GBK", "cp936", "GB2312", "gb18030", "Shift_JIS", "UTF8", "latin1", "Big5", "utf-16"] {
            assert!(Charset::named(name).is_ok(), "{name}");
        }
        let failure = Charset::named("klingon").expect_err("unknown");
        assert!(failure.message.contains("gb18030"), "{failure}");
    }

    #[test]
    fn what_an_encoding_cannot_hold_is_named() {
        assert_eq!(charset("gbk").encode("好😀"), Err('😀'));
        assert!(charset("gb18030").encode("好😀").is_ok());
        assert!(charset("gbk").lacks('😀').message.contains("U+1F600"));
        assert!(charset("windows-1252").encode("中").is_err());
    }

    #[test]
    fn bytes_that_would_change_are_not_text() {
        assert!(matches!(Charset::UTF8.decode_exactly(b"a\xffb"), Err(NotText::Invalid(_))));
        assert!(matches!(charset("utf-16").decode_exactly(b"\xff\xfea"), Err(NotText::Invalid(_))));
        assert_eq!(Charset::UTF8.decode_exactly("好".as_bytes()), Ok("好".to_owned()));
    }

    #[test]
    fn a_mark_belongs_to_the_file_and_not_to_the_name() {
        assert_eq!(charset("utf-16").found_in(b"a\0").mark(), b"");
        assert_eq!(charset("utf-16").found_in(b"\xFE\xFF\0a").name(), "UTF-16BE");
        assert_eq!(charset("utf-8").found_in(b"\xEF\xBB\xBFa").name(), "UTF-8 with BOM");
        assert_eq!(charset("gbk").found_in(b"\xEF\xBB\xBFa").name(), "GBK");
    }

    #[test]
    fn lines_and_characters_are_found_in_bytes() {
        let ends = |name: &str, text: &str| {
            charset(name).line_ends(&charset(name).encode(text).expect("bytes")).collect::<Vec<_>>()
        };
        assert_eq!(ends("utf-8", "a\n好\n"), [2, 6]);
        assert_eq!(ends("utf-16le", "a\n\u{0A00}\u{0A0A}\n"), [4, 10]);
        assert_eq!(ends("utf-16be", "a\n\u{0A00}\u{0A0A}\n"), [4, 10]);
        for name in ["utf-8", "gbk", "gb18030", "big5", "utf-16le", "shift_jis"] {
            let bytes = charset(name).encode("天天天").expect("bytes");
            let one = bytes.len() / 3;
            for most in one..bytes.len() {
                assert_eq!(charset(name).whole_characters(&bytes, most), most / one * one, "{name} {most}");
            }
        }
    }

    #[test]
    fn line_ends_are_recognised_and_applied() {
        for (text, ends) in
            [("", LineEnds::None), ("a\nb\n", LineEnds::Lf), ("a\r\nb", LineEnds::CrLf), ("a\r\nb\n", LineEnds::Mixed)]
        {
            assert_eq!(LineEnds::of(text), ends);
        }
        assert_eq!(LineEnds::CrLf.apply("a\nb\r\n"), "a\r\nb\r\n");
        assert_eq!(LineEnds::Lf.apply("a\r\nb\n"), "a\nb\n");
    }

    #[test]
    fn a_character_that_would_be_read_as_another_is_refused() {
        for (name, text, lost) in
            [("shift_jis", "a¥", '¥'), ("shift_jis", "‾", '‾'), ("gbk", "né👋", '👋'), ("big5", "简", '简')]
        {
            assert_eq!(charset(name).encode(text), Err(lost), "{name}");
        }
        assert_eq!(charset("shift_jis").encode("a\\~あ"), Ok(vec![0x61, 0x5c, 0x7e, 0x82, 0xa0]));
    }

    proptest! {
        #[test]
        fn text_survives_every_encoding_that_can_hold_it(text in "[\\PC\n\r]{0,60}", n in 0_usize..10) {
            let name = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "utf-16", "gbk", "gb18030", "big5", "shift_jis", "windows-1252"][n];
            let charset = charset(name);
            if let Ok(bytes) = charset.encode_file(&text) {
                if let Ok(read) = charset.decode_exactly(&bytes) {
                    prop_assert_eq!(read, text);
                } else {
                    prop_assert!(!name.starts_with("utf"), "{} must always round-trip", name);
                }
            }
        }
    }
}
