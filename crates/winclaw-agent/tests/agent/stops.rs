//! What a person stops, what a vendor does not take, and ids that are used again.

use serde_json::{Value, json};
use winclaw_agent::{EndState, Event};
use winclaw_exposure::{Native, Transport};
use winclaw_model::{Message, validate};
use winclaw_trace::Record;

use crate::stage::{Play, STALLS, calls, everything, says};

fn stopped() -> Value {
    calls(&[("filler__tool_05", json!({"value": "stop me"})), ("notes__add", json!({"text": "x"}))])
}

#[tokio::test]
async fn a_call_that_the_person_stops_says_so_and_the_task_goes_on() {
    let play = Play::new("weather in Paris").reply(stopped()).reply(says("I went on")).run().await;
    assert_eq!((play.report.state.clone(), play.report.answer.as_str()), (EndState::Done, "I went on"));
    let results = play.results();
    assert!(results[0].contains("the person stopped this call") && results[0].contains("cancelled"), "{}", results[0]);
    assert_eq!(play.ran.len(), 1, "the next call of the reply ran: {:?}", play.ran);
}

#[tokio::test]
async fn a_reply_that_the_person_stops_leaves_its_words_and_a_session_that_goes_on() {
    let words = format!("{STALLS} look at the sky");
    let play = Play::new("weather in Paris")
        .then("go on")
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(says(&words))
        .reply(says("21 degrees"))
        .run()
        .await;
    assert_eq!((play.report.state.clone(), play.report.answer.as_str()), (EndState::Done, "21 degrees"));
    let said = |message: &Message| matches!(message, Message::Assistant { text, .. } if *text == words);
    assert!(play.requests[2].messages.iter().any(said), "the words so far stay");
    validate(&play.requests[2].messages).expect("valid");
}

#[tokio::test]
async fn d17_ids_that_a_vendor_uses_again_are_told_apart_and_all_calls_run() {
    let again = |n: u64| {
        let mut reply = calls(&[("sky__forecast", json!({"place": format!("city {n}")})), ("count__next", json!({}))]);
        reply["ids"] = json!(["x:0", "x:0"]);
        reply
    };
    let play = Play::new("weather").reply(again(1)).reply(again(2)).reply(says("done")).run().await;
    assert_eq!(play.ran.len(), 4);
    let mut ids = play.asked();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), play.report.state), (4, EndState::Done));
}

#[tokio::test]
async fn a_tool_that_the_vendor_does_not_take_is_said_once_never_sent_and_still_called() {
    let forms: [fn(Play) -> Play; 4] = [
        |play| play.transport(Transport::Bridge),
        |play| play.transport(Transport::Direct),
        |play| play.native(Native::References),
        |play| play.native(Native::SearchResult),
    ];
    for form in forms {
        let bridged = json!({"name": "sky.forecast", "arguments": {"place": "Paris"}});
        let play = form(Play::new("weather in Paris").refuses(&["sky__forecast"]))
            .then("and again")
            .reply(calls(&[("tool_call", bridged)]))
            .reply(says("21 degrees"))
            .reply(calls(&[("sky__forecast", json!({"place": "Rome"}))]))
            .reply(says("21 degrees too"))
            .run()
            .await;
        assert_eq!((play.ran.len(), play.report.state.clone()), (2, EndState::Done));
        let told = |event: &&Event| matches!(event, Event::SetAside { tool, .. } if tool == "sky.forecast");
        assert_eq!(play.events.iter().filter(told).count(), 1);
        let recorded = |record: &&Record| matches!(record, Record::SetAside { tool, .. } if tool == "sky.forecast");
        assert_eq!(play.records.iter().filter(recorded).count(), 1);
        for request in &play.requests {
            let sent = request.tools.iter().chain(&request.deferred);
            assert!(sent.clone().all(|tool| tool.name != "sky__forecast"), "it is not offered natively");
            assert!(request.without.contains("sky__forecast") && everything(request).contains("forecast"));
        }
        assert!(everything(&play.requests[0]).contains("does not take their definitions: sky__forecast"));
        assert_eq!(play.replayed().len(), 4);
    }
}

#[tokio::test]
async fn every_body_that_is_sent_is_recorded_by_the_hash_of_its_bytes() {
    let play = Play::new("weather in Paris")
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(says("21 degrees"))
        .run()
        .await;
    let sent: Vec<u64> = play
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Request { bytes, attempt: 1, .. } => Some(*bytes),
            _ => None,
        })
        .collect();
    assert_eq!(sent, play.bodies.iter().map(|body| body.len() as u64).collect::<Vec<_>>());
}
