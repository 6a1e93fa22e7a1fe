use serde_json::Value;

use super::Sink;
use super::told::Told;
use crate::Usage;
use crate::vendor::error_in;

/// Takes one event of Anthropic's Messages, or the whole answer.
pub(super) fn chunk(told: &mut Told, chunk: &Value, sink: &mut Sink<'_>) {
    told.error = error_in(chunk);
    if told.error.is_some() {
        return;
    }
    match chunk["type"].as_str() {
        Some("message_start") => whole(told, &chunk["message"], sink),
        Some("content_block_start") => begin(told, index(chunk), &chunk["content_block"], sink),
        Some("content_block_delta") => delta(told, index(chunk), &chunk["delta"], sink),
        Some("content_block_stop") => end(told, index(chunk)),
        Some("message_delta") => {
            told.finished(chunk.pointer("/delta/stop_reason"));
            count(&mut told.usage, &chunk["usage"]);
        }
        Some("message_stop") => told.done = true,
        Some("message") => whole(told, chunk, sink),
        Some(_) => {}
        None => told.skipped += 1,
    }
}

fn index(chunk: &Value) -> u64 {
    chunk["index"].as_u64().unwrap_or(0)
}

/// A message as far as it goes: everything in an answer that is no stream, next to nothing at the start of one.
fn whole(told: &mut Told, message: &Value, sink: &mut Sink<'_>) {
    told.spoke = true;
    count(&mut told.usage, &message["usage"]);
    for (index, block) in (0..).zip(message["content"].as_array().into_iter().flatten()) {
        begin(told, index, block, sink);
        if block["type"] == "tool_use" && block["input"].is_object() {
            told.calls.settle(index, &block["input"].to_string());
        }
        end(told, index);
    }
    told.finished(message.get("stop_reason"));
}

/// A block as it begins; what it holds by then counts, so that a whole block is taken the same way.
fn begin(told: &mut Told, index: u64, block: &Value, sink: &mut Sink<'_>) {
    told.spoke = true;
    let text = |field: &str| block[field].as_str().unwrap_or("");
    match text("type") {
        "text" => told.say(text("text"), sink),
        "tool_use" => {
            let input = block["input"].as_object().filter(|input| !input.is_empty());
            let input = input.map_or_else(String::new, |_| block["input"].to_string());
            let begun = told.calls.begin(index, text("id"), text("name"), &input, sink);
            told.skipped += u32::from(!begun);
        }
        "thinking" => {
            told.think(text("thinking"), sink);
            told.open.insert(index, block.clone());
        }
        "redacted_thinking" => drop(told.open.insert(index, block.clone())),
        _ => {}
    }
}

fn delta(told: &mut Told, index: u64, delta: &Value, sink: &mut Sink<'_>) {
    let text = |field: &str| delta[field].as_str().unwrap_or("");
    match text("type") {
        "text_delta" => told.say(text("text"), sink),
        "input_json_delta" => {
            let taken = told.calls.append(index, text("partial_json"));
            told.skipped += u32::from(!taken);
        }
        "thinking_delta" => {
            told.think(text("thinking"), sink);
            extend(told, index, "thinking", text("thinking"));
        }
        "signature_delta" => extend(told, index, "signature", text("signature")),
        _ => {}
    }
}

fn extend(told: &mut Told, index: u64, field: &str, more: &str) {
    let Some(block) = told.open.get_mut(&index) else { return };
    match &mut block[field] {
        Value::String(text) => text.push_str(more),
        other => *other = more.into(),
    }
}

/// Thoughts count as sealed once they are whole and signed; the vendor refuses any others.
fn end(told: &mut Told, index: u64) {
    if let Some(block) = told.open.remove(&index) {
        let proof = if block["type"] == "thinking" { "signature" } else { "data" };
        if block[proof].as_str().is_some_and(|proof| !proof.is_empty()) {
            told.seal(&block);
        }
    }
}

/// Counts are cumulative, and later events may repeat only some of them. The vendor counts what it read from its cache
/// and what it wrote there apart from the other tokens of the request.
fn count(usage: &mut Usage, counts: &Value) {
    let number = |field: &str| counts[field].as_u64();
    if let Some(fresh) = number("input_tokens") {
        let cached = number("cache_read_input_tokens");
        let written = number("cache_creation_input_tokens");
        usage.input = Some(fresh.saturating_add(written.unwrap_or(0)).saturating_add(cached.unwrap_or(0)));
        (usage.cached, usage.written) = (cached, written);
    }
    usage.output = number("output_tokens").or(usage.output);
}
