//! `cargo xtask test`: everything that must hold, on a clean machine.

use std::path::Path;
use std::process::Command;

use crate::process::{self, Failed, cargo, exists, say};
use crate::{dist, tidy};

/// What the tests need beyond Rust: a program, and the Debian packages that bring it.
const NEEDS: [(&str, &str); 2] =
    [("soffice", "libreoffice-writer-nogui fonts-noto-cjk"), ("pdftotext", "poppler-utils")];

/// Installs what is missing, holds the code against the design, and runs every test; `arguments` go to the runner.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    for (program, packages) in NEEDS {
        provide(program, packages)?;
    }
    tidy::run()?;
    let folder = dist::dist(false)?;
    run_doctests()?;
    run_tests(&folder, arguments)
}

fn provide(program: &str, packages: &str) -> Result<(), Failed> {
    if exists(program) {
        return Ok(());
    }
    let line = format!("apt-get update && apt-get install -y --no-install-recommends {packages}");
    if !(exists("apt-get") && is_root()) {
        return Err(Failed::new(format!(
            "the tests need `{program}`; install it first, on Debian with: sudo sh -c '{line}'"
        )));
    }
    say(&format!("the tests need `{program}`; installing it"));
    run_shell(&line)
}

fn run_shell(line: &str) -> Result<(), Failed> {
    process::run(Command::new("sh").args(["-c", line]).env("DEBIAN_FRONTEND", "noninteractive"))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn run_doctests() -> Result<(), Failed> {
    process::run(cargo().args(["test", "--workspace", "--doc", "--quiet"]))
}

/// nextest where it is installed, cargo's own runner elsewhere: the same tests.
fn run_tests(folder: &Path, arguments: &[String]) -> Result<(), Failed> {
    let mut command = cargo();
    command.env("WINCLAW_DIST", folder);
    match exists("cargo-nextest") {
        true => command.args(["nextest", "run", "--workspace"]),
        false => command.args(["test", "--workspace", "--all-targets"]),
    };
    process::run(command.args(arguments))
}
