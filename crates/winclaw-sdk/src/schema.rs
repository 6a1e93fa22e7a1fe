use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// Number formats that schemars names and JSON Schema does not know; the type and its bounds say the same.
const NUMBER_FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64", "uint128", "uint",
    "float", "double",
];

/// The arguments of a tool that takes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// The JSON Schema (2020-12) of `T`, as a model reads it: subschemas inline where they are not recursive, without
/// `$schema`, titles and number formats; doc comments are descriptions.
pub fn parameters<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(clean).transform(&mut schema);
    let mut schema = schema.to_value();
    if let Some(root) = schema.as_object_mut() {
        root.remove("description"); // That of the type; the tool has its own.
        if root.get("type") == Some(&json!("object")) && !root.contains_key("properties") {
            root.insert("properties".into(), json!({}));
        }
    }
    schema
}

fn clean(schema: &mut Schema) {
    schema.remove("title");
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| NUMBER_FORMATS.contains(&format)) {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = unwrapped(text);
    }
}

/// Joins the lines of a paragraph, which were broken for the source file and not for the reader.
fn unwrapped(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let list = paragraph.lines().any(|line| line.trim_start().starts_with(['-', '*', '|', '`']));
        if list { paragraph.to_owned() } else { paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ") }
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not for the model.
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Sample {
        /// Where, as a city
        /// or an address.
        place: Place,
        /// A property that is called like a keyword.
        #[serde(default)]
        title: Option<String>,
        #[schemars(range(min = 1, max = 7))]
        #[serde(default = "seven")]
        days: u8,
        unit: Option<Unit>,
        next: Option<Box<Tree>>,
    }

    fn seven() -> u8 {
        7
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Place {
        city: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code)]
    enum Unit {
        Metric,
        Imperial,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Tree {
        leaves: Vec<Tree>,
    }

    #[test]
    fn a_schema_holds_what_a_model_needs_and_nothing_else() {
        let schema = parameters::<Sample>();
        let text = schema.to_string();
        for absent in ["$schema", "Sample", "Not for the model", "uint8"] {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["required"], json!(["place"]));
        let properties = &schema["properties"];
        assert_eq!(properties["place"]["description"], json!("Where, as a city or an address."));
        assert_eq!(properties["place"]["properties"]["city"]["type"], json!("string"));
        assert!(properties.get("title").is_some());
        assert_eq!(properties["days"], json!({"type": "integer", "minimum": 1, "maximum": 7, "default": 7}));
        assert!(properties["unit"].to_string().contains("metric"), "{text}");
    }

    #[test]
    fn a_recursive_type_ends() {
        assert!(parameters::<Tree>().to_string().contains("$ref"));
    }

    #[test]
    fn no_arguments_are_an_empty_object() {
        let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(parameters::<NoArgs>(), expected);
    }

    #[test]
    fn lists_keep_their_lines() {
        assert_eq!(unwrapped("One\ntwo\n\n- a\n- b"), "One two\n\n- a\n- b");
    }
}
