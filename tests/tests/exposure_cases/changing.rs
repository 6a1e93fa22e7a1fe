//! What changes while a task runs: what is revealed, what the servers offer, and what is left of the conversation.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_exposure::Settings;
use winclaw_model::ChatRequest;

use crate::stage::{
    Play, Server, bridge, bridged, calls, echo, fillers, last, prefix, says, search, text, tool, whole,
};

#[tokio::test]
async fn d05_nothing_that_is_revealed_or_found_changes_the_prefix() {
    let server = Server::new(fillers(200).collect(), echo);
    let mut replies = Vec::new();
    for step in (0..200).step_by(20) {
        replies.push(search(&format!("step {step} of the plant")));
        replies.push(bridged(&format!("plant{}__step_{step:04}", step / 50), json!({"value": "x"})));
    }
    let calls_made = replies.len();
    let played = Play::new("run the plant", &server).script(replies).run().await;
    assert_eq!(played.requests.len(), calls_made + 1);
    let first = prefix(&played.requests[0]);
    for pair in played.requests.windows(2) {
        assert_eq!(prefix(&pair[1]), first, "the prefix changed");
        let (before, after) = (&pair[0].messages, &pair[1].messages);
        assert_eq!(before[..], after[..before.len()], "what was said before changed");
    }
    let grown = whole(played.requests.last().expect("requests"));
    assert!(grown.contains("step_0180") && grown.len() > whole(&played.requests[0]).len() + 1_000, "it did reveal");
}

fn plugin(version: usize) -> winclaw_catalog::ToolEntry {
    let field = ["place", "town"][version];
    tool("sky.forecast", "The weather at a place", json!({"parameters": text(field, SPOT)}))
}

/// Words that stand in the forecast's schema and nowhere else.
const SPOT: &str = "the spot on the map";

#[tokio::test]
async fn d05_a_changed_list_of_tools_leaves_the_prefix_as_it_is() {
    let mut tools: Vec<_> = fillers(120).collect();
    let server = Server::new(tools.clone(), echo);
    tools.push(plugin(0));
    let (changed, mut turn) = (server.clone(), 0);
    let play = Play::new("run step 7 of the plant", &server).mind(move |_| {
        turn += 1;
        match turn {
            1 | 3 => search("step 90 of the plant"),
            2 => {
                changed.offers(tools.clone());
                calls(&[("plant0__step_0007", json!({"value": "x"}))])
            }
            4 => bridged("sky__forecast", json!({"place": "Oslo"})),
            _ => says("done"),
        }
    });
    let played = play.run().await;
    let first = prefix(&played.requests[0]);
    assert!(played.requests.iter().all(|request| prefix(request) == first), "the prefix changed");
    assert_eq!(server.runs_of("sky.forecast"), 1);
}

#[tokio::test]
async fn d14_a_new_list_of_tools_is_announced_and_holds_from_the_next_turn() {
    let mut before: Vec<_> = fillers(80).collect();
    before.push(tool("old.count", "Counts what is old", json!({})));
    let mut after: Vec<_> = fillers(80).collect();
    after.push(tool("sky.forecast", "The weather at a place", json!({"parameters": text("place", "where")})));
    let server = Server::new(before, echo);
    let (changed, mut turn) = (server.clone(), 0);
    let play = Play::new("how many old things are there", &server).mind(move |request| {
        turn += 1;
        match turn {
            1 => {
                changed.offers(after.clone());
                calls(&[("plant0__step_0001", json!({"value": "x"}))])
            }
            2 if last(request).contains("sky__forecast") => search("the weather at a place"),
            3 => bridged("sky__forecast", json!({"place": "Oslo"})),
            4 => bridged("old__count", json!({})),
            _ => says("done"),
        }
    });
    let played = play.run().await;
    assert!(!whole(&played.requests[0]).contains("sky__forecast"), "the case needs it to be new");
    let told = last(&played.requests[1]);
    assert!(told.contains("sky__forecast") && told.contains("old__count"), "new and gone are announced: {told}");
    let results = played.results();
    assert!(results[1].contains("sky__forecast"), "the search knows it: {}", results[1]);
    assert_eq!(server.runs_of("sky.forecast"), 1, "{results:#?}");
    assert!(results[3].contains("no longer offers it"), "a tool that is gone says so: {}", results[3]);
    assert_eq!(server.runs_of("old.count"), 0);
    // It is said once.
    let all = serde_json::to_string(&played.report.messages).expect("json");
    assert_eq!(all.matches("The tool list has changed").count(), 1, "{all}");
}

/// A model that uses the forecast, fills the conversation, and then calls the forecast again as it remembers it.
fn remembers(rounds: usize) -> impl FnMut(&ChatRequest) -> Value + Send {
    let mut turn = 0;
    move |_| {
        turn += 1;
        match turn {
            1 => bridged("sky__forecast", json!({"place": "Oslo"})),
            turn if turn <= rounds => {
                let name = format!("plant0__step_{turn:04}");
                bridged(&name, json!({"value": "long ".repeat(400)}))
            }
            turn if turn == rounds + 1 => bridged("sky__forecast", json!({"town": "Bergen"})),
            turn if turn == rounds + 2 => bridged("sky__forecast", json!({"place": "Bergen"})),
            _ => says("done"),
        }
    }
}

#[tokio::test]
async fn d04_after_the_conversation_is_summarised_the_schemas_in_use_are_there_again() {
    let mut tools: Vec<_> = fillers(80).collect();
    tools.push(plugin(0));
    let server = Server::new(tools, echo);
    let play = Play::new("run step 3 of the plant, then step 4, and so on", &server).mind(remembers(14));
    let settings = Settings { window_tokens: 16_000, ..bridge() };
    let played = Play { settings, fold_at_percent: 30, ..play }.run().await;
    assert_eq!(played.report.state, EndState::Done, "{:?}", played.report.state);

    // The conversation was summarised: a later request no longer begins as the first did.
    let folded = played.requests.iter().position(|request| {
        let first = serde_json::to_string(&played.requests[1].messages).expect("json");
        !serde_json::to_string(&request.messages).expect("json").starts_with(&first[..first.len() - 1])
            && request.messages.len() > 1
    });
    let folded = folded.expect("a request after the summary");
    assert!(!whole(&played.requests[0]).contains(SPOT), "the case needs it unshown at first");
    for request in &played.requests[folded..] {
        assert!(whole(request).contains(SPOT), "the schema is lost");
    }
    // A call from memory that is wrong still brings what would be right.
    let results = played.results();
    let wrong = results.iter().find(|told| told.contains("`place` is missing")).expect("the wrong call is answered");
    assert!(wrong.contains("Arguments that would be right"), "{wrong}");
    assert_eq!(server.runs_of("sky.forecast"), 2);
}

#[tokio::test]
async fn d04_a_schema_that_changed_meanwhile_is_shown_as_it_is_now() {
    let mut tools: Vec<_> = fillers(80).collect();
    tools.push(plugin(0));
    let server = Server::new(tools, echo);
    let mut now: Vec<_> = fillers(80).collect();
    now.push(plugin(1));
    let (changed, mut turn) = (server.clone(), 0);
    let play = Play::new("run step 3 of the plant", &server).mind(move |request| {
        turn += 1;
        match turn {
            1 => bridged("sky__forecast", json!({"place": "Oslo"})),
            2 => {
                changed.offers(now.clone());
                bridged("plant0__step_0003", json!({"value": "x"}))
            }
            3 if last(request).contains("town") => bridged("sky__forecast", json!({"town": "Oslo"})),
            _ => says("done"),
        }
    });
    let played = play.run().await;
    assert!(last(&played.requests[2]).contains("town"), "shown anew: {}", last(&played.requests[2]));
    assert_eq!(server.ran().last(), Some(&("sky.forecast".to_owned(), json!({"town": "Oslo"}))));
}
