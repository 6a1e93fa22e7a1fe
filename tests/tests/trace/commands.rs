//! `winclaw trace` on the built program.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use winclaw_tests::Room;

use super::{after_a_task, ran};

#[test]
fn a_task_is_listed_by_state_time_and_text() {
    let room = after_a_task();
    ran(&room, "另一个请求").exits(0);
    let count = |words: &[&str]| {
        let mut line = vec!["trace", "list", "--json"];
        line.extend(words);
        room.winclaw(&line).run().exits(0).json().as_array().expect("a list").len()
    };
    assert_eq!(count(&[]), 2);
    assert_eq!(count(&["--state", "done"]), 2);
    assert_eq!(count(&["--state", "denied"]), 0);
    assert_eq!(count(&["--text", "ECHO"]), 1);
    assert_eq!(count(&["--text", "另一个"]), 1);
    assert_eq!(count(&["--since", "1h"]), 2);
    assert_eq!(count(&["--since", "2999-01-01"]), 0);
    room.winclaw(&["trace", "list", "--since", "soon"]).run().exits(2).complains(&["12h"]);
    room.winclaw(&["trace", "list", "--state", "denied"]).run().exits(0).says(&["no task fits"]);
}

#[test]
fn a_task_is_shown_in_both_languages() {
    let room = after_a_task();
    room.winclaw(&["trace", "show"]).run().exits(0).says(&[
        "exposure",
        "verdict",
        "calculator.evaluate",
        "done (exit 0)",
    ]);
    let zh = ["展示", "裁决", "calculator.evaluate", "完成（退出码 0）", "次调用"];
    room.winclaw(&["trace", "show", "--lang", "zh"]).run().exits(0).says(&zh);
}

#[test]
fn tasks_are_added_up_as_a_page_as_json_and_as_a_picture() {
    let room = after_a_task();
    ran(&room, "and again").exits(0);
    room.winclaw(&["trace", "analyze"]).run().exits(0).says(&[
        "hit rate",
        "saved, net",
        "calculator.evaluate",
        "2 calls",
    ]);
    room.winclaw(&["trace", "analyze", "--lang", "zh"]).run().exits(0).says(&["命中率", "净节省"]);
    let file = room.path().join("tasks.svg");
    let words = ["trace", "analyze", "--json", "--svg", file.to_str().expect("UTF-8")];
    let found = room.winclaw(&words).run().exits(0).json();
    assert_eq!((&found["tasks"], &found["model_calls"], &found["states"]["done"]), (&json!(2), &json!(6), &json!(2)));
    assert_eq!(found["exposure"]["needed"], json!(4), "two tools in each of two tasks: {found}");
    assert_eq!(found["tools"]["calculator.evaluate"]["calls"], json!(2));
    let savings = &found["savings"];
    let of = |name: &str| savings[name].as_i64().expect("a number");
    assert_eq!(of("net"), of("everything") - of("sent") - of("missed"), "{savings}");
    let picture = fs::read_to_string(&file).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.contains("calculator.evaluate") && picture.ends_with("</svg>\n"));
    let one = room.winclaw(&["trace", "analyze", "last", "--json"]).run().exits(0).json();
    assert_eq!(one["tasks"], json!(1));
    Room::with(&[]).winclaw(&["trace", "analyze"]).run().exits(2).complains(&["no task yet"]);
}

#[test]
fn what_the_model_was_shown_can_be_made_again() {
    let room = after_a_task();
    room.winclaw(&["trace", "replay"]).run().exits(0).says(&["3 model calls"]);
    let replayed = room.winclaw(&["trace", "replay", "last", "--json"]).run().exits(0).json();
    assert_eq!((&replayed["same"], replayed["calls"].as_array().map(Vec::len)), (&json!(true), Some(3)));
    assert_eq!(replayed["calls"][0]["prefix_sha256"], room.records("exposure")[0]["prefix_sha256"]);
    // Told otherwise, it says where it differs.
    let folder = room.path().join("data").join("traces");
    let file = fs::read_dir(&folder).expect("traces").map(|entry| entry.expect("an entry").path());
    let file = file.into_iter().find(|file| file.extension().is_some_and(|end| end == "jsonl")).expect("a trace");
    let text = fs::read_to_string(&file).expect("a trace");
    let changed: Vec<String> = text
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("a record");
            if line["kind"] == "exposure" && line["call_no"] == 2 {
                line["prefix_sha256"] = json!("0".repeat(64));
            }
            line.to_string() + "\n"
        })
        .collect();
    fs::write(&file, changed.concat()).expect("written");
    room.winclaw(&["trace", "replay"]).run().exits(6).complains(&["model call 2 differs", "prefix"]);
    let other = Room::with(&["calculator"]);
    other
        .winclaw(&["trace", "replay", file.to_str().expect("UTF-8")])
        .run()
        .exits(2)
        .complains(&["the tools are not those"]);
}

#[test]
fn the_schema_is_printed_and_fits_what_is_written() {
    let room = after_a_task();
    let schema = room.winclaw(&["trace", "schema"]).run().exits(0).json();
    let kinds: Vec<&str> = schema["oneOf"]
        .as_array()
        .expect("kinds")
        .iter()
        .filter_map(|kind| kind["properties"]["kind"]["const"].as_str())
        .collect();
    for record in room.trace() {
        let kind = record["kind"].as_str().expect("a kind");
        assert!(kinds.contains(&kind), "{kind} is not in the schema");
        let known =
            schema["oneOf"].as_array().expect("kinds").iter().find(|one| one["properties"]["kind"]["const"] == kind);
        let known = known.expect("a kind")["properties"].as_object().expect("fields");
        let common = ["v", "seq", "at_ms"];
        for field in record.as_object().expect("an object").keys().filter(|field| !common.contains(&field.as_str())) {
            assert!(known.contains_key(field), "{kind}.{field} is not in the schema");
        }
    }
}

#[test]
fn old_traces_go_at_the_start_of_a_task_and_when_asked() {
    let room = after_a_task();
    let folder = room.path().join("data").join("traces");
    let age = |name: &str, days: u64| {
        fs::write(folder.join(name), vec![b'\n'; 700_000]).expect("written");
        let file = fs::OpenOptions::new().write(true).open(folder.join(name)).expect("a file");
        file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).expect("a time");
    };
    age("20200101-000000-0000.jsonl", 200);
    age("20200102-000000-0000.jsonl", 50);
    age("20200103-000000-0000.jsonl", 40);
    let would = room.winclaw(&["trace", "prune", "--dry-run", "--json"]).run().exits(0).json();
    assert_eq!(would["pruned"]["removed"].as_array().map(Vec::len), Some(1), "{would}");
    assert!(folder.join("20200101-000000-0000.jsonl").exists());
    let text = room.winclaw(&["trace", "prune", "--keep-mb", "1"]).run().exits(0).stdout;
    assert!(text.contains("2 files") && text.contains("too old") && text.contains("too much"), "{text}");
    assert!(folder.join("20200103-000000-0000.jsonl").exists());
    age("20200101-000000-0000.jsonl", 200);
    // The program looked just now, and looks again only in a day.
    ran(&room, "again").exits(0);
    assert!(folder.join("20200101-000000-0000.jsonl").exists());
    fs::remove_file(folder.join(".pruned")).expect("the stamp");
    ran(&room, "and again").exits(0);
    assert!(!folder.join("20200101-000000-0000.jsonl").exists());
    assert_eq!(room.winclaw(&["trace", "list", "--json"]).run().exits(0).json().as_array().map(Vec::len), Some(4));
}

#[test]
fn what_a_tool_says_to_a_terminal_is_kept_whole_and_printed_harmless() {
    let room = Room::with_misbehave(&[]);
    let hostile = "x\u{1b}[2J\u{1b}]0;PWN\u{7}\u{1b}]8;;http://e/\u{7}\u{9b}1m\u{202e}y";
    let replay = room.replay(json!([
        {"reply": {"calls": [{"name": "misbehave__echo", "arguments": {"text": hostile}}]}},
        {"reply": {"text": hostile}}
    ]));
    // That nothing printed holds control characters is checked at each run.
    for output in ["text", "json", "stream-json"] {
        room.winclaw(&["run", hostile, "--replay", &replay, "--output", output, "-v"]).run().exits(0);
    }
    for words in
        [&["trace", "show"][..], &["trace", "show", "--json"], &["trace", "list"], &["trace", "export", "--content"]]
    {
        room.winclaw(words).run().exits(0);
    }
    let folder = room.path().join("data").join("traces");
    for file in fs::read_dir(folder).expect("traces").map(|entry| entry.expect("an entry").path()) {
        let text = fs::read_to_string(&file).expect("a trace");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{}", file.display());
        let calls = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record"));
        for call in calls.filter(|record| record["kind"] == "call") {
            assert_eq!(call["arguments"]["text"], hostile);
        }
    }
}
