//! Dates, times and zones for WinClaw: `now`, `parse`, `convert`, `difference`, `add` and `weekday`.
//!
//! Invariants:
//! - The present moment comes from the host; the same words at the same moment in the same zone give the same result.
//! - What is assumed (zone, year, hour, a clock change) stands in the notes of the result.
//! - What is not understood is named and refused; no part of a text is passed over in silence.

pub mod absolute;
pub mod amount;
pub mod args;
pub mod calendar;
pub mod chinese;
pub mod draft;
pub mod english;
pub mod festivals;
pub mod numbers;
pub mod read;
pub mod reckon;
pub mod report;
pub mod tools;
pub mod zone;

winclaw_sdk::export!(
    plugin = "plugin.toml",
    tools = [tools::now, tools::parse, tools::convert, tools::difference, tools::add, tools::weekday]
);
