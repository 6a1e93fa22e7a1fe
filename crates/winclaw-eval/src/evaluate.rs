use std::sync::Arc;
use std::time::Instant;

use winclaw_catalog::{Catalog, ToolEntry};
use winclaw_exposure::{Prepared, Strategy, Transport};
use winclaw_intent::Index;

use crate::bootstrap::{Interval, Stat, interval};
use crate::look::{Engine, Look, schema_tokens};
use crate::measure::graded_ndcg;
use crate::misses::{is_shown, worst_first};
use crate::{Dataset, EvalReport, Miss, Outcome, Protocol, Request, Stepped, all_met, model, recall};

/// How to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// By what rule tools are shown. Default: progressive.
    pub strategy: Strategy,
    /// The k of recall@k and all-gold@k, each from 1. Default 5, 10 and 20.
    pub ks: Vec<usize>,
    /// The model's context window in tokens. Default 128 000.
    pub window_tokens: u32,
    /// Most entries the vendor takes in the tools array. Default 128.
    pub max_tools: usize,
    /// How hidden tools are reached; `None`, the default, chooses by size.
    pub transport: Option<Transport>,
    /// What the bootstrap draws from. Default 1.
    pub seed: u64,
    /// Whether requests are also asked step by step, and then the tools in the first look and in each further one, where
    /// searches were recorded. Default no.
    pub per_step: Option<(usize, usize)>,
    /// Most misses that are kept, worst first. Default 10.
    pub misses: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strategy: Strategy::Progressive,
            ks: vec![5, 10, 20],
            window_tokens: 128_000,
            max_tools: 128,
            transport: None,
            seed: 1,
            per_step: None,
            misses: 10,
        }
    }
}

/// How often a catalogue is built to time it.
const BUILDS: usize = 5;

/// Puts every request of `dataset` through ranking and exposure and says how well that went.
///
/// `progress` is told after each request how many are done, and of how many. Everything but the times depends on `dataset` and
/// `options` alone.
pub fn evaluate(dataset: &Dataset, options: &Options, progress: &mut dyn FnMut(usize, usize)) -> EvalReport {
    let built = Built::of(&dataset.catalog, options.seed);
    let engine = Engine::new(dataset, options);
    if let Some(request) = dataset.requests.first() {
        // The first pass pays for cold memory.
        engine.look(&request.text);
    }
    let (mut outcomes, mut misses) = (Vec::with_capacity(dataset.requests.len()), Vec::new());
    for (done, request) in dataset.requests.iter().enumerate() {
        let look = engine.look(&request.text);
        outcomes.push(engine.outcome(request, &look, options));
        misses.extend(engine.miss(request, &look));
        progress(done + 1, dataset.requests.len());
    }
    worst_first(&mut misses);
    let index = engine.index.extent();
    EvalReport::of(dataset, options, Measured { outcomes, misses, built, index })
}

/// Everything a report is made of.
pub(crate) struct Measured {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) misses: Vec<Miss>,
    pub(crate) built: Built,
    /// Distinct terms of the index, and entries under them.
    pub(crate) index: (usize, usize),
}

/// Milliseconds of what a host does once for each catalogue.
pub(crate) struct Built {
    pub(crate) catalog: Interval,
    pub(crate) index: Interval,
    pub(crate) prepared: Interval,
}

impl Built {
    fn of(catalog: &Catalog, seed: u64) -> Built {
        let entry = |tool: &winclaw_catalog::CatalogTool| ToolEntry {
            id: tool.id.clone(),
            manifest: tool.manifest.clone(),
            state: tool.state.clone(),
        };
        let entries = || catalog.tools().iter().map(entry).collect::<Vec<_>>();
        Built {
            catalog: timed(seed, entries, Catalog::build),
            index: timed(seed, || (), |()| Index::build(catalog)),
            prepared: timed(seed, || (), |()| Arc::new(Prepared::new(catalog))),
        }
    }
}

/// Milliseconds that `work` takes, without making its input and dropping its result.
fn timed<I, O>(seed: u64, input: impl Fn() -> I, work: impl Fn(I) -> O) -> Interval {
    let once = |_| {
        let input = input();
        let begun = Instant::now();
        let result = work(input);
        let took = begun.elapsed();
        drop(result);
        Some(took.as_secs_f64() * 1e3)
    };
    let times: Vec<Option<f64>> = (0..BUILDS).map(once).collect();
    interval(&times, Stat::Mean, seed)
}

/// How the requests of `dataset` are asked step by step.
pub(crate) fn protocol(dataset: &Dataset) -> Protocol {
    let recorded = dataset.requests.iter().any(|request| !request.steps.is_empty());
    if recorded { Protocol::Recorded } else { Protocol::Used }
}

impl Engine<'_> {
    fn stepped(&self, request: &Request, look: &Look, options: &Options) -> Option<Stepped> {
        let looks = options.per_step?;
        match protocol(self.dataset) {
            Protocol::Recorded => self.by_recorded(request, look, looks),
            Protocol::Used => self.by_used(request, look),
        }
    }

    fn outcome(&self, request: &Request, look: &Look, options: &Options) -> Outcome {
        let needs = &request.needs;
        let found = model::search(self, request, look.exposure.clone(), &look.surface);
        let shown = needs.iter().filter(|need| is_shown(look, need)).count();
        let share = |count: usize| if needs.is_empty() { 1.0 } else { count as f64 / needs.len() as f64 };
        let mut outcome = Outcome {
            has_needs: !needs.is_empty(),
            recall_at: options.ks.iter().map(|k| recall(needs, &look.order, *k)).collect(),
            all_gold_at: options.ks.iter().map(|k| all_met(needs, &look.order, *k)).collect(),
            ndcg_at_10: graded_ndcg(&request.grades, &look.order, 10),
            first_look: share(shown),
            eventual: share(found.turns.iter().flatten().count()),
            turns: found.turns.iter().try_fold(0, |most, turn| Some(most.max((*turn)?))),
            schema_tokens: schema_tokens(&look.exposure, &look.surface),
            prefix_tokens: look.surface.tokens.prefix,
            broken: found.broken,
            pass_us: look.pass_us,
            steps: self.stepped(request, look, options),
            ..Outcome::default()
        };
        self.widen(look, |exposure, surface| {
            let at = exposure.reach() as usize;
            outcome.at_reach[at] = Some((surface.shown.len(), schema_tokens(exposure, surface)));
            outcome.broken += self.broken(surface);
        });
        outcome
    }
}
