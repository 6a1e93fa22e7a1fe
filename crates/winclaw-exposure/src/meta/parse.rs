use serde_json::{Map, Value, json};
use winclaw_catalog::RESERVED;
use winclaw_tool::Failure;

use super::{MAX_LIMIT, MAX_NAMES, MAX_OPTIONS, MAX_QUERIES, MetaCall};

/// Longest text of one query, name, question or option, in characters.
const MAX_TEXT: usize = 2_000;

/// Reads a call of a meta tool; `None` when `name` is not one.
///
/// Lenient where the meaning is plain: one text for a list of one, `query` for `queries`, arguments that are JSON in a
/// string. Anything else that does not fit fails with the field, what it must be, and a call that would do.
pub fn parse(name: &str, arguments: &Value) -> Option<Result<MetaCall, Failure>> {
    let read: fn(&Fields<'_>) -> Result<MetaCall, Failure> = match name {
        "tool_search" => search,
        "tool_details" => details,
        "tool_call" => call,
        "ask_user" => ask,
        _ => return None,
    };
    Some(object(name, arguments).and_then(|map| read(&Fields { tool: name, map: &map })))
}

/// The arguments as an object; nothing at all is an empty one.
fn object(tool: &str, arguments: &Value) -> Result<Map<String, Value>, Failure> {
    match unquoted(arguments) {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(fault(tool, "arguments", &format!("must be an object, got {}", kind(&other)), &example(tool))),
    }
}

/// JSON that was put into a string, taken out of it.
fn unquoted(value: &Value) -> Value {
    let Value::String(text) = value else {
        return value.clone();
    };
    match serde_json::from_str(text.trim()) {
        Ok(inner @ (Value::Object(_) | Value::Array(_))) => inner,
        _ if text.trim().is_empty() => Value::Null,
        _ => value.clone(),
    }
}

struct Fields<'a> {
    tool: &'a str,
    map: &'a Map<String, Value>,
}

impl Fields<'_> {
    /// The value under the first of `names` that is there and not null.
    fn get(&self, names: &[&str]) -> Option<Value> {
        names.iter().find_map(|name| self.map.get(*name)).filter(|value| !value.is_null()).cloned()
    }

    fn fault(&self, field: &str, what: &str) -> Failure {
        fault(self.tool, field, what, &example(self.tool))
    }

    /// A list of 1 to `most` texts.
    fn texts(&self, names: &[&str], most: usize) -> Result<Vec<String>, Failure> {
        let field = names[0];
        let value = self.get(names).ok_or_else(|| self.fault(field, "is missing"))?;
        let list = self.list(field, &value, most)?;
        if list.is_empty() {
            return Err(self.fault(field, "is empty; give at least one"));
        }
        Ok(list)
    }

    fn list(&self, field: &str, value: &Value, most: usize) -> Result<Vec<String>, Failure> {
        let items = match unquoted(value) {
            Value::Array(items) => items,
            one @ Value::String(_) => vec![one],
            other => return Err(self.fault(field, &format!("must be a list of texts, got {}", kind(&other)))),
        };
        if items.len() > most {
            return Err(self.fault(field, &format!("has {} entries, at most {most} are allowed", items.len())));
        }
        items.iter().map(|item| self.text_of(field, item)).collect()
    }

    fn text(&self, names: &[&str]) -> Result<String, Failure> {
        let field = names[0];
        let value = self.get(names).ok_or_else(|| self.fault(field, "is missing"))?;
        self.text_of(field, &value)
    }

    fn text_of(&self, field: &str, value: &Value) -> Result<String, Failure> {
        let text = value.as_str().ok_or_else(|| self.fault(field, &format!("must be text, got {}", kind(value))))?;
        match text.trim() {
            "" => Err(self.fault(field, "has an empty text")),
            text if text.chars().count() > MAX_TEXT => {
                Err(self.fault(field, &format!("has a text of more than {MAX_TEXT} characters")))
            }
            text => Ok(text.to_owned()),
        }
    }
}

fn search(fields: &Fields<'_>) -> Result<MetaCall, Failure> {
    let category = fields.get(&["category"]).map(|value| fields.text_of("category", &value)).transpose()?;
    let queries = match (&category, fields.get(&["queries", "query", "q"])) {
        (Some(category), None) => vec![category.clone()],
        _ => fields.texts(&["queries", "query", "q"], MAX_QUERIES)?,
    };
    let limit = fields.get(&["limit"]).map(|value| limit(fields, &value)).transpose()?;
    Ok(MetaCall::Search { queries, limit, category })
}

fn limit(fields: &Fields<'_>, value: &Value) -> Result<usize, Failure> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64().or_else(|| other.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| n as u64)),
    };
    let number = number.and_then(|number: u64| usize::try_from(number).ok());
    let legal = number.filter(|number| (1..=MAX_LIMIT).contains(number));
    legal.ok_or_else(|| fields.fault("limit", &format!("must be a whole number from 1 to {MAX_LIMIT}, got {value}")))
}

fn details(fields: &Fields<'_>) -> Result<MetaCall, Failure> {
    Ok(MetaCall::Details { names: fields.texts(&["names", "name", "tools", "tool"], MAX_NAMES)? })
}

fn call(fields: &Fields<'_>) -> Result<MetaCall, Failure> {
    let name = fields.text(&["name", "tool", "tool_name", "id"])?;
    if RESERVED.contains(&name.as_str()) {
        let what = format!("is {name}, which is called directly and not through tool_call");
        return Err(fields.fault("name", &what));
    }
    let given = fields.get(&["arguments", "args", "parameters", "input"]);
    let arguments = match given.as_ref().map(unquoted) {
        Some(arguments @ Value::Object(_)) => arguments,
        Some(Value::Null) => json!({}),
        Some(other) => return Err(wrong_arguments(&name, &other)),
        None => missing_arguments(fields, &name)?,
    };
    Ok(MetaCall::Call { name, arguments })
}

fn wrong_arguments(name: &str, given: &Value) -> Failure {
    let what = format!("must be an object with the arguments of {name}, got {}", kind(given));
    fault("tool_call", "arguments", &what, &json!({"name": name, "arguments": {}}))
}

/// A call without `arguments` means none, unless they were put beside the name.
fn missing_arguments(fields: &Fields<'_>, name: &str) -> Result<Value, Failure> {
    const OWN: [&str; 8] = ["name", "tool", "tool_name", "id", "arguments", "args", "parameters", "input"];
    let beside = fields.map.iter().filter(|(key, _)| !OWN.contains(&key.as_str()));
    let beside: Map<String, Value> = beside.map(|(key, value)| (key.clone(), value.clone())).collect();
    if beside.is_empty() {
        return Ok(json!({}));
    }
    let what = "is missing; the tool's own arguments belong inside it";
    Err(fault("tool_call", "arguments", what, &json!({"name": name, "arguments": beside})))
}

fn ask(fields: &Fields<'_>) -> Result<MetaCall, Failure> {
    let question = fields.text(&["question", "text", "message"])?;
    let options = match fields.get(&["options"]) {
        Some(value) => fields.list("options", &value, MAX_OPTIONS)?,
        None => Vec::new(),
    };
    Ok(MetaCall::Ask { question, options })
}

fn fault(tool: &str, field: &str, what: &str, example: &Value) -> Failure {
    Failure::invalid_args(format!("{tool}: `{field}` {what}. A call that would do: {tool} {example}"))
}

fn example(tool: &str) -> Value {
    match tool {
        "tool_search" => json!({"queries": ["convert a currency"], "limit": 5}),
        "tool_details" => json!({"names": ["source__tool"]}),
        "tool_call" => json!({"name": "source__tool", "arguments": {"field": "value"}}),
        _ => json!({"question": "Which folder should it go to?", "options": ["Documents", "Desktop"]}),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
