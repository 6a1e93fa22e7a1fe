//! Doing again what a trace says was done to an exposure, without any model, and comparing what came of it.

use std::fmt;
use std::sync::Arc;

use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::ToolId;
use winclaw_trace::Record;

use crate::Ranking;
use crate::lens::Lens;
use crate::record::prefix_sha256;
use crate::steps::Step;

/// What one model call was shown, made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Which call of the model, from 1.
    pub call_no: u64,
    /// SHA-256 of system prompt and tools array, lower-case hexadecimal.
    pub prefix_sha256: String,
    /// The advice after the conversation.
    pub tail: Option<String>,
}

/// Why a trace does not replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayError {
    /// It has no steps: it was written before steps were recorded.
    NoSteps,
    /// It needs a catalog with this digest, which is none of those given.
    Catalog {
        /// The digest.
        sha256: String,
    },
    /// A step is not one this version knows.
    Step {
        /// Why it could not be read.
        why: String,
    },
    /// What a model call was shown is not what the trace says.
    Differs {
        /// Which call of the model, from 1.
        call_no: u64,
        /// `prefix`, `tail` or `epoch`.
        what: &'static str,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoSteps => f.write_str("the trace has no steps; it is of an older version"),
            ReplayError::Catalog { sha256 } => {
                write!(f, "the trace is of other tools: give the catalog with the digest {sha256}")
            }
            ReplayError::Step { why } => write!(f, "a step of the trace cannot be read: {why}"),
            ReplayError::Differs { call_no, what } => {
                write!(f, "the {what} of model call {call_no} differs: the program changed, or words were redacted")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Does again what `records` say was done to the exposure of one task, and gives what each model call was shown. For a
/// session, `records` are those of all its tasks, one after another.
///
/// `catalogs` are those the task looked at, in any order: one, and one more for each `tools` record. Fails when one is
/// missing, when a step cannot be read, and when prefix, tail or epoch of a call is not what the trace says. Needs no
/// model, network or clock.
pub fn replay_exposure(catalogs: &[Arc<Catalog>], records: &[Record]) -> Result<Vec<Replayed>, ReplayError> {
    let known = catalogs.iter().map(|catalog| (Arc::clone(catalog), Arc::new(Ranking::of(catalog)))).collect();
    let mut replay = Replay { known, lens: None };
    let mut shown = Vec::new();
    for record in records {
        match record {
            Record::Step { step } => {
                let step = serde_json::from_value(step.clone());
                replay.step(step.map_err(|error| ReplayError::Step { why: error.to_string() })?)?;
            }
            Record::Exposure { .. } => shown.push(replay.surface(record)?),
            _ => {}
        }
    }
    if replay.lens.is_none() { Err(ReplayError::NoSteps) } else { Ok(shown) }
}

struct Replay {
    known: Vec<(Arc<Catalog>, Arc<Ranking>)>,
    lens: Option<Lens>,
}

impl Replay {
    fn step(&mut self, step: Step) -> Result<(), ReplayError> {
        if let Step::Begin { tools_sha256, settings, evidence } = step {
            let (catalog, ranking) = self.find(&tools_sha256)?;
            self.lens = Some(Lens::begin(&catalog, &ranking, *settings, evidence).0);
            return Ok(());
        }
        if let Step::Again { tools_sha256, settings, evidence, epoch, history_tokens } = step {
            let (catalog, ranking) = self.find(&tools_sha256)?;
            self.lens = Some(Lens::again(&catalog, &ranking, *settings, evidence, (epoch, history_tokens)));
            return Ok(());
        }
        if let Step::Adopt { tools_sha256 } = step {
            let (catalog, ranking) = self.find(&tools_sha256)?;
            let lens = self.lens.as_mut().ok_or(ReplayError::NoSteps)?;
            let map = places(lens.catalog(), &catalog);
            lens.adopt(&catalog, &ranking, &map);
            return Ok(());
        }
        let lens = self.lens.as_mut().ok_or(ReplayError::NoSteps)?;
        again(lens, step)
    }

    fn find(&self, sha256: &str) -> Result<(Arc<Catalog>, Arc<Ranking>), ReplayError> {
        let found = self.known.iter().find(|(_, ranking)| ranking.digest == sha256);
        found.cloned().ok_or_else(|| ReplayError::Catalog { sha256: sha256.to_owned() })
    }

    fn surface(&mut self, record: &Record) -> Result<Replayed, ReplayError> {
        let Record::Exposure { call_no, epoch, prefix_sha256: wanted, tail, .. } = record else {
            return Err(ReplayError::NoSteps);
        };
        let surface = self.lens.as_mut().ok_or(ReplayError::NoSteps)?.surface();
        let prefix_sha256 = prefix_sha256(&surface);
        let differs = |what| Err(ReplayError::Differs { call_no: *call_no, what });
        match () {
            () if prefix_sha256 != *wanted => differs("prefix"),
            () if surface.tail != *tail => differs("tail"),
            () if u64::from(surface.epoch) != *epoch => differs("epoch"),
            () => Ok(Replayed { call_no: *call_no, prefix_sha256, tail: surface.tail }),
        }
    }
}

/// Does one step again; what it gives back is of no interest here.
fn again(lens: &mut Lens, step: Step) -> Result<(), ReplayError> {
    match step {
        Step::Observe { evidence } => drop(lens.observe(evidence)),
        Step::Request { evidence, history_tokens } => drop(lens.request(evidence, history_tokens)),
        Step::Switch { settings } => lens.switch_model(*settings),
        Step::Bar { tools } => {
            let tools: Vec<ToolIx> = tools.iter().filter_map(|id| lens.catalog().ix(id)).collect();
            lens.bar(&tools);
        }
        Step::Learn { signal } => {
            let signal = signal.signal(lens.catalog()).ok_or_else(|| unknown("a signal"))?;
            lens.learn(signal);
        }
        Step::Reveal { tool } => {
            let tool = lens.catalog().ix(&tool).ok_or_else(|| unknown(tool.as_str()))?;
            lens.reveal_called(tool);
        }
        Step::Search { queries, limit, category } => drop(lens.search(queries, limit, category)),
        Step::Details { names } => drop(lens.details(names)),
        Step::Name { name } => drop(lens.name_answer(&name)),
        Step::Calibrate { estimated, reported } => lens.calibrate(estimated, reported),
        Step::Compacted => lens.compacted(),
        // These were done where the catalogs are known.
        Step::Begin { .. } | Step::Again { .. } | Step::Adopt { .. } => {}
    }
    Ok(())
}

fn unknown(what: &str) -> ReplayError {
    ReplayError::Step { why: format!("{what} names a tool that the catalog does not have") }
}

/// The place of each tool of `old` in `new`. One that is not there, which no successor does, counts as the first.
fn places(old: &Catalog, new: &Catalog) -> Vec<ToolIx> {
    let place = |id: &ToolId| new.ix(id).unwrap_or(ToolIx(0));
    old.tools().iter().map(|tool| place(&tool.id)).collect()
}
