//! The result of `forecast`, and the sentence that sums it up.

use winclaw_sdk::result;

use crate::forecast::{Current, Daily, Reply};
use crate::geocode::Found;
use crate::language::Language;
use crate::wmo;

/// Where the data comes from, as its licence (CC BY 4.0) asks.
pub const SOURCE: &str = "Open-Meteo.com (CC BY 4.0)";

/// Weather for a place, or the places to choose from when the name is not clear.
#[result]
#[derive(Default)]
pub struct Forecast {
    /// The result in a sentence or two, in the language asked for.
    pub summary: String,
    /// The place; absent when the name is not clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The units of every number below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitNames>,
    /// The weather now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Now>,
    /// Today and the days after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Day>,
    /// Places of that name: ask the person which, then call again with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Where the data comes from.
    pub source: String,
}

/// A place on the earth.
#[result]
pub struct Place {
    /// Its name.
    pub name: String,
    /// State or province.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// IANA zone; all times are local to it.
    pub timezone: String,
}

/// A place that may be meant.
#[result]
pub struct Candidate {
    /// What to give as `place` to mean it: the name with region and country.
    pub label: String,
    /// What to give as `place` if the label does not do: "latitude,longitude".
    pub point: String,
    /// People who live there, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<u64>,
}

/// Units, as they are written after a number.
#[result]
pub struct UnitNames {
    /// `°C` or `°F`.
    pub temperature: String,
    /// `km/h` or `mp/h`.
    pub wind_speed: String,
    /// `mm` or `inch`.
    pub precipitation: String,
    /// `%`.
    pub humidity: String,
}

/// The weather now.
#[result]
pub struct Now {
    /// Local time.
    pub time: String,
    /// Sky and precipitation in words.
    pub conditions: String,
    /// Air temperature.
    pub temperature: Option<f64>,
    /// What it feels like.
    pub feels_like: Option<f64>,
    /// Relative humidity.
    pub humidity: Option<f64>,
    /// Rain and melted snow of the last hour.
    pub precipitation: Option<f64>,
    /// Wind speed.
    pub wind_speed: Option<f64>,
    /// Where the wind blows from, in words.
    pub wind_from: Option<String>,
}

/// The weather of a day.
#[result]
pub struct Day {
    /// Local date.
    pub date: String,
    /// Sky and precipitation in words.
    pub conditions: String,
    /// Highest temperature.
    pub high: Option<f64>,
    /// Lowest temperature.
    pub low: Option<f64>,
    /// Rain and melted snow.
    pub precipitation: Option<f64>,
    /// Chance of precipitation in per cent.
    pub precipitation_chance: Option<f64>,
    /// Local time of sunrise, `HH:MM`.
    pub sunrise: Option<String>,
    /// Local time of sunset, `HH:MM`.
    pub sunset: Option<String>,
}

impl Place {
    /// The place as the service found it.
    pub fn of(found: Found) -> Self {
        let Found { name, admin1, country, latitude, longitude, timezone, .. } = found;
        Place { name, region: admin1, country, latitude, longitude, timezone: timezone.unwrap_or_default() }
    }

    /// A bare point, named by its numbers.
    pub fn at(latitude: f64, longitude: f64) -> Self {
        let name = format!("{latitude},{longitude}");
        Place { name, region: None, country: None, latitude, longitude, timezone: String::new() }
    }
}

impl Candidate {
    /// What is listed of `found`.
    pub fn of(found: &Found) -> Self {
        let point = format!("{},{}", found.latitude, found.longitude);
        Candidate { label: found.label(), point, population: found.population.filter(|people| *people > 0) }
    }
}

impl Forecast {
    /// The weather at `place` for at most `days` days.
    pub fn of(mut place: Place, reply: Reply, days: u8, language: Language) -> Self {
        if !reply.timezone.is_empty() {
            place.timezone.clone_from(&reply.timezone);
        }
        let unit = |key: &str| reply.current_units.get(key).cloned().unwrap_or_default();
        let units = UnitNames {
            temperature: unit("temperature_2m"),
            wind_speed: unit("wind_speed_10m"),
            precipitation: unit("precipitation"),
            humidity: unit("relative_humidity_2m"),
        };
        let current = now(&reply.current, language);
        let days: Vec<Day> = (0..usize::from(days)).map_while(|index| day(&reply.daily, index, language)).collect();
        let summary = summary(&place, &units, &current, days.first(), language);
        let (place, units, current) = (Some(place), Some(units), Some(current));
        Forecast { summary, place, units, current, days, candidates: Vec::new(), source: SOURCE.into() }
    }

    /// The question which of `places` is meant.
    pub fn which(asked: &str, places: &[Found], language: Language) -> Self {
        let candidates: Vec<Candidate> = places.iter().map(Candidate::of).collect();
        let labels: Vec<&str> = candidates.iter().map(|candidate| candidate.label.as_str()).collect();
        let summary = language.pick(
            format!("Several places are called \"{asked}\". Ask which is meant: {}.", labels.join("; ")),
            format!("有多个叫“{asked}”的地方，请询问用户是哪一个：{}。", labels.join("；")),
        );
        Forecast { summary, candidates, source: SOURCE.into(), ..Forecast::default() }
    }
}

fn now(current: &Current, language: Language) -> Now {
    Now {
        time: current.time.clone(),
        conditions: conditions(current.weather_code, language),
        temperature: current.temperature_2m,
        feels_like: current.apparent_temperature,
        humidity: current.relative_humidity_2m,
        precipitation: current.precipitation,
        wind_speed: current.wind_speed_10m,
        wind_from: current.wind_direction_10m.map(|degrees| wmo::wind(degrees, language)),
    }
}

fn day(daily: &Daily, index: usize, language: Language) -> Option<Day> {
    let number = |list: &[Option<f64>]| list.get(index).copied().flatten();
    let clock = |list: &[Option<String>]| list.get(index).cloned().flatten().map(|time| clock(&time));
    Some(Day {
        date: daily.time.get(index)?.clone(),
        conditions: conditions(daily.weather_code.get(index).copied().flatten(), language),
        high: number(&daily.temperature_2m_max),
        low: number(&daily.temperature_2m_min),
        precipitation: number(&daily.precipitation_sum),
        precipitation_chance: number(&daily.precipitation_probability_max),
        sunrise: clock(&daily.sunrise),
        sunset: clock(&daily.sunset),
    })
}

fn conditions(code: Option<u16>, language: Language) -> String {
    code.map_or_else(|| language.pick("unknown", "未知").to_owned(), |code| wmo::words(code, language))
}

/// `2026-11-30T07:15` to `07:15`.
fn clock(time: &str) -> String {
    time.split_once('T').map_or(time, |(_, clock)| clock).to_owned()
}

fn summary(place: &Place, units: &UnitNames, now: &Now, today: Option<&Day>, language: Language) -> String {
    let with = |value: Option<f64>, unit: &str| value.map_or_else(|| "?".to_owned(), |value| format!("{value}{unit}"));
    let temperature = with(now.temperature, &units.temperature);
    let feels = with(now.feels_like, &units.temperature);
    let wind = with(now.wind_speed, &format!(" {}", units.wind_speed));
    let from = now.wind_from.as_deref().unwrap_or("?");
    let mut text = language.pick(
        format!(
            "{}: {} now, {temperature} (feels like {feels}), wind from the {from} at {wind}.",
            place.name, now.conditions
        ),
        format!("{}现在{}，{temperature}（体感 {feels}），{from} {wind}。", place.name, now.conditions),
    );
    if let Some(day) = today {
        let (low, high) = (with(day.low, ""), with(day.high, &units.temperature));
        let chance = with(day.precipitation_chance, "%");
        text += &language.pick(
            format!(" Today {}, {low} to {high}, chance of precipitation {chance}.", day.conditions),
            format!("今天{}，{low} 至 {high}，降水概率 {chance}。", day.conditions),
        );
    }
    text
}
