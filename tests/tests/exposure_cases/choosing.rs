//! What is shown from the beginning: the best tool, and what must not be crowded out.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use winclaw_exposure::{Because, Event, Exposure, Settings};
use winclaw_trace::Record;

use crate::stage::{Play, Played, Server, bridge, calls, catalog, echo, fillers, ix, message, names, says, text, tool};

fn with_index(always: bool) -> Vec<winclaw_catalog::ToolEntry> {
    let mut tools: Vec<_> = fillers(600).collect();
    let more = json!({"always_load": always, "parameters": text("about", "what is looked for")});
    tools.push(tool("graph.explore", "Shows how the parts of a code base hang together", more));
    tools
}

/// Of the tools that the first request sent, how many the task used: what the trace alone tells.
fn use_rate(played: &Played) -> (usize, usize) {
    let sent = played.records.iter().find_map(|record| match record {
        Record::Exposure { call_no: 1, shown, .. } => Some(shown.iter().map(|tool| tool.tool.clone()).collect()),
        _ => None,
    });
    let sent: BTreeSet<String> = sent.expect("a record of the first exposure");
    let used = played.records.iter().filter_map(|record| match record {
        Record::Call { tool, .. } => Some(tool.clone()),
        _ => None,
    });
    (used.collect::<BTreeSet<String>>().intersection(&sent).count(), sent.len())
}

#[tokio::test]
async fn d03_the_best_tool_is_sent_whole_however_many_tools_there_are() {
    // A model that uses what it sees and does not search, as most do.
    let lazy = |request: &winclaw_model::ChatRequest| match names(request).contains(&"graph__explore") {
        true if request.messages.len() == 1 => calls(&[("graph__explore", json!({"about": "login"}))]),
        _ => says("done"),
    };
    for (always, uses) in [(true, 1), (false, 0)] {
        let server = Server::new(with_index(always), echo);
        let played = Play::new("why does step 7 of the plant fail", &server).mind(lazy).run().await;
        assert_eq!(server.runs_of("graph.explore"), uses, "always_load: {always}");
        let (used, sent) = use_rate(&played);
        assert_eq!(used, uses, "the trace tells that {used} of {sent} were used");
        assert!(sent > uses, "and how many were sent for it");
    }
}

#[tokio::test]
async fn d03_what_fits_the_request_best_is_sent_whole_without_any_mark() {
    let server = Server::new(with_index(false), echo);
    let played = Play::new("show how the parts of this code base hang together", &server).run().await;
    assert!(names(&played.requests[0]).contains(&"graph__explore"), "{:?}", names(&played.requests[0]));
}

/// Many servers' worth of tools that all want to be always shown, and one more.
fn greedy(count: usize) -> Vec<winclaw_catalog::ToolEntry> {
    let more = |n: usize| json!({"always_load": true, "parameters": text("value", &format!("a value for number {n}"))});
    let mut tools: Vec<_> =
        (0..count).map(|n| tool(&format!("crowd.tool_{n:03}"), &format!("Does number {n}"), more(n))).collect();
    tools.push(tool("notes.add", "Adds a note", json!({"always_load": true, "parameters": text("text", "the note")})));
    tools
}

#[test]
fn d22_a_server_with_hundreds_of_tools_crowds_out_neither_the_core_nor_other_servers() {
    let catalog = catalog(greedy(560));
    let evidence = winclaw_intent::Index::build(&catalog).weigh(&catalog, &message("number 12"));
    for max_tools in [128, 16, 8] {
        let mut exposure = Exposure::begin(&catalog, &evidence, Settings { max_tools, ..bridge() });
        let surface = exposure.surface(&catalog);
        let sent: Vec<&str> = surface.prefix.tools.iter().map(|spec| spec.name.as_str()).collect();
        assert!(sent.len() <= max_tools, "{}", sent.len());
        for reserved in ["ask_user", "tool_search", "tool_details", "tool_call", "notes__add"] {
            assert!(sent.contains(&reserved), "{max_tools}: {reserved} was crowded out of {sent:?}");
        }
        // What did not fit is in the ledger, by source, with the reason.
        let overflow = exposure.ledger().iter().find_map(|entry| match &entry.event {
            Event::Overflow { sources } => Some((sources.clone(), entry.because.clone())),
            _ => None,
        });
        let (sources, because) = overflow.expect("the overflow is logged");
        let core = u32::try_from(sent.len() - 4).expect("few");
        assert_eq!(because, Because::AlwaysLoad);
        assert_eq!(sources.get("crowd").copied(), Some(561 - core), "{sources:?}");
        assert!(!sources.contains_key("notes"), "{sources:?}");
        // And none of it is lost.
        let all = exposure.rows(&catalog);
        assert!(all.iter().all(|row| row.how_to_reach.extra_turns().is_some_and(|turns| turns <= 2)));
    }
}

#[test]
fn d22_no_source_takes_every_place_that_a_request_gives() {
    // Every tool of the crowd fits the request better than the only one of another source.
    let more = json!({"aliases": {"en": ["weekly figures"]}, "examples": ["weekly figures for the team"]});
    for size in [60, 300] {
        let crowd = (0..size).map(|n| tool(&format!("crowd.figures_{n:03}"), "Weekly figures of a team", more.clone()));
        let report = tool("memo.report", "Writes a report of figures", json!({}));
        let catalog = catalog(crowd.chain([report]).collect());
        let evidence = winclaw_intent::Index::build(&catalog).weigh(&catalog, &message("weekly figures for our team"));
        let report = ix(&catalog, "memo.report");
        let before = evidence.hits.iter().take_while(|hit| hit.tool != report).count();
        assert!(before >= 40, "the report must rank behind the crowd: {before}");
        let exposure = Exposure::begin(&catalog, &evidence, bridge());
        assert!(exposure.schema_shown(report), "{size}: {:?}", exposure.shown());
    }
}

#[test]
fn d05_like_requests_have_like_prefixes_and_advice_is_not_in_them() {
    let catalog = catalog(fillers(300).collect());
    let index = winclaw_intent::Index::build(&catalog);
    let mut prefixes = Vec::new();
    for request in ["step 7 of the plant", "please run step 7 of the plant for me"] {
        let evidence = index.weigh(&catalog, &message(request));
        let surface = Exposure::begin(&catalog, &evidence, bridge()).surface(&catalog);
        assert!(surface.tail.is_some_and(|tail| tail.contains("Likely useful now")));
        let value: Value = serde_json::to_value(&*surface.prefix).expect("json");
        assert!(!value.to_string().contains("Likely useful now"));
        prefixes.push(surface.prefix.system.clone());
    }
    assert_eq!(prefixes[0], prefixes[1], "the catalogue does not depend on the request");
}
