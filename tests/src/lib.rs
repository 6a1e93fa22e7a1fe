//! Whole-product tests: the built binary, real plugins, scripted models. This library is what they share: the product as
//! it is installed ([`dist`]), a [`Room`] for each test, and [`Run`]s of programs in it.
//!
//! Invariants:
//! - What is tested is what a person would install: the folder that `cargo xtask dist` lays out, made once per test run.
//! - A test sees nothing of the machine and leaves nothing on it: its data, home and working folder are its own and go
//!   with it, and of the environment only what finds programs and temporary folders is handed on.
//! - Nothing outlives its time limit; what was printed until then is shown.
//! - What WinClaw prints into a pipe or file is UTF-8 without control characters but line breaks and tabs; every run
//!   checks it.

mod dist;
mod packages;
mod room;
mod run;
#[cfg(target_os = "linux")]
mod terminal;

pub use dist::{dist, root};
pub use packages::{Shipped, lay_out_misbehave, shipped};
pub use room::{Room, script};
pub use run::{Done, Run, Running};
#[cfg(target_os = "linux")]
pub use terminal::{Terminal, has_terminals};

/// Says on standard error that a test leaves something out, and why.
#[expect(clippy::print_stderr, reason = "the test runner shows it")]
pub fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
