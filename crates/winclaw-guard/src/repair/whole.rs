use serde_json::{Map, Value};
use winclaw_catalog::CatalogTool;

use super::{Draft, folded, same_name};
use crate::RepairKind;
use crate::shape::{self, property_names};

/// Names under which models put arguments that should stand by themselves.
const WRAPPERS: [&str; 9] =
    ["arguments", "args", "parameters", "params", "input", "inputs", "kwargs", "tool_input", "tool_arguments"];

/// Names under which models repeat the tool's name beside wrapped arguments.
const NAMES: [&str; 4] = ["name", "tool", "tool_name", "function"];

/// How many wrappings within each other are taken off.
const MAX_LAYERS: usize = 3;

/// The arguments taken out of what they were wrapped in, if they are.
pub(crate) fn unwrapped(tool: &CatalogTool, draft: &Draft) -> Option<Draft> {
    let root = &tool.manifest.parameters;
    let mut found = draft.clone();
    for _ in 0..MAX_LAYERS {
        let Some((key, inner)) = layer(tool, root, &found.value) else { break };
        found.value = inner;
        let said = format!("The arguments stood inside {key} and were taken out.");
        found.note(RepairKind::Wrapped, "", said);
    }
    (!found.repairs.is_empty()).then_some(found)
}

/// What the outermost layer is called in words, and what stands in it.
fn layer(tool: &CatalogTool, root: &Value, value: &Value) -> Option<(String, Value)> {
    let map = match value {
        Value::Object(map) => map,
        Value::Array(items) => match &items[..] {
            [inner @ Value::Object(_)] => return Some(("a list".to_owned(), inner.clone())),
            _ => return None,
        },
        _ => return None,
    };
    let known = property_names(root, root);
    let names_tool = |(key, value): &(&String, &Value)| {
        NAMES.contains(&key.as_str()) && value.as_str().is_some_and(|name| is_name_of(tool, name))
    };
    let is_known = |key: &str| known.contains(&key);
    let rest: Vec<(&String, &Value)> = map.iter().filter(|entry| is_known(entry.0) || !names_tool(entry)).collect();
    match rest[..] {
        [(key, inner)] if !is_known(key) => inner_of(tool, key, inner, &known).map(|inner| (shown(key), inner)),
        _ => None,
    }
}

fn shown(key: &str) -> String {
    format!("`{}`", winclaw_catalog::clean(key, 60))
}

fn is_name_of(tool: &CatalogTool, name: &str) -> bool {
    [tool.id.as_str(), tool.id.name(), tool.wire_name.as_str()].into_iter().any(|own| folded(own) == folded(name))
}

/// What stands under `key`, if that is a wrapping: by its name, or since all that stands in it is a parameter.
fn inner_of(tool: &CatalogTool, key: &str, inner: &Value, known: &[&str]) -> Option<Value> {
    let by_name = WRAPPERS.contains(&key.to_ascii_lowercase().as_str()) || is_name_of(tool, key);
    match inner {
        Value::Object(map) => {
            let all_known = || !map.is_empty() && map.keys().all(|key| same_name(key, known.iter().copied()).is_some());
            (by_name || all_known()).then(|| inner.clone())
        }
        Value::String(text) if by_name && text.trim_start().starts_with('{') => serde_json::from_str(text.trim()).ok(),
        Value::Null if by_name => Some(Value::Object(Map::new())),
        _ => None,
    }
}

/// The fields of the one object parameter put into it, where they stand beside it; also those written as `target.city`.
pub(crate) fn flattened(root: &Value, draft: &Draft) -> Option<Draft> {
    let map = draft.value.as_object()?;
    let known = property_names(root, root);
    let stray = |key: &&String| same_name(key, known.iter().copied()).is_none();
    let strays: Vec<&String> = map.keys().filter(stray).collect();
    if strays.is_empty() {
        return None;
    }
    let homes = known.iter().filter(|name| !map.contains_key(**name)).filter_map(|name| home(root, name, &strays));
    let homes: Vec<(&str, Vec<String>)> = homes.collect();
    match &homes[..] {
        [(name, fields)] => Some(moved(draft, map, name, &strays, fields)),
        _ => None,
    }
}

/// The object parameter `name`, with what each stray key is called in it, if it knows them all.
fn home<'a>(root: &'a Value, name: &'a str, strays: &[&String]) -> Option<(&'a str, Vec<String>)> {
    let schema = shape::at(root, &shape::inside("", name))?;
    let fields = property_names(root, schema);
    let prefix = format!("{name}.");
    let field = |key: &&String| same_name(key.strip_prefix(&prefix).unwrap_or(key), fields.iter().copied());
    let names: Option<Vec<String>> = strays.iter().map(|key| field(key).map(str::to_owned)).collect();
    Some((name, names?))
}

fn moved(draft: &Draft, map: &Map<String, Value>, name: &str, strays: &[&String], fields: &[String]) -> Draft {
    let mut draft = Draft { value: Value::Null, repairs: draft.repairs.clone() };
    let (mut outer, mut inner) = (map.clone(), Map::new());
    for (key, field) in strays.iter().zip(fields) {
        inner.extend(outer.shift_remove(*key).map(|value| (field.clone(), value)));
    }
    outer.insert(name.to_owned(), Value::Object(inner));
    draft.value = Value::Object(outer);
    let listed: Vec<String> = strays.iter().map(|key| shown(key)).collect();
    let said = format!("{} belong into {} and were put there.", listed.join(", "), shown(name));
    draft.note(RepairKind::Flattened, &shape::inside("", name), said);
    draft
}
