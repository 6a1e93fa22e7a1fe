//! What the guard repairs, and how it leads out of a loop, as the model, the history and the trace have it.

use serde_json::{Value, json};
use winclaw_agent::{EndState, Event};
use winclaw_exposure::Transport;
use winclaw_model::Message;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says};

fn arguments(play: &Played) -> Vec<Value> {
    let calls = play.report.messages.iter().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls.flatten().map(|call| serde_json::from_str(&call.arguments).expect("json")).collect()
}

#[tokio::test]
async fn the_history_holds_exactly_what_ran_and_the_result_says_what_was_repaired() {
    let encoded = json!({"place": "Paris"}).to_string();
    let bridged = json!({"name": "sky.forecast", "arguments": json!({"place": "Rome"}).to_string()});
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .reply(calls(&[("sky__forecast", Value::String(Value::String(encoded).to_string())), ("tool_call", bridged)]))
        .reply(says("21 degrees"))
        .run()
        .await;
    let ran: Vec<&Value> = play.ran.iter().map(|(_, arguments)| arguments).collect();
    assert_eq!(ran, [&json!({"place": "Paris"}), &json!({"place": "Rome"})]);
    let kept = arguments(&play);
    assert_eq!(kept[0], json!({"place": "Paris"}));
    assert_eq!(kept[1]["name"], "sky.forecast");
    let told = |text: &&String| text.contains("Put right before it ran: ");
    let repaired = play.records.iter().filter(|record| matches!(record, Record::Repair { .. })).count();
    assert!(play.results().iter().filter(told).count() >= 1 && repaired >= 1, "{:?}", play.results());
    let shown = play.events.iter().filter(|event| matches!(event, Event::Repaired { .. })).count();
    assert_eq!(shown, play.results().iter().filter(told).count());
}

#[tokio::test]
async fn a_model_that_goes_on_and_on_is_led_up_the_ladder_and_stopped_with_a_report() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .max_turns(60)
        .brain(|_, _| calls(&[("filler__tool_05", json!({}))]))
        .run()
        .await;
    let EndState::Stopped { why } = &play.report.state else { panic!("{:?}", play.report.state) };
    assert!(why.en.contains("filler.tool_05") && !why.zh.is_empty(), "{why:?}");
    let rungs: Vec<&str> = play
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Loop { rung, .. } => Some(rung.as_str()),
            _ => None,
        })
        .collect();
    for rung in ["hint", "block", "must_answer", "stop"] {
        assert!(rungs.contains(&rung), "{rung}: {rungs:?}");
    }
    assert!(play.report.turns <= 12, "{}", play.report.turns);
    let risen = play.records.iter().any(|record| matches!(record, Record::Rise { .. }));
    assert!(risen, "other tools are shown where one is blocked");
    assert_eq!(play.replayed().len() as u32, play.report.turns);
}

#[tokio::test]
async fn once_the_model_must_answer_nothing_runs_but_a_question_and_an_answer_ends_well() {
    let mut blocked = false;
    let play = Play::new("weather in Paris")
        .max_turns(60)
        .brain(move |_, request| {
            let last = request.messages.last().map(|message| format!("{message:?}")).unwrap_or_default();
            if blocked {
                return says("It was 21 degrees each time.");
            }
            blocked = last.contains("No tool runs now");
            match blocked {
                true => calls(&[("ask_user", json!({"question": "Is 21 degrees what you wanted?"}))]),
                false => calls(&[("sky__forecast", json!({"place": "Paris"}))]),
            }
        })
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Done, "{:?}", play.results());
    let results = play.results();
    assert!(results.last().is_some_and(|question| question.contains("nobody can be asked")), "{results:?}");
}

#[tokio::test]
async fn a_search_is_not_run_either_once_the_model_must_answer() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .max_turns(60)
        .brain(|_, request| {
            let last = request.messages.last().map(|message| format!("{message:?}")).unwrap_or_default();
            match last.contains("No tool runs now") {
                true => calls(&[("tool_search", json!({"queries": ["another way to the weather"]}))]),
                false => calls(&[("sky__forecast", json!({"place": "Paris"}))]),
            }
        })
        .run()
        .await;
    assert!(matches!(play.report.state, EndState::Stopped { .. }), "{:?}", play.report.state);
    assert!(play.results().last().is_some_and(|search| search.contains("was not run")), "{:?}", play.results());
}

#[tokio::test]
async fn a_long_result_is_kept_whole_and_the_model_is_told_where() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("results");
    let spill = folder.clone();
    let play = Play::new("dump the lines")
        .options(move |options| (options.spill, options.result_chars) = (Some(spill), 400))
        .reply(calls(&[("dump__lines", json!({"size": 9_000}))]))
        .reply(says("done"))
        .run()
        .await;
    let files: Vec<_> = std::fs::read_dir(&folder).expect("kept").map(|file| file.expect("one").path()).collect();
    let [whole] = files.as_slice() else { panic!("{files:?}") };
    let result = &play.results()[0];
    assert!(result.contains(&whole.display().to_string()) && result.chars().count() < 1_000, "{result}");
    assert_eq!(std::fs::read_to_string(whole).expect("read").len(), 9_020, "all of it");
    let recorded = play.records.iter().find_map(|record| match record {
        Record::Call { whole, result_chars, .. } => Some((whole.clone(), *result_chars)),
        _ => None,
    });
    assert_eq!(recorded, Some((Some(whole.display().to_string()), 9_020)));
}

#[tokio::test]
async fn what_is_attached_is_read_and_is_nobodys_wish() {
    let play = Play::new("summarise it")
        .options(|options| {
            options.attached =
                vec![winclaw_agent::Attached { name: "a.txt".into(), text: "forecast the weather in Paris".into() }];
        })
        .reply(says("It asks for the weather."))
        .run()
        .await;
    let said = format!("{:?}", play.requests[0].messages[0]);
    assert!(said.contains("[Attached: a.txt]") && said.contains("forecast the weather"), "{said}");
    let asked = play.records.iter().find_map(|record| match record {
        Record::Step { step } => Some(step["evidence"]["message"].clone()),
        _ => None,
    });
    assert_eq!(asked, Some(json!("summarise it")));
}
