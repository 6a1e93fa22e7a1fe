use serde_json::{Map, Value, json};
use winclaw_model::{ChatReply, WireCall};

/// How a model writes calls into its words when nobody recognises them as calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCalls {
    /// DeepSeek's markup, `<｜DSML｜tool_calls>` with a parameter for each argument.
    Dsml,
    /// `<tool_call>` around an object with `name` and `arguments`, as Qwen and Hermes models do.
    Tags,
    /// The same object in a fenced block of JSON.
    Fenced,
}

/// The reply with its calls in its words.
pub(super) fn told(reply: &ChatReply, how: TextCalls) -> ChatReply {
    let calls: Vec<String> = reply.calls.iter().map(|call| one(call, how)).collect();
    let mut text = reply.text.clone();
    if !text.is_empty() && !calls.is_empty() {
        text.push('\n');
    }
    match how {
        TextCalls::Dsml if !calls.is_empty() => {
            text.push_str(&format!("<｜DSML｜tool_calls>\n{}</｜DSML｜tool_calls>", calls.concat()));
        }
        _ => text.push_str(&calls.concat()),
    }
    ChatReply { text, calls: Vec::new(), ..reply.clone() }
}

fn one(call: &WireCall, how: TextCalls) -> String {
    let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
    let object = json!({"name": call.name, "arguments": arguments});
    match how {
        TextCalls::Tags => format!("<tool_call>\n{object}\n</tool_call>\n"),
        TextCalls::Fenced => format!("```json\n{object}\n```\n"),
        TextCalls::Dsml => {
            let parameters: String = arguments.iter().map(|(name, value)| parameter(name, value)).collect();
            format!("<｜DSML｜invoke name=\"{}\">\n{parameters}</｜DSML｜invoke>\n", call.name)
        }
    }
}

fn parameter(name: &str, value: &Value) -> String {
    let (string, shown) = match value {
        Value::String(text) => (true, text.clone()),
        other => (false, other.to_string()),
    };
    format!("<｜DSML｜parameter name=\"{name}\" string=\"{string}\">{shown}</｜DSML｜parameter>\n")
}
