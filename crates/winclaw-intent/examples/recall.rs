//! Measures the ranking on folders of public tool-selection data.
//!
//! `cargo run --release -p winclaw-intent --example recall -- DATA_DIR [--only SET] [--set WEIGHT=NUMBER]…`
//!
//! Every folder below DATA_DIR with a `tools.jsonl` and a `queries.jsonl` is a set. Tools are
//! `{id, name, server, description, parameters, category?, depends_on?}`, queries `{query, gold: [id], alts?}` or
//! `{query, gold_plugins: [server]}`. A `requires` edge is followed for the tools that stand at the top, as a host would.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program, and prints its table")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_intent::{Index, Query, WEIGHTS, Weights};
use winclaw_tool::ToolId;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("give the folder with the data")?);
    let mut weights = WEIGHTS;
    let mut only = None;
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or("a flag needs a value")?;
        match flag.as_str() {
            "--only" => only = Some(value),
            "--set" => set(&mut weights, &value)?,
            _ => return Err(format!("{flag} is not known; use --only SET or --set WEIGHT=NUMBER").into()),
        }
    }
    println!(
        "| set | tools | requests | R@1 | R@5 | R@10 | R@20 | all@10 | closed R@10 | 2+closure | tools | catalog ms | index ms | pass µs p50 | p95 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for set in sets(&folder)?.iter().filter(|set| only.as_ref().is_none_or(|only| set.ends_with(only))) {
        println!("{}", Set::read(set)?.measure(weights));
    }
    Ok(())
}

fn set(weights: &mut Weights, text: &str) -> Result<(), Box<dyn Error>> {
    let (name, number) = text.split_once('=').ok_or("write --set WEIGHT=NUMBER")?;
    let number: f32 = number.parse()?;
    let place = match name {
        "k1" => &mut weights.k1,
        "b" => &mut weights.b,
        "name" => &mut weights.name,
        "source" => &mut weights.source,
        "alias" => &mut weights.alias,
        "summary" => &mut weights.summary,
        "description" => &mut weights.description,
        "category" => &mut weights.category,
        "parameter" => &mut weights.parameter,
        "parameter_text" => &mut weights.parameter_text,
        "unigram" => &mut weights.unigram,
        "concept" => &mut weights.concept,
        "need" => &mut weights.need,
        "focus" => &mut weights.focus,
        "seat" => &mut weights.seat,
        _ => return Err(format!("there is no weight {name}").into()),
    };
    *place = number;
    Ok(())
}

fn sets(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let is_set = |folder: &Path| folder.join("tools.jsonl").is_file() && folder.join("queries.jsonl").is_file();
    if is_set(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sets(&path)?);
        }
    }
    found.sort();
    Ok(found)
}

fn lines(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

struct Set {
    name: String,
    catalog: Catalog,
    built: Duration,
    requests: Vec<Request>,
}

/// A request and what it needs: for each need the tools of which any will do.
struct Request {
    text: String,
    needs: Vec<BTreeSet<ToolIx>>,
}

impl Set {
    fn read(folder: &Path) -> Result<Set, Box<dyn Error>> {
        let tools = lines(&folder.join("tools.jsonl"))?;
        let names = Names::of(&tools);
        let entries = tools.iter().map(|tool| names.entry(tool)).collect::<Result<Vec<_>, _>>()?;
        let start = Instant::now();
        let (catalog, _) = Catalog::build(entries);
        let built = start.elapsed();
        let queries = lines(&folder.join("queries.jsonl"))?;
        let requests = queries.iter().map(|query| names.request(query, &tools, &catalog));
        // A request that needs no tool cannot be met or missed.
        let requests = requests.filter(|request| !request.needs.is_empty()).collect();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Set { name, catalog, built, requests })
    }

    fn measure(&self, weights: Weights) -> String {
        let start = Instant::now();
        let index = Index::build_with(&self.catalog, weights);
        let indexed = start.elapsed();
        let mut sums = [0.0; 8];
        let mut times = Vec::new();
        for request in &self.requests {
            let start = Instant::now();
            let evidence = index.weigh(&self.catalog, &Query { message: &request.text, ..Query::default() });
            times.push(start.elapsed());
            let order: Vec<ToolIx> = evidence.hits.iter().map(|hit| hit.tool).collect();
            let within: Vec<ToolIx> = evidence.order(&self.catalog).into_iter().take(10).collect();
            let beyond = closed(&self.catalog, &order[..2.min(order.len())], usize::MAX);
            let at = |limit: usize| request.recall(&order[..limit.min(order.len())]);
            let values = [
                at(1),
                at(5),
                at(10),
                at(20),
                at(10).floor(),
                request.recall(&within),
                request.recall(&beyond),
                beyond.len() as f64,
            ];
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        times.sort();
        let count = self.requests.len().max(1);
        let means: String = sums.iter().map(|sum| format!(" {:.3} |", sum / count as f64)).collect();
        let time = |share: usize| times.get(times.len() * share / 100).map_or(0, Duration::as_micros);
        format!(
            "| {} | {} | {} |{means} {:.0} | {:.0} | {} | {} |",
            self.name,
            self.catalog.tools().len(),
            count,
            self.built.as_secs_f64() * 1e3,
            indexed.as_secs_f64() * 1e3,
            time(50),
            time(95)
        )
    }
}

impl Request {
    fn recall(&self, shown: &[ToolIx]) -> f64 {
        let met = self.needs.iter().filter(|need| shown.iter().any(|ix| need.contains(ix))).count();
        met as f64 / self.needs.len().max(1) as f64
    }
}

/// The first `limit` tools, taking each with all it requires, what it requires directly first.
fn closed(catalog: &Catalog, order: &[ToolIx], limit: usize) -> Vec<ToolIx> {
    let mut shown: Vec<ToolIx> = Vec::new();
    for &ix in order {
        let direct = catalog.requires(ix).iter().copied();
        for tool in std::iter::once(ix).chain(direct).chain(catalog.closure(ix)) {
            if shown.len() < limit && !shown.contains(&tool) {
                shown.push(tool);
            }
        }
    }
    shown
}

/// The data's ids, and the legal ids made for them.
struct Names {
    ids: BTreeMap<String, ToolId>,
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// `server` in the letters a source may have.
fn source(server: &str) -> String {
    let legal = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '_' }
    };
    let plain: String = server.chars().map(legal).take(50).collect();
    let plain = plain.trim_matches(['_', '-']);
    if plain.is_empty() { "s".to_owned() } else { plain.to_owned() }
}

impl Names {
    fn of(tools: &[Value]) -> Names {
        let mut taken = BTreeSet::new();
        let mut ids = BTreeMap::new();
        for tool in tools {
            let name: String = text(tool, "name").chars().filter(|c| !c.is_control()).take(60).collect();
            let name = if name.is_empty() { "x" } else { &name };
            let plain = [format!("{}.{name}", source(text(tool, "server")))];
            let numbered = (2..).map(|number| format!("{}-{number}.{name}", source(text(tool, "server"))));
            let free = plain.into_iter().chain(numbered).find(|id| taken.insert(id.clone()));
            if let Some(id) = free.and_then(|id| ToolId::parse(&id).ok()) {
                ids.insert(text(tool, "id").to_owned(), id);
            }
        }
        Names { ids }
    }

    fn entry(&self, tool: &Value) -> Result<ToolEntry, Box<dyn Error>> {
        let id = self.ids.get(text(tool, "id")).ok_or_else(|| format!("no id for {tool}"))?;
        let parameters = tool.get("parameters").cloned().unwrap_or(Value::Null);
        let manifest = serde_json::from_value(json!({
            "name": id.name(), "category": text(tool, "category"), "summary": text(tool, "plugin_description"),
            "title": text(tool, "title"), "description": text(tool, "description"), "parameters": parameters,
            "depends_on": self.edges(tool), "side_effect": "read"
        }))?;
        Ok(ToolEntry { id: id.clone(), manifest, state: State::Ready })
    }

    /// The edges of a tool: `{tool, kind}` as in a manifest, or `{name, type}`, where each type means `requires`.
    fn edges(&self, tool: &Value) -> Vec<Value> {
        let stated = tool.get("depends_on").and_then(Value::as_array).into_iter().flatten();
        let edge = |edge: &Value| match self.ids.get(text(edge, "name")) {
            Some(id) => json!(id),
            None => edge.clone(),
        };
        stated.map(edge).filter(|edge| edge.is_string() || edge.get("tool").is_some()).collect()
    }

    fn request(&self, query: &Value, tools: &[Value], catalog: &Catalog) -> Request {
        let list = |value: Option<&Value>| -> Vec<String> {
            let items = value.and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let place = |id: &String| self.ids.get(id).and_then(|id| catalog.ix(id));
        let tool = |id: &String| -> BTreeSet<ToolIx> {
            let others = list(query.get("alts").and_then(|alts| alts.get(id)));
            std::iter::once(id).chain(&others).filter_map(place).collect()
        };
        let plugin = |server: &String| -> BTreeSet<ToolIx> {
            let of_plugin = tools.iter().filter(|tool| text(tool, "server") == server);
            of_plugin.filter_map(|tool| place(&text(tool, "id").to_owned())).collect()
        };
        let gold = list(query.get("gold"));
        let plugins = list(query.get("gold_plugins"));
        let needs = gold.iter().map(tool).chain(plugins.iter().map(plugin)).collect();
        Request { text: text(query, "query").to_owned(), needs }
    }
}
