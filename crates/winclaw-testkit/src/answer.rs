use serde_json::{Value, json};
use winclaw_model::ChatReply;

use crate::rules::Accepted;

/// Characters of a text or of arguments in one event.
const PIECE: usize = 5;

/// The token counts that are reported: four bytes of body a token, and as cached what it shares with the request before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tokens {
    pub(crate) input: usize,
    pub(crate) cached: usize,
}

impl Tokens {
    /// Counts a body against the one before.
    pub(crate) fn count(body: &[u8], before: Option<&[u8]>) -> Self {
        let shared = body.iter().zip(before.unwrap_or(&[])).take_while(|(a, b)| a == b).count();
        Tokens { input: body.len().div_ceil(4), cached: shared / 4 }
    }

    fn usage(self, reply: &ChatReply) -> Value {
        let calls: usize = reply.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
        let output = (reply.text.len() + calls).div_ceil(4);
        json!({
            "prompt_tokens": self.input, "completion_tokens": output, "total_tokens": self.input + output,
            "prompt_tokens_details": {"cached_tokens": self.cached}
        })
    }
}

fn finish_reason(reply: &ChatReply) -> &'static str {
    match (reply.cut_off, reply.calls.is_empty()) {
        (true, _) => "length",
        (false, false) => "tool_calls",
        (false, true) => "stop",
    }
}

/// The answer as one JSON body.
pub(crate) fn whole(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Value {
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
        "usage": tokens.usage(reply)
    })
}

/// The answer as the events of a stream, each with its blank line, `[DONE]` last.
pub(crate) fn events(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Vec<String> {
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
        events.push(event(asked, &json!({"choices": [], "usage": tokens.usage(reply)})));
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

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}
