//! The whole line on models that tools are revealed to natively: a tool that was held back is found, called as any other,
//! and the vendor would have refused nothing that was sent.

use serde_json::{Value, json};
use winclaw_testkit::{MockServer, Recorded};
use winclaw_tests::{Room, Run, script};

/// Needs documents and weather, so that sums are held back.
const REQUEST: &str = "查北京天气，写成 Word 文档";
const BOTH: [&str; 2] = ["anthropic/a-model", "openai-responses/a-model"];

fn asked(room: &Room, server: &MockServer, model: &str) -> Run {
    // A window so small that the shipped tools do not all fit into the array.
    let run = room.winclaw(&["run", REQUEST, "--model", model, "--window", "40000"]);
    let run = run.env("ANTHROPIC_BASE_URL", &server.root()).env("ANTHROPIC_API_KEY", "a-key");
    let run = run.env("OPENAI_BASE_URL", &server.base_url()).env("OPENAI_API_KEY", "a-key");
    run.env("HTTPS_PROXY", "http://127.0.0.1:1")
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// All bodies share their bytes up to the first new message or item.
fn prefix_is_frozen(requests: &[Recorded]) {
    let bodies: Vec<String> =
        requests.iter().map(|request| String::from_utf8(request.body.clone()).expect("UTF-8")).collect();
    for pair in bodies.windows(2) {
        let shared = pair[0].strip_suffix("]}").expect("the conversation comes last");
        assert!(pair[1].starts_with(shared), "{}\n{}", pair[0], pair[1]);
    }
}

#[test]
fn a_tool_that_was_held_back_is_found_and_called_natively() {
    for model in BOTH {
        let room = Room::new();
        let server = MockServer::scripted(script(json!([
            {"expect": {"tools": ["tool_search"], "not_tools": ["calculator__evaluate"], "results": 0},
             "reply": {"text": "先找。", "reasoning": "要算", "calls": [call("tool_search", json!({"queries": ["evaluate an expression"]}))]}},
            {"expect": {"results": 1, "revealed": ["calculator__evaluate"], "not_tools": ["calculator__evaluate"]},
             "reply": {"calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
            {"expect": {"results": 2, "last_contains": "42"}, "reply": {"text": "四十二。"}}
        ])));
        let done = asked(&room, &server, model).run().exits(0);
        assert_eq!(server.refusals(), Vec::<String>::new(), "{model}: {}", done.told());
        done.clone().says(&["四十二。"]);
        assert_eq!(server.requests().len(), 3, "{model}");
        prefix_is_frozen(&server.requests());
        assert_eq!(room.records("call").len(), 1, "{model}");
    }
}

#[test]
fn a_tool_called_by_name_alone_is_run_and_revealed_beside_its_result() {
    for model in BOTH {
        let room = Room::new();
        let options = winclaw_testkit::MockOptions { hallucinates: true, ..Default::default() };
        let sum = |expression: &str| json!([call("calculator__evaluate", json!({"expression": expression}))]);
        let steps = json!([
            {"expect": {"not_tools": ["calculator__evaluate"]}, "reply": {"calls": sum("6*7")}},
            {"expect": {"results": 1, "messages_contain": "42", "revealed": ["calculator__evaluate"]},
             "reply": {"calls": sum("6*8")}},
            {"expect": {"results": 2, "last_contains": "48"}, "reply": {"text": "好。"}}
        ]);
        let server = MockServer::scripted_with(script(steps), options);
        let done = asked(&room, &server, model).run().exits(0);
        assert_eq!(server.refusals(), Vec::<String>::new(), "{model}: {}", done.told());
        prefix_is_frozen(&server.requests());
    }
}

#[test]
fn the_bridge_works_with_such_models_too() {
    for model in BOTH {
        let room = Room::new();
        let bridged = json!({"name": "calculator.evaluate", "arguments": {"expression": "6*7"}});
        let server = MockServer::scripted(script(json!([
            {"expect": {"tools": ["tool_search", "tool_call"], "not_tools": ["calculator__evaluate"]},
             "reply": {"calls": [call("tool_search", json!({"queries": ["evaluate an expression"]}))]}},
            {"expect": {"results": 1, "last_contains": "\"expression\""}, "reply": {"calls": [call("tool_call", bridged)]}},
            {"expect": {"results": 2, "last_contains": "42"}, "reply": {"text": "四十二。"}}
        ])));
        let done = asked(&room, &server, model).args(&["--transport", "bridge"]).run().exits(0);
        assert_eq!(server.refusals(), Vec::<String>::new(), "{model}: {}", done.told());
        prefix_is_frozen(&server.requests());
    }
}
