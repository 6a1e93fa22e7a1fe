use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use winclaw_catalog::{Catalog, ToolIx};

use crate::advice::Advice;
use crate::catalogue::Catalogue;
use crate::learn::Watch;
use crate::{Because, Entry, Event, Level, Place, Prefix, Prepared, Reach, Settings, Strategy, Transport};

/// The state of one task: what stands at which level, why, and what the model has been told.
///
/// Every call must be given the catalog of [`Exposure::begin`], or one with the same tools of which some are now
/// disabled; a catalog with other tools needs a new task.
#[derive(Debug, Clone)]
pub struct Exposure {
    pub(crate) settings: Settings,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) transport: Transport,
    pub(crate) reach: Reach,
    pub(crate) epoch: u32,
    pub(crate) turn: u32,
    /// The tools above `Named` or told in the conversation; all others are `Named`.
    pub(crate) standing: BTreeMap<ToolIx, Standing>,
    /// The tools of the reserved core, which stand first in the array.
    pub(crate) core: BTreeSet<ToolIx>,
    pub(crate) prefix: Arc<Prefix>,
    pub(crate) prefix_tokens: u32,
    pub(crate) everything: u32,
    pub(crate) catalogue: Catalogue,
    /// Raised, but in no payload yet.
    pub(crate) pending: Vec<ToolIx>,
    pub(crate) advice: Advice,
    pub(crate) watch: Watch,
    pub(crate) deferred: BTreeSet<ToolIx>,
    /// Tools the task has called; they are in the array of the next epoch.
    pub(crate) used: BTreeSet<ToolIx>,
    /// Tools whose uncut description the model has read.
    pub(crate) read_whole: BTreeSet<ToolIx>,
    pub(crate) ledger: Vec<Entry>,
}

/// Where one tool stands.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    pub(crate) level: Level,
    /// The level at which its schema is in the prefix or the conversation. Below `level` only while it is pending;
    /// above it when the schema was asked for and what the tool requires was too much to show with it.
    pub(crate) told: Level,
    pub(crate) because: Because,
    pub(crate) in_array: bool,
}

impl Default for Standing {
    fn default() -> Self {
        Standing { level: Level::Named, told: Level::Named, because: Because::Listed, in_array: false }
    }
}

/// What may still be spent on raising tools.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purse {
    pub(crate) tokens: u32,
    /// Entries of the tools array.
    pub(crate) slots: usize,
}

impl Purse {
    /// For text in the conversation, which takes no entries.
    pub(crate) fn spoken(tokens: u32) -> Purse {
        Purse { tokens, slots: usize::MAX }
    }
}

/// How a tool is to rise.
pub(crate) struct Wish {
    pub(crate) tool: ToolIx,
    /// `None`: in full if it and what it requires are small, else in brief.
    pub(crate) level: Option<Level>,
    pub(crate) because: Because,
    pub(crate) place: Place,
}

impl Exposure {
    /// The level of a tool now.
    pub fn level(&self, ix: ToolIx) -> Level {
        self.standing.get(&ix).map_or(Level::Named, |standing| standing.level)
    }

    /// The reach now.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The transport of the epoch.
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// The strategy of the task.
    pub fn strategy(&self) -> Strategy {
        self.settings.strategy
    }

    /// Every decision so far, in order.
    pub fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// Whether the whole or cut schema of the tool is in what the model has read or will read next.
    pub fn schema_shown(&self, ix: ToolIx) -> bool {
        self.standing.get(&ix).is_some_and(|standing| standing.level.max(standing.told) > Level::Named)
    }

    /// Whether the tool stands in the tools array, so that models call it natively.
    pub fn in_array(&self, ix: ToolIx) -> bool {
        self.standing.get(&ix).is_some_and(|standing| standing.in_array)
    }

    /// Whether a person compares strategies; such an exposure never changes.
    pub(crate) fn is_fixed(&self) -> bool {
        self.settings.strategy != Strategy::Progressive
    }

    pub(crate) fn told(&self, ix: ToolIx) -> Level {
        self.standing.get(&ix).map_or(Level::Named, |standing| standing.told)
    }

    pub(crate) fn log(&mut self, event: Event, because: Because) {
        self.ledger.push(Entry { turn: self.turn, epoch: self.epoch, event, because });
    }

    /// Raises a tool with everything it requires, or leaves all of them where they are if the purse does not reach.
    /// Says whether the tool now stands at least as high as wished or, failing that, in brief.
    pub(crate) fn raise(&mut self, catalog: &Catalog, wish: Wish, purse: &mut Purse) -> bool {
        if self.is_fixed() || !self.prepared.permits(wish.tool) {
            return false;
        }
        let group = self.group(catalog, wish.tool);
        let level = wish.level.unwrap_or_else(|| self.natural(&group));
        if self.level(wish.tool) >= level {
            return true;
        }
        let Some((level, price)) = self.affordable(&group, level, purse) else {
            self.defer(wish.tool, self.price(&group, Level::Brief).tokens, wish.because);
            return false;
        };
        purse.tokens -= price.tokens;
        purse.slots -= price.slots;
        for member in group {
            let own = member == wish.tool;
            let because = if own { wish.because.clone() } else { Because::RequiredBy(wish.tool) };
            self.set(catalog, member, level, because, wish.place);
        }
        true
    }

    /// The tool and everything permitted that it requires.
    fn group(&self, catalog: &Catalog, tool: ToolIx) -> Vec<ToolIx> {
        let mut group = if catalog.requires(tool).is_empty() { Vec::new() } else { catalog.closure(tool) };
        group.retain(|ix| *ix != tool && self.prepared.permits(*ix));
        group.push(tool);
        group
    }

    fn natural(&self, group: &[ToolIx]) -> Level {
        let small = self.settings.budgets.small_schema.saturating_mul(group.len() as u32);
        let full = group.iter().map(|ix| self.prepared.cost(*ix, Level::Full)).fold(0, u32::saturating_add);
        if full <= small { Level::Full } else { Level::Brief }
    }

    /// The highest level up to `level` that the purse reaches for all that do not stand there yet.
    fn affordable(&self, group: &[ToolIx], level: Level, purse: &Purse) -> Option<(Level, Purse)> {
        let lower = (level == Level::Full && self.settings.allows("tool_details")).then_some(Level::Brief);
        let mut levels = [Some(level), lower].into_iter().flatten();
        levels.find_map(|level| {
            let price = self.price(group, level);
            let nothing_new = group.iter().all(|ix| self.level(*ix) >= level);
            (!nothing_new && price.tokens <= purse.tokens && price.slots <= purse.slots).then_some((level, price))
        })
    }

    fn price(&self, group: &[ToolIx], level: Level) -> Purse {
        let rising = group.iter().filter(|ix| self.level(**ix) < level);
        let tokens = rising.map(|ix| self.prepared.cost(*ix, level)).fold(0, u32::saturating_add);
        let slots = group.iter().filter(|ix| self.level(**ix) == Level::Named).count();
        Purse { tokens, slots }
    }

    fn defer(&mut self, tool: ToolIx, tokens: u32, because: Because) {
        if self.deferred.insert(tool) {
            self.log(Event::Deferred { tool, tokens }, because);
        }
    }

    /// Puts one tool at `level`, unless it stands there or higher.
    pub(crate) fn set(&mut self, catalog: &Catalog, tool: ToolIx, level: Level, because: Because, place: Place) {
        let from = self.level(tool);
        if from >= level {
            return;
        }
        let standing = self.standing.entry(tool).or_default();
        standing.level = level;
        standing.because = because.clone();
        match place {
            Place::Array => {
                standing.told = self.prepared.read(tool, level);
                standing.in_array = true;
            }
            Place::Conversation if standing.told < level && !self.pending.contains(&tool) => self.pending.push(tool),
            Place::Conversation => {}
        }
        let fingerprint = catalog.get(tool).fingerprint.clone();
        let tokens = self.prepared.cost(tool, level);
        self.log(Event::Raised { tool, from, to: level, place, fingerprint, tokens }, because);
    }
}
