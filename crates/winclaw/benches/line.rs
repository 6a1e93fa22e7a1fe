//! What the line costs: start-up with 5 and 60 packages, one evidence-and-exposure pass at 60 and 1,000 tools, and a call
//! that does nothing, in process and through the child. `cargo xtask bench` runs it and says on which machine.
//!
//! Figures are medians with the 99th percentile beside them; what counts are the ratios in the last column.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_exposure::{Exposure, Prepared, Settings};
use winclaw_intent::{Index, Query};
use winclaw_loader::{LoadOptions, load_folder};
use winclaw_tool::{PluginId, ToolId};
use winclaw_toolbox::{Silent, Toolbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_winclaw");

fn main() {
    let Some(packages) = std::env::var_os("WINCLAW_BENCH_PACKAGES").map(PathBuf::from) else {
        return say("run it as `cargo xtask bench`: it needs packaged plugins");
    };
    let scratch = std::env::temp_dir().join(format!("winclaw-bench-{}", std::process::id()));
    machine();
    start_up(&packages, &scratch);
    passes();
    calls(&packages, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn say(line: &str) {
    println!("{line}");
}

fn machine() {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map_or("?", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    say(&format!("machine: {}, {cores} cores, {}-{}", model.trim(), std::env::consts::ARCH, std::env::consts::OS));
}

/// Sorted times of `runs` runs, after a tenth of them unmeasured.
fn times(runs: usize, mut run: impl FnMut()) -> Vec<Duration> {
    (0..runs / 10).for_each(|_| run());
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    times.sort();
    times
}

fn at(times: &[Duration], percent: usize) -> Duration {
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// One row; returns the median for the ratio of a later row.
fn row(name: &str, times: &[Duration], than: Option<(Duration, &str)>) -> Duration {
    let median = at(times, 50);
    let ratio = than.map(|(base, what)| format!("{:.2} x {what}", median.as_secs_f64() / base.as_secs_f64()));
    let line = format!("{name:<42} {:>10.1?}  p99 {:>10.1?}  {}", median, at(times, 99), ratio.unwrap_or_default());
    say(line.trim_end());
    median
}

fn start_up(packages: &Path, scratch: &Path) {
    let mut first = None;
    for count in [5, 60] {
        let folder = scratch.join(format!("packages-{count}"));
        copies(packages, &folder, count);
        let run = |arguments: &[&str]| {
            let mut command = Command::new(PROGRAM);
            command.args(arguments).arg("--plugins").arg(&folder).arg("--data-dir").arg(scratch.join("data"));
            command.env("OPENAI_API_KEY", "none").stdout(Stdio::piped()).output().expect("the program runs")
        };
        let times = times(30, || drop(run(&["tool", "list", "--json"])));
        let median = row(&format!("start-up, {count} packages"), &times, first.map(|base| (base, "5 packages")));
        first.get_or_insert(median);
        let doctor: Value = serde_json::from_slice(&run(&["doctor", "--json"]).stdout).unwrap_or_default();
        let memory =
            doctor["checks"].as_array().and_then(|checks| checks.iter().find(|check| check["check"] == "memory"));
        let memory = memory.and_then(|check| check["message"].as_str()).unwrap_or("not known here");
        say(&format!("{:<42} {memory}", format!("  memory, {count} packages")));
    }
}

/// `count` packages made from those there are: new ids, the same libraries.
fn copies(packages: &Path, folder: &Path, count: usize) {
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(packages).expect("packages").map(|entry| entry.expect("an entry").path()).collect();
    sources.retain(|path| path.join("plugin.json").is_file() && !path.ends_with("misbehave"));
    sources.sort();
    for (number, source) in (0..count).zip(sources.iter().cycle()) {
        let text = std::fs::read_to_string(source.join("plugin.json")).expect("a manifest");
        let mut manifest: Value = serde_json::from_str(&text).expect("json");
        manifest["id"] = json!(format!("p{number}"));
        let targets = manifest["targets"].as_object().expect("targets").clone();
        for target in targets.values() {
            let file = target["file"].as_str().expect("a file");
            let to = folder.join(format!("p{number}")).join(file);
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::hard_link(source.join(file), &to)
                .or_else(|_| std::fs::copy(source.join(file), &to).map(drop))
                .expect("a copy");
        }
        std::fs::write(folder.join(format!("p{number}")).join("plugin.json"), manifest.to_string()).expect("written");
    }
}

fn passes() {
    let mut first = None;
    for count in [60, 1000] {
        let (catalog, _) = Catalog::build(tools(count));
        let index = Index::build(&catalog);
        let prepared = Arc::new(Prepared::new(&catalog));
        let mut shown = 0;
        let times = times(300, || {
            let query =
                Query { message: "list the open invoices and then send a reminder by mail", ..Query::default() };
            let evidence = index.weigh(&catalog, &query);
            let mut exposure = Exposure::begin_prepared(&catalog, &prepared, &evidence, Settings::default());
            shown += exposure.surface(&catalog).shown.len();
        });
        assert!(shown > 0, "something is shown");
        let median =
            row(&format!("evidence and exposure, {count} tools"), &times, first.map(|base| (base, "60 tools")));
        first.get_or_insert(median);
    }
}

/// Tools of the usual size: a dozen words, four parameters.
fn tools(count: usize) -> Vec<ToolEntry> {
    let verbs = ["list", "find", "create", "send", "archive", "compare", "summarise", "export", "merge", "rename"];
    let things = ["invoice", "mail", "calendar", "contact", "photo", "ticket", "order", "report", "note", "channel"];
    let tool = |number: usize| {
        let (verb, thing) = (verbs[number % 10], things[number / 10 % 10]);
        let id = ToolId::parse(&format!("app{}.{verb}_{thing}_{number}", number / 20)).expect("an id");
        let text = |words: &str| json!({"type": "string", "description": words});
        let manifest = serde_json::from_value(json!({
            "name": id.name(), "category": thing, "summary": format!("{verb} a {thing} in the workspace"),
            "description": format!("Use this to {verb} one {thing} or several; returns what was done and the ids."),
            "parameters": {"type": "object", "required": ["target"], "properties": {
                "target": text("which one, by id or by name"), "filter": text("a condition such as unpaid or open"),
                "limit": {"type": "integer", "description": "how many at most"}, "note": text("words for the log")}},
            "detail_keys": ["target"], "side_effect": "read"
        }))
        .expect("a manifest");
        ToolEntry { id, manifest, state: State::Ready }
    };
    (0..count).map(tool).collect()
}

fn calls(packages: &Path, scratch: &Path) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let mut first = None;
    for (name, in_process) in [("in process", true), ("through the child", false)] {
        let mut options = LoadOptions::new(packages, scratch.join("cache"), scratch.join("data"), PROGRAM);
        if in_process {
            options.in_process = vec![PluginId::new("misbehave").expect("an id")];
        }
        let (backend, _) = load_folder(options);
        let (toolbox, _) = Toolbox::new(vec![Arc::new(backend)], &[]);
        let tool = toolbox.catalog().ix(&ToolId::parse("misbehave.ok").expect("an id")).expect("the tool is packaged");
        let call = || {
            let outcome = runtime.block_on(toolbox.run(tool, json!({}), Default::default(), Arc::new(Silent)));
            outcome.expect("it answers");
        };
        let begun = Instant::now();
        call();
        say(&format!("{:<42} {:>10.1?}", format!("first call {name}"), begun.elapsed()));
        let times = times(3000, call);
        let median = row(&format!("a call that does nothing, {name}"), &times, first.map(|base| (base, "in process")));
        first.get_or_insert(median);
    }
}
