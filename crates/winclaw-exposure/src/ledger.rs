use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use winclaw_catalog::ToolIx;

use crate::{Because, Level, Reach, Transport};

/// One decision, in the order they were made. The ledger only grows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// How many surfaces had been made before, so `0` is what the first request shows.
    pub turn: u32,
    /// The epoch, from 1.
    pub epoch: u32,
    /// What was decided.
    pub event: Event,
    /// Why.
    pub because: Because,
}

/// What a ledger entry records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An epoch was opened and its prefix frozen. The entry's cause says why the one before ended.
    Opened {
        /// How unshown tools are reached.
        transport: Transport,
        /// The estimate of the prefix.
        prefix_tokens: u32,
        /// Its price: tokens of the next request that no cache will serve, since the prefix before them is new.
        rebilled: u32,
    },
    /// A further request came, and ending the epoch was weighed against going on. An `Opened` follows if it was ended.
    Weighed {
        /// What ending it would cost more than going on, in input tokens.
        rebilling: u32,
        /// What going on would cost more, in input tokens, because tools that are wanted are not in the array.
        bridging: u32,
    },
    /// A tool rose.
    Raised {
        /// The tool.
        tool: ToolIx,
        /// Where it stood.
        from: Level,
        /// Where it stands.
        to: Level,
        /// Where its schema is shown.
        place: Place,
        /// The schema's fingerprint.
        fingerprint: String,
        /// The estimate for the schema.
        tokens: u32,
    },
    /// A tool that stood above `Named` moved into the tools array of a new epoch.
    Promoted {
        /// The tool.
        tool: ToolIx,
        /// The schema's fingerprint.
        fingerprint: String,
        /// The estimate for the schema.
        tokens: u32,
    },
    /// A schema that had been shown is shown again behind the conversation, because it changed or was lost.
    ShownAgain {
        /// The tool.
        tool: ToolIx,
        /// The schema's fingerprint now.
        fingerprint: String,
        /// The estimate for the schema.
        tokens: u32,
    },
    /// Tools that ought to stand in the array for good found no room there. They stay named and callable.
    Overflow {
        /// How many of each source, by name.
        sources: BTreeMap<String, u32>,
    },
    /// The tool list changed. The prefix stayed as it was.
    Adopted {
        /// Tools that are new, or permitted again.
        added: u32,
        /// Tools that cannot run now and could before.
        down: u32,
        /// Tools that can run again.
        back: u32,
        /// Tools whose schema or description changed.
        changed: u32,
        /// Tools that were disabled.
        revoked: u32,
    },
    /// A tool that ought to rise did not, because it and what it requires exceed the budget. It stays callable.
    Deferred {
        /// The tool.
        tool: ToolIx,
        /// What it and its closure would have taken.
        tokens: u32,
    },
    /// The reach widened.
    Reached {
        /// Before.
        from: Reach,
        /// After.
        to: Reach,
    },
    /// A permission was taken away and the tool with it.
    Revoked {
        /// The tool.
        tool: ToolIx,
    },
}

/// Where the schema of a tool that rose is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the tools array.
    Array,
    /// As text in the conversation: in a tool result, or in the tail of the next request.
    Conversation,
    /// In the vendor's own block beside a tool result.
    Revealed,
}

/// One thing that widened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rise {
    /// A tool rose.
    Tool {
        /// The tool.
        tool: ToolIx,
        /// Where it stood.
        from: Level,
        /// Where it stands.
        to: Level,
        /// Why.
        because: Because,
    },
    /// The reach widened.
    Reach {
        /// Before.
        from: Reach,
        /// After.
        to: Reach,
        /// Why.
        because: Because,
    },
}

impl Event {
    /// The tool the event is about, if it is about one.
    pub fn tool(&self) -> Option<ToolIx> {
        match self {
            Event::Raised { tool, .. }
            | Event::Promoted { tool, .. }
            | Event::ShownAgain { tool, .. }
            | Event::Deferred { tool, .. }
            | Event::Revoked { tool } => Some(*tool),
            _ => None,
        }
    }

    /// The same, to be changed where the catalog is another.
    pub(crate) fn tool_mut(&mut self) -> Option<&mut ToolIx> {
        match self {
            Event::Raised { tool, .. }
            | Event::Promoted { tool, .. }
            | Event::ShownAgain { tool, .. }
            | Event::Deferred { tool, .. }
            | Event::Revoked { tool } => Some(tool),
            _ => None,
        }
    }
}

impl Rise {
    /// The cause.
    pub fn because(&self) -> &Because {
        match self {
            Rise::Tool { because, .. } | Rise::Reach { because, .. } => because,
        }
    }

    /// What an entry widened, if it did.
    pub(crate) fn of(entry: &Entry) -> Option<Rise> {
        let because = entry.because.clone();
        match entry.event {
            Event::Raised { tool, from, to, .. } => Some(Rise::Tool { tool, from, to, because }),
            Event::Reached { from, to } => Some(Rise::Reach { from, to, because }),
            _ => None,
        }
    }
}
