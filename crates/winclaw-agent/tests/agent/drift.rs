//! Straying from the request after a failure: the founding incident's shape.

use serde_json::json;
use winclaw_agent::{Answer, EndState};
use winclaw_guard::Approve;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says};

fn fails() -> serde_json::Value {
    calls(&[("sky__forecast", json!({"place": "Atlantis"}))])
}

fn reasons(play: &Played) -> Vec<String> {
    let reason = |record: &Record| match record {
        Record::Verdict { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    play.records.iter().filter_map(reason).collect()
}

#[tokio::test]
async fn d17_a_far_read_after_a_failure_runs_and_hears_to_keep_to_the_request() {
    let play = Play::new("weather in Atlantis")
        .reply(fails())
        .reply(calls(&[("filler__tool_03", json!({}))]))
        .reply(says("no such place"))
        .run()
        .await;
    assert_eq!(play.ran.len(), 2, "reading is never blocked");
    assert!(play.results()[1].contains("Keep to the request") && play.results()[1].contains("sky.forecast"));
    assert!(reasons(&play)[1].contains("Keep to the request"), "it is in the trace");
}

#[tokio::test]
async fn a_far_read_that_fails_and_calls_beyond_the_limit_leave_nothing_undone() {
    let far = calls(&[("sky__forecast", json!({"place": "Atlantis"}))]);
    let play = Play::new("use notes.add to write a note")
        .approve(Approve::Writes)
        .reply(calls(&[("notes__add", json!({"text": "x"}))]))
        .reply(far)
        .reply(says("done"))
        .run()
        .await;
    assert_eq!((play.ran.len(), play.report.state), (2, EndState::Done));
    let batch: Vec<_> = (0..12).map(|n| ("sky__forecast", json!({"place": format!("town {n}")}))).collect();
    let play = Play::new("weather").reply(calls(&batch)).reply(says("done")).run().await;
    assert_eq!((play.ran.len(), play.report.state), (8, EndState::Done));
}

#[tokio::test]
async fn d17_a_far_write_after_a_failure_asks_though_writes_run_unasked() {
    let failed = EndState::ToolFailed { tool: "sky.forecast".into() };
    for (answer, ran, state) in [(Answer::No, 1, failed), (Answer::Once, 2, EndState::Done)] {
        let play = Play::new("weather in Atlantis")
            .approve(Approve::Writes)
            .answer(answer)
            .reply(fails())
            .reply(calls(&[("notes__add", json!({"text": "a post about something else"}))]))
            .reply(says("done"))
            .run()
            .await;
        assert_eq!((play.ran.len(), play.report.state.clone()), (ran, state));
        assert_eq!(play.asked_consent, ["notes.add"]);
        assert!(play.questions[0].contains("does not seem to belong"), "{:?}", play.questions);
    }
}

#[tokio::test]
async fn d17_the_correct_retry_needs_no_leave_and_mends_all() {
    let play = Play::new("weather in Atlantis and write a note")
        .approve(Approve::Writes)
        .reply(fails())
        .reply(calls(&[("sky__forecast", json!({"place": "Athens"}))]))
        .reply(calls(&[("notes__add", json!({"text": "sunny"}))]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!((play.ran.len(), play.asked_consent.len(), play.report.state), (3, 0, EndState::Done));
    assert!(!play.records.iter().any(|r| matches!(r, Record::Verdict { reason, .. } if reason.contains("Keep to"))));
}

#[tokio::test]
async fn where_the_request_says_little_nothing_is_far() {
    let play = Play::new("please")
        .approve(Approve::Writes)
        .reply(fails())
        .reply(calls(&[("notes__add", json!({"text": "x"}))]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!((play.ran.len(), play.asked_consent.len()), (2, 0), "{:?}", play.results());
}

#[tokio::test]
async fn what_the_request_names_or_the_model_searched_for_is_near() {
    let note = calls(&[("notes__add", json!({"text": "x"}))]);
    let asked = Play::new("weather in Atlantis, and add a note of it")
        .approve(Approve::Writes)
        .reply(fails())
        .reply(note.clone())
        .reply(says("done"))
        .run()
        .await;
    let searched = Play::new("weather in Atlantis")
        .approve(Approve::Writes)
        .reply(fails())
        .reply(calls(&[("tool_search", json!({"queries": ["notes"]}))]))
        .reply(note)
        .reply(says("done"))
        .run()
        .await;
    for play in [asked, searched] {
        assert_eq!((play.ran.len(), play.asked_consent.len()), (2, 0), "{:?}", play.results());
    }
}
