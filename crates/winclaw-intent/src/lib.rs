//! Evidence for how well each tool fits a request; never a verdict.
//!
//! [`Index::build`] reads a catalog once; [`Index::weigh`] gives, for every model call, the tools that fit, with the
//! words that carried each score. Named tools come first, then a BM25F ranking over names, aliases, summaries,
//! descriptions, categories, actions, parameters with their descriptions, and example requests, in English and Chinese
//! alike. Where the task stands counts too: what takes the result of a tool that was used, goes with it or has its source
//! is lifted, and a message that says little goes on from the tools used and the requests before. What is done with the
//! evidence is not decided here.
//!
//! Asked per step: a model does not look once, it asks again in its own words as the task goes on. That is measured without
//! a model and without any gold text in a query: of a request with recorded searches, the first A hits of the request and the
//! first B of each search, both asked as they stand, are one union; a needed tool is found when it is there. A and B are the
//! same for all requests (4 and 3), and the mean size of the union is reported beside the recall.
//!
//! Invariants:
//! - Pure: no I/O, clock, randomness, threads or async; the same catalog and query give the same evidence, and the order
//!   in which tools were registered changes nothing (I6).
//! - A tool without any evidence is never a hit, and every hit names the words or the edge that brought it. No hits at all,
//!   and no categories, say that nothing is known.
//! - A request that is a tool's name, id, alias or example puts that tool first, in any case and with any separators (I10).
//! - What was used and asked before only adds hits. An edge lifts by at most a share of the best score.
//! - What a tool says of itself, however often, moves what the words of a request add to other tools by the rarity of those
//!   words alone (I19).
//! - Vectors change nothing for a script they do not know.
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
mod signs;
mod stop;
mod terms;
mod weigh;
mod weights;

use winclaw_catalog::ToolIx;

pub use clauses::clauses;
pub use context::EARLIER;
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
    /// Earlier requests of the session, latest first. The first [`EARLIER`] count, weakly, where the message itself says
    /// little.
    pub earlier: &'a [&'a str],
}
