use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::read_bytes;

fn lines(records: &[Value]) -> Vec<Line> {
    let line = |record: &Value| {
        let mut record = record.clone();
        record["v"] = json!(1);
        serde_json::from_value(record).expect("a line")
    };
    records.iter().map(line).collect()
}

fn exposure(full: &[&str], brief: &[&str], sizes: (u64, u64, u64)) -> Value {
    let tool = |level: &str, id: &&str| json!({"tool": id, "level": level});
    let shown: Vec<Value> =
        full.iter().map(|id| tool("full", id)).chain(brief.iter().map(|id| tool("brief", id))).collect();
    let (prefix, tail, everything) = sizes;
    json!({"kind": "exposure", "shown": shown, "prefix_tokens": prefix, "tail_tokens": tail, "everything_tokens": everything})
}

fn call(tool: &str, outcome: &str, ms: u64) -> Value {
    json!({"kind": "call", "tool": tool, "outcome": outcome, "ms": ms})
}

fn of(tasks: &[&[Value]]) -> Analysis {
    let mut analysis = Analysis::new(10);
    tasks.iter().for_each(|task| analysis.task(lines(task)));
    analysis
}

#[test]
fn a_needed_tool_counts_once_at_its_first_call() {
    let task = [
        exposure(&["sky.forecast"], &["notes.add"], (100, 0, 1_000)),
        call("sky.forecast", "unavailable", 5),
        call("sky.forecast", "ok", 7),
        call("map.find", "ok", 9),
        exposure(&["sky.forecast", "mail.send"], &["notes.add"], (100, 0, 1_000)),
        call("mail.send", "ok", 1),
        call("notes.add", "ok", 1),
    ];
    let found = of(&[&task, &task]).exposure;
    assert_eq!((found.needed, found.in_time, found.in_full, found.at_once, found.shown), (8, 6, 4, 4, 6));
    assert_eq!(found.unshown, Count::from([("map.find".into(), 2)]));
}

#[test]
fn savings_are_net_of_what_a_new_epoch_bills_again() {
    let epoch = |rebilled: u64| json!({"kind": "epoch", "rebilled": rebilled});
    let task = [
        epoch(100),
        exposure(&[], &[], (100, 10, 1_000)),
        exposure(&[], &[], (100, 10, 1_000)),
        epoch(700),
        exposure(&[], &[], (200, 0, 1_000)),
    ];
    let found = of(&[&task]).savings;
    assert_eq!((found.everything, found.sent, found.saved, found.missed, found.net), (3_000, 420, 2_580, 700, 1_880));
    // The other host: 1000 + 100 + 100. Ours: 100 + 10, 10 + 10, and 200 + 0.9 · (700 − 200).
    assert_eq!(found.net_priced, 1_200 - (110 + 20 + 200 + 450));
}

#[test]
fn a_further_request_of_a_session_finds_the_cache_warm() {
    let session = json!({"kind": "session", "session_id": "s", "request_no": 2});
    let found = of(&[&[session, exposure(&[], &[], (100, 0, 1_000))]]).savings;
    assert_eq!((found.net, found.net_priced), (900, 90));
}

#[test]
fn everything_that_was_decided_is_counted() {
    let task = [
        json!({"kind": "request", "call_no": 1}),
        json!({"kind": "request", "call_no": 1, "attempt": 2}),
        json!({"kind": "reply", "ms": 40, "usage": {"input": 10, "output": 2}}),
        json!({"kind": "model_failed", "code": "overloaded", "ms": 60}),
        json!({"kind": "cost", "micros": 5, "currency": "USD"}),
        json!({"kind": "cost", "micros": 6, "currency": "CNY"}),
        json!({"kind": "cost", "micros": 7, "currency": "USD"}),
        json!({"kind": "rise", "cause": "called unshown"}),
        json!({"kind": "loop", "pattern": "repeat", "rung": "hint"}),
        json!({"kind": "drift", "rung": "note"}),
        json!({"kind": "consent", "answer": "no"}),
        json!({"kind": "repair", "repair": "coerced"}),
        json!({"kind": "verdict", "verdict": "not_run", "rule": "schema"}),
        json!({"kind": "verdict", "verdict": "run"}),
        json!({"kind": "set_aside", "tool": "sky.stars"}),
        json!({"kind": "end", "state": "done", "ms": 300}),
    ];
    let found = of(&[&task, &task[..2]]);
    assert_eq!((found.tasks, found.model_calls, found.retries), (2, 2, 2));
    let one = |name: &str| Count::from([(name.to_owned(), 1)]);
    let counts = [&found.loops, &found.drift, &found.consent, &found.repairs, &found.refused, &found.set_aside];
    assert_eq!(counts.map(Clone::clone), ["repeat/hint", "note", "no", "coerced", "schema", "sky.stars"].map(one));
    assert_eq!((found.rises, found.model_failures), (one("called unshown"), one("overloaded")));
    assert_eq!(found.states, Count::from([("done".into(), 1), ("unfinished".into(), 1)]));
    let money = |currency: &str, micros| Money { currency: currency.into(), micros };
    assert_eq!(found.cost, [money("CNY", 6), money("USD", 12)]);
    assert_eq!(
        (found.model_ms.percentile(50), found.model_ms.percentile(95), found.task_ms.count()),
        (Some(40), Some(60), 1)
    );
}

fn any_record() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec![
        "start",
        "exposure",
        "request",
        "reply",
        "call",
        "epoch",
        "session",
        "cost",
        "verdict",
        "rise",
        "loop",
        "drift",
        "consent",
        "repair",
        "set_aside",
        "model_failed",
        "end",
        "dream",
    ]);
    let number = prop_oneof![Just(0), Just(u64::MAX), any::<u64>()];
    (kinds, prop::sample::select(vec!["a", "b", ""]), number).prop_map(|(kind, word, n)| {
        json!({"v": 1, "kind": kind, "tool": word, "cause": word, "ms": n, "rebilled": n, "prefix_tokens": n,
               "tail_tokens": n, "everything_tokens": n / 2, "micros": n, "currency": word, "request_no": n,
               "attempt": n, "usage": {"input": n}, "shown": [{"tool": word, "level": "full"}]})
    })
}

proptest! {
    #[test]
    fn any_records_in_any_order_are_taken(records in prop::collection::vec(any_record(), 0..40), cached in any::<u32>()) {
        let mut text = Vec::new();
        for record in &records {
            text.extend(record.to_string().into_bytes());
            text.push(b'\n');
        }
        let mut analysis = Analysis::new(cached);
        let (lines, _) = read_bytes(&text);
        prop_assert!(lines.len() <= records.len());
        analysis.task(lines.clone());
        analysis.task(lines);
        let exposure = &analysis.exposure;
        prop_assert!(exposure.in_full <= exposure.in_time && exposure.in_time <= exposure.needed);
        prop_assert!(serde_json::to_value(&analysis).is_ok());
    }
}
