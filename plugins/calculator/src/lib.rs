//! A calculator with units for WinClaw: `evaluate` and `convert`, computed by fend.
//!
//! Invariants:
//! - The same expression gives the same result: nothing depends on chance, the clock or the network.
//! - No call computes for longer than five seconds, and no result is longer than some two thousand characters.
//! - A result that is rounded says so.
//! - A mistake is named with the place in what was written and what is expected there.

pub mod answer;
pub mod engine;
pub mod explain;
pub mod rewrite;
pub mod round;
pub mod source;
pub mod syntax;
pub mod tokens;
pub mod tools;
pub mod units;

winclaw_sdk::export!(plugin = "plugin.toml", tools = [tools::evaluate, tools::convert]);
