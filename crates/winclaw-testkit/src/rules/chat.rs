use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use winclaw_model::{ChatRequest, EmptyContent, Format, Message, WireCall};
use winclaw_tool::ToolSpec;

use super::{Accepted, Checked, Rules, Thoughts, is_name, openai_schema};

/// Reads a body of chat completions, or says which rule it breaks.
pub(super) fn read(body: &Value, rules: &Rules) -> Checked<Accepted> {
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
    let request = ChatRequest { system, tools, messages, ..ChatRequest::default() };
    Ok(Accepted { format: Format::Chat, model: model.into(), stream, usage, request })
}

fn tools(body: &Value, rules: &Rules) -> Checked<Vec<Arc<ToolSpec>>> {
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
    let specs = tools.iter().enumerate().map(|(at, each)| tool(at, each).map(Arc::new));
    let specs: Vec<Arc<ToolSpec>> = specs.collect::<Checked<_>>()?;
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
    openai_schema(&name, parameters)?;
    let description = function["description"].as_str().unwrap_or("").to_owned();
    Ok(ToolSpec { name, description, parameters: parameters.clone() })
}

fn name(function: &Value) -> Checked<String> {
    let name = function["name"].as_str().ok_or("is missing")?;
    match is_name(name, 64) {
        true => Ok(name.to_owned()),
        false => Err(format!("'{name}' does not match the pattern '^[a-zA-Z0-9_-]{{1,64}}$'")),
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
            "user" => messages.push(Message::user(words(each, &place)?)),
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
