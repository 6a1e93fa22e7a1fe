use serde_json::json;

use super::*;

fn manifest() -> Value {
    json!({
        "schema": 1, "id": "sky", "version": "1.0.0", "abi": 1, "future_field": true,
        "permissions": {"http": ["api.example.org"]},
        "tools": [{
            "name": "forecast", "category": "information", "summary": {"en": "Weather", "zh": "天气"},
            "description": "Weather for a place.",
            "parameters": {"type": "object", "properties": {"place": {"$ref": "#/$defs/Place"}},
                           "$defs": {"Place": {"type": "object", "properties": {
                               "city": {"type": "string"}, "replace": {"type": "boolean"},
                               "purge": {"type": ["boolean", "null"], "default": true}}}}},
            "depends_on": ["map.find", {"tool": "clock.now", "kind": "input_from"}],
            "detail_keys": ["place.city"], "side_effect": "read", "timeout_ms": 30000
        }]
    })
}

fn read(json: Value) -> PluginManifest {
    serde_json::from_value(json).expect("a manifest")
}

#[test]
fn a_sound_manifest_has_no_faults_and_its_defaults() {
    let manifest = read(manifest());
    assert_eq!(manifest.check(), []);
    let tool = &manifest.tools[0];
    assert_eq!(tool.depends_on[0].kind, DependencyKind::Requires);
    assert_eq!(tool.depends_on[1].kind, DependencyKind::InputFrom);
    assert_eq!((tool.timeout_ms, tool.always_load, tool.poll), (30_000, false, false));
}

#[test]
fn each_fault_is_named_with_its_place() {
    let cases = [
        ("/version", json!("1"), "version"),
        ("/schema", json!(2), "schema"),
        ("/tools", json!([]), "tools"),
        ("/permissions/http", json!(["https://x/"]), "permissions.http"),
        ("/tools/0/detail_keys", json!(["place.country"]), "tools.forecast.detail_keys"),
        ("/tools/0/volatile_keys", json!(["label"]), "tools.forecast.volatile_keys"),
        ("/tools/0/destructive_if", json!(["place.overwrite"]), "tools.forecast.destructive_if"),
        ("/tools/0/destructive_if", json!(["place.city"]), "tools.forecast.destructive_if"),
        ("/tools/0/parameters", json!({"type": "array"}), "tools.forecast.parameters"),
        ("/tools/0/name", json!("Fore Cast"), "tools.Fore Cast.name"),
        ("/tools/0/timeout_ms", json!(0), "tools.forecast.timeout_ms"),
    ];
    for (place, value, at) in cases {
        let mut json = manifest();
        let (parent, field) = place.rsplit_once('/').expect("a field");
        json.pointer_mut(parent).expect("a place")[field] = value;
        let errors = read(json).check();
        assert!(errors.iter().any(|error| error.at == at), "{place}: {errors:?}");
    }
}

#[test]
fn a_detail_key_may_be_for_an_action_that_the_tool_has() {
    let variants = json!({"oneOf": [{"const": "read"}, {"const": "send", "description": "Sends."}]});
    let optional = json!({"anyOf": [{"$ref": "#/$defs/Act"}, {"type": "null"}]});
    let act = json!({"enum": ["read", "send"]});
    let choices = [
        None,
        Some(act.clone()),
        Some(json!({"$ref": "#/$defs/Act"})),
        Some(variants),
        Some(optional),
        Some(json!({})),
    ];
    for (n, action) in choices.into_iter().enumerate() {
        let mut json = manifest();
        let tool = &mut json["tools"][0];
        tool["parameters"]["$defs"]["Act"] = act.clone();
        match action {
            Some(action) => tool["parameters"]["properties"]["action"] = action,
            None => tool["actions"] = json!(["read", "send"]),
        }
        let known = n != 5;
        let cases = [
            ("send:place.city", (!known).then_some(DetailFault::NoAction)),
            ("place.city", None),
            ("Send:place.city", Some(DetailFault::NoAction)),
            (":place.city", Some(DetailFault::NoAction)),
            ("send:place.country", Some(DetailFault::NoParameter)),
            ("send:", Some(DetailFault::NoParameter)),
            ("place.city:send", Some(DetailFault::NoParameter)),
        ];
        for (key, fault) in cases {
            tool["detail_keys"] = json!([key]);
            let tool = read(json!({"schema": 1, "id": "sky", "version": "1.0.0", "abi": 1, "tools": [tool]}));
            assert_eq!(tool.tools[0].detail_fault(key), fault, "{n} {key}");
            let errors = tool.check();
            assert_eq!(errors.len(), usize::from(fault.is_some()), "{n} {key}: {errors:?}");
            assert!(errors.iter().all(|error| error.at == "tools.forecast.detail_keys"), "{errors:?}");
        }
    }
}

/// The manifest's tool with this side effect, destructive when `keys` are true.
fn destructive_if(side_effect: SideEffect, keys: &[&str]) -> ToolManifest {
    let mut manifest = read(manifest());
    manifest.tools[0].destructive_if = keys.iter().map(ToString::to_string).collect();
    assert_eq!(manifest.check(), []);
    ToolManifest { side_effect, ..manifest.tools.remove(0) }
}

#[test]
fn arguments_raise_reads_and_writes_and_lower_nothing() {
    use SideEffect::{Destructive, External, Read, Write};
    let (yes, no) = (json!({"place": {"replace": true}}), json!({"place": {"replace": false}}));
    let cases = [
        (Read, &yes, Destructive),
        (Write, &yes, Destructive),
        (Destructive, &yes, Destructive),
        (External, &yes, External),
        (Read, &no, Read),
        (Write, &no, Write),
        (Destructive, &no, Destructive),
        (External, &no, External),
    ];
    for (stated, arguments, expected) in cases {
        let tool = destructive_if(stated, &["place.replace"]);
        assert_eq!(tool.side_effect_of(arguments), expected, "{stated:?} {arguments}");
        assert_eq!(destructive_if(stated, &[]).side_effect_of(arguments), stated, "{stated:?} {arguments}");
    }
}

#[test]
fn only_true_is_true_and_what_is_absent_counts_as_its_default() {
    let tool = destructive_if(SideEffect::Write, &["place.purge", "place.replace"]);
    let cases = [
        (json!({"place": {"purge": false}}), vec![]),
        (json!({"place": {"purge": false, "replace": "true"}}), vec![]),
        (json!({"place": {"purge": false, "replace": 1}, "replace": true}), vec![]),
        (json!({"place": {"purge": false, "replace": true}}), vec!["place.replace"]),
        (json!({"place": {"replace": true}}), vec!["place.purge", "place.replace"]),
        (json!({"place": {"purge": null}}), vec!["place.purge"]),
        (json!({}), vec!["place.purge"]),
        (json!(null), vec!["place.purge"]),
    ];
    for (arguments, expected) in cases {
        assert_eq!(tool.destructive_in(&arguments), expected, "{arguments}");
    }
}

#[test]
fn permissions_say_whose_words_a_result_may_be() {
    let cases = [
        (json!({}), "read", None, false),
        (json!({"http": ["api.example.org"]}), "read", None, true),
        (json!({"http": ["api.example.org"]}), "write", None, true),
        (json!({"http": ["api.example.org"]}), "read", Some(false), false),
        (json!({"processes": ["git"]}), "write", None, true),
        (json!({"files": "read"}), "read", None, true),
        (json!({"files": "write"}), "write", None, false),
        (json!({"secrets": ["key"]}), "read", None, false),
        (json!({}), "read", Some(true), true),
    ];
    for (permissions, side_effect, stated, expected) in cases {
        let mut json = manifest();
        json["permissions"] = permissions.clone();
        json["publisher"] = json!("Somebody");
        json["tools"][0]["side_effect"] = json!(side_effect);
        json["tools"][0]["untrusted_output"] = json!(stated);
        json["tools"][0]["publisher"] = json!("Somebody else");
        let tool = read(json).offered().next().expect("a tool");
        assert_eq!(tool.untrusted_output, Some(expected), "{permissions} {side_effect} {stated:?}");
        assert_eq!(tool.publisher, "Somebody");
    }
}

#[test]
fn what_is_written_reads_back_the_same() {
    let mut manifest = manifest();
    manifest["tools"][0]["destructive_if"] = json!(["place.replace"]);
    let manifest = read(manifest);
    let text = serde_json::to_string(&manifest).expect("json");
    assert_eq!(serde_json::from_str::<PluginManifest>(&text).expect("a manifest"), manifest);
}
