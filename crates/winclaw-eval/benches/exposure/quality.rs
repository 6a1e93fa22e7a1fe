//! What is found, set by set.

use std::error::Error;
use std::path::Path;

use winclaw_eval::{Dataset, EvalReport, Options, Ranked, Steps, evaluate, recall_of};
use winclaw_exposure::Strategy;
use winclaw_intent::Index;

use crate::floors::Floors;
use crate::founding::{FirstLook, Founding};
use crate::peers::{Bm25, FASTMCP, Ours, Overlap};

/// Tools looked at for a request, and for each search that was recorded in a run of it; as `winclaw eval --per-step` has it.
const LOOKS: (usize, usize) = (4, 3);

/// Prints the tables for every set below `data`; with `hold` an error when a floor is missed.
pub fn print(data: &Path, hold: bool) -> Result<(), Box<dyn Error>> {
    let sets = Dataset::folders(data)?;
    println!(
        "Recall of the needed tools, with 95 % bootstrap intervals; `ahead` is ours minus the bm25 crate's on the same requests\n"
    );
    println!(
        "| set | requests | WinClaw R@5 | R@10 | all@10 | bm25 crate R@10 | ahead | overlap R@10 | FastMCP R@10 | first look all | schema tokens | eventual | turns p95 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let floors = Floors::read()?;
    let mut lacking = Vec::new();
    let mut steps = Vec::new();
    for set in &sets {
        let (line, report) = row(set, data)?;
        println!("{line}");
        lacking.extend(floors.lacking(&name(set), &report)?);
        steps.extend(report.per_step.map(|found| step_line(&name(set), &found)));
    }
    println!();
    steps.iter().for_each(|line| println!("{line}"));
    lacking.iter().for_each(|line| println!("MISSED {line}"));
    for set in sets.iter().filter(|set| set.ends_with("winclaw")) {
        story(set)?;
    }
    match lacking.len() {
        0 => Ok(()),
        missed if hold => Err(format!("{missed} floors are missed").into()),
        _ => Ok(()),
    }
}

fn name(set: &Path) -> String {
    set.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn row(set: &Path, data: &Path) -> Result<(String, EvalReport), Box<dyn Error>> {
    let mut dataset = Dataset::read_folder(set)?;
    let name = name(set);
    let ks = [5, 10];
    let ours = recall_of(&dataset, &Ours { catalog: &dataset.catalog, index: Index::build(&dataset.catalog) }, &ks);
    let bm25 = recall_of(&dataset, &Bm25::of(&dataset.catalog), &ks);
    let overlap = recall_of(&dataset, &Overlap::of(&dataset.catalog), &ks);
    let report = progressive(&mut dataset, data, &name)?;
    let fastmcp =
        FASTMCP.iter().find(|(set, _)| *set == name).map_or("–".into(), |(_, recall)| format!("{recall:.2}"));
    let ahead = ours.ahead_of(&bm25, 10).map_or_else(String::new, |ahead| {
        format!("{:+.3} ({:+.3} to {:+.3})", ahead.difference.mean, ahead.difference.low, ahead.difference.high)
    });
    let line = format!(
        "| {name} | {} | {} | {} | {:.3} | {} | {ahead} | {} | {fastmcp} | {:.3} | {:.0} | {:.3} | {} |",
        report.requests,
        at(&ours, 5),
        at(&ours, 10),
        ours.all_gold_at[&10].mean,
        at(&bm25, 10),
        at(&overlap, 10),
        report.first_look_all,
        report.schema_tokens_mean,
        report.eventual_recall,
        report.turns_to_reveal_p95
    );
    Ok((line, report))
}

fn at(ranked: &Ranked, k: usize) -> String {
    let interval = &ranked.recall_at[&k];
    format!("{:.3} ±{:.3}", interval.mean, (interval.high - interval.low) / 2.0)
}

/// The report of the set `name`, with what a recorded model searched for in it where `data` has that.
fn progressive(dataset: &mut Dataset, data: &Path, name: &str) -> Result<EvalReport, Box<dyn Error>> {
    let searches = data.join(format!("trajectories/{name}_claude.jsonl"));
    let recorded = searches.is_file();
    if recorded {
        dataset.read_steps(&searches)?;
    }
    let per_step = recorded.then_some(LOOKS);
    Ok(evaluate(dataset, &Options { per_step, ..Options::default() }, &mut |_, _| {}))
}

fn step_line(name: &str, steps: &Steps) -> String {
    format!(
        "{name}, asked per recorded search ({} tools for the request, {} for each of a model's {} requests' searches): \
         recall {:.3} with {:.2} tools on average, {:.0} at the 95th percentile (published: .675 with 7.7)",
        LOOKS.0, LOOKS.1, steps.requests, steps.recall, steps.tools_mean, steps.tools_p95
    )
}

/// The first assistant's tools under every engine.
fn story(set: &Path) -> Result<(), Box<dyn Error>> {
    let dataset = Dataset::read_folder(set)?;
    let founding = Founding::of(&dataset.catalog)?;
    println!(
        "\nThe first assistant's {} tools: what each engine shows on the first call\n",
        dataset.catalog.tools().len()
    );
    println!("| engine | all needed tools shown | schema tokens | tools lost for good |");
    println!("|---|---|---|---|");
    println!("| as published: its own tiers | .952 | 9531 | – |");
    println!("| as published: its hard filter | .510 | – | half |");
    let line = |name: &str, look: &FirstLook, lost: &str| {
        println!("| {name} | {:.3} | {:.0} | {lost} |", look.all, look.tokens);
    };
    line("hard filter, re-expressed", &founding.measure(&dataset, |request| founding.hard(request)), "all others");
    line("three tiers, re-expressed", &founding.measure(&dataset, |request| founding.tiers(request)), "all others");
    for strategy in [Strategy::Full, Strategy::Hard, Strategy::Progressive] {
        let report = evaluate(&dataset, &Options { strategy, ..Options::default() }, &mut |_, _| {});
        let lost = format!("{:.1} % of what is needed", (1.0 - report.eventual_recall) * 100.0);
        let look = FirstLook { all: report.first_look_all, tokens: report.schema_tokens_mean };
        line(&format!("WinClaw, strategy {}", strategy.as_str()), &look, &lost);
    }
    println!();
    Ok(())
}
