//! Straying from the task after a failure: what another tool's failure means for a call that is not near the request.

use std::collections::BTreeSet;

use winclaw_catalog::{Catalog, ToolIx, clean};
use winclaw_tool::{FailureCode, Outcome, Text};

/// Longest part of the failure that is repeated, in characters.
const MAX_TOLD: usize = 200;

/// The failure that stands open, if any.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    tool: ToolIx,
    message: String,
    /// Whether the model has read of it: calls of the same reply were made before.
    read: bool,
    /// Tools whose straying was remarked upon.
    noted: BTreeSet<ToolIx>,
    /// Tools whose last call strayed: its outcome says nothing about the failure.
    stray: BTreeSet<ToolIx>,
}

impl Open {
    fn of(tool: ToolIx) -> Open {
        Open { tool, message: String::new(), read: false, noted: BTreeSet::new(), stray: BTreeSet::new() }
    }
}

impl Drift {
    /// The model has read the results of its last reply.
    pub(crate) fn next_reply(&mut self) {
        self.open.iter_mut().for_each(|open| open.read = true);
    }

    /// Whether a call of `tool` strays.
    pub(crate) fn strays(&mut self, tool: ToolIx, near: bool) -> bool {
        let Some(open) = &mut self.open else { return false };
        let strays = open.read && !near && tool != open.tool;
        if strays {
            open.stray.insert(tool)
        } else {
            open.stray.remove(&tool)
        };
        strays
    }

    /// What came of a call. A failure stays open until its tool, or another that is near, succeeds.
    pub(crate) fn ran(&mut self, tool: ToolIx, outcome: &Outcome) {
        match (outcome, &self.open) {
            (_, Some(open)) if open.stray.contains(&tool) => {}
            (Ok(_), _) => self.open = None,
            (Err(failure), _) if matches!(failure.code, FailureCode::Denied | FailureCode::Cancelled) => {}
            (Err(failure), _) => {
                let message = clean(failure.message.lines().next().unwrap_or(""), MAX_TOLD);
                self.open = Some(Open { message, ..Open::of(tool) });
            }
        }
    }

    /// What the model is told with the result of a stray call of `tool`, once for each tool.
    pub(crate) fn note(&mut self, catalog: &Catalog, tool: ToolIx) -> Option<String> {
        let open = self.open.as_mut()?;
        let failed = &catalog.get(open.tool).id;
        open.noted.insert(tool).then(|| {
            format!(
                "Keep to the request: `{failed}` failed ({}) and was not mended, and this call does not seem to belong \
                 to what was asked. Mend that call, or go on only with what the request needs.",
                open.message
            )
        })
    }

    /// What a person is told before a stray call.
    pub(crate) fn doubt(&self, catalog: &Catalog) -> Option<Text> {
        let open = self.open.as_ref()?;
        let (failed, message) = (&catalog.get(open.tool).id, &open.message);
        Some(Text::new(
            format!("It does not seem to belong to what was asked, and comes after {failed} failed: {message}"),
            format!("它似乎与请求无关，并且是在 {failed} 失败之后提出的：{message}"),
        ))
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        let place = |tool: ToolIx| map.get(tool.index()).copied();
        self.open = self.open.take().and_then(|open| {
            let places = |tools: BTreeSet<ToolIx>| tools.into_iter().filter_map(place).collect();
            let (noted, stray) = (places(open.noted), places(open.stray));
            Some(Open { tool: place(open.tool)?, noted, stray, ..open })
        });
    }
}
