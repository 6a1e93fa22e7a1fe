//! The conversation, and what each of its messages is estimated to take.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use winclaw_model::Message;

use crate::conversation::{append, size};

/// A conversation. Sizes are kept beside the messages, so that nothing is estimated twice.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    messages: Vec<Message>,
    sizes: Vec<u32>,
}

impl History {
    pub(crate) fn of(messages: Vec<Message>) -> History {
        let sizes = messages.iter().map(size).collect();
        History { messages, sizes }
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Ids of all its calls.
    pub(crate) fn call_ids(&self) -> BTreeSet<String> {
        let calls = self.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        calls.flatten().map(|call| call.id.clone()).collect()
    }

    /// The estimate for all of it as a vendor is sent it.
    pub(crate) fn tokens(&self) -> u32 {
        self.sizes.iter().copied().fold(0, u32::saturating_add)
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.sizes.push(size(&message));
        self.messages.push(message);
    }

    /// Puts `tail` behind the last message, which is the person's or a tool's.
    pub(crate) fn append(&mut self, tail: &str) {
        append(&mut self.messages, tail);
        self.measure(self.messages.len().saturating_sub(1));
    }

    /// Changes one message; what `change` gives is given back.
    pub(crate) fn edit<T>(&mut self, at: usize, change: impl FnOnce(&mut Message) -> T) -> Option<T> {
        let changed = change(self.messages.get_mut(at)?);
        self.measure(at);
        Some(changed)
    }

    /// Takes messages out.
    pub(crate) fn drain(&mut self, range: RangeInclusive<usize>) -> Vec<Message> {
        self.sizes.drain(range.clone());
        self.messages.drain(range).collect()
    }

    /// Lends the messages out, for a request; [`give_back`](History::give_back) must follow with the same.
    pub(crate) fn lend(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    pub(crate) fn give_back(&mut self, messages: Vec<Message>) {
        self.messages = messages;
    }

    fn measure(&mut self, at: usize) {
        if let (Some(message), Some(known)) = (self.messages.get(at), self.sizes.get_mut(at)) {
            *known = size(message);
        }
    }
}
