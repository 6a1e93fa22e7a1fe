//! One request through ranking and exposure, as a task begins.

use std::sync::Arc;
use std::time::Instant;

use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{Exposure, Prepared, Reach, Settings, Signal, Strategy, Surface, estimate_tokens};
use winclaw_intent::{Index, Query};

use crate::{Dataset, Options};

/// A dataset made ready: what a host makes once for each catalogue.
pub(crate) struct Engine<'a> {
    pub(crate) dataset: &'a Dataset,
    pub(crate) index: Index,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) settings: Settings,
}

/// What a request gets on the first call.
pub(crate) struct Look {
    pub(crate) evidence: Evidence,
    /// The tools in the order they would be raised, without what the strategy hides.
    pub(crate) order: Vec<ToolIx>,
    pub(crate) exposure: Exposure,
    pub(crate) surface: Surface,
    pub(crate) pass_us: f64,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(dataset: &'a Dataset, options: &Options) -> Engine<'a> {
        let settings = Settings {
            strategy: options.strategy,
            window_tokens: options.window_tokens,
            max_tools: options.max_tools,
            transport: options.transport,
            ..Settings::default()
        };
        let catalog = &dataset.catalog;
        Engine { dataset, index: Index::build(catalog), prepared: Arc::new(Prepared::new(catalog)), settings }
    }

    pub(crate) fn catalog(&self) -> &'a Catalog {
        &self.dataset.catalog
    }

    pub(crate) fn weigh(&self, query: &Query<'_>) -> Evidence {
        self.index.weigh(self.catalog(), query)
    }

    /// The first model call of a task with this request, timed.
    pub(crate) fn look(&self, text: &str) -> Look {
        let begun = Instant::now();
        let evidence = self.weigh(&Query { message: text, ..Query::default() });
        let settings = self.settings.clone();
        let mut exposure = Exposure::begin_prepared(self.catalog(), &self.prepared, &evidence, settings);
        let surface = exposure.surface(self.catalog());
        let pass_us = begun.elapsed().as_secs_f64() * 1e6;
        let mut order = evidence.order(self.catalog());
        self.hide(&exposure, &mut order);
        Look { evidence, order, exposure, surface, pass_us }
    }

    /// Takes out of `order` what the strategy hides from the whole task of `exposure`.
    pub(crate) fn hide(&self, exposure: &Exposure, order: &mut Vec<ToolIx>) {
        if self.settings.strategy == Strategy::Hard {
            order.retain(|ix| exposure.in_array(*ix));
        }
    }

    /// How many tools stand above `Named` while a tool they require does not.
    pub(crate) fn broken(&self, surface: &Surface) -> usize {
        let catalog = self.catalog();
        let shown: Vec<ToolIx> = surface.shown.iter().map(|shown| shown.tool).collect();
        let lacks = |ix: &&ToolIx| {
            let mut needed = catalog.requires(**ix).iter().filter(|other| catalog.get(**other).permitted());
            needed.any(|other| shown.binary_search(other).is_err())
        };
        shown.iter().filter(lacks).count()
    }

    /// Raises the reach as far as it goes, each time by the signal that an answer says there is no tool; `see` gets every surface
    /// on the way, the first one included.
    pub(crate) fn widen(&self, look: &Look, mut see: impl FnMut(&Exposure, &Surface)) {
        let mut exposure = look.exposure.clone();
        see(&exposure, &look.surface);
        while self.settings.strategy == Strategy::Progressive && exposure.reach() < Reach::Full {
            exposure.learn(self.catalog(), Signal::NoTool);
            let surface = exposure.surface(self.catalog());
            see(&exposure, &surface);
        }
    }
}

/// Tokens of every schema that was given so far: the tools array with its meta tools, and what stands in the conversation.
pub(crate) fn schema_tokens(exposure: &Exposure, surface: &Surface) -> u32 {
    let array = surface.tokens.prefix.saturating_sub(estimate_tokens(&surface.prefix.system));
    let told = surface.shown.iter().filter(|shown| !exposure.in_array(shown.tool));
    told.map(|shown| shown.tokens).fold(array, u32::saturating_add)
}
