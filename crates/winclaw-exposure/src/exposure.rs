use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use winclaw_catalog::ToolIx;

use crate::advice::Advice;
use crate::catalogue::Catalogue;
use crate::learn::Watch;
use crate::news::News;
use crate::{Because, Entry, Event, Level, Prefix, Prepared, Reach, Settings, Strategy, Transport};

/// The state of one task, or of one session of several requests: what stands at which level, why, and what the model has
/// been told.
///
/// Every call must be given the catalog of [`Exposure::begin`] or of the last [`Exposure::adopt`], or one with the same
/// tools of which some are now disabled. What is written of one and read again is whole only after [`Exposure::resumed`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exposure {
    pub(crate) settings: Settings,
    #[serde(skip)]
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) transport: Transport,
    pub(crate) reach: Reach,
    pub(crate) epoch: u32,
    pub(crate) turn: u32,
    /// The tools above `Named` or told in the conversation; all others are `Named`.
    pub(crate) standing: BTreeMap<ToolIx, Standing>,
    /// The tools of the reserved core, which stand first in the array.
    pub(crate) core: BTreeSet<ToolIx>,
    #[serde(with = "crate::resume::shared")]
    pub(crate) prefix: Arc<Prefix>,
    pub(crate) prefix_tokens: u32,
    pub(crate) everything: u32,
    /// The estimate for the last request whose size was reported.
    pub(crate) last_request: u32,
    #[serde(with = "crate::resume::shared")]
    pub(crate) catalogue: Arc<Catalogue>,
    /// Whether each meta tool stands in the array, in the order of `RESERVED`.
    pub(crate) offered: [bool; 4],
    /// The deferred tools of the prefix whose schemas there are current, so that a result may refer to them.
    pub(crate) referable: BTreeSet<ToolIx>,
    /// Raised or to be shown again, but in no payload yet.
    pub(crate) pending: Vec<ToolIx>,
    /// Tools whose schemas were told and then lost with the conversation; to be named once.
    pub(crate) forgotten: Vec<ToolIx>,
    pub(crate) news: News,
    pub(crate) advice: Advice,
    pub(crate) watch: Watch,
    pub(crate) deferred: BTreeSet<ToolIx>,
    /// Tools the task has called, in the order of their first call; they are in the array of the next epoch.
    pub(crate) used: Vec<ToolIx>,
    /// Tools whose definitions the vendor does not take, and those of them the model was not told of yet.
    pub(crate) barred: BTreeSet<ToolIx>,
    pub(crate) untold: Vec<ToolIx>,
    /// Tools whose uncut description the model has read.
    pub(crate) read_whole: BTreeSet<ToolIx>,
    pub(crate) ledger: Vec<Entry>,
}

/// Where one tool stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// What was given to the tool; it never falls.
    pub(crate) level: Level,
    /// The level at which its schema is in the conversation. Below `level` while it is pending and once the conversation
    /// was summarised; above it when the schema was asked for and what the tool requires was too much to show with it.
    pub(crate) told: Level,
    /// The level at which its current schema is in the tools array.
    pub(crate) array: Option<Level>,
    /// Whether the array still has a schema of it that has changed since.
    pub(crate) stale: bool,
    /// Whether it stands in the array as a further hit, which makes room when the epoch ends.
    pub(crate) background: bool,
    /// Whether it was told by the vendor's own block, so that it is called natively.
    pub(crate) revealed: bool,
    /// The entry of the ledger that says why.
    pub(crate) why: Option<usize>,
}

impl Default for Standing {
    fn default() -> Self {
        Standing {
            level: Level::Named,
            told: Level::Named,
            array: None,
            stale: false,
            background: false,
            revealed: false,
            why: None,
        }
    }
}

impl Standing {
    pub(crate) fn in_array(&self) -> bool {
        self.array.is_some() || self.stale
    }
}

impl Exposure {
    /// The level of a tool now. It does not fall while the session runs, also when the schema has to be shown again
    /// because the conversation was summarised.
    pub fn level(&self, ix: ToolIx) -> Level {
        self.standing.get(&ix).map_or(Level::Named, |standing| standing.level)
    }

    /// The reach now.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The epoch, from 1.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The transport of the epoch.
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// The strategy of the task.
    pub fn strategy(&self) -> Strategy {
        self.settings.strategy
    }

    /// Every decision so far, in order. After [`Exposure::adopt`] the entries name tools by their new places.
    pub fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// Whether the whole or cut schema of the tool is in what the model has before it or will read next.
    pub fn schema_shown(&self, ix: ToolIx) -> bool {
        self.told(ix) > Level::Named || self.pending.contains(&ix)
    }

    /// Whether the tool stands in the tools array, so that models call it natively.
    pub fn in_array(&self, ix: ToolIx) -> bool {
        self.standing.get(&ix).is_some_and(Standing::in_array)
    }

    /// Whether a person compares strategies; such an exposure never changes.
    pub(crate) fn is_fixed(&self) -> bool {
        self.settings.strategy != Strategy::Progressive
    }

    /// The level at which the model has the current schema, in the array or the conversation.
    pub(crate) fn told(&self, ix: ToolIx) -> Level {
        let Some(standing) = self.standing.get(&ix) else {
            return Level::Named;
        };
        let array = standing.array.map_or(Level::Named, |level| self.prepared.read(ix, level));
        standing.told.max(array)
    }

    /// Whether the meta tool `name` stands in the array.
    pub(crate) fn offers(&self, name: &str) -> bool {
        let place = winclaw_catalog::RESERVED.iter().position(|reserved| *reserved == name);
        place.is_some_and(|place| self.offered[place])
    }

    /// Why a tool stands where it stands.
    pub(crate) fn because(&self, standing: &Standing) -> &Because {
        let entry = standing.why.and_then(|at| self.ledger.get(at));
        entry.map_or(&Because::Listed, |entry| &entry.because)
    }

    /// Whether the tool's name is in the catalogue or was announced since.
    pub(crate) fn is_named(&self, ix: ToolIx) -> bool {
        self.news.names(ix).unwrap_or_else(|| self.catalogue.names(ix))
    }

    /// Whether some permitted tool is not in the array.
    pub(crate) fn hides(&self) -> bool {
        self.standing.values().filter(|standing| standing.in_array()).count() < self.prepared.count
    }

    pub(crate) fn log(&mut self, event: Event, because: Because) {
        self.ledger.push(Entry { turn: self.turn, epoch: self.epoch, event, because });
    }
}
