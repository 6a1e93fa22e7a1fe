use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Sink;
use super::calls::Calls;
use crate::{ChatReply, Delta, ModelError, Sealed, Usage};

/// Reasons to finish, of all formats, that mean the model was not done.
const CUT_OFF: [&str; 13] = [
    "length",
    "max_tokens",
    "content_filter",
    "insufficient_system_resource",
    "error",
    "abort",
    "model_context_window_exceeded",
    "refusal",
    "pause_turn",
    "incomplete",
    "cancelled",
    "failed",
    "in_progress",
];

/// What an answer has told so far, whatever its format.
#[derive(Debug, Default)]
pub(super) struct Told {
    text: String,
    reasoning: Option<String>,
    pub(super) calls: Calls,
    sealed: Vec<Sealed>,
    pub(super) usage: Usage,
    /// Parts whose thoughts or words came piece by piece, by their index.
    pub(super) heard: BTreeSet<u64>,
    /// Blocks that are still coming and make sense only when whole, by their index.
    pub(super) open: BTreeMap<u64, Value>,
    pub(super) skipped: u32,
    finish: Option<String>,
    pub(super) spoke: bool,
    pub(super) done: bool,
    pub(super) error: Option<ModelError>,
}

impl Told {
    /// More words of the answer.
    pub(super) fn say(&mut self, text: &str, sink: &mut Sink<'_>) {
        self.spoke = true;
        self.text.push_str(text);
        if !text.is_empty() {
            sink(Delta::Text(text));
        }
    }

    /// More thoughts; an empty piece says that there are some.
    pub(super) fn think(&mut self, thoughts: &str, sink: &mut Sink<'_>) {
        self.spoke = true;
        self.reasoning.get_or_insert_default().push_str(thoughts);
        if !thoughts.is_empty() {
            sink(Delta::Reasoning(thoughts));
        }
    }

    /// Keeps a block that only its vendor can read, at the place it has now, unless it is there already.
    pub(super) fn seal(&mut self, block: &Value) {
        let before = match (self.calls.count(), self.text.is_empty()) {
            (0, true) => 0,
            (0, false) => 1,
            (calls, _) => calls + 1,
        };
        self.spoke = true;
        if !self.sealed.iter().any(|sealed| sealed.block == *block) {
            self.sealed.push(Sealed { before, block: block.clone() });
        }
    }

    pub(super) fn has_text(&self) -> bool {
        !self.text.is_empty()
    }

    pub(super) fn has_thoughts(&self) -> bool {
        self.reasoning.is_some()
    }

    /// Why the model stopped, if it says so.
    pub(super) fn finished(&mut self, reason: Option<&Value>) {
        if let Some(reason) = reason.and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.finish = Some(reason.to_owned());
        }
    }

    pub(super) fn reply(self, taken: &mut BTreeSet<String>, turn: usize) -> Result<ChatReply, ModelError> {
        if !self.spoke {
            let skipped = self.skipped;
            return Err(ModelError::protocol(format!("the answer held no reply ({skipped} unreadable lines)")));
        }
        let cut_off = match &self.finish {
            Some(reason) => CUT_OFF.contains(&reason.as_str()),
            None => !self.done,
        };
        let (calls, nameless) = self.calls.finish(taken, turn);
        Ok(ChatReply {
            text: self.text,
            reasoning: self.reasoning,
            calls,
            sealed: self.sealed,
            cut_off,
            usage: self.usage,
            skipped_lines: self.skipped + nameless,
            ..ChatReply::default()
        })
    }
}
