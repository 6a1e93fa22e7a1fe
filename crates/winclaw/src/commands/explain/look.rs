//! One request, weighed and exposed as a task would have it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use winclaw_agent::Ranking;
use winclaw_catalog::evidence::{Evidence, Hit};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{
    Because, Event, Exposure, Level, Overview, Row, Settings, Signal, Strategy, Surface, estimate_tokens,
};
use winclaw_intent::Query;

/// Where a task stands when the model is called.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Tools that were used, oldest first.
    pub used: Vec<ToolIx>,
    /// The step the model stated last.
    pub plan: Option<String>,
    /// Earlier requests of the session, oldest first.
    pub earlier: Vec<String>,
}

impl Context {
    /// Whether the request is the first thing that happens.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty() && self.plan.is_none() && self.earlier.is_empty()
    }
}

/// What is asked, and of which tools.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The tools.
    pub catalog: &'a Catalog,
    /// What was made of them.
    pub ranking: &'a Ranking,
    /// The request.
    pub request: &'a str,
    /// What came before it.
    pub context: &'a Context,
}

/// What one strategy shows for a request.
pub struct Look<'a> {
    /// What was asked.
    pub asked: Asked<'a>,
    /// What the strategy and the model allow.
    pub settings: Settings,
    /// What the request says about the tools.
    pub evidence: Evidence,
    /// Every tool: the highest level first, then the best hits.
    pub rows: Vec<Row>,
    /// What is sent.
    pub surface: Surface,
    /// Why the surface is as it is.
    pub overview: Overview,
    /// Where a further request of a session was weighed: what ending the epoch would cost, and what going on.
    pub weighed: Option<(u32, u32)>,
    /// Tools that ought to have risen and did not for want of budget, with what they would have taken.
    pub deferred: Vec<(ToolIx, u32, Because)>,
    hits: BTreeMap<ToolIx, usize>,
}

impl<'a> Look<'a> {
    /// Weighs and exposes.
    pub fn of(asked: Asked<'a>, settings: Settings) -> Look<'a> {
        let catalog = asked.catalog;
        let evidence = asked.weigh();
        let mut exposure = asked.expose(&evidence, &settings);
        let surface = exposure.surface(catalog);
        let hits: BTreeMap<ToolIx, usize> = evidence.hits.iter().enumerate().map(|(at, hit)| (hit.tool, at)).collect();
        let mut rows = exposure.rows(catalog);
        let rank = |tool: ToolIx| hits.get(&tool).copied().unwrap_or(usize::MAX);
        rows.sort_by_key(|row| (Reverse(row.level), rank(row.tool), row.tool));
        let (overview, weighed, deferred) = (exposure.overview(), weighed(&exposure), deferred(&exposure));
        Look { asked, settings, evidence, rows, surface, overview, weighed, deferred, hits }
    }

    /// The evidence for a tool.
    pub fn hit(&self, tool: ToolIx) -> Option<&Hit> {
        self.hits.get(&tool).and_then(|at| self.evidence.hits.get(*at))
    }

    /// The place of a tool among the hits, from 1.
    pub fn rank(&self, tool: ToolIx) -> Option<usize> {
        self.hits.get(&tool).map(|at| at + 1)
    }

    /// The tools above `Named`.
    pub fn shown(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.level > Level::Named)
    }

    /// Estimated tokens of what is sent besides the conversation.
    pub fn tokens(&self) -> u32 {
        self.surface.tokens.prefix.saturating_add(self.surface.tokens.tail)
    }

    /// The last message as the model reads it: the request with the tail behind it.
    pub fn message(&self) -> String {
        match &self.surface.tail {
            Some(tail) => format!("{}\n\n{tail}", self.asked.request),
            None => self.asked.request.to_owned(),
        }
    }
}

impl Asked<'_> {
    fn weigh(&self) -> Evidence {
        let earlier: Vec<&str> = self.context.earlier.iter().rev().map(String::as_str).collect();
        let plan_step = self.context.plan.as_deref();
        let query = Query { message: self.request, plan_step, used: &self.context.used, earlier: &earlier };
        self.ranking.index.weigh(self.catalog, &query)
    }

    /// A task begins with its request; one in progress began with the first there was, and has used its tools since.
    fn expose(&self, evidence: &Evidence, settings: &Settings) -> Exposure {
        let begin = |evidence: &Evidence| {
            Exposure::begin_prepared(self.catalog, &self.ranking.prepared, evidence, settings.clone())
        };
        if self.context.is_empty() {
            return begin(evidence);
        }
        let first = self.context.earlier.first().map_or(self.request, String::as_str);
        let first = self.ranking.index.weigh(self.catalog, &Query { message: first, ..Query::default() });
        let mut exposure = begin(&first);
        exposure.surface(self.catalog);
        for tool in &self.context.used {
            exposure.learn(self.catalog, Signal::Used(*tool));
        }
        match self.context.earlier.is_empty() {
            true => exposure.observe(self.catalog, evidence),
            false => exposure.new_request(self.catalog, evidence, self.history_tokens()),
        }
        exposure
    }

    /// What is known of the conversation so far, in estimated tokens. What was answered is not known.
    fn history_tokens(&self) -> u32 {
        let said = self.context.earlier.iter().map(String::as_str).chain(self.context.plan.as_deref());
        said.map(estimate_tokens).fold(0, u32::saturating_add)
    }

    /// The needs the request was split into; the plan step comes first.
    pub fn needs(&self) -> Vec<String> {
        let plan_step = self.context.plan.as_deref();
        Query { message: self.request, plan_step, ..Query::default() }.needs()
    }

    /// Estimated tokens of what the strategy `full` sends.
    pub fn everything(&self, settings: &Settings) -> u32 {
        let full = Settings { strategy: Strategy::Full, ..settings.clone() };
        let none = Evidence::default();
        let mut exposure = Exposure::begin_prepared(self.catalog, &self.ranking.prepared, &none, full);
        exposure.surface(self.catalog).tokens.prefix
    }
}

/// The prices of the last further request.
fn weighed(exposure: &Exposure) -> Option<(u32, u32)> {
    let prices = exposure.ledger().iter().rev().filter_map(|entry| match entry.event {
        Event::Weighed { rebilling, bridging } => Some((rebilling, bridging)),
        _ => None,
    });
    prices.into_iter().next()
}

/// Tools that were deferred and still stand at `Named`.
fn deferred(exposure: &Exposure) -> Vec<(ToolIx, u32, Because)> {
    let deferred = exposure.ledger().iter().filter_map(|entry| match entry.event {
        Event::Deferred { tool, tokens } => Some((tool, tokens, entry.because.clone())),
        _ => None,
    });
    deferred.filter(|(tool, ..)| exposure.level(*tool) == Level::Named).collect()
}
