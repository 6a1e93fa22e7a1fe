//! The rules of three wire formats and of the vendors that speak them, checked on the raw body.

mod chat;
mod fault;
mod messages;
mod responses;
mod schema;
mod tools;

use serde_json::Value;
use winclaw_model::{ChatRequest, Format, Message};

pub(crate) use self::fault::{Fault, Form, What, Why};
pub use self::schema::{Enums, Root, SchemaRules};
use crate::{Vendor, Voice};

/// What a vendor demands of thoughts in messages with tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thoughts {
    /// They may stand there or not.
    #[default]
    Allowed,
    /// `reasoning_content` must stand in each message with calls, as DeepSeek demands when thinking is on.
    Demanded,
    /// It must stand there and not be empty, as Moonshot demands.
    Spoken,
    /// `reasoning_content` must not stand anywhere.
    Refused,
}

/// Which names tools may have. ASCII letters, digits, `_` and `-` are always allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// Whether the first character must be a letter or `_`.
    pub letter_first: bool,
    /// What is allowed besides; `None` allows every character.
    pub also: Option<&'static str>,
    /// The fewest characters.
    pub shortest: usize,
    /// The most characters.
    pub longest: usize,
}

impl Names {
    /// Whether a name may be so.
    pub fn allow(&self, name: &str) -> bool {
        self.spelt(name) && name.chars().count() <= self.longest
    }

    /// Whether a name may be so but for its length.
    pub(crate) fn spelt(&self, name: &str) -> bool {
        let also = |c: char| self.also.is_none_or(|also| also.contains(c));
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || also(c);
        let first = |c: char| !self.letter_first || c.is_ascii_alphabetic() || c == '_';
        name.chars().all(legal) && name.starts_with(first) && name.chars().count() >= self.shortest
    }
}

/// The ways in which a message with calls and without words may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// `"content": null`.
    pub null: bool,
    /// `"content": ""`.
    pub empty: bool,
    /// No `content` at all.
    pub absent: bool,
}

impl Contents {
    /// Every way.
    pub const ANY: Contents = Contents { null: true, empty: true, absent: true };
}

/// What pictures a message of the person may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pictures {
    /// None; content is a string and nothing else.
    Refused,
    /// Only such as stand in the message, as `data:` URLs of these media types; an empty list allows all.
    Inline(&'static [&'static str]),
    /// Such, and links.
    Linked,
}

/// Which ids of calls must differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unique {
    /// Those of one message.
    InMessage,
    /// Those of the whole conversation.
    InConversation,
}

/// Under which name the most tokens of a reply may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `max_tokens` or `max_completion_tokens`.
    Either,
    /// `max_completion_tokens` alone.
    Completion,
}

/// In what vendors of chat completions differ. The default is OpenAI's format as most servers hold it: lenient where
/// vendors differ, strict where they agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Which names tools may have.
    pub names: Names,
    /// The most tools. Default 128.
    pub max_tools: usize,
    /// What is demanded of the schemas of tools.
    pub schema: SchemaRules,
    /// How a message with calls and without words may be written. Default any way.
    pub content: Contents,
    /// What is demanded of thoughts.
    pub thoughts: Thoughts,
    /// Whether `parallel_tool_calls` may stand beside tools. Default yes.
    pub parallel_tool_calls: bool,
    /// Whether `stream_options` may stand without `stream`. Default no.
    pub stream_options_anyhow: bool,
    /// Under which name the most tokens of a reply may be given.
    pub limit: Limit,
    /// The fields a body may have; `None` lets any other pass unregarded, the default.
    pub fields: Option<&'static [&'static str]>,
    /// The roles of messages.
    pub roles: &'static [&'static str],
    /// What pictures are taken.
    pub pictures: Pictures,
    /// Which ids of calls must differ.
    pub unique: Unique,
    /// The most characters of an id of a call.
    pub longest_id: usize,
    /// Whether the first call of each message since the person spoke must carry the signature that came with it.
    pub signatures: bool,
    /// Whether at least one message must be the person's.
    pub person: bool,
    /// Whether `enable_thinking` must be `false` without `stream`, for models of this kind: see [`thinks_only_streaming`].
    pub thinking_streams: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            names: Names { letter_first: false, also: Some(""), shortest: 1, longest: 64 },
            max_tools: 128,
            schema: SchemaRules::default(),
            content: Contents::ANY,
            thoughts: Thoughts::Allowed,
            parallel_tool_calls: true,
            stream_options_anyhow: false,
            limit: Limit::Either,
            fields: None,
            roles: &["system", "developer", "user", "assistant", "tool"],
            pictures: Pictures::Linked,
            unique: Unique::InMessage,
            longest_id: usize::MAX,
            signatures: false,
            person: false,
            thinking_streams: false,
        }
    }
}

impl Rules {
    /// The rules of `vendor` (see [`Vendor::of`]).
    pub fn of(vendor: &str) -> Option<Rules> {
        Vendor::of(vendor).map(|vendor| vendor.rules.clone())
    }
}

/// Whether the model is one of the open Qwen3 models that think unless told not to, and think only while streaming:
/// `qwen3-` and a size, such as `qwen3-32b` or `qwen3-30b-a3b`.
pub fn thinks_only_streaming(model: &str) -> bool {
    model
        .strip_prefix("qwen3-")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.ends_with('b'))
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// What is wrong and where, in the vendor's words where they are known.
    pub message: String,
    /// The body as the vendor writes it.
    pub body: Value,
}

/// A request that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The format it was written in.
    pub format: Format,
    /// The model's name.
    pub model: String,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// Whether the stream shall end with the token counts.
    pub usage: bool,
    /// The rest in the words of `winclaw-model`.
    pub request: ChatRequest,
}

impl Accepted {
    /// Whether the model could know of a tool by this name: it stands in the array and is not deferred, or a result has
    /// revealed it.
    pub fn shows(&self, name: &str) -> bool {
        let request = &self.request;
        let revealed = |message: &Message| match message {
            Message::Tool { reveals, .. } => reveals.iter().any(|spec| spec.name == name),
            _ => false,
        };
        request.tools.iter().any(|spec| spec.name == name) || request.messages.iter().any(revealed)
    }
}

pub(crate) type Checked<T> = Result<T, Fault>;

/// Checks a body against the rules of its format, and reads it. Refusals are status 400, as the vendors', and worded as
/// the format's first vendor does.
///
/// Of [`Rules`], the new formats regard nothing: they have one vendor each. Where a vendor documents no words for a
/// refusal, it is in ours. Some rules are stricter than what a vendor is known to refuse; each says so in its message
/// with "here".
pub fn check(format: Format, body: &[u8], rules: &Rules) -> Result<Accepted, Refusal> {
    read(format, body, rules).map_err(|fault| Voice::of(format).refusal(&fault))
}

/// As [`check`], without the wording.
pub(crate) fn read(format: Format, body: &[u8], rules: &Rules) -> Checked<Accepted> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| Fault::new(What::Body, format!("the body is no JSON: {error}")))?;
    match format {
        Format::Chat => chat::read(&body, rules),
        Format::Messages => messages::read(&body),
        Format::Responses => responses::read(&body),
    }
}

/// Stands for a signature or an encryption of the model's thoughts; only the same thoughts have it.
pub(crate) fn seal(thoughts: &str) -> String {
    let hash = thoughts
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("sealed-{hash:016x}")
}

fn is_name(name: &str, longest: usize) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (1..=longest).contains(&name.len()) && name.bytes().all(legal)
}

fn only(fields: &Value, place: &str, known: &[&str]) -> Checked<()> {
    let object = fields.as_object().ok_or_else(|| format!("{place}: Input should be an object"))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{place}.{key}: Extra inputs are not permitted").into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
