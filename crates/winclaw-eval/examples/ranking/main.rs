//! Measures the ranking alone, with any weights, on folders of data.
//!
//! `cargo run --release -p winclaw-eval --example ranking -- DATA_DIR [--only SET] [--set WEIGHT=NUMBER]… [--used | --crossval FOLDS]`
//!
//! Every folder below DATA_DIR with a `tools.jsonl` and a `queries.jsonl` is a set. What a tool requires follows it, as in
//! `Evidence::order`. Without a mode: recall of each set. `--used`: whether the tools used so far help to find the next one.
//! `--crossval`: chooses the weights on all folds but one, and judges them on that one, for each fold.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program, and prints its tables")]

mod crossval;
mod grid;
mod sets;
mod used;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use winclaw_catalog::ToolIx;
use winclaw_eval::{all_met, recall};
use winclaw_intent::{Index, Query, WEIGHTS, Weights};

use sets::Set;

/// What is to be measured.
enum Mode {
    Recall,
    Used,
    Crossval(usize),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("give the folder with the data")?);
    let (mut weights, mut only, mut mode) = (WEIGHTS, None, Mode::Recall);
    while let Some(flag) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{flag} needs a value"));
        match flag.as_str() {
            "--only" => only = Some(value()?),
            "--set" => weights = set(weights, &value()?)?,
            "--used" => mode = Mode::Used,
            "--crossval" => mode = Mode::Crossval(value()?.parse()?),
            _ => return Err(format!("{flag} is not known; see the head of the program").into()),
        }
    }
    let sets = sets::read(&folder, only.as_deref())?;
    match mode {
        Mode::Recall => recalls(&sets, weights),
        Mode::Used => used::print(&sets, weights),
        Mode::Crossval(folds) => crossval::print(&sets, folds.max(2)),
    }
    Ok(())
}

fn set(weights: Weights, text: &str) -> Result<Weights, Box<dyn Error>> {
    let (name, number) = text.split_once('=').ok_or("write --set WEIGHT=NUMBER")?;
    let names: Vec<&str> = weights.each().into_iter().map(|(name, _)| name).collect();
    weights
        .with(name, number.parse()?)
        .ok_or_else(|| format!("there is no weight {name}; there are {}", names.join(", ")).into())
}

fn recalls(sets: &[Set], weights: Weights) {
    println!(
        "| set | tools | requests | R@1 | R@5 | R@10 | R@20 | all@10 | hits R@10 | 2 hits whole | tools | index ms | pass µs p50 | p95 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut sum = 0.0;
    for set in sets {
        let (line, at_ten) = row(set, weights);
        println!("{line}");
        sum += at_ten;
    }
    println!("\nMean R@10 of the {} sets: {:.4}", sets.len(), sum / sets.len().max(1) as f64);
}

/// The row of a set, and its recall at ten.
fn row(set: &Set, weights: Weights) -> (String, f64) {
    // The best of three, so that what else the machine does counts less.
    let builds = (0..3).map(|_| {
        let begun = Instant::now();
        (Index::build_with(&set.data.catalog, weights), begun.elapsed())
    });
    let Some((index, indexed)) = builds.min_by_key(|build| build.1) else {
        return (String::new(), 0.0);
    };
    let mut sums = [0.0; 8];
    let mut times = Vec::new();
    for request in set.requests() {
        let begun = Instant::now();
        let mut evidence = index.weigh(&set.data.catalog, &Query { message: &request.text, ..Query::default() });
        times.push(begun.elapsed().as_micros());
        let order = evidence.order(&set.data.catalog);
        let hits: Vec<ToolIx> = evidence.hits.iter().map(|hit| hit.tool).collect();
        evidence.hits.truncate(2);
        let whole = evidence.order(&set.data.catalog);
        let at = |k| recall(&request.needs, &order, k);
        let all = f64::from(u8::from(all_met(&request.needs, &order, 10)));
        let of_two = recall(&request.needs, &whole, usize::MAX);
        let values = [at(1), at(5), at(10), at(20), all, recall(&request.needs, &hits, 10), of_two, whole.len() as f64];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    times.sort_unstable();
    let count = times.len();
    let means: String = sums.iter().map(|sum| format!(" {:.3} |", sum / count.max(1) as f64)).collect();
    let time = |share: usize| times.get(count * share / 100).copied().unwrap_or(0);
    let (tools, indexed) = (set.data.catalog.tools().len(), indexed.as_secs_f64() * 1e3);
    let line = format!("| {} | {tools} | {count} |{means} {indexed:.0} | {} | {} |", set.name, time(50), time(95));
    (line, sums[2] / count.max(1) as f64)
}
