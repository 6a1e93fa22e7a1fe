//! Chat models behind one trait; the only crate that knows a vendor's wire format.
//!
//! [`connect`] turns a [`ModelChoice`] into a [`ChatModel`] that speaks one of three wire formats ([`Format`]): chat
//! completions, Anthropic's Messages, OpenAI's Responses. [`discover_local`] looks for servers on this machine;
//! [`Replay`] answers from a [`Script`] and is always labelled as replayed. Bodies are built and answers are read by pure
//! functions ([`chat_body`], [`anthropic_body`], [`responses_body`], [`Assembler`]).
//!
//! Invariants:
//! - The body is a function of the request, the model name and the profile: same input, same bytes; what came earlier
//!   in a conversation is written the same way in every later request.
//! - A stream gives the same reply however the network cuts it, and bytes are never decoded by halves.
//! - What only a vendor can read of its thoughts goes back to that vendor unchanged and to no other.
//! - Every call of a reply has an id that is unique over the conversation.
//! - A reply that was not finished says so (`cut_off`); nothing here completes or repairs arguments.
//! - Nothing is retried once any part of a reply was given to the sink.
//! - A key appears in no `Debug`, `Display`, error or log.

mod assemble;
mod chat;
mod choice;
mod error;
mod format;
mod http;
mod local;
mod names;
mod plan;
mod price;
mod profile;
mod refused;
mod remote;
mod replay;
mod retry;
mod schema;
mod sse;
mod vendor;
mod wire;
mod written;

pub use assemble::Assembler;
pub use chat::{
    ChatModel, ChatReply, ChatRequest, Delta, Image, Message, NativeTools, Sealed, SetAside, Usage, WireCall,
};
pub use choice::{Env, ModelChoice};
pub use error::ModelError;
pub use format::Format;
pub use local::{LocalModel, LocalServers, discover_local};
pub use price::{Cost, LongPrice, Price};
pub use profile::{
    EmptyContent, Enums, ModelRow, NameRule, PROFILES, Profile, ProfileOverrides, Reasoning, SchemaRule,
};
pub use remote::{Remote, Timeouts, connect};
pub use replay::{Cursor, Expect, Replay, Reply, Script, ScriptCall, Step};
pub use retry::Pause;
pub use wire::{anthropic_body, chat_body, responses_body, validate};
pub use written::{KnownTools, TextCalls, Written};
