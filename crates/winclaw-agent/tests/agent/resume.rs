//! Sessions that go on in another process.

use serde_json::json;
use winclaw_agent::EndState;
use winclaw_exposure::{Native, Transport};
use winclaw_model::{Message, validate};
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says};
use crate::toys::entry;

fn two_requests() -> Play {
    Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .then("and note it down")
        .then("the same for Rome")
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"})), ("filler__tool_31", json!({}))]))
        .reply(says("21 degrees"))
        .reply(calls(&[("notes__add", json!({"text": "21"})), ("filler__tool_50", json!({}))]))
        .reply(says("noted"))
        .reply(calls(&[("sky__forecast", json!({"place": "Rome"}))]))
        .reply(says("21 degrees too"))
}

#[tokio::test]
async fn a_session_that_is_taken_up_sends_the_very_bytes_it_would_have_sent() {
    let forms: [fn(Play) -> Play; 4] = [
        |play| play,
        |play| play.transport(Transport::Direct),
        |play| play.native(Native::References).usage(1.4),
        |play| play.native(Native::SearchResult),
    ];
    for form in forms {
        let live = form(two_requests()).run().await;
        let resumed = form(two_requests()).resume(|_| {}).run().await;
        assert_eq!(live.bodies, resumed.bodies);
        assert!(resumed.problems.is_empty(), "{:?}", resumed.problems);
        assert_eq!(resumed.report.state, EndState::Done);
        assert_eq!(resumed.replayed().len(), 6, "its traces replay one after another");
    }
}

fn last_cause(play: &Played) -> &str {
    let mut causes = play.records.iter().filter_map(|record| match record {
        Record::Epoch { cause, .. } => Some(cause.as_str()),
        _ => None,
    });
    causes.next_back().expect("an epoch")
}

#[tokio::test]
async fn with_other_tools_a_new_epoch_begins_that_has_what_the_session_used() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .then("and note it down")
        .resume(|_| {})
        .between(|number, toys| {
            if number == 2 {
                toys.relist(|entries| entries.insert(0, entry("atlas.find", "read", json!({"type": "object"}))));
            }
        })
        .reply(calls(&[("filler__tool_31", json!({}))]))
        .reply(says("21 degrees"))
        .reply(says("noted"))
        .run()
        .await;
    let epochs = play.epochs();
    assert!(epochs[1] < epochs[2], "{epochs:?}");
    assert_eq!(last_cause(&play), "the session was taken up again and its tools are not those it had");
    assert!(play.problems.iter().any(|problem| problem.what.en.contains("not those")), "{:?}", play.problems);
    let array: Vec<&str> = play.requests[2].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(array.contains(&"filler__tool_31"), "{array:?}");
    assert_eq!(play.replayed().len(), 3);
}

#[tokio::test]
async fn d16_a_call_that_a_crash_cut_short_is_answered_when_the_session_is_taken_up() {
    let play = two_requests()
        .resume(|messages| {
            // The program died while the second call of a reply ran.
            let at = messages.iter().rposition(|message| matches!(message, Message::Tool { .. })).expect("a result");
            messages.truncate(at);
        })
        .run()
        .await;
    for request in &play.requests {
        validate(&request.messages).expect("valid");
    }
    assert!(play.problems.iter().any(|problem| problem.what.en.contains("in the middle of 1 calls")));
    let unknown = |message: &&Message| matches!(message, Message::Tool { content, .. } if content.contains("unknown"));
    assert_eq!(play.report.messages.iter().filter(unknown).count(), 2, "one for each time it was taken up");
    assert_eq!(play.report.state, EndState::Done);
}

#[tokio::test]
async fn a_fork_before_a_schema_was_told_has_it_told_again() {
    let play = two_requests().resume(|messages| messages.truncate(1)).run().await;
    assert_eq!(play.report.state, EndState::Done);
    let epochs = play.epochs();
    assert!(epochs[1] < epochs[2], "what was told is gone, so the array is another: {epochs:?}");
    assert!(play.requests[2].tools.iter().any(|tool| tool.name == "filler__tool_31"), "it was used");
    assert_eq!(play.replayed().len(), 6);
}

#[tokio::test]
async fn another_model_goes_on_with_a_session_in_a_new_epoch() {
    let play = two_requests()
        .resume(|_| {})
        .then_with("and for Oslo", |settings| settings.window_tokens = 64_000)
        .reply(says("0 degrees"))
        .run()
        .await;
    let epochs = play.epochs();
    assert!(epochs[5] < epochs[6], "{epochs:?}");
    assert_eq!(last_cause(&play), "another model goes on");
}
