//! Weather for WinClaw, from Open-Meteo: `forecast` for a place and `find_place` for a name.
//!
//! Invariants:
//! - Only api.open-meteo.com and geocoding-api.open-meteo.com are asked, through the host.
//! - No weather is ever made up: what the service does not say is absent, and no reply is a failure.
//! - A place is chosen by the rule of [`geocode::choose`]; when that does not decide, the person is asked.

pub mod args;
pub mod failure;
pub mod forecast;
pub mod geocode;
pub mod hints;
pub mod language;
pub mod places;
pub mod query;
pub mod report;
pub mod tools;
pub mod wmo;

winclaw_sdk::export!(plugin = "plugin.toml", tools = [tools::forecast, tools::find_place]);
