use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use winclaw_guard::Consent;
use winclaw_tool::{Failure, Text};

/// What happens in a task, for whoever watches it. The JSON form is tagged by `event`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// What the model is shown in its next call.
    Exposure {
        /// Which call of the model, from 1.
        call_no: u32,
        /// Names of the tools above the catalogue, with the reason of each in words.
        shown: Vec<ShownTool>,
        /// How many more tools are named in the catalogue.
        named: usize,
        /// Estimated tokens of prefix and tail.
        tokens: u32,
        /// Estimated tokens if every schema were shown.
        everything_tokens: u32,
    },
    /// Words of the answer, as they come.
    Text {
        /// The words.
        text: String,
    },
    /// The words that came last belong to a turn that goes on: calls follow.
    TextEnd,
    /// A call begins to run.
    CallStarted {
        /// The call's id.
        call_id: String,
        /// The tool's id.
        tool: String,
        /// Emoji and title for a person.
        title: Text,
        /// The tool's emoji; may be empty.
        emoji: String,
        /// One line that says what the call is about.
        detail: String,
        /// The whole arguments.
        arguments: Value,
    },
    /// How far a call is.
    Progress {
        /// The call's id.
        call_id: String,
        /// From 0 to 1, if known.
        fraction: Option<f64>,
        /// What it does now.
        message: String,
    },
    /// A line a tool logged.
    Log {
        /// The call's id.
        call_id: String,
        /// `error`, `warn`, `info` or `debug`.
        level: &'static str,
        /// The line.
        message: String,
    },
    /// A call ended.
    CallEnded {
        /// The call's id.
        call_id: String,
        /// The tool's id.
        tool: String,
        /// How long it took, in milliseconds.
        ms: u64,
        /// The result, for a call that succeeded.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why it failed, for one that did not.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A call did not run.
    NotRun {
        /// The call's id.
        call_id: String,
        /// The name the model used.
        name: String,
        /// Why, and how the model may mend it.
        failure: Failure,
    },
    /// The model may see more from now on.
    Rise {
        /// What made it widen, in words.
        cause: Text,
        /// Ids of the tools that rose; empty when the reach as a whole did.
        tools: Vec<String>,
    },
    /// Something a person should know.
    Notice {
        /// What.
        text: Text,
    },
}

/// A tool above the catalogue, as [`Event::Exposure`] names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownTool {
    /// The tool's id.
    pub tool: String,
    /// `brief` or `full`.
    pub level: String,
    /// Why, in words.
    pub because: Text,
    /// Estimated tokens.
    pub tokens: u32,
}

/// What a person said to a consent question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Run it.
    Yes,
    /// Do not run it.
    No,
    /// There is nobody who could answer; it does not run.
    NobodyToAsk,
}

/// Whoever watches a task and answers for the person.
pub trait Front: Send + Sync {
    /// Something happened. Must return quickly.
    fn show(&self, event: Event);

    /// Asks whether a call may run. Must say what it approves: tool, side effect, detail; `arguments` on demand.
    fn consent<'a>(&'a self, consent: &'a Consent, arguments: &'a Value) -> BoxFuture<'a, Answer>;

    /// A question of the model to the person; `None` when there is nobody to ask.
    fn ask<'a>(&'a self, question: &'a str, options: &'a [String]) -> BoxFuture<'a, Option<String>>;
}
