//! A task as it is shown in a chat, and its questions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use winclaw_agent::{Answer, Event, Front};
use winclaw_guard::Consent;
use winclaw_tool::Failure;
use winclaw_toolbox::BoxFuture;

use super::live::{clock, cut};
use super::pen::{Pen, columns};
use crate::screen::{Screen, Style, harmless};
use crate::terminal::{Terminal, head, reason};

/// The live line while the model is asked.
const MODEL: &str = "\0model";

/// Shows a task with a pen, and keeps what it was told for whoever asks why.
pub(super) struct ChatFront {
    screen: Screen,
    pen: Arc<Pen>,
    /// Words for everything that has a line of its own, and the questions.
    terminal: Terminal,
    /// What runs, by call id: emoji, title and detail.
    heads: Mutex<HashMap<String, String>>,
    told: Mutex<Vec<Event>>,
}

impl ChatFront {
    pub(super) fn new(screen: Screen, pen: Arc<Pen>, terminal: Terminal) -> Self {
        ChatFront { screen, pen, terminal, heads: Mutex::default(), told: Mutex::default() }
    }

    /// What was decided in the task so far, without the words and results.
    pub(super) fn told(&self) -> Vec<Event> {
        lock(&self.told).clone()
    }

    fn started(&self, call_id: &str, head: String) {
        self.pen.stop(MODEL);
        self.pen.end_words();
        self.pen.begin(call_id, &head);
        lock(&self.heads).insert(call_id.to_owned(), head);
    }

    /// The live line goes, and one line stays: what ran, how long, and why it failed if it did.
    fn ended(&self, call_id: &str, ms: u64, failure: Option<&Failure>) {
        self.pen.stop(call_id);
        let head = lock(&self.heads).remove(call_id).unwrap_or_default();
        let took = took(ms);
        let room = columns().saturating_sub(took.len() + 6);
        let line = format!("{} · {took}", cut(&head, room));
        let lines = match failure {
            None => self.screen.paint(Style::Green, "✓ ") + &self.screen.paint(Style::Dim, &line),
            Some(failure) => self.failed(&line, failure),
        };
        self.pen.note(&lines);
    }

    fn failed(&self, line: &str, failure: &Failure) -> String {
        let why = harmless(&reason(&self.screen, failure));
        let hint = failure.hint.as_ref().map(|hint| format!("\n  {}", harmless(self.screen.text(hint))));
        self.screen.paint(Style::Red, &format!("✗ {line}\n  {why}{}", hint.unwrap_or_default()))
    }

    fn other(&self, event: &Event) {
        if let Some(lines) = self.terminal.line_of(event) {
            self.pen.note(&lines);
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in there is whole whatever panicked beside it.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a call took: milliseconds while they matter.
fn took(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => clock(std::time::Duration::from_millis(ms)),
    }
}

impl Front for ChatFront {
    fn show(&self, event: Event) {
        match &event {
            Event::Text { text } => {
                self.pen.begin(MODEL, self.screen.word("writing", "正在回答"));
                return self.pen.words(text);
            }
            Event::TextEnd => return self.pen.end_words(),
            Event::Progress { call_id, fraction, message } => {
                return self.pen.progress(call_id, *fraction, message);
            }
            Event::CallStarted { call_id, tool, title, emoji, detail, .. } => {
                let title = if title.is_empty() { tool } else { self.screen.text(title) };
                let line = format!("{}  {detail}", head(emoji, title));
                return self.started(call_id, harmless(line.trim()).replace(['\n', '\t'], " "));
            }
            Event::CallEnded { call_id, ms, failure, .. } => return self.ended(call_id, *ms, failure.as_ref()),
            Event::Exposure { .. } => self.pen.begin(MODEL, self.screen.word("thinking", "思考中")),
            _ => self.other(&event),
        }
        lock(&self.told).push(event);
    }

    fn consent<'a>(&'a self, consent: &'a Consent, arguments: &'a Value) -> BoxFuture<'a, Answer> {
        self.pen.make_room();
        self.terminal.consent(consent, arguments)
    }

    fn ask<'a>(&'a self, question: &'a str, options: &'a [String]) -> BoxFuture<'a, Option<String>> {
        self.pen.make_room();
        self.terminal.ask(question, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_says_how_long_it_took() {
        for (ms, words) in [(0, "0 ms"), (999, "999 ms"), (1250, "1.2 s"), (59_999, "59 s"), (61_000, "1:01")] {
            assert_eq!(took(ms), words);
        }
    }
}
