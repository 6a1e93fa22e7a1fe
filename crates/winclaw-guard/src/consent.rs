//! What a person is asked before a call, what they may answer, and what is remembered of it.

mod because;
mod desk;
mod ruling;
mod seen;
mod words;

use serde_json::Value;
use winclaw_catalog::{CatalogTool, ToolIx};
use winclaw_tool::{SideEffect, Text, ToolId, details};

use crate::origin::Destination;
use crate::policy::{Decision, Pin, PolicyRule, Source};
pub use because::Because;
pub(crate) use desk::{Asked, Consents, Said};
pub use ruling::{By, Ruling};
pub use seen::seen;
pub(crate) use words::{detail, one_line};

/// What a person is asked before a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The tool that would run.
    pub tool: ToolIx,
    /// Its id.
    pub id: ToolId,
    /// Its title; where it has none, its name.
    pub title: Text,
    /// Who publishes it; empty if nobody says so.
    pub publisher: String,
    /// What this very call may do to the world: the tool's side effect, raised by what its arguments ask for.
    pub side_effect: SideEffect,
    /// One line of what the call is about. What makes the call destructive stands in it, such as `overwrite: true`.
    pub detail: String,
    /// Paths of the parameters that make the call destructive.
    pub destructive: Vec<String>,
    /// What the tool's detail keys say: path and value as text, whole and as the model wrote it; see [`seen`].
    pub details: Vec<(String, String)>,
    /// What is out of the ordinary about the call; empty when it is asked for its side effect alone.
    pub because: Vec<Because>,
    /// What would run and what that may do, in one sentence without the detail.
    pub what: Text,
    /// The whole question as sentences: title, id, side effect in words, detail, and what is out of the ordinary.
    pub why: Text,
    /// Whether it is asked only because the call strays from the request after a failure.
    pub strays: bool,
    /// All that the call may do: its side effect, and `destructive` beside `external` where it may lose something too.
    effects: Vec<SideEffect>,
    /// Where an allowance must say that the call may go: empty where it need not say; `*` for a call that does not say.
    to: Vec<String>,
    /// The destinations that stand in the question.
    goes_to: Vec<Destination>,
    pin: Pin,
}

impl Consent {
    /// The narrowest rules that let such calls run unasked, bound to the tool as it is.
    pub fn allowing(&self) -> Vec<PolicyRule> {
        let places: Vec<Option<String>> = match self.to.is_empty() {
            true => vec![None],
            false => self.to.iter().cloned().map(Some).collect(),
        };
        let with_effect = |effect: &SideEffect| {
            let rule = PolicyRule::new(self.id.as_str(), Some(*effect), Decision::Allow);
            let bound = PolicyRule { pin: Some(self.pin.clone()), from: Some(Source::Answer), ..rule };
            places.iter().map(|to| PolicyRule { to: to.clone(), ..bound.clone() }).collect::<Vec<_>>()
        };
        self.effects.iter().flat_map(with_effect).collect()
    }

    /// The rules that an answer leaves in the policy: allowances after [`Answer::Always`], a prohibition for this tool and
    /// side effect after [`Answer::Never`], none after the others.
    pub fn rules(&self, answer: Answer) -> Vec<PolicyRule> {
        match answer {
            Answer::Always => self.allowing(),
            Answer::Never => {
                let rule = PolicyRule::new(self.id.as_str(), Some(self.side_effect), Decision::Deny);
                vec![PolicyRule { from: Some(Source::Answer), ..rule }]
            }
            _ => Vec::new(),
        }
    }

    /// The line for a shell that lets every such call of the tool run; `None` where a destination cannot be written in one.
    pub fn command(&self) -> Option<String> {
        let effects = self.effects.iter().map(|effect| format!(" --side-effect {}", effect.as_str()));
        let places: Option<Vec<String>> = self.to.iter().map(|to| Some(format!(" --to {}", quoted(to)?))).collect();
        Some(format!("winclaw consent allow {}{}{}", self.id, effects.collect::<String>(), places?.concat()))
    }

    /// What [`Consent::command`] does, for a person to read before it.
    pub fn command_does(&self) -> Text {
        let id = &self.id;
        Text::new(format!("to allow every such call of {id} unasked"), format!("不再询问，允许 {id} 的所有此类调用"))
    }

    /// What lets such a call run where nobody can be asked, for a person: the narrowest rule that does.
    pub fn how_to_allow(&self) -> Text {
        let id = &self.id;
        match self.command() {
            Some(line) => Text::new(
                format!("allow every such call of {id} with `{line}`, or run it in a terminal to be asked"),
                format!("可运行 {line} 允许 {id} 的所有此类调用，或在终端中运行以便询问"),
            ),
            None => Text::new("run it in a terminal to be asked", "请在终端中运行以便询问"),
        }
    }
}

/// `text` as one word of a shell; `None` where it holds what cannot be seen.
fn quoted(text: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "._@:/+-%".contains(c);
    match () {
        () if seen(text, usize::MAX) != text => None,
        () if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') => Some(text.to_owned()),
        () => Some(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

/// What a person said to a consent question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Run this call.
    Once,
    /// Run this and every such call of the tool until the task ends.
    ThisTask,
    /// Run this and every such call of the tool, from now on.
    Always,
    /// Do not run this call.
    No,
    /// Do not run this and no such call of the tool, from now on.
    Never,
    /// There is nobody who could answer; it does not run.
    NobodyToAsk,
}

impl Answer {
    /// Whether the call runs.
    pub fn is_yes(self) -> bool {
        matches!(self, Answer::Once | Answer::ThisTask | Answer::Always)
    }

    /// The answer in snake_case, as traces have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Answer::Once => "once",
            Answer::ThisTask => "this_task",
            Answer::Always => "always",
            Answer::No => "no",
            Answer::Never => "never",
            Answer::NobodyToAsk => "nobody_to_ask",
        }
    }

    /// How far the answer holds, as traces have it: `once`, `task` or `always`.
    pub fn scope(self) -> &'static str {
        match self {
            Answer::Once | Answer::No | Answer::NobodyToAsk => "once",
            Answer::ThisTask => "task",
            Answer::Always | Answer::Never => "always",
        }
    }
}

/// All that a call may do: its side effect, and that it may lose something where the side effect does not say so.
pub(crate) fn effects(tool: &CatalogTool, arguments: &Value) -> Vec<SideEffect> {
    let main = tool.manifest.side_effect_of(arguments);
    let also = main == SideEffect::External && !tool.manifest.destructive_in(arguments).is_empty();
    std::iter::once(main).chain(also.then_some(SideEffect::Destructive)).collect()
}

/// Where a question points and what is out of the ordinary about it.
pub(crate) struct Doubts {
    pub(crate) because: Vec<Because>,
    pub(crate) strays: bool,
    pub(crate) to: Vec<String>,
    pub(crate) goes_to: Vec<Destination>,
}

/// The question before a call.
pub(crate) fn ask(ix: ToolIx, tool: &CatalogTool, arguments: &Value, doubts: Doubts) -> Consent {
    let Doubts { because, strays, to, goes_to } = doubts;
    let manifest = &tool.manifest;
    let detail = detail(tool, arguments);
    let effects = effects(tool, arguments);
    let what = words::question(tool, &effects, "", &[]);
    let why = words::question(tool, &effects, &detail, &because);
    let as_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let details = details(&manifest.detail_keys, arguments).into_iter();
    Consent {
        tool: ix,
        id: tool.id.clone(),
        title: words::title(tool),
        publisher: manifest.publisher.clone(),
        side_effect: manifest.side_effect_of(arguments),
        destructive: manifest.destructive_in(arguments).into_iter().map(str::to_owned).collect(),
        details: details.map(|(path, value)| (path.to_owned(), as_text(value))).collect(),
        pin: Pin::of(tool),
        detail,
        because,
        what,
        why,
        strays,
        effects,
        to,
        goes_to,
    }
}

#[cfg(test)]
mod tests;
