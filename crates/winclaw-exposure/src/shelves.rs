use std::collections::BTreeMap;

use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};

use crate::estimate_tokens;

/// The permitted tools by category, with what each line of a catalogue would cost.
#[derive(Debug)]
pub(crate) struct Shelves {
    pub(crate) shelves: Vec<Shelf>,
    /// The whole catalogue with summaries, and with names only.
    pub(crate) summaries: u32,
    pub(crate) names: u32,
}

/// One category.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) category: String,
    /// Its permitted tools in order of id.
    pub(crate) tools: Vec<ToolIx>,
    /// The same, those that most other tools lean on first.
    pub(crate) ranked: Vec<ToolIx>,
    /// What the heading and the first `n` ranked names cost, at `n`.
    pub(crate) upto: Vec<u32>,
}

impl Shelves {
    pub(crate) fn of(catalog: &Catalog) -> Shelves {
        let leaned_on = leaned_on(catalog);
        let shelves: Vec<Shelf> = catalog
            .categories()
            .iter()
            .map(|(category, tools)| Shelf::of(catalog, category, tools, &leaned_on))
            .filter(|shelf| !shelf.tools.is_empty())
            .collect();
        let lines = shelves.iter().flat_map(|shelf| &shelf.tools).map(|ix| estimate_tokens(&line(catalog.get(*ix))));
        let headings = shelves.iter().map(|shelf| estimate_tokens(&shelf.heading()) + 1);
        let summaries = lines.sum::<u32>() + headings.sum::<u32>();
        let names = shelves.iter().filter_map(|shelf| shelf.upto.last()).sum();
        Shelves { shelves, summaries, names }
    }

    /// What the first `n` names of every category cost.
    pub(crate) fn cost_of_top(&self, n: usize) -> u32 {
        self.shelves.iter().map(|shelf| shelf.upto[n.min(shelf.tools.len())]).sum()
    }

    /// The number of tools of the largest category.
    pub(crate) fn longest(&self) -> usize {
        self.shelves.iter().map(|shelf| shelf.tools.len()).max().unwrap_or(0)
    }
}

impl Shelf {
    fn of(catalog: &Catalog, category: &str, all: &[ToolIx], leaned_on: &BTreeMap<ToolIx, u32>) -> Shelf {
        let tools: Vec<ToolIx> = all.iter().copied().filter(|ix| catalog.get(*ix).permitted()).collect();
        let mut ranked = tools.clone();
        ranked.sort_by_key(|ix| (std::cmp::Reverse(leaned_on.get(ix).copied().unwrap_or(0)), *ix));
        let mut shelf = Shelf { category: category.to_owned(), tools, ranked, upto: Vec::new() };
        let mut sum = estimate_tokens(&shelf.heading()) + ROOM_FOR_REST;
        shelf.upto.push(sum);
        for ix in &shelf.ranked {
            sum += estimate_tokens(&name(catalog.get(*ix))) + 1;
            shelf.upto.push(sum);
        }
        shelf
    }

    /// `category (number)`.
    pub(crate) fn heading(&self) -> String {
        format!("{} ({})", self.category, self.tools.len())
    }
}

/// Tokens of a line end and of the words that say how many names are not given.
const ROOM_FOR_REST: u32 = 6;

fn leaned_on(catalog: &Catalog) -> BTreeMap<ToolIx, u32> {
    let mut count = BTreeMap::new();
    for ix in catalog.permitted() {
        let edges = catalog.requires(ix).iter().chain(catalog.input_from(ix)).chain(catalog.often_with(ix));
        edges.for_each(|other| *count.entry(*other).or_insert(0) += 1);
    }
    count
}

/// One line of the catalogue with the summary, and its line end.
pub(crate) fn line(tool: &CatalogTool) -> String {
    format!("- {}: {}\n", name(tool), one_line(&tool.manifest.summary.en))
}

/// The wire name, marked when the tool cannot run now.
pub(crate) fn name(tool: &CatalogTool) -> String {
    match mark(&tool.state) {
        Some(mark) => format!("{} [{mark}]", tool.wire_name),
        None => tool.wire_name.clone(),
    }
}

fn mark(state: &State) -> Option<&'static str> {
    match state {
        State::Ready => None,
        State::Disabled { .. } => Some("disabled"),
        State::Unavailable { .. } => Some("unavailable now"),
        State::NeedsConfig { .. } => Some("needs configuration"),
    }
}

/// A description can claim to be a heading or a list, so nothing of it may begin a line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
