//! Straying from the task: what another tool's failure means for a call that is not near the request, and side effects
//! that are far from it without any failure.

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
    /// What failed before and was not mended: the tool's id and its message. Empty where nothing failed.
    pub after: String,
    /// What the model is told, or the person is asked.
    pub said: String,
}

/// Whether a call strays, and what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stray {
    /// It does not.
    No,
    /// It runs, and the model hears of it.
    Note,
    /// If it acts, the person is asked.
    Ask,
}

/// The failure that stands open, if any, and where the task went beside it.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    open: Option<Open>,
    far: Far,
    /// Of the call that was judged last.
    step: Option<DriftStep>,
}

/// Side effects far from the request, since anything near it succeeded.
#[derive(Debug, Default)]
struct Far {
    /// The categories they were of.
    categories: BTreeSet<String>,
    /// Whether the model has read that it strays.
    read: bool,
    noted: BTreeSet<ToolIx>,
    /// Tools whose last call was far: its success does not lead back.
    tools: BTreeSet<ToolIx>,
}

impl Far {
    /// A call of `tool` that acts: the first is remarked upon, and one of yet another category after that is asked about.
    fn acts(&mut self, tool: &CatalogTool) -> Stray {
        let category = &tool.manifest.category;
        let fans_out = self.read && !self.categories.contains(category);
        self.categories.insert(category.clone());
        if fans_out { Stray::Ask } else { Stray::Note }
    }
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
        self.far.read = !self.far.categories.is_empty();
    }

    /// Whether a call of `tool`, which `acts` or only reads, strays.
    pub(crate) fn weigh(&mut self, ix: ToolIx, tool: &CatalogTool, near: bool, acts: bool) -> Stray {
        if near {
            self.far.tools.remove(&ix)
        } else {
            self.far.tools.insert(ix)
        };
        match (self.open.is_some(), self.strays(ix, near)) {
            (true, strays) => {
                if strays {
                    Stray::Ask
                } else {
                    Stray::No
                }
            }
            (false, _) if near || !acts => Stray::No,
            (false, _) => self.far.acts(tool),
        }
    }

    /// Whether a call of `tool` strays from mending what failed.
    fn strays(&mut self, tool: ToolIx, near: bool) -> bool {
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
        if outcome.is_ok() && !self.far.tools.contains(&tool) {
            self.far = Far::default();
        }
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

    /// What the model is told with the result of a stray call of `tool`, once for each tool: what failed, if anything
    /// did, and what both calls were about.
    pub(crate) fn note(&mut self, catalog: &Catalog, tool: ToolIx, arguments: &Value) -> Option<String> {
        let is = in_brackets(&about(catalog.get(tool), arguments), EN);
        let noted = self.open.as_mut().map_or(&mut self.far.noted, |open| &mut open.noted);
        if !noted.insert(tool) {
            return None;
        }
        let said = match &self.open {
            Some(open) => format!(
                "Keep to the request: `{}`{} failed ({}) and was not mended, and this call{is} does not seem to belong \
                 to what was asked. Mend that call, or go on only with what the request needs.",
                catalog.get(open.tool).id,
                in_brackets(&open.about, EN),
                open.message
            ),
            None => format!(
                "Keep to the request: this call{is} does not seem to belong to what was asked. Go on only with what the \
                 request needs."
            ),
        };
        self.step = Some(DriftStep { rung: "note", after: self.after(catalog), said: said.clone() });
        Some(said)
    }

    /// The person is asked `said` before a stray call.
    pub(crate) fn asked(&mut self, catalog: &Catalog, said: &str) {
        self.step = Some(DriftStep { rung: "consent", after: self.after(catalog), said: said.to_owned() });
    }

    fn after(&self, catalog: &Catalog) -> String {
        self.open.as_ref().map_or_else(String::new, |open| format!("{}: {}", catalog.get(open.tool).id, open.message))
    }

    pub(crate) fn take_step(&mut self) -> Option<DriftStep> {
        self.step.take()
    }

    /// What a person is told before a stray call.
    pub(crate) fn doubt(&self, catalog: &Catalog, tool: ToolIx, arguments: &Value) -> Text {
        let is = about(catalog.get(tool), arguments);
        let (en, zh) = (in_brackets(&is, EN), in_brackets(&is, ZH));
        let (mut en, mut zh) =
            (format!("This call{en} does not seem to belong to what was asked"), format!("此调用{zh}似乎与请求无关"));
        match &self.open {
            Some(open) => {
                let (failed, message) = (&catalog.get(open.tool).id, &open.message);
                en.push_str(&format!(", and comes after {failed}{} failed: {message}", in_brackets(&open.about, EN)));
                zh.push_str(&format!("，并且是在 {failed}{} 失败之后提出的：{message}", in_brackets(&open.about, ZH)));
            }
            None => {
                en.push_str(", and is not the first that does not.");
                zh.push_str("，而且已不是第一次。");
            }
        }
        Text::new(en, zh)
    }

    pub(crate) fn renumber(&mut self, map: &[ToolIx]) {
        let place = |tool: ToolIx| map.get(tool.index()).copied();
        let moved = |tools: &mut BTreeSet<ToolIx>| std::mem::take(tools).into_iter().filter_map(place).collect();
        (self.far.noted, self.far.tools) = (moved(&mut self.far.noted), moved(&mut self.far.tools));
        self.open = self.open.take().and_then(|open| {
            let places = |tools: BTreeSet<ToolIx>| tools.into_iter().filter_map(place).collect();
            let (noted, stray) = (places(open.noted), places(open.stray));
            Some(Open { tool: place(open.tool)?, noted, stray, ..open })
        });
    }
}
