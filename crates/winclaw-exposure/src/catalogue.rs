//! The catalogue: every permitted tool by category, in as much detail as its budget allows.

use serde::{Deserialize, Serialize};
use winclaw_catalog::{Catalog, ToolIx};

use crate::Step;
use crate::estimate_tokens;
use crate::shelves::{Family, Shelf, Shelves, put_line, put_name, rest_line};
use crate::tokens::{quarters, tokens};

/// The text and what it names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Catalogue {
    /// Without a line end at the end.
    pub(crate) text: String,
    /// What the text takes, in quarters of a token and in tokens.
    pub(crate) quarters: u64,
    pub(crate) tokens: u32,
    pub(crate) step: Step,
    /// The tools it names, sorted, where it does not name all.
    some: Vec<ToolIx>,
}

/// How much a catalogue says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    step: Step,
    /// Names of each category, where not all are given; or families, where the categories are too many.
    top: usize,
}

impl Detail {
    /// The most that `budget` tokens allow. With `all_names` no name is left out, whatever it takes: that is for a model
    /// that cannot search. Categories, or else their families, may take up to `least` where the budget is smaller.
    pub(crate) fn within(shelves: &Shelves, budget: u32, least: u32, all_names: bool) -> Detail {
        if shelves.summaries <= budget {
            return Detail { step: Step::Summaries, top: 0 };
        }
        if all_names || shelves.names <= budget {
            return Detail { step: Step::Names, top: 0 };
        }
        let room = budget.max(least);
        match top_that_fits(shelves, budget) {
            0 if shelves.cost_of_top(0) <= room => Detail { step: Step::Categories, top: 0 },
            0 => Detail { step: Step::Families, top: families_that_fit(shelves, room) },
            top => Detail { step: Step::TopNames, top },
        }
    }
}

impl Catalogue {
    /// No catalogue, because nothing is hidden.
    pub(crate) fn none() -> Catalogue {
        Catalogue { text: String::new(), quarters: 0, tokens: 0, step: Step::Categories, some: Vec::new() }
    }

    /// Whether the permitted tool `ix` is in it by name.
    pub(crate) fn names(&self, ix: ToolIx) -> bool {
        self.step <= Step::Names || self.some.binary_search(&ix).is_ok()
    }

    /// The same for a catalog in which every tool stands at another place.
    pub(crate) fn moved(&self, place: &impl Fn(ToolIx) -> ToolIx) -> Catalogue {
        let mut moved = self.clone();
        moved.some.iter_mut().for_each(|ix| *ix = place(*ix));
        moved.some.sort_unstable();
        moved
    }

    pub(crate) fn write(catalog: &Catalog, shelves: &Shelves, detail: Detail) -> Catalogue {
        let mut text = String::new();
        let mut some = Vec::new();
        if detail.step == Step::Families {
            families(shelves, detail.top, &mut text);
        }
        for shelf in &shelves.shelves {
            match detail.step {
                Step::Families => {}
                Step::Summaries => summaries(catalog, shelf, &mut text),
                Step::Names => names(catalog, shelf, &shelf.tools, &mut text),
                Step::TopNames | Step::Categories => {
                    let shown = &shelf.ranked[..detail.top.min(shelf.ranked.len())];
                    names(catalog, shelf, shown, &mut text);
                    some.extend(shown);
                }
            }
        }
        text.truncate(text.trim_end().len());
        some.sort_unstable();
        let quarters = quarters(&text);
        Catalogue { text, quarters, tokens: tokens(quarters), step: detail.step, some }
    }
}

/// How many families fit, with a line for the rest.
fn families_that_fit(shelves: &Shelves, room: u32) -> usize {
    let mut left = room.saturating_sub(ROOM_FOR_REST);
    let fits = |family: &&Family| {
        let cost = estimate_tokens(&family.heading) + 1;
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    };
    shelves.families.iter().take_while(fits).count()
}

/// Tokens of the line for what has no room.
const ROOM_FOR_REST: u32 = 20;

/// The largest families by name, and how much more there is.
fn families(shelves: &Shelves, top: usize, text: &mut String) {
    let (shown, rest) = shelves.families.split_at(top);
    let mut headings: Vec<&str> = shown.iter().map(|family| family.heading.as_str()).collect();
    headings.sort_unstable();
    for line in headings.into_iter().map(str::to_owned).chain(rest_line(rest)) {
        text.push_str(&line);
        text.push('\n');
    }
}

/// How many names of every category fit; what is dearer than the budget even without names gets none.
fn top_that_fits(shelves: &Shelves, budget: u32) -> usize {
    let (mut fits, mut beyond) = (0, shelves.longest() + 1);
    while beyond - fits > 1 {
        let middle = fits + (beyond - fits) / 2;
        match shelves.cost_of_top(middle) <= budget {
            true => fits = middle,
            false => beyond = middle,
        }
    }
    fits
}

fn summaries(catalog: &Catalog, shelf: &Shelf, text: &mut String) {
    text.push_str(&shelf.heading());
    text.push_str(":\n");
    shelf.tools.iter().for_each(|ix| put_line(catalog.get(*ix), text));
}

fn names(catalog: &Catalog, shelf: &Shelf, shown: &[ToolIx], text: &mut String) {
    text.push_str(&shelf.heading());
    for (at, ix) in shown.iter().enumerate() {
        text.push_str(if at == 0 { ": " } else { ", " });
        put_name(catalog.get(*ix), text);
    }
    match shelf.tools.len() - shown.len() {
        0 => {}
        _ if shown.is_empty() => {}
        rest => text.push_str(&format!(" and {rest} more")),
    }
    text.push('\n');
}
