//! `cargo xtask bench`: packages the plugins, the one for tests among them, and runs the benchmark of the line.

use crate::dist;
use crate::process::{self, Failed, cargo};

/// Builds optimised, then measures. Nothing else should run on the machine meanwhile.
pub fn run() -> Result<(), Failed> {
    let packages = dist::with_test_plugins(true)?;
    let mut bench = cargo();
    bench.args(["bench", "--package", "winclaw", "--bench", "line"]).env("WINCLAW_BENCH_PACKAGES", packages);
    process::run(&mut bench)
}
