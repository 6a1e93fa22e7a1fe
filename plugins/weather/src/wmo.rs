//! The WMO weather codes that Open-Meteo reports, in words.

use crate::language::Language;

/// Code, English words, Chinese words: every code Open-Meteo documents.
const CODES: [(u16, &str, &str); 28] = [
    (0, "clear sky", "晴"),
    (1, "mainly clear", "大部晴朗"),
    (2, "partly cloudy", "多云"),
    (3, "overcast", "阴"),
    (45, "fog", "雾"),
    (48, "freezing fog", "雾凇"),
    (51, "light drizzle", "小毛毛雨"),
    (53, "moderate drizzle", "毛毛雨"),
    (55, "dense drizzle", "浓毛毛雨"),
    (56, "light freezing drizzle", "轻微冻毛毛雨"),
    (57, "dense freezing drizzle", "浓冻毛毛雨"),
    (61, "light rain", "小雨"),
    (63, "moderate rain", "中雨"),
    (65, "heavy rain", "大雨"),
    (66, "light freezing rain", "小冻雨"),
    (67, "heavy freezing rain", "大冻雨"),
    (71, "light snow", "小雪"),
    (73, "moderate snow", "中雪"),
    (75, "heavy snow", "大雪"),
    (77, "snow grains", "米雪"),
    (80, "light rain showers", "小阵雨"),
    (81, "moderate rain showers", "阵雨"),
    (82, "violent rain showers", "强阵雨"),
    (85, "light snow showers", "小阵雪"),
    (86, "heavy snow showers", "大阵雪"),
    (95, "thunderstorm", "雷暴"),
    (96, "thunderstorm with light hail", "雷暴伴小冰雹"),
    (99, "thunderstorm with heavy hail", "雷暴伴大冰雹"),
];

/// The words for `code`; an unknown code is named by its number rather than guessed.
pub fn words(code: u16, language: Language) -> String {
    let Some((_, en, zh)) = CODES.iter().find(|(known, ..)| *known == code) else {
        return language.pick(format!("weather code {code}"), format!("天气代码 {code}"));
    };
    language.pick((*en).to_owned(), (*zh).to_owned())
}

/// The eight winds, clockwise from north.
const WINDS: [(&str, &str); 8] = [
    ("north", "北风"),
    ("north-east", "东北风"),
    ("east", "东风"),
    ("south-east", "东南风"),
    ("south", "南风"),
    ("south-west", "西南风"),
    ("west", "西风"),
    ("north-west", "西北风"),
];

/// Where the wind blows from, from degrees clockwise from north (any real number).
pub fn wind(degrees: f64, language: Language) -> String {
    let eighth = (degrees.rem_euclid(360.0) / 45.0).round() as usize % WINDS.len();
    let (en, zh) = WINDS[eighth];
    language.pick(en.to_owned(), zh.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_in_order_and_have_words_in_both_languages() {
        assert!(CODES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (code, en, zh) in CODES {
            assert_eq!(words(code, Language::En), en);
            assert_eq!(words(code, Language::Zh), zh);
            assert!(en.is_ascii() && !zh.is_ascii());
        }
    }

    #[test]
    fn an_unknown_code_is_named_not_guessed() {
        assert_eq!(words(42, Language::En), "weather code 42");
        assert_eq!(words(42, Language::Zh), "天气代码 42");
    }

    #[test]
    fn the_wind_turns_clockwise_and_wraps() {
        for (degrees, en, zh) in [
            (0.0, "north", "北风"),
            (22.0, "north", "北风"),
            (23.0, "north-east", "东北风"),
            (90.0, "east", "东风"),
            (315.0, "north-west", "西北风"),
            (338.0, "north", "北风"),
            (360.0, "north", "北风"),
            (-90.0, "west", "西风"),
        ] {
            assert_eq!(
                (wind(degrees, Language::En).as_str(), wind(degrees, Language::Zh).as_str()),
                (en, zh),
                "{degrees}"
            );
        }
    }
}
