//! Opening an epoch: the transport and the frozen prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::ToolSpec;

use crate::advice::{Advice, Leads};
use crate::catalogue::Catalogue;
use crate::learn::Watch;
use crate::news::News;
use crate::prompt::{self, Facts};
use crate::tokens::{estimate_tokens, quarters, tokens};
use crate::{Because, Event, Exposure, Level, Prefix, Prepared, Reach, Settings, Strategy, Transport, meta};

/// Most tools in a request that defers some, the array included; Anthropic takes 10,000. What exceeds it is reached through
/// `tool_call`.
const MAX_WITH_DEFERRED: usize = 10_000;

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

    pub(crate) fn blank(prepared: Arc<Prepared>, settings: Settings) -> Exposure {
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
            last_request: 0,
            catalogue: Arc::new(Catalogue::none()),
            offered: [false; 4],
            referable: BTreeSet::new(),
            pending: Vec::new(),
            forgotten: Vec::new(),
            news: News::default(),
            advice: Advice::default(),
            deferred: BTreeSet::new(),
            used: Vec::new(),
            barred: BTreeSet::new(),
            untold: Vec::new(),
            read_whole: BTreeSet::new(),
            ledger: Vec::new(),
        }
    }

    fn open(&mut self, catalog: &Catalog, evidence: &Evidence) {
        let leads = Leads::of(&self.prepared, &self.settings, evidence);
        if !leads.strong {
            self.reach = Reach::Extended;
        }
        self.assemble(catalog, &[], Some(&leads));
        self.freeze(catalog, Because::TaskBegan, 0);
        if self.transport == Transport::Direct {
            self.follow(catalog, &leads);
        }
        self.advise(leads);
    }

    /// Makes the prefix from what is in the array, and opens the epoch with it. `history` is what stands behind it and has
    /// to be billed again.
    pub(crate) fn freeze(&mut self, catalog: &Catalog, cause: Because, history: u32) {
        let hides = self.hides();
        let all_names = !self.settings.allows("tool_search");
        self.catalogue = match hides {
            true => self.prepared.catalogue(catalog, self.settings.catalogue_room(), all_names),
            false => Arc::new(Catalogue::none()),
        };
        self.news.forget_names();
        let facts = self.facts(hides);
        self.offered = facts.offered;
        let head = prompt::head(&self.settings, &facts, &self.guidance(catalog));
        let mut cost = quarters(&head);
        let mut system = head;
        if !self.catalogue.text.is_empty() {
            let heading = prompt::catalogue_heading(&system);
            cost += quarters(heading) + self.catalogue.quarters;
            system.push_str(heading);
            system.push_str(&self.catalogue.text);
        }
        let (tools, of_tools) = self.array(catalog);
        let room = if self.refers() { MAX_WITH_DEFERRED.saturating_sub(tools.len()) } else { 0 };
        let deferred = self.defer_rest(catalog, room);
        self.seal(Prefix { system, tools, deferred }, tokens(cost).saturating_add(of_tools), cause, history);
    }

    /// What is true of the array as it stands.
    fn facts(&self, hides: bool) -> Facts {
        let brief = self.standing.values().any(|standing| standing.array == Some(Level::Brief));
        Facts {
            any: self.prepared.count > 0,
            hides,
            brief,
            native: self.transport == Transport::Native,
            offered: meta::offered(&self.settings, hides, brief),
        }
    }

    /// The schemas of the array and what they take: the meta tools, the core by id, then the others by id. The order does
    /// not depend on scores, so that like requests have like prefixes.
    fn array(&self, catalog: &Catalog) -> (Vec<Arc<ToolSpec>>, u32) {
        let mut specs: Vec<Arc<ToolSpec>> = Vec::new();
        let mut cost = 0;
        for (spec, tokens) in meta::all().filter(|(spec, _)| self.offers(&spec.name)) {
            specs.push(Arc::clone(spec));
            cost += tokens;
        }
        let in_array = || self.standing.iter().filter_map(|(ix, standing)| Some((*ix, standing.array?)));
        let core = in_array().filter(|(ix, _)| self.core.contains(ix));
        let rest = in_array().filter(|(ix, _)| !self.core.contains(ix));
        for (ix, level) in core.chain(rest) {
            specs.push(self.prepared.spec(catalog, ix, level));
            cost = self.prepared.cost(ix, level).saturating_add(cost);
        }
        (specs, cost)
    }

    /// Permitted tools that are not in the array, whole, by id, as many as there is `room` for.
    fn defer_rest(&mut self, catalog: &Catalog, room: usize) -> Vec<Arc<ToolSpec>> {
        let rest: Vec<ToolIx> =
            catalog.permitted().filter(|ix| !self.in_array(*ix) && !self.barred.contains(ix)).take(room).collect();
        self.referable = rest.iter().copied().collect();
        rest.into_iter().map(|ix| self.prepared.spec(catalog, ix, Level::Full)).collect()
    }

    pub(crate) fn seal(&mut self, prefix: Prefix, prefix_tokens: u32, cause: Because, history: u32) {
        self.prefix_tokens = prefix_tokens;
        let all_direct = Facts { any: true, offered: meta::offered(&self.settings, false, false), ..Facts::default() };
        let head = prompt::head(&self.settings, &all_direct, "");
        self.everything = estimate_tokens(&head).saturating_add(self.prepared.everything);
        self.prefix = Arc::new(prefix);
        let rebilled = prefix_tokens.saturating_add(history);
        self.log(Event::Opened { transport: self.transport, prefix_tokens, rebilled }, cause);
    }
}

/// Direct when all schemas are small, when that was asked for, or when a meta tool that the others need is denied; else
/// what the vendor has, if it has anything; else Bridge.
pub(crate) fn transport(prepared: &Prepared, settings: &Settings) -> Transport {
    if !settings.can_bridge() {
        return Transport::Direct;
    }
    let ask = usize::from(settings.allows("ask_user"));
    let small = prepared.everything <= settings.direct_tokens() && prepared.count + ask <= settings.slots();
    let hiding = if settings.native.is_some() { Transport::Native } else { Transport::Bridge };
    match settings.transport {
        Some(Transport::Native) => hiding,
        Some(asked) => asked,
        None if small => Transport::Direct,
        None => hiding,
    }
}
