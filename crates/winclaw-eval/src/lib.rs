//! How well exposure works on anybody's tools and requests, in numbers.
//!
//! [`read_tools`] and [`read_queries`] read a catalogue and requests with the tools each of them needs, [`evaluate`] puts
//! every request through ranking and exposure as a task would begin, and a scripted model that knows only what it was shown
//! looks for the rest. [`compare`] sets two such reports against each other on the same requests, and [`recall_of`] measures
//! any other [`Ranker`] on them. The files and the numbers are described in docs/eval-format.md.
//!
//! Invariants:
//! - Same data, same options, same numbers; only times differ. Chance comes from a seed alone.
//! - Nothing is touched but the files that are read: no network, no model, no writing.
//! - Bad input is an [`EvalError`] that names file and line, or a counted problem; never a panic, never a silent loss.
//! - An id may be any text, and is reported as it was written.
//! - A request that needs nothing is met trivially; one whose needs name no known tool is left out and counted.

mod bootstrap;
mod compare;
mod dataset;
mod deep;
mod error;
mod evaluate;
mod ids;
mod look;
mod measure;
mod misses;
mod model;
mod outcome;
mod queries;
mod ranker;
mod report;
mod rows;
mod steps;
mod tools;

pub use bootstrap::{Interval, RESAMPLES};
pub use compare::{Comparison, Difference, compare};
pub use dataset::{Dataset, Need, Request};
pub use error::EvalError;
pub use evaluate::{Options, evaluate};
pub use measure::{all_met, ndcg, recall};
pub use misses::{Miss, MissedNeed, Why};
pub use outcome::Outcome;
pub use queries::{Queries, read_queries};
pub use ranker::{Ranked, Ranker, recall_of};
pub use report::{About, AtReach, EvalReport, ProblemGroup, SCHEMA, Steps};
pub use rows::MAX_BYTES;
pub use steps::{LOOK, Protocol, Stepped};
pub use tools::{Tools, read_tools};
