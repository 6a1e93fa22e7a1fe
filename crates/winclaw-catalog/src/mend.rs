//! Schemas as vendors can read them: one tool's slip must not cost a request with all the others.

use serde_json::{Map, Value};

use crate::text::{clean_own, has_hidden};

/// Longest description of one parameter, in characters.
const MAX_DESCRIPTION: usize = 1_000;

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// What programmers write for them.
const MEANT: [(&str, &str); 10] = [
    ("dict", "object"),
    ("map", "object"),
    ("list", "array"),
    ("tuple", "array"),
    ("str", "string"),
    ("text", "string"),
    ("float", "number"),
    ("double", "number"),
    ("int", "integer"),
    ("bool", "boolean"),
];

/// What was wrong inside a schema: each the first of its kind.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// The keyword that could not stand as it was, with the parameter it belongs to where there is one.
    pub(crate) mended: Option<String>,
    /// The name of a parameter that carries hidden characters.
    pub(crate) hidden_name: Option<String>,
}

/// Goes through a schema once: cleans the texts for readers, drops keywords whose value no vendor could read, and leaves
/// alone what is data: names, defaults, constants, enumerations, examples. `at` is the parameter a schema belongs to.
#[derive(Debug, Default)]
pub(crate) struct Mender {
    pub(crate) faults: Faults,
}

impl Mender {
    /// Mends a value that stands where a schema may stand.
    pub(crate) fn schema(&mut self, at: &str, schema: &mut Value) {
        if let Value::Object(map) = schema {
            map.retain(|key, value| self.keyword(at, key, value) || self.blame(at, key));
        }
    }

    /// Mends the value of a keyword; whether it can stay.
    fn keyword(&mut self, at: &str, key: &str, value: &mut Value) -> bool {
        match key {
            "description" | "title" | "$comment" => clean_text(value),
            "type" => self.kind(at, value),
            "required" => self.required(at, value),
            "enum" => value.is_array(),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => self.named(value),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => self.list(at, key, value),
            "items" if value.is_array() => self.list(at, key, value),
            "items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains" | "propertyNames" => {
                self.schema(at, value);
                is_schema(value)
            }
            _ => true,
        }
    }

    /// A type is one or several of seven names; what a programmer calls them is put right, and anything else left out.
    fn kind(&mut self, at: &str, value: &mut Value) -> bool {
        let mut mend = |kind: &mut Value| {
            let known = known_type(kind);
            if known.is_none_or(|known| *kind != known) {
                self.blame(at, "type");
            }
            known.map(|known| *kind = known.into()).is_some()
        };
        match value {
            Value::Array(kinds) => {
                kinds.retain_mut(mend);
                !kinds.is_empty()
            }
            one => mend(one),
        }
    }

    fn required(&mut self, at: &str, value: &mut Value) -> bool {
        let Value::Array(names) = value else {
            return false;
        };
        let given = names.len();
        names.retain(Value::is_string);
        if names.len() < given {
            self.blame(at, "required");
        }
        true
    }

    /// Schemas by name.
    fn named(&mut self, value: &mut Value) -> bool {
        let Value::Object(named) = value else {
            return false;
        };
        for (name, schema) in named {
            if self.faults.hidden_name.is_none() && has_hidden(name) {
                self.faults.hidden_name = Some(name.clone());
            }
            self.schema(name, schema);
            self.put_right(name, "schema", schema);
        }
        true
    }

    fn list(&mut self, at: &str, key: &str, value: &mut Value) -> bool {
        let Value::Array(schemas) = value else {
            return false;
        };
        for schema in schemas.iter_mut() {
            self.schema(at, schema);
            self.put_right(at, key, schema);
        }
        !schemas.is_empty()
    }

    /// Puts a schema that takes anything where none stands.
    fn put_right(&mut self, at: &str, keyword: &str, schema: &mut Value) {
        if !is_schema(schema) {
            self.blame(at, keyword);
            *schema = Value::Object(Map::new());
        }
    }

    /// Notes the first fault. Always `false`, for a keyword that cannot stay.
    fn blame(&mut self, at: &str, keyword: &str) -> bool {
        let place = || if at.is_empty() { keyword.to_owned() } else { format!("{at}: {keyword}") };
        self.faults.mended.get_or_insert_with(place);
        false
    }
}

fn clean_text(value: &mut Value) -> bool {
    let Value::String(text) = value else {
        return false;
    };
    *text = clean_own(std::mem::take(text), MAX_DESCRIPTION);
    true
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// The type that a text means, if it means one.
pub(crate) fn known_type(kind: &Value) -> Option<&'static str> {
    let kind = kind.as_str()?;
    let known = TYPES.into_iter().find(|known| *known == kind);
    let meant = || MEANT.into_iter().find(|(written, _)| kind.eq_ignore_ascii_case(written)).map(|(_, known)| known);
    let shouted = || TYPES.into_iter().find(|known| kind.eq_ignore_ascii_case(known));
    known.or_else(meant).or_else(shouted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mended(mut schema: Value) -> (Value, Option<String>) {
        let mut mender = Mender::default();
        mender.schema("", &mut schema);
        (schema, mender.faults.mended)
    }

    #[test]
    fn what_no_vendor_can_read_is_put_right_or_left_out() {
        let within = |schema: Value| json!({"properties": {"a": schema}});
        let cases = [
            (json!({"type": "str"}), json!({"type": "string"}), "a: type"),
            (json!({"type": "FLOAT"}), json!({"type": "number"}), "a: type"),
            (json!({"type": "date (yyyy)"}), json!({}), "a: type"),
            (json!({"type": ["int", "null", 7]}), json!({"type": ["integer", "null"]}), "a: type"),
            (json!({"type": []}), json!({}), "a: type"),
            (json!({"type": {}}), json!({}), "a: type"),
            (json!({"required": true}), json!({}), "a: required"),
            (json!({"required": ["x", 1]}), json!({"required": ["x"]}), "a: required"),
            (json!({"properties": ["x"]}), json!({}), "a: properties"),
            (json!({"properties": {"x": "string"}}), json!({"properties": {"x": {}}}), "x: schema"),
            (json!({"enum": "x"}), json!({}), "a: enum"),
            (json!({"items": "string"}), json!({}), "a: items"),
            (json!({"items": [{"type": "int"}, 3]}), json!({"items": [{"type": "integer"}, {}]}), "a: type"),
            (json!({"anyOf": []}), json!({}), "a: anyOf"),
            (json!({"anyOf": {"type": "string"}}), json!({}), "a: anyOf"),
            (json!({"description": {"en": "x"}}), json!({}), "a: description"),
            (json!("string"), json!({}), "a: schema"),
        ];
        for (given, expected, place) in cases {
            let (found, fault) = mended(within(given.clone()));
            assert_eq!((found, fault.as_deref()), (within(expected), Some(place)), "{given}");
        }
    }

    #[test]
    fn what_is_right_and_what_is_data_stays() {
        let right = json!({
            "type": ["string", "null"], "enum": ["str", {"type": "str"}], "default": {"type": "dict"}, "const": 1,
            "examples": [{"required": true}], "items": true, "additionalProperties": false, "$ref": "#/$defs/no",
            "properties": {"type": {"type": "string"}, "required": {"type": "boolean"}, "any": {}},
            "required": ["type", "not there"], "minimum": 0, "x-own": "kept",
        });
        assert_eq!(mended(right.clone()), (right, None));
    }
}
