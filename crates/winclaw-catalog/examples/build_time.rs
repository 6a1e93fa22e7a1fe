//! Measures how long a catalog takes to build, and its successor.
//!
//! `cargo run --release -p winclaw-catalog --example build_time -- TOOLS_JSONL…`
//!
//! Each line is `{name, server, description, parameters, category?}`. Prints the number of tools and the best and the
//! median of 20 builds in milliseconds.
#![allow(clippy::print_stdout, reason = "it is a program, and prints its numbers")]

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_tool::ToolId;

/// How often each is done.
const RUNS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut entries = Vec::new();
    for (set, path) in std::env::args().skip(1).enumerate() {
        for line in std::fs::read_to_string(path)?.lines() {
            let at = entries.len();
            entries.push(entry(set, at, &serde_json::from_str(line)?)?);
        }
    }
    let (catalog, problems) = Catalog::build(entries.clone());
    println!("{} tools, {} problems", catalog.tools().len(), problems.len());
    report("build", &entries, Catalog::build);
    report("successor, nothing changed", &entries, |entries| catalog.successor(entries));
    report("successor, half gone", &entries[..entries.len() / 2], |entries| catalog.successor(entries));
    Ok(())
}

fn report<T>(what: &str, entries: &[ToolEntry], mut run: impl FnMut(Vec<ToolEntry>) -> T) {
    let mut times: Vec<Duration> = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let own = entries.to_vec();
        let start = Instant::now();
        let made = run(own);
        times.push(start.elapsed());
        drop(made);
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{what}: best {:.1} ms, median {:.1} ms", ms(times[0]), ms(times[RUNS / 2]));
}

/// The tool as an entry; its name carries its number, so that no two are one.
fn entry(set: usize, at: usize, tool: &Value) -> Result<ToolEntry, Box<dyn Error>> {
    let text = |key: &str| tool[key].as_str().unwrap_or_default().to_owned();
    let legal = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let source: String = text("server").to_lowercase().chars().map(legal).take(50).collect();
    let manifest = serde_json::from_value(json!({
        "name": "", "category": text("category"), "summary": "", "description": text("description"),
        "parameters": tool["parameters"], "side_effect": "read",
    }))?;
    let id = ToolId::parse(&format!("s{set}{source}.{}_{at}", text("name").replace(char::is_control, " ")))?;
    Ok(ToolEntry { id, manifest, state: State::Ready })
}
