//! Replays recorded runs of real agents through the guard, and counts what they would have met.
//!
//! `cargo run --release -p winclaw-guard --example trajectories -- FOLDER [--hold] [--verbose]`
//!
//! A file `SET.jsonl` holds one run a line: `{id, success, turns: [[{tool, args, result_sha, error}]]}`. Of a result only
//! its hash is known, so two results are the same when their hashes are. What a tool may do to the world is guessed from
//! the verb in its name; the second table takes every tool for one that only reads, which is the stricter reading.
//! `--hold` ends with an error when a floor of docs/guard.md does not hold; `--verbose` names the runs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what it is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::{Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_guard::{Approve, Guard, Limits, Origin, Proposed, Stage, Verdict};
use winclaw_tool::{Failure, Outcome, ToolId, ToolOutput};

/// Verbs of names of tools that only look.
const READS: [&str; 22] = [
    "get",
    "search",
    "list",
    "read",
    "find",
    "fetch",
    "calculate",
    "think",
    "route",
    "summarize",
    "extract",
    "load",
    "reader",
    "info",
    "query",
    "lookup",
    "check",
    "show",
    "view",
    "describe",
    "geocode",
    "screenshot",
];

/// Highest share of successful runs that may meet more than a hint, in percent.
const MOST_BEYOND_HINT: usize = 2;

#[derive(Deserialize)]
struct Run {
    id: String,
    success: bool,
    turns: Vec<Vec<Made>>,
}

#[derive(Deserialize)]
struct Made {
    tool: String,
    args: Value,
    result_sha: String,
    error: bool,
}

/// The worst a run met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Met {
    Nothing,
    Hint,
    More,
    Stop,
}

#[derive(Default)]
struct Row {
    successful: usize,
    hint: usize,
    more: usize,
    stop: usize,
    failed: usize,
    failed_more: usize,
    repeats: usize,
    repeats_met: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let folder = args.iter().find(|arg| !arg.starts_with("--")).ok_or("give the folder with the *.jsonl files")?;
    let mut held = true;
    for (title, all_read) in [("side effects guessed from names", false), ("every tool only reads", true)] {
        println!("{title}");
        println!("| set | runs | successful | … a hint | … more | … stopped | failed | … more | repeat 3x | … met |");
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for (name, runs) in read_sets(Path::new(folder))? {
            let row = row_of(&runs, all_read, has("--verbose"))?;
            println!("{}", line_of(&name, runs.len(), &row));
            held &= all_read || holds(&row);
        }
        println!();
    }
    Ok(held || !has("--hold"))
}

fn read_sets(folder: &Path) -> Result<BTreeMap<String, Vec<Run>>, Box<dyn Error>> {
    let mut sets = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            let text = std::fs::read_to_string(&path)?;
            let runs: Result<Vec<Run>, _> = text.lines().map(serde_json::from_str).collect();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            sets.insert(name, runs.map_err(|error| format!("{}: {error}", path.display()))?);
        }
    }
    Ok(sets)
}

fn row_of(runs: &[Run], all_read: bool, verbose: bool) -> Result<Row, Box<dyn Error>> {
    let names: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.turns.iter().flatten()).map(|made| made.tool.as_str()).collect();
    let catalog = catalog(&names, all_read)?;
    let places: BTreeMap<&str, ToolIx> = names.into_iter().zip(catalog.all()).collect();
    let mut row = Row::default();
    for run in runs {
        let met = replay(&catalog, &places, run);
        row.add(run, met);
        if verbose && (met > Met::Hint || repeats(run)) {
            eprintln!("{} success {} repeats {} met {met:?}", run.id, run.success, repeats(run));
        }
    }
    Ok(row)
}

impl Row {
    fn add(&mut self, run: &Run, met: Met) {
        let more = usize::from(met >= Met::More);
        match run.success {
            true => {
                self.successful += 1;
                self.hint += usize::from(met >= Met::Hint);
                self.more += more;
                self.stop += usize::from(met >= Met::Stop);
            }
            false => (self.failed, self.failed_more) = (self.failed + 1, self.failed_more + more),
        }
        if repeats(run) {
            self.repeats += 1;
            self.repeats_met += usize::from(met >= Met::Hint);
        }
    }
}

fn line_of(name: &str, runs: usize, row: &Row) -> String {
    let Row { successful, hint, more, stop, failed, failed_more, repeats, repeats_met } = row;
    format!(
        "| {name} | {runs} | {successful} | {hint} | {more} | {stop} | {failed} | {failed_more} | {repeats} | {repeats_met} |"
    )
}

fn holds(row: &Row) -> bool {
    row.more * 100 <= row.successful * MOST_BEYOND_HINT && row.stop == 0 && row.repeats_met == row.repeats
}

/// One tool for each name, in the order of the names.
fn catalog(names: &BTreeSet<&str>, all_read: bool) -> Result<Catalog, Box<dyn Error>> {
    let entry = |(place, name): (usize, &&str)| {
        let reads = all_read || name.split(|c: char| !c.is_ascii_alphabetic()).any(|word| READS.contains(&word));
        let manifest = json!({"name": format!("t{place:04}"), "category": "recorded", "summary": "R", "description": "R.",
            "parameters": {"type": "object"}, "side_effect": if reads { "read" } else { "write" }});
        let id = ToolId::parse(&format!("recorded.t{place:04}")).map_err(|error| error.to_string())?;
        Ok(ToolEntry { id, manifest: serde_json::from_value(manifest)?, state: State::Ready })
    };
    let entries: Result<Vec<ToolEntry>, Box<dyn Error>> = names.iter().enumerate().map(entry).collect();
    Ok(Catalog::build(entries?).0)
}

fn replay(catalog: &Catalog, places: &BTreeMap<&str, ToolIx>, run: &Run) -> Met {
    let mut guard = Guard::new(Limits::default(), Approve::Always.into());
    let mut worst = Met::Nothing;
    for turn in &run.turns {
        guard.plan("");
        for (position, made) in turn.iter().enumerate() {
            let Some(tool) = places.get(made.tool.as_str()) else { continue };
            worst = worst.max(call(&mut guard, catalog, *tool, position, made));
        }
    }
    worst
}

fn call(guard: &mut Guard, catalog: &Catalog, tool: ToolIx, position: usize, made: &Made) -> Met {
    let raw_arguments = &made.args.to_string();
    let origin = Origin::default();
    let call = Proposed { tool, raw_arguments, cut_off: false, position, schema_was_shown: true, near: true, origin };
    let met = match guard.judge(catalog, &call) {
        Verdict::NotRun { .. } => Met::More,
        Verdict::RunWithAdvice { .. } => Met::Hint,
        Verdict::Run { .. } | Verdict::AskUser { .. } => Met::Nothing,
    };
    if met < Met::More {
        guard.record(catalog, tool, &made.args, &outcome(made));
    }
    let stage = match guard.stage() {
        Stage::Stopped => Met::Stop,
        Stage::Blocked { .. } | Stage::MustAnswer => Met::More,
        Stage::Free | Stage::Hinted => Met::Nothing,
    };
    met.max(stage)
}

/// The result as far as it is known: its hash, in letters, so that none of it is taken for a number.
fn outcome(made: &Made) -> Outcome {
    let letter = |c: char| c.to_digit(16).and_then(|digit| char::from_digit(digit + 10, 26)).unwrap_or(c);
    let known: String = made.result_sha.chars().map(letter).collect();
    match made.error {
        true => Err(Failure::tool_failed(known)),
        false => Ok(ToolOutput::new(json!(known))),
    }
}

/// Whether the run makes the same call with the same result three times.
fn repeats(run: &Run) -> bool {
    let mut times: BTreeMap<(&str, String, &str), usize> = BTreeMap::new();
    for made in run.turns.iter().flatten() {
        *times.entry((&made.tool, made.args.to_string(), &made.result_sha)).or_default() += 1;
    }
    times.values().any(|times| *times >= 3)
}
