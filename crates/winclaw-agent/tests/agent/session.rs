//! Several requests one after another.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_exposure::{Native, Transport};
use winclaw_model::Message;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says};
use crate::toys::entry;

fn steps<'p>(play: &'p Played, op: &'p str) -> impl Iterator<Item = &'p Value> {
    play.records.iter().filter_map(move |record| match record {
        Record::Step { step } if step["op"] == op => Some(step),
        _ => None,
    })
}

fn three_requests() -> Play {
    Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .then("and note it down")
        .then("the same for Rome")
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(says("21 degrees"))
        .reply(calls(&[("notes__add", json!({"text": "21"})), ("filler__tool_50", json!({}))]))
        .reply(says("noted"))
        .reply(calls(&[("sky__forecast", json!({"place": "Rome"}))]))
        .reply(says("21 degrees too"))
}

#[tokio::test]
async fn a_session_goes_on_from_what_was_said_and_knows_earlier_requests() {
    let play = three_requests().run().await;
    assert_eq!((play.report.state.clone(), play.report.answer.as_str()), (EndState::Done, "21 degrees too"));
    let people: Vec<&str> = play.report.messages.iter().filter_map(said).collect();
    assert_eq!(people.len(), 3);
    assert!(people[0].starts_with("weather in Paris") && people[2].starts_with("the same for Rome"), "{people:?}");
    let earlier: Vec<&Value> = steps(&play, "request").map(|step| &step["evidence"]["earlier"]).collect();
    assert_eq!(earlier, [&json!(["weather in Paris"]), &json!(["and note it down", "weather in Paris"])]);
    assert_eq!(play.replayed().len(), 6, "its traces replay one after another");
}

fn said(message: &Message) -> Option<&str> {
    match message {
        Message::User { text, .. } => Some(text),
        _ => None,
    }
}

#[tokio::test]
async fn each_request_has_limits_and_loops_of_its_own() {
    let same = || calls(&[("sky__forecast", json!({"place": "Paris"}))]);
    let mut play = Play::new("weather in Paris").then("again").then("and again");
    for _ in 0..3 {
        play = play.reply(same()).reply(same()).reply(says("21 degrees"));
    }
    let play = play.run().await;
    assert_eq!((play.ran.len(), play.report.state), (6, EndState::Done), "asking again is no loop");
}

#[tokio::test]
async fn an_epoch_that_a_request_ends_has_its_cause_and_price() {
    let play = three_requests().run().await;
    let opened: Vec<(u64, &str)> = play
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Epoch { epoch, cause, .. } => Some((*epoch, cause.as_str())),
            _ => None,
        })
        .collect();
    let epochs = play.epochs();
    assert_eq!(
        opened.iter().map(|(epoch, _)| *epoch).collect::<Vec<_>>(),
        (1..=opened.len() as u64).collect::<Vec<_>>()
    );
    assert_eq!(opened.len() as u64, *epochs.last().expect("a request"), "{opened:?} {epochs:?}");
    for (at, pair) in epochs.windows(2).enumerate() {
        assert!(pair[0] == pair[1] || at == 1 || at == 3, "never inside a task: {epochs:?}");
    }
}

#[tokio::test]
async fn a_list_that_changed_between_requests_is_followed() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .then("find it in the atlas")
        .between(|number, toys| {
            if number == 2 {
                toys.relist(|entries| entries.insert(0, entry("atlas.find", "read", json!({"type": "object"}))));
            }
        })
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(says("21 degrees"))
        .reply(calls(&[("atlas__find", json!({}))]))
        .reply(says("found"))
        .run()
        .await;
    assert_eq!(play.ran.last().map(|(tool, _)| tool.as_str()), Some("atlas.find"));
    assert_eq!(play.replayed().len(), 4);
}

#[tokio::test]
async fn another_model_goes_on_in_a_new_epoch_with_its_own_transport() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .then_with("the same for Rome", |settings| {
            (settings.transport, settings.native) = (Some(Transport::Native), Some(Native::References));
        })
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"})), ("filler__tool_50", json!({}))]))
        .reply(says("21 degrees"))
        .reply(calls(&[("sky__forecast", json!({"place": "Rome"}))]))
        .reply(says("21 degrees too"))
        .run()
        .await;
    assert_eq!((play.report.state.clone(), play.ran.len()), (EndState::Done, 3));
    let epochs = play.epochs();
    assert!(epochs[1] < epochs[2] && epochs[2] == epochs[3], "{epochs:?}");
    assert!(play.requests[1].deferred.is_empty() && !play.requests[2].deferred.is_empty());
    let names = |request: usize| play.requests[request].tools.iter().any(|tool| tool.name == "filler__tool_50");
    assert!(names(2) && !names(0), "what was used is in the array now");
    assert_eq!(play.replayed().len(), 4);
}
