//! What the person wrote for a place, taken apart: a point, or a name with hints where it lies.

use crate::language::is_han;

/// A place as asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Query {
    /// A point in degrees north and east.
    Point {
        /// Degrees north, -90 to 90.
        latitude: f64,
        /// Degrees east, -180 to 180.
        longitude: f64,
    },
    /// Readings of a name, the likeliest first. There is at least one.
    Names(Vec<Name>),
}

/// A name to look up, and the regions or countries it must lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// What to ask the service for.
    pub name: String,
    /// Regions or countries, all of which must fit.
    pub hints: Vec<String>,
}

/// Longest place that is accepted, in characters.
const MAX_CHARS: usize = 100;

/// Takes `place` apart.
///
/// # Errors
/// Says what a place looks like, when the text is empty, too long, or a pair of numbers that is no point on the earth.
pub fn parse(place: &str) -> Result<Query, String> {
    let place = place.trim().trim_matches(is_separator).trim();
    if place.is_empty() {
        return Err("place is empty; give a city such as \"Beijing\" or \"北京\", or \"39.9,116.4\"".into());
    }
    if place.chars().count() > MAX_CHARS {
        return Err(format!("place is longer than {MAX_CHARS} characters; give only its name, such as \"Beijing\""));
    }
    match numbers(place) {
        Some((latitude, longitude)) => point(latitude, longitude),
        None => Ok(Query::Names(readings(place))),
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '，' | '、' | ';' | '；')
}

fn numbers(place: &str) -> Option<(f64, f64)> {
    let mut parts = place.split(is_separator).map(|part| part.trim().parse::<f64>().ok());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(Some(latitude)), Some(Some(longitude)), None) => Some((latitude, longitude)),
        _ => None,
    }
}

fn point(latitude: f64, longitude: f64) -> Result<Query, String> {
    if latitude.abs() <= 90.0 && longitude.abs() <= 180.0 {
        return Ok(Query::Point { latitude, longitude });
    }
    Err(format!(
        "{latitude},{longitude} is no point on the earth; give \"latitude,longitude\" in degrees, latitude -90 to 90 \
         and longitude -180 to 180, such as \"39.9,116.4\""
    ))
}

fn readings(place: &str) -> Vec<Name> {
    let mut parts = place.split(is_separator).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned);
    let name = parts.next().unwrap_or_default();
    let hints: Vec<String> = parts.collect();
    let mut readings = vec![Name { name: name.clone(), hints: hints.clone() }];
    let mut also = |name: &str, more: Option<&str>| {
        let hints = more.map(str::to_owned).into_iter().chain(hints.clone()).collect();
        readings.push(Name { name: name.to_owned(), hints });
    };
    match region_and_rest(&name) {
        Some((region, rest)) => {
            also(rest, Some(region));
            without_suffix(rest).into_iter().for_each(|bare| also(bare, Some(region)));
        }
        None => without_suffix(&name).into_iter().for_each(|bare| also(bare, None)),
    }
    readings
}

/// Endings of Chinese names of administrative areas, longest first.
const SUFFIXES: [&str; 11] = ["特别行政区", "自治区", "自治州", "自治县", "地区", "省", "市", "州", "县", "区", "镇"];

/// The Chinese name without the ending that says what sort of area it is; `None` when there is nothing to take off.
pub fn without_suffix(name: &str) -> Option<&str> {
    let bare = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix))?;
    (bare.chars().filter(|c| is_han(*c)).count() >= 2).then_some(bare)
}

/// The provinces of China, as they are said before a city without an ending.
const PROVINCES: [&str; 34] = [
    "北京",
    "天津",
    "上海",
    "重庆",
    "河北",
    "山西",
    "辽宁",
    "吉林",
    "黑龙江",
    "江苏",
    "浙江",
    "安徽",
    "福建",
    "江西",
    "山东",
    "河南",
    "湖北",
    "湖南",
    "广东",
    "海南",
    "四川",
    "贵州",
    "云南",
    "陕西",
    "甘肃",
    "青海",
    "台湾",
    "内蒙古",
    "广西",
    "西藏",
    "宁夏",
    "新疆",
    "香港",
    "澳门",
];

/// `江苏省苏州市` and `江苏苏州` into the region and what stands after it.
fn region_and_rest(name: &str) -> Option<(&str, &str)> {
    let province = PROVINCES.iter().find(|province| name.starts_with(**province))?;
    let (region, rest) = name.split_at(province.len());
    let rest = SUFFIXES.iter().find_map(|suffix| rest.strip_prefix(suffix)).unwrap_or(rest);
    (rest.chars().count() >= 2).then_some((region, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The readings of `place`, each as `name < hint < hint`, joined by `; `.
    fn names(place: &str) -> String {
        let Query::Names(names) = parse(place).expect("a place") else { panic!("{place} is read as a point") };
        let shown =
            names.into_iter().map(|name| std::iter::once(name.name).chain(name.hints).collect::<Vec<_>>().join(" < "));
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_name_has_its_hints_and_its_other_readings() {
        for (place, readings) in [
            ("Beijing", "Beijing"),
            (" Paris, Texas ", "Paris < Texas"),
            ("Paris, Texas, USA", "Paris < Texas < USA"),
            ("北京", "北京"),
            ("北京市", "北京市; 北京"),
            ("巴黎，法国", "巴黎 < 法国"),
            ("江苏苏州", "江苏苏州; 苏州 < 江苏"),
            ("江苏省苏州市", "江苏省苏州市; 苏州市 < 江苏; 苏州 < 江苏"),
            ("上海浦东新区", "上海浦东新区; 浦东新区 < 上海; 浦东新 < 上海"),
            ("沙市", "沙市"),
        ] {
            assert_eq!(names(place), readings, "{place}");
        }
    }

    #[test]
    fn two_numbers_are_a_point() {
        for (place, latitude, longitude) in
            [("39.9,116.4", 39.9, 116.4), ("-33.87, 151.21", -33.87, 151.21), ("39.9，116.4", 39.9, 116.4)]
        {
            assert_eq!(parse(place), Ok(Query::Point { latitude, longitude }), "{place}");
        }
    }

    #[test]
    fn what_is_no_place_is_refused_with_an_example() {
        let long = "x".repeat(101);
        for place in ["", "  ", "，", "91,0", "0,181", "NaN,1", "inf,2", &long] {
            let error = parse(place).expect_err(place);
            assert!(error.contains("such as"), "{place}: {error}");
        }
    }
}
