use serde_json::json;

use super::*;
use crate::{Approve, Guard, Limits, Origin, Proposed, Verdict};
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_tool::ToolId;

/// One tool, `notes.save`, destructive when `overwrite` or `how.force` is true.
fn catalog(side_effect: &str, detail_keys: &[&str]) -> Catalog {
    let manifest = json!({
        "name": "save", "category": "notes", "summary": "Saves", "description": "Saves.", "side_effect": side_effect,
        "detail_keys": detail_keys, "destructive_if": ["overwrite", "how.force"],
        "parameters": {"type": "object", "properties": {
            "to": {"type": "string"}, "overwrite": {"type": "boolean"}, "a": {}, "b": {}, "c": {}, "d": {}, "e": {},
            "f": {}, "g": {}, "how": {"type": "object", "properties": {"force": {"type": "boolean"}}}}}
    });
    let manifest = serde_json::from_value(manifest).expect("a manifest");
    let id = ToolId::parse("notes.save").expect("an id");
    let (catalog, problems) = Catalog::build(vec![ToolEntry { id, manifest, state: State::Ready }]);
    assert!(problems.is_empty(), "{problems:?}");
    catalog
}

fn judge(catalog: &Catalog, approve: Approve, arguments: &Value) -> Option<Consent> {
    let raw_arguments = &arguments.to_string();
    let call = Proposed {
        tool: ToolIx(0),
        raw_arguments,
        cut_off: false,
        position: 0,
        schema_was_shown: true,
        near: true,
        origin: Origin::default(),
    };
    match Guard::new(Limits::default(), approve.into()).judge(catalog, &call) {
        Verdict::Run { .. } => None,
        Verdict::AskUser { consent, .. } => Some(*consent),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_arguments_decide_who_is_asked() {
    use Approve::{Always, Never, Writes};
    use SideEffect::{Destructive, External, Read, Write};
    let (plain, kept) = (json!({"to": "a"}), json!({"to": "a", "overwrite": false, "how": {"force": false}}));
    let (over, force) = (json!({"to": "a", "overwrite": true}), json!({"to": "a", "how": {"force": true}}));
    let cases = [
        (Never, Read, &plain, None),
        (Never, Read, &over, Some(Destructive)),
        (Never, Write, &plain, Some(Write)),
        (Never, Write, &over, Some(Destructive)),
        (Writes, Read, &over, Some(Destructive)),
        (Writes, Write, &plain, None),
        (Writes, Write, &kept, None),
        (Writes, Write, &over, Some(Destructive)),
        (Writes, Write, &force, Some(Destructive)),
        (Writes, Destructive, &kept, Some(Destructive)),
        (Writes, External, &plain, Some(External)),
        (Writes, External, &over, Some(External)),
        (Always, Write, &over, None),
        (Always, External, &force, None),
    ];
    for (approve, stated, arguments, expected) in cases {
        let asked = judge(&catalog(stated.as_str(), &["to"]), approve, arguments);
        assert_eq!(asked.map(|consent| consent.side_effect), expected, "{approve:?} {stated:?} {arguments}");
    }
}

#[test]
fn the_question_shows_what_makes_the_call_destructive() {
    let cases: [(&[&str], Value, &str); 6] = [
        (&["to"], json!({"to": "a", "overwrite": true}), "to: a, overwrite: true"),
        (&["overwrite", "to"], json!({"to": "a", "overwrite": true}), "to: a, overwrite: true"),
        (&["to", "overwrite"], json!({"to": "a", "overwrite": false}), "to: a, overwrite: false"),
        (&["to"], json!({"to": "a", "how": {"force": true}}), "to: a, how.force: true"),
        (&[], json!({"overwrite": true}), r#"{"overwrite":true}, overwrite: true"#),
        (
            &["to"],
            json!({"to": "a", "overwrite": true, "how": {"force": true}}),
            "to: a, overwrite: true, how.force: true",
        ),
    ];
    for (keys, arguments, expected) in cases {
        let consent = judge(&catalog("write", keys), Approve::Never, &arguments).expect("a question");
        assert_eq!(consent.detail, expected, "{keys:?}");
        for text in [&consent.why.en, &consent.why.zh] {
            assert!(text.contains(expected), "{text}");
        }
    }
}

#[test]
fn long_arguments_cannot_push_it_out_of_sight() {
    let keys = ["to", "a", "b", "c", "d", "e", "f", "g", "overwrite"];
    let mut arguments = json!({"overwrite": true});
    for key in &keys[..8] {
        arguments[key] = json!("字".repeat(500));
    }
    for keys in [&keys[..], &[]] {
        let consent = judge(&catalog("write", keys), Approve::Writes, &arguments).expect("a question");
        assert!(consent.detail.ends_with(", overwrite: true"), "{}", consent.detail);
        assert!(consent.detail.chars().count() < 500, "{}", consent.detail);
    }
}

#[test]
fn the_question_says_in_words_that_something_may_be_lost() {
    let lost = ("cannot be brought back", "无法恢复");
    let cases = [
        ("write", json!({"overwrite": false}), false),
        ("write", json!({"overwrite": true}), true),
        ("external", json!({"overwrite": false}), false),
        ("external", json!({"overwrite": true}), true),
        ("destructive", json!({}), true),
    ];
    for (stated, arguments, says) in cases {
        let why = judge(&catalog(stated, &[]), Approve::Never, &arguments).expect("a question").why;
        assert_eq!((why.en.contains(lost.0), why.zh.contains(lost.1)), (says, says), "{stated} {arguments}: {why:?}");
    }
}
