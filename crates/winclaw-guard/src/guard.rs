use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};
use winclaw_tool::{Failure, Outcome, SideEffect, Text, ToolManifest};

use crate::arguments::{self, Refusal};
use crate::asides::Asides;
use crate::check::Checker;
use crate::consent;
use crate::digest::{Sign, result_of};
use crate::drift::{self, Drift};
use crate::loops::{Answer, LoopReport, Loops, Stop};

/// Which side effects run without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approve {
    /// Only reads run without asking. The default.
    #[default]
    Never,
    /// Reads and writes run without asking.
    Writes,
    /// Everything runs without asking.
    Always,
}

/// Bounds of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many calls run from one reply. Default 8.
    pub calls_per_reply: usize,
    /// How many times a call may give the same result before it is stopped. Default 3; 0 counts as 1. Calls about the
    /// same thing, which agree in what the tool's `detail_keys` name and differ in other arguments, may do so twice as
    /// often: of tools that only read, and of failures. A tool that is meant to be polled has four times as much of each.
    pub repeats: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { calls_per_reply: 8, repeats: 3 }
    }
}

/// A call as the model proposed it, its name resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposed<'a> {
    /// The tool, already unwrapped from `tool_call`.
    pub tool: ToolIx,
    /// The arguments, byte for byte as the model wrote them.
    pub raw_arguments: &'a str,
    /// Whether the reply was cut off at the output limit within this call.
    pub cut_off: bool,
    /// The call's place in its reply, from 0, counting every call.
    pub position: usize,
    /// Whether the tool's schema was in the context when the model made the call.
    pub schema_was_shown: bool,
    /// Whether the tool is near what the task is about, as far as whoever asks can tell; true where it cannot.
    pub near: bool,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It runs.
    Run {
        /// The arguments, normalised to an object and valid.
        arguments: Value,
    },
    /// It runs, and the model is told something with the result.
    RunWithAdvice {
        /// The arguments.
        arguments: Value,
        /// What to tell the model, in whole sentences.
        advice: String,
    },
    /// It runs only if the person agrees.
    AskUser {
        /// The arguments, valid.
        arguments: Value,
        /// What to ask.
        consent: Consent,
    },
    /// It does not run.
    NotRun {
        /// What the model is told: what is wrong and how to mend it. Its code is always `invalid_args`, since only the
        /// model can mend it; `rule` says what it was.
        failure: Failure,
        /// The rule that stopped it.
        rule: Rule,
    },
}

/// What a person is asked before a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The tool that would run.
    pub tool: ToolIx,
    /// What this very call may do to the world: the tool's side effect, raised by what its arguments ask for.
    pub side_effect: SideEffect,
    /// One line of what the call is about. What makes the call destructive stands in it, such as `overwrite: true`.
    pub detail: String,
    /// The whole question as a sentence: title, id, side effect in words, detail, and a doubt if there is one.
    pub why: Text,
    /// Whether it is asked only because the call strays from the request after a failure.
    pub strays: bool,
}

impl Consent {
    /// What lets such a call run where nobody can be asked, for a person: the narrowest rule that does.
    pub fn how_to_allow(&self) -> Text {
        let rule = if self.side_effect <= SideEffect::Write && !self.strays { "writes" } else { "always" };
        Text::new(
            format!("allow it with --approve {rule}, or run it in a terminal to be asked"),
            format!("可用 --approve {rule} 允许，或在终端中运行以便询问"),
        )
    }
}

/// Why a call did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Its arguments end before they are complete.
    CutOff,
    /// Its arguments are not JSON, or are nested too deeply to be read.
    NotJson,
    /// Its arguments do not fit the tool's schema.
    Schema,
    /// Too many calls stand before it in the same reply.
    BatchLimit,
    /// It was made before, and nothing came of it.
    Repeat,
}

impl Rule {
    /// The rule in snake_case, as traces have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::CutOff => "cut_off",
            Rule::NotJson => "not_json",
            Rule::Schema => "schema",
            Rule::BatchLimit => "batch_limit",
            Rule::Repeat => "repeat",
        }
    }
}

/// Judges the calls of one task.
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    approve: Approve,
    loops: Loops,
    asides: Asides,
    drift: Drift,
    /// By fingerprint of the tool: compiling a schema costs more than checking many calls.
    checkers: BTreeMap<String, Checker>,
}

impl Guard {
    /// A guard that has seen nothing yet.
    pub fn new(limits: Limits, approve: Approve) -> Guard {
        Guard {
            limits,
            approve,
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
    /// and runs; one with side effects needs consent, except where [`Approve::Always`] lets it run, with the note. The
    /// failed tool itself is always near. A tool that is not
    /// [`State::Ready`] passes with `Run` once its arguments can be read, since only the toolbox answers for the state
    /// and never runs such a tool; nobody is asked to agree to what cannot happen.
    ///
    /// # Panics
    /// When `call.tool` is not of this `catalog`.
    pub fn judge(&mut self, catalog: &Catalog, call: &Proposed<'_>) -> Verdict {
        let tool = catalog.get(call.tool);
        if self.loops.stand_at(call.position) {
            self.drift.next_reply();
        }
        if let Some(failure) = self.beyond_limit(tool.id.as_str(), call.position) {
            return not_run(Rule::BatchLimit, failure);
        }
        match arguments::read(call.raw_arguments, call.cut_off) {
            Ok(arguments) => self.judge_arguments(catalog, tool, call, arguments),
            Err(refusal) => {
                let sign = Sign::of_text(call.raw_arguments);
                match self.loops.before(call.tool, tool, sign) {
                    Answer::Stop(stop) => self.stop(call.tool, &stop, short(call.raw_arguments)),
                    _ => self.refuse(call.tool, tool, sign, &Value::Null, unreadable(tool, refusal)),
                }
            }
        }
    }

    /// Takes in what came of a call: of every call that ran, and of those the person refused. `arguments` are those of
    /// the verdict.
    pub fn record(&mut self, catalog: &Catalog, tool: ToolIx, arguments: &Value, outcome: &Outcome) {
        let entry = catalog.get(tool);
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
            Answer::Stop(stop) => return self.stop(call.tool, &stop, consent::detail(tool, &arguments)),
            Answer::Nudge(words) => advice.push(words),
            Answer::Free => {}
        }
        if tool.state != State::Ready {
            return Verdict::Run { arguments };
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
        let side_effect = tool.manifest.side_effect_of(&arguments);
        if !consent::free(self.approve, side_effect) || (strays && must_ask(self.approve, side_effect)) {
            let mut consent = consent::ask(call.tool, tool, &arguments, call.schema_was_shown);
            if let Some(doubt) = strays.then(|| self.drift.doubt(catalog, call.tool, &arguments)).flatten() {
                consent.why = consent::with_doubt(&consent.why, &doubt);
                consent.strays = consent::free(self.approve, side_effect);
            }
            return Verdict::AskUser { arguments, consent };
        }
        if strays {
            advice.extend(self.drift.note(catalog, call.tool, &arguments));
        }
        match advice.is_empty() {
            true => Verdict::Run { arguments },
            false => Verdict::RunWithAdvice { arguments, advice: advice.join(" ") },
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

/// Whether a stray call with this side effect needs consent that `approve` alone would not demand.
fn must_ask(approve: Approve, side_effect: SideEffect) -> bool {
    approve != Approve::Always && side_effect != SideEffect::Read
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
