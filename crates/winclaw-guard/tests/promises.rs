//! What holds of the guard whatever a model writes and whatever comes of it.

use proptest::prelude::*;
use serde_json::{Value, json};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_guard::{
    Approve, Guard, Limits, Origin, Proposed, RepairKind, Rule, Stage, Verdict, check_arguments, parse_arguments,
    repair_arguments,
};
use winclaw_tool::{Failure, Outcome, ToolId, ToolOutput};

fn entry(id: &str, side_effect: &str) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let manifest = json!({
        "name": id.name(), "category": id.source(), "summary": "S", "description": "D.", "side_effect": side_effect,
        "parameters": {"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
            "a": {"type": "string"}, "n": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}},
            "deep": {"type": "object", "properties": {"b": {"type": "boolean"}}}}}
    });
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
}

/// A tool that reads, `a.look`, one that writes, `b.make`, and two more that read.
fn catalog() -> Catalog {
    let entries = [("a.look", "read"), ("b.make", "write"), ("c.find", "read"), ("d.see", "read")];
    let (catalog, problems) = Catalog::build(entries.map(|(id, side_effect)| entry(id, side_effect)).into());
    assert_eq!(problems, []);
    catalog
}

fn proposed(tool: u32, raw_arguments: &str) -> Proposed<'_> {
    let origin = Origin::default();
    Proposed {
        tool: ToolIx(tool),
        raw_arguments,
        cut_off: false,
        position: 0,
        schema_was_shown: true,
        near: true,
        origin,
    }
}

fn guard() -> Guard {
    Guard::new(Limits::default(), Approve::Always.into())
}

/// One reply with one call; whether it ran.
fn turn(guard: &mut Guard, catalog: &Catalog, tool: u32, arguments: &Value, outcome: &Outcome) -> bool {
    guard.plan("");
    match guard.judge(catalog, &proposed(tool, &arguments.to_string())) {
        Verdict::Run { arguments, .. }
        | Verdict::RunWithAdvice { arguments, .. }
        | Verdict::AskUser { arguments, .. } => {
            guard.record(catalog, ToolIx(tool), &arguments, outcome);
            true
        }
        Verdict::NotRun { .. } => false,
    }
}

fn rank(stage: &Stage) -> u8 {
    match stage {
        Stage::Free => 0,
        Stage::Hinted => 1,
        Stage::Blocked { .. } => 2,
        Stage::MustAnswer => 3,
        Stage::Stopped => 4,
    }
}

fn arguments() -> impl Strategy<Value = Value> {
    let a = prop::sample::select(vec!["x", "y", "3", "{\"b\":true}"]);
    let n = prop_oneof![Just(json!(3)), Just(json!("3")), Just(json!(3.0)), Just(json!("three")), Just(Value::Null)];
    let list = prop_oneof![
        Just(json!(["x"])),
        Just(json!("x")),
        Just(json!("[\"x\"]")),
        Just(json!("[\"x\"")),
        Just(json!(1))
    ];
    let deep = prop_oneof![
        Just(json!({"b": true})),
        Just(json!("{\"b\":\"true\"}")),
        Just(json!({"B": "False"})),
        Just(Value::Null)
    ];
    let key = prop::sample::select(vec!["a", "A", "a_"]);
    (key, a, prop::option::of(n), prop::option::of(list), prop::option::of(deep), 0..4_u8).prop_map(
        |(key, a, n, list, deep, wrap)| {
            let mut map = serde_json::Map::new();
            map.insert(key.to_owned(), json!(a));
            map.extend(n.map(|n| ("n".to_owned(), n)));
            map.extend(list.map(|list| ("list".to_owned(), list)));
            map.extend(deep.map(|deep| ("deep".to_owned(), deep)));
            match wrap {
                0 => json!({"arguments": map}),
                1 => json!({"input": Value::Object(map).to_string()}),
                _ => Value::Object(map),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_runs_fits_the_schema_and_what_fits_is_not_changed(arguments in arguments(), encoded: bool) {
        let catalog = catalog();
        let tool = catalog.get(ToolIx(0));
        let raw = if encoded { Value::from(arguments.to_string()).to_string() } else { arguments.to_string() };
        match guard().judge(&catalog, &proposed(0, &raw)) {
            Verdict::Run { arguments: ran, repairs } => {
                prop_assert_eq!(repair_arguments(tool, arguments.clone()).map(|(value, _)| value), Ok(ran.clone()));
                prop_assert_eq!(check_arguments(tool, &ran), Ok(()));
                let inside: Vec<_> = repairs.iter().filter(|repair| repair.what != RepairKind::Encoded || !repair.at.is_empty()).collect();
                if check_arguments(tool, &arguments).is_ok() {
                    prop_assert!(inside.iter().all(|repair| repair.at == "/n"), "{:?}", repairs);
                } else {
                    prop_assert!(!inside.is_empty(), "{} ran as {}", arguments, ran);
                }
            }
            Verdict::NotRun { rule, .. } => {
                prop_assert_eq!(rule, Rule::Schema);
                prop_assert!(check_arguments(tool, &arguments).is_err());
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn what_was_cut_off_never_runs_wherever_it_was_cut(arguments in arguments(), style in 0..3_u8, at in 0.0..1.0_f64) {
        let raw = match style {
            0 => arguments.to_string(),
            1 => Value::from(arguments.to_string()).to_string(),
            _ => arguments.to_string().replace('"', "'"),
        };
        let end = raw.char_indices().map(|(end, _)| end).filter(|end| *end > 0).nth((at * (raw.chars().count() - 1) as f64) as usize);
        let cut = &raw[..end.unwrap_or(raw.len() - 1)];
        let verdict = guard().judge(&catalog(), &proposed(0, cut));
        let is_refused = matches!(verdict, Verdict::NotRun { .. });
        prop_assert!(is_refused, "{} ran: {:?}", cut, verdict);
        let flagged = Proposed { cut_off: true, ..proposed(0, &raw) };
        let is_cut = matches!(guard().judge(&catalog(), &flagged), Verdict::NotRun { rule: Rule::CutOff, .. });
        prop_assert!(is_cut);
    }

    #[test]
    fn whatever_is_repeated_without_end_ends_within_a_bound_and_the_ladder_only_climbs(
        round in prop::collection::vec((0..4_u32, 0..3_u8, prop::bool::weighted(0.3)), 1..8),
    ) {
        let (mut guard, catalog) = (guard(), catalog());
        let (mut highest, mut played) = (0, 0);
        // One call always gives one result here, so that after the first round nothing is new.
        for (n, (tool, what, fails)) in round.iter().cycle().take(round.len() * 10).enumerate() {
            let fails = *fails && round.iter().all(|(other, same, failed)| (other, same) != (tool, what) || *failed);
            let outcome = match fails {
                true => Err(Failure::tool_failed(format!("no {what}"))),
                false => Ok(ToolOutput::new(json!(format!("result {what}")))),
            };
            turn(&mut guard, &catalog, *tool, &json!({"a": what.to_string()}), &outcome);
            let now = rank(&guard.stage());
            if n >= round.len() {
                prop_assert!(now >= highest, "down from {} to {}", highest, now);
                highest = now;
            }
            played = n + 1;
            if guard.stopped().is_some() {
                break;
            }
        }
        prop_assert!(guard.stopped().is_some(), "{} calls and no end: {:?}", played, round);
        prop_assert!(played <= round.len() * 8, "{} calls", played);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn polling_is_never_refused_while_its_results_change(results in prop::collection::vec(0..4_u8, 1..80), beside: bool) {
        let (mut guard, catalog, mut last) = (guard(), catalog(), None);
        for (n, result) in results.into_iter().filter(|result| last.replace(*result) != Some(*result)).enumerate() {
            let ran = turn(&mut guard, &catalog, 0, &json!({"a": "job"}), &Ok(ToolOutput::new(json!(result))));
            prop_assert!(ran);
            if beside {
                let other = json!({"a": n.to_string()});
                let ran = turn(&mut guard, &catalog, 2, &other, &Ok(ToolOutput::new(json!(n))));
                prop_assert!(ran);
            }
        }
    }
}

#[test]
fn ten_megabytes_and_ten_thousand_levels_are_read_or_refused_in_bounded_steps() {
    let catalog = catalog();
    let long = json!({"a": "x".repeat(10_000_000)}).to_string();
    assert!(matches!(guard().judge(&catalog, &proposed(0, &long)), Verdict::Run { .. }));
    let wrapped = json!({"arguments": {"a": "y".repeat(1_000_000), "n": "3"}}).to_string();
    let Verdict::Run { arguments, repairs } = guard().judge(&catalog, &proposed(0, &wrapped)) else {
        panic!("it runs")
    };
    assert!(arguments["n"] == 3 && repairs.len() == 2 && repairs.iter().all(|repair| repair.said.len() < 400));
    for raw in [
        "[".repeat(1_000_000),
        format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000)),
        format!("{}1{}", "{'a':".repeat(10_000), "}".repeat(10_000)),
        Value::from(format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))).to_string(),
        json!({"a": "x", "list": format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))}).to_string(),
        json!({"a": "x", "list": "[".repeat(500_000)}).to_string(),
        format!("{{{}}}", "'b':1,".repeat(100_000)),
        "\\\"".repeat(500_000),
    ] {
        assert!(matches!(guard().judge(&catalog, &proposed(0, &raw)), Verdict::NotRun { .. }), "{}", &raw[..60]);
        assert!(parse_arguments(&raw, false).is_err() || raw.starts_with(['"', '{']), "{}", &raw[..60]);
    }
}

#[test]
fn the_five_hundredth_call_of_a_reply_has_its_verdict_too() {
    let (mut guard, catalog) = (guard(), catalog());
    guard.plan("");
    for position in 0..500 {
        let raw = json!({"a": position.to_string()}).to_string();
        let verdict = guard.judge(&catalog, &Proposed { position, ..proposed(0, &raw) });
        assert_eq!(matches!(verdict, Verdict::Run { .. }), position < 8, "{position}: {verdict:?}");
    }
    assert_eq!((guard.stage(), guard.stopped()), (Stage::Free, None));
}

#[test]
fn d33_two_hundred_and_twenty_calls_with_only_another_label() {
    let (mut guard, mut catalog) = (guard(), catalog());
    let mut shell = entry("e.shell", "external");
    shell.manifest.parameters = json!({"type": "object", "required": ["cmd"], "properties": {"cmd": {"type": "string"}, "title": {"type": "string"}}});
    catalog =
        Catalog::build(catalog.tools().iter().map(|tool| entry(tool.id.as_str(), "read")).chain([shell]).collect()).0;
    let (mut ran, mut stages) = (0, Vec::new());
    for n in 0..220 {
        let arguments = json!({"cmd": "echo noop", "title": format!("noop{n}")});
        ran += usize::from(turn(&mut guard, &catalog, 4, &arguments, &Ok(ToolOutput::new(json!("noop")))));
        stages.push(rank(&guard.stage()));
    }
    assert_eq!(
        (ran, &stages[..6]),
        (3, &[0, 0, 1, 2, 3, 4][..]),
        "a hint with the third, and nothing runs from the fourth on"
    );
}
