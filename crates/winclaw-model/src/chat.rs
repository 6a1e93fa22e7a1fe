use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use winclaw_tool::ToolSpec;

use crate::ModelError;

/// One message of a conversation, after the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// What the person said.
    User {
        /// The words.
        text: String,
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
    /// What the vendor says it cost.
    pub usage: Usage,
    /// How many lines or pieces of the stream could not be read and were passed over.
    pub skipped_lines: u32,
}

/// Token counts as the vendor reports them; `None` where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the whole request, cached ones included.
    pub input: Option<u64>,
    /// Tokens of the request that came from the vendor's prefix cache.
    pub cached: Option<u64>,
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
