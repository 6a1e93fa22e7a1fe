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
    /// An epoch was opened and its prefix frozen.
    Opened {
        /// How unshown tools are reached.
        transport: Transport,
        /// The estimate of the prefix, which is what an epoch costs when nothing of it is cached.
        prefix_tokens: u32,
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
