use serde_json::{Map, Value, json};

use crate::mend::{Faults, Mender, known_type};

/// Deepest nesting of a parameter schema.
pub(crate) const MAX_DEPTH: usize = 96;

/// What a model reads instead of a schema that it cannot be shown.
const UNSHOWN: &str = "The schema of the parameters was too large to show. Send an object as the description says; the \
                       tool itself checks the arguments.";

/// What a model reads instead of a schema of another type.
const UNREADABLE: &str = "The schema of the parameters is not one of an object. Send an object as the description says; \
                          the tool itself checks the arguments.";

/// What a tool's parameters turned out to be.
pub(crate) enum Shape {
    /// An object schema.
    Object(Value),
    /// Something that was clearly meant as one, now mended.
    Mended(Value),
    /// The schema of another type, which no vendor takes: the type, and the object that stands for it.
    Other(String, Value),
    /// Nested deeper than [`MAX_DEPTH`]: as it was given.
    TooDeep(Value),
}

/// The schema that stands for one that is too large or too deep to be shown.
pub(crate) fn unshown() -> Value {
    open_object(UNSHOWN)
}

/// A schema that every object fits.
fn open_object(description: &str) -> Value {
    json!({"type": "object", "description": description, "properties": {}})
}

/// Makes `parameters` an object schema with `properties` whose descriptions are clean and that a vendor can read, and
/// says what had to be mended inside.
pub(crate) fn tidy(mut parameters: Value) -> (Shape, Faults) {
    if !shallower(&parameters, MAX_DEPTH) {
        return (Shape::TooDeep(parameters), Faults::default());
    }
    // The type of the whole is judged apart.
    let kind = parameters.as_object_mut().and_then(|root| root.shift_remove("type"));
    let mut mender = Mender::default();
    mender.schema("", &mut parameters);
    let shape = match parameters {
        Value::Object(root) => typed(root, kind),
        Value::Null => Shape::Object(json!({"type": "object", "properties": {}})),
        _ => Shape::Mended(json!({"type": "object", "properties": {}})),
    };
    (shape, mender.faults)
}

fn typed(mut root: Map<String, Value>, kind: Option<Value>) -> Shape {
    let is_object = kind.as_ref().is_none_or(|kind| kind == "object");
    let meant = root.contains_key("properties") || kind.as_ref().is_some_and(includes_object);
    if let Some(other) = kind.filter(|_| !is_object && !meant) {
        return Shape::Other(other.to_string(), open_object(UNREADABLE));
    }
    // First, as most write it, and never without properties: some vendors refuse such a schema, and all else with it.
    root.shift_insert(0, "type".into(), "object".into());
    root.entry("properties").or_insert_with(|| json!({}));
    if is_object { Shape::Object(Value::Object(root)) } else { Shape::Mended(Value::Object(root)) }
}

fn includes_object(kind: &Value) -> bool {
    let kinds = kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
    kinds.iter().any(|kind| known_type(kind) == Some("object"))
}

fn shallower(value: &Value, left: usize) -> bool {
    let deeper = |inner: &Value| left > 0 && shallower(inner, left - 1);
    match value {
        Value::Array(items) => items.iter().all(deeper),
        Value::Object(map) => map.values().all(deeper),
        _ => true,
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
        assert!(matches!(tidy(given).0, Shape::Object(found) if found == expected));
    }

    #[test]
    fn only_what_was_meant_as_an_object_becomes_one() {
        let object = json!({"type": "object", "properties": {}});
        assert!(matches!(tidy(Value::Null).0, Shape::Object(found) if found == object));
        assert!(
            matches!(tidy(json!({"properties": {}})).0, Shape::Object(found) if found == json!({"properties": {}, "type": "object"}))
        );
        assert!(matches!(tidy(json!({"type": "dict", "properties": {}})).0, Shape::Mended(found) if found == object));
        assert!(matches!(tidy(json!("text")).0, Shape::Mended(_)));
        assert!(matches!(tidy(json!({"type": "dict"})).0, Shape::Mended(found) if found == object));
        assert!(matches!(tidy(json!({"type": ["object", "null"]})).0, Shape::Mended(found) if found == object));
        assert!(matches!(tidy(json!({"type": "object", "properties": []})).0, Shape::Object(found) if found == object));
        assert!(
            matches!(tidy(json!({"type": "string"})).0, Shape::Other(kind, found) if kind == "\"string\"" && found == open_object(UNREADABLE))
        );
    }

    #[test]
    fn a_bottomless_schema_is_told_apart() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"type": "object", "properties": {"x": inner}}));
        assert!(matches!(tidy(deep).0, Shape::TooDeep(_)));
    }
}
