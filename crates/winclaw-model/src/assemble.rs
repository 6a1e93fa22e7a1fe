mod calls;
mod chat;
mod messages;
mod responses;
mod told;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use self::told::Told;
use crate::names::Originals;
use crate::sse::{self, Line, Lines};
use crate::{ChatReply, ChatRequest, Delta, Format, KnownTools, Message, ModelError, Profile, TextCalls};

/// Longest answer that is read, in bytes; a longer one is a [`ModelError::Protocol`].
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Most lines of one event that are kept while they may still join to JSON.
const MAX_PENDING_LINES: u32 = 64;

/// Puts a reply together from the bytes of an answer in any [`Format`], whether it streams or comes as one JSON body.
///
/// Pure: the reply and the pieces given to the sink, joined, depend on the bytes alone and not on how they are cut.
/// Data lines that are no JSON are passed over and counted. It forgives what servers are known to send: missing or
/// repeated indices, empty or repeated ids, arguments as objects, CRLF, comments, a missing `[DONE]`, kinds of events
/// that nobody knows yet, and items that only the last event holds.
#[derive(Debug)]
pub struct Assembler {
    form: Form,
    lines: Lines,
    whole: Vec<u8>,
    bytes: usize,
    page: bool,
    events: Events,
    taken: BTreeSet<String>,
    turn: usize,
    originals: Originals,
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
    pub fn new(format: Format, conversation: &[Message]) -> Self {
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
            page: false,
            events: Events { format, pending: String::new(), pending_lines: 0, told: Told::default() },
            taken,
            turn,
            originals: Originals::default(),
        }
    }

    /// Begins the reply to `request`. Calls have their tools' own names, whatever those are on the wire, and calls of the
    /// request's tools that the model writes as text are recovered ([`TextCalls`]).
    pub fn for_request(profile: &Profile, request: &ChatRequest) -> Self {
        let mut assembler = Assembler::new(profile.format, &request.messages);
        assembler.originals = Originals::of(request, &profile.names);
        assembler.events.told.scan = TextCalls::new(KnownTools::of(request, &profile.names));
        assembler
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
        let originals = &self.originals;
        let sink: &mut Sink<'_> = &mut |delta| sink(original(originals, delta));
        match self.form {
            Form::Unknown => {}
            Form::Whole => self.whole.extend_from_slice(bytes),
            Form::Events => self.lines.feed(bytes, |line| self.events.line(line, sink)),
        }
        self.events.told.error.take().map_or(Ok(()), Err)
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
            Some(b'<') => (self.form, self.page) = (Form::Events, true),
            Some(_) => self.form = Form::Events,
        }
        &bytes[start..]
    }

    /// Whether the answer begins as a page for a browser does, which no answer of a model does.
    pub fn is_page(&self) -> bool {
        self.page
    }

    /// Whether the stream said that nothing more will come.
    pub fn done(&self) -> bool {
        self.events.told.done
    }

    /// The reply, once the answer has ended or broken off.
    ///
    /// Errors: [`ModelError::Protocol`] when the answer held no reply at all; an error that stood in its last line.
    pub fn finish(mut self, sink: &mut Sink<'_>) -> Result<ChatReply, ModelError> {
        let originals = std::mem::take(&mut self.originals);
        let sink: &mut Sink<'_> = &mut |delta| sink(original(&originals, delta));
        if let Some(rest) = self.lines.rest() {
            self.events.line(&rest, sink);
        }
        self.events.drop_pending();
        if self.form == Form::Whole {
            let value = serde_json::from_slice::<Value>(&self.whole);
            let value = value.map_err(|error| ModelError::protocol(format!("the answer is no whole JSON: {error}")))?;
            self.events.chunk(&value, sink);
            self.events.told.done = true;
        }
        if let Some(error) = self.events.told.error.take() {
            return Err(error);
        }
        self.events.told.settle(sink);
        let mut reply = self.events.told.reply(&mut self.taken, self.turn)?;
        for call in &mut reply.calls {
            call.name = originals.get(&call.name).to_owned();
        }
        Ok(reply)
    }
}

/// A piece with the tool's own name in it.
fn original<'a>(originals: &'a Originals, delta: Delta<'a>) -> Delta<'a> {
    match delta {
        Delta::CallStarted { name } => Delta::CallStarted { name: originals.get(name) },
        other => other,
    }
}

/// The events of a stream: lines joined to JSON, and what they have told so far.
#[derive(Debug)]
struct Events {
    format: Format,
    pending: String,
    pending_lines: u32,
    told: Told,
}

impl Events {
    fn line(&mut self, line: &[u8], sink: &mut Sink<'_>) {
        if self.told.done || self.told.error.is_some() {
            return;
        }
        match sse::read(line) {
            Line::Blank => self.drop_pending(),
            Line::Other => {}
            Line::Junk => self.told.skipped += 1,
            Line::Data(data) => self.data(data.trim(), sink),
        }
    }

    fn data(&mut self, data: &str, sink: &mut Sink<'_>) {
        match data {
            "" => {}
            "[DONE]" => {
                self.drop_pending();
                self.told.done = true;
            }
            // Gemini's endpoint sends an error as a list of one.
            _ if data.starts_with("[{") && self.pending_lines == 0 => match serde_json::from_str::<[Value; 1]>(data) {
                Ok([only]) if only.get("error").is_some() => self.chunk(&only, sink),
                _ => self.join(data, sink),
            },
            _ => match serde_json::from_str::<Map<String, Value>>(data) {
                Ok(chunk) if self.pending_lines == 0 || self.is_whole(&chunk) => {
                    self.drop_pending();
                    self.chunk(&Value::Object(chunk), sink);
                }
                _ => self.join(data, sink),
            },
        }
    }

    /// Whether an object is an event by itself; one of these fields stands in every event of its format, and an object
    /// without them may be a part of one that spreads over several lines.
    fn is_whole(&self, chunk: &Map<String, Value>) -> bool {
        let fields: &[&str] = match self.format {
            Format::Chat => &["choices", "error", "usage"],
            Format::Messages | Format::Responses => &["type", "error"],
        };
        fields.iter().any(|field| chunk.contains_key(*field))
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
        self.told.skipped += std::mem::take(&mut self.pending_lines);
        self.pending.clear();
    }

    fn chunk(&mut self, chunk: &Value, sink: &mut Sink<'_>) {
        match self.format {
            Format::Chat => chat::chunk(&mut self.told, chunk, sink),
            Format::Messages => messages::chunk(&mut self.told, chunk, sink),
            Format::Responses => responses::chunk(&mut self.told, chunk, sink),
        }
    }
}

#[cfg(test)]
mod tests;
