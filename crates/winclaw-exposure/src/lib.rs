//! What the model sees of each tool this turn, and why; only ever widens.
//!
//! [`Exposure::begin`] opens a task: it chooses a transport, freezes the prefix (system text and tools array) and keeps
//! the ledger from then on. Before each model call [`Exposure::observe`] adds what new evidence recommends, and
//! [`Exposure::surface`] says what to send. What happens in between comes back through [`Exposure::learn`] and the
//! `…_answer` functions, which write the results of the meta tools. Over a session [`Exposure::adopt`] follows the tool
//! list, and [`Exposure::compacted`], [`Exposure::new_request`], [`Exposure::switch_model`] and [`Exposure::reset`] end
//! epochs; [`Exposure::calibrate`] learns what a token is.
//!
//! Invariants:
//! - Pure: no I/O, clock, randomness, threads or async; same input, same bytes out.
//! - Reachability (I1): every permitted tool is at least `Named`; a model that knows only what it was shown calls it
//!   within two extra turns, within one when the catalogue names it, and at once by its exact name.
//! - Widening (I2, I3): while a session runs levels and reach never fall, and evidence can only add. The one exception is a
//!   permission that is taken away (I16): it wins over the ledger and opens a new epoch.
//! - The prefix does not change by one byte within an epoch, also when tools come, change or go; every end of an epoch is in
//!   the ledger with its cause and its price (I4).
//! - Closure (I7): a tool stands at `Brief` or `Full` only together with everything permitted that it requires.
//! - Budgets (I11): the tools array never has more than `max_tools` entries; what does not fit is in the catalogue.
//! - After a compaction every tool the task used is called without a new search (I15).
//! - Whatever meta tools are denied, every permitted tool stays reachable (I17).
//! - Showing a schema twice costs one line (I18), unless it changed or the conversation that held it is gone.
//! - The system text speaks of no tool and no meta tool that the model does not have.

#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

mod advice;
mod answer;
mod answers;
mod array;
mod because;
mod begin;
mod catalogue;
mod changes;
mod compare;
mod disclose;
mod epochs;
mod exposure;
mod learn;
mod ledger;
mod level;
pub mod meta;
mod news;
mod no_tool;
mod overview;
mod prepared;
mod prompt;
mod raise;
mod resume;
mod rows;
mod scale;
mod schema;
mod settings;
mod shelves;
mod surface;
mod tokens;

pub use answer::Answer;
pub use because::{Because, field_text, telling};
pub use exposure::Exposure;
pub use learn::Signal;
pub use ledger::{Entry, Event, Place, Rise};
pub use level::{Level, Native, Reach, Strategy, Transport};
pub use no_tool::says_no_tool;
pub use overview::{Overview, Part, Spent, Step};
pub use prepared::Prepared;
pub use rows::{HowToReach, Row};
pub use settings::{Budgets, Settings, Share};
pub use surface::{Prefix, Shown, Surface, Tokens};
pub use tokens::estimate_tokens;
