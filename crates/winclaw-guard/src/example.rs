//! Building arguments that would be right, from the schema and what the caller got right already.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Number, Value, json};

use crate::cost::is_affordable;
use crate::shape::{at, child, deref, parts, property_names, segments};

/// How many rounds of mending are tried.
const MAX_ROUNDS: usize = 12;

/// How many errors are mended in one round.
const MAX_FIXES: usize = 100;

/// How deep values are made up.
const MAX_DEPTH: usize = 6;

/// How many values one made-up value may hold.
const MAX_MADE: usize = 100;

/// How many values arguments may hold to be mended.
const MAX_NODES: usize = 2_000;

/// How many schemas are looked at for the names of required properties.
const MAX_SCHEMAS: usize = 64;

/// How alike two names must be, from 0 to 1, to be taken for a slip.
const ALIKE: f64 = 0.6;

/// Longest text of the caller that is repeated, in characters.
const MAX_TEXT: usize = 200;

/// Valid arguments that keep as much of `given` as they can, or nothing when the schema defeats it.
///
/// Whatever is returned was checked with `validator`.
pub(crate) fn corrected(root: &Value, validator: &Validator, given: &Value) -> Option<Value> {
    let start = if given.is_object() { shortened(given) } else { json!({}) };
    let is_right = |value: &Value| is_affordable(root, value) && validator.is_valid(value);
    let fresh = || Some(plausible(root, root, "")).filter(is_right);
    mended(root, validator, start).or_else(fresh)
}

fn mended(root: &Value, validator: &Validator, mut value: Value) -> Option<Value> {
    for _ in 0..MAX_ROUNDS {
        if nodes(&value, MAX_NODES) >= MAX_NODES || !is_affordable(root, &value) {
            break;
        }
        let fixes: Vec<Fix> = validator.iter_errors(&value).take(MAX_FIXES).map(|error| Fix::of(&error)).collect();
        if fixes.is_empty() {
            return Some(value);
        }
        let before = value.clone();
        fixes.into_iter().for_each(|fix| fix.apply(root, &mut value));
        if value == before {
            break;
        }
    }
    None
}

/// How many values stand in `value`, counted up to about `most`.
fn nodes(value: &Value, most: usize) -> usize {
    let add = |sum: usize, inner: &Value| {
        if sum >= most { sum } else { sum + nodes(inner, most - sum) }
    };
    match value {
        Value::Array(items) => items.iter().fold(1, add),
        Value::Object(map) => map.values().fold(1, add),
        _ => 1,
    }
}

/// `value` with long texts cut: an example need not repeat a whole document.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().nth(MAX_TEXT).is_some() => {
            json!(format!("{}…", text.chars().take(MAX_TEXT / 4).collect::<String>()))
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), shortened(value))).collect(),
        other => other.clone(),
    }
}

/// One step of mending at the place `pointer`.
struct Fix {
    pointer: String,
    how: How,
}

enum How {
    /// A property is missing.
    Add(String),
    /// Properties are unknown.
    Rename(Vec<String>),
    /// The value is wrong.
    Replace,
}

impl Fix {
    fn of(error: &ValidationError<'_>) -> Fix {
        let how = match error.kind() {
            ValidationErrorKind::Required { property } => How::Add(property.as_str().unwrap_or_default().to_owned()),
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => How::Rename(unexpected.clone()),
            _ => How::Replace,
        };
        Fix { pointer: error.instance_path().as_str().to_owned(), how }
    }

    fn apply(self, root: &Value, value: &mut Value) {
        let Some(schema) = at(root, &self.pointer) else { return };
        let Some(target) = value.pointer_mut(&self.pointer) else {
            return;
        };
        match (self.how, target) {
            (How::Add(name), Value::Object(map)) => add(root, schema, map, name),
            (How::Rename(names), Value::Object(map)) => names.iter().for_each(|name| rename(root, schema, map, name)),
            (How::Replace, target) => {
                let name = segments(&self.pointer).last().unwrap_or_default();
                *target = coerced(root, schema, target).unwrap_or_else(|| plausible(root, schema, &name));
            }
            _ => {}
        }
    }
}

fn add(root: &Value, schema: &Value, map: &mut Map<String, Value>, name: String) {
    let value = child(root, schema, &name).map(|schema| plausible(root, schema, &name));
    map.entry(name).or_insert_with(|| value.unwrap_or_else(|| json!("…")));
}

/// Gives the value of an unknown property to the known one that was likely meant, if that is free.
fn rename(root: &Value, schema: &Value, map: &mut Map<String, Value>, name: &str) {
    let Some(value) = map.shift_remove(name) else { return };
    let known = property_names(root, schema);
    let near = nearest(name, &known).map(str::to_owned);
    if let Some(near) = near.filter(|near| !map.contains_key(near)) {
        map.insert(near, value);
    }
}

/// The one of `known` that `name` was likely meant to be.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let folded = fold(name);
    let likeness = |other: &str| {
        let other = fold(other);
        let contained = other.len() >= 3 && folded.contains(&other) || folded.len() >= 3 && other.contains(&folded);
        strsim::normalized_damerau_levenshtein(&folded, &other).max(if contained { ALIKE } else { 0.0 })
    };
    let scored = known.iter().map(|other| (likeness(other), *other)).filter(|(score, _)| *score >= ALIKE);
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, name)| name)
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// What was likely meant by `value`, when it only has the wrong form: `"3"` for 3, 9 where at most 7 is allowed.
fn coerced(root: &Value, schema: &Value, value: &Value) -> Option<Value> {
    let schema = deref(root, schema);
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let texts: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        return value.as_str().and_then(|text| nearest(text, &texts)).map(Value::from);
    }
    let types = match schema.get("type")? {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    types.into_iter().find_map(|name| as_type(name, schema, value)).filter(|new| new != value)
}

fn as_type(name: &str, schema: &Value, value: &Value) -> Option<Value> {
    match (name, value) {
        ("integer", Value::Number(number)) => clamped(schema, number.as_f64()?.round()),
        ("integer", Value::String(text)) => clamped(schema, text.trim().parse::<i64>().ok()? as f64),
        ("number", Value::Number(number)) => clamped(schema, number.as_f64()?),
        ("number", Value::String(text)) => clamped(schema, text.trim().parse().ok()?),
        ("boolean", Value::String(text)) => text.trim().to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
        ("string", Value::Number(_) | Value::Bool(_)) if is_free_text(schema) => Some(json!(value.to_string())),
        ("array", Value::String(_) | Value::Number(_)) => Some(json!([value])),
        _ => None,
    }
}

fn is_free_text(schema: &Value) -> bool {
    schema.get("format").is_none() && schema.get("pattern").is_none()
}

/// `number` moved into the limits of the schema; whole numbers are written without a point.
fn clamped(schema: &Value, number: f64) -> Option<Value> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let number = limit("minimum").map_or(number, |least| number.max(least));
    whole_or_not(limit("maximum").map_or(number, |most| number.min(most)))
}

fn whole_or_not(number: f64) -> Option<Value> {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Some(json!(number as i64));
    }
    Number::from_f64(number).map(Value::Number)
}

/// A value that `schema` likely takes: its example, default, constant or first choice, else one made up by type.
///
/// Optional properties are left out. It is a guess, to be checked.
fn plausible(root: &Value, schema: &Value, name: &str) -> Value {
    Maker { root, left: MAX_MADE }.value(schema, name, MAX_DEPTH)
}

/// Makes up values until there are enough; then everything is null.
struct Maker<'a> {
    root: &'a Value,
    left: usize,
}

impl<'a> Maker<'a> {
    fn value(&mut self, schema: &'a Value, name: &str, depth: usize) -> Value {
        let schema = deref(self.root, schema);
        let (Some(depth), Some(left)) = (depth.checked_sub(1), self.left.checked_sub(1)) else {
            return Value::Null;
        };
        self.left = left;
        if let Some(value) = given(schema) {
            return value.clone();
        }
        match type_of(schema) {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, name, depth),
            Some("integer" | "number") => number(schema),
            Some("boolean") => json!(false),
            Some("null") => Value::Null,
            Some(_) => string(schema, name),
            None => match parts(schema).find(|part| part.get("type") != Some(&json!("null"))) {
                Some(part) => self.value(part, name, depth),
                None => string(schema, name),
            },
        }
    }

    fn object(&mut self, schema: &'a Value, depth: usize) -> Value {
        let mut map = Map::new();
        for name in required(self.root, schema) {
            let value = match child(self.root, schema, name) {
                Some(schema) => self.value(schema, name, depth),
                None => json!("…"),
            };
            map.insert(name.to_owned(), value);
        }
        Value::Object(map)
    }

    fn array(&mut self, schema: &'a Value, name: &str, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(8);
        let item = |n: u64| match child(self.root, schema, &n.to_string()) {
            Some(schema) => self.value(schema, name, depth),
            None => json!("…"),
        };
        (0..least).map(item).collect()
    }
}

fn given(schema: &Value) -> Option<&Value> {
    let first = |key: &str| schema.get(key)?.as_array()?.iter().find(|value| !value.is_null());
    let default = || schema.get("default").filter(|value| !value.is_null());
    first("examples")
        .or_else(|| schema.get("example"))
        .or_else(default)
        .or_else(|| schema.get("const"))
        .or_else(|| first("enum"))
}

fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => Some(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ if schema.get("properties").is_some() || schema.get("required").is_some() => Some("object"),
        _ => None,
    }
}

/// Names of the properties an object must have: its own, those of every `allOf`, and of the first branch.
fn required<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut schemas = vec![deref(root, schema)];
    let mut next = 0;
    while let Some(schema) = schemas.get(next).copied() {
        let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        names.extend(list("required").filter_map(Value::as_str));
        let parts = list("allOf").chain(list("anyOf").take(1)).chain(list("oneOf").take(1));
        schemas.extend(parts.map(|part| deref(root, part)).take(MAX_SCHEMAS.saturating_sub(schemas.len())));
        next += 1;
    }
    names
}

fn number(schema: &Value) -> Value {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let step = limit("multipleOf").filter(|step| *step > 0.0).unwrap_or(1.0);
    let above = limit("exclusiveMinimum").map(|least| ((least / step).floor() + 1.0) * step);
    let least = limit("minimum").map(|least| (least / step).ceil() * step);
    let start = above.into_iter().chain(least).reduce(f64::max).unwrap_or(step);
    let below = limit("exclusiveMaximum").map(|most| ((most / step).ceil() - 1.0) * step);
    let most = limit("maximum").map(|most| (most / step).floor() * step);
    let end = below.into_iter().chain(most).reduce(f64::min).unwrap_or(start);
    whole_or_not(start.min(end)).unwrap_or_else(|| json!(1))
}

fn string(schema: &Value, name: &str) -> Value {
    let by_format = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2030-01-31",
        Some("time") => "09:30:00Z",
        Some("date-time") => "2030-01-31T09:30:00Z",
        Some("email") => "someone@example.org",
        Some("uri" | "url") => "https://example.org/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        Some("ipv4") => "192.0.2.1",
        _ => "",
    };
    if !by_format.is_empty() {
        return json!(by_format);
    }
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64).map(|limit| limit.min(200) as usize);
    let name = if name.is_empty() { "text" } else { name };
    let placeholder = format!("<{name}>");
    let padded = format!("{placeholder:…<width$}", width = limit("minLength").unwrap_or(0));
    json!(padded.chars().take(limit("maxLength").unwrap_or(200)).collect::<String>())
}

#[cfg(test)]
mod tests;
