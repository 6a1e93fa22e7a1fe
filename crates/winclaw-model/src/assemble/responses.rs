use serde_json::Value;

use super::Sink;
use super::told::Told;
use crate::Usage;
use crate::vendor::{error_in, rejected};
use crate::wire::SEARCH;

/// Takes one event of OpenAI's Responses, or the whole answer.
pub(super) fn chunk(told: &mut Told, chunk: &Value, sink: &mut Sink<'_>) {
    told.error = error_in(chunk);
    if told.error.is_some() {
        return;
    }
    let index = chunk["output_index"].as_u64().unwrap_or(0);
    let text = |field: &str| chunk[field].as_str().unwrap_or("");
    match chunk["type"].as_str() {
        Some("error") => told.error = Some(rejected(chunk)),
        Some("response.created" | "response.in_progress" | "response.queued") => told.spoke = true,
        Some("response.output_item.added") => begin(told, index, &chunk["item"], sink),
        Some("response.output_item.done") => end(told, index, &chunk["item"], sink),
        Some("response.output_text.delta" | "response.refusal.delta") => {
            told.heard.insert(index);
            told.say(text("delta"), sink);
        }
        Some("response.reasoning_summary_text.delta" | "response.reasoning_text.delta") => {
            told.heard.insert(index);
            told.think(text("delta"), sink);
        }
        // Of the search the documentation names no such event, but some servers send one.
        Some(kind) if kind.ends_with("_arguments.delta") || kind.ends_with("_call.arguments.delta") => {
            told.calls.append(index, text("delta"));
        }
        Some(kind) if kind.ends_with("_arguments.done") || kind.ends_with("_call.arguments.done") => {
            told.calls.settle(index, &as_text(&chunk["arguments"]));
        }
        Some("response.completed" | "response.incomplete" | "response.failed" | "response.cancelled") => {
            whole(told, &chunk["response"], sink);
            told.done = true;
        }
        Some(_) => {}
        None if chunk["object"] == "response" => whole(told, chunk, sink),
        None => told.skipped += 1,
    }
}

/// A response with all its items. At the end of a stream they are known but for what the server never streamed; their
/// places may then differ from those in the stream, so calls are told by their ids.
fn whole(told: &mut Told, response: &Value, sink: &mut Sink<'_>) {
    told.error = error_in(response);
    told.spoke = true;
    count(&mut told.usage, &response["usage"]);
    // An incomplete response says why apart from its status.
    let filter = response.pointer("/incomplete_details/reason").filter(|reason| *reason == "content_filter");
    told.finished(filter.or(response.get("status")));
    let (words, thoughts) = (told.has_text(), told.has_thoughts());
    for item in response["output"].as_array().into_iter().flatten() {
        match item["type"].as_str().unwrap_or("") {
            "message" if !words => message(told, item, sink),
            "reasoning" => reasoning(told, item, !thoughts, sink),
            "function_call" | "tool_search_call" if told.calls.knows(call_id(item)) => {
                told.calls.complete(call_id(item), &as_text(&item["arguments"]));
            }
            "function_call" | "tool_search_call" => {
                let index = u64::MAX - told.calls.count() as u64;
                begin(told, index, item, sink);
                told.calls.settle(index, &as_text(&item["arguments"]));
            }
            _ => {}
        }
    }
}

fn call_id(item: &Value) -> &str {
    ["call_id", "id"].iter().find_map(|field| item[*field].as_str()).unwrap_or("")
}

fn begin(told: &mut Told, index: u64, item: &Value, sink: &mut Sink<'_>) {
    told.spoke = true;
    let name = match item["type"].as_str() {
        Some("function_call") => item["name"].as_str().unwrap_or(""),
        // A search that the server runs itself is no call to be answered.
        Some("tool_search_call") if item["execution"] != "server" => SEARCH,
        _ => return,
    };
    let begun = told.calls.begin(index, call_id(item), name, "", sink);
    told.skipped += u32::from(!begun);
}

fn end(told: &mut Told, index: u64, item: &Value, sink: &mut Sink<'_>) {
    let heard = told.heard.contains(&index);
    match item["type"].as_str().unwrap_or("") {
        "message" if !heard => message(told, item, sink),
        "reasoning" => reasoning(told, item, !heard, sink),
        "function_call" | "tool_search_call" => {
            if !told.calls.knows(call_id(item)) {
                begin(told, index, item, sink);
            }
            told.calls.settle(index, &as_text(&item["arguments"]));
        }
        _ => {}
    }
}

fn message(told: &mut Told, item: &Value, sink: &mut Sink<'_>) {
    for part in item["content"].as_array().into_iter().flatten() {
        let words = ["text", "refusal"].iter().find_map(|field| part[*field].as_str());
        told.say(words.unwrap_or(""), sink);
    }
}

/// Thoughts go back only when they are encrypted: nothing is stored, so the vendor could not find them by their id.
fn reasoning(told: &mut Told, item: &Value, aloud: bool, sink: &mut Sink<'_>) {
    let pieces = ["summary", "content"].iter().filter_map(|field| item[*field].as_array()).flatten();
    for piece in pieces.filter(|_| aloud) {
        told.think(piece["text"].as_str().unwrap_or(""), sink);
    }
    if item["encrypted_content"].is_string() {
        told.seal(item);
    }
}

/// Arguments are text in a function call and an object in a search.
fn as_text(arguments: &Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn count(usage: &mut Usage, counts: &Value) {
    let number = |path: &str| counts.pointer(path).and_then(Value::as_u64);
    usage.input = number("/input_tokens").or(usage.input);
    usage.cached = number("/input_tokens_details/cached_tokens").or(usage.cached);
    usage.written = number("/input_tokens_details/cache_write_tokens").or(usage.written);
    usage.output = number("/output_tokens").or(usage.output);
}
