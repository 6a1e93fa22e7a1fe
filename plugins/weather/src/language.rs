//! The language of the words in a result.

/// Chinese or English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// The language the place is written in: Chinese when it holds a Han character, else English.
    pub fn of_script(place: &str) -> Self {
        if place.chars().any(is_han) { Language::Zh } else { Language::En }
    }

    /// What the service calls it.
    pub fn code(self) -> &'static str {
        self.pick("en", "zh")
    }

    /// The one of the two wordings that is in this language.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Language::En => en,
            Language::Zh => zh,
        }
    }
}

/// Whether `c` is a Han character (the unified ideographs and their extensions).
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}
