//! The catalogue: every permitted tool by category, in as much detail as its budget allows.

use std::collections::BTreeSet;

use winclaw_catalog::{Catalog, ToolIx};

use crate::shelves::{Shelf, Shelves, line, name};
use crate::{Step, estimate_tokens};

/// The text and what it names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Catalogue {
    pub(crate) text: String,
    pub(crate) tokens: u32,
    pub(crate) step: Step,
    /// The tools it names, where it does not name all.
    some: BTreeSet<ToolIx>,
}

impl Catalogue {
    /// No catalogue, because nothing is hidden.
    pub(crate) fn none() -> Catalogue {
        Catalogue { text: String::new(), tokens: 0, step: Step::Categories, some: BTreeSet::new() }
    }

    /// Whether the permitted tool `ix` is in it by name.
    pub(crate) fn names(&self, ix: ToolIx) -> bool {
        self.step <= Step::Names || self.some.contains(&ix)
    }

    /// The catalogue in the most detail that `budget` tokens allow. With `all_names` no name is left out, whatever it
    /// takes: that is for a model that cannot search.
    pub(crate) fn write(catalog: &Catalog, shelves: &Shelves, budget: u32, all_names: bool) -> Catalogue {
        let top = top_that_fits(shelves, budget);
        let step = match () {
            () if shelves.summaries <= budget => Step::Summaries,
            () if all_names || shelves.names <= budget => Step::Names,
            () if top > 0 => Step::TopNames,
            () => Step::Categories,
        };
        let mut text = String::new();
        let mut some = BTreeSet::new();
        for shelf in &shelves.shelves {
            match step {
                Step::Summaries => summaries(catalog, shelf, &mut text),
                Step::Names => names(catalog, shelf, shelf.tools.len(), &shelf.tools, &mut text),
                Step::TopNames | Step::Categories => {
                    let shown = &shelf.ranked[..top.min(shelf.ranked.len())];
                    names(catalog, shelf, shown.len(), shown, &mut text);
                    some.extend(shown);
                }
            }
        }
        Catalogue { tokens: estimate_tokens(&text), text, step, some }
    }
}

/// How many names of every category fit; what is dearer than the budget even without names gets none.
fn top_that_fits(shelves: &Shelves, budget: u32) -> usize {
    let counts: Vec<usize> = (0..=shelves.longest()).collect();
    counts.partition_point(|n| shelves.cost_of_top(*n) <= budget).saturating_sub(1)
}

fn summaries(catalog: &Catalog, shelf: &Shelf, text: &mut String) {
    text.push_str(&shelf.heading());
    text.push_str(":\n");
    shelf.tools.iter().for_each(|ix| text.push_str(&line(catalog.get(*ix))));
}

fn names(catalog: &Catalog, shelf: &Shelf, shown: usize, tools: &[ToolIx], text: &mut String) {
    text.push_str(&shelf.heading());
    let names: Vec<String> = tools.iter().map(|ix| name(catalog.get(*ix))).collect();
    if !names.is_empty() {
        text.push_str(": ");
        text.push_str(&names.join(", "));
    }
    match shelf.tools.len() - shown {
        0 => {}
        _ if shown == 0 => {}
        rest => text.push_str(&format!(" and {rest} more")),
    }
    text.push('\n');
}
