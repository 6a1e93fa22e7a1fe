//! Everything that decides what a model is shown, as values a trace can hold: ids instead of places in a catalog.

use serde::{Deserialize, Serialize};
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_exposure::{Settings, Signal};
use winclaw_intent::Query;
use winclaw_tool::ToolId;

/// One thing done to the exposure of a task, in the order it was done. Between them stand the surfaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Step {
    /// The task began on the catalog with this digest.
    Begin { tools_sha256: String, settings: Box<Settings>, evidence: Weighed },
    /// A session was taken up on the catalog with this digest, which is not the one it had.
    Again { tools_sha256: String, settings: Box<Settings>, evidence: Weighed, epoch: u32, history_tokens: u32 },
    /// New evidence was taken in.
    Observe { evidence: Weighed },
    /// A further request of the session began, behind so many estimated tokens of conversation.
    Request { evidence: Weighed, history_tokens: u32 },
    /// Another model goes on, with these settings.
    Switch { settings: Box<Settings> },
    /// The vendor does not take the definitions of these tools.
    Bar { tools: Vec<ToolId> },
    /// Something happened.
    Learn { signal: Sign },
    /// A tool that was called unshown was revealed.
    Reveal { tool: ToolId },
    /// The model searched.
    Search { queries: Vec<String>, limit: Option<usize>, category: Option<String> },
    /// The model looked tools up.
    Details { names: Vec<String> },
    /// A name was answered that is no tool's, or several tools'.
    Name { name: String },
    /// The list of tools changed to the catalog with this digest.
    Adopt { tools_sha256: String },
    /// The provider said how many tokens an estimate was.
    Calibrate { estimated: u32, reported: u64 },
    /// The conversation was folded.
    Compacted,
}

/// What was asked of the index.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Weighed {
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_step: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) used: Vec<ToolId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) earlier: Vec<String>,
}

impl Weighed {
    /// Asks the index; tools that the catalog does not know are passed over.
    pub(crate) fn ask<T>(&self, catalog: &Catalog, weigh: impl FnOnce(&Query<'_>) -> T) -> T {
        let used: Vec<ToolIx> = self.used.iter().filter_map(|id| catalog.ix(id)).collect();
        let earlier: Vec<&str> = self.earlier.iter().map(String::as_str).collect();
        let plan_step = self.plan_step.as_deref();
        weigh(&Query { message: &self.message, plan_step, used: &used, earlier: &earlier })
    }
}

/// A [`Signal`] that names its tool by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sign {
    CalledUnshown(ToolId),
    Used(ToolId),
    SearchWithoutNews,
    CapabilityMissing { tool: ToolId, error: String },
    NoTool,
    LoopBlocked(ToolId),
    UserNamed(ToolId),
}

impl Sign {
    pub(crate) fn of(catalog: &Catalog, signal: &Signal) -> Sign {
        let id = |tool: &ToolIx| catalog.get(*tool).id.clone();
        match signal {
            Signal::CalledUnshown(tool) => Sign::CalledUnshown(id(tool)),
            Signal::Used(tool) => Sign::Used(id(tool)),
            Signal::SearchWithoutNews => Sign::SearchWithoutNews,
            Signal::CapabilityMissing { tool, error } => {
                Sign::CapabilityMissing { tool: id(tool), error: error.clone() }
            }
            Signal::NoTool => Sign::NoTool,
            Signal::LoopBlocked(tool) => Sign::LoopBlocked(id(tool)),
            Signal::UserNamed(tool) => Sign::UserNamed(id(tool)),
        }
    }

    /// The signal; nothing when the catalog does not know its tool.
    pub(crate) fn signal(&self, catalog: &Catalog) -> Option<Signal> {
        let ix = |id: &ToolId| catalog.ix(id);
        Some(match self {
            Sign::CalledUnshown(tool) => Signal::CalledUnshown(ix(tool)?),
            Sign::Used(tool) => Signal::Used(ix(tool)?),
            Sign::SearchWithoutNews => Signal::SearchWithoutNews,
            Sign::CapabilityMissing { tool, error } => {
                Signal::CapabilityMissing { tool: ix(tool)?, error: error.clone() }
            }
            Sign::NoTool => Signal::NoTool,
            Sign::LoopBlocked(tool) => Signal::LoopBlocked(ix(tool)?),
            Sign::UserNamed(tool) => Signal::UserNamed(ix(tool)?),
        })
    }
}
