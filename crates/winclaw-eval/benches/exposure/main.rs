//! What exposure finds and costs beside named peers, in one run: `cargo xtask bench exposure [--data DIR] [--plots DIR] [--hold]`.
//!
//! With a folder of data sets it prints how many needed tools are found: the ranking, the `bm25` crate, token overlap as several hosts
//! do it, what FastMCP 4.2.3 published for the same samples; and on the first assistant's own tools the engines of its story.
//! With `--hold` it fails when less is found than `floors.json` demands.
//! Always it prints what one pass and one index cost on generated tools, as ratios to the `bm25` crate.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program, and prints its tables")]
#![allow(unreachable_pub, reason = "a program exports nothing; pub here means: for the other modules")]

mod floors;
mod founding;
mod generated;
mod peers;
mod plots;
mod quality;
mod speed;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let folder = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let data = folder("--data");
    machine();
    match &data {
        Some(data) => quality::print(data, arguments.iter().any(|argument| argument == "--hold"))?,
        None => println!("no data sets: give --data DIR to see what is found; below is what it costs\n"),
    }
    speed::print(data.as_deref(), folder("--plots").as_deref())
}

fn machine() {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let name = model.map_or("?", |(_, name)| name.trim());
    println!("machine: {name}, {cores} cores, {}-{}\n", std::env::consts::ARCH, std::env::consts::OS);
}
