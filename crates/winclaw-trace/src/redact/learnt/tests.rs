use serde_json::json;

use super::*;

#[test]
fn what_was_hidden_once_is_hidden_from_then_on() {
    let mut learnt = Learnt::default();
    let mut redact = |value: Value| learnt.redact(&Secrets::default(), &value).to_string();
    let call = json!({"arguments": json!({"expression": "password=CANARY42"}).to_string(),
                      "error": "`CANARY42` at character 10 is no number"});
    let clean = redact(call);
    assert!(!clean.contains("CANARY") && clean.contains("at character 10"), "{clean}");
    assert!(!redact(json!({"a": [{"b": "again CANARY42."}], "CANARY42": 1})).contains("CANARY"));
    assert!(!redact(json!({"password": {"x": ["CANARY-x7"]}, "note": "it is CANARY-x7"})).contains("CANARY"));
    let two = json!({"a": "user=a token=CANARY11 and secret: CANARY22.", "b": "CANARY22 CANARY11"});
    assert!(!redact(two).contains("CANARY"));
}

#[test]
fn words_and_numbers_are_not_learnt() {
    let mut learnt = Learnt::default();
    for value in ["forecast", "Beijing", "123456", "2026-11-30", "北京的天气预报", "true", "ab1", "next.page"] {
        let clean = learnt.redact(&Secrets::default(), &json!({"password": value, "note": value}));
        assert_eq!(clean, json!({"password": MARK, "note": value}));
    }
}

#[test]
fn no_more_are_learnt_than_are_cheap_to_look_for() {
    let mut learnt = Learnt::default();
    for n in 0..200 {
        learnt.redact(&Secrets::default(), &json!({"password": format!("horse-{n}-x")}));
    }
    assert_eq!(learnt.values.len(), MOST);
}

/// What a record costs; run with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "prints a measurement"]
#[expect(clippy::print_stdout, reason = "it is what the measurement is for")]
fn cost_of_a_record() {
    let text = "北京今天晴，气温 12 度。The report is at /home/me/report.docx, 3 pages. ".repeat(16);
    let call = json!({"kind": "call", "call_id": "c1", "tool": "sky.forecast", "detail": "北京", "ms": 12,
        "arguments": {"city": "北京", "days": 3}, "error": "no such city in the list"});
    let long = json!({"kind": "end", "text": text});
    let telling = json!({"kind": "end", "text": format!("{text} the key and password: policy")});
    for many in [0, MOST] {
        let mut learnt = Learnt::default();
        (0..many).for_each(|n| drop(learnt.redact(&Secrets::default(), &json!({"password": format!("horse-{n}-x")}))));
        for (name, value) in [("call", &call), ("long", &long), ("telling", &telling)] {
            let start = std::time::Instant::now();
            (0..1000).for_each(|_| drop(learnt.redact(&Secrets::default(), value)));
            let bytes = value.to_string().len();
            println!("{name}, {bytes} bytes, {many} learnt: {:.1} µs", start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let start = std::time::Instant::now();
    let mut learnt = Learnt::default();
    (0..MOST).for_each(|n| drop(learnt.redact(&Secrets::default(), &json!({"password": format!("horse-{n}-x")}))));
    println!("learning {MOST}: {:.1} ms in all", start.elapsed().as_secs_f64() * 1e3);
}
