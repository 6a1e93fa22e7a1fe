use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use winclaw_tool::{Text, ToolSpec};

use crate::{Cost, ModelError, Price};

/// One message of a conversation, after the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// What the person said.
    User {
        /// The words.
        text: String,
        /// Pictures that go with them. Sent only to models that read pictures (see [`ChatModel::reads_images`]); others
        /// are told that there was one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// What the model said.
    Assistant {
        /// The words; empty when it only called tools.
        text: String,
        /// Its thoughts, if the vendor shows them. Sent back where the profile demands it.
        reasoning: Option<String>,
        /// Its tool calls, in order.
        calls: Vec<WireCall>,
        /// Its thoughts as the vendor sealed them; sent back to that vendor as they are.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sealed: Vec<Sealed>,
    },
    /// The result of one tool call.
    Tool {
        /// The id of the call it answers.
        call_id: String,
        /// What the model reads.
        content: String,
        /// The tools that this result makes callable, whole. Only formats with native deferred tools send them; chat
        /// completions do not, so there `content` must hold what the model needs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reveals: Vec<ToolSpec>,
    },
}

impl Message {
    /// What the person said, without pictures.
    pub fn user(text: impl Into<String>) -> Self {
        Message::User { text: text.into(), images: Vec::new() }
    }
}

/// A picture for the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// Its bytes as standard base64 with padding.
    pub data: String,
}

/// A piece of the model's thoughts that only its vendor can read: signed or encrypted. Its own `type` says which
/// vendor's it is, and each wire format sends only those it knows, so a session may change its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// Where it stood in the reply: before part so many, where the words are part 0 and the calls follow from 1.
    pub before: usize,
    /// The vendor's own block, unchanged.
    pub block: Value,
}

/// A tool call as the model made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCall {
    /// Unique over the conversation; the vendor's own id where that is so.
    pub id: String,
    /// The name the model used, whether or not such a tool exists.
    pub name: String,
    /// The arguments as the model wrote them: usually a JSON object, but it may be empty, cut off or no JSON at all.
    pub arguments: String,
}

/// Everything a model is sent for one reply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The system prompt; empty for none.
    pub system: String,
    /// The tools array; empty for none.
    pub tools: Vec<Arc<ToolSpec>>,
    /// Tools that the vendor holds back until a result reveals them. Only formats with native deferred tools send them.
    pub deferred: Vec<Arc<ToolSpec>>,
    /// The conversation so far; the last one is the person's or a tool's.
    pub messages: Vec<Message>,
    /// Names of tools that were set aside before ([`ChatReply::set_aside`]); they are not sent. What is set aside is left
    /// out of `tools`, `deferred` and what results reveal; calls of it in the conversation stay.
    pub without: BTreeSet<String>,
}

/// One reply of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChatReply {
    /// The words; may be empty.
    pub text: String,
    /// Its thoughts, if the vendor shows them.
    pub reasoning: Option<String>,
    /// The tool calls in the order they were begun; ids unique over the conversation, names never empty.
    pub calls: Vec<WireCall>,
    /// Its thoughts as the vendor sealed them, for [`Message::Assistant`].
    pub sealed: Vec<Sealed>,
    /// Whether the reply ended before the model was done (length limit, filter, dropped or stalled connection). The
    /// last call may then be incomplete.
    pub cut_off: bool,
    /// What the vendor says it took, in tokens.
    pub usage: Usage,
    /// How many lines or pieces of the stream could not be read and were passed over.
    pub skipped_lines: u32,
    /// Tools that were not sent with this request, each with its reason. Those of [`ChatRequest::without`] are not named
    /// again.
    pub set_aside: Vec<SetAside>,
    /// What it cost, when the price of the model is known and the vendor reported tokens.
    pub cost: Option<Cost>,
    /// How many of the calls were recovered from calls that the model wrote as text.
    pub text_calls: u32,
    /// Whether it is cut off because the vendor's filter stopped it, or the model refused to go on.
    pub filtered: bool,
    /// What broke the reply off, when it is cut off for another reason than the model's limit: a connection that was lost,
    /// a server that fell silent.
    pub broken: Option<Text>,
    /// What is wrong with a call that the model clearly wrote as text and that cannot be run; its markup is not in `text`.
    pub unread: Option<Text>,
}

/// A tool that is not sent to the vendor, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// Its name, as in [`ToolSpec::name`].
    pub tool: String,
    /// The reason, for a person.
    pub why: Text,
}

/// Token counts as the vendor reports them; `None` where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the whole request, cached ones included.
    pub input: Option<u64>,
    /// Tokens of the request that came from the vendor's prefix cache.
    pub cached: Option<u64>,
    /// Tokens of the request that were written to the vendor's prefix cache, where that is counted apart (Anthropic).
    pub written: Option<u64>,
    /// Tokens of the reply.
    pub output: Option<u64>,
}

/// A piece of a reply while it streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Words of the answer.
    Text(&'a str),
    /// Words of the model's thoughts.
    Reasoning(&'a str),
    /// A tool call began; its arguments are still coming.
    CallStarted {
        /// The name the model used.
        name: &'a str,
    },
    /// A request goes on the wire. Comes before anything of its reply, and once more for every further attempt.
    Sent {
        /// The very bytes of the body.
        body: &'a [u8],
        /// Which attempt it is, from 1.
        attempt: u32,
    },
}

/// How a wire format lets tools be revealed inside a conversation, so that the tools array need not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NativeTools {
    /// All tools stand in the request, most of them deferred, and a result refers to them by name.
    References,
    /// A search result carries the schemas of what it found.
    SearchResult,
}

/// Something that answers a conversation.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// What people and traces call it, `provider/name`.
    fn label(&self) -> String;

    /// Whether the replies come from a script and not from a model.
    fn replayed(&self) -> bool;

    /// How many tokens a request and its reply may have together. An estimate where the vendor does not say.
    fn window_tokens(&self) -> u32;

    /// How many tools the tools array may hold. Default 128.
    fn max_tools(&self) -> usize {
        128
    }

    /// How tools can be revealed in the middle of a conversation, if at all. Default `None`.
    fn native(&self) -> Option<NativeTools> {
        None
    }

    /// What it costs; `None` where nobody knows, and for models on this machine. Default `None`.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Whether it reads pictures. Default no.
    fn reads_images(&self) -> bool {
        false
    }

    /// The tools of `request` that this vendor would refuse, each with its reason, found without sending anything. They
    /// are left out of the body. Default none.
    fn compile(&self, request: &ChatRequest) -> Vec<SetAside> {
        let _ = request;
        Vec::new()
    }

    /// The very bytes of the body that [`complete`](ChatModel::complete) sends for `request`, for fingerprints in traces.
    fn payload(&self, request: &ChatRequest) -> Vec<u8>;

    /// Sends `request` and waits for the whole reply, giving its pieces to `sink` as they come.
    ///
    /// Errors: [`ModelError::Protocol`] at once when the conversation is not well-formed (see [`crate::validate`]);
    /// [`ModelError::Cancelled`] as soon as `cancel` is. A stream that breaks off after something was given to `sink` is
    /// no error but a reply with `cut_off`.
    ///
    /// The lifetime of a piece is spelt out since `async_trait` would otherwise bind it to the call.
    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        cancel: &CancellationToken,
    ) -> Result<ChatReply, ModelError>;
}
