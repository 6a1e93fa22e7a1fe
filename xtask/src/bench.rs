//! `cargo xtask bench`.

use crate::process::Failed;

/// Runs the benchmark.
pub fn run() -> Result<(), Failed> {
    Err(Failed::new("not written"))
}
