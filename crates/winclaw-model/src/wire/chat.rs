use serde_json::{Map, Value, json};

use super::parts::{arguments, own, picture, short_id, text_for};
use crate::names::wire_name;
use crate::plan::{Plan, Planned};
use crate::{ChatRequest, EmptyContent, Image, Message, Profile, Reasoning, Sealed, WireCall};

/// Longest call id that OpenAI takes in chat completions, in characters ("string too long … maximum length 40").
const LONGEST_ID: usize = 40;
/// Sealed thoughts of this format: what a call carries as `extra_content`, and `reasoning_details`.
pub(crate) const EXTRA: &str = "extra_content";
pub(crate) const DETAILS: &str = "reasoning_details";
/// What Gemini takes for a call whose thought signature is not there, since another model made it
/// (ai.google.dev/gemini-api/docs/thought-signatures).
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// Stands for thoughts that a message does not have, where a vendor refuses an empty field.
const NO_THOUGHTS: &str = ".";

/// The body of a chat completions request.
///
/// A pure function: same input, same bytes. The model, the stream options and the tools stand before the messages,
/// and the system prompt is the first message, so that the bodies of one conversation share all bytes up to the first
/// new message. `tools` is left out when there are none, and so is an assistant message that neither says nor calls
/// anything, since vendors refuse it. Arguments that are no JSON object are sent as `{"unreadable": "…"}`, since some
/// servers parse the history and refuse all later requests otherwise. Tools are named and described as the profile takes
/// them; those it cannot take are left out ([`crate::ChatModel::compile`] says which). What a result reveals and deferred
/// tools are not part of this format and are not sent.
pub fn chat_body(request: &ChatRequest, model: &str, profile: &Profile, stream: bool) -> Value {
    write(request, &Plan::of(request, model, profile), model, profile, stream)
}

pub(crate) fn write(request: &ChatRequest, plan: &Plan<'_>, model: &str, profile: &Profile, stream: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("stream".into(), stream.into());
    if stream && profile.stream_options {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if let Some(most) = profile.max_output {
        body.insert(profile.max_output_field.to_string(), most.into());
    }
    for (name, value) in &profile.extra {
        body.entry(name.clone()).or_insert_with(|| value.clone());
    }
    if !plan.tools.is_empty() {
        body.insert("tools".into(), plan.tools.iter().map(tool).collect());
        if let Some(parallel) = profile.parallel_tool_calls {
            body.insert("parallel_tool_calls".into(), parallel.into());
        }
    }
    let writer = Writer { profile, reasoning: profile.reasoning_of(model), sees: profile.reads_images(model) };
    let system = (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let rest = request.messages.iter().filter_map(|each| writer.message(each));
    // Whatever `extra` holds, the messages come last.
    body.shift_remove("messages");
    body.insert("messages".into(), system.into_iter().chain(rest).collect());
    Value::Object(body)
}

fn tool(tool: &Planned<'_>) -> Value {
    json!({"type": "function", "function": tool.fields("parameters")})
}

struct Writer<'a> {
    profile: &'a Profile,
    reasoning: Reasoning,
    sees: bool,
}

impl Writer<'_> {
    fn message(&self, message: &Message) -> Option<Value> {
        match message {
            Message::User { text, images } => Some(json!({"role": "user", "content": self.asked(text, images)})),
            Message::Tool { call_id, content, .. } => {
                Some(json!({"role": "tool", "tool_call_id": short_id(call_id, LONGEST_ID), "content": content}))
            }
            Message::Assistant { text, calls, .. } if text.is_empty() && calls.is_empty() => None,
            Message::Assistant { text, reasoning, calls, sealed } => {
                Some(self.assistant(text, reasoning.as_deref(), calls, sealed))
            }
        }
    }

    fn asked(&self, text: &str, images: &[Image]) -> Value {
        if images.is_empty() || !self.sees {
            return text_for(text, images).into();
        }
        let words = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
        let pictures = images.iter().map(|image| json!({"type": "image_url", "image_url": {"url": picture(image)}}));
        words.into_iter().chain(pictures).collect()
    }

    fn assistant(&self, text: &str, reasoning: Option<&str>, calls: &[WireCall], sealed: &[Sealed]) -> Value {
        let mut message = Map::new();
        message.insert("role".into(), "assistant".into());
        match (text.is_empty(), self.profile.empty_content) {
            (false, _) | (true, EmptyContent::Empty) => message.insert("content".into(), text.into()),
            (true, EmptyContent::Null) => message.insert("content".into(), Value::Null),
            (true, EmptyContent::Omit) => None,
        };
        let details = own(sealed, DETAILS).next().filter(|_| self.profile.reasoning_details);
        match (details, self.thoughts(reasoning, !calls.is_empty())) {
            (Some((_, details)), _) => drop(message.insert(DETAILS.into(), details.clone())),
            (None, Some(thoughts)) => drop(message.insert(self.profile.reasoning_field.to_string(), thoughts.into())),
            (None, None) => {}
        }
        if !calls.is_empty() {
            let calls = calls.iter().enumerate().map(|(at, call)| self.call(at, call, sealed));
            message.insert("tool_calls".into(), calls.collect());
        }
        Value::Object(message)
    }

    /// The thoughts that are sent back. With thinking on, DeepSeek refuses a message with calls that lacks the field, even
    /// if there were no thoughts.
    fn thoughts<'t>(&self, thoughts: Option<&'t str>, calls: bool) -> Option<&'t str> {
        match self.reasoning {
            Reasoning::Drop => None,
            Reasoning::Echo => thoughts.filter(|thoughts| !thoughts.is_empty()),
            Reasoning::Empty => calls.then_some(""),
            Reasoning::Keep => thoughts.or(calls.then_some("")),
            Reasoning::Words => Some(thoughts.filter(|thoughts| !thoughts.trim().is_empty()).unwrap_or(NO_THOUGHTS)),
        }
    }

    fn call(&self, at: usize, call: &WireCall, sealed: &[Sealed]) -> Value {
        let name = wire_name(&call.name, &self.profile.names);
        let function = json!({"name": name, "arguments": arguments(&call.arguments)});
        let mut out = json!({"id": short_id(&call.id, LONGEST_ID), "type": "function", "function": function});
        if self.profile.signatures {
            let extra = own(sealed, EXTRA).find(|(before, _)| *before == at + 1).map(|(_, extra)| extra.clone());
            // Only the first of parallel calls is signed.
            let stand_in = || (at == 0).then(|| json!({"google": {"thought_signature": NO_SIGNATURE}}));
            if let Some(extra) = extra.or_else(stand_in) {
                out[EXTRA] = extra;
            }
        }
        out
    }
}
