//! What a key was given, checked against what it takes.

use std::path::{Path, PathBuf};

use serde::Serialize;
use winclaw_tool::Text;

use super::keys::Kind;

/// A value that fits its key. In JSON it is the plain value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Given {
    /// A text, a word or a path.
    Words(String),
    /// `true` or `false`.
    Switch(bool),
    /// A whole number.
    Number(i64),
    /// A price.
    Price(f64),
    /// Several texts.
    Names(Vec<String>),
}

impl Given {
    /// Reads a TOML value. The error says what the key takes.
    pub fn read(kind: Kind, value: &toml::Value) -> Result<Given, Text> {
        let given = match (kind, value) {
            (Kind::Words, toml::Value::String(text)) => Given::Words(text.clone()),
            (Kind::Path, toml::Value::String(text)) if !text.is_empty() => Given::Words(text.clone()),
            (Kind::OneOf(words), toml::Value::String(text)) if words.contains(&text.as_str()) => {
                Given::Words(text.clone())
            }
            (Kind::Switch, toml::Value::Boolean(on)) => Given::Switch(*on),
            (Kind::Number(least, most), toml::Value::Integer(number)) if (least..=most).contains(number) => {
                Given::Number(*number)
            }
            (Kind::Price, toml::Value::Integer(price)) if *price >= 0 => Given::Price(*price as f64),
            (Kind::Price, toml::Value::Float(price)) if price.is_finite() && *price >= 0.0 => Given::Price(*price),
            (Kind::Names | Kind::Paths, toml::Value::Array(items)) => {
                let text = |item: &toml::Value| item.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
                Given::Names(items.iter().map(text).collect::<Option<_>>().ok_or_else(|| wanted(kind))?)
            }
            _ => return Err(wanted(kind)),
        };
        Ok(given)
    }

    /// Reads what a person typed or a variable holds: as TOML where that fits, else as plain text; several names also
    /// with commas between them.
    pub fn typed(kind: Kind, text: &str) -> Result<Given, Text> {
        let parsed = || toml::from_str::<toml::Table>(&format!("v = {text}")).ok()?.remove("v");
        if let Some(given) = parsed().and_then(|value| Given::read(kind, &value).ok()) {
            return Ok(given);
        }
        match kind {
            Kind::Names | Kind::Paths if !text.trim_start().starts_with('[') => {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                Ok(Given::Names(parts.map(str::to_owned).collect()))
            }
            _ => Given::read(kind, &toml::Value::from(text.trim())),
        }
    }

    /// The value as TOML writes it.
    pub fn to_toml(&self) -> toml::Value {
        match self {
            Given::Words(text) => text.as_str().into(),
            Given::Switch(on) => (*on).into(),
            Given::Number(number) => (*number).into(),
            Given::Price(price) => (*price).into(),
            Given::Names(names) => names.iter().map(String::as_str).collect::<Vec<_>>().into(),
        }
    }

    /// The value of a [`Kind::Path`], relative ones from `base`.
    pub fn anchored(self, kind: Kind, base: &Path) -> Given {
        match (kind, self) {
            (Kind::Path, Given::Words(text)) => Given::Words(anchored(&text, base)),
            (Kind::Paths, Given::Names(names)) => Given::Names(names.iter().map(|text| anchored(text, base)).collect()),
            (_, given) => given,
        }
    }
}

fn anchored(text: &str, base: &Path) -> String {
    let path = match text.strip_prefix("~/").or_else(|| text.strip_prefix("~\\")).zip(home()) {
        Some((rest, home)) => home.join(rest),
        None => base.join(text),
    };
    path.to_string_lossy().into_owned()
}

fn home() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned())
}

/// What a key takes, in words.
pub fn wanted(kind: Kind) -> Text {
    match kind {
        Kind::Words => Text::new("a text", "文本"),
        Kind::OneOf(words) => {
            let all = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
            Text::new(format!("one of {}", all.join(", ")), format!("{} 之一", all.join("、")))
        }
        Kind::Switch => Text::new("true or false", "true 或 false"),
        Kind::Number(least, most) => {
            Text::new(format!("a whole number from {least} to {most}"), format!("{least} 到 {most} 的整数"))
        }
        Kind::Price => Text::new("a price, such as 0.25", "价格，例如 0.25"),
        Kind::Path => Text::new("a path", "路径"),
        Kind::Paths => Text::new("a list of paths, such as [\"a\", \"b\"]", "路径列表，例如 [\"a\", \"b\"]"),
        Kind::Names => Text::new("a list of names, such as [\"a\", \"b\"]", "名称列表，例如 [\"a\", \"b\"]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read_as_its_key_takes_it() {
        let names = |all: &[&str]| Given::Names(all.iter().map(|one| (*one).to_owned()).collect());
        let cases = [
            (Kind::Words, "openai/gpt", Some(Given::Words("openai/gpt".into()))),
            (Kind::Words, "\"quoted\"", Some(Given::Words("quoted".into()))),
            (Kind::OneOf(&["en", "zh"]), "zh", Some(Given::Words("zh".into()))),
            (Kind::OneOf(&["en", "zh"]), "fr", None),
            (Kind::Switch, "false", Some(Given::Switch(false))),
            (Kind::Switch, "no", None),
            (Kind::Number(1, 9), "9", Some(Given::Number(9))),
            (Kind::Number(1, 9), "10", None),
            (Kind::Number(1, 9), "nine", None),
            (Kind::Price, "0.25", Some(Given::Price(0.25))),
            (Kind::Price, "3", Some(Given::Price(3.0))),
            (Kind::Price, "-1", None),
            (Kind::Price, "nan", None),
            (Kind::Names, "a, b,", Some(names(&["a", "b"]))),
            (Kind::Names, "[\"a\"]", Some(names(&["a"]))),
            (Kind::Names, "[a", None),
            (Kind::Names, "", Some(names(&[]))),
        ];
        for (kind, text, expected) in cases {
            assert_eq!(Given::typed(kind, text).ok(), expected, "{kind:?} {text}");
        }
    }

    #[test]
    fn a_relative_path_counts_from_where_it_was_written() {
        let base = Path::new("/etc/winclaw");
        let at = |text: &str| Given::Words(text.into()).anchored(Kind::Path, base);
        assert_eq!(at("plugins"), Given::Words("/etc/winclaw/plugins".into()));
        assert_eq!(at("/srv/p"), Given::Words("/srv/p".into()));
        assert_eq!(Given::Words("x".into()).anchored(Kind::Words, base), Given::Words("x".into()));
    }
}
