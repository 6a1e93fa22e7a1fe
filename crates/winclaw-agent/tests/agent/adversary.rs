//! Models that do anything at all.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_exposure::{Native, Transport};
use winclaw_model::validate;
use winclaw_trace::Record;

use crate::stage::{Play, Played};
use crate::toys::{Toys, entry};

fn names() -> impl Strategy<Value = String> {
    let known = select(vec![
        "sky__forecast",
        "sky.forecast",
        "notes__add",
        "post__send",
        "secret__open",
        "dump__lines",
        "dump.lines",
        "dump_lines",
        "count__next",
        "filler__tool_05",
        "filler.tool_31",
        "FILLER_TOOL_12",
        "tool_search",
        "tool_details",
        "tool_call",
        "ask_user",
        "sky__forcast",
        "tool",
        "",
        " ",
        "add",
        "北京",
        "\u{202e}",
        "a b",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => any::<String>()]
}

fn arguments() -> impl Strategy<Value = Value> {
    let known = select(vec![
        json!({}),
        json!({"place": "Paris"}),
        json!({"place": "Atlantis"}),
        json!({"text": "x"}),
        json!({"value": "v"}),
        json!({"size": 9_000}),
        json!({"size": 9_000, "from": "elsewhere"}),
        json!({"queries": ["weather of a city", "note"]}),
        json!({"queries": [], "limit": -1}),
        json!({"names": ["sky.forecast", "nosuch"]}),
        json!({"name": "notes.add", "arguments": {"text": "y"}}),
        json!({"name": "filler.tool_22", "arguments": {}}),
        json!({"name": "tool_call", "arguments": {"name": "secret.open", "arguments": {}}}),
        json!({"question": "which?"}),
        json!("{\"place\": \"Par"),
        json!("no json"),
        json!(""),
    ]);
    prop_oneof![12 => known, 1 => any::<String>().prop_map(Value::String)]
}

fn reply() -> impl Strategy<Value = Value> {
    let call = || (names(), arguments()).prop_map(|(name, with)| json!({"name": name, "arguments": with}));
    let calls = prop_oneof![4 => prop::collection::vec(call(), 1..4), 1 => prop::collection::vec(call(), 8..14)];
    let texts = select(vec!["", "", "I will look.", "There is no tool for this.", "天气"]);
    prop_oneof![
        12 => (texts.clone(), calls, prop::bool::weighted(0.1))
            .prop_map(|(text, calls, cut_off)| json!({"text": text, "calls": calls, "cut_off": cut_off})),
        1 => texts.prop_map(|text| json!({"text": text})),
    ]
}

fn settings() -> impl Strategy<Value = fn(Play) -> Play> {
    let all: Vec<fn(Play) -> Play> = vec![
        |play: Play| play,
        |play: Play| play.transport(Transport::Direct),
        |play: Play| play.transport(Transport::Bridge),
        |play: Play| play.transport(Transport::Bridge).window(9_000),
        |play: Play| play.transport(Transport::Bridge).usage(1.5),
        |play: Play| play.native(Native::References),
        |play: Play| play.native(Native::SearchResult),
        |play: Play| play.transport(Transport::Bridge).then("and once more").resume(|_| {}),
        |play: Play| play.refuses(&["sky__forecast", "filler__tool_05"]).then("and once more"),
    ];
    select(all)
}

fn relist(number: usize, toys: &Toys) {
    match number {
        3 => toys.relist(|entries| entries.insert(0, entry("atlas.find", "read", json!({"type": "object"})))),
        5 => toys.relist(|entries| entries.retain(|entry| entry.id.as_str() != "notes.add")),
        8 => toys.relist(|entries| *entries = crate::toys::all()),
        _ => {}
    }
}

fn played(replies: Vec<Value>, settings: fn(Play) -> Play, changes: bool) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let play = Play::new("weather in Paris, then write a note").max_turns(18);
    let play = settings(play).brain(move |number, _| replies[number % replies.len()].clone());
    let play = if changes { play.between(relist) } else { play };
    runtime.block_on(play.run())
}

/// I5: the prefix and everything that was said stay, byte for byte, while the epoch does.
fn only_appended(play: &Played) -> Result<(), TestCaseError> {
    let epochs = play.epochs();
    for (at, pair) in play.requests.windows(2).enumerate() {
        if epochs[at] == epochs[at + 1] {
            let [before, after] = pair else { continue };
            prop_assert_eq!((&before.system, &before.tools), (&after.system, &after.tools));
            prop_assert_eq!(&before.deferred, &after.deferred);
            prop_assert_eq!(&before.messages[..], &after.messages[..before.messages.len()]);
        }
    }
    Ok(())
}

/// I13: every call the model made has one result in the conversation, one decision in the record.
fn one_result_each(play: &Played) -> Result<(), TestCaseError> {
    for request in &play.requests {
        validate(&request.messages).expect("a valid request");
    }
    let mut decided: BTreeMap<&str, usize> = BTreeMap::new();
    let mut made = Vec::new();
    for record in &play.records {
        match record {
            Record::Verdict { call_id, .. } | Record::Aside { call_id, .. } => {
                *decided.entry(call_id).or_default() += 1
            }
            Record::Reply { calls, .. } => made.extend(calls.iter().map(|call| call.id.as_str())),
            _ => {}
        }
    }
    prop_assert_eq!(decided.len(), made.len());
    for id in made {
        prop_assert_eq!(decided.get(id), Some(&1), "{}", id);
    }
    prop_assert_eq!(play.answered(), play.asked());
    Ok(())
}

/// I20: the trace gives the same bytes again.
fn replays(play: &Played) -> Result<(), TestCaseError> {
    let again = play.replayed();
    prop_assert_eq!(again.len(), play.requests.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn i5_i13_i20_whatever_a_model_does_history_is_appended_calls_are_answered_and_the_trace_replays(
        replies in prop::collection::vec(reply(), 4..18), settings in settings(), changes: bool,
    ) {
        let play = played(replies, settings, changes);
        only_appended(&play)?;
        one_result_each(&play)?;
        replays(&play)?;
        prop_assert!(play.ran.iter().all(|(tool, _)| tool != "secret.open"), "what is off never ran");
    }
}

/// Calls whose result never changes.
fn fruitless() -> impl Strategy<Value = Value> {
    let name = select(vec![
        "sky__forecast",
        "notes__add",
        "filler__tool_05",
        "nosuch",
        "tool_search",
        "tool_details",
        "ask_user",
        "tool_call",
        "secret__open",
        "sky__forcast",
    ]);
    let arguments = arguments().prop_filter("few", |arguments| arguments.is_object());
    (name, arguments).prop_map(|(name, arguments)| json!({"calls": [{"name": name, "arguments": arguments}]}))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn i14_a_model_that_gets_nowhere_is_stopped(
        replies in prop::collection::vec(fruitless(), 1..6), seed in prop::collection::vec(any::<prop::sample::Index>(), 60),
    ) {
        // Each of the calls runs three times at most, and what is no call of a tool counts to five.
        let most = 5 * replies.len() + 5;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let play = Play::new("weather in Paris").max_turns(60).transport(Transport::Bridge);
        let play = play.brain(move |number, _| replies[seed[number % seed.len()].index(replies.len())].clone());
        let play = runtime.block_on(play.run());
        prop_assert!(matches!(play.report.state, EndState::Stopped { .. }), "{:?}", play.report.state);
        prop_assert!(play.report.turns as usize <= most, "{} of {}", play.report.turns, most);
    }

    #[test]
    fn i14_changing_results_are_never_blocked(others in prop::collection::vec(reply(), 0..4), turns in 4_usize..30) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let next = json!({"calls": [{"name": "count__next", "arguments": {}}]});
        let play = Play::new("weather in Paris").max_turns(turns as u32).transport(Transport::Bridge);
        let play = play.brain(move |number, _| others.get(number).cloned().unwrap_or_else(|| next.clone()));
        let play = runtime.block_on(play.run());
        let blocked = |(tool, verdict, _): &&(String, String, Option<String>)| tool == "count.next" && verdict == "not_run";
        let verdicts = play.verdicts();
        let blocked: Vec<_> = verdicts.iter().filter(blocked).filter(|(_, _, rule)| rule.as_deref() == Some("repeat")).collect();
        prop_assert!(blocked.is_empty(), "{:?}", blocked);
    }
}
