use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use winclaw_tool::Text;

use super::Sink;
use super::calls::{Calls, Finished};
use crate::wire::{DETAILS, EXTRA};
use crate::{ChatReply, Cost, Delta, ModelError, Sealed, TextCalls, Usage, Written};

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

/// Those of them that mean a filter of the vendor, or a refusal of the model.
const FILTERED: [&str; 2] = ["content_filter", "refusal"];

/// What an answer has told so far, whatever its format.
#[derive(Debug, Default)]
pub(super) struct Told {
    text: String,
    /// Whether any words came, said or still held back.
    worded: bool,
    reasoning: Option<String>,
    /// Finds what the model wrote as text instead of calling.
    pub(super) scan: TextCalls,
    unread: Option<Text>,
    /// Thoughts in pieces that only make sense together, as OpenRouter sends them.
    details: Vec<Value>,
    /// What the vendor says it cost.
    pub(super) charged: Option<Cost>,
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
    /// More words of the answer, some of which may be no words.
    pub(super) fn say(&mut self, text: &str, sink: &mut Sink<'_>) {
        self.spoke = true;
        self.worded |= !text.is_empty();
        let pieces = self.scan.feed(text);
        self.take(pieces, sink);
    }

    fn take(&mut self, pieces: Vec<Written>, sink: &mut Sink<'_>) {
        for piece in pieces {
            match piece {
                Written::Text(text) => {
                    self.text.push_str(&text);
                    sink(Delta::Text(&text));
                }
                Written::Thought(thoughts) => self.think(&thoughts, sink),
                Written::Call { name, arguments } => {
                    sink(Delta::CallStarted { name: &name });
                    self.calls.write(name, arguments);
                }
                Written::Broken(why) => drop(self.unread.get_or_insert(why)),
            }
        }
    }

    /// Takes what is still held back, since nothing more comes.
    pub(super) fn settle(&mut self, sink: &mut Sink<'_>) {
        let pieces = self.scan.finish(self.is_cut_off());
        self.take(pieces, sink);
    }

    /// Keeps pieces of thoughts that must go back as they came: those of one index are one.
    pub(super) fn detail(&mut self, piece: &Value) {
        let same = |there: &&mut Value| there["index"] == piece["index"] && there["type"] == piece["type"];
        let Some(there) = self.details.iter_mut().find(same).filter(|_| piece["index"].is_u64()) else {
            return self.details.push(piece.clone());
        };
        for (key, value) in piece.as_object().into_iter().flatten() {
            let joins = ["text", "summary", "data"].contains(&key.as_str());
            match (&mut there[key.as_str()], value) {
                (Value::String(text), Value::String(more)) if joins => text.push_str(more),
                (_, Value::Null) => {}
                (slot, value) => *slot = value.clone(),
            }
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
        let before = match (self.calls.count(), !self.worded) {
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
        self.worded
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

    fn is_cut_off(&self) -> bool {
        match &self.finish {
            Some(reason) => CUT_OFF.contains(&reason.as_str()),
            None => !self.done,
        }
    }

    pub(super) fn reply(mut self, taken: &mut BTreeSet<String>, turn: usize) -> Result<ChatReply, ModelError> {
        if !self.spoke {
            let skipped = self.skipped;
            return Err(ModelError::protocol(format!("the answer held no reply ({skipped} unreadable lines)")));
        }
        let cut_off = self.is_cut_off();
        let filtered = self.finish.as_deref().is_some_and(|reason| FILTERED.contains(&reason));
        let details = std::mem::take(&mut self.details);
        let Finished { calls, extras, nameless, written } = self.calls.finish(taken, turn);
        let extra = |(place, extra): (usize, Value)| (place + 1, json!({"type": EXTRA, EXTRA: extra}));
        let details = (!details.is_empty()).then(|| (0, json!({"type": DETAILS, DETAILS: details})));
        let own = details.into_iter().chain(extras.into_iter().map(extra));
        let own = own.map(|(before, block)| Sealed { before, block });
        Ok(ChatReply {
            text: self.text,
            reasoning: self.reasoning,
            cut_off,
            filtered,
            calls,
            sealed: own.chain(self.sealed).collect(),
            usage: self.usage,
            skipped_lines: self.skipped + nameless,
            cost: self.charged,
            text_calls: written,
            unread: self.unread,
            ..ChatReply::default()
        })
    }
}
