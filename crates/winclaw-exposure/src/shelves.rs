use std::borrow::Cow;
use std::collections::BTreeMap;

use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};

use crate::estimate_tokens;
use crate::prepared::Look;
use crate::tokens::{quarters, tokens};

/// The permitted tools by category, with what each line of a catalogue would cost.
#[derive(Debug)]
pub(crate) struct Shelves {
    pub(crate) shelves: Vec<Shelf>,
    /// The whole catalogue with summaries, and with names only.
    pub(crate) summaries: u32,
    pub(crate) names: u32,
    /// The categories by family, those with most tools first.
    pub(crate) families: Vec<Family>,
}

/// Categories that share what stands before a `/`, `:` or `>` in their names.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) heading: String,
    pub(crate) tools: usize,
    categories: usize,
}

/// What stands before the first `/`, `:` or `>` of a category's name; the whole name when nothing does.
pub(crate) fn family(category: &str) -> &str {
    let head = category.split(['/', ':', '>']).next().unwrap_or_default().trim();
    if head.is_empty() { category } else { head }
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
    pub(crate) fn of(catalog: &Catalog, looks: &[Look]) -> Shelves {
        let leaned_on = leaned_on(catalog, looks);
        let shelves: Vec<Shelf> = catalog
            .categories()
            .iter()
            .map(|(category, tools)| Shelf::of(category, tools, looks, &leaned_on))
            .filter(|shelf| !shelf.tools.is_empty())
            .collect();
        let lines = shelves.iter().flat_map(|shelf| &shelf.tools).map(|ix| u64::from(looks[ix.index()].line));
        let headings = shelves.iter().map(|shelf| quarters(&shelf.heading()) + 2);
        let summaries = tokens(lines.sum::<u64>() + headings.sum::<u64>());
        let names = shelves.iter().filter_map(|shelf| shelf.upto.last()).sum();
        let families = families(&shelves);
        Shelves { shelves, summaries, names, families }
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
    fn of(category: &str, all: &[ToolIx], looks: &[Look], leaned_on: &[u32]) -> Shelf {
        let tools: Vec<ToolIx> = all.iter().copied().filter(|ix| looks[ix.index()].mark.permitted()).collect();
        let mut ranked = tools.clone();
        ranked.sort_by_key(|ix| (std::cmp::Reverse(leaned_on[ix.index()]), *ix));
        let mut shelf = Shelf { category: category.to_owned(), tools, ranked, upto: Vec::new() };
        let mut sum = estimate_tokens(&shelf.heading()) + ROOM_FOR_REST;
        shelf.upto.push(sum);
        for ix in &shelf.ranked {
            sum += tokens(u64::from(looks[ix.index()].name)) + 1;
            shelf.upto.push(sum);
        }
        shelf
    }

    /// `category (number)`.
    pub(crate) fn heading(&self) -> String {
        format!("{} ({})", self.category, self.tools.len())
    }
}

fn families(shelves: &[Shelf]) -> Vec<Family> {
    let mut found: BTreeMap<&str, Vec<&Shelf>> = BTreeMap::new();
    shelves.iter().for_each(|shelf| found.entry(family(&shelf.category)).or_default().push(shelf));
    let of = |(name, shelves): (&str, Vec<&Shelf>)| {
        let tools = shelves.iter().map(|shelf| shelf.tools.len()).sum();
        let heading = match shelves.as_slice() {
            [only] => only.heading(),
            several => format!("{name}/… ({} categories, {tools} tools)", several.len()),
        };
        Family { heading, tools, categories: shelves.len() }
    };
    let mut families: Vec<Family> = found.into_iter().map(of).collect();
    families.sort_by_key(|family| std::cmp::Reverse(family.tools));
    families
}

/// The line that stands for families without room, and what it takes at most.
pub(crate) fn rest_line(rest: &[Family]) -> Option<String> {
    let (categories, tools) =
        rest.iter().fold((0, 0), |(categories, tools), family| (categories + family.categories, tools + family.tools));
    (!rest.is_empty()).then(|| format!("and {categories} more categories with {tools} tools, found by what they do"))
}

/// Tokens of a line end and of the words that say how many names are not given.
const ROOM_FOR_REST: u32 = 6;

/// From how many sources tools lean on each, by place. Sources are counted, not tools, so that a source with many tools
/// cannot lift its own.
fn leaned_on(catalog: &Catalog, looks: &[Look]) -> Vec<u32> {
    let mut count = vec![(0, u32::MAX); looks.len()];
    for ix in catalog.all().filter(|ix| looks[ix.index()].mark.permitted()) {
        let source = looks[ix.index()].source;
        let edges = catalog.requires(ix).iter().chain(catalog.input_from(ix)).chain(catalog.often_with(ix));
        for other in edges {
            // Tools come by source, so the last that was counted is enough to know.
            let (count, last) = &mut count[other.index()];
            *count += u32::from(*last != source);
            *last = source;
        }
    }
    count.into_iter().map(|(count, _)| count).collect()
}

/// Appends one line of the catalogue with the summary, and its line end.
pub(crate) fn put_line(tool: &CatalogTool, text: &mut String) {
    text.push_str("- ");
    put_name(tool, text);
    text.push_str(": ");
    text.push_str(&one_line(&tool.manifest.summary.en));
    text.push('\n');
}

/// Appends the wire name, marked when the tool cannot run now.
pub(crate) fn put_name(tool: &CatalogTool, text: &mut String) {
    text.push_str(&tool.wire_name);
    if let Some(mark) = mark(&tool.state) {
        text.push_str(" [");
        text.push_str(mark);
        text.push(']');
    }
}

/// The wire name, marked when the tool cannot run now.
pub(crate) fn name(tool: &CatalogTool) -> String {
    let mut name = String::new();
    put_name(tool, &mut name);
    name
}

/// Quarters of a token that [`put_line`] takes.
pub(crate) fn of_line(tool: &CatalogTool) -> u64 {
    let around = 5;
    around + of_name(tool) + quarters(&one_line(&tool.manifest.summary.en))
}

/// Quarters of a token that [`put_name`] takes.
pub(crate) fn of_name(tool: &CatalogTool) -> u64 {
    let around = 3;
    quarters(&tool.wire_name) + mark(&tool.state).map_or(0, |mark| quarters(mark) + around)
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
fn one_line(text: &str) -> Cow<'_, str> {
    let fine = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if fine { text.into() } else { text.split_whitespace().collect::<Vec<_>>().join(" ").into() }
}
