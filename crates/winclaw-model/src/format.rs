use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::Plan;
use crate::{ChatRequest, NativeTools, Profile, anthropic_body, chat_body, responses_body, wire};

/// The wire format in which a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Chat completions, OpenAI's older format that most servers speak. Tools are revealed as text only.
    Chat,
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
}

impl Format {
    /// How a tool is revealed in the middle of a conversation, if the format knows that at all. Which models can is a
    /// matter of the profile.
    pub fn native(self) -> Option<NativeTools> {
        match self {
            Format::Chat => None,
            Format::Messages => Some(NativeTools::References),
            Format::Responses => Some(NativeTools::SearchResult),
        }
    }

    pub(crate) fn can(self, native: NativeTools) -> bool {
        self.native() == Some(native)
    }

    /// The body of a request: [`chat_body`], [`anthropic_body`] or [`responses_body`].
    pub fn body(self, request: &ChatRequest, model: &str, profile: &Profile, stream: bool) -> Value {
        match self {
            Format::Chat => chat_body(request, model, profile, stream),
            Format::Messages => anthropic_body(request, model, profile, stream),
            Format::Responses => responses_body(request, model, profile, stream),
        }
    }

    /// As [`Format::body`], for a plan that is there already.
    pub(crate) fn write(
        self,
        request: &ChatRequest,
        plan: &Plan<'_>,
        model: &str,
        profile: &Profile,
        stream: bool,
    ) -> Value {
        match self {
            Format::Chat => wire::chat::write(request, plan, model, profile, stream),
            Format::Messages => wire::anthropic::write(request, plan, model, profile, stream),
            Format::Responses => wire::responses::write(request, plan, model, profile, stream),
        }
    }

    /// The path below the base URL, and what people append to a base URL by mistake besides it.
    pub(crate) fn path(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Format::Chat => ("/chat/completions", &[]),
            Format::Messages => ("/v1/messages", &["/v1"]),
            Format::Responses => ("/responses", &["/chat/completions"]),
        }
    }

    /// The header that carries the key, and what stands before the key in it.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Format::Chat | Format::Responses => ("authorization", "Bearer "),
            Format::Messages => ("x-api-key", ""),
        }
    }

    /// Headers that every request carries. Anthropic's version is the only one its documentation knows; deferred tools
    /// need no beta header.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Format::Chat | Format::Responses => &[],
            Format::Messages => &[("anthropic-version", "2023-06-01")],
        }
    }
}
