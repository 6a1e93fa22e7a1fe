use serde_json::{Map, Value, json};

use crate::text::clean_own;

/// Deepest nesting of a parameter schema.
pub(crate) const MAX_DEPTH: usize = 96;

/// Longest description of one parameter, in characters.
const MAX_DESCRIPTION: usize = 1_000;

/// What a tool's parameters turned out to be.
pub(crate) enum Shape {
    /// An object schema.
    Object(Value),
    /// Something that was clearly meant as one, now mended.
    Mended(Value),
    /// The schema of another type, which no vendor takes.
    Other(String),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// Makes `parameters` an object schema whose descriptions are clean.
pub(crate) fn tidy(mut parameters: Value) -> Shape {
    if !shallower(&parameters, MAX_DEPTH) {
        return Shape::TooDeep;
    }
    clean_schema(&mut parameters);
    match parameters {
        Value::Object(map) => typed(map),
        Value::Null => Shape::Object(json!({"type": "object", "properties": {}})),
        _ => Shape::Mended(json!({"type": "object", "properties": {}})),
    }
}

fn typed(mut map: Map<String, Value>) -> Shape {
    match map.get("type") {
        Some(Value::String(kind)) if kind == "object" => Shape::Object(Value::Object(map)),
        Some(other) if !map.contains_key("properties") => Shape::Other(other.to_string()),
        found => {
            let absent = found.is_none();
            map.insert("type".into(), "object".into());
            let whole = Value::Object(map);
            if absent { Shape::Object(whole) } else { Shape::Mended(whole) }
        }
    }
}

fn shallower(value: &Value, left: usize) -> bool {
    let deeper = |inner: &Value| left > 0 && shallower(inner, left - 1);
    match value {
        Value::Array(items) => items.iter().all(deeper),
        Value::Object(map) => map.values().all(deeper),
        _ => true,
    }
}

/// Cleans the texts for readers, and leaves alone what is data: names, defaults, constants, enumerations, examples.
fn clean_schema(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(clean_schema),
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| clean_keyword(key, value)),
        _ => {}
    }
}

fn clean_keyword(key: &str, value: &mut Value) {
    match (key, value) {
        ("description" | "title" | "$comment", Value::String(text)) => {
            *text = clean_own(std::mem::take(text), MAX_DESCRIPTION);
        }
        ("default" | "const" | "enum" | "examples" | "example", _) => {}
        ("properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas", Value::Object(named)) => {
            named.values_mut().for_each(clean_schema);
        }
        (_, value) => clean_schema(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_cleaned_and_data_is_left_alone() {
        let hidden = "a\u{200b}b";
        let given = json!({"type": "object", "description": hidden, "properties": {
            "description": {"type": "string", "description": hidden, "default": hidden, "enum": [hidden]},
            "default": {"title": hidden}}});
        let expected = json!({"type": "object", "description": "ab", "properties": {
            "description": {"type": "string", "description": "ab", "default": hidden, "enum": [hidden]},
            "default": {"title": "ab"}}});
        assert!(matches!(tidy(given), Shape::Object(found) if found == expected));
    }

    #[test]
    fn only_what_was_meant_as_an_object_becomes_one() {
        let object = json!({"type": "object", "properties": {}});
        assert!(matches!(tidy(Value::Null), Shape::Object(found) if found == object));
        assert!(
            matches!(tidy(json!({"properties": {}})), Shape::Object(found) if found == json!({"properties": {}, "type": "object"}))
        );
        assert!(matches!(tidy(json!({"type": "dict", "properties": {}})), Shape::Mended(found) if found == object));
        assert!(matches!(tidy(json!("text")), Shape::Mended(_)));
        assert!(matches!(tidy(json!({"type": "string"})), Shape::Other(_)));
    }

    #[test]
    fn a_bottomless_schema_is_refused() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"type": "object", "properties": {"x": inner}}));
        assert!(matches!(tidy(deep), Shape::TooDeep));
    }
}
