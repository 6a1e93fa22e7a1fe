use serde_json::json;
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_tool::{FailureCode, ToolId};

use super::*;

pub(crate) fn tool(parameters: Value) -> CatalogTool {
    let manifest = json!({
        "name": "forecast", "category": "information", "summary": "Weather", "description": "Weather.",
        "parameters": parameters, "side_effect": "read"
    });
    let manifest = serde_json::from_value(manifest).expect("a manifest");
    let id = ToolId::parse("sky.forecast").expect("an id");
    let (catalog, _) = Catalog::build(vec![ToolEntry { id, manifest, state: State::Ready }]);
    catalog.tools().first().expect("a tool").clone()
}

fn sky() -> CatalogTool {
    tool(json!({
        "type": "object",
        "properties": {
            "place": {"type": "string", "description": "The town.\nMore.", "examples": ["Berlin"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "stops": {"type": "array", "items": {"$ref": "#/$defs/Stop"}}
        },
        "$defs": {"Stop": {"type": "object", "properties": {"at": {"type": "string", "format": "date"}}, "required": ["at"],
                           "additionalProperties": false}},
        "required": ["place"],
        "additionalProperties": false
    }))
}

fn told(tool: &CatalogTool, arguments: Value) -> String {
    let failure = check_arguments(tool, &arguments).expect_err("a failure");
    assert_eq!(failure.code, FailureCode::InvalidArgs);
    assert!(failure.hint.is_some());
    failure.message
}

fn example_in(message: &str) -> Value {
    let line = message.lines().find_map(|line| line.strip_prefix("Arguments that would be right: "));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no example in {message}"))).expect("json")
}

#[test]
fn each_error_names_the_field_and_what_was_expected_and_the_example_mends_it() {
    let cases = [
        (json!({}), "`place` is missing; expected a string.", json!({"place": "Berlin"})),
        (
            json!({"place": "北京", "days": 9}),
            "`days` is 9; expected an integer from 1 to 7.",
            json!({"place": "北京", "days": 7}),
        ),
        (
            json!({"place": "北京", "days": "3"}),
            "`days` is \"3\"; expected an integer from 1 to 7.",
            json!({"place": "北京", "days": 3}),
        ),
        (
            json!({"Place": "北京", "days": 2}),
            "`Place` is not a parameter; did you mean `place`?",
            json!({"place": "北京", "days": 2}),
        ),
        (
            json!({"plce": "北京", "colour": "red"}),
            "`colour` is not a parameter; leave it out.",
            json!({"place": "北京"}),
        ),
        (
            json!({"place": "北京", "unit": "Celsius"}),
            "`unit` is \"Celsius\"; expected one of \"celsius\", \"fahrenheit\".",
            json!({"place": "北京", "unit": "celsius"}),
        ),
        (
            json!({"place": "北京", "stops": [{"at": "2026-11-30"}, {"on": "x"}]}),
            "`stops[1].at` is missing; expected a string in the form date.",
            json!({"place": "北京", "stops": [{"at": "2026-11-30"}, {"at": "2030-01-31"}]}),
        ),
        (json!([1]), "The arguments are [1]; expected one object.", json!({"place": "Berlin"})),
        (json!("hello"), "The arguments are \"hello\"; expected one object.", json!({"place": "Berlin"})),
    ];
    for (arguments, line, example) in cases {
        let message = told(&sky(), arguments.clone());
        assert!(message.contains(line), "{arguments}: {message}");
        assert_eq!(example_in(&message), example, "{arguments}: {message}");
    }
}

#[test]
fn the_message_ends_with_the_parameters_required_ones_first() {
    let message = told(&sky(), json!({}));
    let expected = "Parameters:\n\
        - place (required): a string – The town.\n\
        - days: an integer from 1 to 7\n\
        - unit: one of \"celsius\", \"fahrenheit\"\n\
        - stops: an array, each an object with at";
    assert!(message.ends_with(expected), "{message}");
    let none = tool(json!({"type": "object", "additionalProperties": false}));
    assert!(told(&none, json!({"x": 1})).ends_with("Parameters: none"));
}

#[test]
fn at_most_five_errors_are_told() {
    let message = told(&sky(), json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "days": 0}));
    let errors =
        message.lines().take_while(|line| !line.starts_with("Arguments")).filter(|line| line.starts_with("- "));
    assert_eq!(errors.count(), 6, "{message}");
    assert!(message.contains("- and 4 more"), "{message}");
}

#[test]
fn what_fits_passes() {
    for arguments in [json!({"place": ""}), json!({"place": "x", "days": 7, "stops": [], "unit": "celsius"})] {
        assert_eq!(check_arguments(&sky(), &arguments), Ok(()));
    }
    let anything = tool(json!({"type": "object", "properties": {}}));
    assert_eq!(check_arguments(&anything, &json!({"x": 1})), Ok(()));
}

#[test]
fn branches_at_the_top_are_checked_and_shown() {
    let either = tool(json!({"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
                             "anyOf": [{"required": ["id"]}, {"required": ["name"]}]}));
    assert_eq!(check_arguments(&either, &json!({"name": "a"})), Ok(()));
    let message = told(&either, json!({}));
    assert_eq!(example_in(&message), json!({"id": 1}));
    assert!(
        message.contains("`id` is missing; expected an integer, or: `name` is missing; expected a string."),
        "{message}"
    );
    let tagged = tool(json!({"type": "object", "oneOf": [
        {"type": "object", "properties": {"do": {"const": "add"}, "text": {"type": "string"}}, "required": ["do", "text"]},
        {"type": "object", "properties": {"do": {"const": "list"}}, "required": ["do"]}]}));
    assert_eq!(check_arguments(&tagged, &json!({"do": "list"})), Ok(()));
    let message = told(&tagged, json!({"do": "drop"}));
    assert!(message.contains("`do` is \"drop\"; expected \"add\""), "{message}");
    assert_eq!(example_in(&message), json!({"do": "add", "text": "<text>"}));
}

#[test]
fn a_reference_to_a_sibling_holds() {
    let acts = tool(json!({"type": "object", "properties": {
        "h": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        "acts": {"type": "array", "items": {"$ref": "#/properties/h"}}}}));
    assert_eq!(check_arguments(&acts, &json!({"acts": [{"n": 1}]})), Ok(()));
    assert!(told(&acts, json!({"acts": [{"n": "one"}]})).contains("`acts[0].n` is \"one\"; expected an integer."));
}

#[test]
fn a_faulty_schema_costs_the_check_and_never_the_call() {
    let faulty = [
        json!({"type": "object", "properties": {"x": {"$ref": "https://example.org/s.json"}}}),
        json!({"type": "object", "properties": {"x": {"$ref": "file:///etc/hostname"}}}),
        json!({"type": "object", "properties": {"x": {"$ref": "#/none"}}}),
        json!({"type": "object", "properties": {"x": {"pattern": "("}}}),
    ];
    for schema in faulty {
        let tool = tool(schema.clone());
        assert_eq!(check_arguments(&tool, &json!({"x": 1})), Ok(()), "{schema}");
        let advice = Checker::of(&tool).check(&tool, &json!({"x": 1})).expect("it passes");
        assert!(advice.is_some_and(|advice| advice.contains("not checked")), "{schema}");
        assert!(check_arguments(&tool, &json!([])).is_err(), "{schema}");
    }
    let own_dialect = tool(json!({"$schema": "https://example.org/own", "type": "object", "required": ["x"]}));
    assert!(check_arguments(&own_dialect, &json!({})).is_err());
    assert_eq!(Checker::of(&own_dialect).check(&own_dialect, &json!({"x": 1})), Ok(None));
}

#[test]
fn schemas_and_arguments_without_a_bottom_come_to_an_end() {
    let tree = tool(json!({"type": "object", "properties": {"sub": {"$ref": "#"}}, "required": ["sub"]}));
    assert!(check_arguments(&tree, &json!({"sub": {}})).is_err());
    let ring = tool(json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}},
                           "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}));
    let _ = check_arguments(&ring, &json!({"x": 1}));
    let deep = (0..400).fold(json!(1), |inner, _| json!([inner]));
    let failure = check_arguments(&sky(), &json!({"place": deep})).expect_err("a failure");
    assert!(failure.message.contains("127 levels"), "{failure}");
}

/// Each schema would take longer than the age of the world if it were checked branch by branch.
#[test]
fn an_entangled_schema_costs_the_check_and_never_the_host() {
    let laughs = |key: &str| {
        let level =
            |n: usize| json!({key: [{"$ref": format!("#/$defs/{}", n + 1)}, {"$ref": format!("#/$defs/{}", n + 1)}]});
        let mut defs: serde_json::Map<String, Value> = (0..64).map(|n| (n.to_string(), level(n))).collect();
        defs.insert("64".into(), json!({"type": "null"}));
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/0"}}, "$defs": defs})
    };
    let branches: Vec<Value> =
        (0..3).map(|_| json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}})).collect();
    let bush = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}},
                      "$defs": {"A": {"anyOf": branches}}});
    let ring: serde_json::Map<String, Value> = (0..12)
        .map(|n| (n.to_string(), json!({"anyOf": (0..12).filter(|m| *m != n).map(|m| json!({"$ref": format!("#/$defs/{m}")})).collect::<Vec<_>>()})))
        .collect();
    let ring = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/0"}}, "$defs": ring});
    let chain: serde_json::Map<String, Value> =
        (0..3_000).map(|n| (n.to_string(), json!({"$ref": format!("#/$defs/{}", (n + 1) % 3_000)}))).collect();
    let chain = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/0"}}, "$defs": chain});
    let deep = (0..100).fold(json!(7), |inner, _| json!({"x": inner}));
    for schema in [laughs("anyOf"), laughs("oneOf"), laughs("allOf"), bush, ring, chain] {
        let tool = tool(schema);
        assert_eq!(check_arguments(&tool, &deep), Ok(()));
    }
}

#[test]
fn the_deepest_that_is_checked_fits_the_stack() {
    let tree = tool(json!({"type": "object", "properties": {"sub": {"$ref": "#"}, "n": {"type": "integer"}}}));
    let deep = |leaf: Value| (1..MAX_DEPTH).fold(leaf, |inner, _| json!({"sub": inner}));
    assert_eq!(Checker::of(&tree).check(&tree, &deep(json!({"n": 1}))), Ok(None));
    assert!(check_arguments(&tree, &deep(json!({"n": "one"}))).is_err());
    let mut links: serde_json::Map<String, Value> =
        (0..190).map(|n| (n.to_string(), json!({"allOf": [{"$ref": format!("#/$defs/{}", n + 1)}]}))).collect();
    links.insert("190".into(), json!({"type": "integer"}));
    let chain = tool(json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/0"}}, "$defs": links}));
    assert_eq!(Checker::of(&chain).check(&chain, &json!({"x": 1})), Ok(None));
    assert!(check_arguments(&chain, &json!({"x": "one"})).is_err());
}

#[test]
fn a_tree_of_conditions_is_checked() {
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/C"}});
    let tree =
        tool(json!({"type": "object", "properties": {"where": {"$ref": "#/$defs/C"}}, "$defs": {"C": {"oneOf": [
        {"type": "object", "properties": {"and": list}, "required": ["and"]},
        {"type": "object", "properties": {"or": list}, "required": ["or"]},
        {"type": "object", "properties": {"is": {"type": "string"}}, "required": ["is"]}]}}}));
    let good = json!({"where": {"and": [{"or": [{"is": "a"}, {"is": "b"}]}, {"is": "c"}]}});
    let bad = json!({"where": {"and": [{"or": [{"is": "a"}, {"is": 1}]}, {"is": "c"}]}});
    assert_eq!(Checker::of(&tree).check(&tree, &good), Ok(None));
    assert!(check_arguments(&tree, &bad).is_err());
}

/// Without the bounds these two would not end; the test runner ends what runs too long.
#[test]
fn a_hostile_pattern_comes_to_an_end() {
    let slow =
        tool(json!({"type": "object", "properties": {"x": {"type": "string", "pattern": "^(?=(a+)+$)(a|aa)+$"}}}));
    let _ = check_arguments(&slow, &json!({"x": format!("{}!", "a".repeat(5_000))}));
}

#[test]
fn a_long_document_is_not_sent_back() {
    let message = told(&sky(), json!({"place": "字".repeat(100_000), "days": 0}));
    assert!(message.len() < 3_000, "{}", message.len());
    assert!(message.contains("Arguments that would be right"), "{message}");
}
