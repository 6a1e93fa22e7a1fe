//! A trace holds all that decides what the model was shown.

use std::sync::Arc;

use serde_json::json;
use winclaw_agent::{ReplayError, replay_exposure};
use winclaw_catalog::Catalog;
use winclaw_exposure::Transport;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says};
use crate::toys::entry;

async fn eventful() -> Played {
    Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .window(9_000)
        .usage(1.4)
        .between(|number, toys| {
            if number == 4 {
                toys.relist(|entries| entries.push(entry("atlas.find", "read", json!({"type": "object"}))));
            }
        })
        .reply(calls(&[("filler__tool_33", json!({"value": "a"}))]))
        .reply(calls(&[("tool_search", json!({"queries": ["write a note"], "limit": 2}))]))
        .reply(calls(&[("tool_details", json!({"names": ["filler.tool_01", "nosuch"]}))]))
        .reply(calls(&[("sky__forcast", json!({})), ("dump__lines", json!({"size": 7_000}))]))
        .reply(calls(&[("atlas__find", json!({}))]))
        .reply(calls(&[("dump__lines", json!({"size": 7_000, "from": "a"}))]))
        .reply(calls(&[("dump__lines", json!({"size": 7_000, "from": "b"}))]))
        .reply(calls(&[("dump__lines", json!({"size": 7_000, "from": "c"}))]))
        .reply(says(""))
        .reply(says("done"))
        .run()
        .await
}

#[tokio::test]
async fn i20_a_trace_gives_every_prefix_and_tail_again_without_a_model() {
    let play = eventful().await;
    assert!(play.records.iter().any(|record| matches!(record, Record::Compacted { .. })), "all that can happen did");
    assert!(play.records.iter().any(|record| matches!(record, Record::Tools { .. })));
    let again = play.replayed();
    let shown: Vec<_> = play
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Exposure { prefix_sha256, tail, .. } => Some((prefix_sha256.clone(), tail.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(again.into_iter().map(|one| (one.prefix_sha256, one.tail)).collect::<Vec<_>>(), shown);
    assert!(shown.iter().any(|(_, tail)| tail.is_some()) && shown.len() == play.requests.len());
}

#[tokio::test]
async fn i20_a_trace_that_was_altered_says_where_it_differs() {
    let play = eventful().await;
    let learns = |record: &Record| matches!(record, Record::Step { step } if step["op"] == "search");
    let without: Vec<Record> = play.records.iter().filter(|record| !learns(record)).cloned().collect();
    let error = replay_exposure(&play.catalogs, &without).expect_err("a step is missing");
    assert!(matches!(error, ReplayError::Differs { .. }), "{error}");
    let altered: Vec<Record> = play.records.iter().cloned().map(other_request).collect();
    let error = replay_exposure(&play.catalogs, &altered).expect_err("the request is another");
    assert!(matches!(error, ReplayError::Differs { call_no: 1, .. }), "{error}");
}

fn other_request(record: Record) -> Record {
    match record {
        Record::Step { mut step } if step["op"] == "begin" => {
            step["evidence"]["message"] = json!("write a note");
            Record::Step { step }
        }
        other => other,
    }
}

#[tokio::test]
async fn i20_other_tools_and_older_traces_are_told_apart() {
    let play = eventful().await;
    let other = Arc::new(Catalog::build(crate::toys::all()).0);
    let error = replay_exposure(&[other], &play.records).expect_err("secret.open is not off there");
    assert!(matches!(&error, ReplayError::Catalog { sha256 } if sha256.len() == 64), "{error}");
    let error = replay_exposure(&play.catalogs[..1], &play.records).expect_err("the second list is missing");
    assert!(matches!(error, ReplayError::Catalog { .. }), "{error}");
    let old: Vec<Record> = play.records.into_iter().filter(|record| !matches!(record, Record::Step { .. })).collect();
    assert_eq!(replay_exposure(&play.catalogs, &old), Err(ReplayError::NoSteps));
}
