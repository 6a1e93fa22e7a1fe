//! The founding incident: a post was asked for, the browser tool failed, and the model drifted to weather, images and
//! documents, and told the same plan three times. No tool of the story exists here; the shape is what counts.

use serde_json::{Value, json};
use winclaw_agent::EndState;
use winclaw_exposure::{Strategy, Transport};
use winclaw_guard::Approve;
use winclaw_model::ChatRequest;
use winclaw_tool::Text;
use winclaw_trace::Record;

use crate::stage::{Play, Played, everything};
use crate::toys::{Toys, entry};

const REQUEST: &str = "write a blog post about our spring tour and publish it with the page editor";

const PLAN: &str = "Let me plan: first I take a picture of the screen, then I look at the weather, then I draw a cover \
                    picture, and at last I make a document of it all.";

/// The tools of the story under invented names: one that publishes, and those the model strays to.
fn shelf(toys: &Toys) {
    let object = || json!({"type": "object"});
    toys.relist(|entries| {
        let mut page = entry("pages.publish", "external", object());
        page.manifest.category = "publishing".into();
        page.manifest.summary = Text::new("Publishes a blog post with the page editor", "");
        page.manifest.description = "Writes a blog post and publishes it with the page editor.".into();
        let strays = [
            ("screen.capture", "read", "screen", "Takes a picture of the screen"),
            ("pictures.draw", "write", "pictures", "Draws a picture"),
            ("papers.compose", "write", "papers", "Makes a document"),
        ];
        for (id, effect, category, summary) in strays {
            let mut stray = entry(id, effect, object());
            stray.manifest.category = category.into();
            stray.manifest.summary = Text::new(summary, "");
            stray.manifest.description = format!("{summary}.");
            entries.push(stray);
        }
        let mut browser = entry("pages.open", "read", object());
        browser.manifest.category = "publishing".into();
        browser.manifest.summary = Text::new("Opens the page editor in the browser", "");
        entries.extend([page, browser]);
    });
}

/// What the model of the story says in its `number`-th reply: the browser tool that fails, then the same four things,
/// over and over.
fn story(number: usize) -> Value {
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    match number {
        0 => json!({"calls": [call("pages__open", json!({"place": "Atlantis"}))]}),
        _ => json!({"text": PLAN, "calls": [
            call("screen__capture", json!({})), call("sky__forecast", json!({"place": "Paris"})),
            call("pictures__draw", json!({})), call("papers__compose", json!({})),
        ]}),
    }
}

fn play(approve: Approve, brain: impl FnMut(usize, &ChatRequest) -> Value + Send + 'static) -> Play {
    Play::new(REQUEST).listing(shelf).transport(Transport::Bridge).approve(approve).max_turns(40).brain(brain)
}

fn loops<'p>(play: &'p Played, pattern: &'p str) -> impl Iterator<Item = &'p str> {
    play.records.iter().filter_map(move |record| match record {
        Record::Loop { pattern: found, rung, .. } if found == pattern => Some(rung.as_str()),
        _ => None,
    })
}

fn drifts(play: &Played) -> usize {
    play.records.iter().filter(|record| matches!(record, Record::Drift { .. })).count()
}

#[tokio::test]
async fn a_model_that_does_not_listen_is_noticed_told_and_stopped_within_a_bound() {
    for approve in [Approve::Never, Approve::Writes, Approve::Always] {
        let play = play(approve, |number, _| story(number)).run().await;
        assert!(matches!(play.report.state, EndState::Stopped { .. }), "{approve:?}: {:?}", play.report.state);
        assert!(play.report.turns <= 10, "{approve:?}: {}", play.report.turns);
        assert!(drifts(&play) > 0, "{approve:?}: it strayed and nobody said so");
        assert!(loops(&play, "plan").count() > 0, "{approve:?}: the same plan was told again");
        assert!(play.results().iter().any(|result| result.contains("Keep to the request")), "{approve:?}");
        assert_eq!(play.replayed().len() as u32, play.report.turns);
    }
}

#[tokio::test]
async fn a_model_that_listens_ends_well_since_the_right_tool_stays_callable() {
    let mut told = false;
    let play = play(Approve::Always, move |number, request| {
        let said = everything(request);
        match (told, said.contains("Keep to the request")) {
            (true, _) => json!({"text": "The post is published."}),
            (false, true) => {
                told = true;
                json!({"calls": [{"name": "pages__publish", "arguments": {"text": "spring"}}]})
            }
            _ => story(number),
        }
    });
    let play = play.run().await;
    assert_eq!(play.report.state, EndState::Done, "{:?}", play.results());
    assert_eq!(play.ran.last().map(|(tool, _)| tool.as_str()), Some("pages.publish"));
    assert!(play.report.turns <= 4, "{}", play.report.turns);
}

#[tokio::test]
async fn without_consent_nothing_that_strays_changes_anything() {
    let play = play(Approve::Never, |number, _| story(number)).run().await;
    let reads = ["pages.open", "screen.capture", "sky.forecast"];
    let changed: Vec<&str> =
        play.ran.iter().map(|(tool, _)| tool.as_str()).filter(|tool| !reads.contains(tool)).collect();
    assert_eq!(changed, [""; 0], "only what reads ran");
}

#[tokio::test]
async fn with_a_hard_filter_the_same_task_is_a_dead_end() {
    // The first cure: the tools of one category, chosen by the request. The model does what it is told and finds nothing.
    let model = |_: usize, request: &ChatRequest| {
        let has = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        match has("pages__publish") {
            true => json!({"calls": [{"name": "pages__publish", "arguments": {"text": "spring"}}]}),
            false => json!({"text": "There is no tool for this."}),
        }
    };
    let request = "it rained in Paris on our spring tour, what a forecast! put that up for everybody to read";
    let hard = Play::new(request)
        .listing(shelf)
        .options(|options| options.exposure.strategy = Strategy::Hard)
        .brain(model)
        .run()
        .await;
    assert!(matches!(hard.report.state, EndState::NotCompleted { .. }), "{:?}", hard.report.state);
    assert!(hard.ran.is_empty(), "the one guess was wrong, and nothing mends it: {:?}", hard.ran);
    assert!(hard.requests.iter().all(|request| !everything(request).contains("pages__publish")));
}
