use proptest::prelude::*;
use serde_json::json;
use winclaw_catalog::ToolEntry;
use winclaw_tool::{FailureCode, Text, ToolId, ToolOutput};

use super::*;
use crate::Approve;
use crate::{Origin, RepairKind};
use winclaw_tool::SideEffect;

fn entry(id: &str, side_effect: &str, state: State) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let manifest = json!({
        "name": id.name(), "title": {"en": "Send mail", "zh": "发送邮件"}, "category": "mail", "summary": "Mail",
        "description": "Mail.", "side_effect": side_effect, "detail_keys": ["to"], "volatile_keys": ["title"],
        "parameters": {"type": "object", "additionalProperties": false, "required": ["to"],
                       "properties": {"to": {"type": "string"}, "title": {"type": "string"}, "n": {"type": "integer"}}}
    });
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state }
}

/// Tools `a.read`, `b.write`, `c.destructive`, `d.external`, `e.off`, `f.faulty`, in this order.
fn catalog() -> Catalog {
    let why = Text::new("switched off", "已停用");
    let mut faulty = entry("f.faulty", "read", State::Ready);
    faulty.manifest.parameters = json!({"type": "object", "properties": {"x": {"$ref": "https://example.org/x"}}});
    faulty.manifest.detail_keys.clear();
    faulty.manifest.volatile_keys.clear();
    let entries = vec![
        entry("a.read", "read", State::Ready),
        entry("b.write", "write", State::Ready),
        entry("c.destructive", "destructive", State::Ready),
        entry("d.external", "external", State::Ready),
        entry("e.off", "external", State::Disabled { why }),
        faulty,
    ];
    let (catalog, _) = Catalog::build(entries);
    assert_eq!(catalog.tools().len(), 6);
    catalog
}

const TO: &str = r#"{"to":"bob"}"#;

fn call(tool: u32, raw_arguments: &str) -> Proposed<'_> {
    Proposed {
        tool: ToolIx(tool),
        raw_arguments,
        cut_off: false,
        position: 0,
        schema_was_shown: true,
        near: true,
        origin: Origin::default(),
    }
}

fn guard(approve: Approve) -> Guard {
    Guard::new(Limits::default(), approve.into())
}

fn judge(call: &Proposed<'_>) -> Verdict {
    guard(Approve::Always).judge(&catalog(), call)
}

fn refused(verdict: Verdict) -> (Rule, Failure) {
    match verdict {
        Verdict::NotRun { failure, rule } => (rule, failure),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_that_stand_for_nothing_run_where_nothing_is_required() {
    for raw in ["", "null", "   ", "{}", r#""{}""#] {
        let arguments = json!({});
        assert!(
            matches!(judge(&call(5, raw)), Verdict::RunWithAdvice { arguments: a, .. } if a == arguments),
            "{raw:?}"
        );
        let (rule, failure) = refused(judge(&call(0, raw)));
        assert_eq!(rule, Rule::Schema);
        assert!(failure.message.contains("`to` is missing"), "{raw:?}: {failure}");
    }
}

#[test]
fn an_object_that_was_encoded_twice_runs() {
    let Verdict::Run { arguments, repairs } = judge(&call(0, r#""{\"to\":\"bob\"}""#)) else { panic!("it runs") };
    let [repair] = &repairs[..] else { panic!("{repairs:?}") };
    assert_eq!((arguments, repair.what), (json!({"to": "bob"}), RepairKind::Encoded));
}

#[test]
fn what_was_cut_off_never_runs_and_says_what_to_do() {
    let flagged = Proposed { cut_off: true, ..call(0, TO) };
    for call in [call(0, r#"{"to":"bob"#), flagged, call(0, r#""{\"to\":\"bob\"""#), call(5, "{")] {
        let (rule, failure) = refused(judge(&call));
        assert_eq!((rule, failure.code), (Rule::CutOff, FailureCode::InvalidArgs));
        assert!(failure.message.contains("cut off") && failure.message.contains("again, shorter"), "{failure}");
    }
}

#[test]
fn what_is_no_json_or_no_object_is_told_so() {
    let (rule, failure) = refused(judge(&call(0, "to=bob")));
    assert!(rule == Rule::NotJson && failure.message.contains("line 1, column"), "{failure}");
    for raw in ["[]", "3", "true", r#""bob""#] {
        for tool in [0, 5] {
            let (rule, failure) = refused(judge(&call(tool, raw)));
            assert!(rule == Rule::Schema && failure.message.contains("object"), "{failure}");
        }
    }
}

#[test]
fn a_tool_with_a_faulty_schema_runs_with_advice() {
    let verdict = judge(&call(5, r#"{"x":1}"#));
    assert!(matches!(verdict, Verdict::RunWithAdvice { advice, .. } if advice.contains("f.faulty")));
}

#[test]
fn the_ninth_call_of_a_reply_is_not_run_and_may_come_again() {
    let mut guard = guard(Approve::Always);
    let catalog = catalog();
    for position in 0..12 {
        let raw = json!({"to": "bob", "n": position}).to_string();
        let verdict = guard.judge(&catalog, &Proposed { position, ..call(0, &raw) });
        assert_eq!(matches!(verdict, Verdict::NotRun { rule: Rule::BatchLimit, .. }), position >= 8, "{position}");
        if position >= 8 {
            assert!(refused(verdict).1.message.contains("only 8 calls run from one reply; send it again"));
        }
    }
    assert!(matches!(guard.judge(&catalog, &call(0, r#"{"to":"bob","n":9}"#)), Verdict::Run { .. }));
}

#[test]
fn who_is_asked_depends_on_the_side_effect_alone() {
    let catalog = catalog();
    let cases = [
        (Approve::Never, [false, true, true, true]),
        (Approve::Writes, [false, false, true, true]),
        (Approve::Always, [false, false, false, false]),
    ];
    for (approve, expected) in cases {
        for schema_was_shown in [false, true] {
            for (tool, asks) in expected.into_iter().enumerate() {
                let call = Proposed { schema_was_shown, ..call(tool as u32, TO) };
                let verdict = guard(approve).judge(&catalog, &call);
                assert_eq!(matches!(verdict, Verdict::AskUser { .. }), asks, "{approve:?} {tool}");
            }
        }
    }
}

#[test]
fn the_question_says_what_would_be_done_in_both_languages() {
    let call = Proposed { schema_was_shown: false, ..call(3, r#"{"to":"bob\u001b[2J\u202e"}"#) };
    let Verdict::AskUser { consent, arguments, .. } = guard(Approve::Writes).judge(&catalog(), &call) else {
        panic!("a question")
    };
    assert_eq!((consent.tool, consent.side_effect), (ToolIx(3), SideEffect::External));
    assert_eq!(arguments, json!({"to": "bob\u{1b}[2J\u{202e}"}));
    let en = "“Send mail” (d.external) acts on the world outside, such as sending, posting or paying: to: bob";
    assert!(
        consent.why.en.starts_with(en) && consent.why.en.ends_with("without having seen its description."),
        "{consent:?}"
    );
    assert!(
        consent.why.zh.contains("“发送邮件”（d.external）会影响外部世界") && consent.why.zh.contains("没有看过"),
        "{consent:?}"
    );
    for text in [&consent.why.en, &consent.why.zh, &consent.detail] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn nobody_is_asked_about_a_tool_that_cannot_run() {
    let verdict = guard(Approve::Never).judge(&catalog(), &call(4, TO));
    assert_eq!(verdict, Verdict::Run { arguments: json!({"to": "bob"}), repairs: Vec::new() });
}

#[test]
fn wrong_arguments_are_refused_before_anybody_is_asked() {
    let (rule, _) = refused(guard(Approve::Never).judge(&catalog(), &call(3, r#"{"to":true}"#)));
    assert_eq!(rule, Rule::Schema);
}

/// One call a reply, run with `outcome` when it may; the rule that stopped it, if one did.
fn turn(guard: &mut Guard, catalog: &Catalog, raw: &str, outcome: &Outcome) -> Option<Rule> {
    match guard.judge(catalog, &call(0, raw)) {
        Verdict::NotRun { rule, .. } => Some(rule),
        Verdict::Run { arguments, .. }
        | Verdict::RunWithAdvice { arguments, .. }
        | Verdict::AskUser { arguments, .. } => {
            guard.record(catalog, ToolIx(0), &arguments, outcome);
            None
        }
    }
}

fn ok(result: Value) -> Outcome {
    Ok(ToolOutput::new(result))
}

#[test]
fn a_repeated_call_climbs_the_ladder_a_rung_each_time() {
    let (mut guard, catalog) = (guard(Approve::Always), catalog());
    for n in 0..2 {
        let raw = json!({"to": "bob", "title": n.to_string()}).to_string();
        assert_eq!((turn(&mut guard, &catalog, &raw, &ok(json!(1))), guard.stage()), (None, Stage::Free));
    }
    let third = guard.judge(&catalog, &call(0, r#"{"title":"z","to":"bob"}"#));
    assert!(
        matches!(&third, Verdict::RunWithAdvice { advice, .. } if advice.contains("same result 2 times")),
        "{third:?}"
    );
    guard.record(&catalog, ToolIx(0), &json!({"to": "bob"}), &ok(json!(1)));
    assert_eq!(guard.stage(), Stage::Hinted);
    let (rule, failure) = refused(guard.judge(&catalog, &call(0, TO)));
    assert_eq!((rule, failure.retryable, guard.stage()), (Rule::Repeat, false, Stage::Blocked { reveal: vec![] }));
    assert!(failure.message.contains("same result 3 times") && failure.message.contains("ask the user"), "{failure}");
    let (rule, failure) = refused(guard.judge(&catalog, &call(0, TO)));
    assert_eq!((rule, guard.stage(), guard.stopped()), (Rule::Repeat, Stage::MustAnswer, None));
    assert!(failure.message.contains("answer with what you have"), "{failure}");
    let (rule, _) = refused(guard.judge(&catalog, &call(1, TO)));
    assert_eq!((rule, guard.stage()), (Rule::MustAnswer, Stage::Stopped));
    let report = guard.stopped().expect("a report").clone();
    assert_eq!((report.tool, report.times, report.detail.as_str()), (Some(ToolIx(0)), 5, "to: bob"));
    let text = report.text(&catalog);
    assert!(text.en.contains("a.read was called 5 times") && text.zh.contains("a.read 被调用了 5 次"), "{text:?}");
    let rungs: Vec<&str> = guard.take_steps().iter().map(|step| step.rung).collect();
    assert_eq!(rungs, ["hint", "block", "must_answer", "stop"]);
}

#[test]
fn the_same_failure_again_and_again_is_a_repetition_too() {
    let (mut guard, catalog) = (guard(Approve::Always), catalog());
    let failure = Err(Failure::unavailable("no network"));
    let rules: Vec<_> = (0..5).map(|_| turn(&mut guard, &catalog, TO, &failure)).collect();
    assert_eq!(rules, [None, None, None, Some(Rule::Repeat), Some(Rule::Repeat)]);
    guard.person_said("try it again now");
    assert_eq!((guard.stage(), turn(&mut guard, &catalog, TO, &failure)), (Stage::Free, None));
}

#[test]
fn malformed_calls_are_stopped_too_and_a_right_one_stays_open() {
    let catalog = catalog();
    for raws in [vec!["{\"to\":"; 12], vec!["{}"; 12]] {
        let mut guard = guard(Approve::Always);
        let rules: Vec<_> = raws.iter().map_while(|raw| turn(&mut guard, &catalog, raw, &ok(json!(1)))).collect();
        assert!(rules[3] == Rule::Repeat && guard.stopped().is_some(), "{rules:?}");
    }
    let mut guard = guard(Approve::Always);
    let varied = |n: usize| json!({"to": "bob", "n": format!("number {n}")}).to_string();
    let rules: Vec<_> = (0..7).map_while(|n| turn(&mut guard, &catalog, &varied(n), &ok(json!(1)))).collect();
    assert_eq!((rules[5], rules[6]), (Rule::Schema, Rule::Repeat));
    assert_eq!(turn(&mut guard, &catalog, TO, &ok(json!(1))), None);
    assert_eq!(guard.stopped(), None);
}

fn bytes() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{", "}", "[", "]", "\"", "\\", ":", ",", "to", "\"to\"", "null", "1", "北", "\u{feff}", "\0", " ", "\n", "e9",
        "-", "\"bob\"",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()),
        any::<Vec<u8>>().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        (0_usize..600).prop_map(|n| "[{\"to\":".repeat(n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_call_gets_a_verdict(raw in bytes(), tool in 0_u32..6, position in 0_usize..12, cut_off: bool, schema_was_shown: bool, near: bool) {
        let call = Proposed { tool: ToolIx(tool), raw_arguments: &raw, cut_off, position, schema_was_shown, near, origin: Origin::default() };
        match guard(Approve::Never).judge(&catalog(), &call) {
            Verdict::NotRun { failure, .. } => prop_assert!(!failure.message.is_empty()),
            Verdict::Run { arguments, .. } | Verdict::RunWithAdvice { arguments, .. } | Verdict::AskUser { arguments, .. } => {
                prop_assert!(!cut_off && position < 8 && (arguments.is_object() || tool == 4));
            }
        }
    }

    #[test]
    fn order_of_keys_and_labels_never_hide_a_repetition(labels in prop::collection::vec("[a-z]{0,8}", 5), flip in prop::collection::vec(any::<bool>(), 5)) {
        let (mut guard, catalog) = (guard(Approve::Always), catalog());
        let raw = |(label, flip): (&String, &bool)| match flip {
            true => format!(r#"{{"title":"{label}","to":"bob"}}"#),
            false => format!(r#"{{ "to": "bob", "title": "{label}" }}"#),
        };
        let rules: Vec<_> = labels.iter().zip(&flip).map(raw).map(|raw| turn(&mut guard, &catalog, &raw, &ok(json!({"a": 1})))).collect();
        prop_assert_eq!(rules, [None, None, None, Some(Rule::Repeat), Some(Rule::Repeat)]);
    }

    #[test]
    fn a_changing_result_never_stops_a_call(results in prop::collection::vec(any::<u8>(), 1..60)) {
        let (mut guard, catalog) = (guard(Approve::Always), catalog());
        let mut last = None;
        for result in results.iter().filter(|result| last.replace(**result) != Some(**result)) {
            prop_assert_eq!(turn(&mut guard, &catalog, TO, &ok(json!(result))), None);
        }
    }
}
