//! How long one pass takes: preparing a catalog, opening a task with its first surface, and a further observation.
//!
//! `cargo run --release -p winclaw-exposure --example pass` prints the median and the 99th percentile of each, in
//! microseconds, for catalogs of invented tools. The ranking is not part of it.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};
use winclaw_catalog::evidence::{Evidence, Hit, Term};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_exposure::{Exposure, Native, Prepared, Settings, Surface};
use winclaw_tool::ToolId;

/// Hits of one request, as a ranking finds them, and terms of each.
const HITS: usize = 150;
const TERMS: usize = 5;

fn main() {
    println!("{:>6} {:>10} {:>20} {:>20} {:>20}", "tools", "prepare ms", "open µs", "next µs", "references µs");
    for size in [12, 120, 1_000, 4_000, 8_500] {
        let catalog = Catalog::build((0..size).map(entry).collect()).0;
        let mut prepared = Arc::new(Prepared::new(&catalog));
        let prepare = times(30, || prepared = Arc::new(Prepared::new(&catalog)));
        let request = evidence(&catalog, 0);
        let native = Settings { native: Some(Native::References), ..Settings::default() };
        let first = times(2_000, || drop(open(&catalog, &prepared, &request, &Settings::default())));
        let references = times(50, || drop(open(&catalog, &prepared, &request, &native)));
        let next = further(&catalog, &prepared);
        let both = |times: &[f64]| format!("{:>9.1} {:>10.1}", at(times, 50), at(times, 99));
        let (first, next, references) = (both(&first), both(&next), both(&references));
        println!("{size:>6} {:>10.2} {first:>20} {next:>20} {references:>20}", at(&prepare, 50) / 1e3);
    }
}

/// A task that is opened, with its first surface.
fn open(catalog: &Catalog, prepared: &Arc<Prepared>, evidence: &Evidence, settings: &Settings) -> (Exposure, Surface) {
    let mut exposure = Exposure::begin_prepared(catalog, prepared, evidence, settings.clone());
    let surface = exposure.surface(catalog);
    (exposure, surface)
}

/// Further observations of one task, each with its surface.
fn further(catalog: &Catalog, prepared: &Arc<Prepared>) -> Vec<f64> {
    let later: Vec<Evidence> = (0..20).map(|shift| evidence(catalog, shift * 3)).collect();
    let (mut exposure, _) = open(catalog, prepared, &later[0], &Settings::default());
    let mut turn = 0;
    times(2_000, || {
        turn += 1;
        exposure.observe(catalog, &later[turn % later.len()]);
        drop(exposure.surface(catalog));
    })
}

/// How long each of `rounds` takes, in microseconds, sorted.
fn times(rounds: usize, mut work: impl FnMut()) -> Vec<f64> {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

fn at(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn entry(n: usize) -> ToolEntry {
    let mut properties = Map::new();
    for parameter in 0..2 + n % 6 {
        let mut text = String::new();
        let _ = write!(text, "What parameter {parameter} of tool {n} means, in as many words as usual for one.");
        properties.insert(format!("parameter_{parameter}"), json!({"type": "string", "description": text}));
    }
    let id = ToolId::parse(&format!("source{}.do_thing_{n}", n % 23)).expect("a legal id");
    let depends: Vec<Value> = if n.is_multiple_of(11) {
        vec![json!(format!("source{}.do_thing_{}", (n + 1) % 23, n + 1))]
    } else {
        Vec::new()
    };
    let manifest = serde_json::from_value(json!({
        "name": id.name(), "category": format!("category {}", n % 40), "summary": format!("Does thing {n} and says so"),
        "description": format!("Does thing {n}, which is described here in two sentences of usual length. Use it for that."),
        "parameters": {"type": "object", "properties": properties, "required": ["parameter_0"]},
        "side_effect": "read", "depends_on": depends,
    }))
    .expect("a manifest");
    ToolEntry { id, manifest, state: State::Ready }
}

fn evidence(catalog: &Catalog, shift: usize) -> Evidence {
    let size = catalog.tools().len();
    let term = |n: usize| Term { text: format!("word{n}"), field: "description".into(), score: 1.0, alike: false };
    let hit = |at: usize| Hit {
        tool: ToolIx(((at * 37 + shift) % size) as u32),
        score: 30.0 / (at + 1) as f32,
        exact: false,
        terms: (0..TERMS).map(term).collect(),
        via: None,
    };
    let hits = (0..HITS.min(size)).map(hit).collect();
    let categories = (0..10).map(|n| (format!("category {n}"), 0.1)).collect();
    Evidence { hits, categories, margin: 0.5 }
}
