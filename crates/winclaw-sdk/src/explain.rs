use serde_json::Value;
use winclaw_tool::Failure;

/// Most parameters that are listed in a failure.
const MAX_LISTED: usize = 24;

/// How alike two names must be for one to be offered for the other, from 0 to 1.
const ALIKE: f64 = 0.75;

/// The failure for arguments that do not fit: which field, what was expected, the closest name, and the parameters.
///
/// `path` is where it went wrong (`.` for the object itself) and `cause` is serde's words.
pub(crate) fn explain(tool: &str, parameters: &Value, path: &str, cause: &str) -> Failure {
    let place = if path == "." { String::new() } else { format!("`{path}`: ") };
    let mut message = format!("{tool}: {place}{}", in_plain_words(cause));
    if let Some(near) = nearest(cause) {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
    message.push_str(&format!(". {}", parameter_list(parameters)));
    Failure::invalid_args(message)
}

/// Says Rust's number and container types in words a model knows from the schema.
fn in_plain_words(cause: &str) -> String {
    let Some((head, expected)) = cause.rsplit_once(", expected ") else {
        return cause.to_owned();
    };
    let words = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "u128" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") || other == "a map" => "an object",
        other => other,
    };
    format!("{head}, expected {words}")
}

/// The expected name that is closest to the unknown one, when serde's words hold both.
fn nearest(cause: &str) -> Option<String> {
    if !cause.starts_with("unknown field") && !cause.starts_with("unknown variant") {
        return None;
    }
    let mut quoted = cause.split('`').skip(1).step_by(2);
    let given = folded(quoted.next()?);
    let scored = quoted.map(|name| (strsim::jaro_winkler(&given, &folded(name)), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then(|| best.1.to_owned())
}

fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `Parameters: place (string, required), days (integer, 1 to 7)`.
fn parameter_list(parameters: &Value) -> String {
    let Some(properties) = parameters.get("properties").and_then(Value::as_object).filter(|map| !map.is_empty()) else {
        return "It takes no parameters: give {}".to_owned();
    };
    let required = parameters.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let described = properties.iter().take(MAX_LISTED).map(|(name, schema)| {
        let must = required.iter().any(|item| item == name.as_str());
        describe(name, schema, must)
    });
    let mut list = described.collect::<Vec<_>>().join(", ");
    if properties.len() > MAX_LISTED {
        list.push_str(", …");
    }
    format!("Parameters: {list}")
}

fn describe(name: &str, schema: &Value, required: bool) -> String {
    let mut facts = vec![type_of(schema)];
    if let (Some(min), Some(max)) = (schema.get("minimum"), schema.get("maximum")) {
        facts.push(format!("{min} to {max}"));
    }
    if required {
        facts.push("required".to_owned());
    }
    format!("{name} ({})", facts.join(", "))
}

fn type_of(schema: &Value) -> String {
    if let Some(words) = words_of(schema) {
        return words;
    }
    match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let named = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            named.collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

/// The words of an enumeration, `"a" | "b"`, at any of the places schemars puts them.
fn words_of(schema: &Value) -> Option<String> {
    let listed = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(words) = listed("enum") {
        let words = words.iter().filter(|word| !word.is_null());
        return Some(words.map(Value::to_string).collect::<Vec<_>>().join(" | "));
    }
    if let Some(word) = schema.get("const") {
        return Some(word.to_string());
    }
    let parts = listed("oneOf").or_else(|| listed("anyOf"))?;
    let some: Vec<&Value> = parts.iter().filter(|part| part.get("type") != Some(&"null".into())).collect();
    some.iter().map(|part| words_of(part)).collect::<Option<Vec<_>>>().map(|words| words.join(" | "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parameters() -> Value {
        json!({
            "properties": {
                "place": {"type": "string"},
                "days": {"type": "integer", "minimum": 1, "maximum": 7},
                "unit": {"anyOf": [{"oneOf": [{"const": "metric"}, {"const": "imperial"}]}, {"type": "null"}]},
                "note": {"type": ["string", "null"]},
            },
            "required": ["place"],
        })
    }

    fn message(path: &str, cause: &str) -> String {
        explain("forecast", &parameters(), path, cause).message
    }

    #[test]
    fn the_parameters_are_listed_with_type_range_and_need() {
        let text = message(".", "missing field `place`");
        assert_eq!(
            text,
            "forecast: missing field `place`. Parameters: place (string, required), days (integer, 1 to 7), \
             unit (\"metric\" | \"imperial\"), note (string)"
        );
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_closest() {
        let cause = "unknown field `Dayz`, expected one of `place`, `days`, `unit`";
        assert!(message(".", cause).contains("did you mean `days`?"));
        let far = "unknown field `colour`, expected one of `place`, `days`";
        assert!(!message(".", far).contains("did you mean"));
    }

    #[test]
    fn rust_types_are_said_in_words() {
        let text = message("days", "invalid type: string \"three\", expected u8");
        assert!(
            text.starts_with(
                "forecast: `days`: invalid type: string \"three\", expected a whole number from 0 to 255."
            )
        );
    }

    #[test]
    fn a_tool_without_parameters_says_so() {
        let failure = explain("now", &json!({"properties": {}}), ".", "unknown field `x`, there are no fields");
        assert!(failure.message.ends_with("It takes no parameters: give {}"), "{failure}");
    }
}
