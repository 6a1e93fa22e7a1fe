use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::check::{Checker, check_arguments, tests::tool};

/// A tool of many kinds of parameters; `place` is required.
fn trip(closed: bool) -> CatalogTool {
    tool(json!({
        "type": "object",
        "properties": {
            "place": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
            "price": {"type": ["number", "null"]},
            "rain": {"type": "boolean"},
            "unit": {"enum": ["metric", "old-style", "si"]},
            "level": {"enum": [1, 2, 3]},
            "startDate": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "target": {"$ref": "#/$defs/Target"},
            "stops": {"type": "array", "items": {"$ref": "#/$defs/Target"}}
        },
        "$defs": {"Target": {"type": "object", "properties": {"city": {"type": "string"}, "zip_code": {"type": "string"}, "n": {"type": "integer"}},
                             "required": ["city"], "additionalProperties": false}},
        "required": ["place"],
        "additionalProperties": !closed
    }))
}

/// What runs, and the kinds of repairs; `None` if nothing does.
fn repaired(tool: &CatalogTool, value: Value) -> Option<(Value, Vec<RepairKind>)> {
    let checked = Checker::of(tool).repair(tool, value);
    checked.fits.ok()?;
    assert_eq!(check_arguments(tool, &checked.draft.value), Ok(()), "{}", checked.draft.value);
    for repair in &checked.draft.repairs {
        assert!(repair.said.ends_with('.') && repair.said.len() < 400, "{repair:?}");
    }
    Some((checked.draft.value, checked.draft.repairs.into_iter().map(|repair| repair.what).collect()))
}

#[test]
fn each_slip_is_put_right_and_reported() {
    use RepairKind::{Choice, Encoded, Flattened, Key, Null, Type, Wrapped};
    let p = "北京";
    let cases = [
        (json!({"Place": p}), json!({"place": p}), vec![Key]),
        (json!({"place": p, "start_date": "2030-01-31"}), json!({"place": p, "startDate": "2030-01-31"}), vec![Key]),
        (
            json!({"place": p, "target": {"city": p, "zipCode": "1"}}),
            json!({"place": p, "target": {"city": p, "zip_code": "1"}}),
            vec![Key],
        ),
        (json!({"place": p, "unit": "Metric"}), json!({"place": p, "unit": "metric"}), vec![Choice]),
        (json!({"place": p, "unit": "OLD_STYLE"}), json!({"place": p, "unit": "old-style"}), vec![Choice]),
        (json!({"place": p, "level": "2"}), json!({"place": p, "level": 2}), vec![Choice]),
        (json!({"place": p, "days": "3"}), json!({"place": p, "days": 3}), vec![Type]),
        (json!({"place": p, "days": "3.0"}), json!({"place": p, "days": 3}), vec![Type]),
        (json!({"place": p, "days": 3.0}), json!({"place": p, "days": 3}), vec![Type]),
        (json!({"place": p, "price": " 2.5 "}), json!({"place": p, "price": 2.5}), vec![Type]),
        (json!({"place": p, "limit": "7"}), json!({"place": p, "limit": 7}), vec![Type]),
        (json!({"place": p, "rain": "True"}), json!({"place": p, "rain": true}), vec![Type]),
        (json!({"place": 44137}), json!({"place": "44137"}), vec![Type]),
        (json!({"place": p, "tags": "sea"}), json!({"place": p, "tags": ["sea"]}), vec![Type]),
        (json!({"place": p, "tags": "[\"a\",\"b\"]"}), json!({"place": p, "tags": ["a", "b"]}), vec![Encoded]),
        (
            json!({"place": p, "target": "{\"city\":\"x\"}"}),
            json!({"place": p, "target": {"city": "x"}}),
            vec![Encoded],
        ),
        (json!({"place": p, "stops": {"city": "x"}}), json!({"place": p, "stops": [{"city": "x"}]}), vec![Type]),
        (
            json!({"place": p, "stops": "[{\"City\":\"x\",\"n\":\"1\"}]"}),
            json!({"place": p, "stops": [{"city": "x", "n": 1}]}),
            vec![Encoded, Type, Key],
        ),
        (json!({"place": p, "days": null, "target": null}), json!({"place": p}), vec![Null, Null]),
        (json!({"arguments": {"place": p}}), json!({"place": p}), vec![Wrapped]),
        (json!({"input": {"place": p, "days": "2"}}), json!({"place": p, "days": 2}), vec![Wrapped, Type]),
        (json!({"args": "{\"place\":\"北京\"}"}), json!({"place": p}), vec![Wrapped]),
        (json!({"name": "forecast", "arguments": {"place": p}}), json!({"place": p}), vec![Wrapped]),
        (json!({"sky_forecast": {"input": {"place": p}}}), json!({"place": p}), vec![Wrapped, Wrapped]),
        (json!({"trip": {"place": p, "days": 1}}), json!({"place": p, "days": 1}), vec![Wrapped]),
        (json!([{"place": p}]), json!({"place": p}), vec![Wrapped]),
        (
            json!({"place": p, "city": "x", "zip_code": "1"}),
            json!({"place": p, "target": {"city": "x", "zip_code": "1"}}),
            vec![Flattened],
        ),
        (json!({"place": p, "target.city": "x"}), json!({"place": p, "target": {"city": "x"}}), vec![Flattened]),
    ];
    for (given, expected, kinds) in cases {
        assert_eq!(repaired(&trip(true), given.clone()), Some((expected, kinds)), "{given}");
    }
}

#[test]
fn what_would_lose_or_guess_something_is_left_to_the_model() {
    let p = "Oslo";
    let cases = [
        json!({}),
        json!({"place": null}),
        json!({"place": true}),
        json!({"place": p, "days": "three"}),
        json!({"place": p, "days": "3.5"}),
        json!({"place": p, "days": 3.5}),
        json!({"place": p, "days": "007"}),
        json!({"place": p, "days": "99"}),
        json!({"place": p, "days": "12345678901234567890123"}),
        json!({"place": p, "price": "0.12345678901234567890"}),
        json!({"place": p, "rain": "yes"}),
        json!({"place": p, "rain": 1}),
        json!({"place": p, "unit": "metrical"}),
        json!({"place": p, "tags": "a, b"}),
        json!({"place": p, "tags": "[\"a\", \"b\""}),
        json!({"place": p, "target": "{\"city\": \"x\""}),
        json!({"place": p, "plaice": "x"}),
        json!({"Place": p, "PLACE": "x"}),
        json!({"place": p, "start_date": "2030-01-31", "startdate": "2030-02-01"}),
        json!({"arguments": {"place": p}, "more": 1}),
        json!({"place": p, "city": "x", "elsewhere": 1}),
        json!({"arguments": "{\"place\": \"Oslo\""}),
        json!([{"place": p}, {"place": p}]),
        json!("Oslo"),
    ];
    for given in cases {
        let checked = Checker::of(&trip(true)).repair(&trip(true), given.clone());
        assert!(checked.fits.is_err(), "{given} gave {}", checked.draft.value);
        assert_eq!((checked.draft.value, checked.draft.repairs), (given, Vec::new()), "a refusal leaves it as it was");
    }
}

#[test]
fn an_open_schema_is_repaired_where_something_required_is_missing() {
    assert_eq!(repaired(&trip(false), json!({"PLACE": "x"})), Some((json!({"place": "x"}), vec![RepairKind::Key])));
    assert_eq!(
        repaired(&trip(false), json!({"input": {"place": "x"}})),
        Some((json!({"place": "x"}), vec![RepairKind::Wrapped]))
    );
    let own = tool(json!({"type": "object", "properties": {"input": {"type": "object"}}, "required": ["input"]}));
    assert_eq!(
        repaired(&own, json!({"input": {"a": 1}})),
        Some((json!({"input": {"a": 1}}), vec![])),
        "its own parameter"
    );
    let none = tool(json!({"type": "object", "properties": {}, "additionalProperties": false}));
    assert_eq!(repaired(&none, json!({"arguments": {}})), Some((json!({}), vec![RepairKind::Wrapped])));
}

#[test]
fn two_homes_or_two_meanings_are_no_repair() {
    let homes = tool(json!({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {
        "a": {"type": "object", "properties": {"x": {}}}, "b": {"type": "object", "properties": {"x": {}}}}}));
    assert_eq!(repaired(&homes, json!({"x": 1})), None);
    let either = tool(
        json!({"type": "object", "properties": {"v": {"type": ["integer", "array"]}, "w": {"enum": ["on", "On", "off"]}}}),
    );
    assert_eq!(repaired(&either, json!({"v": "3"})), Some((json!({"v": 3}), vec![RepairKind::Type])));
    assert_eq!(repaired(&either, json!({"w": "ON"})), None);
    let keys = tool(json!({"type": "object", "additionalProperties": false, "properties": {"a_b": {}, "ab": {}}}));
    assert_eq!(repaired(&keys, json!({"A-B": 1})), None);
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i16>().prop_map(Value::from),
        any::<f32>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| json!(n)),
        prop::sample::select(vec![
            "3",
            "3.0",
            "true",
            "x",
            "Metric",
            "si",
            "",
            "[\"a\"]",
            "{\"city\":\"x\"}",
            "[1",
            "2030-01-31",
            "null"
        ])
        .prop_map(Value::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let keys = vec![
        "place",
        "Place",
        "days",
        "price",
        "rain",
        "unit",
        "level",
        "start_date",
        "startDate",
        "tags",
        "limit",
        "target",
        "stops",
        "city",
        "zipCode",
        "target.city",
        "n",
        "arguments",
        "input",
        "other",
        "forecast",
    ];
    prop::sample::select(keys).prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Value> {
    let inner = leaf().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..4).prop_map(|entries| entries.into_iter().collect()),
        ]
    });
    let with_place = (inner.clone(), any::<bool>()).prop_map(|(mut value, put)| {
        if let Some(map) = value.as_object_mut().filter(|_| put) {
            map.insert("place".to_owned(), json!("x"));
        }
        value
    });
    prop_oneof![inner, with_place]
}

/// Every text of letters and every number in `value`, also inside encoded strings, sorted: what may not be lost.
fn content(value: &Value) -> Vec<String> {
    fn gather(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Null => {}
            Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
            Value::Object(map) => map.values().for_each(|item| gather(item, found)),
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(inner) if !inner.is_string() => gather(&inner, found),
                _ => found.push(folded(text)),
            },
            Value::Number(number) => found.push(format!("{:?}", number.as_f64())),
            Value::Bool(truth) => found.push(truth.to_string()),
        }
    }
    let mut found = Vec::new();
    gather(value, &mut found);
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_right_call_is_never_changed_and_a_repaired_one_is_right_and_says_the_same(value in arguments(), closed: bool) {
        let tool = trip(closed);
        let was_right = check_arguments(&tool, &value).is_ok();
        let checked = Checker::of(&tool).repair(&tool, value.clone());
        if was_right {
            prop_assert!(checked.fits.is_ok());
            prop_assert_eq!(content(&checked.draft.value), content(&value));
            let only_points = checked.draft.repairs.iter().all(|repair| repair.what == RepairKind::Type);
            prop_assert!(only_points, "{:?}", checked.draft.repairs);
        } else if checked.fits.is_ok() {
            prop_assert_eq!(check_arguments(&tool, &checked.draft.value), Ok(()));
            prop_assert!(!checked.draft.repairs.is_empty());
            prop_assert_eq!(content(&checked.draft.value), content(&value), "{} became {}", value, checked.draft.value);
        } else {
            prop_assert_eq!(checked.draft.value, value);
        }
    }
}
