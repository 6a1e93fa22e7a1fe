//! The tools: what is asked of the service, in which order.

use winclaw_sdk::prelude::*;

use crate::args::{FindPlaceArgs, ForecastArgs, Language};
use crate::geocode::{self, Choice, Found};
use crate::language::Language as Words;
use crate::places::Places;
use crate::query::{self, Name, Query};
use crate::report::{Forecast, Place};
use crate::{failure, forecast as service, hints};

/// Weather for a place: current conditions and a daily forecast for up to 7 days, from Open-Meteo.
///
/// If the name is unclear the result holds `candidates` instead of weather: ask the person which one, then call again
/// with its label or "latitude,longitude".
#[tool(side_effect = "read")]
pub async fn forecast(args: ForecastArgs, cx: &Context) -> Result<Forecast, Failure> {
    in_range("days", args.days, 7)?;
    let language = Language::or_of(args.language, &args.place);
    let place = match query::parse(&args.place).map_err(Failure::invalid_args)? {
        Query::Point { latitude, longitude } => Place::at(latitude, longitude),
        Query::Names(names) => match look_up(&names, language, cx).await? {
            (_, Choice::Clear(found)) => Place::of(*found),
            (_, Choice::Unclear(found)) => return Ok(Forecast::which(&args.place, &found, language)),
            (name, Choice::Elsewhere(found)) => return Err(elsewhere(name, &found)),
            (_, Choice::Nothing) => return Err(unknown(&args.place)),
        },
    };
    let url = service::url(place.latitude, place.longitude, args.days, args.units);
    let reply = failure::read(cx.http(HttpRequest::get(url)).await)?;
    Ok(Forecast::of(place, reply, args.days, language))
}

/// Finds places by name: label with region and country, coordinates, population and time zone, the likeliest first.
#[tool(side_effect = "read")]
pub async fn find_place(args: FindPlaceArgs, cx: &Context) -> Result<Places, Failure> {
    in_range("limit", args.limit, 20)?;
    let language = Language::or_of(args.language, &args.place);
    let Query::Names(names) = query::parse(&args.place).map_err(Failure::invalid_args)? else {
        return Err(Failure::invalid_args(
            "place is a pair of coordinates; give a name such as \"Beijing\", or call forecast with the coordinates",
        ));
    };
    let (name, found) = found(&names, language, cx).await?;
    let ranked = geocode::rank(&name.name, found);
    if ranked.is_empty() {
        return Err(unknown(&args.place));
    }
    let fitting: Vec<Found> = ranked.iter().filter(|place| hints::all_fit(&name.hints, place)).cloned().collect();
    match fitting.is_empty() {
        true => Err(elsewhere(name, &ranked)),
        false => Ok(Places::of(&fitting, usize::from(args.limit))),
    }
}

async fn look_up<'a>(names: &'a [Name], language: Words, cx: &Context) -> Result<(&'a Name, Choice), Failure> {
    let (name, found) = found(names, language, cx).await?;
    Ok((name, geocode::choose(name, found)))
}

/// What the service finds for the first reading of the name it knows; nothing for the first reading if it knows none.
async fn found<'a>(names: &'a [Name], language: Words, cx: &Context) -> Result<(&'a Name, Vec<Found>), Failure> {
    for name in names {
        let url = geocode::url(&name.name, language);
        let reply: geocode::Reply = failure::read(cx.http(HttpRequest::get(url)).await)?;
        if !reply.results.is_empty() {
            return Ok((name, reply.results));
        }
    }
    Ok((&names[0], Vec::new()))
}

fn in_range(field: &str, value: u8, most: u8) -> Result<(), Failure> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(Failure::invalid_args(format!("{field} is {value}; give a number from 1 to {most}")))
}

fn unknown(place: &str) -> Failure {
    Failure::tool_failed(format!(
        "No place called \"{place}\" is known. Check the spelling, give only the name of a city or town (with region or \
         country after a comma), try its name in the other language, or give \"latitude,longitude\"."
    ))
    .with_hint(
        format!("No place called \"{place}\" was found; check the spelling."),
        format!("找不到名为“{place}”的地方，请检查写法，或换一种语言的名称。"),
    )
}

fn elsewhere(name: &Name, found: &[Found]) -> Failure {
    let labels: Vec<String> = found.iter().take(6).map(Found::label).collect();
    Failure::tool_failed(format!(
        "No \"{}\" is known in {}. There is: {}. Call again with one of these if it is meant.",
        name.name,
        name.hints.join(", "),
        labels.join("; ")
    ))
}
