//! `cargo xtask fuzz`: hostile bytes for the parsers.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Failed, root, say};

/// What is fuzzed; a file of this name stands in tests/fuzz/targets.
const TARGETS: [&str; 3] = ["assembler", "arguments", "trace"];

/// Largest input that is tried, in bytes.
const MAX_LEN: usize = 16 * 1024;

/// Runs each target for `seconds`, from the inputs that are kept in tests/fuzz/corpus. With `keep`, what was found is
/// added to them, thinned to what covers something of its own; otherwise it goes to a folder that is thrown away.
///
/// The compiler is told to allow the flags of instrumentation. No sanitizer is used: the parsers have no unsafe code.
pub fn run(seconds: u64, only: Option<&str>, keep: bool) -> Result<(), Failed> {
    let found: Vec<&str> = TARGETS.into_iter().filter(|target| only.is_none_or(|only| only == *target)).collect();
    if found.is_empty() {
        return Err(Failed::new(format!("there is no fuzz target of that name; there are {}", TARGETS.join(", "))));
    }
    for target in found {
        say(&format!("fuzzing {target} for {seconds} s"));
        fuzz(target, seconds, keep)?;
    }
    Ok(())
}

fn fuzz(target: &str, seconds: u64, keep: bool) -> Result<(), Failed> {
    let folder = root().join("tests").join("fuzz");
    let kept = folder.join("corpus").join(target);
    let scratch = tempfile::tempdir().map_err(Failed::new)?;
    let mut run = cargo_fuzz(&folder, "run");
    run.arg(target).arg(scratch.path()).arg(&kept).arg("--");
    run.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={MAX_LEN}"));
    run.args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]);
    process::run(&mut run)?;
    match keep {
        true => merge(&folder, target, scratch.path(), &kept),
        false => Ok(()),
    }
}

/// Adds to `kept` what `found` covers beyond it, in as few inputs as will do.
fn merge(folder: &Path, target: &str, found: &Path, kept: &Path) -> Result<(), Failed> {
    let mut run = cargo_fuzz(folder, "run");
    run.arg(target).arg(kept).arg(found).args(["--", "-set_cover_merge=1"]);
    process::run(&mut run)
}

fn cargo_fuzz(folder: &Path, command: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["fuzz", command, "--sanitizer", "none", "--fuzz-dir"]).arg(folder);
    cargo.env("RUSTC_BOOTSTRAP", "1");
    // Apart from everything else, which is built with other flags.
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    cargo.env("CARGO_TARGET_DIR", built.join("fuzz"));
    cargo
}
