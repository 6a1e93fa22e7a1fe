//! Runs a call by id with deadline, cancellation and progress; defines [`Backend`], what a source of tools must offer.
//!
//! A [`Toolbox`] owns the backends and the one [`Catalog`](winclaw_catalog::Catalog) of what they offer. It is the only
//! path from a decision to a running tool, so it is where permission is enforced.
//!
//! Invariants:
//! - Every call ends in exactly one outcome, within the tool's `timeout_ms` plus one second, whatever the backend does:
//!   succeed, fail, panic, block its thread, never answer, or ignore a cancellation.
//! - A tool that is disabled, unavailable or not configured is never given to its backend; the answer says which it is.
//! - A call goes to the backend whose entry stands in the catalog, also when several offer the same id.
//! - No progress, partial output or log line reaches the observer after the outcome.

mod backend;
mod routes;
mod supervise;
mod toolbox;

pub use backend::{Backend, BoxFuture, CallContext, LogLevel, Observer, Silent};
pub use toolbox::Toolbox;
