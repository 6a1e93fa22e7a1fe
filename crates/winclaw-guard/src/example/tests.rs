use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::check::tests::tool;
use crate::check_arguments;

fn validator(schema: &Value) -> Validator {
    jsonschema::options().offline().build(schema).expect("a schema")
}

fn from_nothing(property: Value) -> Option<Value> {
    let schema = json!({"type": "object", "properties": {"x": property}, "required": ["x"]});
    corrected(&schema, &validator(&schema), &json!({})).and_then(|value| value.get("x").cloned())
}

#[test]
fn made_up_values_prefer_what_the_author_gave() {
    let cases = [
        (json!({"type": "string", "examples": ["a"], "default": "b"}), json!("a")),
        (json!({"type": "string", "example": "a", "default": "b"}), json!("a")),
        (json!({"type": "string", "default": "b"}), json!("b")),
        (json!({"const": [1]}), json!([1])),
        (json!({"enum": ["p", "q"]}), json!("p")),
        (json!({"type": "string"}), json!("<x>")),
        (json!({"type": "string", "minLength": 5}), json!("<x>……")),
        (json!({"type": "string", "maxLength": 2}), json!("<x")),
        (json!({"type": "string", "format": "date"}), json!("2030-01-31")),
        (json!({"type": "integer", "minimum": 5}), json!(5)),
        (json!({"type": "integer", "exclusiveMinimum": 5, "multipleOf": 4}), json!(8)),
        (json!({"type": "number", "maximum": -2.5}), json!(-3)),
        (json!({"type": "boolean"}), json!(false)),
        (json!({"type": ["null", "integer"]}), json!(1)),
        (json!({"anyOf": [{"type": "null"}, {"type": "boolean"}]}), json!(false)),
        (json!({"type": "array", "items": {"type": "integer"}, "minItems": 2}), json!([1, 1])),
        (
            json!({"type": "object", "properties": {"y": {"type": "null"}, "z": {}}, "required": ["y"]}),
            json!({"y": null}),
        ),
        (json!({"allOf": [{"type": "object", "required": ["y"]}]}), json!({"y": "…"})),
    ];
    for (schema, expected) in cases {
        assert_eq!(from_nothing(schema.clone()), Some(expected), "{schema}");
    }
}

#[test]
fn no_example_is_given_where_none_is_known_to_be_right() {
    for schema in [json!({"type": "string", "pattern": "^[A-Z]{3}-\\d+$"}), json!(false), json!({"not": {}})] {
        assert_eq!(from_nothing(schema.clone()), None, "{schema}");
    }
}

#[test]
fn a_slip_of_a_name_is_seen_and_another_word_is_not() {
    let known = ["place", "days", "api_key", "query"];
    let cases = [
        ("Place", Some("place")),
        ("plase", Some("place")),
        ("apiKey", Some("api_key")),
        ("search_query", Some("query")),
        ("colour", None),
        ("", None),
        ("天气", None),
    ];
    for (name, expected) in cases {
        assert_eq!(nearest(name, &known), expected, "{name}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        "[a-z北]{0,6}".prop_map(Value::from),
    ];
    let key = prop_oneof![Just("place".to_owned()), Just("days".to_owned()), Just("to".to_owned()), "[a-z/~]{0,5}"];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

/// Schemas as authors and adversaries write them: known keywords with any values.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string", "minLength": 2})),
        Just(json!({"type": "integer", "minimum": 1, "maximum": 7})),
        Just(json!({"type": "number", "exclusiveMaximum": 0})),
        Just(json!({"enum": ["a", 1, null]})),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/properties/place"})),
        Just(json!(true)),
        Just(json!(false)),
        any_json(),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let names = prop::sample::subsequence(vec!["place", "days", "to", "a"], 0..4);
        prop_oneof![
            (prop::collection::vec(inner.clone(), 4), names, any::<bool>()).prop_map(
                |(schemas, required, more)| json!({
                    "type": "object", "required": required, "additionalProperties": more,
                    "properties": {"place": schemas[0], "days": schemas[1], "to": schemas[2], "a": schemas[3]}
                })
            ),
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items, "minItems": 1, "uniqueItems": true})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| json!({"anyOf": parts})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| json!({"oneOf": parts})),
            prop::collection::vec(inner, 1..3).prop_map(|parts| json!({"allOf": parts})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_schema_and_arguments_give_an_answer_and_a_shown_example_is_right(
        place in any_schema(), days in any_schema(), arguments in any_json()
    ) {
        let tool = tool(json!({"type": "object", "required": ["place", "days"], "additionalProperties": false,
                               "properties": {"place": place, "days": days}}));
        if let Err(failure) = check_arguments(&tool, &arguments) {
            let line = failure.message.lines().find_map(|line| line.strip_prefix("Arguments that would be right: "));
            if let Some(example) = line {
                let example: Value = serde_json::from_str(example).expect("json");
                prop_assert_eq!(check_arguments(&tool, &example), Ok(()));
            }
        }
    }
}
