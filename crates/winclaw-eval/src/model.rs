//! A scripted model that knows what it needs, recognises it when it reads it, and otherwise only knows what it was shown.
//!
//! It goes through the meta tools that a real model has, one call a turn: details of what it read the name of, then a search with
//! the request's own words, then one in the category it expects the tool in, again while that brings news.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use winclaw_catalog::{Resolution, ToolIx};
use winclaw_exposure::meta::{self, MetaCall};
use winclaw_exposure::{Answer, Exposure, Signal, Strategy, Surface};
use winclaw_intent::{Query, clauses};

use crate::look::Engine;
use crate::{Need, Request};

/// Turns after which it gives up.
const MAX_TURNS: u32 = 64;

/// Longest query, in characters, as the meta tools take it.
const MAX_QUERY: usize = 2_000;

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// For each need the turn by which the model had read the schema of a tool that meets it; 0 is the first look.
    pub(crate) turns: Vec<Option<u32>>,
    /// Shown tools that lacked a tool they require, over all turns.
    pub(crate) broken: usize,
}

/// Lets the model look for all that `request` needs, from the first `surface` on.
pub(crate) fn search(engine: &Engine<'_>, request: &Request, exposure: Exposure, surface: &Surface) -> Found {
    let mut model = Model::new(engine, request, exposure);
    model.read_prefix(surface);
    model.read_tail(surface.tail.as_deref());
    model.note(0);
    for turn in 1..=MAX_TURNS {
        let Some((name, arguments)) = model.decide() else { break };
        model.call(&name, &arguments);
        let surface = model.exposure.surface(engine.catalog());
        model.found.broken += engine.broken(&surface);
        model.read_tail(surface.tail.as_deref());
        model.note(turn);
    }
    model.found
}

struct Model<'a> {
    engine: &'a Engine<'a>,
    request: &'a Request,
    exposure: Exposure,
    /// Wire names of the tools whose schema it has read.
    schemas: BTreeSet<String>,
    /// Every name it has read, among all other words.
    words: BTreeSet<String>,
    /// Meta tools it has.
    meta: BTreeSet<String>,
    searched: bool,
    /// Categories it has searched to the end.
    done: BTreeSet<String>,
    found: Found,
}

impl<'a> Model<'a> {
    fn new(engine: &'a Engine<'a>, request: &'a Request, exposure: Exposure) -> Model<'a> {
        let found = Found { turns: vec![None; request.needs.len()], broken: 0 };
        Model {
            engine,
            request,
            exposure,
            schemas: BTreeSet::new(),
            words: BTreeSet::new(),
            meta: BTreeSet::new(),
            searched: engine.settings.strategy != Strategy::Progressive,
            done: BTreeSet::new(),
            found,
        }
    }

    fn read_prefix(&mut self, surface: &Surface) {
        for tool in &surface.prefix.tools {
            let known = if meta::is_meta(&tool.name) { &mut self.meta } else { &mut self.schemas };
            known.insert(tool.name.clone());
        }
        self.read_words(&surface.prefix.system);
    }

    fn read_tail(&mut self, tail: Option<&str>) {
        let Some(tail) = tail else { return };
        self.read_words(tail);
        tail.lines().for_each(|line| self.read_schemas(line));
    }

    /// Takes the words of a text that could be wire names.
    fn read_words(&mut self, text: &str) {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let words = text.split(|c| !part(c)).filter(|word| !word.is_empty());
        self.words.extend(words.map(str::to_owned));
    }

    /// Takes the names of the schemas in a line of JSON.
    fn read_schemas(&mut self, line: &str) {
        let line = line.strip_prefix("Schema: ").unwrap_or(line);
        if line.starts_with('{')
            && let Ok(value) = serde_json::from_str::<Value>(line)
        {
            let lists = ["found", "tools"].into_iter().filter_map(|key| value.get(key)?.as_array());
            let schemas = lists.flatten().chain(std::iter::once(&value));
            let names =
                schemas.filter(|schema| schema.get("parameters").is_some()).filter_map(|schema| schema.get("name"));
            self.schemas.extend(names.filter_map(Value::as_str).map(str::to_owned));
        }
    }

    fn wire(&self, ix: ToolIx) -> &'a str {
        &self.engine.catalog().get(ix).wire_name
    }

    /// Notes what it has read the schema of by now.
    fn note(&mut self, turn: u32) {
        let has = |need: &Need| need.any.iter().any(|ix| self.schemas.contains(self.wire(*ix)));
        let met: Vec<bool> = self.request.needs.iter().map(has).collect();
        for (found, met) in self.found.turns.iter_mut().zip(met) {
            *found = found.or(met.then_some(turn));
        }
    }

    /// The needs it knows no tool for.
    fn open(&self) -> impl Iterator<Item = &'a Need> {
        let needs = self.request.needs.iter().zip(&self.found.turns);
        needs.filter(|(_, found)| found.is_none()).map(|(need, _)| need)
    }

    /// The next call, or nothing when all is found or nothing is left to try.
    fn decide(&mut self) -> Option<(String, Value)> {
        self.open().next()?;
        if self.meta.contains("tool_details") {
            let known = |need: &Need| need.any.iter().map(|ix| self.wire(*ix)).find(|name| self.words.contains(*name));
            let names: BTreeSet<&str> = self.open().filter_map(known).collect();
            if !names.is_empty() {
                let names: Vec<&str> = names.into_iter().take(meta::MAX_NAMES).collect();
                return Some(("tool_details".to_owned(), json!({"names": names})));
            }
        }
        if !self.meta.contains("tool_search") {
            return None;
        }
        if !std::mem::replace(&mut self.searched, true) {
            return Some(("tool_search".to_owned(), json!({"queries": self.own_words(), "limit": meta::MAX_LIMIT})));
        }
        let category = self.expected_category()?;
        let query = &self.own_words()[0];
        Some(("tool_search".to_owned(), json!({"queries": [query], "category": category})))
    }

    /// The request, and each of its clauses.
    fn own_words(&self) -> Vec<String> {
        let cut = |text: &str| text.chars().take(MAX_QUERY).collect::<String>();
        let mut words = vec![cut(self.request.text.trim())];
        words.extend(clauses(&self.request.text).iter().map(|clause| cut(clause)));
        words.dedup();
        words.truncate(meta::MAX_QUERIES);
        words
    }

    /// The category of what it still needs, if it has read of it and not been through it.
    fn expected_category(&self) -> Option<String> {
        let categories =
            self.open().flat_map(|need| &need.any).map(|ix| &self.engine.catalog().get(*ix).manifest.category);
        categories.into_iter().find(|category| !self.done.contains(*category)).cloned()
    }

    /// Makes a call of a meta tool, as a host carries it out, and reads the answer.
    fn call(&mut self, name: &str, arguments: &Value) {
        let catalog = self.engine.catalog();
        let answer = match self.exposure.parse_meta(name, arguments) {
            Some(Ok(MetaCall::Details { names })) => {
                let resolved: Vec<(String, Resolution)> =
                    names.into_iter().map(|name| (name.clone(), catalog.resolve(&name))).collect();
                self.exposure.details_answer(catalog, &resolved)
            }
            Some(Ok(MetaCall::Search { queries, limit, category })) => {
                self.search(&queries, limit, category.as_deref())
            }
            Some(Err(failure)) => failure.message.into(),
            _ => String::new().into(),
        };
        let before = self.words.len();
        self.read_words(&answer.text);
        answer.text.lines().for_each(|line| self.read_schemas(line));
        self.schemas.extend(answer.reveals.into_iter().map(|spec| spec.name));
        if let Some(category) = arguments.get("category").and_then(Value::as_str)
            && self.words.len() == before
        {
            self.done.insert(category.to_owned());
        }
    }

    fn search(&mut self, queries: &[String], limit: Option<usize>, category: Option<&str>) -> Answer {
        let catalog = self.engine.catalog();
        let lists: Vec<Vec<ToolIx>> = queries.iter().map(|query| self.hits(query)).collect();
        let limit = limit.unwrap_or(meta::DEFAULT_LIMIT) * queries.len();
        let found = meta::within(catalog, meta::in_turns(&lists, limit), category);
        let answer = self.exposure.search_answer(catalog, &found, &queries.join("; "));
        if self.exposure.searches_without_news() > 0 {
            self.exposure.learn(catalog, Signal::SearchWithoutNews);
        }
        answer
    }

    fn hits(&self, query: &str) -> Vec<ToolIx> {
        let evidence = self.engine.weigh(&Query { message: query, ..Query::default() });
        evidence.hits.iter().map(|hit| hit.tool).collect()
    }
}
