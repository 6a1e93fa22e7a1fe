//! Conversations that outgrow the window, and estimates that the provider corrects.

use std::collections::BTreeMap;

use serde_json::json;
use winclaw_agent::EndState;
use winclaw_exposure::Transport;
use winclaw_model::Message;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, everything, says};

const WINDOW: u32 = 8_000;

/// Uses a tool that nothing shows, then reads long results, then uses the tool again and answers.
fn long_task(reads: usize, bridge: bool) -> Play {
    let use_it = |text: &str| match bridge {
        true => calls(&[("tool_call", json!({"name": "filler.tool_33", "arguments": {"value": text}}))]),
        false => calls(&[("filler__tool_33", json!({"value": text}))]),
    };
    let mut play = Play::new("weather in Paris").window(WINDOW).transport(Transport::Bridge).reply(use_it("first"));
    for n in 0..reads {
        play = play.reply(calls(&[("dump__lines", json!({"size": 3_000, "from": format!("file {n}")}))]));
    }
    play.reply(use_it("second")).reply(says("done"))
}

fn folds(play: &Played) -> Vec<&Record> {
    play.records.iter().filter(|record| matches!(record, Record::Compacted { .. })).collect()
}

#[tokio::test]
async fn a_task_that_outgrows_its_window_goes_on_and_says_what_it_cost() {
    let play = long_task(20, true).run().await;
    assert_eq!(play.report.state, EndState::Done);
    assert_eq!(play.ran.len(), 22);
    let folds = folds(&play);
    assert!((1..=6).contains(&folds.len()), "not at every turn: {folds:?}");
    for fold in folds {
        let Record::Compacted { before_tokens, after_tokens, .. } = fold else { continue };
        assert!(*before_tokens > 6_000 && after_tokens < before_tokens, "{fold:?}");
    }
    let epoch =
        |record: &&Record| matches!(record, Record::Epoch { epoch, rebilled, .. } if *epoch > 1 && *rebilled > 0);
    assert!(play.records.iter().filter(epoch).count() >= 1, "the price is in the trace");
    assert!(play.notices().iter().any(|notice| notice.contains("folded")), "{:?}", play.notices());
    for request in &play.requests {
        let tokens = winclaw_exposure::estimate_tokens(&everything(request));
        assert!(tokens < WINDOW, "{tokens} tokens");
    }
}

#[tokio::test]
async fn i15_d4_a_tool_used_before_the_folding_is_shown_after_it_and_callable_without_a_search() {
    for bridge in [true, false] {
        let play = long_task(20, bridge).run().await;
        let first = play.epochs().iter().position(|epoch| *epoch > 1).expect("a new epoch");
        let request = &play.requests[first];
        let in_array = request.tools.iter().any(|tool| tool.name == "filler__tool_33");
        let told = request.messages.iter().any(|message| match message {
            Message::User { text, .. } => text.contains("a value for tool 33"),
            Message::Tool { content, .. } => content.contains("a value for tool 33"),
            Message::Assistant { .. } => false,
        });
        assert!(in_array || told, "its schema is there again");
        assert!(play.ran.last().is_some_and(|(tool, with)| tool == "filler.tool_33" && with["value"] == "second"));
        assert_eq!(play.report.state, EndState::Done);
    }
}

#[tokio::test]
async fn after_the_folding_the_request_and_the_last_results_stand_and_every_call_has_its_one_result() {
    let play = long_task(20, true).run().await;
    for request in &play.requests {
        winclaw_model::validate(&request.messages).expect("valid");
        let Some(Message::User { text, .. }) = request.messages.first() else { panic!("the request comes first") };
        assert!(text.starts_with("weather in Paris"));
        if let Some(Message::Tool { content, .. }) = request.messages.last() {
            assert!(!content.starts_with("[folded"), "the last result is whole");
        }
    }
    let folded = play.report.messages.iter().any(|message| {
        matches!(message, Message::Tool { content, .. } if content.contains("dump__lines") && content.contains("ok"))
    });
    assert!(folded, "a line says what was called and that it worked");
}

#[tokio::test]
async fn one_result_larger_than_the_window_does_not_end_the_task() {
    let play = Play::new("weather in Paris")
        .window(WINDOW)
        .reply(calls(&vec![("dump__lines", json!({"size": 39_000})); 2]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Done);
    let tokens = winclaw_exposure::estimate_tokens(&everything(&play.requests[1]));
    assert!(tokens < WINDOW, "{tokens} tokens");
    assert!(play.results()[0].contains("characters cut here"));
}

#[tokio::test]
async fn reported_usage_corrects_the_estimate_and_the_trace_says_the_scale() {
    for ratio in [0.6, 1.0, 1.8] {
        let mut play = Play::new("weather in Paris").usage(ratio);
        for n in 0..12 {
            play = play.reply(calls(&[("sky__forecast", json!({"place": format!("city {n}")}))]));
        }
        let play = play.reply(says("done")).run().await;
        let scales: Vec<f32> = play.records.iter().filter_map(scale).collect();
        let last = f64::from(*scales.last().expect("a reply"));
        assert!((last - ratio).abs() < 0.15 * ratio, "{ratio}: {scales:?}");
    }
    let silent = Play::new("weather").reply(says("done")).run().await;
    assert_eq!(silent.records.iter().filter_map(scale).collect::<Vec<_>>(), [1.0]);
}

fn scale(record: &Record) -> Option<f32> {
    match record {
        Record::Reply { scale, .. } => Some(*scale),
        _ => None,
    }
}

#[tokio::test]
async fn a_model_that_counts_more_tokens_is_folded_sooner() {
    let first = |play: &Played| play.epochs().iter().position(|epoch| *epoch > 1);
    let plain = long_task(20, true).run().await;
    let dear = long_task(20, true).usage(1.8).run().await;
    assert!(first(&dear) < first(&plain), "{:?} {:?}", first(&dear), first(&plain));
}

#[tokio::test]
async fn folding_loses_no_call_of_the_trace() {
    let play = long_task(20, true).run().await;
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    for record in &play.records {
        if let Record::Verdict { call_id, .. } | Record::Aside { call_id, .. } = record {
            *results.entry(call_id).or_default() += 1;
        }
    }
    assert_eq!(results.len(), 22);
    assert!(results.values().all(|count| *count == 1), "{results:?}");
}
