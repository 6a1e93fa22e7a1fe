use serde_json::{Map, Value, json};
use winclaw_model::{ChatReply, WireCall};

use super::{Tokens, output_tokens, pieces};
use crate::rules::{Accepted, seal};
use crate::vendor::{Arguments, CallIds, Continued, Dialect, Finish, Index, UsageAt, UsageShape};

fn usage(dialect: &Dialect, tokens: Tokens, reply: &ChatReply) -> Value {
    let output = output_tokens(reply);
    let mut usage =
        json!({"prompt_tokens": tokens.input, "completion_tokens": output, "total_tokens": tokens.input + output});
    match dialect.usage {
        UsageShape::Plain => {}
        UsageShape::DeepSeek => {
            usage["prompt_cache_hit_tokens"] = tokens.cached.into();
            usage["prompt_cache_miss_tokens"] = (tokens.input - tokens.cached).into();
        }
        UsageShape::Kimi => usage["cached_tokens"] = tokens.cached.into(),
        UsageShape::OpenAi | UsageShape::Cost => {
            usage["prompt_tokens_details"] = json!({"cached_tokens": tokens.cached});
        }
    }
    if dialect.usage == UsageShape::Cost {
        usage["cost"] = json!(0.0025);
    }
    usage
}

fn finish_reason(reply: &ChatReply, dialect: &Dialect, streams: bool) -> &'static str {
    match (reply.cut_off, reply.calls.is_empty()) {
        (true, _) => "length",
        (false, false) if streams && dialect.finish == Finish::StopInStreams => "stop",
        (false, false) => "tool_calls",
        (false, true) => "stop",
    }
}

/// The answer as one JSON body.
pub(super) fn whole(asked: &Accepted, reply: &ChatReply, tokens: Tokens, dialect: &Dialect) -> Value {
    let empty = if dialect.empty_words { json!("") } else { Value::Null };
    let words = if reply.text.is_empty() { empty } else { reply.text.as_str().into() };
    let mut message = json!({"role": "assistant", "content": words});
    if let Some(thoughts) = &reply.reasoning {
        think(&mut message, dialect, thoughts);
    }
    if !reply.calls.is_empty() {
        let calls = reply.calls.iter().enumerate();
        message["tool_calls"] = calls.map(|(at, call)| begun(dialect, at, call, arguments(dialect, call))).collect();
    }
    json!({
        "id": "chatcmpl-mock", "object": "chat.completion", "created": 0, "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(reply, dialect, false)}],
        "usage": usage(dialect, tokens, reply)
    })
}

/// Puts thoughts into a message or a piece of one.
fn think(message: &mut Value, dialect: &Dialect, thoughts: &str) {
    message[dialect.thoughts] = thoughts.into();
    if dialect.details {
        let detail = json!({"type": "reasoning.text", "text": thoughts, "format": "unknown", "index": 0});
        message["reasoning_details"] = json!([detail]);
    }
}

/// A call with its id, name and `arguments`.
fn begun(dialect: &Dialect, at: usize, call: &WireCall, arguments: Value) -> Value {
    let id = match dialect.ids {
        CallIds::Scripted => call.id.clone(),
        CallIds::ByName => format!("{}:{at}", call.name),
        CallIds::Counted => format!("call_{at}"),
        CallIds::Digits => (740_612_981 + at).to_string(),
        CallIds::Empty => String::new(),
    };
    let function = json!({"name": call.name, "arguments": arguments});
    let mut begun = json!({"id": id, "type": "function", "function": function});
    if dialect.signatures && at == 0 {
        begun["extra_content"] = json!({"google": {"thought_signature": seal(&call.name)}});
    }
    begun
}

/// The arguments as the dialect has them: a text, or an object where they are one.
fn arguments(dialect: &Dialect, call: &WireCall) -> Value {
    let object = serde_json::from_str::<Map<String, Value>>(&call.arguments);
    match (dialect.arguments, object) {
        (Arguments::Object, Ok(object)) => Value::Object(object),
        _ => call.arguments.as_str().into(),
    }
}

/// The answer as the events of a stream, each with its blank line.
pub(super) fn events(asked: &Accepted, reply: &ChatReply, tokens: Tokens, dialect: &Dialect) -> Vec<String> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    let thoughts = reply.reasoning.as_deref().unwrap_or("");
    deltas.extend(pieces(thoughts).map(|piece| {
        let mut delta = json!({});
        think(&mut delta, dialect, &piece);
        delta
    }));
    deltas.extend(pieces(&reply.text).map(|piece| json!({"content": piece})));
    for (at, call) in reply.calls.iter().enumerate() {
        deltas.extend(streamed(dialect, at, call).into_iter().map(|call| json!({"tool_calls": [call]})));
    }
    let pieces = deltas.into_iter().map(|delta| choice(delta, Value::Null));
    let mut events: Vec<String> = pieces.map(|piece| event(asked, dialect, &piece)).collect();
    events.extend(ending(asked, reply, tokens, dialect));
    if let Some(comment) = dialect.comment {
        let end = dialect.line_end;
        events.insert(events.len() / 2, format!("{comment}{end}{end}"));
        events.insert(0, format!("{comment}{end}{end}"));
    }
    events
}

/// The pieces of one call.
fn streamed(dialect: &Dialect, at: usize, call: &WireCall) -> Vec<Value> {
    let mut out = match dialect.arguments {
        Arguments::Pieces => {
            let mut out = vec![begun(dialect, at, call, "".into())];
            out.extend(pieces(&call.arguments).map(|piece| continued(dialect, &piece)));
            out
        }
        Arguments::Whole | Arguments::Object => vec![begun(dialect, at, call, arguments(dialect, call))],
    };
    for piece in &mut out {
        match dialect.index {
            Index::Counted => piece["index"] = at.into(),
            Index::Zero => piece["index"] = 0.into(),
            Index::Missing => {}
        }
    }
    out
}

fn continued(dialect: &Dialect, piece: &str) -> Value {
    match dialect.continued {
        Continued::Absent => json!({"function": {"arguments": piece}}),
        Continued::Empty => json!({"id": "", "type": "function", "function": {"name": "", "arguments": piece}}),
    }
}

fn ending(asked: &Accepted, reply: &ChatReply, tokens: Tokens, dialect: &Dialect) -> Vec<String> {
    let mut last = choice(json!({}), finish_reason(reply, dialect, true).into());
    let usage = usage(dialect, tokens, reply);
    match dialect.usage_at {
        UsageAt::OwnPiece => {}
        UsageAt::LastPiece => last["usage"] = usage.clone(),
        UsageAt::LastChoice => last["choices"][0]["usage"] = usage.clone(),
    }
    let mut out = vec![event(asked, dialect, &last)];
    if asked.usage && dialect.usage_at != UsageAt::LastPiece {
        out.push(event(asked, dialect, &json!({"choices": [], "usage": usage})));
    }
    if dialect.done {
        out.push(line(dialect, "[DONE]"));
    }
    out
}

fn choice(delta: Value, finish: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn event(asked: &Accepted, dialect: &Dialect, rest: &Value) -> String {
    let mut chunk =
        json!({"id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 0, "model": asked.model});
    for (key, value) in rest.as_object().into_iter().flatten() {
        chunk[key] = value.clone();
    }
    line(dialect, &chunk.to_string())
}

fn line(dialect: &Dialect, data: &str) -> String {
    let Dialect { gap, line_end: end, .. } = dialect;
    format!("data:{gap}{data}{end}{end}")
}
