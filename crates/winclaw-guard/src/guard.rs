use std::collections::BTreeMap;

use serde_json::Value;
use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};
use winclaw_tool::{Failure, Outcome, ToolManifest};

use crate::arguments::{self, Refusal};
use crate::asides::Asides;
use crate::check::Checker;
use crate::consent::{self, Asked, Consents, Said};
use crate::digest::{Sign, result_of};
use crate::drift::{self, Drift};
use crate::loops::{Loops, Past, Stop};
use crate::origin::Origins;
use crate::{Answer, Consent, Limits, LoopReport, Policy, Proposed, Rule, Ruling, Stage, Verdict};

/// Judges the calls of one task.
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    consents: Consents,
    loops: Loops,
    asides: Asides,
    drift: Drift,
    /// By fingerprint of the tool: compiling a schema costs more than checking many calls.
    checkers: BTreeMap<String, Checker>,
}

impl Guard {
    /// A guard that has seen nothing yet.
    pub fn new(limits: Limits, policy: Policy) -> Guard {
        Guard {
            limits,
            consents: Consents::new(policy),
            loops: Loops::new(limits.repeats),
            asides: Asides::new(limits.repeats),
            drift: Drift::default(),
            checkers: BTreeMap::new(),
        }
    }

    /// The verdict on one call.
    ///
    /// In this order: place in the reply, arguments readable, repetition, schema, consent. After a failure that was not
    /// mended, a call that is not [`near`](Proposed::near) and was made in a later reply hears a note when it only reads,
    /// and runs; one with side effects needs consent, except where [`Approve::Always`](crate::Approve::Always) or a rule lets it run, with the note. The
    /// failed tool itself is always near. A tool that is not
    /// [`State::Ready`] passes with `Run` once its arguments can be read, since only the toolbox answers for the state
    /// and never runs such a tool; nobody is asked to agree to what cannot happen.
    ///
    /// # Panics
    /// When `call.tool` is not of this `catalog`.
    pub fn judge(&mut self, catalog: &Catalog, call: &Proposed<'_>) -> Verdict {
        let tool = catalog.get(call.tool);
        self.consents.begin();
        if self.loops.stand_at(call.position) {
            self.drift.next_reply();
            self.consents.next_reply();
        }
        if let Some(failure) = self.beyond_limit(tool.id.as_str(), call.position) {
            return not_run(Rule::BatchLimit, failure);
        }
        match arguments::read(call.raw_arguments, call.cut_off) {
            Ok(arguments) => self.judge_arguments(catalog, tool, call, arguments),
            Err(refusal) => {
                let sign = Sign::of_text(call.raw_arguments);
                match self.loops.before(call.tool, tool, sign) {
                    Past::Stop(stop) => self.stop(call.tool, &stop, short(call.raw_arguments)),
                    _ => self.refuse(call.tool, tool, sign, &Value::Null, unreadable(tool, refusal)),
                }
            }
        }
    }

    /// Takes in what came of a call: of every call that ran, and of those the person refused. `arguments` are those of
    /// the verdict.
    pub fn record(&mut self, catalog: &Catalog, tool: ToolIx, arguments: &Value, outcome: &Outcome) {
        let entry = catalog.get(tool);
        self.consents.ran(entry, arguments, outcome);
        let sign = Sign::of(&entry.manifest, arguments);
        let result = result_of(outcome, arguments, &ignored(&entry.manifest));
        self.loops.ran(tool, sign, result, entry.manifest.side_effect);
        self.drift.ran(tool, outcome, || drift::about(entry, arguments));
        if outcome.is_ok() {
            self.asides.progress();
        }
    }

    /// The list of tools changed: everything that is known of the tool at place `old` holds for `map[old.index()]` from
    /// now on. What is known of a tool beyond the end of `map` is forgotten.
    pub fn renumber(&mut self, map: &[ToolIx]) {
        self.loops.renumber(map);
        self.drift.renumber(map);
    }

    /// Takes in a call that ran no tool, of a meta tool or of a name that is no tool's, and what came of it: what was
    /// found, what the person said, why it failed. What the model should hear once that is the same again and again.
    pub fn aside(&mut self, name: &str, arguments: &str, came_of_it: &str) -> Option<String> {
        self.asides.made(name, arguments, came_of_it)
    }

    /// Why a call at `position` of its reply does not run, if it stands beyond the limit.
    pub fn beyond_limit(&self, name: &str, position: usize) -> Option<Failure> {
        let limit = self.limits.calls_per_reply;
        (position >= limit).then(|| beyond_limit(name, limit))
    }

    /// The loop the model was caught in: it kept making a call after being told that it is not run any more. Once
    /// there is a report the task shall end.
    pub fn stopped(&self) -> Option<&LoopReport> {
        self.loops.report().or_else(|| self.asides.report())
    }

    /// The words of a reply that goes on to calls. What the model should hear when it tells the same plan again.
    pub fn plan(&mut self, _text: &str) -> Option<String> {
        None
    }

    /// How far the task has gone up the ladder that leads out of a loop.
    pub fn stage(&self) -> Stage {
        if self.stopped().is_some() { Stage::Stopped } else { Stage::Free }
    }

    /// What the person said to `consent`. From [`Answer::ThisTask`] on such calls of the tool run unasked until the task
    /// ends, and where the call went is not new any more; after [`Answer::Never`] they never run in this task. What is to
    /// outlast the task, [`Consent::rules`] says.
    pub fn consented(&mut self, consent: &Consent, answer: Answer) {
        self.consents.answered(consent, answer);
    }

    /// The person's own words, such as the request or an answer to a question of the model: what they name is no new
    /// destination. Only what a person typed belongs here, not a file or page they pointed to.
    pub fn person_said(&mut self, text: &str) {
        self.consents.person_said(text);
    }

    /// Goes on from what an earlier request of the session left.
    pub fn resume(&mut self, origins: Origins) {
        self.consents.resume(origins);
    }

    /// Where the conversation's content came from so far, for the next request of the session.
    pub fn origins(&self) -> &Origins {
        self.consents.origins()
    }

    /// What decided who must agree to the call that was judged last; `None` where it did not come that far.
    pub fn ruling(&self) -> Option<&Ruling> {
        self.consents.last()
    }

    fn judge_arguments(
        &mut self,
        catalog: &Catalog,
        tool: &CatalogTool,
        call: &Proposed<'_>,
        arguments: Value,
    ) -> Verdict {
        let sign = Sign::of(&tool.manifest, &arguments);
        let mut advice = Vec::new();
        match self.loops.before(call.tool, tool, sign) {
            Past::Stop(stop) => return self.stop(call.tool, &stop, consent::detail(tool, &arguments)),
            Past::Nudge(words) => advice.push(words),
            Past::Free => {}
        }
        if tool.state != State::Ready {
            return Verdict::Run { arguments, repairs: Vec::new() };
        }
        let checker = self.checkers.entry(tool.fingerprint.clone()).or_insert_with(|| Checker::of(tool));
        match checker.check(tool, &arguments) {
            Ok(words) => advice.extend(words),
            Err(failure) => return self.refuse(call.tool, tool, sign, &arguments, (Rule::Schema, failure)),
        }
        self.leave(catalog, call, arguments, advice)
    }

    /// What remains for a call that may be made: whether anybody must agree to it, and what the model hears with it.
    fn leave(&mut self, catalog: &Catalog, call: &Proposed<'_>, arguments: Value, mut advice: Vec<String>) -> Verdict {
        let tool = catalog.get(call.tool);
        let strays = self.drift.strays(call.tool, call.near);
        let doubt = strays.then(|| self.drift.doubt(catalog, call.tool, &arguments)).flatten();
        let (schema_was_shown, untrusted) = (call.schema_was_shown, call.origin.untrusted);
        let asked = Asked { ix: call.tool, tool, arguments: &arguments, schema_was_shown, doubt, untrusted };
        match self.consents.decide(&asked) {
            Said::Run => {}
            Said::Ask(consent) => return Verdict::AskUser { arguments, repairs: Vec::new(), consent },
            Said::Deny(why) => {
                let sign = Sign::of(&tool.manifest, &arguments);
                return self.refuse(call.tool, tool, sign, &arguments, (Rule::Policy, Failure::denied(why)));
            }
        }
        if strays {
            advice.extend(self.drift.note(catalog, call.tool, &arguments));
        }
        match advice.is_empty() {
            true => Verdict::Run { arguments, repairs: Vec::new() },
            false => Verdict::RunWithAdvice { arguments, repairs: Vec::new(), advice: advice.join(" ") },
        }
    }

    /// Counts a malformed call; when it was refused in the same way too often, that is what the model is told.
    fn refuse(
        &mut self,
        ix: ToolIx,
        tool: &CatalogTool,
        sign: Sign,
        arguments: &Value,
        (rule, failure): (Rule, Failure),
    ) -> Verdict {
        let result = result_of(&Err(failure.clone()), arguments, &[]);
        match self.loops.refused(ix, tool, sign, result) {
            Some(stop) => self.stop(ix, &stop, consent::detail(tool, arguments)),
            None => not_run(rule, failure),
        }
    }

    fn stop(&mut self, ix: ToolIx, stop: &Stop, detail: String) -> Verdict {
        self.loops.stopped(ix, stop, detail);
        not_run(Rule::Repeat, Failure::invalid_args(stop.message.as_str()))
    }
}

/// The paths of a result that say nothing: those that are declared for results, and arguments that come back in them.
fn ignored(manifest: &ToolManifest) -> Vec<String> {
    manifest.volatile_keys.iter().chain(&manifest.volatile_results).cloned().collect()
}

fn not_run(rule: Rule, failure: Failure) -> Verdict {
    Verdict::NotRun { failure, rule }
}

fn beyond_limit(name: &str, limit: usize) -> Failure {
    let message =
        format!("`{name}` was not run: only {limit} calls run from one reply; send it again in your next reply.");
    Failure { retryable: true, ..Failure::invalid_args(message) }
}

fn unreadable(tool: &CatalogTool, refusal: Refusal) -> (Rule, Failure) {
    (refusal.rule, Failure::invalid_args(format!("`{}` was not run: {}", tool.id, refusal.message)))
}

fn short(raw: &str) -> String {
    winclaw_catalog::clean(raw, 120)
}

#[cfg(test)]
mod tests;
