use serde_json::{Value, json};
use winclaw_catalog::RESERVED;
use winclaw_exposure::meta::{self, MetaCall};
use winclaw_exposure::{Exposure, Settings};
use winclaw_tool::FailureCode;

use crate::toy::{bridge, fits, small};

fn read(name: &str, arguments: Value) -> Result<MetaCall, String> {
    meta::parse(name, &arguments).expect("a meta tool").map_err(|failure| {
        assert_eq!(failure.code, FailureCode::InvalidArgs);
        failure.message
    })
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn every_form_with_one_meaning_is_taken() {
    let search = |queries: &[&str], limit, category: Option<&str>| MetaCall::Search {
        queries: texts(queries),
        limit,
        category: category.map(str::to_owned),
    };
    let call = |arguments| MetaCall::Call { name: "sky.forecast".into(), arguments };
    let cases = [
        ("tool_search", json!({"queries": ["a", " b "]}), search(&["a", "b"], None, None)),
        ("tool_search", json!({"query": "查天气", "limit": "3"}), search(&["查天气"], Some(3), None)),
        ("tool_search", json!({"queries": "[\"a\"]", "limit": 2.0}), search(&["a"], Some(2), None)),
        ("tool_search", json!({"category": "office"}), search(&["office"], None, Some("office"))),
        ("tool_search", json!("{\"queries\":[\"a\"],\"category\":null}"), search(&["a"], None, None)),
        ("tool_details", json!({"names": "x"}), MetaCall::Details { names: texts(&["x"]) }),
        ("tool_call", json!({"name": "sky.forecast"}), call(json!({}))),
        ("tool_call", json!({"name": "sky.forecast", "arguments": null}), call(json!({}))),
        ("tool_call", json!({"id": "sky.forecast", "args": "{\"place\":\"北京\"}"}), call(json!({"place": "北京"}))),
        ("tool_call", json!({"name": "sky.forecast", "arguments": ""}), call(json!({}))),
        ("ask_user", json!({"question": "Where?"}), MetaCall::Ask { question: "Where?".into(), options: Vec::new() }),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(read(name, arguments.clone()), Ok(expected), "{name} {arguments}");
    }
}

#[test]
fn what_does_not_fit_is_answered_with_the_field_and_a_call_that_would_do() {
    let nine: Vec<String> = (0..9).map(|n| n.to_string()).collect();
    let cases = [
        ("tool_search", json!({}), "`queries` is missing"),
        ("tool_search", json!({"queries": []}), "`queries` is empty"),
        ("tool_search", json!({"queries": [" "]}), "`queries` has an empty text"),
        ("tool_search", json!({"queries": nine}), "`queries` has 9 entries, at most 8"),
        ("tool_search", json!({"queries": [{"text": "a"}]}), "`queries` must be text, got an object"),
        ("tool_search", json!({"queries": ["a"], "limit": 0}), "`limit` must be a whole number from 1 to 50"),
        ("tool_search", json!({"queries": ["a"], "limit": "many"}), "`limit` must be a whole number"),
        ("tool_search", json!({"queries": ["a"], "category": 3}), "`category` must be text, got a number"),
        ("tool_search", json!(["a"]), "`arguments` must be an object, got a list"),
        ("tool_details", json!({"names": 7}), "`names` must be a list of texts, got a number"),
        ("tool_details", json!({"names": vec!["x"; 11]}), "`names` has 11 entries, at most 10"),
        ("tool_call", json!({"arguments": {}}), "`name` is missing"),
        ("tool_call", json!({"name": "tool_call", "arguments": {}}), "is called directly"),
        ("tool_call", json!({"name": "sky.forecast", "arguments": [1]}), "`arguments` must be an object"),
        ("ask_user", json!({"question": "x".repeat(2_001)}), "more than 2000 characters"),
        ("ask_user", json!({"question": "a", "options": 1}), "`options` must be a list"),
    ];
    for (name, arguments, expected) in cases {
        let message = read(name, arguments.clone()).expect_err("it does not fit");
        assert!(message.starts_with(&format!("{name}: `")) && message.contains(expected), "{arguments}: {message}");
        let (_, example) = message.split_once("A call that would do: ").expect("an example");
        let example: Value = serde_json::from_str(&example[name.len()..]).expect("the example is JSON");
        assert!(read(name, example).is_ok(), "the example of {message} does not do itself");
    }
}

#[test]
fn arguments_beside_the_name_are_put_where_they_belong_in_the_example() {
    let message = read("tool_call", json!({"name": "sky.forecast", "place": "北京"})).expect_err("misplaced");
    assert!(message.ends_with(r#"{"name":"sky.forecast","arguments":{"place":"北京"}}"#), "{message}");
}

#[test]
fn other_names_are_no_meta_tools_and_denied_ones_are_denied() {
    assert!(meta::parse("sky__forecast", &json!({})).is_none());
    let catalog = small();
    let settings = Settings { denied_meta: vec!["ask_user".into()], ..bridge() };
    let exposure = Exposure::begin(&catalog, &fits(&catalog, &[]), settings);
    let denied = exposure.parse_meta("ask_user", &json!({"question": "a"})).expect("a meta tool");
    assert_eq!(denied.expect_err("denied").code, FailureCode::Denied);
}

#[test]
fn the_schemas_name_each_meta_tool_once_in_a_fixed_order() {
    let names: Vec<String> = meta::specs(&Settings::default()).iter().map(|spec| spec.name.clone()).collect();
    assert_eq!(names, RESERVED);
    assert!(RESERVED.into_iter().all(meta::is_meta));
}

#[test]
fn a_search_within_a_category_lists_all_of_it_and_a_wrong_category_hides_nothing() {
    let catalog = small();
    let ids = |tools: Vec<winclaw_catalog::ToolIx>| -> Vec<String> {
        tools.into_iter().map(|ix| catalog.get(ix).id.to_string()).collect()
    };
    let found = vec![crate::toy::ix(&catalog, "sky.history"), crate::toy::ix(&catalog, "notes.open")];
    let office = meta::within(&catalog, found.clone(), Some(" Office "));
    assert_eq!(ids(office), ["notes.open", "mail.list", "mail.send", "notes.add"]);
    assert_eq!(meta::within(&catalog, found.clone(), Some("no such")), found);
    assert_eq!(meta::within(&catalog, found.clone(), None), found);
}
