//! The built program with every provider: its own environment variables, a server that holds that vendor's rules and speaks
//! its dialect, and the plugins that are shipped.

use std::time::Duration;

use serde_json::{Value, json};
use winclaw_model::Script;
use winclaw_testkit::{Busy, MockOptions, MockServer, VENDORS, Vendor};
use winclaw_tests::{Done, Room, Run, script};

const REQUEST: &str = "算 6*7，换成米，再从 2026-11-30 往后推这么多天";
const KEY: &str = "k-test-4417";

/// The variables of a provider and a model of it.
fn provider(name: &str) -> (&'static str, &'static str, &'static str) {
    match name {
        "openai" => ("OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-5-mini"),
        "openai-responses" => ("OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-5-mini"),
        "anthropic" => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "claude-sonnet-5-5"),
        "deepseek" => ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "deepseek-flash"),
        "ollama" => ("OLLAMA_API_KEY", "OLLAMA_BASE_URL", "qwen3:8b"),
        "lmstudio" => ("LMSTUDIO_API_KEY", "LMSTUDIO_BASE_URL", "org/qwen3-8b"),
        "openrouter" => ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "openai/gpt-5-mini"),
        "gemini" => ("GEMINI_API_KEY", "GEMINI_BASE_URL", "gemini-3.8-flash"),
        "qwen" => ("DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL", "qwen3.7-plus"),
        "kimi" => ("MOONSHOT_API_KEY", "MOONSHOT_BASE_URL", "kimi-k3"),
        "glm" => ("ZHIPUAI_API_KEY", "ZHIPUAI_BASE_URL", "glm-5.3"),
        other => panic!("no provider {other}"),
    }
}

/// The request on the model that `server` plays.
fn asked(room: &Room, server: &MockServer, name: &str, arguments: &[&str]) -> Run {
    let (key, base_url, model) = provider(name);
    let model = format!("{name}/{model}");
    let run = room.winclaw(&["run", REQUEST, "--model", &model]).args(arguments);
    run.env(key, KEY).env(base_url, &server.base_url()).env("HTTPS_PROXY", "http://127.0.0.1:1")
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

const ANSWER: &str = "42000 m，2027-01-11。";

/// Three calls of three tools, each with what the one before gave, and an answer of all.
fn errand() -> Script {
    script(json!([
        {"expect": {"results": 0},
         "reply": {"text": "先算。", "reasoning": "想一想🌧", "calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"expect": {"results": 1, "last_contains": "42"},
         "reply": {"reasoning": "then metres", "calls": [call("calculator__convert", json!({"value": "{{result:0:/result}} km", "to": "m"}))]}},
        {"expect": {"results": 2, "last_contains": "42000 m"},
         "reply": {"reasoning": "then days", "calls": [call("datetime__add", json!({"time": "2026-11-30", "amount": "{{result:0:/result}} days", "zone": "UTC"}))]}},
        {"expect": {"results": 3, "last_contains": "2027-01-11"},
         "reply": {"text": "{{result:1:/result}}，{{result:2:/result/date}}。"}}
    ]))
}

fn options(name: &str) -> MockOptions {
    MockOptions { key: Some(KEY.into()), ..MockOptions::of(name) }
}

/// The last event on standard output, which tells the end.
fn end(done: &Done) -> Value {
    let last = done.stdout.lines().last().unwrap_or_default();
    let end: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}\n{}", done.told()));
    assert_eq!(end["event"], "end", "{}", done.told());
    end
}

fn refused(server: &MockServer) -> Vec<String> {
    server.refusals()
}

#[test]
fn every_provider_completes_a_task_of_three_steps_streaming_and_not() {
    let room = Room::with(&["calculator", "datetime"]);
    for vendor in VENDORS.iter() {
        for stream in ["true", "false"] {
            let which = format!("{} stream={stream}", vendor.name);
            let server = MockServer::scripted_with(errand(), options(vendor.name));
            let setting = format!("stream={stream}");
            let done = asked(&room, &server, vendor.name, &["-c", &setting, "--output", "stream-json"]).run().exits(0);
            assert_eq!(refused(&server), Vec::<String>::new(), "{which}: {}", done.told());
            let end = end(&done);
            assert_eq!((&end["answer"], &end["calls"]), (&json!(ANSWER), &json!(3)), "{which}: {end}");
            let requests = server.requests();
            assert_eq!(requests.len(), 4, "{which}");
            let streams = |request: &winclaw_testkit::Recorded| request.json()["stream"].as_bool().unwrap_or(false);
            assert!(requests.iter().all(|request| streams(request).to_string() == stream), "{which}");
            assert!(requests.iter().all(|request| request.path == vendor.path()), "{which}");
            counted(&end, vendor, &which);
        }
    }
}

/// The end tells the tokens, and the cost where the price is known.
fn counted(end: &Value, vendor: &Vendor, which: &str) {
    let tokens = &end["tokens"];
    assert!(tokens["input"].as_u64() > Some(0) && tokens["output"].as_u64() > Some(0), "{which}: {end}");
    match vendor.name {
        // Servers on this machine cost nothing that could be told, and the price of Qwen in Beijing was not found.
        "ollama" | "lmstudio" | "qwen" => assert!(end["cost"].is_null(), "{which}: {end}"),
        _ => {
            assert!(end["cost"]["micros"].as_u64().is_some_and(|amount| amount > 0), "{which}: {end}");
            let currency = if vendor.name == "glm" { "CNY" } else { "USD" };
            assert_eq!(end["cost"]["currency"], currency, "{which}: {end}");
        }
    }
}

/// The number of lines on standard error that hold `words`.
fn said(done: &Done, words: &str) -> usize {
    done.stderr.lines().filter(|line| line.contains(words)).count()
}

/// Gives a tool a parameter in its manifest that the vendors here refuse the name of, which no other schema mends.
fn spoil(room: &Room) {
    room.edit_manifest("calculator", |manifest| {
        let tools = manifest["tools"].as_array_mut().expect("tools");
        let tool = tools.iter_mut().find(|tool| tool["name"] == "convert").expect("the tool");
        tool["parameters"]["properties"]["数 值"] = json!({"type": "string"});
    });
}

#[test]
fn a_tool_this_vendor_cannot_take_is_set_aside_with_one_warning_and_the_task_goes_on() {
    let steps = json!([
        {"expect": {"results": 0, "not_tools": "calculator__convert"},
         "reply": {"calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"expect": {"results": 1, "last_contains": "42"},
         "reply": {"calls": [call("datetime__add", json!({"time": "2026-11-30", "amount": "42 days", "zone": "UTC"}))]}},
        {"expect": {"results": 2}, "reply": {"text": "{{result:1:/result/date}}"}}
    ]);
    for name in ["anthropic", "gemini"] {
        let room = Room::with(&["calculator", "datetime"]);
        spoil(&room);
        let server = MockServer::scripted_with(script(steps.clone()), options(name));
        let done = asked(&room, &server, name, &[]).run().exits(0).says(&["2027-01-11"]);
        assert_eq!(refused(&server), Vec::<String>::new(), "{name}: {}", done.told());
        assert_eq!(said(&done, "calculator.convert"), 1, "{name}: {}", done.told());
        assert_eq!(room.records("set_aside").len(), 1, "{name}");
    }
}

#[test]
fn a_tool_that_a_refusal_names_is_dropped_with_one_warning_and_the_task_goes_on() {
    let steps = json!([
        {"expect": {"results": 0, "not_tools": "calculator__convert"},
         "reply": {"calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"expect": {"results": 1, "not_tools": "calculator__convert"}, "reply": {"text": "{{result:0:/result}}"}}
    ]);
    for name in ["openai", "anthropic", "openrouter", "gemini", "lmstudio"] {
        let room = Room::with(&["calculator", "datetime"]);
        let refuse_tools = vec!["calculator__convert".to_owned()];
        let server = MockServer::scripted_with(script(steps.clone()), MockOptions { refuse_tools, ..options(name) });
        let done = asked(&room, &server, name, &[]).run().exits(0).says(&["42"]);
        assert_eq!(refused(&server).len(), 1, "{name}: {:?}\n{}", refused(&server), done.told());
        assert_eq!(said(&done, "calculator.convert"), 1, "{name}: {}", done.told());
        assert_eq!(server.requests().len(), 3, "{name}: {}", done.told());
        assert_eq!(room.records("set_aside").len(), 1, "{name}");
    }
}

#[test]
fn a_busy_provider_is_waited_for_as_long_as_it_asks() {
    let room = Room::with(&["calculator", "datetime"]);
    for (name, status) in [("openai", 429), ("openrouter", 429), ("anthropic", 529)] {
        let busy = vec![Busy::new(status).header("retry-after", "1")];
        let server = MockServer::scripted_with(errand(), MockOptions { busy, ..options(name) });
        let done = asked(&room, &server, name, &[]).run().exits(0).says(&[ANSWER]);
        assert_eq!(refused(&server), [format!("status {status}")], "{name}");
        assert!(done.took >= Duration::from_secs(1), "{name}: {:?}", done.took);
        let requests = server.requests();
        assert_eq!(requests.len(), 5, "{name}");
        assert_eq!(requests[0].body, requests[1].body, "{name}: the very same body is sent again");
    }
}

#[test]
fn a_refused_key_names_the_providers_own_variable() {
    let room = Room::with(&[]);
    for vendor in VENDORS.iter() {
        let server =
            MockServer::scripted_with(errand(), MockOptions { key: Some("right".into()), ..options(vendor.name) });
        let done = asked(&room, &server, vendor.name, &[]).run().exits(3).complains(&[provider(vendor.name).0]);
        assert!(!done.stderr.contains(KEY), "{}", done.told());
    }
}

#[test]
fn a_missing_key_names_the_providers_own_variable() {
    let room = Room::with(&[]);
    for vendor in VENDORS.iter().filter(|vendor| !["ollama", "lmstudio"].contains(&vendor.name)) {
        let model = format!("{}/m", vendor.name);
        room.winclaw(&["run", "x", "--model", &model]).run().exits(3).complains(&[provider(vendor.name).0]);
    }
}
