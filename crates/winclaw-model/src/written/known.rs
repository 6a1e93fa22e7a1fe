use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use winclaw_tool::ToolSpec;

use crate::names::wire_name;
use crate::{ChatRequest, Message, NameRule};

/// The tools that a reply may call, by their own names and by those they have on the wire.
#[derive(Debug, Default, Clone)]
pub struct KnownTools(BTreeMap<String, Arc<ToolSpec>>);

impl KnownTools {
    /// Every tool that stands in the request or that a result reveals, meta tools included.
    pub fn of(request: &ChatRequest, names: &NameRule) -> Self {
        let mut known = BTreeMap::new();
        let mut add = |spec: &Arc<ToolSpec>| {
            if !request.without.contains(&spec.name) {
                known.insert(wire_name(&spec.name, names).into_owned(), Arc::clone(spec));
                known.insert(spec.name.clone(), Arc::clone(spec));
            }
        };
        for message in &request.messages {
            if let Message::Tool { reveals, .. } = message {
                reveals.iter().for_each(|spec| add(&Arc::new(spec.clone())));
            }
        }
        request.deferred.iter().chain(&request.tools).for_each(&mut add);
        KnownTools(known)
    }

    pub(super) fn get(&self, name: &str) -> Option<&ToolSpec> {
        let bare = name.strip_prefix("functions.").unwrap_or(name);
        self.0.get(name).or_else(|| self.0.get(bare)).map(Arc::as_ref)
    }
}

/// Why arguments do not fit a schema: what is required and missing, unknown where nothing else may stand, or of another
/// type. Only the first level is looked at; the check of the call does the rest.
pub(super) fn misfit(schema: &Value, arguments: &Map<String, Value>) -> Option<String> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| !arguments.contains_key(*name)) {
        return Some(format!("`{name}` is missing"));
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in arguments {
        match property(schema, name) {
            Some(known) if !is_of(value, known.get("type")) => return Some(format!("`{name}` is of the wrong type")),
            None if closed => return Some(format!("there is no `{name}`")),
            _ => {}
        }
    }
    None
}

pub(super) fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

fn is_of(value: &Value, kinds: Option<&Value>) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        _ => true,
    };
    match kinds {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => true,
    }
}

/// The value that a text between tags stands for: itself where a text is wanted, else the JSON it holds.
pub(super) fn value_of(raw: &str, schema: Option<&Value>) -> Value {
    let kinds = schema.and_then(|schema| schema.get("type"));
    let wants_text = match kinds {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        Some(kind) => kind == "string",
        None => false,
    };
    if wants_text {
        return raw.into();
    }
    let trimmed = raw.trim();
    let read = match trimmed {
        "True" => Ok(Value::Bool(true)),
        "False" => Ok(Value::Bool(false)),
        "None" => Ok(Value::Null),
        _ => serde_json::from_str(trimmed),
    };
    read.unwrap_or_else(|_| raw.into())
}
