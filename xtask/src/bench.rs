//! `cargo xtask bench`: packages the plugins, the one for tests among them, and runs the benchmark of the line.
//! `cargo xtask bench exposure`: what exposure finds on data sets, and what a pass costs, beside named peers.
//! `cargo xtask bench overhead` and `guard`: what the line adds to a call of the model, and what the guard says of runs.

use std::path::{Path, absolute};

use clap::ValueEnum;

use crate::dist;
use crate::process::{self, Failed, cargo};

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Start-up, a pass and a call.
    Line,
    /// What exposure finds and costs.
    Exposure,
    /// What the whole line adds to a call of the model.
    Overhead,
    /// What the guard says of recorded runs.
    Guard,
}

/// Builds optimised, then measures. Nothing else should run on the machine meanwhile.
pub fn run(what: What, data: Option<&Path>, plots: Option<&Path>, hold: bool) -> Result<(), Failed> {
    match what {
        What::Line => line(),
        What::Exposure => exposure(data, plots, hold),
        What::Overhead => overhead(),
        What::Guard => guard(data, hold),
    }
}

fn overhead() -> Result<(), Failed> {
    process::run(cargo().args(["bench", "--package", "winclaw-agent", "--bench", "overhead"]))
}

/// The runs lie in the folder `trajectories` of the data sets; without them there is nothing to measure.
fn guard(data: Option<&Path>, hold: bool) -> Result<(), Failed> {
    let runs = data.unwrap_or(Path::new("../shared/data")).join("trajectories");
    if !runs.is_dir() {
        process::say(&format!("there are no recorded runs in {}; nothing is measured", runs.display()));
        return Ok(());
    }
    let runs = absolute(runs).map_err(Failed::new)?;
    let mut example = cargo();
    example.args(["run", "--release", "--package", "winclaw-guard", "--example", "trajectories", "--"]).arg(runs);
    example.args(hold.then_some("--hold"));
    process::run(&mut example)
}

fn line() -> Result<(), Failed> {
    let packages = dist::with_test_plugins(true)?;
    let mut bench = cargo();
    bench.args(["bench", "--package", "winclaw", "--bench", "line"]).env("WINCLAW_BENCH_PACKAGES", packages);
    process::run(&mut bench)
}

fn exposure(data: Option<&Path>, plots: Option<&Path>, hold: bool) -> Result<(), Failed> {
    let beside = Path::new("../shared/data");
    let data = data.or_else(|| beside.is_dir().then_some(beside));
    let mut bench = cargo();
    bench.args(["bench", "--package", "winclaw-eval", "--bench", "exposure", "--"]);
    for (flag, folder) in [("--data", data), ("--plots", plots)] {
        if let Some(folder) = folder {
            // Benchmarks run in the folder of their crate.
            bench.arg(flag).arg(absolute(folder).map_err(Failed::new)?);
        }
    }
    bench.args(hold.then_some("--hold"));
    process::run(&mut bench)
}
