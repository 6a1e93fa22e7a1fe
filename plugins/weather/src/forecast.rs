//! The forecast service: what it is asked and what it answers.

use std::collections::BTreeMap;

use winclaw_sdk::data;

use crate::args::Units;

const FORECAST: &str = "https://api.open-meteo.com/v1/forecast";
const CURRENT: &str = "temperature_2m,relative_humidity_2m,apparent_temperature,precipitation,weather_code,wind_speed_10m,\
                       wind_direction_10m";
const DAILY: &str = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,\
                     sunrise,sunset";

/// The URL that asks for the weather at a point, for `days` days from today there.
pub fn url(latitude: f64, longitude: f64, days: u8, units: Units) -> String {
    let units = match units {
        Units::Metric => "temperature_unit=celsius&wind_speed_unit=kmh&precipitation_unit=mm",
        Units::Imperial => "temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch",
    };
    format!(
        "{FORECAST}?latitude={latitude}&longitude={longitude}&current={CURRENT}&daily={DAILY}&timezone=auto\
         &forecast_days={days}&{units}"
    )
}

/// The reply.
#[data]
#[derive(Debug)]
pub struct Reply {
    /// The IANA zone of the point.
    #[serde(default)]
    pub timezone: String,
    /// The unit of each value of `current`.
    #[serde(default)]
    pub current_units: BTreeMap<String, String>,
    /// The weather now.
    pub current: Current,
    /// The weather of each day.
    pub daily: Daily,
}

/// The weather now; a value the service does not know is `null`.
#[data]
#[derive(Debug)]
pub struct Current {
    /// Local time, `2026-11-30T16:15`.
    pub time: String,
    /// Temperature 2 m above the ground.
    pub temperature_2m: Option<f64>,
    /// What it feels like.
    pub apparent_temperature: Option<f64>,
    /// Per cent.
    pub relative_humidity_2m: Option<f64>,
    /// Of the last hour.
    pub precipitation: Option<f64>,
    /// WMO code.
    pub weather_code: Option<u16>,
    /// Wind speed 10 m above the ground.
    pub wind_speed_10m: Option<f64>,
    /// Degrees it blows from.
    pub wind_direction_10m: Option<f64>,
}

/// The days, one value of each list a day.
#[data]
#[derive(Debug)]
pub struct Daily {
    /// Dates, `2026-11-30`.
    pub time: Vec<String>,
    /// WMO codes.
    #[serde(default)]
    pub weather_code: Vec<Option<u16>>,
    /// Highest temperatures.
    #[serde(default)]
    pub temperature_2m_max: Vec<Option<f64>>,
    /// Lowest temperatures.
    #[serde(default)]
    pub temperature_2m_min: Vec<Option<f64>>,
    /// Rain and melted snow.
    #[serde(default)]
    pub precipitation_sum: Vec<Option<f64>>,
    /// Per cent.
    #[serde(default)]
    pub precipitation_probability_max: Vec<Option<f64>>,
    /// Local times of sunrise.
    #[serde(default)]
    pub sunrise: Vec<Option<String>>,
    /// Local times of sunset.
    #[serde(default)]
    pub sunset: Vec<Option<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_asks_for_the_days_and_the_units() {
        let metric = url(39.9075, 116.39723, 3, Units::Metric);
        assert!(
            metric.starts_with("https://api.open-meteo.com/v1/forecast?latitude=39.9075&longitude=116.39723&current=")
        );
        assert!(metric.contains("&forecast_days=3&temperature_unit=celsius&wind_speed_unit=kmh&precipitation_unit=mm"));
        assert!(metric.contains("&timezone=auto&") && !metric.contains(char::is_whitespace), "{metric}");
        let imperial = url(-33.87, 151.0, 7, Units::Imperial);
        assert!(imperial.contains("latitude=-33.87&longitude=151&"), "{imperial}");
        assert!(imperial.ends_with("&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch"));
    }
}
