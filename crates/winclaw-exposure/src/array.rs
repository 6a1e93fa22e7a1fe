//! The tools array of an epoch: who gets a place in it.

use std::collections::{BTreeMap, BTreeSet};

use winclaw_catalog::{Catalog, ToolIx};

use crate::advice::Leads;
use crate::raise::{Purse, Wish};
use crate::{Because, Event, Exposure, Level, Place, Reach, Transport};

/// Attempts beyond the number of tools a reach allows, for those that turn out too dear.
const SPARE_ATTEMPTS: usize = 8;

/// Most tools that a request may name exactly before the rest wait in the catalogue.
pub(crate) const MAX_EXACT: usize = 128;

impl Exposure {
    /// Chooses the array anew: the core, then everything (Direct) or what was `kept` and what the evidence recommends.
    pub(crate) fn assemble(&mut self, catalog: &Catalog, kept: &[ToolIx], leads: Option<&Leads>) {
        let earlier = self.background();
        self.clear_array();
        let slots = self.add_core(catalog);
        if self.transport == Transport::Direct {
            return self.add_all(catalog, kept, leads, slots);
        }
        let mut slots = self.add_kept(catalog, kept, slots);
        if let Some(leads) = leads {
            slots = self.add_recommended(catalog, leads, slots);
        }
        self.add_background(catalog, leads, earlier, slots);
    }

    /// Takes every tool out of the array.
    pub(crate) fn clear_array(&mut self) {
        for standing in self.standing.values_mut() {
            (standing.array, standing.stale, standing.background) = (None, false, false);
        }
    }

    /// The further hits that stand in the array, and why.
    fn background(&self) -> Vec<(ToolIx, Because)> {
        let hits = self.standing.iter().filter(|(_, standing)| standing.background && standing.in_array());
        hits.map(|(ix, standing)| (*ix, self.because(standing).clone())).collect()
    }

    /// Puts the tools marked `always_load` into the array; returns the entries left beside them and the meta tools, whose
    /// places nobody takes.
    fn add_core(&mut self, catalog: &Catalog) -> usize {
        let meta = winclaw_catalog::RESERVED.iter().filter(|name| self.settings.allows(name)).count();
        let mut purse = Purse { tokens: self.settings.core_tokens(), slots: self.settings.slots() - meta };
        let core = self.prepared.core.clone();
        let wish = |tool| Wish { tool, level: Some(Level::Full), because: Because::AlwaysLoad, place: Place::Array };
        self.add_or_count(catalog, core.into_iter().map(wish), &mut purse, &Because::AlwaysLoad);
        self.core = self.standing.iter().filter(|(_, standing)| standing.array.is_some()).map(|(ix, _)| *ix).collect();
        purse.slots
    }

    /// Puts every tool into the array, as far as the window and the vendor allow: what the task used first, then one of
    /// each source in turn. What goes in does not depend on the evidence; it only lends its reasons.
    fn add_all(&mut self, catalog: &Catalog, kept: &[ToolIx], leads: Option<&Leads>, slots: usize) {
        let whole = self.fits_array();
        let mut purse = match whole {
            true => Purse { tokens: u32::MAX, slots: usize::MAX },
            false => Purse { tokens: self.settings.overflow_tokens(), slots },
        };
        let reasons: BTreeMap<ToolIx, &Because> =
            leads.into_iter().flat_map(|leads| &leads.ranked).map(|lead| (lead.tool, &lead.because)).collect();
        let because = |tool| reasons.get(&tool).map_or(Because::FitsWhole, |because| (*because).clone());
        let wish = |tool| Wish { tool, level: Some(Level::Full), because: because(tool), place: Place::Array };
        let all: Vec<ToolIx> = if whole { catalog.permitted().collect() } else { self.prepared.order.clone() };
        for tool in kept.iter().filter(|_| !whole) {
            self.try_raise(catalog, wish(*tool), &mut purse);
        }
        self.add_or_count(catalog, all.into_iter().map(wish), &mut purse, &Because::FitsWhole);
    }

    /// Whether all schemas fit the array when no meta tool but `ask_user` needs a place.
    fn fits_array(&self) -> bool {
        let ask = usize::from(self.settings.allows("ask_user"));
        self.prepared.count + ask <= self.settings.slots()
            && self.prepared.everything <= self.settings.overflow_tokens()
    }

    /// Raises into the array what the purse reaches, and writes one entry for all the rest, counted by source.
    fn add_or_count(
        &mut self,
        catalog: &Catalog,
        wishes: impl Iterator<Item = Wish>,
        purse: &mut Purse,
        because: &Because,
    ) {
        let mut sources: BTreeMap<&str, u32> = BTreeMap::new();
        for wish in wishes {
            let tool = wish.tool;
            if !self.try_raise(catalog, wish, purse) && self.prepared.permits(tool) {
                *sources.entry(catalog.get(tool).id.source()).or_default() += 1;
            }
        }
        if !sources.is_empty() {
            let sources = sources.into_iter().map(|(source, count)| (source.to_owned(), count)).collect();
            self.log(Event::Overflow { sources }, because.clone());
        }
    }

    /// Puts tools that stood above `Named` into the array, as they stand; returns the entries left.
    fn add_kept(&mut self, catalog: &Catalog, kept: &[ToolIx], slots: usize) -> usize {
        let (_, tokens) = self.settings.share(Reach::Full);
        let mut purse = Purse { tokens, slots };
        for &tool in kept {
            let level = Some(self.level(tool)).filter(|level| *level > Level::Named);
            let wish = Wish { tool, level, because: Because::Used, place: Place::Array };
            self.try_raise(catalog, wish, &mut purse);
        }
        purse.slots
    }

    /// Puts what the evidence recommends into the array: first what the request names, then by rank, where a quarter of the
    /// places goes to others than the best source as long as others fit. Returns the entries left.
    fn add_recommended(&mut self, catalog: &Catalog, leads: &Leads, slots: usize) -> usize {
        let (most, tokens) = self.settings.share(self.reach);
        let (_, widest) = self.settings.share(Reach::Full);
        let mut purse = Purse { tokens: widest, slots };
        for lead in leads.ranked.iter().filter(|lead| lead.exact).take(MAX_EXACT) {
            self.raise(catalog, lead.wish(Place::Array), &mut purse);
        }
        let mut purse = Purse { tokens, slots: purse.slots };
        let mut left = most;
        let ranked = no_source_first(catalog, leads.within(self.reach), |lead| lead.tool, most - most / 4);
        for lead in ranked.into_iter().take(most + SPARE_ATTEMPTS) {
            if left > 0 && self.raise(catalog, lead.wish(Place::Array), &mut purse) {
                left -= 1;
            }
        }
        purse.slots
    }

    /// What the schemas of the array take.
    fn array_tokens(&self) -> u32 {
        let levels = self.standing.iter().filter_map(|(ix, standing)| Some((*ix, standing.array?)));
        levels.map(|(ix, level)| self.prepared.cost(ix, level)).fold(0, u32::saturating_add)
    }

    /// Puts the next hits into the array, in brief: a tool that ranks further down costs little there and spares a search.
    /// Behind them come those of the `earlier` epoch, so that they stay as long as no others take their room.
    ///
    /// It ends where half of what all schemas take would be shown, since showing most of everything is no choice; and no
    /// source gets more than half of the entries before the others had theirs.
    fn add_background(
        &mut self,
        catalog: &Catalog,
        leads: Option<&Leads>,
        earlier: Vec<(ToolIx, Because)>,
        slots: usize,
    ) {
        let recommended: BTreeSet<ToolIx> = self.standing.keys().copied().filter(|ix| self.in_array(*ix)).collect();
        let (mut left, tokens) = self.settings.background();
        let half = (self.prepared.everything / 2).saturating_sub(self.array_tokens());
        let mut purse = Purse { tokens: tokens.min(half), slots };
        let hits = leads.into_iter().flat_map(|leads| leads.within(Reach::Extended));
        let hits = hits.map(|lead| (lead.tool, &lead.because)).chain(earlier.iter().map(|(tool, why)| (*tool, why)));
        let hits: Vec<_> = hits.filter(|(tool, _)| !self.schema_shown(*tool)).collect();
        for (tool, because) in no_source_first(catalog, hits, |hit| hit.0, left / 2) {
            if left > 0 && !self.schema_shown(tool) {
                let level = Some(self.modest(catalog, tool));
                let wish = Wish { tool, level, because: because.clone(), place: Place::Array };
                left -= usize::from(self.try_raise(catalog, wish, &mut purse));
            }
        }
        for (ix, standing) in &mut self.standing {
            standing.background = standing.array.is_some() && !recommended.contains(ix);
        }
    }
}

/// The hits in their order, but of each source only `most`; what a source has beyond that comes behind all others.
fn no_source_first<T>(
    catalog: &Catalog,
    hits: impl IntoIterator<Item = T>,
    tool: impl Fn(&T) -> ToolIx,
    most: usize,
) -> Vec<T> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let fits = |hit: &T| {
        let count = counts.entry(catalog.get(tool(hit)).id.source()).or_default();
        *count += 1;
        *count <= most
    };
    let (mut first, rest): (Vec<_>, Vec<_>) = hits.into_iter().partition(fits);
    first.extend(rest);
    first
}
