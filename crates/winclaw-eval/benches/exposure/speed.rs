//! What one pass and one index cost, and how that grows.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use winclaw_catalog::{Catalog, ToolEntry};
use winclaw_eval::{read_queries, read_tools};
use winclaw_exposure::{Exposure, Settings};
use winclaw_intent::Query;

use crate::generated::{self, WORDS};
use crate::peers::{self, Bm25};
use crate::plots::{self, Line};

const SIZES: [usize; 8] = [30, 120, 500, 1_000, 2_000, 4_000, 6_000, 8_500];
const LENGTHS: [usize; 8] = [1, 4, 8, 16, 32, 64, 128, 256];

/// Passes measured of each kind.
const PASSES: usize = 400;

/// Prints the tables; draws the growth into `plots`.
pub fn print(data: Option<&Path>, folder: Option<&Path>) -> Result<(), Box<dyn Error>> {
    let (first, requests) = tools_and_requests(data)?;
    let mut by_size = Vec::new();
    println!("One pass is query, ranking, closure and surface, on one thread; the bm25 crate only ranks\n");
    println!(
        "| tools | pass p50 µs | p99 µs | bm25 search p50 µs | pass : bm25 | catalog ms | index ms | prepared ms | bm25 build ms | index : bm25 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for size in SIZES {
        let at = measure(&first, size, &requests);
        println!("{}", at.row());
        by_size.push(at);
    }
    let by_length = lengths(&first);
    println!(
        "\n| words in the request, 8500 tools | pass p50 µs | bm25 search p50 µs | pass : bm25 |\n|---|---|---|---|"
    );
    for (words, ours, theirs) in &by_length {
        println!("| {words} | {ours:.0} | {theirs:.0} | {:.2} |", ours / theirs);
    }
    match folder {
        Some(folder) => draw(folder, &by_size, &by_length),
        None => Ok(()),
    }
}

/// The tools that come first, and the requests: those of a set named livemcp if there is one, else generated ones alone.
fn tools_and_requests(data: Option<&Path>) -> Result<(Vec<ToolEntry>, Vec<String>), Box<dyn Error>> {
    let set = data.map(|data| data.join("exposure/livemcp")).filter(|set| set.is_dir());
    let Some(set) = set else {
        let requests = (0..40).map(|n| request(8 + n % 5, n));
        return Ok((Vec::new(), requests.collect()));
    };
    let tools = read_tools(&set.join("tools.jsonl"))?;
    let queries = read_queries(&set.join("queries.jsonl"), &tools)?;
    let entries = tools.catalog.tools().iter().map(|tool| ToolEntry {
        id: tool.id.clone(),
        manifest: tool.manifest.clone(),
        state: tool.state.clone(),
    });
    Ok((entries.collect(), queries.requests.into_iter().map(|request| request.text).collect()))
}

fn request(words: usize, seed: usize) -> String {
    (0..words).map(|n| WORDS[(n * 5 + seed) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// What one size of catalog costs; milliseconds for what is built, microseconds for a pass.
struct At {
    tools: usize,
    pass: (f64, f64),
    search: f64,
    catalog: f64,
    index: f64,
    prepared: f64,
    bm25: f64,
}

impl At {
    fn row(&self) -> String {
        let At { tools, pass, search, catalog, index, prepared, bm25 } = self;
        format!(
            "| {tools} | {:.0} | {:.0} | {search:.0} | {:.2} | {catalog:.1} | {index:.1} | {prepared:.1} | {bm25:.1} | {:.2} |",
            pass.0,
            pass.1,
            pass.0 / search,
            index / bm25
        )
    }
}

fn catalog(first: &[ToolEntry], size: usize) -> Catalog {
    let generated = generated::entries(size.saturating_sub(first.len()));
    let entries = first.iter().take(size).cloned().chain(generated);
    Catalog::build(entries.collect()).0
}

fn measure(first: &[ToolEntry], size: usize, requests: &[String]) -> At {
    let catalog = catalog(first, size);
    let entries: Vec<ToolEntry> = catalog
        .tools()
        .iter()
        .map(|tool| ToolEntry { id: tool.id.clone(), manifest: tool.manifest.clone(), state: tool.state.clone() })
        .collect();
    let built = best_of(5, || drop(Catalog::build(entries.clone()))) - best_of(5, || drop(entries.clone()));
    let index = best_of(5, || drop(winclaw_intent::Index::build(&catalog)));
    let prepared = best_of(5, || drop(winclaw_exposure::Prepared::new(&catalog)));
    let bm25 = best_of(5, || drop(Bm25::of(&catalog)));
    let passes = passes(&catalog, requests);
    let engine = Bm25::of(&catalog);
    let searches = times(requests, |request| drop(engine.search(request, 10)));
    At {
        tools: size,
        pass: (us(&passes, 50), us(&passes, 99)),
        search: us(&searches, 50),
        catalog: built,
        index,
        prepared,
        bm25,
    }
}

fn passes(catalog: &Catalog, requests: &[String]) -> Vec<Duration> {
    let (index, prepared) = peers::ours(catalog);
    times(requests, |request| {
        let evidence = index.weigh(catalog, &Query { message: request, ..Query::default() });
        let mut exposure = Exposure::begin_prepared(catalog, &prepared, &evidence, Settings::default());
        drop(exposure.surface(catalog));
    })
}

fn lengths(first: &[ToolEntry]) -> Vec<(usize, f64, f64)> {
    let catalog = catalog(first, 8_500);
    let engine = Bm25::of(&catalog);
    let at = |words: usize| {
        let requests: Vec<String> = (0..20).map(|seed| request(words, seed)).collect();
        let theirs = times(&requests, |request| drop(engine.search(request, 10)));
        (words, us(&passes(&catalog, &requests), 50), us(&theirs, 50))
    };
    LENGTHS.into_iter().map(at).collect()
}

/// Sorted times of [`PASSES`] runs over the requests in turn, after a tenth of them unmeasured.
fn times(requests: &[String], mut run: impl FnMut(&str)) -> Vec<Duration> {
    let mut next = requests.iter().cycle();
    let mut once = || {
        let request = next.next().map_or("", String::as_str);
        let begun = Instant::now();
        run(request);
        begun.elapsed()
    };
    (0..PASSES / 10).for_each(|_| {
        once();
    });
    let mut times: Vec<Duration> = (0..PASSES).map(|_| once()).collect();
    times.sort();
    times
}

fn us(times: &[Duration], percent: usize) -> f64 {
    times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e6
}

/// Milliseconds of the quickest of `runs` runs.
fn best_of(runs: usize, mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(once).fold(f64::INFINITY, f64::min)
}

fn draw(folder: &Path, by_size: &[At], by_length: &[(usize, f64, f64)]) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let of_size = |pick: fn(&At) -> f64| by_size.iter().map(|at| (at.tools as f64, pick(at))).collect::<Vec<_>>();
    let pass = [
        Line { name: "WinClaw, whole pass", points: of_size(|at| at.pass.0) },
        Line { name: "bm25 crate, ranking alone", points: of_size(|at| at.search) },
    ];
    plots::draw(&folder.join("pass-by-tools.svg"), "One pass by number of tools", ("tools", "µs, median"), &pass)?;
    let build = [
        Line { name: "WinClaw index", points: of_size(|at| at.index) },
        Line { name: "bm25 crate", points: of_size(|at| at.bm25) },
    ];
    plots::draw(
        &folder.join("build-by-tools.svg"),
        "Building the index by number of tools",
        ("tools", "ms, best of 5"),
        &build,
    )?;
    let of_length =
        |pick: fn(&(usize, f64, f64)) -> f64| by_length.iter().map(|at| (at.0 as f64, pick(at))).collect::<Vec<_>>();
    let words = [
        Line { name: "WinClaw, whole pass", points: of_length(|at| at.1) },
        Line { name: "bm25 crate, ranking alone", points: of_length(|at| at.2) },
    ];
    plots::draw(
        &folder.join("pass-by-words.svg"),
        "One pass by length of the request, 8,500 tools",
        ("words", "µs, median"),
        &words,
    )
}
