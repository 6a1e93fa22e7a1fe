use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use winclaw_tool::Failure;

use crate::explain::explain;

/// Longest arguments a plugin reads, in bytes.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The arguments of one call: an object, not yet held against the tool's type.
#[derive(Debug)]
pub struct Args<'a> {
    tool: &'a str,
    parameters: &'a Value,
    value: Value,
}

impl<'a> Args<'a> {
    /// Reads `bytes`, which may be anything, as a JSON object. Nothing, blanks and `null` are the empty object.
    ///
    /// `parameters` is the schema that failures quote from. Fails with `invalid_args` when the bytes are not UTF-8,
    /// not JSON, nested deeper than 128, longer than 32 MiB, or not an object.
    pub fn from_bytes(tool: &'a str, parameters: &'a Value, bytes: &[u8]) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::invalid_args(format!("{tool}: the arguments {what}"));
        if bytes.len() > MAX_BYTES {
            return Err(wrong(format!("are {} bytes long; the limit is {MAX_BYTES}", bytes.len())));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| wrong(format!("are not UTF-8 text (byte {})", error.valid_up_to())))?;
        let value = if text.trim().is_empty() { Value::Null } else { parse(text).map_err(wrong)? };
        match value {
            Value::Null => Ok(Args { tool, parameters, value: Value::Object(Map::new()) }),
            Value::Object(_) => Ok(Args { tool, parameters, value }),
            other => Err(wrong(format!("are {}; give a JSON object such as {{\"name\": \"value\"}}", kind(&other)))),
        }
    }

    /// The arguments as the tool's type. The failure names the field, what was expected, and the parameters.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_path_to_error::deserialize(&self.value).map_err(|error| {
            let path = error.path().to_string();
            explain(self.tool, self.parameters, &path, &error.into_inner().to_string())
        })
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => format!("are JSON that was cut off: {error}; send them whole"),
        _ => format!("are not valid JSON: {error}"),
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a JSON array",
        Value::String(_) => "a JSON string",
        Value::Number(_) => "a number",
        _ => "a truth value",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn from(bytes: &[u8]) -> Result<Value, String> {
        let parameters = json!({"type": "object"});
        Args::from_bytes("forecast", &parameters, bytes).map(|args| args.value).map_err(|failure| failure.message)
    }

    #[test]
    fn nothing_is_the_empty_object() {
        for nothing in ["", "  \n", "null", " null ", "{}"] {
            assert_eq!(from(nothing.as_bytes()), Ok(json!({})), "{nothing:?}");
        }
    }

    #[test]
    fn what_is_no_object_is_said_to_be_so() {
        let cases: [(&[u8], &str); 7] = [
            (b"\xff\xfe", "not UTF-8 text (byte 0)"),
            (b"{\"a\": 1", "cut off"),
            (b"place=Paris", "not valid JSON"),
            (b"[1]", "a JSON array; give a JSON object"),
            (b"\"{}\"", "a JSON string"),
            (b"3", "a number"),
            (b"true", "a truth value"),
        ];
        for (bytes, part) in cases {
            let message = from(bytes).expect_err("no object");
            assert!(message.starts_with("forecast: the arguments ") && message.contains(part), "{message}");
        }
    }

    #[test]
    fn depth_and_size_do_no_harm() {
        let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
        assert!(from(deep.as_bytes()).expect_err("too deep").contains("recursion limit"));
        let huge = vec![b' '; MAX_BYTES + 1];
        assert!(from(&huge).expect_err("too long").contains("the limit is"));
        let long = json!({"a": "x".repeat(2_000_000)}).to_string();
        assert!(from(long.as_bytes()).is_ok());
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Typed {
        name: String,
        inner: Option<Vec<u8>>,
    }

    fn read_typed(bytes: &[u8]) -> Result<Typed, Failure> {
        let parameters = json!({"properties": {"name": {"type": "string"}, "inner": {"type": "array"}}});
        Args::from_bytes("t", &parameters, bytes)?.read::<Typed>()
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_arguments_or_a_failure_that_says_so(bytes: Vec<u8>) {
            if let Err(failure) = read_typed(&bytes) {
                proptest::prop_assert_eq!(failure.code, winclaw_tool::FailureCode::InvalidArgs);
            }
        }

        #[test]
        fn a_stray_field_is_always_named(field in "[a-z_]{1,12}") {
            proptest::prop_assume!(field != "name" && field != "inner");
            let failure = read_typed(json!({"name": "x", &field: 1}).to_string().as_bytes()).expect_err("a stray field");
            let quoted = format!("unknown field `{field}`");
            proptest::prop_assert!(failure.message.contains(&quoted), "{}", failure);
        }
    }
}
