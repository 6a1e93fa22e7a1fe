//! What a task leaves undone: the calls that failed or were denied, and whether that was made good.

use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::{FailureCode, Outcome};

use crate::report::EndState;

/// The tools whose last call failed or was denied and that the task needed: they are near the request, or act.
///
/// A later success of the same tool takes it off, and one of another tool of its category, which must act where it acts.
/// A tool that only reads and could not do what was asked is also taken off by the success of any other: the model looked
/// somewhere, found nothing and found another way. What was out of reach, broke or was denied is not.
#[derive(Debug, Default)]
pub(crate) struct Open(Vec<Unmended>);

/// A call, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made {
    pub(crate) tool: ToolIx,
    /// Whether the tool is near the request.
    pub(crate) near: bool,
    /// Whether the call does more than read.
    pub(crate) acts: bool,
}

#[derive(Debug, Clone, Copy)]
struct Unmended {
    made: Made,
    denied: bool,
    forgivable: bool,
}

impl Open {
    /// A call ran, with this outcome.
    pub(crate) fn record(&mut self, catalog: &Catalog, made: Made, outcome: &Outcome) {
        match outcome {
            Ok(_) => self.0.retain(|open| !open.is_mended_by(catalog, made)),
            // The person did not want it.
            Err(failure) if failure.code == FailureCode::Cancelled => {}
            Err(failure) => self.note(made, failure.code),
        }
    }

    /// A call failed, or a tool could not be called at all.
    pub(crate) fn note(&mut self, made: Made, code: FailureCode) {
        if !made.near && !made.acts {
            return;
        }
        self.0.retain(|open| open.made.tool != made.tool);
        let forgivable = !made.acts && matches!(code, FailureCode::ToolFailed | FailureCode::InvalidArgs);
        self.0.push(Unmended { made, denied: code == FailureCode::Denied, forgivable });
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        let old = std::mem::take(&mut self.0);
        let moved = |open: Unmended| {
            let tool = *map.get(open.made.tool.index())?;
            Some(Unmended { made: Made { tool, ..open.made }, ..open })
        };
        self.0 = old.into_iter().filter_map(moved).collect();
    }

    /// How a task ends whose model has answered. What was denied comes before what failed, the last before others.
    pub(crate) fn state(&self, catalog: &Catalog) -> EndState {
        let denied = self.0.iter().rev().find(|open| open.denied);
        let id = |open: &Unmended| catalog.get(open.made.tool).id.to_string();
        match (denied, self.0.last()) {
            (Some(open), _) => EndState::Denied { tool: id(open) },
            (None, Some(open)) => EndState::ToolFailed { tool: id(open) },
            (None, None) => EndState::Done,
        }
    }
}

impl Unmended {
    fn is_mended_by(&self, catalog: &Catalog, made: Made) -> bool {
        let category = |tool: ToolIx| &catalog.get(tool).manifest.category;
        let alike = category(self.made.tool) == category(made.tool) && (made.acts || !self.made.acts);
        self.made.tool == made.tool || self.forgivable || alike
    }
}
