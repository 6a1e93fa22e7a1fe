//! How names are compared: folding, and splitting into words.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// `name` without case and separators: NFKC, lower case, letters and digits only.
///
/// `find symbol`, `find_symbol`, `Find-Symbol` and `findSymbol` fold alike, and what is folded folds to itself.
pub fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    if name.is_ascii() {
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
        folded.extend(kept.map(|b| char::from(b.to_ascii_lowercase())));
        return folded;
    }
    fold_once(name, &mut folded);
    // Marks that a sign held apart are neighbours now, which may put them in another order or make them one.
    while is_nfkc_quick(folded.chars()) != IsNormalized::Yes {
        let before = std::mem::take(&mut folded);
        fold_once(&before, &mut folded);
        if folded == before {
            break;
        }
    }
    folded
}

fn fold_once(name: &str, folded: &mut String) {
    for c in name.nfkc().filter(|c| c.is_alphanumeric()) {
        folded.extend(c.to_lowercase());
    }
}

/// Whether `c` belongs to a script written without spaces between words: Chinese, Japanese kana, Korean syllables.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word, in the case it was written in. Either all CJK or without any.
    pub text: &'a str,
    /// Whether it is CJK.
    pub cjk: bool,
    /// Whether it continues the word before without a separator, as `Symbol` does in `findSymbol`.
    pub joined: bool,
}

/// `text` in the form [`words`] expects: NFKC, so that full-width letters and ligatures compare like plain ones.
pub fn normal(text: &str) -> std::borrow::Cow<'_, str> {
    match text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        true => text.into(),
        false => text.nfkc().collect::<String>().into(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Cjk,
    Break,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        c if c.is_ascii() => Kind::Break,
        c if is_cjk(c) => Kind::Cjk,
        c if c.is_uppercase() => Kind::Upper,
        c if c.is_numeric() => Kind::Digit,
        c if c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c) => Kind::Lower,
        _ => Kind::Break,
    }
}

/// Splits at everything that is no letter or digit, between scripts, and inside `camelCase` and `HTTPServer`.
pub fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, joined: false }
}

/// Iterator over the [`Word`]s of a text.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    text: &'a str,
    at: usize,
    joined: bool,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.text[self.at..];
        let skip = rest.find(|c| kind(c) != Kind::Break)?;
        let joined = self.joined && skip == 0;
        let word = first_word(&rest[skip..]);
        self.at += skip + word.len();
        self.joined = true;
        Some(Word { text: word, cjk: word.starts_with(is_cjk), joined })
    }
}

/// The word `text` begins with; `text` begins with a letter or digit.
fn first_word(text: &str) -> &str {
    let mut kinds = text.char_indices().map(|(at, c)| (at, kind(c))).peekable();
    let Some((_, mut before)) = kinds.next() else {
        return text;
    };
    while let Some((at, now)) = kinds.next() {
        let next = kinds.peek().map(|&(_, kind)| kind);
        if splits(before, now, next) {
            return &text[..at];
        }
        before = now;
    }
    text
}

fn splits(before: Kind, now: Kind, next: Option<Kind>) -> bool {
    match (before, now) {
        (_, Kind::Break) => true,
        (Kind::Cjk, now) => now != Kind::Cjk,
        (_, Kind::Cjk) => true,
        (Kind::Lower | Kind::Digit, Kind::Upper) => true,
        // `HTTPServer`: the last capital belongs to the word after.
        (Kind::Upper, Kind::Upper) => next == Some(Kind::Lower),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fold_alike_whatever_their_case_and_separators() {
        for name in ["find symbol", "find_symbol", "Find-Symbol", "findSymbol", "ｆｉｎｄ．ｓｙｍｂｏｌ"] {
            assert_eq!(fold(name), "findsymbol", "{name}");
        }
        assert_eq!(fold("北京 天气"), "北京天气");
        assert_eq!(fold("!?"), "");
        for name in ["\u{1e08f}{\u{618}", "İ.x", "ǅ", "a\u{345}-\u{345}", "ΑΣ"] {
            assert_eq!(fold(&fold(name)), fold(name), "{name:?}");
        }
    }

    #[test]
    fn text_splits_into_words() {
        let cases: [(&str, &[&str]); 9] = [
            ("getHTTPServerURL", &["get", "HTTP", "Server", "URL"]),
            ("find_symbol.by-name", &["find", "symbol", "by", "name"]),
            ("查北京sky和Notes文本", &["查北京", "sky", "和", "Notes", "文本"]),
            ("mp3 ipv4 B2B", &["mp3", "ipv4", "B2", "B"]),
            ("l'état naïve", &["l", "état", "naïve"]),
            ("", &[]),
            ("!!", &[]),
            ("🙂ok🙂", &["ok"]),
            ("x", &["x"]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = words(text).map(|word| word.text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_word_knows_whether_it_continues_the_one_before() {
        let joined: Vec<bool> = words("findSymbol by_name").map(|word| word.joined).collect();
        assert_eq!(joined, [false, true, false, false]);
    }
}
