//! The project's own commands; `cargo xtask help` lists them.
//!
//! Invariants:
//! - Each command says what it runs and ends with the exit code of the first thing that failed.
//! - Nothing is installed but what `test` needs beyond Rust, and only where it may (Debian, as root).

#![allow(unreachable_pub, reason = "a program exports nothing; pub here means: for the other modules")]

mod bench;
mod dist;
mod fuzz;
mod process;
mod test;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::process::Failed;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "WinClaw's own commands")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the host and the plugins, package them, and run the demo with the replayed model
    Demo {
        /// Passed on to `winclaw demo`, such as --live or --lang en
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Everything that must hold, on a clean machine
    Test {
        /// Passed on to the test runner
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Build the host and the plugins and lay them out together; prints the folder
    Dist {
        /// Optimised
        #[arg(long)]
        release: bool,
    },
    /// Make the crate of a new plugin under plugins/; touches nothing else
    NewPlugin {
        /// The plugin's id: a-z, 0-9 and _
        name: String,
    },
    /// Build, check and lay out plugins (all of them when none is named)
    Package {
        /// Folder names under plugins/
        names: Vec<String>,
        /// Optimised
        #[arg(long)]
        release: bool,
    },
    /// Hold the code against the design: crate edges, names, sizes, unsafe, docs
    Tidy,
    /// Throw hostile bytes at the parsers; needs cargo-fuzz
    Fuzz {
        /// Which: assembler, arguments or trace; all of them when none is named
        target: Option<String>,
        /// How long each, in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Keep what covers something new in tests/fuzz/corpus
        #[arg(long)]
        keep: bool,
    },
    /// Measure, as ratios; prints the machine
    Bench {
        /// What: start-up, a pass and a call (line), what exposure finds and costs beside its peers (exposure), what the
        /// line adds to a call of the model (overhead), or what the guard says of recorded runs (guard)
        #[arg(default_value = "line")]
        what: bench::What,
        /// For exposure and guard: the folder of data sets; the default is ../shared/data, and without any exposure
        /// measures only times
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// For exposure: where to draw how the times grow, as SVG
        #[arg(long, value_name = "DIR")]
        plots: Option<PathBuf>,
        /// For exposure and guard: fail when less is found than must be
        #[arg(long)]
        hold: bool,
    },
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Packaging starts this very program to ask a library for its manifest in a process of its own.
    if arguments.first().is_some_and(|first| first == "tool-host") {
        return ExitCode::from(u8::try_from(winclaw_loader::tool_host_main(&arguments[1..])).unwrap_or(1));
    }
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            process::say(&format!("xtask: {failed}"));
            ExitCode::from(failed.code())
        }
    }
}

fn run(command: Command) -> Result<(), Failed> {
    match command {
        Command::Demo { args } => dist::demo(&args),
        Command::Test { args } => test::run(&args),
        Command::Dist { release } => dist::dist(release).map(|folder| process::print(&folder.display().to_string())),
        Command::NewPlugin { name } => dist::new_plugin(&name),
        Command::Package { names, release } => dist::package(names, release),
        Command::Tidy => tidy::run(),
        Command::Fuzz { target, seconds, keep } => fuzz::run(seconds, target.as_deref(), keep),
        Command::Bench { what, data, plots, hold } => bench::run(what, data.as_deref(), plots.as_deref(), hold),
    }
}
