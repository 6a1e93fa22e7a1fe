//! Opening an epoch: the transport, the tools array and the frozen prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::ToolSpec;

use crate::advice::{Advice, Leads};
use crate::catalogue::Catalogue;
use crate::exposure::{Purse, Wish};
use crate::learn::Watch;
use crate::prompt::{self, Facts};
use crate::{
    Because, Event, Exposure, Level, Place, Prefix, Prepared, Reach, Settings, Strategy, Transport, estimate_tokens,
    meta, schema,
};

/// Attempts beyond the number of tools a reach allows, for those that turn out too dear.
const SPARE_ATTEMPTS: usize = 8;

/// Most tools that a request may name exactly before the rest wait in the catalogue.
const MAX_EXACT: usize = 128;

impl Exposure {
    /// Begins a task: opens the first epoch and freezes its prefix.
    ///
    /// Prepares the catalog anew each time; [`Exposure::begin_prepared`] saves that.
    pub fn begin(catalog: &Catalog, evidence: &Evidence, settings: Settings) -> Exposure {
        Exposure::begin_prepared(catalog, &Arc::new(Prepared::new(catalog)), evidence, settings)
    }

    /// Begins a task on a catalog that was prepared before. `prepared` must have been made from this `catalog`.
    pub fn begin_prepared(
        catalog: &Catalog,
        prepared: &Arc<Prepared>,
        evidence: &Evidence,
        settings: Settings,
    ) -> Exposure {
        let mut exposure = Exposure::blank(Arc::clone(prepared), settings);
        match exposure.settings.strategy {
            Strategy::Progressive => exposure.open(catalog, evidence),
            Strategy::Full | Strategy::Hard => exposure.open_for_comparison(catalog, evidence),
        }
        exposure
    }

    fn blank(prepared: Arc<Prepared>, settings: Settings) -> Exposure {
        Exposure {
            transport: transport(&prepared, &settings),
            watch: Watch::new(&settings),
            settings,
            prepared,
            reach: Reach::Recommended,
            epoch: 1,
            turn: 0,
            standing: BTreeMap::new(),
            core: BTreeSet::new(),
            prefix: Arc::default(),
            prefix_tokens: 0,
            everything: 0,
            catalogue: Catalogue::none(),
            pending: Vec::new(),
            advice: Advice::default(),
            deferred: BTreeSet::new(),
            used: BTreeSet::new(),
            read_whole: BTreeSet::new(),
            ledger: Vec::new(),
        }
    }

    fn open(&mut self, catalog: &Catalog, evidence: &Evidence) {
        let leads = Leads::of(&self.prepared, &self.settings, evidence);
        if !leads.strong {
            self.reach = Reach::Extended;
        }
        let slots = self.add_core(catalog);
        match self.transport {
            Transport::Direct => self.add_all(catalog, &leads, slots),
            Transport::Bridge | Transport::Native => self.add_recommended(catalog, &leads, slots),
        }
        self.freeze(catalog, Because::TaskBegan);
        if self.transport == Transport::Direct {
            self.follow(catalog, &leads);
        }
        self.advise(leads);
    }

    /// Puts the tools marked `always_load` into the array; returns the entries left beside them and the meta tools.
    fn add_core(&mut self, catalog: &Catalog) -> usize {
        let meta = meta::specs(&self.settings).len();
        let mut purse = Purse { tokens: self.settings.core_tokens(), slots: self.settings.slots() - meta };
        for tool in self.prepared.core.clone() {
            let wish = Wish { tool, level: Some(Level::Full), because: Because::AlwaysLoad, place: Place::Array };
            self.raise(catalog, wish, &mut purse);
        }
        self.core = self.standing.keys().copied().collect();
        purse.slots
    }

    /// Puts every tool into the array, as far as the window and the vendor allow. What goes in does not depend on the
    /// evidence; it only lends its reasons.
    fn add_all(&mut self, catalog: &Catalog, leads: &Leads, slots: usize) {
        let reasons: BTreeMap<ToolIx, &Because> = leads.ranked.iter().map(|lead| (lead.tool, &lead.because)).collect();
        let tokens = match self.fits_array() {
            true => u32::MAX,
            false => self.settings.overflow_tokens(),
        };
        let slots = if self.fits_array() { usize::MAX } else { slots };
        let mut purse = Purse { tokens, slots };
        for tool in catalog.permitted() {
            let because = reasons.get(&tool).map_or(Because::FitsWhole, |because| (*because).clone());
            self.raise(catalog, Wish { tool, level: Some(Level::Full), because, place: Place::Array }, &mut purse);
        }
    }

    /// Whether all schemas fit the array when no meta tool but `ask_user` needs a place.
    fn fits_array(&self) -> bool {
        let ask = usize::from(self.settings.allows("ask_user"));
        self.prepared.count + ask <= self.settings.slots()
            && self.prepared.everything <= self.settings.overflow_tokens()
    }

    /// Puts what the evidence recommends into the array: first what the request names, then by rank.
    fn add_recommended(&mut self, catalog: &Catalog, leads: &Leads, slots: usize) {
        let (most, tokens) = self.settings.share(self.reach);
        let (_, widest) = self.settings.share(Reach::Full);
        let mut purse = Purse { tokens: widest, slots };
        for lead in leads.ranked.iter().filter(|lead| lead.exact).take(MAX_EXACT) {
            self.raise(catalog, lead.wish(Place::Array), &mut purse);
        }
        let mut purse = Purse { tokens, slots: purse.slots };
        let mut left = most;
        for lead in leads.within(self.reach).take(most + SPARE_ATTEMPTS) {
            if left > 0 && self.raise(catalog, lead.wish(Place::Array), &mut purse) {
                left -= 1;
            }
        }
    }

    /// Puts the tools the task has called into the array of the epoch about to be opened, as far as there is room.
    pub(crate) fn promote_used(&mut self) {
        let meta = meta::specs(&self.settings).len();
        let taken = self.standing.values().filter(|standing| standing.in_array).count();
        let mut slots = self.settings.slots().saturating_sub(meta + taken);
        let (_, mut tokens) = self.settings.share(Reach::Full);
        for tool in &self.used {
            let Some(standing) = self.standing.get_mut(tool).filter(|standing| !standing.in_array) else {
                continue;
            };
            let cost = self.prepared.cost(*tool, standing.level);
            if slots > 0 && cost <= tokens && standing.level > Level::Named {
                standing.in_array = true;
                (slots, tokens) = (slots - 1, tokens - cost);
            }
        }
    }

    /// Whether some permitted tool is not in the array.
    pub(crate) fn hides(&self) -> bool {
        self.standing.values().filter(|standing| standing.in_array).count() < self.prepared.count
    }

    /// Makes the prefix from what is in the array, and opens the epoch with it.
    pub(crate) fn freeze(&mut self, catalog: &Catalog, cause: Because) {
        let hides = self.hides();
        let all_names = !self.settings.allows("tool_search");
        self.catalogue = match hides {
            true => Catalogue::write(catalog, &self.prepared.shelves, self.settings.catalogue_tokens(), all_names),
            false => Catalogue::none(),
        };
        let facts = Facts {
            any: self.prepared.count > 0,
            some_hidden: hides,
            some_brief: self.standing.values().any(|standing| standing.in_array && standing.level == Level::Brief),
            catalogue: &self.catalogue.text,
        };
        let system = prompt::system(&self.settings, &facts);
        let meta = meta::specs(&self.settings).into_iter().filter(|spec| facts.has(&spec.name));
        let tools = meta.chain(self.array(catalog)).collect();
        self.seal(Prefix { system, tools, ..Prefix::default() }, cause);
    }

    /// The schemas of the array: the core by id, then the others by id. The order does not depend on scores, so that
    /// like requests have like prefixes.
    fn array(&self, catalog: &Catalog) -> Vec<ToolSpec> {
        let (core, rest): (Vec<_>, Vec<_>) =
            self.standing.iter().filter(|(_, standing)| standing.in_array).partition(|(ix, _)| self.core.contains(ix));
        core.into_iter().chain(rest).map(|(ix, standing)| schema::spec(catalog.get(*ix), standing.level)).collect()
    }

    pub(crate) fn seal(&mut self, prefix: Prefix, cause: Because) {
        self.prefix_tokens = prefix.tokens();
        let all_direct = Facts { any: true, ..Facts::default() };
        let system = prompt::system(&self.settings, &all_direct);
        self.everything = estimate_tokens(&system).saturating_add(self.prepared.everything);
        self.prefix = Arc::new(prefix);
        let opened = Event::Opened { transport: self.transport, prefix_tokens: self.prefix_tokens };
        self.log(opened, cause);
    }
}

/// Direct when all schemas are small, when that was asked for, or when a meta tool that Bridge needs is denied.
fn transport(prepared: &Prepared, settings: &Settings) -> Transport {
    if !settings.can_bridge() {
        return Transport::Direct;
    }
    let ask = usize::from(settings.allows("ask_user"));
    let small = prepared.everything <= settings.direct_tokens() && prepared.count + ask <= settings.slots();
    settings.transport.unwrap_or(if small { Transport::Direct } else { Transport::Bridge })
}
