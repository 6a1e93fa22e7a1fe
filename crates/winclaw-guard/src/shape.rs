//! Finding the schema of a place in the arguments, and saying in words what it wants.

use serde_json::Value;

/// How many references are followed one after the other.
const MAX_REFS: usize = 16;

/// How many schemas of one place are looked at.
const MAX_FACES: usize = 64;

/// How deep schemas are described.
const MAX_DEPTH: usize = 3;

/// How many values are named.
const MAX_NAMED: usize = 12;

/// How many branches are described.
const MAX_BRANCHES: usize = 8;

/// Longest description of a shape, in characters.
const MAX_WORDS: usize = 300;

/// Longest rendering of one value, in characters.
const MAX_VALUE: usize = 60;

/// Longest description of a parameter, in characters.
const MAX_ABOUT: usize = 100;

/// How many parameters are listed.
const MAX_PARAMETERS: usize = 24;

/// `schema` with local references followed.
pub(crate) fn deref<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..MAX_REFS {
        match deref_once(root, at) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// The schema that `schema` refers to, if it is one of `root`.
pub(crate) fn deref_once<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// What `schema` is composed of: the schemas that may hold for the same value, `allOf` first.
pub(crate) fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    lists.chain(["then", "else"].into_iter().filter_map(|key| schema.get(key)))
}

/// `schema` and everything it is composed of, nearest first, references followed, each once.
pub(crate) fn faces<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut found = vec![deref(root, schema)];
    let mut next = 0;
    while let Some(face) = found.get(next).copied() {
        for part in parts(face).map(|part| deref(root, part)) {
            if found.len() < MAX_FACES && !found.iter().any(|seen| std::ptr::eq(*seen, part)) {
                found.push(part);
            }
        }
        next += 1;
    }
    found
}

/// The schema of the place `pointer` (a JSON pointer) in a value that `root` describes.
pub(crate) fn at<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    segments(pointer).try_fold(root, |schema, segment| child(root, schema, &segment))
}

/// The schema of the member `segment`, a property or an index, of a value that `schema` describes.
pub(crate) fn child<'a>(root: &'a Value, schema: &'a Value, segment: &str) -> Option<&'a Value> {
    let faces = faces(root, schema);
    let property = |face: &'a Value| face.get("properties")?.get(segment);
    let other = |face: &'a Value| face.get("additionalProperties").filter(|other| other.is_object());
    let named = faces.iter().find_map(|face| property(face).or_else(|| item(face, segment)));
    named.or_else(|| faces.iter().find_map(|face| other(face)))
}

fn item<'a>(schema: &'a Value, segment: &str) -> Option<&'a Value> {
    let index: usize = segment.parse().ok()?;
    let placed = schema.get("prefixItems").and_then(|items| items.get(index));
    placed.or_else(|| match schema.get("items")? {
        Value::Array(items) => items.get(index),
        items => Some(items),
    })
}

/// Names of the properties of an object that `schema` describes.
pub(crate) fn property_names<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a str> {
    let own = |face: &'a Value| face.get("properties").and_then(Value::as_object).into_iter().flatten();
    faces(root, schema).into_iter().flat_map(own).map(|(name, _)| name.as_str()).collect()
}

/// Whether an object that `schema` describes must have the property `name`, in any of its branches.
pub(crate) fn requires(root: &Value, schema: &Value, name: &str) -> bool {
    let names = |face: &Value| {
        face.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    };
    faces(root, schema).into_iter().any(names)
}

/// The pointer of the member `name` of the object at `pointer`.
pub(crate) fn inside(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The parts of a JSON pointer, unescaped.
pub(crate) fn segments(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// The place a JSON pointer names, as people write it: `target.city`, `items[0].name`; empty for the whole.
pub(crate) fn place(pointer: &str) -> String {
    let mut path = String::new();
    for segment in segments(pointer) {
        if !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit()) {
            path.push_str(&format!("[{segment}]"));
        } else {
            let dot = if path.is_empty() { "" } else { "." };
            path.push_str(&format!("{dot}{segment}"));
        }
    }
    winclaw_catalog::clean(&path, MAX_VALUE * 2)
}

/// A value, short enough to stand in a sentence.
pub(crate) fn shown(value: &Value) -> String {
    let text = match value {
        Value::Object(map) if map.len() > 3 => format!("an object with {} fields", map.len()),
        Value::Array(items) if items.len() > 6 => format!("an array of {} values", items.len()),
        other => other.to_string(),
    };
    winclaw_catalog::clean(&text, MAX_VALUE)
}

/// What `schema` wants, as a noun: `an integer from 1 to 7`, `one of "a", "b"`, `an array of strings`.
pub(crate) fn words(root: &Value, schema: &Value) -> String {
    winclaw_catalog::clean(&describe(root, schema, MAX_DEPTH), MAX_WORDS)
}

fn describe(root: &Value, schema: &Value, depth: usize) -> String {
    let schema = deref(root, schema);
    let Some(depth) = depth.checked_sub(1) else {
        return "any value".to_owned();
    };
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return format!("one of {}", list(values.iter().map(shown)));
    }
    if let Some(value) = schema.get("const") {
        return shown(value);
    }
    if let Some(types) = schema.get("type") {
        return of_types(root, schema, types, depth);
    }
    let branches = ["anyOf", "oneOf", "allOf"].into_iter().find_map(|key| Some((key, schema.get(key)?.as_array()?)));
    match branches {
        Some((key, branches)) => {
            let joint = if key == "allOf" { " and " } else { " or " };
            let described = branches.iter().take(MAX_BRANCHES).map(|branch| describe(root, branch, depth));
            let mut named: Vec<String> = described.collect();
            named.dedup();
            named.join(joint)
        }
        None if schema.get("properties").is_some() => of_type(root, schema, "object", depth),
        None => "any value".to_owned(),
    }
}

fn list(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.take(MAX_NAMED + 1).collect();
    if names.len() > MAX_NAMED {
        names[MAX_NAMED] = "…".to_owned();
    }
    names.join(", ")
}

fn of_types(root: &Value, schema: &Value, types: &Value, depth: usize) -> String {
    match types {
        Value::String(name) => of_type(root, schema, name, depth),
        Value::Array(names) => {
            let named = names.iter().filter_map(Value::as_str).map(|name| of_type(root, schema, name, depth));
            named.collect::<Vec<_>>().join(" or ")
        }
        _ => "any value".to_owned(),
    }
}

fn of_type(root: &Value, schema: &Value, name: &str, depth: usize) -> String {
    match name {
        "string" => format!("a string{}", of_string(schema)),
        "integer" => format!("an integer{}", range(schema, "minimum", "maximum")),
        "number" => format!("a number{}", range(schema, "minimum", "maximum")),
        "boolean" => "true or false".to_owned(),
        "null" => "null".to_owned(),
        "array" => {
            let items =
                schema.get("items").map_or_else(|| "any value".to_owned(), |items| describe(root, items, depth));
            let count = range(schema, "minItems", "maxItems").replacen(" ", " with a length ", 1);
            format!("an array{count}, each {items}")
        }
        "object" => {
            let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let names = list(required.iter().filter_map(Value::as_str).map(str::to_owned));
            if names.is_empty() { "an object".to_owned() } else { format!("an object with {names}") }
        }
        other => winclaw_catalog::clean(other, MAX_VALUE),
    }
}

fn of_string(schema: &Value) -> String {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).map(|text| winclaw_catalog::clean(text, MAX_VALUE));
    let mut words = range(schema, "minLength", "maxLength").replacen(" ", " with a length ", 1);
    if let Some(format) = text("format") {
        words.push_str(&format!(" in the form {format}"));
    }
    if let Some(pattern) = text("pattern") {
        words.push_str(&format!(" that matches {pattern}"));
    }
    words
}

/// ` from 1 to 7`, ` of at least 1`, ` of at most 7`, or nothing.
fn range(schema: &Value, least: &str, most: &str) -> String {
    let number = |key: &str| schema.get(key).filter(|value| value.is_number()).map(shown);
    let mut words = match (number(least), number(most)) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    };
    if least == "minimum" {
        let more = [("exclusiveMinimum", "above"), ("exclusiveMaximum", "below"), ("multipleOf", "in steps of")];
        for (key, word) in more {
            words.extend(number(key).map(|limit| format!(" {word} {limit}")));
        }
    }
    words
}

/// The parameters of a tool in one line each, required ones first.
pub(crate) fn parameters(root: &Value) -> Vec<String> {
    let schema = deref(root, root);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|other| other == name))
    };
    let (first, rest): (Vec<_>, Vec<_>) = properties.iter().partition(|(name, _)| required(name));
    let more = properties.len().saturating_sub(MAX_PARAMETERS);
    let line = |(name, schema): (&String, &Value)| {
        let mark = if required(name) { " (required)" } else { "" };
        format!("{}{mark}: {}{}", place(&format!("/{name}")), words(root, schema), about(root, schema))
    };
    let lines = first.into_iter().chain(rest).take(MAX_PARAMETERS).map(line);
    lines.chain((more > 0).then(|| format!("… and {more} more"))).collect()
}

fn about(root: &Value, schema: &Value) -> String {
    let described = [schema, deref(root, schema)].into_iter().find_map(|schema| schema.get("description")?.as_str());
    let first = described.and_then(|text| text.lines().next()).unwrap_or("");
    if first.is_empty() { String::new() } else { format!(" – {}", winclaw_catalog::clean(first, MAX_ABOUT)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_said_in_words() {
        let root = json!({"$defs": {"Unit": {"enum": ["c", "f"]}}});
        let cases = [
            (json!({"type": "string"}), "a string"),
            (
                json!({"type": "string", "minLength": 1, "format": "date"}),
                "a string with a length of at least 1 in the form date",
            ),
            (json!({"type": "integer", "minimum": 1, "maximum": 7}), "an integer from 1 to 7"),
            (json!({"type": "number", "exclusiveMinimum": 0}), "a number above 0"),
            (json!({"$ref": "#/$defs/Unit"}), "one of \"c\", \"f\""),
            (json!({"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]}), "one of \"c\", \"f\" or null"),
            (json!({"type": ["boolean", "null"]}), "true or false or null"),
            (
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
                "an array with a length of at least 1, each a string",
            ),
            (json!({"type": "object", "required": ["a", "b"]}), "an object with a, b"),
            (json!({"const": 3}), "3"),
            (json!(true), "any value"),
            (json!({"enum": (0..20).collect::<Vec<_>>()}), "one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"),
        ];
        for (schema, expected) in cases {
            assert_eq!(words(&root, &schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_schema_without_a_bottom_is_still_said() {
        let root = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"items": {"$ref": "#/$defs/A"}, "type": "array"}]},
                          "B": {"$ref": "#/$defs/B"}}});
        assert!(words(&root, &root).contains("array"));
        assert_eq!(words(&root, &json!({"$ref": "#/$defs/B"})), "any value");
    }

    #[test]
    fn places_are_found_through_references_and_branches() {
        let root = json!({
            "properties": {"h": {"type": "object", "properties": {"n": {"type": "integer"}}},
                           "acts": {"type": "array", "items": {"$ref": "#/properties/h"}},
                           "a/b": {"type": "null"}},
            "allOf": [{"properties": {"late": {"type": "boolean"}}}],
            "additionalProperties": {"type": "string"}
        });
        let cases = [
            ("/acts/3/n", "acts[3].n", "an integer"),
            ("/late", "late", "true or false"),
            ("/other", "other", "a string"),
            ("/a~1b", "a/b", "null"),
        ];
        for (pointer, name, expected) in cases {
            assert_eq!(place(pointer), name);
            assert_eq!(at(&root, pointer).map(|schema| words(&root, schema)), Some(expected.to_owned()), "{pointer}");
        }
        assert_eq!(at(&root, "/h/none"), None);
    }
}
