use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_guard::{Answer, Consent};
use winclaw_model::{Cost, Usage};
use winclaw_tool::{Failure, Outcome, Text, detail_line};
use winclaw_toolbox::{LogLevel, Observer};

use crate::Spent;

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
        /// The id of the tool that the name means, if it means one.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// What kept it from running, where that was no failing of the call itself: a rule of the guard
        /// ([`winclaw_guard::Rule::as_str`]), `refused` when the person said no, `nobody` when nobody could be asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<&'static str>,
        /// One line that says what the call is about; empty where the arguments are none of a tool.
        #[serde(skip_serializing_if = "String::is_empty")]
        detail: String,
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
    /// Arguments of a call were put right before it ran.
    Repaired {
        /// The call's id.
        call_id: String,
        /// The tool's id.
        tool: String,
        /// What was done, as the model is told, one sentence each.
        said: Vec<String>,
    },
    /// A tool that the model's vendor does not take is not sent to it any more. Said once in a session.
    SetAside {
        /// The tool's id.
        tool: String,
        /// Why.
        why: Text,
    },
    /// The task repeats itself, and what is done about it went a step further.
    Loop {
        /// How far: `hint`, `block`, `must_answer` or `stop`.
        rung: &'static str,
        /// What is repeated, and what was done about it.
        text: Text,
        /// What the model was told, or what the repetition is about.
        said: String,
    },
    /// A call leads away from what was asked.
    Drift {
        /// The call's id.
        call_id: String,
        /// The tool's id.
        tool: String,
        /// How far: `note`, or `consent` where the person is asked.
        rung: &'static str,
        /// What the model is told, or the person is asked.
        said: String,
    },
    /// What a reply of the model took.
    Cost {
        /// Which call of the model, from 1.
        call_no: u32,
        /// Tokens of this call, as far as the vendor reported them.
        usage: Usage,
        /// Its price, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
        /// What the session took so far.
        session: Spent,
    },
    /// Something a person should know.
    Notice {
        /// What.
        text: Text,
    },
}

impl Event {
    /// The event of a call of `tool` that begins to run.
    pub fn started(catalog: &Catalog, call_id: &str, tool: ToolIx, arguments: &Value) -> Event {
        let known = catalog.get(tool);
        Event::CallStarted {
            call_id: call_id.to_owned(),
            tool: known.id.to_string(),
            title: known.manifest.title.clone(),
            emoji: known.manifest.emoji.clone(),
            detail: detail_line(&known.manifest.detail_keys, arguments),
            arguments: arguments.clone(),
        }
    }

    /// The event of a call of `tool` that ended after `took`.
    pub fn ended(catalog: &Catalog, call_id: &str, tool: ToolIx, outcome: Outcome, took: Duration) -> Event {
        let (result, failure) = match outcome {
            Ok(output) => (Some(output.value), None),
            Err(failure) => (None, Some(failure)),
        };
        Event::CallEnded {
            call_id: call_id.to_owned(),
            tool: catalog.get(tool).id.to_string(),
            ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            result,
            failure,
        }
    }
}

/// An observer that passes what a running call says on to a front.
pub struct Watch {
    front: Arc<dyn Front>,
    call_id: String,
}

impl Watch {
    /// Watches the call `call_id` for `front`.
    pub fn new(front: Arc<dyn Front>, call_id: &str) -> Self {
        Watch { front, call_id: call_id.to_owned() }
    }
}

impl Observer for Watch {
    fn progress(&self, fraction: Option<f64>, message: &str) {
        let (call_id, message) = (self.call_id.clone(), message.to_owned());
        self.front.show(Event::Progress { call_id, fraction, message });
    }

    fn log(&self, level: LogLevel, message: &str) {
        let (call_id, message) = (self.call_id.clone(), message.to_owned());
        self.front.show(Event::Log { call_id, level: level.as_str(), message });
    }
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

/// Whoever watches a task and answers for the person.
pub trait Front: Send + Sync {
    /// Something happened. Must return quickly.
    fn show(&self, event: Event);

    /// Asks whether a call may run. Must say what it approves: tool, side effect, detail; `arguments` on demand.
    fn consent<'a>(&'a self, consent: &'a Consent, arguments: &'a Value) -> BoxFuture<'a, Answer>;

    /// A question of the model to the person; `None` when there is nobody to ask.
    fn ask<'a>(&'a self, question: &'a str, options: &'a [String]) -> BoxFuture<'a, Option<String>>;
}
