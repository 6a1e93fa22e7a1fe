//! `winclaw explain` on the shipped plugins: every example finds its tool, and the strategies differ as they say.

use std::path::Path;

use serde_json::{Value, json};
use winclaw_tests::{Room, Shipped, shipped, skipped};

/// As a model with room for few tools would be served; with Direct, everything would be shown.
const SMALL: [&str; 5] = ["--json", "--transport", "bridge", "--window", "16000"];

fn explain(room: &Room, text: &str, arguments: &[&str]) -> Value {
    room.winclaw(&["explain", text]).args(arguments).run().exits(0).json()
}

/// Ids of the tools that stand above the plain catalogue.
fn shown(explained: &Value) -> Vec<String> {
    let tools = explained["tools"].as_array().expect("tools").iter();
    let above = tools.filter(|tool| tool["level"] != "named");
    above.map(|tool| tool["tool"].as_str().expect("an id").to_owned()).collect()
}

/// Each example of a plugin, with the id of its tool.
fn examples(plugin: &Shipped) -> Vec<(String, String)> {
    let of = |tool: &Value| {
        let id = format!("{}.{}", plugin.id, tool["name"].as_str().expect("a name"));
        let examples = tool["examples"].as_array().expect("examples").clone();
        examples.into_iter().map(move |text| (id.clone(), text.as_str().expect("a text").to_owned()))
    };
    plugin.manifest["tools"].as_array().expect("tools").iter().flat_map(of).collect()
}

/// The examples that show no tool of their plugin.
fn missed(room: &Room, examples: &[(String, String)]) -> Vec<String> {
    let finds = |id: &str, text: &str| {
        let plugin = id.split_once('.').map(|(plugin, _)| format!("{plugin}.")).expect("an id");
        shown(&explain(room, text, &SMALL)).iter().any(|tool| tool.starts_with(&plugin))
    };
    examples.iter().filter(|(id, text)| !finds(id, text)).map(|(id, text)| format!("{id}: {text}")).collect()
}

#[test]
fn every_example_of_every_plugin_shows_that_plugin() {
    let room = Room::new();
    let all: Vec<(String, String)> = shipped().iter().flat_map(examples).collect();
    assert!(all.len() > 20, "{all:?}");
    let (first, second) = all.split_at(all.len() / 2);
    let missed: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(|| missed(&room, second));
        let mut own = missed(&room, first);
        own.extend(other.join().expect("the other half"));
        own
    });
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn a_request_for_two_things_shows_the_tools_of_both_and_says_why() {
    let room = Room::new();
    for text in ["查北京天气，写成 Word 文档", "Check the weather in Beijing and write it up as a Word document"]
    {
        let explained = explain(&room, text, &SMALL);
        let shown = shown(&explained);
        assert!(
            shown.contains(&"weather.forecast".into()) && shown.contains(&"doc_generator.create".into()),
            "{shown:?}"
        );
        let everything = explained["tokens"]["everything"].as_u64().expect("tokens");
        assert!(explained["tokens"]["prefix"].as_u64().expect("tokens") < everything + 2_000, "{explained}");
        for tool in explained["tools"].as_array().expect("tools") {
            let because = &tool["because"];
            assert!(because["en"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
            assert!(because["zh"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
        }
    }
    let words = ["weather.forecast", "doc_generator.create", "tokens", "策略"];
    room.winclaw(&["explain", "查北京天气，写成 Word 文档", "--lang", "zh"]).run().exits(0).says(&["策略", "token"]);
    room.winclaw(&["explain", "weather as a Word document"]).run().exits(0).says(&words[..3]);
}

#[test]
fn progressive_hides_nothing_for_good_and_hard_does() {
    let room = Room::new();
    let ways = |strategy: &str, transport: &str| -> Vec<String> {
        let arguments = ["--json", "--strategy", strategy, "--transport", transport];
        let explained = explain(&room, "查北京天气", &arguments);
        let tools = explained["tools"].as_array().expect("tools").clone();
        tools.iter().map(|tool| tool["how_to_reach"].as_str().expect("a way").to_owned()).collect()
    };
    assert!(ways("hard", "auto").iter().any(|way| way == "hidden"));
    assert!(ways("full", "auto").iter().all(|way| way == "native"));
    for transport in ["direct", "bridge"] {
        let ways = ways("progressive", transport);
        assert!(ways.iter().all(|way| way != "hidden" && way != "disabled"), "{transport}: {ways:?}");
    }
}

#[test]
fn the_same_request_is_explained_with_the_same_bytes() {
    let room = Room::new();
    let text = |_| room.winclaw(&["explain", "把 5 公里换算成英里"]).args(&SMALL).run().exits(0).stdout;
    let all: Vec<String> = (0..3).map(text).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
}

#[test]
fn a_request_that_points_nowhere_still_leaves_every_tool_reachable() {
    let room = Room::new();
    for text in ["嗯", "zzzzqqq", "🙂", "."] {
        let explained = explain(&room, text, &SMALL);
        assert!(explained["tools"].as_array().expect("tools").iter().all(|tool| tool["how_to_reach"] != "hidden"));
    }
    room.winclaw(&["explain", "  "]).run().exits(2).complains(&["the request is empty"]);
}

#[test]
#[cfg(target_os = "linux")]
fn explaining_works_where_there_is_no_network_at_all() {
    let room = Room::new();
    let unshare = Path::new("unshare");
    let can = std::process::Command::new(unshare).args(["-rn", "true"]).status().is_ok_and(|status| status.success());
    if !can {
        return skipped("this machine lets nobody make a network namespace");
    }
    let program = winclaw_tests::dist().join("winclaw");
    let plugins = room.plugins().to_str().expect("a path");
    let program = program.to_str().expect("a path");
    let done = room.program(unshare, &["-rn", program, "explain", "查北京天气", "--plugins", plugins, "--json"]).run();
    assert_eq!(done.exits(0).json()["request"], json!("查北京天气"));
}
