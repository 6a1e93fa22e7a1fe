//! The rules of chat completions that vendors enforce, checked on the raw body.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use winclaw_model::{ChatRequest, EmptyContent, Message, WireCall};
use winclaw_tool::ToolSpec;

/// What a vendor demands of thoughts in messages with tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thoughts {
    /// They may stand there or not.
    #[default]
    Allowed,
    /// `reasoning_content` must stand in each message with calls, as DeepSeek demands when thinking is on.
    Demanded,
    /// `reasoning_content` must not stand anywhere.
    Refused,
}

/// In what vendors differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The only way in which a message with calls and without words may be written; `None` allows all three.
    pub empty_content: Option<EmptyContent>,
    /// What is demanded of thoughts.
    pub thoughts: Thoughts,
    /// The most tools. Default 128.
    pub max_tools: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { empty_content: None, thoughts: Thoughts::Allowed, max_tools: 128 }
    }
}

/// A request that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The vendor's word for it, such as `invalid_request_error`.
    pub kind: &'static str,
    /// What is wrong and where.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, kind: &'static str, message: impl Into<String>) -> Self {
        Refusal { status, kind, message: message.into() }
    }

    /// The body as OpenAI writes it.
    pub fn body(&self) -> Value {
        json!({"error": {"message": self.message, "type": self.kind, "param": null, "code": null}})
    }
}

/// A request that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The model's name.
    pub model: String,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// Whether the stream shall end with the token counts.
    pub usage: bool,
    /// The rest in the words of `winclaw-model`.
    pub request: ChatRequest,
}

type Checked<T> = Result<T, String>;

/// Checks a body against the rules, and reads it. Refusals are status 400, as OpenAI's.
pub fn check(body: &[u8], rules: &Rules) -> Result<Accepted, Refusal> {
    let refuse = |message: String| Refusal::new(400, "invalid_request_error", message);
    let body: Value = serde_json::from_slice(body).map_err(|error| refuse(format!("the body is no JSON: {error}")))?;
    read(&body, rules).map_err(refuse)
}

fn read(body: &Value, rules: &Rules) -> Checked<Accepted> {
    let model = body["model"].as_str().filter(|model| !model.is_empty()).ok_or("you must provide a model parameter")?;
    let stream = body["stream"].as_bool().unwrap_or(false);
    if !stream && body.get("stream_options").is_some() {
        return Err("'stream_options' is only allowed when 'stream' is enabled".into());
    }
    let tools = tools(body, rules)?;
    if tools.is_empty() && body.get("parallel_tool_calls").is_some() {
        return Err("'parallel_tool_calls' is only allowed when 'tools' are specified".into());
    }
    let (system, messages) = messages(body, rules)?;
    let usage = body["stream_options"]["include_usage"].as_bool().unwrap_or(false);
    Ok(Accepted {
        model: model.into(),
        stream,
        usage,
        request: ChatRequest { system, tools, messages, ..ChatRequest::default() },
    })
}

fn tools(body: &Value, rules: &Rules) -> Checked<Vec<ToolSpec>> {
    let Some(tools) = body.get("tools") else {
        return Ok(Vec::new());
    };
    let tools = tools.as_array().ok_or("'tools' must be an array")?;
    match tools.len() {
        0 => return Err("[] is too short - 'tools'".into()),
        many if many > rules.max_tools => {
            return Err(format!("'tools' is too long: at most {}, got {many}", rules.max_tools));
        }
        _ => {}
    }
    let mut names = BTreeSet::new();
    let specs: Vec<ToolSpec> = tools.iter().enumerate().map(|(at, each)| tool(at, each)).collect::<Checked<_>>()?;
    match specs.iter().find(|spec| !names.insert(spec.name.as_str())) {
        Some(spec) => Err(format!("'tools': the name '{}' stands twice", spec.name)),
        None => Ok(specs),
    }
}

fn tool(at: usize, tool: &Value) -> Checked<ToolSpec> {
    if tool["type"] != "function" {
        return Err(format!("'tools[{at}].type' must be 'function'"));
    }
    let function = &tool["function"];
    let name = name(function).map_err(|why| format!("'tools[{at}].function.name' {why}"))?;
    let parameters = &function["parameters"];
    let misplaced = ["anyOf", "oneOf", "allOf", "enum", "not"].iter().find(|key| parameters.get(key).is_some());
    if parameters["type"] != "object" || misplaced.is_some() {
        let rule = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level";
        return Err(format!("invalid schema for function '{name}': {rule}"));
    }
    let description = function["description"].as_str().unwrap_or("").to_owned();
    Ok(ToolSpec { name, description, parameters: parameters.clone() })
}

fn name(function: &Value) -> Checked<String> {
    let name = function["name"].as_str().ok_or("is missing")?;
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if (1..=64).contains(&name.len()) && name.bytes().all(legal) {
        Ok(name.to_owned())
    } else {
        Err(format!("'{name}' does not match the pattern '^[a-zA-Z0-9_-]{{1,64}}$'"))
    }
}

fn messages(body: &Value, rules: &Rules) -> Checked<(String, Vec<Message>)> {
    let all = body["messages"].as_array().filter(|all| !all.is_empty()).ok_or("[] is too short - 'messages'")?;
    let (mut system, mut messages) = (String::new(), Vec::new());
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, each) in all.iter().enumerate() {
        let place = format!("messages[{at}]");
        let role = each["role"].as_str().ok_or(format!("'{place}.role' is missing"))?;
        if role != "tool" && !open.is_empty() {
            return Err(format!(
                "{place}: 'tool_calls' must be followed by tool messages for each 'tool_call_id': {open:?}"
            ));
        }
        match role {
            "system" | "developer" => system.push_str(&words(each, &place)?),
            "user" => messages.push(Message::User { text: words(each, &place)? }),
            "assistant" => messages.push(assistant(each, &place, rules, &mut open)?),
            "tool" => messages.push(result(each, &place, &mut open)?),
            other => return Err(format!("'{place}.role' does not support '{other}'")),
        }
    }
    match open.is_empty() {
        true => Ok((system, messages)),
        false => Err(format!("'tool_calls' without a tool message for each 'tool_call_id': {open:?}")),
    }
}

fn words(message: &Value, place: &str) -> Checked<String> {
    let words = message["content"].as_str().map(str::to_owned);
    words.ok_or_else(|| format!("'{place}.content' must be a string, got {}", message["content"]))
}

fn result(message: &Value, place: &str, open: &mut BTreeSet<String>) -> Checked<Message> {
    let content = words(message, place)?;
    let id = message["tool_call_id"].as_str().ok_or(format!("'{place}.tool_call_id' is missing"))?;
    if !open.remove(id) {
        return Err(format!(
            "{place}: a tool message must answer a preceding message with 'tool_calls'; '{id}' does not"
        ));
    }
    Ok(Message::Tool { call_id: id.to_owned(), content, reveals: Vec::new() })
}

fn assistant(message: &Value, place: &str, rules: &Rules, open: &mut BTreeSet<String>) -> Checked<Message> {
    let fields = message.as_object().ok_or("a message must be an object")?;
    let calls = match fields.get("tool_calls") {
        None => Vec::new(),
        Some(calls) => calls
            .as_array()
            .filter(|calls| !calls.is_empty())
            .ok_or(format!("'{place}.tool_calls' is empty"))?
            .iter()
            .map(|each| call(each, place))
            .collect::<Checked<Vec<_>>>()?,
    };
    for call in &calls {
        if !open.insert(call.id.clone()) {
            return Err(format!("{place}: the call id '{}' stands twice", call.id));
        }
    }
    let text = said(fields, place, rules, !calls.is_empty())?;
    let reasoning = thoughts(fields, place, rules, !calls.is_empty())?;
    Ok(Message::Assistant { text, reasoning, calls, sealed: Vec::new() })
}

fn said(fields: &Map<String, Value>, place: &str, rules: &Rules, calls: bool) -> Checked<String> {
    let form = match fields.get("content") {
        Some(Value::String(text)) if !text.is_empty() => return Ok(text.clone()),
        Some(Value::String(_)) => EmptyContent::Empty,
        Some(Value::Null) => EmptyContent::Null,
        None => EmptyContent::Omit,
        Some(other) => return Err(format!("'{place}.content' must be a string or null, got {other}")),
    };
    if !calls {
        return Err(format!("{place}: content or tool_calls must be set"));
    }
    match rules.empty_content {
        Some(only) if only != form => Err(format!("'{place}.content' must be written as {only:?}, not as {form:?}")),
        _ => Ok(String::new()),
    }
}

fn thoughts(fields: &Map<String, Value>, place: &str, rules: &Rules, calls: bool) -> Checked<Option<String>> {
    let thoughts = fields.get("reasoning_content").and_then(Value::as_str).map(str::to_owned);
    match (rules.thoughts, &thoughts) {
        (Thoughts::Demanded, None) if calls => {
            Err(format!("{place}: the reasoning_content in the thinking mode must be passed back to the API"))
        }
        (Thoughts::Refused, Some(_)) => Err(format!("{place}: reasoning_content is not allowed in the input")),
        _ => Ok(thoughts),
    }
}

fn call(call: &Value, place: &str) -> Checked<WireCall> {
    let at = |field: &str| format!("'{place}.tool_calls.{field}'");
    let id = call["id"].as_str().filter(|id| !id.is_empty()).ok_or_else(|| format!("{} is missing", at("id")))?;
    if call["type"] != "function" {
        return Err(format!("{} must be 'function'", at("type")));
    }
    let function = &call["function"];
    let name = name(function).map_err(|why| format!("{} {why}", at("function.name")))?;
    let arguments = function["arguments"].as_str().unwrap_or("");
    match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(_) => Ok(WireCall { id: id.to_owned(), name, arguments: arguments.to_owned() }),
        Err(error) => Err(format!("{} must be an object written as a string: {error}", at("function.arguments"))),
    }
}

#[cfg(test)]
mod tests;
