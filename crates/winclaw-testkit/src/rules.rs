//! The rules of three wire formats that vendors enforce, checked on the raw body.

mod chat;
mod messages;
mod responses;

use serde_json::{Value, json};
use winclaw_model::{ChatRequest, EmptyContent, Format, Message};

/// What a vendor demands of thoughts in messages with tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thoughts {
    /// They may stand there or not.
    #[default]
    Allowed,
    /// `reasoning_content` must stand in each message with calls, as DeepSeek demands when thinking is on.
    Demanded,
    /// `reasoning_content` must not stand anywhere.
    Refused,
}

/// In what vendors of chat completions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The only way in which a message with calls and without words may be written; `None` allows all three.
    pub empty_content: Option<EmptyContent>,
    /// What is demanded of thoughts.
    pub thoughts: Thoughts,
    /// The most tools. Default 128.
    pub max_tools: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { empty_content: None, thoughts: Thoughts::Allowed, max_tools: 128 }
    }
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The vendor's word for it, such as `invalid_request_error`.
    pub kind: &'static str,
    /// What is wrong and where.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Refusal { status, kind, message: message.into() }
    }

    /// The body as the vendor of `format` writes it.
    pub fn body(&self, format: Format) -> Value {
        match format {
            Format::Messages => {
                let error = json!({"type": self.kind, "message": self.message});
                json!({"type": "error", "error": error, "request_id": "req_mock"})
            }
            Format::Chat | Format::Responses => {
                json!({"error": {"message": self.message, "type": self.kind, "param": null, "code": null}})
            }
        }
    }
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

type Checked<T> = Result<T, String>;

/// Checks a body against the rules of its format, and reads it. Refusals are status 400, as the vendors'.
///
/// Of [`Rules`], the new formats regard nothing: they have one vendor each. Where a vendor documents no words for a
/// refusal, it is in ours. Some rules are stricter than what a vendor is known to refuse; each says so in its message
/// with "here".
pub fn check(format: Format, body: &[u8], rules: &Rules) -> Result<Accepted, Refusal> {
    let refuse = |message: String| Refusal::new(400, "invalid_request_error", message);
    let body: Value = serde_json::from_slice(body).map_err(|error| refuse(format!("the body is no JSON: {error}")))?;
    let read = match format {
        Format::Chat => chat::read(&body, rules),
        Format::Messages => messages::read(&body),
        Format::Responses => responses::read(&body),
    };
    read.map_err(refuse)
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

fn openai_schema(name: &str, parameters: &Value) -> Checked<()> {
    let misplaced = ["anyOf", "oneOf", "allOf", "enum", "not"].iter().find(|key| parameters.get(key).is_some());
    if parameters["type"] == "object" && misplaced.is_none() {
        return Ok(());
    }
    let rule = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level";
    Err(format!("invalid schema for function '{name}': {rule}"))
}

fn only(fields: &Value, place: &str, known: &[&str]) -> Checked<()> {
    let object = fields.as_object().ok_or_else(|| format!("{place}: Input should be an object"))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{place}.{key}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
