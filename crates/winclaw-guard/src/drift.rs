//! Straying from the task after a failure: what another tool's failure means for a call that is not near the request.

use std::collections::BTreeSet;

use serde_json::Value;
use winclaw_catalog::{Catalog, CatalogTool, ToolIx, clean};
use winclaw_tool::{FailureCode, Outcome, Text, detail_line};

use crate::consent::one_line;

/// Longest part of the failure that is repeated, in characters.
const MAX_TOLD: usize = 200;

/// Longest line of what a call was about, in characters.
const MAX_ABOUT: usize = 120;

/// A call that was found to stray, for the trace and whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftStep {
    /// `note`: the call runs, and the model hears it. `consent`: the person is asked.
    pub rung: &'static str,
    /// What failed before and was not mended: the tool's id and its message.
    pub after: String,
    /// What the model is told, or the person is asked.
    pub said: String,
}

/// The failure that stands open, if any.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    open: Option<Open>,
    /// Of the call that was judged last.
    step: Option<DriftStep>,
}

#[derive(Debug)]
struct Open {
    tool: ToolIx,
    /// What the failed call was about; empty if its detail keys do not say.
    about: String,
    message: String,
    /// Whether the model has read of it: calls of the same reply were made before.
    read: bool,
    /// Tools whose straying was remarked upon.
    noted: BTreeSet<ToolIx>,
    /// Tools whose last call strayed: its outcome says nothing about the failure.
    stray: BTreeSet<ToolIx>,
}

impl Open {
    fn of(tool: ToolIx, about: String, message: String) -> Open {
        Open { tool, about, message, read: false, noted: BTreeSet::new(), stray: BTreeSet::new() }
    }
}

/// What a call is about, in one line of at most 120 characters; empty if its detail keys do not say.
pub(crate) fn about(tool: &CatalogTool, arguments: &Value) -> String {
    one_line(&detail_line(&tool.manifest.detail_keys, arguments), MAX_ABOUT)
}

/// ` (about)`, or nothing.
fn in_brackets(about: &str, [open, close]: [&str; 2]) -> String {
    if about.is_empty() { String::new() } else { format!("{open}{about}{close}") }
}

const EN: [&str; 2] = [" (", ")"];
const ZH: [&str; 2] = ["（", "）"];

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

    /// What came of a call that was `about` something. A failure stays open until its tool, or another that is near, succeeds.
    pub(crate) fn ran(&mut self, tool: ToolIx, outcome: &Outcome, about: impl FnOnce() -> String) {
        match (outcome, &self.open) {
            (_, Some(open)) if open.stray.contains(&tool) => {}
            (Ok(_), _) => self.open = None,
            (Err(failure), _) if matches!(failure.code, FailureCode::Denied | FailureCode::Cancelled) => {}
            (Err(failure), _) => {
                let message = clean(failure.message.lines().next().unwrap_or(""), MAX_TOLD);
                self.open = Some(Open::of(tool, about(), message));
            }
        }
    }

    /// What the model is told with the result of a stray call of `tool`, once for each tool: what failed, and what both
    /// calls were about.
    pub(crate) fn note(&mut self, catalog: &Catalog, tool: ToolIx, arguments: &Value) -> Option<String> {
        let open = self.open.as_mut()?;
        let failed = &catalog.get(open.tool).id;
        let (was, is) = (in_brackets(&open.about, EN), in_brackets(&about(catalog.get(tool), arguments), EN));
        if !open.noted.insert(tool) {
            return None;
        }
        let said = format!(
            "Keep to the request: `{failed}`{was} failed ({}) and was not mended, and this call{is} does not seem to belong \
             to what was asked. Mend that call, or go on only with what the request needs.",
            open.message
        );
        self.step = Some(DriftStep { rung: "note", after: format!("{failed}: {}", open.message), said: said.clone() });
        Some(said)
    }

    /// The person is asked `said` before a stray call.
    pub(crate) fn asked(&mut self, catalog: &Catalog, said: &str) {
        let Some(open) = &self.open else { return };
        let after = format!("{}: {}", catalog.get(open.tool).id, open.message);
        self.step = Some(DriftStep { rung: "consent", after, said: said.to_owned() });
    }

    pub(crate) fn take_step(&mut self) -> Option<DriftStep> {
        self.step.take()
    }

    /// What a person is told before a stray call.
    pub(crate) fn doubt(&self, catalog: &Catalog, tool: ToolIx, arguments: &Value) -> Option<Text> {
        let open = self.open.as_ref()?;
        let (failed, message) = (&catalog.get(open.tool).id, &open.message);
        let is = about(catalog.get(tool), arguments);
        let (en, zh) = (in_brackets(&is, EN), in_brackets(&is, ZH));
        let (was_en, was_zh) = (in_brackets(&open.about, EN), in_brackets(&open.about, ZH));
        Some(Text::new(
            format!(
                "This call{en} does not seem to belong to what was asked, and comes after {failed}{was_en} failed: {message}"
            ),
            format!("此调用{zh}似乎与请求无关，并且是在 {failed}{was_zh} 失败之后提出的：{message}"),
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
