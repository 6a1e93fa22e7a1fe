use serde_json::{Map, Value, json};

use super::MAX_DEPTH;
use super::choices::describe;
use crate::{Enums, SchemaRule};

/// The types JSON Schema knows.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
/// Most values that a description names.
const MAX_NAMED: usize = 40;
/// Keywords that hold one schema.
const ONE: [&str; 9] =
    ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "additionalItems"];
/// Keywords that hold a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// A schema as the rule takes it, with all schemas in it.
pub(super) fn object(mut schema: Map<String, Value>, rule: &SchemaRule, depth: usize) -> Map<String, Value> {
    if depth > MAX_DEPTH {
        schema.retain(|key, _| key == "description" || key == "type");
        return leaf(schema, rule);
    }
    mend(&mut schema);
    if rule.keywords.is_some() {
        narrow(&mut schema, rule);
    }
    let mut schema = leaf(schema, rule);
    if let Some(may_stay) = rule.beside_any_of.filter(|_| schema.contains_key("anyOf")) {
        into_branches(&mut schema, may_stay);
    }
    inner(&mut schema, rule, depth);
    if let Some(known) = rule.keywords {
        schema.retain(|key, _| known.contains(&key.as_str()));
    }
    complete(&mut schema, rule);
    schema
}

fn any(schema: Value, rule: &SchemaRule, depth: usize) -> Value {
    match schema {
        Value::Object(map) => Value::Object(object(map, rule, depth)),
        _ => Value::Object(object(Map::new(), rule, depth)),
    }
}

/// What is no valid JSON Schema of today, or not read by all: old forms and mistakes.
fn mend(schema: &mut Map<String, Value>) {
    for (bound, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(Value::Bool(exclusive)) = schema.get(bound).cloned() {
            schema.shift_remove(bound);
            if let Some(limit) = exclusive.then(|| schema.shift_remove(limit)).flatten() {
                schema.insert(bound.into(), limit);
            }
        }
    }
    drop_unless(schema, "required", |value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string)));
    drop_unless(schema, "properties", Value::is_object);
    drop_unless(schema, "description", Value::is_string);
    drop_unless(schema, "enum", |value| value.as_array().is_some_and(|all| !all.is_empty()));
    for key in LISTS {
        drop_unless(schema, key, |value| value.as_array().is_some_and(|all| !all.is_empty()));
    }
    tuple(schema);
    types(schema);
}

fn drop_unless(schema: &mut Map<String, Value>, key: &str, sound: impl Fn(&Value) -> bool) {
    if schema.get(key).is_some_and(|value| !sound(value)) {
        schema.shift_remove(key);
    }
}

/// `items` as a list is the old way to write a tuple; each item may then be as any of them.
fn tuple(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(items)) = schema.get("items").cloned() {
        let mut kinds: Vec<Value> = Vec::new();
        for item in items {
            if !kinds.contains(&item) {
                kinds.push(item);
            }
        }
        let items = match kinds.len() {
            0 => json!({}),
            1 => kinds.remove(0),
            _ => json!({"anyOf": kinds}),
        };
        schema.insert("items".into(), items);
        schema.shift_remove("additionalItems");
    }
}

/// Only types there are.
fn types(schema: &mut Map<String, Value>) {
    let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match schema.get("type").cloned() {
        None => {}
        Some(Value::Array(kinds)) => {
            let kinds: Vec<Value> = kinds.into_iter().filter(known).collect();
            match kinds.len() {
                0 => drop(schema.shift_remove("type")),
                1 => drop(schema.insert("type".into(), kinds[0].clone())),
                _ => drop(schema.insert("type".into(), kinds.into())),
            }
        }
        Some(kind) if known(&kind) => {}
        Some(kind) => match kind.as_str().map(str::to_ascii_lowercase).map(Value::from).filter(known) {
            Some(kind) => drop(schema.insert("type".into(), kind)),
            None => drop(schema.shift_remove("type")),
        },
    }
}

/// Says with the words there are what was said with others.
fn narrow(schema: &mut Map<String, Value>, rule: &SchemaRule) {
    let knows = |key: &str| rule.keywords.is_none_or(|known| known.contains(&key));
    if let Some(value) = schema.get("const").cloned().filter(|_| !knows("const") && knows("enum")) {
        schema.shift_remove("const");
        schema.insert("enum".into(), json!([value]));
    }
    if !knows("oneOf")
        && let Some(branches) = schema.shift_remove("oneOf")
    {
        schema.entry("anyOf").or_insert(branches);
    }
    if !knows("allOf")
        && let Some(Value::Array(parts)) = schema.shift_remove("allOf")
    {
        for mut part in parts.into_iter().filter_map(|part| part.as_object().cloned()) {
            mend(&mut part);
            narrow(&mut part, rule);
            join(schema, part);
        }
    }
    if !knows("prefixItems")
        && let Some(Value::Array(items)) = schema.shift_remove("prefixItems")
    {
        schema.insert("items".into(), Value::Array(items));
        tuple(schema);
    }
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(limit) = schema.get(exclusive).cloned().filter(|_| !knows(exclusive) && knows(bound)) {
            schema.shift_remove(exclusive);
            schema.entry(bound).or_insert(limit);
        }
    }
}

/// What one part of an `allOf` says besides; where both say something, the first holds, and lists and names are joined.
fn join(schema: &mut Map<String, Value>, part: Map<String, Value>) {
    for (key, value) in part {
        match (schema.get_mut(&key), value) {
            (None, value) => drop(schema.insert(key, value)),
            (Some(Value::Object(there)), Value::Object(more)) if key == "properties" => {
                for (name, value) in more {
                    there.entry(name).or_insert(value);
                }
            }
            (Some(Value::Array(there)), Value::Array(more)) if key == "required" => {
                let new: Vec<Value> = more.into_iter().filter(|name| !there.contains(name)).collect();
                there.extend(new);
            }
            (Some(_), _) => {}
        }
    }
}

/// Types, values and formats of one schema, without the schemas in it.
fn leaf(mut schema: Map<String, Value>, rule: &SchemaRule) -> Map<String, Value> {
    one_type(&mut schema, rule);
    values(&mut schema, rule);
    if let Some(known) = rule.formats {
        drop_unless(&mut schema, "format", |format| format.as_str().is_some_and(|format| known.contains(&format)));
    }
    // The values may have told several types.
    one_type(&mut schema, rule);
    schema
}

/// Values an endpoint does not take become a sentence.
fn values(schema: &mut Map<String, Value>, rule: &SchemaRule) {
    let Some(Value::Array(all)) = schema.get("enum").cloned() else { return };
    let texts = all.iter().all(Value::is_string);
    let numbers = all.iter().all(Value::is_number);
    let legal = match rule.enums {
        Enums::Any => true,
        Enums::OneKind => texts || numbers,
        Enums::Texts => texts && schema.get("type").is_none_or(|kind| kind == "string"),
    };
    if !legal {
        schema.shift_remove("enum");
        let named = all.iter().take(MAX_NAMED).map(Value::to_string).collect::<Vec<_>>().join(", ");
        describe(schema, &format!("One of: {named}."));
        guess_from_values(schema, &all);
    } else if rule.type_demanded && schema.get("type").is_none() {
        guess_from_values(schema, &all);
    }
}

fn guess_from_values(schema: &mut Map<String, Value>, all: &[Value]) {
    let of = |value: &Value| match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    };
    let mut kinds: Vec<&str> = Vec::new();
    all.iter().map(of).for_each(|kind| {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    });
    match kinds.as_slice() {
        _ if schema.contains_key("type") || schema.contains_key("anyOf") => {}
        [kind] => drop(schema.insert("type".into(), (*kind).into())),
        kinds => drop(schema.insert("type".into(), kinds.into())),
    }
}

/// Words that say something about values of one type only; they go along into the branch of that type.
const OF_TYPE: [(&str, &[&str]); 4] = [
    ("string", &["pattern", "format", "minLength", "maxLength", "enum"]),
    ("array", &["items", "minItems", "maxItems"]),
    ("object", &["properties", "required", "additionalProperties"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// A list of types becomes `nullable` where that is understood and enough, and branches else.
fn one_type(schema: &mut Map<String, Value>, rule: &SchemaRule) {
    let Some(Value::Array(kinds)) = schema.get("type").cloned().filter(|_| !rule.type_lists) else { return };
    schema.shift_remove("type");
    if schema.contains_key("anyOf") {
        return;
    }
    let null = |kind: &&Value| **kind == "null";
    let nullable =
        kinds.iter().any(|kind| null(&kind)) && rule.keywords.is_some_and(|known| known.contains(&"nullable"));
    let kinds: Vec<&Value> = kinds.iter().filter(|kind| !nullable || !null(kind)).collect();
    if let [one] = kinds.as_slice() {
        schema.insert("type".into(), (*one).clone());
        schema.insert("nullable".into(), true.into());
        return;
    }
    let branches: Vec<Value> = kinds.into_iter().map(|kind| branch_of(schema, kind, nullable)).collect();
    OF_TYPE.iter().flat_map(|(_, keys)| keys.iter()).for_each(|key| drop(schema.shift_remove(*key)));
    schema.insert("anyOf".into(), branches.into());
}

/// The schema for values of one type, with the words that are about it.
fn branch_of(schema: &Map<String, Value>, kind: &Value, nullable: bool) -> Value {
    let mut branch = Map::new();
    branch.insert("type".into(), kind.clone());
    let own = OF_TYPE.iter().filter(|(of, _)| kind == of || (*of == "number" && kind == "integer"));
    for key in own.flat_map(|(_, keys)| keys.iter()) {
        branch.extend(schema.get_key_value(*key).map(|(key, value)| (key.clone(), value.clone())));
    }
    if nullable {
        branch.insert("nullable".into(), true.into());
    }
    Value::Object(branch)
}

/// The schemas in a schema.
fn inner(schema: &mut Map<String, Value>, rule: &SchemaRule, depth: usize) {
    for key in ONE {
        let Some(value) = schema.get_mut(key) else { continue };
        // `additionalProperties` is understood as a truth everywhere.
        if value.is_object() || !(value.is_boolean() && key == "additionalProperties") {
            *value = any(value.take(), rule, depth + 1);
        }
    }
    for key in LISTS {
        if let Some(Value::Array(all)) = schema.get_mut(key) {
            all.iter_mut().for_each(|each| *each = any(each.take(), rule, depth + 1));
        }
    }
    for key in NAMED {
        if let Some(Value::Object(all)) = schema.get_mut(key) {
            // What must not be there is not offered. Not every server reads `true` and `false` as schemas.
            all.retain(|_, each| *each != Value::Bool(false));
            all.values_mut().for_each(|each| *each = any(each.take(), rule, depth + 1));
        }
    }
}

/// What the rule demands and the schema lacks.
fn complete(schema: &mut Map<String, Value>, rule: &SchemaRule) {
    if rule.keywords.is_some() {
        only_known(schema);
        if let Some(Value::String(kind)) = schema.get("type").cloned() {
            only_of(schema, &kind);
        }
    }
    if rule.type_demanded && !schema.contains_key("type") && !schema.contains_key("anyOf") {
        let kind = match (schema.contains_key("properties"), schema.contains_key("items")) {
            (true, _) => "object",
            (false, true) => "array",
            (false, false) => "string",
        };
        schema.insert("type".into(), kind.into());
    }
    if rule.items_demanded && schema.get("type").is_some_and(|kind| kind == "array") && !schema.contains_key("items") {
        let items = if rule.type_demanded { json!({"type": "string"}) } else { json!({}) };
        schema.insert("items".into(), items);
    }
}

/// Only properties that there are may be required.
fn only_known(schema: &mut Map<String, Value>) {
    let Some(Value::Array(mut required)) = schema.shift_remove("required") else { return };
    let properties = schema.get("properties").and_then(Value::as_object);
    required.retain(|name| {
        name.as_str().is_some_and(|name| properties.is_some_and(|properties| properties.contains_key(name)))
    });
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
}

/// Words about values of other types say nothing, and Gemini refuses them.
fn only_of(schema: &mut Map<String, Value>, kind: &str) {
    for (of, keys) in OF_TYPE {
        let own = of == kind || of == "number" && kind == "integer";
        for key in keys.iter().filter(|key| !own && !["enum", "format"].contains(*key)) {
            schema.shift_remove(*key);
        }
    }
}

/// What may not stand beside `anyOf` goes into the branches that do not say it themselves.
fn into_branches(schema: &mut Map<String, Value>, may_stay: &[&str]) {
    let moves = |key: &String| key != "anyOf" && !may_stay.contains(&key.as_str());
    let beside: Map<String, Value> =
        schema.iter().filter(|(key, _)| moves(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    schema.retain(|key, _| !moves(key));
    let Some(Value::Array(branches)) = schema.get_mut("anyOf") else { return };
    for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
        for (key, value) in &beside {
            branch.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}
