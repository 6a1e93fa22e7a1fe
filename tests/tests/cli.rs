//! The commands that look at things: tools, plugins, traces, the machine.

use serde_json::{Value, json};
use winclaw_tests::{Room, shipped};

/// Ids of every shipped tool, sorted.
fn ids() -> Vec<String> {
    let of = |plugin: &winclaw_tests::Shipped| {
        let tools = plugin.manifest["tools"].as_array().expect("tools").clone();
        let id = plugin.id.clone();
        tools.into_iter().map(move |tool| format!("{id}.{}", tool["name"].as_str().expect("a name")))
    };
    let mut ids: Vec<String> = shipped().iter().flat_map(of).collect();
    ids.sort();
    ids
}

#[test]
fn the_product_has_its_plugins_without_a_problem() {
    let room = Room::new();
    let listed = room.winclaw(&["plugin", "list", "--json"]).run().exits(0).json();
    let fatal: Vec<&Value> =
        listed["problems"].as_array().expect("problems").iter().filter(|problem| problem["fatal"] == true).collect();
    assert_eq!(fatal, Vec::<&Value>::new());
    let found: Vec<&str> =
        listed["plugins"].as_array().expect("plugins").iter().filter_map(|plugin| plugin["id"].as_str()).collect();
    assert_eq!(found, shipped().iter().map(|plugin| plugin.id.as_str()).collect::<Vec<_>>());
}

#[test]
fn tools_are_listed_in_a_stable_order_in_both_languages() {
    let room = Room::new();
    let listed = room.winclaw(&["tool", "list", "--json"]).run().exits(0).json();
    let found: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|tool| tool["id"].as_str()).collect();
    assert_eq!(found, ids());
    let english = room.winclaw(&["tool", "list"]).run().exits(0);
    let chinese = room.winclaw(&["tool", "list", "--lang", "zh"]).run().exits(0).says(&["查询某地的当前天气"]);
    for id in ids() {
        assert!(english.stdout.contains(&id) && chinese.stdout.contains(&id), "{id}");
    }
}

#[test]
fn a_tool_is_described_by_id_wire_name_or_its_own_name() {
    let room = Room::new();
    for name in ["weather.forecast", "weather__forecast", "forecast"] {
        let described = room.winclaw(&["tool", "describe", name, "--json"]).run().exits(0).json();
        assert_eq!(described["id"], "weather.forecast");
        assert_eq!(described["manifest"]["parameters"]["required"], json!(["place"]));
    }
    let words = ["Weather", "weather.forecast", "place", "reads", "查北京天气", "\"properties\""];
    room.winclaw(&["tool", "describe", "weather.forecast"]).run().exits(0).says(&words);
}

#[test]
fn a_plugin_is_inspected_without_being_run() {
    let room = Room::with_misbehave(&["weather"]);
    let words = ["weather 0.1.0", "api.open-meteo.com", "a process of its own", "not signed", "forecast"];
    room.winclaw(&["plugin", "inspect", "weather"]).run().exits(0).says(&words);
    let whole = room.winclaw(&["plugin", "inspect", "misbehave", "--json"]).run().exits(0).json();
    assert_eq!(whole["manifest"]["id"], "misbehave");
    room.winclaw(&["plugin", "inspect", "weathers"]).run().exits(2).complains(&["misbehave, weather"]);
    room.winclaw(&["explain", "misbehave"]).run().exits(0);
    assert!(!room.path().join("data").join("cache").exists(), "only a call copies and maps a library");
}

#[test]
fn a_plugin_runs_in_the_host_where_the_configuration_says_so() {
    let room = Room::with_misbehave(&["calculator"]);
    let file = room.path().join("config.toml");
    std::fs::write(&file, "[plugins]\nin_process = [\"calculator\"]").expect("written");
    let config = file.to_str().expect("a path");
    let inspect = room.winclaw(&["plugin", "inspect", "calculator", "--config", config]).run().exits(0);
    inspect.says(&["this process, as configured"]);
    let args = ["tool", "call", "calculator.evaluate", "--args", "{\"expression\": \"6*7\"}", "--config", config];
    room.winclaw(&args).run().exits(0).says(&["42"]);
}

#[test]
fn a_task_is_told_by_its_trace() {
    let room = Room::with(&["calculator"]);
    room.winclaw(&["trace", "list"]).run().exits(0).says(&["no tasks yet"]);
    room.winclaw(&["trace", "show"]).run().exits(2).complains(&["there is no task yet"]);
    let call = json!([{"name": "calculator__evaluate", "arguments": {"expression": "6*7"}}]);
    let replay = room.replay(json!([{"reply": {"calls": call}}, {"reply": {"text": "It is 42."}}]));
    room.winclaw(&["run", "what is 6*7", "--replay", &replay]).run().exits(0).says(&["It is 42."]);

    let listed = room.winclaw(&["trace", "list", "--json"]).run().exits(0).json();
    let task = listed[0].clone();
    assert_eq!((&task["state"], &task["calls"], &task["replayed"]), (&json!("done"), &json!(1), &json!(true)));
    let id = task["task_id"].as_str().expect("an id");
    let words =
        ["what is 6*7", "(replayed)", "calculator.evaluate", "sha256", "verdict", "-> ok", "done (exit 0)", "called 1"];
    for name in ["last", id, &id[..id.len() - 1]] {
        room.winclaw(&["trace", "show", name]).run().exits(0).says(&words);
    }
    let lines = room.winclaw(&["trace", "show", "--json"]).run().exits(0).stdout;
    let kinds: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record")["kind"].clone()).collect();
    assert_eq!((&kinds[0], &kinds[kinds.len() - 1]), (&json!("start"), &json!("end")));
    room.winclaw(&["trace", "show", "nothing"]).run().exits(2).complains(&["winclaw trace list"]);
}

#[test]
fn completions_are_printed_for_each_shell() {
    let room = Room::with(&[]);
    for (shell, words) in [("bash", "_winclaw()"), ("zsh", "#compdef winclaw"), ("fish", "complete -c winclaw")] {
        room.winclaw(&["completions", shell]).run().exits(0).says(&[words, "explain"]);
    }
}

#[test]
fn doctor_looks_at_everything_and_asks_nobody() {
    let room = Room::new();
    let run = |arguments: &[&str]| room.winclaw(arguments).env("OPENAI_API_KEY", "sk-secret").run();
    let told = run(&["doctor", "--json"]).exits(0).json();
    let checks = told["checks"].as_array().expect("checks");
    let state = |name: &str| checks.iter().find(|check| check["check"] == name).map(|check| check["state"].clone());
    for name in ["program", "config", "data", "plugins", "network", "model"] {
        assert_eq!(state(name), Some(json!("ok")), "{name}: {told}");
    }
    let words = run(&["doctor", "--lang", "zh"]).exits(0).says(&["个插件", "openai/"]);
    assert!(!words.stdout.contains("sk-secret") && !told.to_string().contains("sk-secret"));
}
