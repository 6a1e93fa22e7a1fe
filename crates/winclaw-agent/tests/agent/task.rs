//! What must hold of a task, with toy tools and scripted models.

use serde_json::json;
use winclaw_agent::{Answer, EndState, Event};
use winclaw_exposure::Transport;
use winclaw_guard::Approve;
use winclaw_model::Message;
use winclaw_trace::Record;

use crate::stage::{Play, Played, calls, says, wire};

#[tokio::test]
async fn a_request_goes_through_the_whole_line() {
    let play = Play::new("weather in Paris")
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(says("It is {{result:0:/degrees}} degrees."))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Done);
    assert_eq!(play.report.answer, "It is 21 degrees.");
    assert_eq!((play.report.calls, play.report.turns), (1, 2));
    let expected = ["exposure", "request", "reply", "resolve", "verdict", "call", "exposure", "request", "reply"];
    assert_eq!(play.kinds(), expected);
}

#[tokio::test]
async fn the_prefix_is_the_same_in_every_request_and_the_rest_is_only_appended_to() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .reply(calls(&[("filler__tool_07", json!({}))]))
        .reply(calls(&[("tool_search", json!({"queries": ["write a note"]}))]))
        .reply(calls(&[("tool_call", json!({"name": "notes.add", "arguments": {"text": "x"}}))]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Done);
    assert_eq!(play.requests.len(), 4);
    for pair in play.requests.windows(2) {
        assert_eq!((&pair[0].system, &pair[0].tools), (&pair[1].system, &pair[1].tools));
        assert_eq!(pair[1].messages[..pair[0].messages.len()], pair[0].messages[..]);
    }
}

#[tokio::test]
async fn a_call_to_an_unshown_tool_runs_and_is_revealed() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .reply(calls(&[("filler__tool_33", json!({"value": "a"}))]))
        .reply(says("done"))
        .run()
        .await;
    assert!(!play.requests[0].tools.iter().any(|tool| tool.name == "filler__tool_33"), "it was not shown");
    let result = play.results()[0].clone();
    assert!(result.starts_with(r#"{"did":"filler.tool_33""#), "{result}");
    assert!(result.contains("a value for tool 33"), "its schema stands behind the result: {result}");
    assert!(play.events.iter().any(|event| matches!(event, Event::Rise { tools, .. } if tools == &["filler.tool_33"])));
}

#[tokio::test]
async fn every_call_of_a_large_batch_gets_one_result_and_eight_run() {
    let batch: Vec<_> = (0..12).map(|n| ("sky__forecast", json!({"place": format!("city {n}")}))).collect();
    let play = Play::new("weather everywhere").reply(calls(&batch)).reply(says("done")).run().await;
    assert_eq!(play.report.calls, 8);
    let results = play.results();
    assert_eq!(results.len(), 12);
    assert!(results[8..].iter().all(|result| result.contains("not run") || result.contains("error")), "{results:?}");
    let ids: Vec<String> = play.answered();
    assert_eq!(ids, play.asked(), "one result for each id, in order");
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_the_nearest_and_nothing_runs() {
    let play = Play::new("weather in Paris")
        .reply(calls(&[("sky__forcast", json!({"place": "Paris"}))]))
        .reply(says("sorry"))
        .run()
        .await;
    assert_eq!(play.report.calls, 0);
    let result = &play.results()[0];
    assert!(result.contains("sky__forecast") || result.contains("sky.forecast"), "{result}");
}

#[tokio::test]
async fn a_bridged_call_meets_the_same_guard_as_a_native_one() {
    let bad = json!({"plaice": "Paris"});
    let native =
        Play::new("weather in Paris").reply(calls(&[("sky__forecast", bad.clone())])).reply(says("x")).run().await;
    let bridged = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .reply(calls(&[("tool_call", json!({"name": "sky.forecast", "arguments": bad}))]))
        .reply(says("x"))
        .run()
        .await;
    for play in [&native, &bridged] {
        assert_eq!(play.report.calls, 0);
        assert!(
            play.results()[0].contains("invalid_args") && play.results()[0].contains("place"),
            "{:?}",
            play.results()
        );
    }
    let verdicts = |play: &Played| {
        play.records
            .iter()
            .filter(|record| matches!(record, Record::Verdict { verdict, .. } if verdict == "not_run"))
            .count()
    };
    assert_eq!((verdicts(&native), verdicts(&bridged)), (1, 1));
}

#[tokio::test]
async fn a_model_that_repeats_itself_is_stopped_and_says_what_it_repeated() {
    let mut play = Play::new("weather in Paris");
    for _ in 0..12 {
        play = play.reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]));
    }
    let play = play.run().await;
    let EndState::Stopped { why } = &play.report.state else { panic!("{:?}", play.report.state) };
    for text in [&why.en, &why.zh] {
        assert!(text.contains("sky.forecast") && text.contains("Paris"), "{text}");
    }
    assert_eq!(play.report.calls, 3, "the fourth does not run");
}

#[tokio::test]
async fn without_consent_a_write_does_not_run_on_any_path_and_the_end_says_denied() {
    for transport in [Transport::Direct, Transport::Bridge] {
        for (answer, approve) in [(Answer::No, Approve::Never), (Answer::NobodyToAsk, Approve::Never)] {
            let call = match transport {
                Transport::Bridge => ("tool_call", json!({"name": "notes.add", "arguments": {"text": "x"}})),
                _ => ("notes__add", json!({"text": "x"})),
            };
            let play = Play::new("write a note")
                .transport(transport)
                .approve(approve)
                .answer(answer)
                .reply(calls(&[call]))
                .reply(says("it was not allowed"))
                .run()
                .await;
            assert_eq!(
                (play.report.calls, play.report.state.clone()),
                (0, EndState::Denied { tool: "notes.add".into() })
            );
            assert_eq!(play.asked_consent, ["notes.add"], "asked for the tool itself");
        }
    }
}

#[tokio::test]
async fn consent_lets_the_call_run() {
    let play = Play::new("write a note")
        .approve(Approve::Never)
        .answer(Answer::Once)
        .reply(calls(&[("notes__add", json!({"text": "x"}))]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!((play.report.calls, play.report.state), (1, EndState::Done));
}

#[tokio::test]
async fn a_disabled_tool_never_runs_however_it_is_reached() {
    for (name, arguments) in [
        ("secret__open", json!({})),
        ("secret.open", json!({})),
        ("tool_call", json!({"name": "secret.open", "arguments": {}})),
    ] {
        let play = Play::new("open the secret").reply(calls(&[(name, arguments)])).reply(says("no")).run().await;
        assert_eq!(play.report.calls, 0, "{name}");
        assert!(!wire(&play.requests[0]).contains("secret__open"), "it is not shown");
    }
}

#[tokio::test]
async fn an_interruption_leaves_a_valid_transcript() {
    let play = Play::new("wait")
        .interrupt_on("slow.wait")
        .reply(calls(&[
            ("sky__forecast", json!({"place": "Paris"})),
            ("slow__wait", json!({})),
            ("sky__forecast", json!({"place": "Rome"})),
        ]))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Interrupted);
    assert_eq!(play.answered(), play.asked());
    let results = play.results();
    assert!(
        results[0].contains("degrees") && results[1].contains("cancelled") && results[2].contains("not run"),
        "{results:?}"
    );
    let unrun = |record: &Record| matches!(record, Record::Aside { outcome, .. } if outcome == "cancelled");
    assert!(play.records.iter().any(unrun), "the call that did not run is in the record too");
    winclaw_model::validate(&play.report.messages).expect("a conversation that can go on");
}

#[tokio::test]
async fn a_silent_model_is_asked_once_more_and_then_the_task_is_not_completed() {
    let play = Play::new("weather in Paris").reply(says("")).reply(says("  ")).run().await;
    assert!(matches!(play.report.state, EndState::NotCompleted { .. }), "{:?}", play.report.state);
    assert_eq!(play.report.turns, 2);
    let play = Play::new("weather in Paris").reply(says("")).reply(says("Here it is.")).run().await;
    assert_eq!(play.report.state, EndState::Done);
}

#[tokio::test]
async fn the_limit_of_turns_ends_a_task_that_does_not_end_itself() {
    let mut play = Play::new("forecasts").max_turns(3);
    for n in 0..5 {
        play = play.reply(calls(&[("sky__forecast", json!({"place": format!("city {n}")}))]));
    }
    let play = play.run().await;
    assert!(matches!(play.report.state, EndState::NotCompleted { .. }));
    assert_eq!(play.report.turns, 3);
}

#[tokio::test]
async fn a_tool_that_fails_and_then_works_does_not_spoil_the_end() {
    let failing = ("sky__forecast", json!({"place": "Atlantis"}));
    let play =
        Play::new("forecasts").reply(calls(std::slice::from_ref(&failing))).reply(says("no such place")).run().await;
    assert_eq!(play.report.state, EndState::ToolFailed { tool: "sky.forecast".into() });
    let play = Play::new("forecasts")
        .reply(calls(&[failing]))
        .reply(calls(&[("sky__forecast", json!({"place": "Paris"}))]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Done);
}

#[tokio::test]
async fn cut_off_arguments_never_run() {
    let play = Play::new("write a note")
        .reply(json!({"calls": [{"name": "notes__add", "arguments": "{\"text\": \"a"}], "cut_off": true}))
        .reply(says("again"))
        .run()
        .await;
    assert_eq!(play.report.calls, 0);
    assert!(play.results()[0].contains("cut off"), "{:?}", play.results());
    assert!(play.report.messages.iter().any(|message| matches!(message, Message::Tool { .. })));
}

#[tokio::test]
async fn calls_that_run_no_tool_are_loops_too() {
    for call in [("nosuchtool", json!({"x": 1})), ("tool_search", json!({"queries": ["xyzzy"]}))] {
        let mut play = Play::new("weather in Paris").transport(Transport::Bridge);
        for _ in 0..20 {
            play = play.reply(calls(std::slice::from_ref(&call)));
        }
        let play = play.run().await;
        let EndState::Stopped { why } = &play.report.state else { panic!("{:?}", play.report.state) };
        assert!(why.en.contains(call.0), "{why:?}");
        assert!(play.report.turns <= 7, "{} turns", play.report.turns);
    }
}

#[tokio::test]
async fn the_limit_of_a_reply_counts_every_call_alike() {
    let mut batch: Vec<_> = (0..9).map(|n| ("tool_search", json!({"queries": [format!("thing {n}")]}))).collect();
    batch.push(("sky__forecast", json!({"place": "Paris"})));
    let play = Play::new("forecasts").transport(Transport::Bridge).reply(calls(&batch)).reply(says("done")).run().await;
    let refused = play.results().iter().filter(|result| result.contains("only 8 calls run")).count();
    assert_eq!((play.report.calls, refused), (0, 2));
    assert_eq!(play.answered(), play.asked());
}

#[tokio::test]
async fn what_was_denied_keeps_a_task_open_and_what_was_malformed_does_not() {
    let refused = calls(&[("notes__add", json!({"txt": "x"}))]);
    let play = Play::new("write a note").reply(refused).reply(says("Sorry.")).run().await;
    assert_eq!(play.report.state, EndState::Done, "what was malformed was no call yet");
    let disabled = calls(&[("secret__open", json!({}))]);
    let play = Play::new("open the secret").reply(disabled).reply(says("Opened.")).run().await;
    assert_eq!(play.report.state, EndState::Denied { tool: "secret.open".into() });
}

#[tokio::test]
async fn a_look_that_found_nothing_is_forgiven_when_another_way_was_found() {
    let play = Play::new("weather in Atlantis")
        .reply(calls(&[("sky__forecast", json!({"place": "Atlantis"}))]))
        .reply(calls(&[("notes__add", json!({"text": "there is no Atlantis"}))]))
        .reply(says("done"))
        .run()
        .await;
    assert_eq!(play.report.state, EndState::Done);
}

#[tokio::test]
async fn every_call_leaves_a_decision_in_the_record() {
    let play = Play::new("weather in Paris")
        .transport(Transport::Bridge)
        .reply(calls(&[
            ("tool_search", json!({"queries": ["write a note"]})),
            ("tool_details", json!({"names": ["filler.tool_01"]})),
            ("ask_user", json!({"question": "which Paris?"})),
            ("nosuchtool", json!({})),
            ("", json!({})),
            ("tool_call", json!({"name": "sky.forecast", "arguments": {"place": "Paris"}})),
        ]))
        .reply(says("done"))
        .run()
        .await;
    let ids: Vec<&String> = play
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Aside { call_id, .. } | Record::Verdict { call_id, .. } => Some(call_id),
            _ => None,
        })
        .collect();
    assert_eq!(ids, play.asked().iter().collect::<Vec<_>>());
    let found = |record: &Record| matches!(record, Record::Aside { detail, .. } if detail.contains("notes.add"));
    assert!(play.records.iter().any(found), "the hits of the search are in the record");
    assert_eq!(play.report.state, EndState::Done);
}

#[tokio::test]
async fn a_search_whose_hits_the_model_reads_already_is_no_find() {
    let mut play = Play::new("weather in Paris").transport(Transport::Direct);
    for n in 0..20 {
        play = play.reply(calls(&[("tool_search", json!({"queries": [format!("{} of the sky", "w".repeat(n + 1))]}))]));
    }
    let play = play.run().await;
    assert!(matches!(play.report.state, EndState::Stopped { .. }), "{:?}", play.report.state);
    assert!(play.report.turns <= 14, "{} turns", play.report.turns);
}

#[tokio::test]
async fn a_name_that_is_meant_to_find_tools_is_answered_with_the_search() {
    let play = Play::new("forecasts")
        .transport(Transport::Bridge)
        .reply(calls(&[("find_tools", json!({"query": "forecasts"}))]));
    let play = play.reply(says("done")).run().await;
    let answer = &play.results()[0];
    assert!(answer.contains("call tool_search") && !answer.contains("nearest"), "{answer}");
}

#[tokio::test]
async fn words_that_are_said_again_when_asked_again_are_shown_once() {
    let shown = |play: &Played| -> String {
        let text = |event: &Event| match event {
            Event::Text { text } => Some(text.clone()),
            Event::TextEnd => Some("|".into()),
            _ => None,
        };
        play.events.iter().filter_map(text).collect()
    };
    let none = "There is no tool for this.";
    for (second, told) in [
        (none.to_owned(), format!("{none}|")),
        (format!("{none} Sorry."), format!("{none}|{none} Sorry.")),
        ("Sunny.".to_owned(), format!("{none}|Sunny.")),
    ] {
        let play = Play::new("weather in Paris").transport(Transport::Bridge).reply(says(none)).reply(says(&second));
        let play = play.run().await;
        assert_eq!(play.report.turns, 2);
        assert_eq!((shown(&play), play.report.answer.as_str()), (told, second.as_str()));
    }
}
