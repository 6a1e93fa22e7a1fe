//! Playing a script through the guard, as a task does.

use winclaw_catalog::{Catalog, Resolution};
use winclaw_guard::{Approve, Guard, Limits, Origin, Proposed, Rule, Stage, Verdict};

use super::read::{Made, Script};
use super::tools::catalog;

/// What a script met; replies are counted from 1.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) first_hint: Option<usize>,
    /// The first reply in which a call was refused as repeated, or the model was told to answer.
    pub(crate) first_refusal: Option<usize>,
    pub(crate) must_answer_in: Option<usize>,
    pub(crate) stopped_in: Option<usize>,
}

/// Plays `script` until it is over or stopped.
pub(crate) fn play(script: &Script) -> Played {
    let catalog = catalog();
    let mut guard = Guard::new(Limits::default(), Approve::Always.into());
    let mut played = Played::default();
    let mut highest = Stage::Free;
    for (reply, turn) in script.turns().enumerate().map(|(n, turn)| (n + 1, turn)) {
        let mut hint = guard.plan(&turn.say).is_some();
        for (position, made) in turn.calls.iter().enumerate() {
            hint |= call(&mut guard, &catalog, made, position, script);
        }
        let stage = guard.stage();
        let refuses = matches!(stage, Stage::Blocked { .. } | Stage::MustAnswer | Stage::Stopped);
        played.first_hint = played.first_hint.or(hint.then_some(reply));
        let is_over = matches!(stage, Stage::MustAnswer | Stage::Stopped);
        played.must_answer_in = played.must_answer_in.or(is_over.then_some(reply));
        played.first_refusal = played.first_refusal.or(refuses.then_some(reply));
        assert!(stage >= highest || stage == Stage::Free || stage == Stage::Hinted, "{}: it went down", script.name);
        highest = stage;
        if guard.stopped().is_some() {
            played.stopped_in = Some(reply);
            break;
        }
    }
    played
}

/// Makes one call; whether the model hears a hint.
fn call(guard: &mut Guard, catalog: &Catalog, made: &Made, position: usize, script: &Script) -> bool {
    if let Some(name) = made.tool.strip_prefix('?') {
        let answer = made.result.as_str().expect("what came of it is a text");
        if name == "ask_user" && !answer.starts_with("nobody") {
            guard.person_said(answer);
        }
        return guard.aside(name, &made.arguments, answer).is_some();
    }
    let Resolution::One(tool) = catalog.resolve(&made.tool) else { panic!("no tool {}", made.tool) };
    let (raw_arguments, origin) = (made.arguments.as_str(), Origin::default());
    let call = Proposed { tool, raw_arguments, cut_off: false, position, schema_was_shown: true, near: true, origin };
    let (arguments, hint) = match guard.judge(catalog, &call) {
        Verdict::Run { arguments, .. } | Verdict::AskUser { arguments, .. } => (arguments, false),
        Verdict::RunWithAdvice { arguments, .. } => (arguments, true),
        Verdict::NotRun { rule: Rule::Repeat | Rule::MustAnswer | Rule::BatchLimit, .. } => return false,
        Verdict::NotRun { failure, .. } if script.is_malformed() || made.result == "" => {
            assert!(!failure.message.is_empty());
            return false;
        }
        Verdict::NotRun { failure, .. } => panic!("{}: {failure}", script.name),
    };
    guard.record(catalog, tool, &arguments, &made.outcome());
    hint
}
