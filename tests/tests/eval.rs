//! `winclaw eval`: anybody's tools and requests in, numbers out; no key, no network, no model.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use winclaw_tests::{Done, Room, Run, root, shipped};

/// The example of docs/eval-format.md.
fn example(name: &str) -> String {
    let file: PathBuf = root().join("docs").join("examples").join("eval").join(name);
    file.to_str().expect("a path in UTF-8").to_owned()
}

fn eval(room: &Room, tools: &str, queries: &str) -> Run {
    room.winclaw(&["eval", "--tools", tools, "--queries", queries])
}

/// As a model with little room would be served; with all the room there is, everything would be shown.
const SMALL: [&str; 4] = ["--transport", "bridge", "--window", "4000"];

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let file = folder.join(name);
    std::fs::write(&file, bytes).expect("written");
    file.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn the_example_is_measured_in_both_languages() {
    let room = Room::new();
    let run = || eval(&room, &example("tools.jsonl"), &example("queries.jsonl")).args(&SMALL);
    let words =
        ["14 tools, 14 requests", "recall@10", "nDCG@10", "tokens of schemas", "found in the end", "µs", "aunt", "["];
    run().run().exits(0).says(&words);
    let words = ["14 个工具，14 个请求", "recall@10", "最终找到的所需工具", "参数定义的 token", "未进入排序"];
    run().args(&["--lang", "zh"]).run().exits(0).says(&words);
    let compared = run().args(&["--compare", "hard", "--misses", "0"]).run().exits(0);
    let compared = compared.says(&["progressive against hard", "no difference beyond the sampling error"]);
    let raw = ["_at", "_mean", "_p95", "closure_broken"];
    assert!(raw.iter().all(|key| !compared.stdout.contains(key)), "{}", compared.told());
    let compared = compared.says(&[
        "tokens before the conversation",
        "turns until all are found, 95th percentile",
        "a request that was never met counts in none",
    ]);
    run().args(&["--compare", "hard", "--lang", "zh"]).run().exits(0).says(&["对话之前的 token", "始终未满足的请求"]);
    assert!(!compared.stdout.contains("Not all shown"), "{}", compared.told());
    assert_eq!(compared.stderr, "", "{}", compared.told());
}

#[test]
fn json_carries_every_promised_key_and_nothing_else_is_printed() {
    let room = Room::new();
    let done = eval(&room, &example("tools.jsonl"), &example("queries.jsonl"))
        .args(&SMALL)
        .args(&["--json", "--k", "3,1,3", "--per-step", "--limit", "10", "--seed", "7", "--compare", "full"])
        .run()
        .exits(0);
    assert_eq!(done.stderr, "");
    let json = done.json();
    let numbers = [
        "ndcg_at_10",
        "first_look_all",
        "first_look_recall",
        "eventual_recall",
        "turns_to_reveal_p50",
        "turns_to_reveal_p95",
        "schema_tokens_mean",
        "prefix_tokens_mean",
        "closure_broken",
        "pass_us_p50",
        "pass_us_p99",
        "catalog_ms",
        "index_ms",
        "prepared_ms",
        "index_terms",
        "index_postings",
    ];
    for key in numbers {
        assert!(json[key].is_number(), "{key}: {json}");
    }
    assert_eq!((&json["schema"], &json["requests"], &json["seed"]), (&json!(1), &json!(10), &json!(7)));
    let ks: Vec<&String> = json["recall_at"].as_object().expect("by k").keys().collect();
    assert_eq!(ks, ["1", "3"]);
    assert_eq!(json["per_step"]["protocol"], "used");
    assert_eq!(json["compared_with"]["strategy"], "full");
    let tokens = &json["comparison"]["differences"]["schema_tokens_mean"];
    assert!(tokens["difference"]["mean"].is_number() && tokens["beyond_sampling_error"].is_boolean(), "{tokens}");
}

#[test]
fn the_same_seed_prints_the_same_numbers() {
    let room = Room::new();
    let numbers = || {
        let mut json =
            eval(&room, &example("tools.jsonl"), &example("queries.jsonl")).args(&["--json"]).run().exits(0).json();
        let timed = |key: &str| key.starts_with("pass_us") || key.ends_with("_ms");
        json.as_object_mut().expect("an object").retain(|key, _| !timed(key));
        json["intervals"].as_object_mut().expect("intervals").retain(|key, _| !timed(key));
        json
    };
    assert_eq!(numbers(), numbers());
}

#[test]
fn without_a_file_of_tools_the_plugins_are_measured() {
    let room = Room::new();
    let mut queries = Vec::new();
    for plugin in shipped() {
        for tool in plugin.manifest["tools"].as_array().expect("tools") {
            let id = format!("{}.{}", plugin.id, tool["name"].as_str().expect("a name"));
            let examples = tool["examples"].as_array().expect("examples").iter();
            queries.extend(examples.map(|text| json!({"query": text, "gold": [id]})));
        }
    }
    queries.push(json!({"query": "anything of it", "gold_plugins": [shipped()[0].id]}));
    let text: String = queries.iter().map(|row| format!("{row}\n")).collect();
    let file = write(&room.work(), "queries.jsonl", text.as_bytes());
    let json = room.winclaw(&["eval", "--queries", &file, "--json", "--k", "1,5"]).run().exits(0).json();
    assert_eq!(json["requests"], queries.len());
    assert_eq!(json["problem_count"], 0, "{json}");
    assert!(json["recall_at"]["5"].as_f64() > Some(0.9), "{json}");
    assert_eq!(json["eventual_recall"], 1.0);

    let empty = room.work().join("no-plugins");
    std::fs::create_dir(&empty).expect("a folder");
    let place = empty.to_str().expect("a path in UTF-8");
    room.winclaw(&["eval", "--queries", &file, "--plugins", place]).run().exits(2).complains(&["no tools", "--tools"]);
    let nowhere = room.work().join("nowhere");
    let nowhere = nowhere.to_str().expect("a path in UTF-8");
    room.winclaw(&["eval", "--queries", &file, "--plugins", nowhere]).run().exits(2).complains(&[
        "no plugin folder",
        "nowhere",
        "--tools",
    ]);
}

fn refused(room: &Room, tools: &[u8], queries: &[u8]) -> (Done, Value) {
    let tools = write(&room.work(), "tools.jsonl", tools);
    let queries = write(&room.work(), "queries.jsonl", queries);
    let text = eval(room, &tools, &queries).run().exits(2);
    let json = eval(room, &tools, &queries).args(&["--json"]).run().exits(2);
    assert_eq!(json.stdout, "");
    let error = json.error_json();
    (text, error)
}

#[test]
fn bad_input_says_where_it_is_and_how_to_mend_it() {
    let room = Room::new();
    let tool: &[u8] = br#"{"id": "sky/rain", "description": "Rain."}"#;
    let query: &[u8] = br#"{"query": "rain", "gold": ["sky/rain"]}"#;
    let cases: [(&[u8], &[u8], &str, &str); 7] = [
        (b"", query, "tools.jsonl: the file is empty", "JSON object a line"),
        (b"{\"id\": \"a\"}\n{\"id\": oops}\n", query, "tools.jsonl:2: this is not valid JSON", "JSON object a line"),
        (b"{\"id\": \"a\"}\n{\"id\": \"a\"}\n", query, "tools.jsonl:2: the id \"a\"", "id of its own"),
        (b"{\"id\": \"\xff\"}", query, "tools.jsonl:1: this line is not UTF-8", "save the file as UTF-8"),
        (tool, b"{\"query\": \"rain\"}", "queries.jsonl:1: neither `gold`", "add \"gold\""),
        (tool, b"{\"gold\": []}\n{\"gold\": []}", "queries.jsonl:1: `query` is missing", "add \"query\""),
        (tool, b"{\"query\": \"rain\", \"gold\": [\"sky/snow\"]}", "`sky/snow` is no tool", "winclaw tool list"),
    ];
    for (tools, queries, what, mend) in cases {
        let (text, json) = refused(&room, tools, queries);
        text.complains(&[what, mend]);
        assert!(json["message"].as_str().is_some_and(|text| text.contains(what)), "{json}");
        assert_eq!((&json["error"], &json["exit_code"]), (&json!("usage"), &json!(2)));
    }
}

#[test]
fn a_needed_tool_that_is_not_there_is_counted_and_named() {
    let room = Room::new();
    let tools = write(&room.work(), "tools.json", br#"{"tools": [{"name": "rain", "description": "Tells of rain."}]}"#);
    let queries = "\u{feff}{\"id\": \"one\", \"query\": \"rain\", \"gold\": [\"rain\", \"snow\"]}\r\n{\"query\": \"snow\", \"gold\": [\"snow\"]}\r\n";
    let queries = write(&room.work(), "queries.jsonl", queries.as_bytes());
    eval(&room, &tools, &queries).run().exits(0).says(&[
        "1 left out",
        "Problems with the data: 2",
        "`snow` is no tool",
        "2 requests, such as one: Line 1",
    ]);
    eval(&room, &tools, &queries)
        .args(&["--lang", "zh"])
        .run()
        .exits(0)
        .says(&["数据中的问题：2", "目录中没有工具“snow”"]);
    let json = eval(&room, &tools, &queries).args(&["--json"]).run().exits(0).json();
    assert_eq!((&json["left_out"], &json["problem_count"], &json["requests"]), (&json!(1), &json!(2), &json!(1)));
}

#[test]
fn wrong_words_are_refused() {
    let room = Room::new();
    let cases: [(&[&str], &str); 9] = [
        (&["--k", "0"], "--k"),
        (&["--k", "ten"], "--k"),
        (&["--per-step", "4"], "4,3"),
        (&["--per-step", "0,0"], "at least one above 0"),
        (&["--per-step", "4,101"], "from 0 to 100"),
        (&["--per-step", "99999999999999999999,3"], "from 0 to 100"),
        (&["--strategy", "hard", "--compare", "hard"], "measured already"),
        (&["--steps", "nowhere.jsonl"], "nowhere.jsonl"),
        (&["--limit", "0"], "--limit"),
    ];
    for (arguments, words) in cases {
        eval(&room, &example("tools.jsonl"), &example("queries.jsonl"))
            .args(arguments)
            .run()
            .exits(2)
            .complains(&[words]);
    }
    room.winclaw(&["eval", "--tools", &example("tools.jsonl")]).run().exits(2).complains(&["--queries"]);
}

#[test]
fn an_entry_that_is_nested_too_deep_costs_itself_and_is_counted() {
    let room = Room::new();
    let deep = "[".repeat(300) + &"]".repeat(300);
    let tools =
        format!("{{\"id\": \"sky/rain\", \"description\": \"Rain.\"}}\n{{\"id\": \"deep\", \"parameters\": {deep}}}\n");
    let tools = write(&room.work(), "tools.jsonl", tools.as_bytes());
    let queries = write(&room.work(), "queries.jsonl", br#"{"query": "rain", "gold": ["sky/rain"]}"#);
    let done = eval(&room, &tools, &queries).run().exits(0);
    done.says(&[
        "1 tool, 1 request,",
        "Problems with the data: 1",
        "tools.jsonl:2: This entry is nested more than 128",
    ]);
    let zh = eval(&room, &tools, &queries).args(&["--lang", "zh"]).run().exits(0);
    zh.says(&["1 个工具，1 个请求", "嵌套超过 128 层"]);
    let swapped = eval(&room, &queries, &tools).run().exits(2);
    swapped.complains(&["looks like a request, not a tool", "--queries"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_without_an_end_is_refused() {
    let room = Room::new();
    let refused = eval(&room, "/dev/zero", &example("queries.jsonl")).run().exits(2);
    refused.complains(&["/dev/zero", "more than 256 MiB"]);
}

#[test]
fn fractions_in_json_are_short() {
    let room = Room::new();
    let json = eval(&room, &example("tools.jsonl"), &example("queries.jsonl")).args(&["--json", "--compare", "hard"]);
    let text = json.run().exits(0).stdout;
    let long = text.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|number| number.split_once('.'));
    let long: Vec<_> = long.filter(|(_, fraction)| fraction.len() > 6).collect();
    assert!(long.is_empty(), "{long:?}");
}
