//! `winclaw explain` on the shipped plugins: every example finds its tool, and the strategies differ as they say.

use std::path::Path;

use serde_json::{Value, json};
use winclaw_testkit::MockOpenAi;
use winclaw_tests::{Room, Shipped, script, shipped, skipped};

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
fn the_payload_that_is_explained_is_the_payload_that_is_sent() {
    let room = Room::new();
    for transport in ["direct", "bridge"] {
        let arguments = ["--transport", transport, "--window", "64000"];
        let text = "查北京天气，写成 Word 文档";
        let payload = explain(&room, text, &[&arguments[..], &["--json", "--payload"]].concat())["payload"].clone();
        let server = MockOpenAi::scripted(script(json!([{"reply": {"text": "好"}}])));
        let run = room.winclaw(&["run", text]).args(&arguments);
        run.env("OPENAI_BASE_URL", &server.base_url()).env("OPENAI_API_KEY", "a-key").run().exits(0);
        let sent = server.requests()[0].json();
        assert_eq!(sent["messages"][0]["content"], payload["system"], "{transport}");
        assert_eq!(sent["messages"][1]["content"], payload["message"], "{transport}");
        let tools: Vec<&Value> =
            sent["tools"].as_array().expect("tools").iter().map(|tool| &tool["function"]).collect();
        assert_eq!(json!(tools), payload["tools"], "{transport}");
    }
    let page = room.winclaw(&["explain", "weather", "--payload"]).run().exits(0);
    page.says(&["System text, as sent", "Tools array, as sent", "\"weather__forecast\"", "Message, as sent"]);
}

#[test]
fn a_page_tells_levels_scores_edges_ways_budgets_and_the_tail() {
    let room = Room::new();
    let text = "Check the weather in Beijing and write it up as a Word document";
    let arguments = ["--transport", "bridge", "--window", "16000"];
    let page = room.winclaw(&["explain", text]).args(&arguments).env("COLUMNS", "120").run().exits(0);
    page.says(&[
        "needs       Check the weather in Beijing | and write it up as a Word document",
        "transport   bridge: it was asked for",
        "the request names it: weather",
        "its result feeds doc_generator.create",
        "called by name, details one question away",
        "Budgets",
        "names and summaries",
        "Behind the request the model reads",
        "Likely useful now: ",
    ]);
    let narrow = room.winclaw(&["explain", text]).args(&arguments).env("COLUMNS", "40").run().exits(0);
    let wide: Vec<&str> = narrow.stdout.lines().filter(|line| line.chars().count() > 40).collect();
    assert_eq!(wide, Vec::<&str>::new());
}

#[test]
fn the_strategies_stand_side_by_side() {
    let room = Room::new();
    let text = "查北京天气，写成 Word 文档";
    let compared = explain(&room, text, &["--compare", "--json"]);
    let names: Vec<&Value> =
        compared["strategies"].as_array().expect("three").iter().map(|one| &one["strategy"]).collect();
    assert_eq!(names, ["progressive", "full", "hard"]);
    let of = |at: usize| compared["strategies"][at]["unreachable"].as_array().expect("ids").len();
    assert!(of(0) == 0 && of(1) == 0 && of(2) > 0, "{compared}");
    let recommended = compared["recommended"].as_array().expect("tools");
    let lot = |strategy: &str| recommended.iter().filter(|tool| tool["in"][strategy]["lot"] == "hidden").count();
    assert!(lot("hard") > 0 && lot("full") == 0 && lot("progressive") == 0, "{compared}");
    let page = room.winclaw(&["explain", text, "--compare"]).run().exits(0);
    page.says(&["strategy", "hidden", "Cannot be reached under hard", "progressive hides none"]);
    let page = room.winclaw(&["explain", text, "--compare"]).run().exits(0);
    page.says(&["by rank", "alphabetical", "hard chooses its category with WinClaw's own evidence"]);
    let chinese = room.winclaw(&["explain", text, "--compare", "--lang", "zh"]).run().exits(0);
    chinese.says(&["隐藏", "在策略 hard 下无法使用"]);
    for wrong in [["--strategy", "full"].as_slice(), &["--payload"]] {
        room.winclaw(&["explain", text, "--compare"]).args(wrong).run().exits(2).complains(&["cannot be used with"]);
    }
}

#[test]
fn a_task_in_progress_is_explained_with_what_it_used_and_planned() {
    let room = Room::new();
    let context = ["--used", "weather.forecast", "--plan", "write a Word document", "--earlier", "查北京天气"];
    let explained = explain(&room, "再来一次", &[&SMALL[..], &context].concat());
    assert_eq!(explained["context"]["used"], json!(["weather.forecast"]));
    let shown = shown(&explained);
    for tool in ["weather.forecast", "doc_generator.create"] {
        assert!(shown.contains(&tool.to_owned()), "{tool} is not shown: {shown:?}");
    }
    let wrong = room.winclaw(&["explain", "x", "--used", "weather.forecasts"]).run().exits(2);
    wrong.complains(&["there is no tool `weather.forecasts`", "the nearest are: weather.forecast"]);
    let wrong = room.winclaw(&["explain", "x", "--used", "nothing.like_it", "--json"]).run().exits(2).error_json();
    assert_eq!(wrong["exit_code"], 2);
}

#[test]
fn a_request_of_any_kind_from_standard_input_has_a_bounded_answer() {
    let room = Room::new();
    let long = "天气 weather\u{0}\u{202e} ".repeat(80_000);
    let done = room.winclaw(&["explain", "-"]).stdin(&long).run().exits(0);
    done.clone().says(&["weather.forecast", "characters)"]);
    assert!(done.stdout.len() < 40_000, "{} bytes", done.stdout.len());
    let explained = room.winclaw(&["explain", "-", "--json"]).stdin(&long).run().exits(0).json();
    assert_eq!(explained["request_chars"].as_u64(), Some(long.trim().chars().count() as u64));
    assert!(explained["request"].as_str().is_some_and(|text| text.chars().count() == 2_000));
    for odd in ["天", "🙂👩‍👩‍👧 🇨🇳", "погода 天気 weather 날씨", "\u{0}weather\u{0}", "}{\"';--"]
    {
        room.winclaw(&["explain", "-"]).stdin(odd).run().exits(0).says(&["Budgets"]);
    }
    for empty in ["", " \n\t", "\u{0}\u{200b}\u{feff}"] {
        room.winclaw(&["explain", "-"]).stdin(empty).run().exits(2).complains(&["the request is empty"]);
    }
}

#[test]
fn anyones_tools_are_explained_from_a_file_without_plugins() {
    let room = Room::with(&[]);
    let file = room.path().join("tools.jsonl");
    let rows: Vec<String> = (0..300)
        .map(|n| {
            json!({"id": format!("p{n}"), "name": format!("plant_step_{n}"), "server": "plant", "parameters": null,
                        "description": format!("Runs step {n} of the plant")})
            .to_string()
        })
        .chain([
            json!({"id": "m1", "name": "send_mail", "server": "post", "parameters": null,
                       "description": "Sends a mail", "depends_on": [{"tool": "m2", "kind": "requires"}]})
            .to_string(),
            json!({"id": "m2", "name": "open_box", "server": "post", "parameters": null,
                       "description": "Opens the box of mails"})
            .to_string(),
        ])
        .collect();
    std::fs::write(&file, rows.join("\n")).expect("written");
    let file = file.to_str().expect("a path in UTF-8");
    let explained = explain(&room, "send a mail", &["--json", "--tools", file, "--transport", "bridge"]);
    assert_eq!(explained["tools"].as_array().map(Vec::len), Some(302));
    let shown = shown(&explained);
    assert!(
        shown.iter().any(|id| id.ends_with("send_mail")) && shown.iter().any(|id| id.ends_with("open_box")),
        "{shown:?}"
    );
    room.winclaw(&["explain", "send a mail", "--tools", file]).run().exits(0).says(&["required by", "more (--all)"]);
    let all = room.winclaw(&["explain", "send a mail", "--tools", file, "--all"]).run().exits(0);
    assert!(all.stdout.contains("plant_step_299") && !all.stdout.contains("(--all)"), "{}", all.told());
    let noted = room.winclaw(&["explain", "x", "--tools", file]).run().exits(0);
    assert_eq!(noted.stderr, "", "{}", noted.told());
    let missing = room.winclaw(&["explain", "x", "--tools", "nowhere.jsonl"]).run().exits(2);
    missing.complains(&["nowhere.jsonl"]);
    std::fs::write(room.path().join("broken.jsonl"), "{\"id\": ").expect("written");
    let broken = room.path().join("broken.jsonl");
    room.winclaw(&["explain", "x", "--tools", broken.to_str().expect("a path")])
        .run()
        .exits(2)
        .complains(&["broken.jsonl:1"]);
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

#[test]
fn without_tools_there_is_nothing_to_explain() {
    let room = Room::with(&[]);
    for more in [&[][..], &["--compare"], &["--compare", "--json"], &["--json"]] {
        let nowhere = room.winclaw(&["explain", "x", "--plugins", "nowhere"]).args(more).run().exits(2);
        assert_eq!(nowhere.stdout, "", "{}", nowhere.told());
        nowhere.complains(&["no tools", "no plugin folder nowhere", "--tools"]);
        room.winclaw(&["explain", "x"])
            .args(more)
            .run()
            .exits(2)
            .complains(&["no tools in the plugin folder", "--plugins"]);
    }
    let chinese = room.winclaw(&["explain", "x", "--plugins", "nowhere", "--lang", "zh"]).run().exits(2);
    chinese.complains(&["插件文件夹 nowhere 不存在", "--tools"]);
}

#[test]
fn an_option_without_a_word_is_refused() {
    let room = Room::new();
    for option in ["--used", "--plan", "--earlier"] {
        for empty in ["", "  "] {
            let refused = room.winclaw(&["explain", "x", option, empty]).run().exits(2);
            refused.complains(&[&format!("{option} has an empty value"), "leave it out"]);
        }
    }
    room.winclaw(&["explain", "x", "--used", "weather.forecast,"]).run().exits(2).complains(&["--used has an empty"]);
    room.winclaw(&["explain", "x", "--plan", "", "--lang", "zh"]).run().exits(2).complains(&["--plan 的值为空"]);
}

#[test]
fn problems_of_a_file_are_counted_and_with_all_listed() {
    let room = Room::with(&[]);
    let rows: Vec<String> = (0..3).map(|n| json!({"id": format!("sky/no_{n}")}).to_string()).collect();
    let file = room.path().join("tools.jsonl");
    std::fs::write(&file, rows.join("\n")).expect("written");
    let file = file.to_str().expect("a path in UTF-8");
    let counted = room.winclaw(&["explain", "x", "--tools", file]).run().exits(0);
    assert!(counted.stderr.contains("3 problems") && counted.stderr.contains("--all lists"), "{}", counted.told());
    let listed = room.winclaw(&["explain", "x", "--tools", file, "--all"]).run().exits(0);
    let words = "3 tools, such as sky/no_0: It has no description.";
    assert!(listed.stderr.contains(words) && !listed.stderr.contains("--all"), "{}", listed.told());
}
