use serde_json::Value;

use super::Sink;
use super::told::Told;
use crate::Delta;
use crate::vendor::{charge_in, error_in, usage_in};
use crate::wire::DETAILS;

/// Takes one chunk of chat completions, or the whole answer, which has the same fields.
pub(super) fn chunk(told: &mut Told, chunk: &Value, sink: &mut Sink<'_>) {
    told.error = error_in(chunk);
    if told.error.is_some() {
        return;
    }
    // Moonshot counts in the choice, Groq in a field of its own.
    let places = ["/usage", "/choices/0/usage", "/x_groq/usage", "/usageMetadata"];
    if let Some(usage) = places.iter().find_map(|place| chunk.pointer(place).filter(|usage| usage.is_object())) {
        told.usage = usage_in(usage);
        told.charged = charge_in(usage).or(told.charged.take());
    }
    let Some(choices) = chunk.get("choices").and_then(Value::as_array) else {
        told.skipped += u32::from(chunk.get("usage").is_none());
        return;
    };
    let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    for choice in choices.iter().filter(first) {
        self::choice(told, choice, sink);
    }
}

fn choice(told: &mut Told, choice: &Value, sink: &mut Sink<'_>) {
    told.spoke = true;
    let said = ["delta", "message"].iter().find_map(|key| choice.get(key).filter(|said| said.is_object()));
    if let Some(said) = said {
        self::said(told, said, sink);
    }
    told.finished(choice.get("finish_reason"));
}

fn said(told: &mut Told, said: &Value, sink: &mut Sink<'_>) {
    let thoughts = ["reasoning_content", "reasoning"].iter().find_map(|key| said.get(key).and_then(Value::as_str));
    if let Some(thoughts) = thoughts {
        told.think(thoughts, sink);
    }
    for piece in said.get(DETAILS).and_then(Value::as_array).into_iter().flatten().filter(|piece| piece.is_object()) {
        told.detail(piece);
    }
    for text in ["content", "refusal"].iter().filter_map(|key| said.get(key).and_then(words)) {
        told.say(&text, sink);
    }
    let pieces = match said.get("tool_calls") {
        Some(Value::Array(pieces)) => pieces.as_slice(),
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => &[],
    };
    for piece in pieces {
        let taken = told.calls.take(piece, |name| sink(Delta::CallStarted { name }));
        told.skipped += u32::from(!taken);
    }
}

/// Content as text: a string, or the texts of a list of parts.
fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<String>())
        }
        _ => None,
    }
}
