use serde::{Deserialize, Serialize};

/// A language the host speaks to people in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English, the default.
    #[default]
    En,
    /// Chinese.
    Zh,
}

impl Lang {
    /// The language of a locale name such as `zh_CN.UTF-8`, `zh-Hans` or `en-GB`; English for anything not Chinese.
    pub fn from_locale(locale: &str) -> Self {
        let head = locale.get(..2).unwrap_or("");
        if head.eq_ignore_ascii_case("zh") { Lang::Zh } else { Lang::En }
    }
}

/// One sentence for a person, in every language the host speaks.
///
/// In JSON and TOML it is either a table `{ "en": "…", "zh": "…" }` with at least one of the two, or a plain string
/// that serves for both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "TextRepr")]
pub struct Text {
    /// The English wording.
    pub en: String,
    /// The Chinese wording.
    pub zh: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TextRepr {
    Both(String),
    Each {
        #[serde(default)]
        en: String,
        #[serde(default)]
        zh: String,
    },
}

impl From<TextRepr> for Text {
    fn from(repr: TextRepr) -> Self {
        match repr {
            TextRepr::Both(same) => Text { en: same.clone(), zh: same },
            TextRepr::Each { en, zh } if en.is_empty() => Text { en: zh.clone(), zh },
            TextRepr::Each { en, zh } if zh.is_empty() => Text { zh: en.clone(), en },
            TextRepr::Each { en, zh } => Text { en, zh },
        }
    }
}

impl Text {
    /// A text with both wordings.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Text { en: en.into(), zh: zh.into() }
    }

    /// The wording for `lang`.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }

    /// Whether neither wording says anything.
    pub fn is_empty(&self) -> bool {
        self.en.is_empty() && self.zh.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_reads_from_a_string_or_a_table_and_fills_the_missing_language() {
        let read = |json: &str| serde_json::from_str::<Text>(json).expect("a text");
        assert_eq!(read(r#""both""#), Text::new("both", "both"));
        assert_eq!(read(r#"{"zh":"天气"}"#), Text::new("天气", "天气"));
        assert_eq!(read(r#"{"en":"sky","zh":"天气"}"#), Text::new("sky", "天气"));
    }

    #[test]
    fn a_locale_names_its_language() {
        for (locale, lang) in
            [("zh_CN.UTF-8", Lang::Zh), ("ZH", Lang::Zh), ("en_GB", Lang::En), ("C", Lang::En), ("", Lang::En)]
        {
            assert_eq!(Lang::from_locale(locale), lang, "{locale}");
        }
    }
}
