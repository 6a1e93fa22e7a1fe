//! The engines of the founding story, re-expressed as data: `founding.json` holds the intents, their words and what they let through.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_eval::Dataset;
use winclaw_exposure::{Exposure, Settings, Strategy};

#[derive(Deserialize)]
struct Table {
    always: Vec<String>,
    intents: Vec<Intent>,
}

#[derive(Deserialize)]
struct Intent {
    words: Vec<String>,
    recommended: Vec<String>,
    extended: Vec<String>,
}

/// What an engine showed on the first call, over all requests of a dataset.
pub struct FirstLook {
    /// Share of the requests all of whose needs were shown.
    pub all: f64,
    /// Mean tokens of the schemas.
    pub tokens: f64,
}

/// The engines.
pub struct Founding<'a> {
    table: Table,
    catalog: &'a Catalog,
    by_plugin: BTreeMap<&'a str, Vec<ToolIx>>,
    cost: Vec<u32>,
}

impl<'a> Founding<'a> {
    pub fn of(catalog: &'a Catalog) -> Result<Founding<'a>, serde_json::Error> {
        let table = serde_json::from_str(include_str!("founding.json"))?;
        let mut by_plugin: BTreeMap<&str, Vec<ToolIx>> = BTreeMap::new();
        catalog.all().for_each(|ix| by_plugin.entry(catalog.get(ix).id.source()).or_default().push(ix));
        let full = Settings { strategy: Strategy::Full, ..Settings::default() };
        let rows = Exposure::begin(catalog, &Evidence::default(), full).rows(catalog);
        Ok(Founding { table, catalog, by_plugin, cost: rows.iter().map(|row| row.tokens).collect() })
    }

    /// The hard filter: the plugins of the best intent, and nothing else; without an intent the ones that are always there.
    pub fn hard(&self, request: &str) -> Vec<ToolIx> {
        let best = self.best(request);
        self.tools(best.into_iter().flat_map(|(intent, _)| &intent.recommended))
    }

    /// Three tiers: the intent's own plugins when it is sure, also the neighbouring ones when it is not, everything without one.
    pub fn tiers(&self, request: &str) -> Vec<ToolIx> {
        match self.best(request) {
            Some((intent, 2..)) => self.tools(&intent.recommended),
            Some((intent, _)) => self.tools(intent.recommended.iter().chain(&intent.extended)),
            None => self.catalog.all().collect(),
        }
    }

    /// The intent with the most words in the request, the first of equals, and how many they are.
    fn best(&self, request: &str) -> Option<(&Intent, usize)> {
        let request = request.to_lowercase();
        let count = |intent: &Intent| intent.words.iter().filter(|word| request.contains(word.as_str())).count();
        let mut best: Option<(&Intent, usize)> = None;
        for intent in &self.table.intents {
            let words = count(intent);
            if words > best.map_or(0, |(_, most)| most) {
                best = Some((intent, words));
            }
        }
        best
    }

    fn tools<'b>(&'b self, plugins: impl IntoIterator<Item = &'b String>) -> Vec<ToolIx> {
        let names: BTreeSet<&String> = plugins.into_iter().chain(&self.table.always).collect();
        let tools = names.into_iter().filter_map(|name| self.by_plugin.get(name.as_str()));
        tools.flatten().copied().collect()
    }

    /// What `engine` shows over all requests.
    pub fn measure(&self, dataset: &Dataset, engine: impl Fn(&str) -> Vec<ToolIx>) -> FirstLook {
        let (mut met, mut tokens) = (0usize, 0u64);
        for request in &dataset.requests {
            let shown = engine(&request.text);
            met += usize::from(request.needs.iter().all(|need| need.is_met(&shown)));
            tokens += shown.iter().map(|ix| u64::from(self.cost[ix.index()])).sum::<u64>();
        }
        let count = dataset.requests.len().max(1) as f64;
        FirstLook { all: met as f64 / count, tokens: tokens as f64 / count }
    }
}
