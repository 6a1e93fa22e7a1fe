use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use winclaw_catalog::{Catalog, ToolIx};

use crate::raise::{Purse, Wish};
use crate::{Because, Event, Exposure, Level, Place, Reach, Rise, Settings};

/// Failures of the kind "capability missing" that widen the reach.
const MISSING_THAT_WIDEN: u32 = 2;

/// Most tools tried for one widening, and most alternatives to a tool the model is stuck with.
const MAX_TRIED: usize = 48;
const MAX_ALTERNATIVES: usize = 4;

/// Something that happened in the task and says that more should be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// A tool was called whose schema the model had not seen.
    CalledUnshown(ToolIx),
    /// A tool was used.
    Used(ToolIx),
    /// A search showed nothing that was not shown before.
    SearchWithoutNews,
    /// A tool failed because it cannot do what is needed: not for a refusal, not for something that passes.
    CapabilityMissing {
        /// The tool.
        tool: ToolIx,
        /// What it said; the same error of the same tool counts once a turn.
        error: String,
    },
    /// The answer was empty, or said that there is no tool for this.
    NoTool,
    /// A call was blocked because it was repeated without progress.
    LoopBlocked(ToolIx),
    /// The user named the tool.
    UserNamed(ToolIx),
}

/// What is counted between widenings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Watch {
    /// Real tokens that may still be shown unasked, this turn and in this task.
    tail_left: u32,
    task_left: u32,
    seen: BTreeSet<(ToolIx, String)>,
    missing: u32,
    widened: bool,
    /// Searches without news, one after another.
    pub(crate) quiet: u32,
}

impl Watch {
    pub(crate) fn new(settings: &Settings) -> Watch {
        Watch {
            tail_left: settings.spoken(settings.budgets.tail_tokens),
            task_left: settings.budgets.unasked_tokens,
            seen: BTreeSet::new(),
            missing: 0,
            widened: false,
            quiet: 0,
        }
    }

    /// Estimated tokens of schemas that may still be shown unasked this turn.
    pub(crate) fn unasked(&self, settings: &Settings) -> u32 {
        settings.unscaled(self.tail_left.min(self.task_left))
    }

    /// Takes note of so many estimated tokens shown unasked.
    pub(crate) fn spend(&mut self, tokens: u32, settings: &Settings) {
        let real = settings.scaled(tokens);
        self.tail_left = self.tail_left.saturating_sub(real);
        self.task_left = self.task_left.saturating_sub(real);
    }

    pub(crate) fn next_turn(&mut self, settings: &Settings) {
        self.tail_left = settings.spoken(settings.budgets.tail_tokens);
        self.seen.clear();
        self.widened = false;
    }

    /// The same where every tool stands at another place.
    pub(crate) fn move_tools(&mut self, place: &impl Fn(ToolIx) -> ToolIx) {
        self.seen = std::mem::take(&mut self.seen).into_iter().map(|(ix, error)| (place(ix), error)).collect();
    }
}

impl Exposure {
    /// Takes in what happened. Raises levels or reach, never lowers them, and says what rose; all of it is in the next
    /// payload: in the answer written by [`Exposure::reveal`] or else in the next tail.
    ///
    /// Of the signals between two surfaces, those that widen the reach widen it once.
    pub fn learn(&mut self, catalog: &Catalog, signal: Signal) -> Vec<Rise> {
        let mark = self.ledger.len();
        if !self.is_fixed() {
            self.take_in(catalog, signal);
        }
        self.ledger[mark..].iter().filter_map(Rise::of).collect()
    }

    fn take_in(&mut self, catalog: &Catalog, signal: Signal) {
        match signal {
            Signal::CalledUnshown(tool) => self.ask_for(catalog, tool, Because::CalledUnshown),
            Signal::UserNamed(tool) => self.ask_for(catalog, tool, Because::UserNamed),
            Signal::Used(tool) => self.note_used(catalog, tool),
            Signal::SearchWithoutNews => self.widen(catalog, "a search showed nothing new"),
            Signal::NoTool => self.widen(catalog, "the answer was empty or said that there is no tool for this"),
            Signal::LoopBlocked(tool) => self.show_alternatives(catalog, tool),
            Signal::CapabilityMissing { tool, error } => self.count_missing(catalog, tool, error),
        }
    }

    fn note_used(&mut self, catalog: &Catalog, tool: ToolIx) {
        self.note_call(tool);
        if !self.schema_shown(tool) {
            self.ask_for(catalog, tool, Because::Used);
        }
    }

    /// What a task has called it may call again, so it is kept when an epoch ends.
    pub(crate) fn note_call(&mut self, tool: ToolIx) {
        if self.prepared.permits(tool) && self.used.last() != Some(&tool) {
            self.used.retain(|other| *other != tool);
            self.used.push(tool);
        }
    }

    fn ask_for(&mut self, catalog: &Catalog, tool: ToolIx, because: Because) {
        let mut purse = Purse::spoken(self.settings.answer_tokens());
        self.raise(catalog, Wish { tool, level: Some(Level::Full), because, place: Place::Conversation }, &mut purse);
    }

    fn count_missing(&mut self, catalog: &Catalog, tool: ToolIx, error: String) {
        self.note_call(tool);
        if !self.watch.seen.insert((tool, error)) {
            return;
        }
        self.watch.missing += 1;
        if self.watch.missing >= MISSING_THAT_WIDEN {
            self.show_alternatives(catalog, tool);
            self.widen(catalog, "tools failed because they cannot do what is needed");
        }
    }

    fn widen(&mut self, catalog: &Catalog, why: &str) {
        if std::mem::replace(&mut self.watch.widened, true) {
            return;
        }
        let (from, to) = (self.reach, self.reach.wider());
        if to > from {
            self.reach = to;
            self.log(Event::Reached { from, to }, Because::Signal(why.to_owned()));
        }
        let (most, _) = self.settings.share(to);
        let next = self.next_in_reach();
        self.raise_unasked(catalog, next, most);
    }

    /// What the reach now lets rise and does not stand above `Named`: leads, then their categories, then the rest.
    fn next_in_reach(&self) -> Vec<(ToolIx, Because)> {
        let leads = self.advice.leads.ranked.iter().filter(|lead| lead.exact);
        let leads = leads.chain(self.advice.leads.within(self.reach)).map(|lead| (lead.tool, lead.because.clone()));
        let categories = self.advice.leads.categories.iter();
        let of_categories = categories.flat_map(|category| self.shelf(category).iter().map(move |ix| (*ix, category)));
        let of_categories =
            of_categories.map(|(ix, category)| (ix, Because::SameCategory { category: category.clone() }));
        let rest = (self.reach == Reach::Full).then(|| self.prepared.order.iter().map(|ix| (*ix, Because::Room)));
        let all = leads.chain(of_categories).chain(rest.into_iter().flatten());
        all.filter(|(ix, _)| !self.schema_shown(*ix)).take(MAX_TRIED).collect()
    }

    /// The tools of a category, those that others lean on most first.
    fn shelf(&self, category: &str) -> &[ToolIx] {
        let shelves = &self.prepared.shelves.shelves;
        let found = shelves.binary_search_by(|shelf| shelf.category.as_str().cmp(category));
        found.map_or(&[], |at| &shelves[at].ranked)
    }

    fn show_alternatives(&mut self, catalog: &Catalog, tool: ToolIx) {
        let Some(stuck) = catalog.tools().get(tool.index()) else {
            return;
        };
        let category = &stuck.manifest.category;
        let often = catalog.often_with(tool).iter().map(|ix| (*ix, Because::OftenWith(tool)));
        let alike = self.shelf(category).iter().filter(|ix| **ix != tool && !self.schema_shown(**ix));
        let alike = alike.map(|ix| (*ix, Because::SameCategory { category: category.clone() })).take(MAX_ALTERNATIVES);
        let next: Vec<_> = often.chain(alike).collect();
        let most = next.len();
        self.raise_unasked(catalog, next, most);
    }

    pub(crate) fn raise_unasked(&mut self, catalog: &Catalog, next: Vec<(ToolIx, Because)>, most: usize) {
        if !self.hides() {
            return;
        }
        let mut purse = Purse::spoken(self.watch.unasked(&self.settings));
        let before = purse.tokens;
        let mut left = most;
        for (tool, because) in next {
            let wish = Wish { tool, level: None, because, place: Place::Conversation };
            if left > 0 && self.raise(catalog, wish, &mut purse) {
                left -= 1;
            }
        }
        self.watch.spend(before - purse.tokens, &self.settings);
    }
}
