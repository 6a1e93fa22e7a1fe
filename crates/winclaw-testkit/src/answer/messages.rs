use serde_json::{Map, Value, json};
use winclaw_model::ChatReply;

use super::{Tokens, output_tokens, pieces};
use crate::rules::{Accepted, seal};

fn usage(tokens: Tokens, output: usize) -> Value {
    json!({
        "input_tokens": tokens.input - tokens.cached, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": tokens.cached, "output_tokens": output
    })
}

fn stop_reason(reply: &ChatReply) -> &'static str {
    match (reply.cut_off, reply.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, false) => "tool_use",
        (false, true) => "end_turn",
    }
}

fn message(asked: &Accepted, content: &[Value], reason: Value, usage: &Value) -> Value {
    json!({
        "id": "msg_mock", "type": "message", "role": "assistant", "model": asked.model, "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": usage
    })
}

/// The answer as one JSON body. Arguments that are no object are sent as an empty one, since the format has no room for
/// them.
pub(super) fn whole(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Value {
    let mut content = Vec::new();
    if let Some(thoughts) = &reply.reasoning {
        content.push(json!({"type": "thinking", "thinking": thoughts, "signature": seal(thoughts)}));
    }
    if !reply.text.is_empty() {
        content.push(json!({"type": "text", "text": reply.text}));
    }
    for call in &reply.calls {
        let input: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
        content.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    message(asked, &content, stop_reason(reply).into(), &usage(tokens, output_tokens(reply)))
}

/// The answer as the events of a stream, each with its blank line.
pub(super) fn events(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Vec<String> {
    let mut out =
        vec![json!({"type": "message_start", "message": message(asked, &[], Value::Null, &usage(tokens, 1))})];
    let mut blocks = Vec::new();
    if let Some(thoughts) = &reply.reasoning {
        let mut deltas: Vec<Value> =
            pieces(thoughts).map(|piece| json!({"type": "thinking_delta", "thinking": piece})).collect();
        deltas.push(json!({"type": "signature_delta", "signature": seal(thoughts)}));
        blocks.push((json!({"type": "thinking", "thinking": "", "signature": ""}), deltas));
    }
    if !reply.text.is_empty() {
        let deltas = pieces(&reply.text).map(|piece| json!({"type": "text_delta", "text": piece})).collect();
        blocks.push((json!({"type": "text", "text": ""}), deltas));
    }
    for call in &reply.calls {
        let piece = |piece: String| json!({"type": "input_json_delta", "partial_json": piece});
        let deltas = std::iter::once(String::new()).chain(pieces(&call.arguments)).map(piece).collect();
        blocks.push((json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}), deltas));
    }
    for (index, (block, deltas)) in blocks.into_iter().enumerate() {
        out.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        out.extend(deltas.into_iter().map(delta));
        out.push(json!({"type": "content_block_stop", "index": index}));
    }
    out.insert(1, json!({"type": "ping"}));
    let end = json!({"stop_reason": stop_reason(reply), "stop_sequence": null});
    out.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": output_tokens(reply)}}));
    out.push(json!({"type": "message_stop"}));
    out.iter().map(super::named).collect()
}
