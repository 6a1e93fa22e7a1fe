//! What a person meets when something is wrong with the model or in a task.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};
use winclaw_testkit::{MockOpenAi, MockOptions};
use winclaw_tests::{Room, Running, script, skipped};

/// A step that calls the tool `name`.
fn step(name: &str, arguments: Value) -> Value {
    json!({"reply": {"calls": [{"name": name, "arguments": arguments}]}})
}

#[test]
fn a_missing_key_is_code_3_and_names_its_variable() {
    let room = Room::with(&[]);
    let run = |model: &str| room.winclaw(&["run", "x", "--model", model]).run();
    run("openai/some-model").exits(3).complains(&["OPENAI_API_KEY"]);
    run("deepseek/some-model").exits(3).complains(&["DEEPSEEK_API_KEY"]);
    run("nobody/some-model").exits(2).complains(&["deepseek", "ollama"]);
}

#[test]
fn without_any_model_a_person_reads_what_to_set() {
    let served = |port: u16| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
    if served(11434) || served(1234) {
        return skipped("a model server runs on this machine");
    }
    let room = Room::with(&[]);
    room.winclaw(&["run", "x"]).run().exits(3).complains(&["OPENAI_API_KEY", "Ollama"]);
}

#[test]
fn a_refused_key_is_code_3_and_is_not_repeated() {
    let room = Room::with(&[]);
    let options = MockOptions { key: Some("right".into()), ..MockOptions::default() };
    let server = MockOpenAi::scripted_with(script(json!([])), options);
    let run = || {
        let run = room.winclaw(&["run", "x"]).env("OPENAI_BASE_URL", &server.base_url());
        run.env("OPENAI_API_KEY", "sk-wrong-key-0123456789").run().exits(3)
    };
    let done = run().complains(&["OPENAI_API_KEY"]);
    assert!(!done.stderr.contains("sk-wrong-key-0123456789"), "{}", done.told());
    assert!(!json!(room.trace()).to_string().contains("sk-wrong-key-0123456789"));
}

#[test]
fn a_model_that_cannot_be_reached_or_never_answers_is_code_4_within_its_timeout() {
    let room = Room::with(&[]);
    let run = |url: &str| {
        let run = room.winclaw(&["run", "x"]).env("OPENAI_API_KEY", "k").env("OPENAI_BASE_URL", url);
        run.env("WINCLAW_MODEL_TIMEOUT_MS", "300").run().exits(4)
    };
    run("http://127.0.0.1:1/v1").complains(&["127.0.0.1:1"]);
    // It takes the connection and stays silent.
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = silent.local_addr().expect("an address");
    let done = run(&format!("http://{address}/v1")).complains(&[&address.to_string()]);
    assert!(done.took < Duration::from_secs(10), "{:?}", done.took);
}

#[test]
fn a_server_that_is_in_trouble_is_code_4_in_its_own_words() {
    let room = Room::with(&[]);
    let server = MockOpenAi::scripted(script(json!([])));
    let run = room.winclaw(&["run", "x"]).env("OPENAI_BASE_URL", &server.base_url());
    run.run().exits(4).complains(&["refused the request (400)"]);
}

#[test]
fn a_denied_write_is_code_7_and_nothing_is_written() {
    let room = Room::with(&["doc_generator"]);
    let create = step("doc_generator__create", json!({"markdown": "# Hello", "path": "hello.docx"}));
    let replay =
        room.replay(json!([create, {"expect": {"last_contains": "denied"}, "reply": {"text": "Not allowed."}}]));
    let done = room.winclaw(&["run", "write it", "--replay", &replay]).run().exits(7);
    done.says(&["Not allowed."]).complains(&["winclaw consent allow doc_generator.create --side-effect write"]);
    assert!(!room.work().join("hello.docx").exists());
    let consent = &room.records("consent")[0];
    assert_eq!((&consent["tool"], &consent["answer"]), (&json!("doc_generator.create"), &json!("nobody_to_ask")));
}

#[test]
fn a_loop_is_stopped_with_code_8() {
    let room = Room::with(&["calculator"]);
    let mut same = step("calculator__evaluate", json!({"expression": "6*7"}));
    same["times"] = json!(30);
    let replay = room.replay(json!([same]));
    room.winclaw(&["run", "6*7", "--replay", &replay]).run().exits(8).complains(&["calculator.evaluate", "times"]);
    assert!(room.records("call").len() < 10, "it was let run on");
    let chinese = room.winclaw(&["run", "6*7", "--replay", &replay, "--lang", "zh"]).run().exits(8);
    chinese.complains(&["已停止", "被调用了"]);
}

#[test]
fn the_limit_of_model_calls_is_code_6() {
    let room = Room::with(&["calculator"]);
    let sum = |n: u32| step("calculator__evaluate", json!({"expression": format!("{n}+1")}));
    let replay = room.replay(json!((0..5).map(sum).collect::<Vec<_>>()));
    let done = room.winclaw(&["run", "count", "--replay", &replay, "--max-turns", "2"]).run().exits(6);
    done.complains(&["2 model calls"]);
    assert_eq!(room.records("request").len(), 2);
    let chinese = ["run", "count", "--replay", &replay, "--max-turns", "2", "--lang", "zh", "--output", "json"];
    let error = room.winclaw(&chinese).run().exits(6).error_json();
    assert!(error["message"].as_str().is_some_and(|text| text.contains("2 次模型调用的上限")), "{error}");
    assert!(error["mend"].as_str().is_some_and(|text| text.contains("winclaw trace show ")), "{error}");
}

#[test]
fn a_model_that_says_nothing_is_asked_once_more_and_then_code_6() {
    let room = Room::with(&["calculator"]);
    let replay = room.replay(json!([{"reply": {}}, {"expect": {"last_contains": "empty"}, "reply": {}}]));
    room.winclaw(&["run", "x", "--replay", &replay]).run().exits(6).complains(&["no answer"]);
}

#[test]
fn a_failed_tool_that_works_later_is_no_failure_of_the_task() {
    let room = Room::with(&["calculator"]);
    let sum = |text: &str| step("calculator__evaluate", json!({"expression": text}));
    let replay = room.replay(json!([sum("1/0"), sum("1/1"), {"reply": {"text": "one"}}]));
    room.winclaw(&["run", "divide", "--replay", &replay]).run().exits(0).says(&["one"]);
    let outcomes: Vec<Value> = room.records("call").iter().map(|call| call["outcome"].clone()).collect();
    assert_eq!(outcomes, ["tool_failed", "ok"]);
}

#[test]
fn hostile_bytes_of_a_model_never_reach_the_output() {
    let hostile = "\u{1b}]0;PWN\u{7}\u{1b}[2Jhello\u{9b}31m\r\u{202e}";
    let sum = step("calculator__evaluate", json!({"expression": format!("1+1{hostile}")}));
    // Each run checks that no control character came out.
    for output in ["text", "json", "stream-json"] {
        let room = Room::with(&["calculator"]);
        let replay = room.replay(json!([sum, step(hostile, json!({})), {"reply": {"text": hostile}}]));
        let run = room.winclaw(&["run", hostile, "--replay", &replay, "--output", output, "-v"]);
        let done = run.run();
        assert!(done.stdout.contains("hello"), "{}", done.told());
        room.winclaw(&["trace", "show"]).run().exits(0).says(&["hello"]);
        room.winclaw(&["trace", "list"]).run().exits(0).says(&["hello"]);
    }
}

#[test]
fn the_request_is_read_from_standard_input_for_a_dash() {
    let room = Room::with(&[]);
    let replay = room.replay(json!([{"expect": {"last_contains": "第一行\nsecond"}, "reply": {"text": "read"}}]));
    let run = || room.winclaw(&["run", "-", "--replay", &replay]);
    run().stdin("第一行\nsecond\n").run().exits(0).says(&["read"]);
    assert_eq!(room.records("start")[0]["request"], "第一行\nsecond");
    run().stdin(" \n").run().exits(2).complains(&["the request is empty"]);
    run().run().exits(2).complains(&["the request is empty"]);
}

#[test]
fn json_output_ends_with_the_answer_and_stream_json_tells_each_event() {
    let room = Room::with(&["calculator"]);
    let sum = step("calculator__evaluate", json!({"expression": "6*7"}));
    let replay = room.replay(json!([sum, {"reply": {"text": "It is {{result:0:/result}}."}}]));
    let run = |output: &str| room.winclaw(&["run", "6*7", "--replay", &replay, "--output", output]).run().exits(0);
    let end = run("json").json();
    assert_eq!((&end["state"], &end["exit_code"], &end["calls"]), (&json!("done"), &json!(0), &json!(1)), "{end}");
    assert!(end["answer"].as_str().is_some_and(|answer| answer.contains("42")), "{end}");
    let events: Vec<Value> = run("stream-json")
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for kind in ["exposure", "call_started", "call_ended", "text", "end"] {
        assert!(events.iter().any(|event| event["event"] == kind), "no {kind}: {events:#?}");
    }
    assert_eq!(events.last().map(|event| &event["event"]), Some(&json!("end")));
}

/// A task with two calls that last, of which the first is running.
#[cfg(unix)]
fn two_slow_calls(room: &Room, second: Value) -> Running {
    let slow = json!({"name": "misbehave__slow", "arguments": {"ms": 600_000}});
    let replay = room.replay(json!([
        {"reply": {"text": "wait", "calls": [slow, second]}},
        {"expect": {"messages_contain": "the person stopped this call"}, "reply": {"text": "I went on."}},
    ]));
    let mut running = room.winclaw(&["run", "slow", "--replay", &replay]).start();
    running.wait_for("misbehave.slow");
    running
}

#[test]
#[cfg(unix)]
fn one_interrupt_stops_the_running_call_and_the_task_goes_on() {
    let room = Room::with_misbehave(&["calculator"]);
    let sum = json!({"name": "calculator__evaluate", "arguments": {"expression": "6*7"}});
    let running = two_slow_calls(&room, sum);
    running.interrupt();
    running.wait().exits(0).says(&["I went on."]).complains(&["half done"]);
    let outcomes: Vec<Value> = room.records("call").iter().map(|call| call["outcome"].clone()).collect();
    assert_eq!(outcomes, ["cancelled", "ok"]);
}

#[test]
#[cfg(unix)]
fn two_interrupts_end_the_task_with_code_130_and_a_whole_trace() {
    let room = Room::with_misbehave(&[]);
    let slow = json!({"name": "misbehave__slow", "arguments": {"ms": 600_001}});
    let mut running = two_slow_calls(&room, slow);
    running.interrupt();
    running.wait_for("half done");
    running.interrupt();
    let done = running.wait().exits(130).complains(&["interrupted"]);
    assert!(done.took < Duration::from_secs(20), "{:?}", done.took);
    let calls = room.records("call");
    assert!(calls.iter().all(|call| call["outcome"] == "cancelled"), "{calls:?}");
    let trace = room.trace();
    let end = trace.last().expect("records");
    assert_eq!((&end["kind"], &end["state"], &end["exit_code"]), (&json!("end"), &json!("interrupted"), &json!(130)));
    room.winclaw(&["trace", "show"]).run().exits(0).says(&["interrupted"]);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_tool_call_with_code_130() {
    let room = Room::with_misbehave(&[]);
    let mut running = room.winclaw(&["tool", "call", "misbehave.slow", "--args", "{\"ms\": 600000}"]).start();
    running.wait_for("misbehave.slow");
    running.interrupt();
    running.wait().exits(130);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_model_that_does_not_answer_with_code_130() {
    let room = Room::with(&[]);
    let silent = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let url = format!("http://{}/v1", silent.local_addr().expect("an address"));
    let running = room.winclaw(&["run", "x"]).env("OPENAI_BASE_URL", &url).start();
    // It has sent its request, or is about to read the answer.
    let _connection = silent.accept().expect("a connection");
    running.interrupt();
    running.wait().exits(130);
    assert_eq!(room.trace().last().expect("records")["state"], "interrupted");
}
