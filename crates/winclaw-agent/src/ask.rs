//! What the model is asked, and what it answers.

use std::sync::Arc;
use std::time::Instant;

use winclaw_model::{ChatReply, ChatRequest, Delta, Message, ModelError};

use crate::mend::make_unique;
use crate::record::{self, Recorder};
use crate::report::EndState;
use crate::task::Task;
use crate::{Event, Front};

impl Task<'_> {
    /// The request for the next model call. The tail becomes part of the conversation's last message, for good. The
    /// messages are lent to the request until [`ask_model`](Task::ask_model) has its answer.
    pub(crate) fn request(&mut self) -> ChatRequest {
        let surface = self.session.lens.surface();
        self.parts.front.show(record::exposure_event(&self.catalog(), &surface, self.turns));
        self.recorder.surface(&mut self.session.lens, &surface, self.turns);
        self.session.prefix_tokens = surface.tokens.prefix;
        if let Some(tail) = &surface.tail {
            self.session.history.append(tail);
            self.amended(self.session.history.messages().len().saturating_sub(1));
        }
        if self.parts.keep.is_some() {
            self.keep_state();
        }
        ChatRequest {
            system: surface.prefix.system.clone(),
            tools: surface.prefix.tools.clone(),
            deferred: surface.prefix.deferred.clone(),
            messages: self.session.history.lend(),
            without: self.session.without.clone(),
        }
    }

    /// Asks the model. When the person stops it, its words so far become part of the conversation.
    pub(crate) async fn ask_model(&mut self, request: ChatRequest) -> Result<ChatReply, EndState> {
        let running = self.parts.interrupt.begin();
        let begun = Instant::now();
        let again = self.again.take().unwrap_or_default();
        let mut ear = Ear::new(self.parts.front, &mut self.recorder, &request, self.turns).after(again);
        let answer = self.parts.model.complete(&request, &mut |delta| ear.hear(delta), &running.token).await;
        ear.end();
        let words = ear.words;
        self.session.history.give_back(request.messages);
        match answer {
            Ok(mut reply) => {
                for call in &mut reply.calls {
                    make_unique(call, &mut self.call_ids);
                }
                let estimated = self.session.prefix_tokens.saturating_add(self.session.history.tokens());
                if let Some(reported) = reply.usage.input {
                    self.session.lens.calibrate(estimated, reported);
                }
                self.recorder.reply(&reply, begun.elapsed(), estimated, self.session.lens.exposure.scale());
                Ok(reply)
            }
            Err(ModelError::Cancelled) => {
                self.keep_words(words);
                Err(EndState::Interrupted)
            }
            Err(error) => {
                self.recorder.model_failed(&error, self.turns, begun.elapsed());
                Err(EndState::ModelFailed(error))
            }
        }
    }

    /// The words of a reply that the person stopped stay, as what the model said.
    fn keep_words(&mut self, words: String) {
        if words.trim().is_empty() {
            return;
        }
        self.answer.clone_from(&words);
        self.say(Message::Assistant { text: words, reasoning: None, calls: Vec::new(), sealed: Vec::new() });
    }
}

/// Hears a reply as it comes: shows its words, keeps them, and records every body that is sent.
struct Ear<'e, 'r> {
    front: Arc<dyn Front>,
    recorder: &'e mut Recorder<'r>,
    turn: u32,
    /// How many tools and messages are sent.
    counts: (usize, usize),
    words: String,
    /// Words that were shown before; as long as these are the same they are held back.
    again: String,
    /// How many bytes of the words were shown.
    shown: usize,
}

impl<'e, 'r> Ear<'e, 'r> {
    fn new(front: &Arc<dyn Front>, recorder: &'e mut Recorder<'r>, request: &ChatRequest, turn: u32) -> Self {
        let counts = (request.tools.len(), request.messages.len());
        Ear { front: Arc::clone(front), recorder, turn, counts, words: String::new(), again: String::new(), shown: 0 }
    }

    /// The same, of a reply that may begin with what was shown before.
    fn after(self, again: String) -> Self {
        Ear { again, ..self }
    }

    /// Shows what is not shown yet.
    fn show(&mut self) {
        let text = self.words.get(self.shown..).unwrap_or_default().to_owned();
        self.shown = self.words.len();
        if !text.is_empty() {
            self.front.show(Event::Text { text });
        }
    }

    /// The reply has ended: what is held back is shown, unless it is all that was shown before.
    fn end(&mut self) {
        if self.words.trim() != self.again.trim() {
            self.show();
        }
    }

    fn hear(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Text(text) => {
                self.words.push_str(text);
                if !self.again.starts_with(&self.words) {
                    self.show();
                }
            }
            Delta::Sent { body, attempt } => self.recorder.sent(body, attempt, self.turn, self.counts),
            Delta::Reasoning(_) | Delta::CallStarted { .. } => {}
        }
    }
}
