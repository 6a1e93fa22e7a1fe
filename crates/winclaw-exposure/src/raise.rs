//! Raising a tool with what it requires, as far as a budget goes.

use winclaw_catalog::{Catalog, ToolIx};

use crate::{Because, Event, Exposure, Level, Native, Place, Transport};

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
    /// Raises a tool with everything it requires, or leaves all of them where they are if the purse does not reach, which
    /// the ledger says once an epoch. Says whether the tool now stands at least as high as wished or, failing that, in
    /// brief.
    pub(crate) fn raise(&mut self, catalog: &Catalog, wish: Wish, purse: &mut Purse) -> bool {
        let (tool, because) = (wish.tool, wish.because.clone());
        let raised = self.try_raise(catalog, wish, purse);
        if !raised && !self.is_fixed() && self.prepared.permits(tool) && self.deferred.insert(tool) {
            let tokens = self.price(&self.group(catalog, tool), Level::Brief, Place::Conversation).tokens;
            self.log(Event::Deferred { tool, tokens }, because);
        }
        raised
    }

    /// [`Exposure::raise`] without a word in the ledger when the purse does not reach.
    pub(crate) fn try_raise(&mut self, catalog: &Catalog, wish: Wish, purse: &mut Purse) -> bool {
        if self.is_fixed() || !self.prepared.permits(wish.tool) {
            return false;
        }
        let group = self.group(catalog, wish.tool);
        let level = wish.level.unwrap_or_else(|| self.natural(&group));
        if self.stands(wish.tool, level, wish.place) {
            return true;
        }
        let Some((level, price)) = self.affordable(&group, level, wish.place, purse) else {
            return false;
        };
        purse.tokens -= price.tokens;
        purse.slots -= price.slots;
        let (last, others) = group.split_last().expect("a group has its tool at least");
        for member in others {
            self.set(catalog, *member, level, Because::RequiredBy(wish.tool), wish.place);
        }
        self.set(catalog, *last, level, wish.because, wish.place);
        true
    }

    /// Everything permitted that the tool requires, and the tool itself at the end.
    pub(crate) fn group(&self, catalog: &Catalog, tool: ToolIx) -> Vec<ToolIx> {
        let mut group = if catalog.requires(tool).is_empty() { Vec::new() } else { catalog.closure(tool) };
        group.retain(|ix| *ix != tool && self.prepared.permits(*ix));
        group.push(tool);
        group
    }

    /// Whether the model has, or is about to read, the tool at `level` in this place.
    fn stands(&self, ix: ToolIx, level: Level, place: Place) -> bool {
        if self.level(ix) < level {
            return false;
        }
        match place {
            Place::Array => self.standing.get(&ix).is_some_and(|standing| standing.array.is_some()),
            Place::Conversation | Place::Revealed => self.told(ix) >= level || self.pending.contains(&ix),
        }
    }

    /// `Brief`, or `Full` where that is the same of the tool and of all it requires.
    pub(crate) fn modest(&self, catalog: &Catalog, tool: ToolIx) -> Level {
        let whole = |ix: &ToolIx| self.prepared.read(*ix, Level::Brief) == Level::Full;
        if self.group(catalog, tool).iter().all(whole) { Level::Full } else { Level::Brief }
    }

    fn natural(&self, group: &[ToolIx]) -> Level {
        let small = self.settings.budgets.small_schema.saturating_mul(group.len() as u32);
        let full = group.iter().map(|ix| self.prepared.cost(*ix, Level::Full)).fold(0, u32::saturating_add);
        if full <= small { Level::Full } else { Level::Brief }
    }

    /// The highest level up to `level` that the purse reaches for all that do not stand there yet.
    fn affordable(&self, group: &[ToolIx], level: Level, place: Place, purse: &Purse) -> Option<(Level, Purse)> {
        // A reference brings the whole schema, whatever was wished.
        let whole_only = place == Place::Revealed && self.refers();
        let lower = level == Level::Full && !whole_only && self.settings.allows("tool_details");
        let levels = [Some(level), lower.then_some(Level::Brief)];
        levels.into_iter().flatten().find_map(|level| {
            let price = self.price(group, level, place);
            let nothing_new = group.iter().all(|ix| self.stands(*ix, level, place));
            (!nothing_new && price.tokens <= purse.tokens && price.slots <= purse.slots).then_some((level, price))
        })
    }

    /// What it takes to have all of a group at `level` in this place. What stood higher before is shown as it stood.
    fn price(&self, group: &[ToolIx], level: Level, place: Place) -> Purse {
        let due = || group.iter().filter(|ix| !self.stands(**ix, level, place));
        let tokens = due().map(|ix| self.prepared.cost(*ix, level.max(self.level(*ix)))).fold(0, u32::saturating_add);
        let slots = match place {
            Place::Array => due().filter(|ix| !self.in_array(**ix)).count(),
            Place::Conversation | Place::Revealed => 0,
        };
        Purse { tokens, slots }
    }

    /// Puts one tool at `level` in this place, unless it stands there or higher.
    pub(crate) fn set(&mut self, catalog: &Catalog, tool: ToolIx, level: Level, because: Because, place: Place) {
        let refused = place == Place::Array && self.barred.contains(&tool);
        if refused || self.stands(tool, level, place) {
            return;
        }
        let (from, at) = (self.level(tool), self.ledger.len());
        let standing = self.standing.entry(tool).or_default();
        standing.level = from.max(level);
        let to = standing.level;
        if to > from {
            standing.why = Some(at);
        }
        match place {
            Place::Array => (standing.array, standing.stale) = (Some(to), false),
            Place::Conversation | Place::Revealed => self.owe(tool),
        }
        let tokens = self.prepared.cost(tool, to);
        let fingerprint = catalog.get(tool).fingerprint.clone();
        let event = match (to > from, place) {
            (true, _) => Event::Raised { tool, from, to, place, fingerprint, tokens },
            (false, Place::Array) => Event::Promoted { tool, fingerprint, tokens },
            (false, _) => Event::ShownAgain { tool, fingerprint, tokens },
        };
        self.log(event, because);
    }

    /// Puts the tool among those whose schema the next payload holds, unless the model has it.
    pub(crate) fn owe(&mut self, tool: ToolIx) {
        if self.told(tool) < self.level(tool) && !self.pending.contains(&tool) {
            self.pending.push(tool);
            self.forgotten.retain(|forgotten| *forgotten != tool);
        }
    }

    /// Whether results refer to deferred tools by name.
    pub(crate) fn refers(&self) -> bool {
        self.transport == Transport::Native && self.settings.native == Some(Native::References)
    }
}
