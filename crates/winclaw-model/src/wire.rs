mod anthropic;
mod parts;
mod responses;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use winclaw_tool::ToolSpec;

pub use self::anthropic::anthropic_body;
pub(crate) use self::responses::SEARCH;
pub use self::responses::responses_body;
use crate::{ChatRequest, EmptyContent, Message, ModelError, Profile, Reasoning, WireCall};

/// The body of a chat completions request.
///
/// A pure function: same input, same bytes. The model, the stream options and the tools stand before the messages,
/// and the system prompt is the first message, so that the bodies of one conversation share all bytes up to the first
/// new message. `tools` is left out when there are none, and so is an assistant message that neither says nor calls
/// anything, since vendors refuse it. Arguments that are no JSON object are sent as `{"unreadable": "…"}`, since some
/// servers parse the history and refuse all later requests otherwise. What a result reveals, deferred tools and sealed
/// thoughts are not part of this format and are not sent.
pub fn chat_body(request: &ChatRequest, model: &str, profile: &Profile, stream: bool) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("stream".into(), stream.into());
    if stream {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(|spec| tool(spec)).collect());
        if let Some(parallel) = profile.parallel_tool_calls {
            body.insert("parallel_tool_calls".into(), parallel.into());
        }
    }
    let system = (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let rest = request.messages.iter().filter_map(|each| message(each, profile));
    body.insert("messages".into(), system.into_iter().chain(rest).collect());
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    let ToolSpec { name, description, parameters } = spec;
    json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
}

fn message(message: &Message, profile: &Profile) -> Option<Value> {
    match message {
        Message::User { text, .. } => Some(json!({"role": "user", "content": text})),
        Message::Tool { call_id, content, .. } => {
            Some(json!({"role": "tool", "tool_call_id": call_id, "content": content}))
        }
        Message::Assistant { text, calls, .. } if text.is_empty() && calls.is_empty() => None,
        Message::Assistant { text, reasoning, calls, .. } => {
            Some(assistant(text, reasoning.as_deref(), calls, profile))
        }
    }
}

fn assistant(text: &str, reasoning: Option<&str>, calls: &[WireCall], profile: &Profile) -> Value {
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    match (text.is_empty(), profile.empty_content) {
        (false, _) | (true, EmptyContent::Empty) => message.insert("content".into(), text.into()),
        (true, EmptyContent::Null) => message.insert("content".into(), Value::Null),
        (true, EmptyContent::Omit) => None,
    };
    let thoughts = match profile.reasoning {
        Reasoning::Drop => None,
        Reasoning::Echo => reasoning.filter(|thoughts| !thoughts.is_empty()),
        Reasoning::Empty => (!calls.is_empty()).then_some(""),
        // With thinking on, DeepSeek refuses a message with calls that lacks the field, even if there were no thoughts.
        Reasoning::Keep => reasoning.or((!calls.is_empty()).then_some("")),
    };
    if let Some(thoughts) = thoughts {
        message.insert(profile.reasoning_field.to_string(), thoughts.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.iter().map(call).collect());
    }
    Value::Object(message)
}

fn call(call: &WireCall) -> Value {
    let function = json!({"name": call.name, "arguments": arguments(&call.arguments)});
    json!({"id": call.id, "type": "function", "function": function})
}

/// Arguments as text; what is no object is kept as `{"unreadable": "…"}`.
fn arguments(raw: &str) -> String {
    if raw.trim().is_empty() {
        return "{}".into();
    }
    match serde_json::from_str::<Map<String, Value>>(raw) {
        Ok(_) => raw.to_owned(),
        Err(_) => json!({"unreadable": raw}).to_string(),
    }
}

/// Checks what every vendor demands of a conversation.
///
/// It must not be empty and must end with the person or a tool; call ids are unique over the conversation; right after
/// a message with calls comes exactly one result for each of its ids, in any order, and nowhere else a result.
///
/// Errors: [`ModelError::Protocol`] that names the message, counted from 0, and the id.
pub fn validate(messages: &[Message]) -> Result<(), ModelError> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        check_message(at, message, &mut open, &mut seen).map_err(ModelError::protocol)?;
    }
    match (messages.last(), open.first()) {
        (_, Some(id)) => Err(ModelError::protocol(format!("the call `{id}` has no result"))),
        (None, _) => Err(ModelError::protocol("the conversation is empty")),
        (Some(Message::Assistant { .. }), _) => {
            Err(ModelError::protocol("the conversation ends with the model's own message"))
        }
        (Some(_), None) => Ok(()),
    }
}

fn check_message<'a>(
    at: usize,
    message: &'a Message,
    open: &mut Vec<&'a str>,
    seen: &mut BTreeSet<&'a str>,
) -> Result<(), String> {
    match message {
        Message::Tool { call_id, .. } => match open.iter().position(|id| id == call_id) {
            Some(place) => drop(open.remove(place)),
            None => {
                return Err(format!("message {at} is a result for `{call_id}`, which no open call has"));
            }
        },
        _ if !open.is_empty() => return Err(format!("message {at} comes before the result of `{}`", open[0])),
        Message::Assistant { calls, .. } => {
            for call in calls {
                if call.name.is_empty() || call.id.is_empty() || !seen.insert(&call.id) {
                    return Err(format!(
                        "message {at}: the call `{}` ({}) needs a name and a new id",
                        call.id, call.name
                    ));
                }
                open.push(&call.id);
            }
        }
        Message::User { .. } => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
