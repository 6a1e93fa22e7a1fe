//! The geocoding service: what it is asked, what it answers, and which of its places is meant.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use winclaw_sdk::data;

use crate::hints;
use crate::language::Language;
use crate::query::{Name, without_suffix};

const SEARCH: &str = "https://geocoding-api.open-meteo.com/v1/search";

/// How many places the service is asked for.
const COUNT: usize = 20;

/// Everything but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The URL that looks up `name`, answered in `language`.
pub fn url(name: &str, language: Language) -> String {
    let name = utf8_percent_encode(name, ENCODED);
    format!("{SEARCH}?name={name}&count={COUNT}&language={}&format=json", language.code())
}

/// The reply. No places at all is a reply without `results`.
#[data]
#[derive(Debug)]
pub struct Reply {
    /// The places found, the service's best first.
    #[serde(default)]
    pub results: Vec<Found>,
}

/// One place of the reply. What this plugin does not use is left out.
#[data]
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its name, in the language asked for where there is one.
    pub name: String,
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// GeoNames feature code: `PPLC` is the capital of a country, `PPL…` a town, `ADM…` an area.
    #[serde(default)]
    pub feature_code: String,
    /// Two letters, ISO 3166.
    #[serde(default)]
    pub country_code: String,
    /// The country, in words.
    #[serde(default)]
    pub country: Option<String>,
    /// The IANA zone.
    #[serde(default)]
    pub timezone: Option<String>,
    /// People who live there; absent or 0 when unknown.
    #[serde(default)]
    pub population: Option<u64>,
    /// The areas it lies in, widest first.
    #[serde(default)]
    pub admin1: Option<String>,
    /// The second area.
    #[serde(default)]
    pub admin2: Option<String>,
    /// The third area.
    #[serde(default)]
    pub admin3: Option<String>,
    /// The fourth area.
    #[serde(default)]
    pub admin4: Option<String>,
}

impl Found {
    /// The areas and the country it lies in, narrowest first.
    pub fn areas(&self) -> impl Iterator<Item = &str> {
        [&self.admin4, &self.admin3, &self.admin2, &self.admin1, &self.country]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// `Paris, Texas, United States`; an area that only repeats the name is left out.
    pub fn label(&self) -> String {
        let wider = [&self.admin1, &self.country].into_iter().flatten().filter(|area| !same_name(area, &self.name));
        std::iter::once(&self.name).chain(wider).cloned().collect::<Vec<_>>().join(", ")
    }

    /// How likely it is meant: its people, ten times as much for the capital of a country.
    fn weight(&self) -> u64 {
        let people = self.population.unwrap_or(0).max(1);
        if self.feature_code == "PPLC" { people.saturating_mul(10) } else { people }
    }

    fn is_settled(&self) -> bool {
        self.feature_code.starts_with("PPL") || self.feature_code.starts_with("ADM")
    }

    /// Within about 50 km and in the same country: a city and the district around it are one place.
    fn is_near(&self, other: &Found) -> bool {
        let north = (self.latitude - other.latitude).abs();
        let east = (self.longitude - other.longitude).abs() * self.latitude.to_radians().cos();
        self.country_code == other.country_code && north.hypot(east) < 0.45
    }
}

/// Which place is meant.
#[derive(Debug, PartialEq)]
pub enum Choice {
    /// This one.
    Clear(Box<Found>),
    /// One of these, the likeliest first; at least two.
    Unclear(Vec<Found>),
    /// Places have the name, but none lies where the hints say; at least one.
    Elsewhere(Vec<Found>),
    /// No place has the name.
    Nothing,
}

/// A place is clear when it weighs at least this many times the next one.
const CLEAR: u64 = 4;

/// How many places an unclear answer lists.
const LISTED: usize = 6;

/// Chooses among what the service found for `name`.
///
/// The rule: places that do not lie where the hints say are left out; if any place has exactly the name asked for, the
/// others are left out; so are mountains, airports and the like if any town or area is left; places of one country
/// within 50 km count once. The heaviest is meant if it has at least four times the weight of the next, where weight is
/// the number of people, ten times that for the capital of a country. Otherwise the person is asked.
pub fn choose(name: &Name, found: Vec<Found>) -> Choice {
    let ranked = rank(&name.name, found);
    if ranked.is_empty() {
        return Choice::Nothing;
    }
    let fitting: Vec<Found> = ranked.iter().filter(|place| hints::all_fit(&name.hints, place)).cloned().collect();
    if fitting.is_empty() {
        return Choice::Elsewhere(ranked.into_iter().take(LISTED).collect());
    }
    let mut places = keep_if_any(fitting, |place| same_name(&place.name, &name.name));
    let second = places.get(1).map_or(0, Found::weight);
    if places[0].weight() >= second.saturating_mul(CLEAR) {
        return Choice::Clear(Box::new(places.swap_remove(0)));
    }
    places.truncate(LISTED);
    Choice::Unclear(places)
}

/// All places found for `name`, doubles left out, the likeliest first.
pub fn rank(name: &str, found: Vec<Found>) -> Vec<Found> {
    let mut found = keep_if_any(found, Found::is_settled);
    found.sort_by_key(|place| (!same_name(&place.name, name), std::cmp::Reverse(place.weight())));
    let mut kept: Vec<Found> = Vec::new();
    for place in found {
        if !kept.iter().any(|other| same_name(&other.name, &place.name) && other.is_near(&place)) {
            kept.push(place);
        }
    }
    kept
}

fn keep_if_any(places: Vec<Found>, keep: impl Fn(&Found) -> bool) -> Vec<Found> {
    if places.iter().any(&keep) { places.into_iter().filter(keep).collect() } else { places }
}

/// Whether two names are the same but for case and the Chinese ending such as 市.
fn same_name(one: &str, other: &str) -> bool {
    let bare = |name: &str| without_suffix(name).unwrap_or(name).to_lowercase();
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests;
