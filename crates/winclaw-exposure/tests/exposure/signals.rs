//! What each thing that happens raises.

use serde_json::json;
use winclaw_catalog::evidence::Evidence;
use winclaw_catalog::{Catalog, Resolution, State};
use winclaw_exposure::{Because, Exposure, Level, Reach, Rise, Signal};
use winclaw_tool::{FailureCode, Text};

use crate::toy::{bridge, catalog, fits, in_state, ix, plain, small, tool};

/// A task in Bridge for which `sky.forecast` was recommended, with the first request sent.
fn begun(catalog: &Catalog) -> Exposure {
    let mut exposure = Exposure::begin(catalog, &fits(catalog, &["sky.forecast"]), bridge());
    exposure.surface(catalog);
    exposure
}

fn risen(catalog: &Catalog, rises: &[Rise]) -> Vec<String> {
    let told = rises.iter().map(|rise| match rise {
        Rise::Tool { tool, to, .. } => format!("{} {}", catalog.get(*tool).id, to.as_str()),
        Rise::Reach { to, .. } => format!("reach {}", to.as_str()),
    });
    told.collect()
}

#[test]
fn each_signal_raises_what_it_speaks_of() {
    let catalog = small();
    let at = |id| ix(&catalog, id);
    let missing = |error: &str| Signal::CapabilityMissing { tool: at("sky.forecast"), error: error.into() };
    let cases: [(&str, Vec<Signal>, &[&str]); 7] = [
        ("called", vec![Signal::CalledUnshown(at("sky.history"))], &["sky.history full"]),
        ("closure", vec![Signal::CalledUnshown(at("notes.add"))], &["notes.open full", "notes.add full"]),
        ("shown already", vec![Signal::CalledUnshown(at("sky.forecast"))], &[]),
        ("used", vec![Signal::Used(at("mail.list"))], &["mail.list full"]),
        ("named", vec![Signal::UserNamed(at("mail.list"))], &["mail.list full"]),
        ("one failure", vec![missing("x"), missing("x")], &[]),
        (
            "a loop",
            vec![Signal::LoopBlocked(at("mail.send"))],
            &["notes.open full", "notes.add full", "mail.list full"],
        ),
    ];
    for (name, signals, expected) in cases {
        let mut exposure = begun(&catalog);
        let rises: Vec<Rise> = signals.into_iter().flat_map(|signal| exposure.learn(&catalog, signal)).collect();
        assert_eq!(risen(&catalog, &rises), expected, "{name}");
        let tail = exposure.surface(&catalog).tail.unwrap_or_default();
        let sent = |id: &str| tail.contains(&format!("\"name\":\"{}\"", id.replace('.', "__")));
        assert!(expected.iter().all(|rise| sent(rise.split(' ').next().expect("an id"))), "{name}: {tail}");
    }
}

#[test]
fn the_reach_widens_by_a_step_a_turn_and_never_falls() {
    let catalog = small();
    let mut exposure = begun(&catalog);
    assert_eq!(exposure.reach(), Reach::Recommended);
    for expected in [Reach::Extended, Reach::Full, Reach::Full] {
        exposure.learn(&catalog, Signal::NoTool);
        exposure.learn(&catalog, Signal::SearchWithoutNews);
        assert_eq!(exposure.reach(), expected);
        exposure.surface(&catalog);
    }
    assert!(catalog.all().all(|ix| exposure.level(ix) > Level::Named), "at full reach everything that fits is shown");
}

#[test]
fn two_different_failures_for_want_of_ability_widen() {
    let catalog = small();
    let mut exposure = begun(&catalog);
    let failed = |error: &str| Signal::CapabilityMissing { tool: ix(&catalog, "sky.forecast"), error: error.into() };
    assert!(exposure.learn(&catalog, failed("no such place")).is_empty());
    let rises = exposure.learn(&catalog, failed("no such day"));
    assert_eq!(risen(&catalog, &rises), ["sky.history full", "reach extended"]);
}

#[test]
fn searching_on_without_news_is_told_to_stop() {
    let catalog = small();
    let mut exposure = begun(&catalog);
    let answers: Vec<String> =
        (0..3).map(|_| exposure.search_answer(&catalog, &[], "flying to the moon").text).collect();
    assert!(answers[0].contains("None of the 6 tools matches"), "{}", answers[0]);
    assert!(!answers[1].contains("more will not") && answers[2].contains("more will not"), "{answers:?}");
    exposure.search_answer(&catalog, &[ix(&catalog, "mail.list")], "mail");
    assert_eq!(exposure.searches_without_news(), 0);
}

#[test]
fn an_empty_search_says_why() {
    let why = Text::new("the policy of the office", "办公室的规定");
    let off = in_state("mail.send", State::Disabled { why: why.clone() });
    let down = in_state("sky.forecast", State::Unavailable { why: why.clone(), retryable: true });
    let unset = in_state("map.find", State::NeedsConfig { what: why });
    let all = catalog(vec![off, down, unset, plain("notes.add")]);
    let mut exposure = Exposure::begin(&all, &Evidence::default(), bridge());
    let disabled = exposure.search_answer(&all, &[ix(&all, "mail.send")], "send mail").text;
    assert!(disabled.contains("mail__send is disabled by policy: the policy of the office"), "{disabled}");
    let named = exposure.search_answer(&all, &[], "mail.send").text;
    assert!(named.contains("disabled by policy"), "{named}");
    let nothing = exposure.search_answer(&all, &[], "anything").text;
    assert!(nothing.contains("2 of them cannot run now"), "{nothing}");
    let none = catalog(Vec::new());
    let mut exposure = Exposure::begin(&none, &Evidence::default(), bridge());
    assert!(exposure.search_answer(&none, &[], "anything").text.contains("No tools are installed"));
}

#[test]
fn each_state_has_its_own_answer() {
    let why = Text::new("reason", "原因");
    let unavailable = |retryable| State::Unavailable { why: why.clone(), retryable };
    let cases = [
        (State::Ready, None),
        (State::Disabled { why: why.clone() }, Some((FailureCode::Denied, false))),
        (unavailable(true), Some((FailureCode::Unavailable, true))),
        (unavailable(false), Some((FailureCode::Unavailable, false))),
        (State::NeedsConfig { what: why.clone() }, Some((FailureCode::NeedsConfig, false))),
    ];
    for (state, expected) in cases {
        let catalog = catalog(vec![in_state("sky.forecast", state)]);
        let exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
        let answer = exposure.state_answer(&catalog, ix(&catalog, "sky.forecast"));
        let known = answer.as_ref().map(|failure| (failure.code, failure.retryable));
        assert_eq!(known, expected);
        assert!(answer.is_none_or(|failure| failure.message.contains("reason") && failure.hint == Some(why.clone())));
    }
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest_schemas_and_runs_nothing() {
    let catalog = small();
    let mut exposure = begun(&catalog);
    let nearest = [ix(&catalog, "sky.history"), ix(&catalog, "sky.forecast")];
    let failure = exposure.unknown_answer(&catalog, "sky_hist\u{1b}[2J", &nearest);
    assert_eq!(failure.code, FailureCode::InvalidArgs);
    for part in ["`sky_hist[2J`", "nothing was run", "sky__history, sky__forecast", "\"parameters\"", "tool_search"] {
        assert!(failure.message.contains(part), "{part}: {}", failure.message);
    }
    assert_eq!(exposure.level(ix(&catalog, "sky.history")), Level::Full);
    let several = exposure.ambiguous_answer(&catalog, "history", &nearest);
    assert!(several.message.contains("- sky__history: ") && several.message.contains("nothing was run"));
}

#[test]
fn details_tell_what_each_name_means_and_the_whole_description_once() {
    let long = "A long description. ".repeat(150);
    let catalog = catalog(vec![tool("sky.forecast", json!({"description": long})), plain("sky.history")]);
    let mut exposure = Exposure::begin(&catalog, &fits(&catalog, &["sky.forecast"]), bridge());
    let ask = |name: &str| vec![(name.to_owned(), catalog.resolve(name))];
    let first = exposure.details_answer(&catalog, &ask("forecast")).text;
    assert!(first.contains(long.trim()), "{first}");
    let second = exposure.details_answer(&catalog, &ask("forecast")).text;
    assert_eq!(second, r#"{"shown_above":["sky__forecast"]}"#);
    let unknown = exposure.details_answer(&catalog, &ask("forcast")).text;
    assert!(unknown.contains("There is no tool `forcast`"), "{unknown}");
    let both = vec![("x".to_owned(), Resolution::Many(catalog.all().collect()))];
    assert!(exposure.details_answer(&catalog, &both).text.contains("several tools"));
}

#[test]
fn a_closure_too_dear_to_show_is_named_and_its_tool_shown_all_the_same() {
    let filler = "word ".repeat(380);
    let chain = |n: usize| {
        let next = format!("chain.t{:02}", (n + 1) % 40);
        tool(&format!("chain.t{n:02}"), json!({"description": filler, "depends_on": [next]}))
    };
    let catalog = catalog((0..40).map(chain).collect());
    let mut exposure = Exposure::begin(&catalog, &Evidence::default(), bridge());
    let first = ix(&catalog, "chain.t00");
    let text = exposure.reveal(&catalog, &[first], Because::Asked).text;
    assert!(text.contains("\"requires\":[\"chain__t01\"]"), "{text}");
    assert_eq!(exposure.level(first), Level::Named, "a closure is shown whole or not at all");
    assert!(exposure.schema_shown(first));
    assert_eq!(exposure.reveal(&catalog, &[first], Because::Asked).text.lines().count(), 1);
}
