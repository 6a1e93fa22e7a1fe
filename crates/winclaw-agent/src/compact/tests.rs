use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A conversation of `sizes.len()` turns, each with as many calls as its list has results.
fn conversation(sizes: &[Vec<usize>]) -> History {
    let mut messages = vec![Message::user("do it")];
    let mut id = 0;
    for turn in sizes {
        let calls: Vec<WireCall> = turn.iter().enumerate().map(|(n, size)| call(id + n, *size)).collect();
        let text = if calls.is_empty() { "thinking".into() } else { String::new() };
        messages.push(Message::Assistant { text, reasoning: Some("hm".into()), calls, sealed: Vec::new() });
        for size in turn {
            let content = "r".repeat(*size);
            messages.push(Message::Tool { call_id: format!("c{id}"), content, reveals: Vec::new() });
            id += 1;
        }
        if turn.is_empty() {
            messages.push(Message::user("go on"));
        }
    }
    History::of(messages)
}

fn call(id: usize, size: usize) -> WireCall {
    let arguments = json!({"text": "a".repeat(size / 2), "n": id}).to_string();
    WireCall { id: format!("c{id}"), name: format!("tool_{id}"), arguments }
}

fn line(call: &WireCall, result: &str) -> String {
    format!("{}: ok: {}", call.name, &result[..result.len().min(20)])
}

fn room(limit: u32) -> Room {
    Room { limit, target: limit / 2 }
}

fn first(messages: &[Message]) -> &str {
    match &messages[0] {
        Message::User { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn old_results_become_lines_and_the_last_turns_stay() {
    let mut history = conversation(&[vec![4_000], vec![4_000, 4_000], vec![400], vec![400]]);
    let last = history.messages()[history.messages().len() - 4..].to_vec();
    let folded = fold(&mut history, room(2_000), &line);
    assert_eq!(folded, Folded { results: 3, turns: 0, cut: 0 });
    let messages = history.messages();
    assert_eq!(messages[messages.len() - 4..], last);
    let Message::Tool { content, .. } = &messages[2] else { panic!("{:?}", messages[2]) };
    assert_eq!(content, "[folded to save room] tool_0: ok: rrrrrrrrrrrrrrrrrrrr");
    let Message::Assistant { calls, reasoning, .. } = &messages[1] else { panic!("{:?}", messages[1]) };
    let arguments: Value = serde_json::from_str(&calls[0].arguments).expect("still JSON");
    assert!(arguments["n"] == 0 && calls[0].arguments.len() < 400, "{arguments}");
    assert_eq!(*reasoning, None);
}

#[test]
fn turns_are_left_out_when_lines_are_not_enough_and_are_still_told() {
    let mut history = conversation(&vec![vec![40]; 200]);
    let folded = fold(&mut history, room(2_000), &line);
    assert!(folded.turns > 100, "{folded:?}");
    let text = first(history.messages());
    assert!(text.starts_with("do it") && text.contains("- tool_1") && text.lines().count() <= MAX_LINES + 3, "{text}");
    fold(&mut history, room(1_000), &line);
    assert_eq!(first(history.messages()).matches("left out to save room").count(), 1);
}

#[test]
fn last_turns_that_are_too_long_by_themselves_are_cut_in_the_middle() {
    let mut history = conversation(&[vec![90_000, 90_000], vec![90_000]]);
    for at in 0..history.messages().len() {
        history.edit(at, |message| {
            if let Message::Assistant { calls, .. } = message {
                calls.iter_mut().for_each(|call| call.arguments.clear());
            }
        });
    }
    let folded = fold(&mut history, room(16_000), &line);
    assert_eq!((folded.results, folded.cut), (0, 3));
    assert!((8_000..=16_000).contains(&history.tokens()), "no more than needed: {}", history.tokens());
}

#[test]
fn what_fits_is_left_alone() {
    let mut history = conversation(&vec![vec![100]; 5]);
    let before = history.messages().to_vec();
    assert_eq!(fold(&mut history, room(100_000), &line), Folded::default());
    assert_eq!(history.messages(), before);
}

/// Texts of sizes up to some megabytes, as a broken model may send them.
fn huge() -> impl Strategy<Value = usize> {
    prop_oneof![0_usize..5_000, 100_000_usize..3_000_000]
}

#[test]
fn arguments_that_are_no_json_or_have_endless_keys_are_shortened_to_an_object() {
    let keys: Map<String, Value> = (0..50_000).map(|n| (format!("k{n}"), n.into())).collect();
    let quotes = "\"".repeat(9_000_000);
    for arguments in
        [Value::Object(keys).to_string(), quotes, json!({"expression": "1+".repeat(4_000_000)}).to_string()]
    {
        let mut call = WireCall { id: "c0".into(), name: "sky".into(), arguments: arguments.clone() };
        assert_eq!(cut_arguments(&mut call, MIN_RESULT), Some(arguments.chars().count()));
        let short: Map<String, Value> = serde_json::from_str(&call.arguments).expect("an object");
        assert!(!short.is_empty() && call.arguments.len() < 600, "{}", call.arguments);
        assert_eq!(cut_arguments(&mut call, 4_000), None, "once is enough");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn whatever_the_sizes_a_folded_conversation_is_within_the_room(
        sizes in prop::collection::vec((huge(), huge(), huge(), huge()), 1..6),
        limit in 3_000_u32..20_000,
    ) {
        let mut messages = Vec::new();
        for (n, (said, text, arguments, result)) in sizes.into_iter().enumerate() {
            messages.push(Message::user("u".repeat(said)));
            let call = call(n, arguments);
            let id = call.id.clone();
            let reasoning = Some("h".repeat(text));
            messages.push(Message::Assistant { text: "t".repeat(text), reasoning, calls: vec![call], sealed: Vec::new() });
            messages.push(Message::Tool { call_id: id, content: "r".repeat(result), reveals: Vec::new() });
        }
        messages.push(Message::user("go on"));
        let mut history = History::of(messages);
        fold(&mut history, room(limit), &line);
        winclaw_model::validate(history.messages()).expect("valid");
        prop_assert!(history.tokens() <= limit, "{} of {limit}", history.tokens());
        let Some(Message::User { text, .. }) = history.messages().last() else { panic!("the request") };
        prop_assert_eq!(text, "go on");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_folded_the_conversation_stays_valid_and_keeps_what_people_said(
        sizes in prop::collection::vec(prop::collection::vec(0_usize..2_000, 0..5), 1..20),
        limit in 10_u32..4_000,
    ) {
        let mut history = conversation(&sizes);
        let said = |messages: &[Message]| messages.iter().filter(|m| matches!(m, Message::User { .. })).count();
        let (people, before) = (said(history.messages()), history.tokens());
        fold(&mut history, room(limit), &line);
        winclaw_model::validate(history.messages()).expect("valid");
        prop_assert_eq!(said(history.messages()), people);
        prop_assert!(history.tokens() <= before.saturating_add(3_000));
        let again = History::of(history.messages().to_vec());
        prop_assert_eq!(again.tokens(), history.tokens(), "sizes are kept as they are");
        let again = history.messages().to_vec();
        let folded = fold(&mut history, room(limit), &line);
        prop_assert_eq!(folded == Folded::default(), history.messages() == again, "{:?}", folded);
    }
}
