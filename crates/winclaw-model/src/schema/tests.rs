use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Enums, PROFILES, Profile};

fn rule(provider: &str) -> SchemaRule {
    Profile::of(provider).expect("a profile").schema
}

fn compiled(provider: &str, schema: &Value) -> Value {
    compile(schema, &rule(provider)).unwrap_or_else(|why| panic!("{provider}: {why:?}: {schema}"))
}

fn accepts(schema: &Value, instance: &Value) -> bool {
    jsonschema::options().build(schema).expect("a schema").is_valid(instance)
}

/// Says where a schema breaks the rule.
fn legal(schema: &Value, rule: &SchemaRule, top: bool) -> Result<(), String> {
    let Value::Object(map) = schema else {
        return if rule.keywords.is_none() { Ok(()) } else { Err(format!("{schema}")) };
    };
    let fail = |why: &str| Err(format!("{why}: {schema}"));
    if top && (map.get("type") != Some(&json!("object")) || !map.contains_key("properties")) {
        return fail("the top is no object");
    }
    let choices = ["anyOf", "oneOf", "allOf", "enum", "const", "not"];
    if top && !rule.choices_at_top && choices.iter().any(|key| map.contains_key(*key)) {
        return fail("a choice at the top");
    }
    if let Some(key) = rule.keywords.and_then(|known| map.keys().find(|key| !known.contains(&key.as_str()))) {
        return fail(&format!("the keyword {key}"));
    }
    if !rule.refs && schema.get("$ref").is_some() {
        return fail("a reference");
    }
    if !rule.type_lists && map.get("type").is_some_and(Value::is_array) {
        return fail("a list of types");
    }
    if let Some(may) = rule.beside_any_of.filter(|_| map.contains_key("anyOf")) {
        if map.keys().any(|key| key != "anyOf" && !may.contains(&key.as_str())) {
            return fail("words beside anyOf");
        }
    } else if rule.type_demanded && !map.contains_key("type") {
        return fail("no type");
    }
    if rule.items_demanded && map.get("type") == Some(&json!("array")) && !map.contains_key("items") {
        return fail("no items");
    }
    if let Some(all) = map.get("enum").and_then(Value::as_array) {
        let (texts, numbers) = (all.iter().all(Value::is_string), all.iter().all(Value::is_number));
        match rule.enums {
            Enums::Any => {}
            Enums::OneKind if texts || numbers => {}
            Enums::Texts if texts => {}
            _ => return fail("the values of an enum"),
        }
    }
    let named = map.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| map.get(*key)?.as_array()).flatten();
    let single =
        ["items", "additionalProperties"].iter().filter_map(|key| map.get(*key)).filter(|value| value.is_object());
    named.chain(lists).chain(single).try_for_each(|inner| legal(inner, rule, false))
}

#[test]
fn d11_a_choice_at_the_top_becomes_one_object() {
    let given =
        json!({"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]});
    for provider in ["openai", "anthropic", "deepseek", "glm"] {
        let expected = json!({"type": "object", "properties": {"a": {}, "b": {}},
            "description": "Give one of these sets of arguments: a; or b."});
        assert_eq!(compiled(provider, &given), expected, "{provider}");
    }
    let given = json!({"type": "object", "description": "Moves.", "required": ["who"], "properties": {"who": {"type": "string"}},
        "oneOf": [
            {"properties": {"by": {"type": "integer"}}, "required": ["by", "who"]},
            {"properties": {"to": {"type": "string"}, "by": {"type": "string"}}, "required": ["to"]}]});
    let out = compiled("openai", &given);
    assert_eq!(out["required"], json!(["who"]));
    assert_eq!(out["properties"]["by"], json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}));
    assert_eq!(out["description"], "Moves. Give exactly one of these sets of arguments: by; or to.");
    for call in [json!({"who": "x", "by": 1}), json!({"who": "x", "to": "y", "by": "z"})] {
        assert!(accepts(&given, &call) && accepts(&out, &call), "{call}");
    }
}

#[test]
fn d11_a_tool_that_takes_no_object_is_set_aside_with_a_reason() {
    let bad = [
        json!({"type": "string"}),
        json!({"anyOf": [{"type": "string"}, {"type": "array"}]}),
        json!([1]),
        json!("x"),
        json!({"type": ["string", "null"]}),
    ];
    for schema in bad {
        assert!(compile(&schema, &rule("openai")).is_err(), "{schema}");
    }
    for none in [json!({}), Value::Null, json!(true), json!({"type": "object"})] {
        assert_eq!(compiled("gemini", &none), json!({"type": "object", "properties": {}}), "{none}");
    }
}

#[test]
fn d12_local_references_are_written_out_and_recursion_ends() {
    let given = json!({"properties": {"h": {"type": "object"}, "acts": {"type": "array", "items": {"$ref": "#/properties/h"}}}});
    for profile in PROFILES.iter() {
        let out = compiled(&profile.provider, &given);
        assert_eq!(out["properties"]["acts"]["items"]["type"], "object", "{}: {out}", profile.provider);
    }
    let list = json!({"type": "object", "properties": {"node": {"$ref": "#/$defs/node", "description": "first"}},
        "$defs": {"node": {"type": "object", "description": "a node", "properties": {"next": {"$ref": "#/$defs/node"}}}}});
    assert_eq!(compiled("openai", &list)["properties"]["node"]["$ref"], "#/$defs/node");
    let out = compiled("gemini", &list);
    let node = json!({"description": "first", "type": "object", "properties": {"next": {"type": "string"}}});
    assert_eq!(out, json!({"type": "object", "properties": {"node": node}}));
    let itself = json!({"type": "object", "properties": {"me": {"$ref": "#"}, "far": {"$ref": "https://h/x.json"}, "no": {"$ref": "#/no"}}});
    let out = compiled("anthropic", &itself);
    assert_eq!(out["properties"]["far"], json!({}));
    assert!(!out.to_string().contains("$ref"), "{out}");
}

#[test]
fn d12_a_schema_that_grows_without_end_is_set_aside() {
    let mut definitions = serde_json::Map::new();
    for level in 0..20 {
        let next = json!({"$ref": format!("#/$defs/n{}", level + 1)});
        definitions.insert(format!("n{level}"), json!({"properties": {"a": next, "b": next}}));
    }
    definitions.insert("n20".into(), json!({"type": "string"}));
    let given = json!({"properties": {"x": {"$ref": "#/$defs/n0"}}, "$defs": definitions});
    assert!(compile(&given, &rule("gemini")).is_err());
    let wide = json!({"properties": {"x": {"description": "x".repeat(70_000)}}});
    assert!(compile(&wide, &rule("openai")).is_err_and(|why| why.en.contains("bytes")));
}

#[test]
fn d13_only_keywords_the_vendor_knows_are_sent_and_the_rest_is_said_otherwise() {
    let given = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Move", "type": "object",
        "additionalProperties": false, "required": ["unit", "ghost"],
        "properties": {
            "unit": {"title": "Unit", "type": ["string", "null"], "default": "m", "enum": ["m", "ft"]},
            "level": {"type": "integer", "enum": [1, 2], "format": "uint8"},
            "kind": {"const": "fixed"},
            "when": {"type": "string", "format": "date-time"},
            "list": {"type": "array"},
            "both": {"oneOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "string"}], "description": "n"},
            "deep": {"allOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["a"]}]}}});
    let out = compiled("gemini", &given);
    let properties = json!({
        "unit": {"enum": ["m", "ft"], "type": "string", "nullable": true},
        "level": {"type": "integer", "description": "One of: 1, 2."},
        "kind": {"enum": ["fixed"], "type": "string"},
        "when": {"type": "string", "format": "date-time"},
        "list": {"type": "array", "items": {"type": "string"}},
        "both": {"anyOf": [{"type": "integer", "minimum": 0, "description": "n"}, {"type": "string", "description": "n"}]},
        "deep": {"properties": {"a": {"type": "string"}}, "required": ["a"], "type": "object"}});
    assert_eq!(out, json!({"type": "object", "required": ["unit"], "properties": properties}));
    let moonshot = compiled("kimi", &given);
    assert_eq!(
        moonshot["properties"]["unit"],
        json!({"default": "m",
        "anyOf": [{"type": "string", "enum": ["m", "ft"]}, {"type": "null"}]})
    );
    assert_eq!(moonshot["properties"]["level"], json!({"type": "integer", "enum": [1, 2]}));
    assert_eq!(compiled("openai", &given)["properties"]["unit"], given["properties"]["unit"]);
}

#[test]
fn what_the_given_schema_allows_the_compiled_one_allows_for_every_provider() {
    let cases = [
        (
            json!({"type": "object", "required": ["to"], "additionalProperties": false, "properties": {
                "to": {"type": "array", "items": {"$ref": "#/$defs/who"}, "minItems": 1}, "at": {"oneOf": [{"type": "integer"}, {"const": "now"}]}},
                "$defs": {"who": {"anyOf": [{"type": "string", "format": "email"}, {"type": "object", "properties": {"id": {"type": "integer"}}}]}}}),
            vec![
                json!({"to": ["a@b.c"]}),
                json!({"to": [{"id": 3}, "x@y.z"], "at": 4}),
                json!({"to": [{}], "at": "now"}),
            ],
        ),
        (
            json!({"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"enum": [1, "x"]}}, "required": ["b"]}]}),
            vec![json!({"a": "q"}), json!({"b": 1}), json!({"b": "x"}), json!({"a": "q", "b": "x"})],
        ),
        (
            json!({"allOf": [{"properties": {"n": {"type": ["integer", "string"]}}}, {"required": ["n"]}], "properties": {"m": {"type": "number", "exclusiveMinimum": 0}}}),
            vec![json!({"n": 1}), json!({"n": "one", "m": 0.5})],
        ),
    ];
    for (given, calls) in cases {
        for profile in PROFILES.iter() {
            let out = compiled(&profile.provider, &given);
            for call in &calls {
                assert!(accepts(&given, call), "{given} {call}");
                assert!(accepts(&out, call), "{}: {out} {call}", profile.provider);
            }
        }
    }
}

#[test]
fn moonshot_wants_types_in_the_branches() {
    let given = json!({"properties": {"x": {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}});
    let out = compiled("kimi", &given);
    let properties = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    let branch = |name: &str| json!({"required": [name], "type": "object", "properties": properties});
    assert_eq!(out["properties"]["x"], json!({"anyOf": [branch("a"), branch("b")]}));
}

#[test]
fn old_forms_and_mistakes_become_valid_json_schema() {
    let given = json!({"type": "object", "properties": {
        "n": {"type": "number", "minimum": 1, "exclusiveMinimum": true, "required": true},
        "t": {"type": "array", "items": [{"type": "string"}, {"type": "string"}], "additionalItems": false},
        "any": {"type": "any"}, "up": {"type": "STRING"}, "none": {"enum": []}}});
    let out = compiled("anthropic", &given);
    assert_eq!(
        out["properties"],
        json!({
        "n": {"type": "number", "exclusiveMinimum": 1},
        "t": {"type": "array", "items": {"type": "string"}},
        "any": {}, "up": {"type": "string"}, "none": {}})
    );
    assert!(jsonschema::meta::is_valid(&out), "{out}");
}

#[test]
fn names_of_parameters_a_vendor_refuses_set_the_tool_aside() {
    let given = json!({"properties": {"place": {"type": "object", "properties": {"城市": {"type": "string"}}}}});
    assert!(compile(&given, &rule("anthropic")).is_err_and(|why| why.en.contains("城市") && why.zh.contains("城市")));
    assert!(compile(&given, &rule("gemini")).is_err());
    assert_eq!(compiled("openai", &given)["properties"], given["properties"]);
}

#[test]
fn depth_is_bounded() {
    let mut schema = json!({"type": "string"});
    for _ in 0..100 {
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    for profile in PROFILES.iter() {
        let out = compiled(&profile.provider, &schema);
        assert!(out.to_string().matches("properties").count() < 40, "{}", profile.provider);
    }
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"type": "string", "format": "uri", "title": "t"})),
        Just(json!({"type": ["string", "null"], "default": null})),
        Just(json!({"type": ["string", "integer"], "minimum": 1})),
        Just(json!({"enum": [1, "a", null]})),
        Just(json!({"enum": [1, 2]})),
        Just(json!({"const": {"a": 1}})),
        Just(json!({"type": "array"})),
        Just(json!({"$ref": "#/$defs/d"})),
        Just(json!({"$ref": "#/properties/a"})),
        Just(json!({"$ref": "#"})),
        Just(json!({"type": 7, "required": true, "enum": 3, "properties": []})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let properties = proptest::collection::btree_map("[abc]", inner.clone(), 0..3);
        let list = proptest::collection::vec(inner.clone(), 0..3);
        let key = prop_oneof![Just("anyOf"), Just("oneOf"), Just("allOf"), Just("prefixItems"), Just("items")];
        prop_oneof![
            (properties.clone(), key.clone(), list.clone()).prop_map(|(p, key, list)| json!({"type": "object", "properties": p, key: list, "required": ["a", "z"]})),
            (key, list).prop_map(|(key, list)| json!({key: list, "description": "d"})),
            (inner.clone(), properties).prop_map(|(items, p)| json!({"type": "array", "items": items, "additionalProperties": {"properties": p}})),
            inner.prop_map(|not| json!({"not": not, "if": {}, "then": {"properties": {"b": {}}}, "$defs": {"d": {"type": "integer"}}})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    #[test]
    fn any_schema_becomes_legal_or_is_set_aside_and_stays_so(schema in any_schema(), provider in 0usize..PROFILES.len()) {
        let rule = PROFILES[provider].schema;
        if let Ok(out) = compile(&schema, &rule) {
            prop_assert_eq!(legal(&out, &rule, true), Ok(()), "{} of {}", PROFILES[provider].provider, schema);
            prop_assert_eq!(compile(&out, &rule), Ok(out.clone()), "{} of {}", PROFILES[provider].provider, schema);
        }
    }
}
