use serde_json::{Value, json};
use winclaw_model::ChatReply;

use super::{Tokens, output_tokens, pieces};
use crate::rules::Accepted;

fn usage(tokens: Tokens, reply: &ChatReply) -> Value {
    let output = output_tokens(reply);
    json!({
        "prompt_tokens": tokens.input, "completion_tokens": output, "total_tokens": tokens.input + output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached}
    })
}

fn finish_reason(reply: &ChatReply) -> &'static str {
    match (reply.cut_off, reply.calls.is_empty()) {
        (true, _) => "length",
        (false, false) => "tool_calls",
        (false, true) => "stop",
    }
}

/// The answer as one JSON body.
pub(super) fn whole(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Value {
    let mut message = json!({"role": "assistant", "content": Value::Null});
    if !reply.text.is_empty() {
        message["content"] = reply.text.as_str().into();
    }
    if let Some(thoughts) = &reply.reasoning {
        message["reasoning_content"] = thoughts.as_str().into();
    }
    if !reply.calls.is_empty() {
        message["tool_calls"] = reply.calls.iter().map(|call| {
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
        }).collect();
    }
    json!({
        "id": "chatcmpl-mock", "object": "chat.completion", "created": 0, "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(reply)}],
        "usage": usage(tokens, reply)
    })
}

/// The answer as the events of a stream, each with its blank line, `[DONE]` last.
pub(super) fn events(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Vec<String> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    let thoughts = reply.reasoning.as_deref().unwrap_or("");
    deltas.extend(pieces(thoughts).map(|piece| json!({"reasoning_content": piece})));
    deltas.extend(pieces(&reply.text).map(|piece| json!({"content": piece})));
    for (index, call) in reply.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        deltas.push(json!({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}));
        let more = |piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]});
        deltas.extend(pieces(&call.arguments).map(more));
    }
    let mut events: Vec<String> = deltas.into_iter().map(|delta| event(asked, &choice(delta, Value::Null))).collect();
    events.push(event(asked, &choice(json!({}), finish_reason(reply).into())));
    if asked.usage {
        events.push(event(asked, &json!({"choices": [], "usage": usage(tokens, reply)})));
    }
    events.push("data: [DONE]\n\n".into());
    events
}

fn choice(delta: Value, finish: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn event(asked: &Accepted, rest: &Value) -> String {
    let mut chunk =
        json!({"id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 0, "model": asked.model});
    for (key, value) in rest.as_object().into_iter().flatten() {
        chunk[key] = value.clone();
    }
    format!("data: {chunk}\n\n")
}
