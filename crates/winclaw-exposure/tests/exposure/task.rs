//! A task on which anything may happen, and what the model would have seen of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use winclaw_catalog::{Catalog, Resolution, ToolEntry, ToolIx};
use winclaw_exposure::{Answer, Because, Exposure, Level, Prefix, Prepared, Settings, Surface};
use winclaw_tool::ToolSpec;

use crate::support::{Claims, Sketch, Step, at, change, entries, evidence, signal};

/// One thing the model was sent behind the prefix.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) reveals: Vec<ToolSpec>,
    /// Whether it is the tail of a request and not the answer to a call.
    pub(crate) tail: bool,
}

pub(crate) struct Task {
    pub(crate) sketches: Vec<Sketch>,
    pub(crate) catalog: Catalog,
    pub(crate) settings: Settings,
    pub(crate) exposure: Exposure,
    pub(crate) said: Vec<Said>,
    pub(crate) surfaces: Vec<Surface>,
    /// From where on in `said` the model still has the texts, and the vendor's blocks.
    pub(crate) texts_from: usize,
    pub(crate) blocks_from: usize,
    /// By how much every list of entries is turned before the catalog sees it.
    turn: usize,
}

impl Task {
    pub(crate) fn begin(sketches: &[Sketch], claims: &Claims, settings: &Settings) -> Task {
        Task::begin_turned(sketches, claims, settings, 0)
    }

    /// The same with the entries in another order.
    pub(crate) fn begin_turned(sketches: &[Sketch], claims: &Claims, settings: &Settings, turn: usize) -> Task {
        let (catalog, _) = Catalog::build(turned(entries(sketches), turn));
        let exposure = Exposure::begin(&catalog, &evidence(claims, &catalog), settings.clone());
        Task {
            sketches: sketches.to_vec(),
            catalog,
            settings: settings.clone(),
            exposure,
            said: Vec::new(),
            surfaces: Vec::new(),
            texts_from: 0,
            blocks_from: 0,
            turn,
        }
    }

    pub(crate) fn step(&mut self, step: &Step) {
        match step {
            Step::Surface => drop(self.surface()),
            Step::Observe(claims) => self.exposure.observe(&self.catalog, &evidence(claims, &self.catalog)),
            Step::Learn(kind, n) => {
                self.exposure.learn(&self.catalog, signal(&self.catalog, *kind, *n));
            }
            Step::Calibrate(estimated, reported) => self.exposure.calibrate(*estimated, *reported),
            Step::Adopt(changes) => self.adopt(changes),
            Step::Reveal(_) | Step::Search(_) | Step::Details(_) | Step::Unknown(_) | Step::Ambiguous(_) => {
                let Answer { text, reveals } = self.ask(step);
                self.said.push(Said { text, reveals, tail: false });
            }
            Step::Compacted | Step::Reset(_) | Step::NewRequest(..) | Step::Switch(_) => self.turn_the_page(step),
        }
    }

    fn ask(&mut self, step: &Step) -> Answer {
        let catalog = &self.catalog;
        let places = |tools: &[u16]| tools.iter().map(|n| at(catalog, *n)).collect::<Vec<ToolIx>>();
        let said = |text| Answer { text, reveals: Vec::new() };
        let exposure = &mut self.exposure;
        match step {
            Step::Reveal(tools) => exposure.reveal(catalog, &places(tools), Because::Asked),
            Step::Search(tools) => exposure.search_answer(catalog, &places(tools), "a need"),
            Step::Unknown(tools) => said(exposure.unknown_answer(catalog, "no.such_tool", &places(tools)).message),
            Step::Ambiguous(tools) => {
                let known: Vec<ToolIx> =
                    places(tools).into_iter().filter(|ix| ix.index() < catalog.tools().len()).collect();
                said(exposure.ambiguous_answer(catalog, "shared", &known).message)
            }
            Step::Details(tools) => {
                let known = places(tools).into_iter().map(|ix| ("name".to_owned(), Resolution::One(ix)));
                let unknown = ("nothing".to_owned(), Resolution::Unknown { nearest: places(tools) });
                exposure.details_answer(catalog, &known.chain([unknown]).collect::<Vec<_>>())
            }
            other => panic!("{other:?} is no question"),
        }
    }

    fn turn_the_page(&mut self, step: &Step) {
        let catalog = &self.catalog;
        match step {
            Step::Compacted => self.exposure.compacted(catalog),
            Step::Reset(claims) => self.exposure.reset(catalog, &evidence(claims, catalog)),
            Step::NewRequest(claims, history) => {
                self.exposure.new_request(catalog, &evidence(claims, catalog), *history);
            }
            Step::Switch(settings) => {
                self.settings = (**settings).clone();
                self.exposure.switch_model(catalog, self.settings.clone());
                self.blocks_from = if settings.native.is_none() { self.said.len() } else { self.blocks_from };
            }
            other => panic!("{other:?} turns no page"),
        }
        if matches!(step, Step::Compacted | Step::Reset(_)) {
            (self.texts_from, self.blocks_from) = (self.said.len(), self.said.len());
        }
    }

    fn adopt(&mut self, changes: &[(u16, u8)]) {
        changes.iter().for_each(|(at, kind)| change(&mut self.sketches, *at, *kind));
        let offered = turned(entries(&self.sketches), self.turn);
        let (next, _, map) = self.catalog.successor(offered);
        self.exposure.adopt(&next, &Arc::new(Prepared::new(&next)), &map);
        self.catalog = next;
    }

    pub(crate) fn surface(&mut self) -> &Surface {
        let surface = self.exposure.surface(&self.catalog);
        self.said.extend(surface.tail.iter().map(|tail| Said { text: tail.clone(), reveals: Vec::new(), tail: true }));
        self.surfaces.push(surface);
        self.surfaces.last().expect("one was just pushed")
    }

    /// The prefix as the next request would have it.
    pub(crate) fn prefix(&self) -> Arc<Prefix> {
        self.exposure.clone().surface(&self.catalog).prefix
    }

    pub(crate) fn name(&self, ix: ToolIx) -> &str {
        &self.catalog.get(ix).wire_name
    }

    /// By wire name, which stays when the catalog is another.
    pub(crate) fn levels(&self) -> BTreeMap<String, Level> {
        self.catalog.all().map(|ix| (self.name(ix).to_owned(), self.exposure.level(ix))).collect()
    }

    /// Tools whose schemas are before the model.
    pub(crate) fn schemas(&self) -> BTreeMap<String, String> {
        let shown = self.catalog.all().filter(|ix| self.exposure.schema_shown(*ix));
        shown.map(|ix| (self.name(ix).to_owned(), self.catalog.get(ix).fingerprint.clone())).collect()
    }

    /// The bytes of everything that was sent.
    pub(crate) fn bytes(&self) -> String {
        let prefixes = self.surfaces.iter().map(|surface| serde_json::to_string(&*surface.prefix).expect("json"));
        let shown = self.surfaces.iter().map(|surface| serde_json::to_string(&surface.shown).expect("json"));
        let said = self.said.iter().map(|said| format!("{said:?}"));
        prefixes.chain(shown).chain(said).collect()
    }
}

fn turned(mut entries: Vec<ToolEntry>, turn: usize) -> Vec<ToolEntry> {
    let size = entries.len().max(1);
    if turn > 0 {
        entries.rotate_left(turn % size);
        entries[..size / 2].reverse();
    }
    entries
}

/// Whether `text` has `name` as a word of its own.
pub(crate) fn has_word(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let around = [text[..at].chars().next_back(), text[at + name.len()..].chars().next()];
        !around.into_iter().flatten().any(part)
    })
}

/// Every schema that stands in a text, as JSON.
pub(crate) fn schemas_in(text: &str) -> Vec<serde_json::Value> {
    let begins = text.match_indices("{\"name\":\"").map(|(at, _)| &text[at..]);
    let object = |text| serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().next();
    let objects = begins.filter_map(|text| object(text)?.ok());
    objects.filter(|value| value.get("parameters").is_some() && value.get("description").is_some()).collect()
}
