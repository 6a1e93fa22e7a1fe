use serde_json::{Map, Value, json};
use winclaw_model::{ChatReply, WireCall};

use super::{Tokens, output_tokens, pieces};
use crate::rules::{Accepted, seal};

/// The answer as one JSON body.
pub(super) fn whole(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Value {
    let status = if reply.cut_off { "incomplete" } else { "completed" };
    let output = output_tokens(reply);
    let usage = json!({
        "input_tokens": tokens.input, "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens.input + output
    });
    response(asked, status, &items(asked, reply), &usage)
}

fn response(asked: &Accepted, status: &str, output: &[Value], usage: &Value) -> Value {
    let cut_off = if status == "incomplete" { json!({"reason": "max_output_tokens"}) } else { Value::Null };
    json!({
        "id": "resp_mock", "object": "response", "created_at": 0, "status": status, "error": null,
        "incomplete_details": cut_off, "model": asked.model, "output": output, "store": false, "usage": usage
    })
}

fn items(asked: &Accepted, reply: &ChatReply) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(thoughts) = &reply.reasoning {
        let summary = json!([{"type": "summary_text", "text": thoughts}]);
        items.push(
            json!({"type": "reasoning", "id": "rs_mock", "summary": summary, "encrypted_content": seal(thoughts)}),
        );
    }
    if !reply.text.is_empty() {
        let content = json!([{"type": "output_text", "text": reply.text, "annotations": []}]);
        items.push(json!({"type": "message", "id": "msg_mock", "status": "completed", "role": "assistant", "content": content}));
    }
    items.extend(reply.calls.iter().map(|call| item(asked, call)));
    items
}

/// A call as the format has it: the search, if the request has one, with its arguments as an object.
fn item(asked: &Accepted, call: &WireCall) -> Value {
    let WireCall { id, name, arguments } = call;
    if name == "tool_search" && asked.request.tools.iter().any(|spec| spec.name == *name) {
        let arguments: Map<String, Value> = serde_json::from_str(arguments).unwrap_or_default();
        return json!({
            "type": "tool_search_call", "id": format!("tsc_{id}"), "call_id": id, "execution": "client",
            "status": "completed", "arguments": arguments
        });
    }
    json!({
        "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name, "arguments": arguments,
        "status": "completed"
    })
}

/// The answer as the events of a stream, each with its blank line.
pub(super) fn events(asked: &Accepted, reply: &ChatReply, tokens: Tokens) -> Vec<String> {
    let begun = response(asked, "in_progress", &[], &Value::Null);
    let mut out = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (index, item) in items(asked, reply).iter().enumerate() {
        out.extend(streamed(index, item));
    }
    let last = whole(asked, reply, tokens);
    let kind = format!("response.{}", last["status"].as_str().unwrap_or("completed"));
    out.push(json!({"type": kind, "response": last}));
    for (number, event) in out.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    out.iter().map(super::named).collect()
}

fn streamed(index: usize, item: &Value) -> Vec<Value> {
    let (mut opened, id) = (item.clone(), item["id"].clone());
    let (field, text) = match item["type"].as_str() {
        Some("reasoning") => ("summary", &item["summary"][0]["text"]),
        Some("message") => ("content", &item["content"][0]["text"]),
        Some("function_call") => ("arguments", &item["arguments"]),
        _ => ("", &Value::Null),
    };
    let kind = match field {
        "summary" => "response.reasoning_summary_text",
        "content" => "response.output_text",
        _ => "response.function_call_arguments",
    };
    match field {
        "summary" | "content" => opened[field] = json!([]),
        "arguments" => opened[field] = "".into(),
        _ => opened["arguments"] = json!({}),
    }
    opened["status"] = "in_progress".into();
    let mut out = vec![json!({"type": "response.output_item.added", "output_index": index, "item": opened})];
    if let Some(text) = text.as_str() {
        let piece =
            |piece| json!({"type": format!("{kind}.delta"), "item_id": id, "output_index": index, "delta": piece});
        out.extend(pieces(text).map(piece));
        let last = if field == "arguments" { "arguments" } else { "text" };
        let mut done = json!({"type": format!("{kind}.done"), "item_id": id, "output_index": index});
        done[last] = text.into();
        out.push(done);
    }
    out.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    out
}
