//! A task on which anything may happen, and what the model would have seen of it.

use std::collections::BTreeMap;

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, Resolution, ToolIx};
use winclaw_exposure::{Because, Exposure, Level, Settings, Surface};

use crate::support::{Step, at, evidence, signal};

pub(crate) struct Task<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) exposure: Exposure,
    /// Everything the model was sent beside the prefix, in order.
    pub(crate) said: Vec<String>,
    pub(crate) surfaces: Vec<Surface>,
}

impl<'a> Task<'a> {
    pub(crate) fn begin(catalog: &'a Catalog, evidence: &Evidence, settings: Settings) -> Self {
        let exposure = Exposure::begin(catalog, evidence, settings);
        Task { catalog, exposure, said: Vec::new(), surfaces: Vec::new() }
    }

    pub(crate) fn step(&mut self, step: &Step) {
        let catalog = self.catalog;
        let places = |tools: &[u16]| tools.iter().map(|n| at(catalog, *n)).collect::<Vec<ToolIx>>();
        let said = match step {
            Step::Observe(claims) => {
                self.exposure.observe(catalog, &evidence(claims, catalog));
                return;
            }
            Step::Learn(kind, n) => {
                self.exposure.learn(catalog, signal(catalog, *kind, *n));
                return;
            }
            Step::Surface => {
                self.surface();
                return;
            }
            Step::Reveal(tools) => self.exposure.reveal(catalog, &places(tools), Because::Asked).text,
            Step::Search(tools) => self.exposure.search_answer(catalog, &places(tools), "a need").text,
            Step::Unknown(tools) => self.exposure.unknown_answer(catalog, "no.such_tool", &places(tools)).message,
            Step::Details(tools) => {
                let known = places(tools).into_iter().map(|ix| ("name".to_owned(), Resolution::One(ix)));
                let unknown = ("nothing".to_owned(), Resolution::Unknown { nearest: places(tools) });
                self.exposure.details_answer(catalog, &known.chain([unknown]).collect::<Vec<_>>()).text
            }
        };
        self.said.push(said);
    }

    pub(crate) fn surface(&mut self) -> &Surface {
        let surface = self.exposure.surface(self.catalog);
        self.said.extend(surface.tail.clone());
        self.surfaces.push(surface);
        self.surfaces.last().expect("one was just pushed")
    }

    pub(crate) fn levels(&self) -> BTreeMap<ToolIx, Level> {
        self.catalog.all().map(|ix| (ix, self.exposure.level(ix))).collect()
    }

    /// The bytes of everything that was sent.
    pub(crate) fn bytes(&self) -> String {
        let prefixes = self.surfaces.iter().map(|surface| serde_json::to_string(&*surface.prefix).expect("json"));
        let shown = self.surfaces.iter().map(|surface| serde_json::to_string(&surface.shown).expect("json"));
        prefixes.chain(shown).chain(self.said.iter().cloned()).collect()
    }
}
