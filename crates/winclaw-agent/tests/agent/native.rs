//! Whole tasks over the formats that reveal tools natively, against servers that hold the host to the vendors' rules.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_exposure::Transport;
use winclaw_model::{ModelChoice, Remote, Script};
use winclaw_testkit::{MockOptions, MockServer};
use winclaw_trace::Record;

use crate::stage::Play;

const BOTH: [&str; 2] = ["anthropic", "openai-responses"];

fn serve(steps: Value, hallucinates: bool) -> MockServer {
    let script = json!({"schema": 1, "name": "native", "steps": steps});
    let script = Script::parse(&script.to_string()).expect("a script");
    MockServer::scripted_with(script, MockOptions { hallucinates, ..MockOptions::default() })
}

fn model(provider: &str, mock: &MockServer) -> Remote {
    let env = |name: &str| match name {
        "ANTHROPIC_BASE_URL" => Some(mock.root()),
        "OPENAI_BASE_URL" => Some(mock.base_url()),
        name if name.ends_with("_API_KEY") => Some("none".to_owned()),
        _ => None,
    };
    Remote::new(&ModelChoice::parse(&format!("{provider}/m")).expect("a choice"), &env).expect("a model")
}

/// Plays the steps with a vendor; gives the calls that ran and the records, after all that must hold of any task.
async fn play(provider: &str, play: Play, steps: Value, hallucinates: bool) -> (Vec<(String, Value)>, Vec<Record>) {
    let mock = serve(steps, hallucinates);
    let play = play.transport(Transport::Native);
    let (report, records, ran) = play.run_with(&model(provider, &mock)).await;
    assert_eq!(mock.refusals(), Vec::<String>::new(), "{provider}");
    assert_eq!(report.state, EndState::Done, "{provider}");
    let native = |record: &Record| !matches!(record, Record::Exposure { transport, .. } if transport != "native");
    assert!(records.iter().all(native), "{provider} reveals natively");
    (ran, records)
}

#[tokio::test]
async fn a_search_a_native_call_of_what_it_revealed_and_an_answer() {
    for provider in BOTH {
        let steps = json!([
            {"expect": {"tools": "tool_search", "not_tools": "filler__tool_33", "results": 0},
             "reply": {"calls": [{"name": "tool_search", "arguments": {"queries": ["filler.tool_33"]}}]}},
            {"expect": {"revealed": "filler__tool_33", "not_tools": "filler__tool_33", "results": 1},
             "reply": {"reasoning": "found", "calls": [{"name": "filler__tool_33", "arguments": {"value": "x"}}]}},
            {"expect": {"results": 2}, "reply": {"text": "{{result:1:/did}}"}}
        ]);
        let (ran, _) = play(provider, Play::new("weather in Paris"), steps, false).await;
        assert_eq!(ran, [("filler.tool_33".into(), json!({"value": "x"}))]);
    }
}

#[tokio::test]
async fn a_call_of_what_was_never_revealed_runs_and_reveals_it() {
    for provider in BOTH {
        let steps = json!([
            {"expect": {"not_tools": "filler__tool_41"},
             "reply": {"calls": [{"name": "filler__tool_41", "arguments": {"value": "a"}}]}},
            {"expect": {"results": 1}, "reply": {"calls": [{"name": "filler__tool_41", "arguments": {"value": "b"}}]}},
            {"expect": {"results": 2, "messages_contain": "a value for tool 41"}, "reply": {"text": "done"}}
        ]);
        let (ran, _) = play(provider, Play::new("weather in Paris"), steps, true).await;
        assert_eq!(ran.len(), 2, "{provider}");
    }
}

#[tokio::test]
async fn a_wrong_name_a_look_up_and_a_batch_keep_to_the_rules_too() {
    for provider in BOTH {
        let batch: Vec<Value> =
            (0..10).map(|n| json!({"name": "sky__forecast", "arguments": {"place": format!("city {n}")}})).collect();
        let steps = json!([
            {"reply": {"text": "first", "calls": [
                {"name": "sky__forcast", "arguments": {}},
                {"name": "tool_details", "arguments": {"names": ["filler.tool_12", "post.send"]}},
                {"name": "tool_search", "arguments": {"queries": ["nothing of the kind", "value 5"]}}]}},
            {"reply": {"calls": batch}},
            {"reply": {"calls": [{"name": "post__send", "arguments": {"to": "bob"}}]}},
            {"expect": {"results": 14}, "reply": {"text": "done"}}
        ]);
        let (ran, _) = play(provider, Play::new("weather in Paris"), steps, true).await;
        assert_eq!(ran.len(), 9, "{provider}: eight of the batch and the letter");
    }
}

#[tokio::test]
async fn a_folded_conversation_is_one_that_the_vendor_takes() {
    for provider in BOTH {
        let mut steps = vec![
            json!({"reply": {"reasoning": "hm", "calls": [{"name": "tool_search", "arguments": {"queries": ["filler.tool_33"]}}]}}),
            json!({"expect": {"revealed": "filler__tool_33"},
                   "reply": {"calls": [{"name": "filler__tool_33", "arguments": {"value": "x"}}]}}),
        ];
        for n in 0..14 {
            let read = json!({"name": "dump__lines", "arguments": {"size": 3_000, "from": format!("file {n}")}});
            steps.push(json!({"reply": {"reasoning": "reading", "calls": [read]}}));
        }
        steps.push(json!({"reply": {"calls": [{"name": "filler__tool_33", "arguments": {"value": "y"}}]}}));
        steps.push(json!({"reply": {"text": "done"}}));
        let small = Play::new("weather in Paris").window(8_000);
        let (ran, records) = play(provider, small, steps.into(), true).await;
        assert_eq!(ran.len(), 16, "{provider}");
        assert!(records.iter().any(|record| matches!(record, Record::Compacted { .. })), "{provider}");
        assert!(ran.last().is_some_and(|(tool, _)| tool == "filler.tool_33"));
    }
}
