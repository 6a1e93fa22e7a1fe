//! A tool as a model reads it: whole, or cut to what a call is about.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use winclaw_catalog::CatalogTool;
use winclaw_tool::{DetailKey, ToolSpec};

use crate::Level;
use crate::tokens::{between, of_entries, of_entry, of_json, of_quoted, tokens};

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
        Some(cut) => (cut.build(), note(cut.left_out)),
        None => (tool.manifest.parameters.clone(), String::new()),
    };
    let description = format!("{}{note}", tool.manifest.description);
    ToolSpec { name: tool.wire_name.clone(), description, parameters }
}

/// The schema as text for the conversation, with the guidance its maker gives, if any.
pub(crate) fn json(spec: &ToolSpec, guidance: &str) -> Value {
    match guidance {
        "" => json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters}),
        _ => json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters,
                    "guidance": guidance}),
    }
}

/// What `spec` costs in the tools array or as text.
pub(crate) fn cost(spec: &ToolSpec) -> u32 {
    of_parts(of_quoted(&spec.name), of_quoted(&spec.description), of_json(&spec.parameters))
}

fn of_parts(name: u64, description: u64, parameters: u64) -> u32 {
    let parts = [name, description, parameters].map(tokens);
    parts.into_iter().fold(ENVELOPE, u32::saturating_add)
}

/// What the tool costs whole, and in brief; the same when there is nothing to cut.
pub(crate) fn costs(tool: &CatalogTool) -> (u32, u32) {
    let (name, description) = (of_quoted(&tool.wire_name), of_quoted(&tool.manifest.description));
    let whole = of_json(&tool.manifest.parameters);
    let full = of_parts(name, description, whole);
    let brief =
        Cut::of(tool).map(|cut| of_parts(name, description + note(cut.left_out).len() as u64, cut.quarters_of(whole)));
    (full, brief.map_or(full, |brief| brief.min(full)))
}

/// The cut parameters, if cutting them saves anything.
fn cheaper(tool: &CatalogTool) -> Option<Cut<'_>> {
    let (full, brief) = costs(tool);
    (brief < full).then(|| Cut::of(tool)).flatten()
}

fn note(left_out: usize) -> String {
    let parameters = if left_out == 1 { "parameter is" } else { "parameters are" };
    format!(" [Brief: {left_out} optional {parameters} not shown here and may be given; tool_details shows them.]")
}

/// Parameters cut to the required ones and the detail keys.
struct Cut<'a> {
    root: &'a Map<String, Value>,
    properties: &'a Map<String, Value>,
    keep: BTreeSet<&'a str>,
    definitions: BTreeSet<&'a str>,
    left_out: usize,
}

impl<'a> Cut<'a> {
    /// `None` if there is nothing to leave out, or leaving out could change what the rest means.
    fn of(tool: &'a CatalogTool) -> Option<Cut<'a>> {
        let root = tool.manifest.parameters.as_object()?;
        if root.keys().any(|key| WHOLE.contains(&key.as_str())) {
            return None;
        }
        let properties = root.get("properties")?.as_object()?;
        let keep = kept_names(root, &tool.manifest.detail_keys);
        let kept = || properties.iter().filter(|(name, _)| keep.contains(&name.as_str()));
        let left_out = properties.len() - kept().count();
        if left_out == 0 {
            return None;
        }
        let definitions = needed_definitions(root, kept().map(|(_, value)| value))?;
        Some(Cut { root, properties, keep, definitions, left_out })
    }

    fn kept(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.properties.iter().filter(|(name, _)| self.keep.contains(&name.as_str()))
    }

    /// What of the schema stands as it stood.
    fn plain(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.root.iter().filter(|(key, _)| !UNTRUE.contains(&key.as_str()) && !DEFINITIONS.contains(&key.as_str()))
    }

    /// Those of the definitions at `place` that are still referred to, if any are.
    fn defined(&self, place: &str) -> Option<Vec<(&'a String, &'a Value)>> {
        let named = self.root.get(place)?.as_object()?;
        let used: Vec<_> = named.iter().filter(|(name, _)| self.definitions.contains(&name.as_str())).collect();
        (!used.is_empty()).then_some(used)
    }

    fn build(&self) -> Value {
        let owned = |(name, value): (&String, &Value)| (name.clone(), value.clone());
        let mut cut: Map<String, Value> = self.plain().map(owned).collect();
        for (place, used) in DEFINITIONS.iter().filter_map(|place| Some((*place, self.defined(place)?))) {
            cut.insert(place.to_owned(), Value::Object(used.into_iter().map(owned).collect()));
        }
        cut.insert("properties".to_owned(), Value::Object(self.kept().map(owned).collect()));
        Value::Object(cut)
    }

    /// What [`Cut::build`] takes as JSON, where the whole schema takes `whole`: that without what is left out.
    fn quarters_of(&self, whole: u64) -> u64 {
        let dropped = self.properties.iter().filter(|(name, _)| !self.keep.contains(&name.as_str()));
        let (count, properties) = dropped.fold((0, 0), |(n, sum), (name, value)| (n + 1, sum + of_entry(name, value)));
        let commas = between(self.properties.len()) - between(self.properties.len() - count);
        let mut entries = self.root.len();
        let mut rest = whole - properties - commas;
        for (key, value) in self.root {
            let now = match key.as_str() {
                "properties" => continue,
                key if UNTRUE.contains(&key) => 0,
                key if DEFINITIONS.contains(&key) => self.defined(key).map_or(0, |used| of_entry_of(key, used)),
                _ => continue,
            };
            rest = rest - of_entry(key, value) + now;
            entries -= usize::from(now == 0);
        }
        rest - (between(self.root.len()) - between(entries))
    }
}

fn of_entry_of<'a>(key: &str, used: Vec<(&'a String, &'a Value)>) -> u64 {
    of_quoted(key) + 1 + of_entries(used.into_iter())
}

fn kept_names<'a>(root: &'a Map<String, Value>, detail_keys: &'a [String]) -> BTreeSet<&'a str> {
    let required = root.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let details = detail_keys.iter().map(|key| DetailKey::read(key).parameter());
    required.chain(details).collect()
}

/// Names of the definitions that `kept` refers to, directly or through others; `None` if a reference leads elsewhere.
fn needed_definitions<'a>(
    root: &'a Map<String, Value>,
    kept: impl Iterator<Item = &'a Value>,
) -> Option<BTreeSet<&'a str>> {
    let mut needed = BTreeSet::new();
    let mut open = Vec::new();
    kept.for_each(|value| references(value, &mut open));
    while let Some(reference) = open.pop() {
        let inside = reference.strip_prefix("#/")?;
        let name = DEFINITIONS.iter().find_map(|place| inside.strip_prefix(place)?.strip_prefix('/'))?;
        let name = name.split('/').next().unwrap_or(name);
        if !needed.insert(name) {
            continue;
        }
        if let Some(definition) = DEFINITIONS.iter().find_map(|place| root.get(*place)?.get(name)) {
            references(definition, &mut open);
        }
    }
    Some(needed)
}

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(map) => {
            for (key, inner) in map {
                match inner {
                    Value::String(reference) if key == "$ref" => found.push(reference),
                    _ => references(inner, found),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use winclaw_catalog::{Catalog, State, ToolEntry};
    use winclaw_tool::ToolId;

    use super::*;

    #[test]
    fn what_is_counted_is_what_is_sent() {
        let text = "What may be given, said at some length so that leaving it out saves more than it costs. ".repeat(4);
        let parameters = json!({
            "type": "object", "required": ["city"], "additionalProperties": false, "title": "\"t\"",
            "properties": {"city": {"$ref": "#/$defs/City"}, "days": {"type": "integer", "description": text},
                           "unit": {"$ref": "#/definitions/Unit"}},
            "$defs": {"City": {"type": "string"}}, "definitions": {"Unit": {"type": "string"}},
        });
        let manifest = json!({"name": "x", "category": "c", "summary": "s", "description": "About 天气\n\"it\".",
            "parameters": parameters, "side_effect": "read"});
        let manifest = serde_json::from_value(manifest).expect("a manifest");
        let entry = ToolEntry { id: ToolId::parse("sky.forecast").expect("an id"), manifest, state: State::Ready };
        let (catalog, _) = Catalog::build(vec![entry]);
        let tool = &catalog.tools()[0];
        let (full, brief) = costs(tool);
        assert_eq!(full, cost(&spec(tool, Level::Full)));
        assert_eq!(brief, cost(&spec(tool, Level::Brief)));
        assert!(brief < full, "{brief} {full}");
        let cut = Cut::of(tool).expect("there is something to cut");
        assert_eq!(cut.quarters_of(of_json(&tool.manifest.parameters)), of_json(&cut.build()));
        assert_eq!(cut.build()["$defs"], json!({"City": {"type": "string"}}));
        assert!(cut.build().get("definitions").is_none() && cut.build().get("additionalProperties").is_none());
    }
}
