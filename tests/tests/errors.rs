//! What a person meets when something is wrong outside a model: the exit code, what is wrong, and how to mend it.

use std::fs;

use serde_json::json;
use winclaw_tests::Room;

#[test]
fn bad_arguments_name_the_field_and_show_a_right_call() {
    let room = Room::with(&["calculator"]);
    let call = |args: &str| room.winclaw(&["tool", "call", "calculator.evaluate", "--args", args]).run();
    call("{\"expressions\": \"1+1\"}").exits(2).complains(&["`expressions`", "`expression`", "{\"expression\":"]);
    call("{\"expression\": {\"of\": 5}}").exits(2).complains(&["`expression`", "string"]);
    call("{\"expression\":").exits(2).complains(&["arguments"]);
    call("[1]").exits(2).complains(&["object"]);
    call("{\"expression\": \"6*7\"}").exits(0).says(&["42"]);
}

#[test]
fn arguments_are_read_from_standard_input_too() {
    let room = Room::with(&["calculator"]);
    let run = room.winclaw(&["tool", "call", "calculator.evaluate", "--args", "-"]);
    run.stdin("{\"expression\": \"6*7\"}").run().exits(0).says(&["42"]);
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest() {
    let room = Room::with(&["calculator", "weather"]);
    room.winclaw(&["tool", "call", "calculators.evaluate"]).run().exits(2).complains(&["calculator.evaluate"]);
    room.winclaw(&["tool", "describe", "weather.forcast"]).run().exits(2).complains(&["weather.forecast"]);
    let bare = Room::with(&[]);
    bare.winclaw(&["tool", "call", "sky.forecast"]).run().exits(2).complains(&["winclaw tool list"]);
}

#[test]
fn without_a_network_the_weather_tool_says_so() {
    let room = Room::with(&["weather"]);
    let call = || {
        let run = room.winclaw(&["tool", "call", "weather.forecast", "--args", "{\"place\": \"北京\"}"]);
        // Nothing listens there.
        run.env("HTTPS_PROXY", "http://127.0.0.1:1")
    };
    call().run().exits(5).complains(&["cannot be reached", "network"]);
    call().args(&["--lang", "zh"]).run().exits(5).complains(&["weather service", "无法连接", "网络"]);
}

#[test]
fn what_may_write_does_not_run_unasked_where_nobody_can_be_asked() {
    let room = Room::with(&["doc_generator"]);
    let args = "{\"markdown\": \"# Hello\", \"path\": \"hello.docx\"}";
    let call = || room.winclaw(&["tool", "call", "doc_generator.create", "--args", args]);
    call()
        .run()
        .exits(7)
        .complains(&["doc_generator.create", "winclaw consent allow doc_generator.create --side-effect write"]);
    assert!(!room.work().join("hello.docx").exists());
    call().args(&["--approve", "writes"]).run().exits(0);
    assert!(room.work().join("hello.docx").exists());
}

#[test]
fn a_script_that_cannot_be_read_is_named_with_what_is_wrong() {
    let room = Room::with(&[]);
    let later = room.work().join("later.json");
    fs::write(&later, json!({"schema": 2, "name": "later", "steps": []}).to_string()).expect("written");
    let run = |file: &str| room.winclaw(&["run", "x", "--replay", file]).run();
    run("later.json").exits(2).complains(&["later.json", "schema is 2"]);
    run("gone.json").exits(2).complains(&["gone.json"]);
}

#[test]
fn an_error_is_one_line_of_json_where_json_was_asked_for() {
    let room = Room::with(&["calculator"]);
    let cases: [(&[&str], i32, &str); 7] = [
        (&["run", "--output", "json"], 2, "usage"),
        (&["run", "x", "--max-turns", "0", "--output=stream-json"], 2, "usage"),
        (&["tool", "call", "no.such", "--output", "json"], 2, "usage"),
        (
            &["tool", "call", "calculator.evaluate", "--args", "{\"expression\": \"1/0\"}", "--output", "json"],
            5,
            "tool",
        ),
        (&["run", " ", "--output", "json"], 2, "usage"),
        (&["run", "x", "--model", "openai/x", "--output", "stream-json"], 3, "authentication"),
        (&["plugin", "inspect", "nobody", "--json"], 2, "usage"),
    ];
    for (arguments, code, word) in cases {
        let done = room.winclaw(arguments).run().exits(code);
        let error = done.error_json();
        assert_eq!(error["exit_code"], code, "{error}");
        assert!(error["error"].as_str().is_some_and(|name| name.contains(word)), "{error}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    }
}

#[test]
fn messages_come_in_the_language_that_was_asked_for() {
    let room = Room::with(&["calculator"]);
    let chinese = |arguments: &[&str], words: &str| {
        let run = room.winclaw(arguments).args(&["--lang", "zh"]);
        run.run().complains(&["错误", words]);
    };
    chinese(&["run", " "], "请求为空");
    chinese(&["tool", "describe", "nothing.here"], "没有名为");
    chinese(&["run", "x", "--model", "deepseek/x"], "缺少");
    chinese(&["trace", "show", "last"], "还没有任务记录");
    let by_locale = room.winclaw(&["run", " "]).env("LANG", "zh_CN.UTF-8").run();
    by_locale.exits(2).complains(&["请求为空"]);
    let english = room.winclaw(&["run", " ", "--lang", "en"]).env("LANG", "zh_CN.UTF-8").run();
    english.exits(2).complains(&["the request is empty"]);
    room.winclaw(&["--help", "--lang", "zh"]).run().exits(0).says(&["工具宿主"]);
}

#[test]
fn a_misspelt_field_of_the_configuration_is_named() {
    let room = Room::with(&[]);
    let file = room.path().join("config.toml");
    let list = || room.winclaw(&["tool", "list", "--config", file.to_str().expect("a path")]).run();
    for (text, words) in [
        ("models = \"openai/x\"", "models"),
        ("[plugins]\nin_processes = []", "in_processes"),
        ("approve = \"sometimes\"", "sometimes"),
        ("lang = \"fr\"", "fr"),
        ("model = ", "model"),
    ] {
        fs::write(&file, text).expect("written");
        list().exits(2).complains(&[words, "config.toml"]);
    }
    fs::remove_file(&file).expect("removed");
    list().exits(2).complains(&["config.toml"]);
}

#[test]
fn a_tool_or_plugin_the_configuration_disables_does_not_run() {
    let room = Room::with(&["calculator"]);
    let file = room.path().join("config.toml");
    fs::write(&file, "[tools]\ndisabled = [\"calculator.evaluate\"]").expect("written");
    let config = file.to_str().expect("a path");
    let call = |tool: &str, args: &str| room.winclaw(&["tool", "call", tool, "--args", args, "--config", config]).run();
    call("calculator.evaluate", "{\"expression\": \"1\"}").exits(7).complains(&["disabled"]);
    call("calculator.convert", "{\"value\": \"1 km\", \"to\": \"m\"}").exits(0).says(&["1000"]);
}

#[test]
fn wrong_use_of_the_command_line_is_code_2() {
    let room = Room::with(&[]);
    for arguments in
        [&["fly"] as &[&str], &["run"], &["run", "x", "--max-turns", "0"], &["trace", "show", "--lang", "fr"]]
    {
        room.winclaw(arguments).run().exits(2);
    }
    room.winclaw(&["--version"]).run().exits(0).says(&["winclaw "]);
}

#[test]
fn a_closed_pipe_ends_the_output_and_not_the_program() {
    let room = Room::with(&["calculator"]);
    let replay = room.replay(json!([{"reply": {"text": "words, and more words"}}]));
    let cases: [&[&str]; 6] = [
        &["tool", "list"],
        &["plugin", "list", "--json"],
        &["completions", "bash"],
        &["--help"],
        &["run", "x", "--replay", &replay],
        &["explain", "6*7"],
    ];
    for arguments in cases {
        room.winclaw(arguments).closed_stdout().run().exits(0);
    }
}
