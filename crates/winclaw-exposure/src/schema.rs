//! A tool as a model reads it: whole, or cut to what a call is about.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use winclaw_catalog::CatalogTool;
use winclaw_tool::ToolSpec;

use crate::tokens::of_json;
use crate::{Level, estimate_tokens};

/// What a vendor's envelope around one tool costs, in tokens.
const ENVELOPE: u32 = 12;

/// Keywords that speak about properties by name; a schema with one of them is never cut.
const WHOLE: [&str; 10] = [
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "$ref",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
];

/// Keywords of an object schema that would be untrue of a cut one.
const UNTRUE: [&str; 5] = ["properties", "additionalProperties", "minProperties", "maxProperties", "propertyNames"];

/// Where shared definitions stand.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The tool as it is shown at `level`; at `Named` and `Full` that is the whole schema.
pub(crate) fn spec(tool: &CatalogTool, level: Level) -> ToolSpec {
    let cut = if level == Level::Brief { cheaper(tool) } else { None };
    let (parameters, note) = match cut {
        Some((parameters, left_out)) => (parameters, note(left_out)),
        None => (tool.manifest.parameters.clone(), String::new()),
    };
    let description = format!("{}{note}", tool.manifest.description);
    ToolSpec { name: tool.wire_name.clone(), description, parameters }
}

/// The schema as text for the conversation.
pub(crate) fn json(spec: &ToolSpec) -> Value {
    json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters})
}

/// What `spec` costs in the tools array or as text.
pub(crate) fn cost(spec: &ToolSpec) -> u32 {
    of_json(&spec.name) + of_json(&spec.description) + of_json(&spec.parameters) + ENVELOPE
}

/// What the tool costs whole, and in brief; the same when there is nothing to cut.
pub(crate) fn costs(tool: &CatalogTool) -> (u32, u32) {
    let head = of_json(&tool.wire_name) + of_json(&tool.manifest.description) + ENVELOPE;
    let full = head + of_json(&tool.manifest.parameters);
    let brief = cheaper(tool).map(|(parameters, left_out)| head + cost_of_cut(&parameters, left_out));
    (full, brief.unwrap_or(full))
}

fn cost_of_cut(parameters: &Value, left_out: usize) -> u32 {
    of_json(parameters) + estimate_tokens(&note(left_out))
}

/// The cut parameters, if cutting them saves anything.
fn cheaper(tool: &CatalogTool) -> Option<(Value, usize)> {
    let (parameters, left_out) = cut(tool)?;
    let saves = cost_of_cut(&parameters, left_out) < of_json(&tool.manifest.parameters);
    saves.then_some((parameters, left_out))
}

fn note(left_out: usize) -> String {
    let parameters = if left_out == 1 { "parameter is" } else { "parameters are" };
    format!(" [Brief: {left_out} optional {parameters} not shown here and may be given; tool_details shows them.]")
}

/// The parameters cut to the required ones and the detail keys, and how many were left out; `None` if there is
/// nothing to leave out or leaving out could change what the rest means.
fn cut(tool: &CatalogTool) -> Option<(Value, usize)> {
    let root = tool.manifest.parameters.as_object()?;
    if WHOLE.iter().any(|keyword| root.contains_key(*keyword)) {
        return None;
    }
    let properties = root.get("properties")?.as_object()?;
    let keep = kept_names(root, &tool.manifest.detail_keys);
    let kept: Map<String, Value> = properties
        .iter()
        .filter(|(name, _)| keep.contains(name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let left_out = properties.len() - kept.len();
    let definitions = needed_definitions(root, &kept)?;
    (left_out > 0).then(|| (Value::Object(rebuilt(root, kept, &definitions)), left_out))
}

fn kept_names<'a>(root: &'a Map<String, Value>, detail_keys: &'a [String]) -> BTreeSet<&'a str> {
    let required = root.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let details = detail_keys.iter().filter_map(|key| key.split('.').next());
    required.chain(details).collect()
}

fn rebuilt(root: &Map<String, Value>, kept: Map<String, Value>, needed: &BTreeSet<String>) -> Map<String, Value> {
    let mut cut = Map::new();
    for (key, value) in root.iter().filter(|(key, _)| !UNTRUE.contains(&key.as_str())) {
        if !DEFINITIONS.contains(&key.as_str()) {
            cut.insert(key.clone(), value.clone());
            continue;
        }
        let named = value.as_object().into_iter().flatten();
        let used: Map<_, _> = named
            .filter(|(name, _)| needed.contains(name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !used.is_empty() {
            cut.insert(key.clone(), Value::Object(used));
        }
    }
    cut.insert("properties".to_owned(), Value::Object(kept));
    cut
}

/// Names of the definitions that `kept` refers to, directly or through others; `None` if a reference leads elsewhere.
fn needed_definitions(root: &Map<String, Value>, kept: &Map<String, Value>) -> Option<BTreeSet<String>> {
    let mut needed = BTreeSet::new();
    let mut open = Vec::new();
    kept.values().for_each(|value| references(value, &mut open));
    while let Some(reference) = open.pop() {
        let name = DEFINITIONS.iter().find_map(|place| reference.strip_prefix(&format!("#/{place}/")))?;
        let name = name.split('/').next().unwrap_or(name).to_owned();
        let definition = DEFINITIONS.iter().find_map(|place| root.get(*place)?.get(&name));
        if needed.insert(name)
            && let Some(definition) = definition
        {
            references(definition, &mut open);
        }
    }
    Some(needed)
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                found.push(reference.clone());
            }
            map.values().for_each(|inner| references(inner, found));
        }
        _ => {}
    }
}
