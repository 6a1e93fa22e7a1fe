//! What the tools are called with.

use winclaw_sdk::args;

use crate::language;

/// What `forecast` is called with.
#[args]
pub struct ForecastArgs {
    /// City or town in Chinese or English, best with region or country ("北京", "Paris, Texas"), or "latitude,longitude".
    #[schemars(length(min = 1, max = 100))]
    pub place: String,
    /// How many days to give, today included: 2 reaches tomorrow, 7 a week.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 7))]
    pub days: u8,
    /// metric: °C, km/h, mm. imperial: °F, mph, inch.
    #[serde(default)]
    pub units: Units,
    /// Language of the words in the result. Default: the one the place is written in.
    #[serde(default)]
    pub language: Option<Language>,
}

/// What `find_place` is called with.
#[args]
pub struct FindPlaceArgs {
    /// Name in Chinese or English, best with region or country, such as "Springfield, Illinois" or "朝阳".
    #[schemars(length(min = 1, max = 100))]
    pub place: String,
    /// How many places to list at most, 1 to 20.
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 20))]
    pub limit: u8,
    /// Language of the names in the result. Default: the one the place is written in.
    #[serde(default)]
    pub language: Option<Language>,
}

/// Units of a result.
#[args]
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// °C, km/h, mm.
    #[default]
    Metric,
    /// °F, mph, inch.
    Imperial,
}

/// Language of the words in a result.
#[args]
#[derive(Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// The language asked for, or that of the place.
    pub fn or_of(asked: Option<Language>, place: &str) -> language::Language {
        match asked {
            Some(Language::En) => language::Language::En,
            Some(Language::Zh) => language::Language::Zh,
            None => language::Language::of_script(place),
        }
    }
}

fn three() -> u8 {
    3
}

fn five() -> u8 {
    5
}
