//! Evidence for how well each tool fits a request; never a verdict.
//!
//! [`Index::build`] reads a catalog once; [`Index::weigh`] gives, for every model call, the tools that fit, with the
//! words that carried each score. Named tools come first, then a BM25F ranking over names, aliases, summaries,
//! descriptions, categories, actions, parameters with their descriptions, and example requests, in English and Chinese
//! alike. What is done with the evidence is not decided here.
//!
//! Invariants:
//! - Pure: no I/O, clock, randomness, threads or async; the same catalog and query give the same evidence, and the order
//!   in which tools were registered changes nothing (I6).
//! - A tool without any evidence is never a hit, and every hit names the words or the edge that brought it.
//! - A request that is a tool's name, id, alias or example puts that tool first, in any case and with any separators (I10).
//! - A tool that policy disables is never a hit.
//! - Any text is bounded in time and memory: of more than 8,000 characters the first and last 4,000 are read.

#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

mod board;
mod clauses;
mod concepts;
mod context;
mod dense;
mod edges;
mod explicit;
mod fields;
mod index;
mod ladder;
mod map;
mod postings;
mod reader;
mod reasons;
mod script;
mod stop;
mod terms;
mod weigh;
mod weights;

use winclaw_catalog::ToolIx;

pub use clauses::clauses;
pub use dense::Dense;
pub use index::Index;
pub use script::Script;
pub use weights::{WEIGHTS, Weights};

/// What is asked of the index: the request, and where the task stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    /// The user's message.
    pub message: &'a str,
    /// The last plan step the model stated, if any. It gets the first seat among the needs.
    pub plan_step: Option<&'a str>,
    /// The tools this task has used, oldest first. They lift their like and what takes their results, a little.
    pub used: &'a [ToolIx],
    /// Earlier requests of the session, latest first. They count, weakly, where the message itself says little.
    pub earlier: &'a [&'a str],
}
