//! The list of tools changes while a task runs.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_exposure::Transport;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, everything, says};
use crate::toys::{Toys, entry};

fn appears(toys: &Toys) {
    toys.relist(|entries| entries.insert(0, entry("atlas.find", "read", json!({"type": "object"}))));
}

fn vanishes(toys: &Toys) {
    toys.relist(|entries| entries.retain(|entry| entry.id.as_str() != "notes.add"));
}

fn change(played: &Played) -> &Record {
    played.records.iter().find(|record| matches!(record, Record::Tools { .. })).expect("a change")
}

#[tokio::test]
async fn d14_a_new_tool_is_announced_and_reachable_in_the_next_turn_and_the_prefix_stays() {
    for name in ["atlas__find", "atlas.find"] {
        let play = Play::new("weather in Paris")
            .transport(Transport::Bridge)
            .between(|number, toys| {
                if number == 1 {
                    appears(toys)
                }
            })
            .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
            .reply(calls(&[(name, json!({}))]))
            .reply(says("found"))
            .run()
            .await;
        assert_eq!(play.report.state, EndState::Done);
        assert!(!everything(&play.requests[0]).contains("atlas__find"));
        assert!(everything(&play.requests[1]).contains("atlas__find"), "it is announced");
        assert_eq!(play.ran[1].0, "atlas.find");
        for request in &play.requests {
            assert_eq!((&request.system, &request.tools), (&play.requests[0].system, &play.requests[0].tools));
        }
        assert!(matches!(change(&play), Record::Tools { new, .. } if new == &["atlas.find"]));
        assert!(play.notices().iter().any(|notice| notice.contains("1 more")), "{:?}", play.notices());
    }
}

#[tokio::test]
async fn d14_a_search_finds_what_came_since() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .between(|number, toys| {
            if number == 1 {
                appears(toys)
            }
        })
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(calls(&[("tool_search", json!({"queries": ["atlas find"]}))]))
        .reply(says("found"))
        .run()
        .await;
    assert!(play.results()[1].contains("atlas__find"), "{:?}", play.results());
}

#[tokio::test]
async fn d6_a_tool_that_vanished_answers_why_and_a_search_for_it_says_so_too() {
    let note = json!({"text": "x"});
    let play = Play::new("write a note")
        .transport(Transport::Bridge)
        .between(|number, toys| {
            if number == 1 {
                vanishes(toys)
            }
        })
        .reply(calls(&[("notes__add", note.clone())]))
        .reply(calls(&[("notes__add", note), ("tool_search", json!({"queries": ["notes.add"]}))]))
        .reply(says("it is gone"))
        .run()
        .await;
    let results = play.results();
    assert!(results[1].contains("unavailable") && results[1].contains("no longer offers it"), "{results:?}");
    assert!(results[2].contains("no longer offers it"), "{results:?}");
    assert_eq!(play.ran.len(), 1, "only the first call reached it");
    assert!(matches!(change(&play), Record::Tools { gone, .. } if gone == &["notes.add"]));
}

#[tokio::test]
async fn d6_searching_on_for_what_is_gone_ends() {
    let play = Play::new("write a note")
        .transport(Transport::Bridge)
        .between(|number, toys| {
            if number == 1 {
                vanishes(toys)
            }
        })
        .brain(|_, _| calls(&[("tool_search", json!({"queries": ["notes.add"]}))]))
        .run()
        .await;
    assert!(matches!(play.report.state, EndState::Stopped { .. }), "{:?}", play.report.state);
    assert!(play.report.turns <= 7, "{}", play.report.turns);
}

#[tokio::test]
async fn what_is_known_of_a_tool_goes_with_it_to_its_new_place() {
    let repeat = || calls(&[("sky__forecast", json!({"place": "Paris"}))]);
    let play = Play::new("weather in Paris")
        .between(|number, toys| {
            if number == 2 {
                appears(toys)
            }
        })
        .brain(move |_, _| repeat())
        .run()
        .await;
    let EndState::Stopped { why } = &play.report.state else { panic!("{:?}", play.report.state) };
    assert!(why.en.contains("sky.forecast"), "{why:?}");
    assert_eq!(play.report.calls, 3, "the calls before the change count");
}

#[tokio::test]
async fn a_failure_before_the_change_is_still_open_after_it() {
    let play = Play::new("weather in Atlantis")
        .between(|number, toys| {
            if number == 1 {
                appears(toys)
            }
        })
        .reply(calls(&[("sky__forecast", json!({"place": "Atlantis"}))]))
        .reply(says("no such place"))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::ToolFailed { tool: "sky.forecast".into() });
}

#[tokio::test]
async fn a_refused_call_is_mended_by_the_same_tool_at_its_new_place() {
    let play = Play::new("write a note")
        .between(|number, toys| {
            if number == 1 {
                appears(toys)
            }
        })
        .reply(calls(&[("notes__add", json!({"txt": "x"}))]))
        .reply(calls(&[("notes__add", json!({"text": "x"}))]))
        .reply(says("noted"))
        .run()
        .await;
    assert_eq!((play.report.state, play.ran.len()), (EndState::Done, 1));
}

#[tokio::test]
async fn a_changed_schema_holds_from_the_next_turn() {
    let changed = |toys: &Toys| {
        toys.relist(|entries| {
            let sky = entries.iter_mut().find(|entry| entry.id.as_str() == "sky.forecast").expect("sky");
            let parameters: &mut Value = &mut sky.manifest.parameters;
            parameters["properties"]["days"] = json!({"type": "integer", "description": "how many days ahead"});
            parameters["required"] = json!(["place", "days"]);
        });
    };
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .between(move |number, toys| {
            if number == 1 {
                changed(toys)
            }
        })
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(calls(&[("sky__forecast", json!({"place": "Rome"}))]))
        .reply(calls(&[("sky__forecast", json!({"place": "Rome", "days": 2}))]))
        .reply(says("done"))
        .run()
        .await;
    assert!(everything(&play.requests[1]).contains("how many days ahead"), "it is shown anew");
    assert_eq!(play.ran.len(), 2);
    assert!(play.results()[1].contains("days"), "{:?}", play.results());
    assert!(matches!(change(&play), Record::Tools { changed, .. } if changed == &["sky.forecast"]));
}
