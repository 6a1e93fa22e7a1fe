mod chat;
mod messages;
mod responses;
mod text;

use serde_json::Value;
use winclaw_model::{ChatReply, Format};

pub use self::text::TextCalls;
use crate::rules::Accepted;
use crate::vendor::Dialect;

/// Characters of a text or of arguments in one event.
const PIECE: usize = 5;

/// The token counts that are reported: four bytes of body a token, and as cached what it shares with the request before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens {
    pub(crate) input: usize,
    pub(crate) cached: usize,
}

impl Tokens {
    /// Counts a body against the one before.
    pub(crate) fn count(body: &[u8], before: Option<&[u8]>) -> Self {
        let shared = body.iter().zip(before.unwrap_or(&[])).take_while(|(a, b)| a == b).count();
        Tokens { input: body.len().div_ceil(4), cached: shared / 4 }
    }
}

/// The reply, with its calls in its words if they are to be told as text.
pub(crate) fn spoken(reply: ChatReply, as_text: Option<TextCalls>) -> ChatReply {
    match as_text {
        Some(how) => text::told(&reply, how),
        None => reply,
    }
}

/// The answer as one JSON body, in the format it was asked in.
pub(crate) fn whole(asked: &Accepted, reply: &ChatReply, tokens: Tokens, dialect: &Dialect) -> Value {
    match asked.format {
        Format::Chat => chat::whole(asked, reply, tokens, dialect),
        Format::Messages => messages::whole(asked, reply, tokens),
        Format::Responses => responses::whole(asked, reply, tokens),
    }
}

/// The answer as the events of a stream, each with its blank line.
pub(crate) fn events(asked: &Accepted, reply: &ChatReply, tokens: Tokens, dialect: &Dialect) -> Vec<String> {
    match asked.format {
        Format::Chat => chat::events(asked, reply, tokens, dialect),
        Format::Messages => messages::events(asked, reply, tokens),
        Format::Responses => responses::events(asked, reply, tokens),
    }
}

fn output_tokens(reply: &ChatReply) -> usize {
    let calls: usize = reply.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
    (reply.text.len() + calls).div_ceil(4)
}

/// An event that says its name as well.
fn named(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or(""))
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}
