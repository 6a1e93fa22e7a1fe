mod calls;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::calls::Calls;
use crate::sse::{self, Line, Lines};
use crate::vendor::{error_in, usage_in};
use crate::{ChatReply, Delta, Message, ModelError, Usage};

/// Longest answer that is read, in bytes; a longer one is a [`ModelError::Protocol`].
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Most lines of one event that are kept while they may still join to JSON.
const MAX_PENDING_LINES: u32 = 64;
/// One of these stands in every chunk; an object without them may be a part of one that spreads over several lines.
const CHUNK_FIELDS: [&str; 3] = ["choices", "error", "usage"];
/// Reasons to finish that mean the model was not done.
const CUT_OFF: [&str; 6] = ["length", "max_tokens", "content_filter", "insufficient_system_resource", "error", "abort"];

/// Puts a reply together from the bytes of an answer, whether it streams or comes as one JSON body.
///
/// Pure: the reply and the pieces given to the sink, joined, depend on the bytes alone and not on how they are cut.
/// Data lines that are no JSON are passed over and counted. It forgives what servers are known to send: missing or
/// repeated indices, empty or repeated ids, arguments as objects, CRLF, comments, a missing `[DONE]`.
#[derive(Debug)]
pub struct Assembler {
    form: Form,
    lines: Lines,
    whole: Vec<u8>,
    bytes: usize,
    events: Events,
    taken: BTreeSet<String>,
    turn: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    Events,
    Whole,
}

type Sink<'a> = dyn FnMut(Delta<'_>) + 'a;

impl Assembler {
    /// Begins a reply to `conversation`, whose call ids it will not use again.
    pub fn new(conversation: &[Message]) -> Self {
        let (mut taken, mut turn) = (BTreeSet::new(), 0);
        for message in conversation {
            if let Message::Assistant { calls, .. } = message {
                turn += 1;
                taken.extend(calls.iter().map(|call| call.id.clone()));
            }
        }
        Assembler {
            form: Form::Unknown,
            lines: Lines::default(),
            whole: Vec::new(),
            bytes: 0,
            events: Events::default(),
            taken,
            turn,
        }
    }

    /// Takes more bytes of the answer and gives what they complete to `sink`.
    ///
    /// Errors: what the vendor reports inside the stream ([`ModelError::Rejected`]), or an answer over 32 MiB.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_BYTES {
            return Err(ModelError::protocol(format!("the answer is longer than {MAX_BYTES} bytes")));
        }
        let bytes = self.recognise(bytes);
        match self.form {
            Form::Unknown => {}
            Form::Whole => self.whole.extend_from_slice(bytes),
            Form::Events => self.lines.feed(bytes, |line| self.events.line(line, sink)),
        }
        self.events.error.take().map_or(Ok(()), Err)
    }

    /// Settles the form at the first byte that is neither white space nor part of a byte order mark.
    fn recognise<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if self.form != Form::Unknown {
            return bytes;
        }
        let blank = |byte: &u8| byte.is_ascii_whitespace() || [0xef, 0xbb, 0xbf].contains(byte);
        let start = bytes.iter().position(|byte| !blank(byte)).unwrap_or(bytes.len());
        match bytes.get(start) {
            None => {}
            Some(b'{') => self.form = Form::Whole,
            Some(_) => self.form = Form::Events,
        }
        &bytes[start..]
    }

    /// Whether the stream said that nothing more will come.
    pub fn done(&self) -> bool {
        self.events.done
    }

    /// The reply, once the answer has ended or broken off.
    ///
    /// Errors: [`ModelError::Protocol`] when the answer held no reply at all; an error that stood in its last line.
    pub fn finish(mut self, sink: &mut Sink<'_>) -> Result<ChatReply, ModelError> {
        if let Some(rest) = self.lines.rest() {
            self.events.line(&rest, sink);
        }
        self.events.drop_pending();
        if self.form == Form::Whole {
            let value = serde_json::from_slice::<Value>(&self.whole);
            let value = value.map_err(|error| ModelError::protocol(format!("the answer is no whole JSON: {error}")))?;
            self.events.chunk(&value, sink);
            self.events.done = true;
        }
        match self.events.error.take() {
            Some(error) => Err(error),
            None => self.events.reply(&mut self.taken, self.turn),
        }
    }
}

/// What the events so far have said.
#[derive(Debug, Default)]
struct Events {
    pending: String,
    pending_lines: u32,
    text: String,
    reasoning: Option<String>,
    calls: Calls,
    usage: Usage,
    skipped: u32,
    finish: Option<String>,
    spoke: bool,
    done: bool,
    error: Option<ModelError>,
}

impl Events {
    fn line(&mut self, line: &[u8], sink: &mut Sink<'_>) {
        if self.done || self.error.is_some() {
            return;
        }
        match sse::read(line) {
            Line::Blank => self.drop_pending(),
            Line::Other => {}
            Line::Junk => self.skipped += 1,
            Line::Data(data) => self.data(data.trim(), sink),
        }
    }

    fn data(&mut self, data: &str, sink: &mut Sink<'_>) {
        match data {
            "" => {}
            "[DONE]" => {
                self.drop_pending();
                self.done = true;
            }
            _ => match serde_json::from_str::<Map<String, Value>>(data) {
                Ok(chunk) if self.pending_lines == 0 || CHUNK_FIELDS.iter().any(|field| chunk.contains_key(*field)) => {
                    self.drop_pending();
                    self.chunk(&Value::Object(chunk), sink);
                }
                _ => self.join(data, sink),
            },
        }
    }

    /// The standard lets one event spread over several data lines: keeps a line that is no JSON alone until it is
    /// together with the next ones, or until the event ends.
    fn join(&mut self, data: &str, sink: &mut Sink<'_>) {
        self.pending.push_str(data);
        self.pending.push('\n');
        self.pending_lines += 1;
        if self.pending_lines > MAX_PENDING_LINES {
            return self.drop_pending();
        }
        if let Ok(chunk) = serde_json::from_str::<Map<String, Value>>(&self.pending) {
            self.pending_lines = 0;
            self.pending.clear();
            self.chunk(&Value::Object(chunk), sink);
        }
    }

    fn drop_pending(&mut self) {
        self.skipped += std::mem::take(&mut self.pending_lines);
        self.pending.clear();
    }

    fn chunk(&mut self, chunk: &Value, sink: &mut Sink<'_>) {
        self.error = error_in(chunk);
        if self.error.is_some() {
            return;
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage_in(usage);
        }
        let Some(choices) = chunk.get("choices").and_then(Value::as_array) else {
            self.skipped += u32::from(chunk.get("usage").is_none());
            return;
        };
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.iter().filter(first) {
            self.choice(choice, sink);
        }
    }

    fn choice(&mut self, choice: &Value, sink: &mut Sink<'_>) {
        self.spoke = true;
        let said = ["delta", "message"].iter().find_map(|key| choice.get(key).filter(|said| said.is_object()));
        if let Some(said) = said {
            self.said(said, sink);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.finish = Some(reason.to_owned());
        }
    }

    fn said(&mut self, said: &Value, sink: &mut Sink<'_>) {
        let thoughts = ["reasoning_content", "reasoning"].iter().find_map(|key| said.get(key).and_then(Value::as_str));
        if let Some(thoughts) = thoughts {
            self.reasoning.get_or_insert_default().push_str(thoughts);
            if !thoughts.is_empty() {
                sink(Delta::Reasoning(thoughts));
            }
        }
        for text in ["content", "refusal"].iter().filter_map(|key| said.get(key).and_then(words)) {
            self.text.push_str(&text);
            if !text.is_empty() {
                sink(Delta::Text(&text));
            }
        }
        let pieces = match said.get("tool_calls") {
            Some(Value::Array(pieces)) => pieces.as_slice(),
            Some(one @ Value::Object(_)) => std::slice::from_ref(one),
            _ => &[],
        };
        for piece in pieces {
            let taken = self.calls.take(piece, |name| sink(Delta::CallStarted { name }));
            self.skipped += u32::from(!taken);
        }
    }

    fn reply(self, taken: &mut BTreeSet<String>, turn: usize) -> Result<ChatReply, ModelError> {
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
            sealed: Vec::new(),
            cut_off,
            usage: self.usage,
            skipped_lines: self.skipped + nameless,
        })
    }
}

/// Content as text: a string, or the texts of a list of parts.
fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<String>())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
