use std::collections::BTreeMap;

use serde_json::Value;
use winclaw_catalog::{Catalog, CatalogTool, State, ToolIx};
use winclaw_tool::{Failure, Outcome, SideEffect, ToolManifest};

use crate::arguments::{self, Refusal};
use crate::asides::Asides;
use crate::check::{Checked, Checker};
use crate::consent::{self, Asked, Consents, Said};
use crate::digest::{Sign, result_of};
use crate::drift::{self, Drift, DriftStep, Stray};
use crate::idle;
use crate::ladder::{Found, Ladder, LoopStep, Rung};
use crate::loops::{Loops, News, Past};
use crate::origin::Origins;
use crate::plans::{self, Plans};
use crate::repair::Draft;
use crate::replies::Replies;
use crate::{Answer, Consent, Limits, LoopKind, LoopReport, Policy, Proposed, Repair, Rule, Ruling, Stage, Verdict};

/// Longest line of what an aside was about, in characters.
const MAX_DETAIL: usize = 120;

/// How many tools are named to be shown instead of one that is repeated.
const MAX_REVEAL: usize = 5;

/// Judges the calls of one task.
#[derive(Debug)]
pub struct Guard {
    limits: Limits,
    consents: Consents,
    replies: Replies,
    ladder: Ladder,
    plans: Plans,
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
            replies: Replies::default(),
            ladder: Ladder::default(),
            plans: Plans::default(),
            loops: Loops::new(limits.repeats),
            asides: Asides::new(limits.repeats),
            drift: Drift::default(),
            checkers: BTreeMap::new(),
        }
    }

    /// The verdict on one call.
    ///
    /// In this order: place in the reply, whether any tool runs now, arguments readable, repairs, repetition, schema,
    /// consent. After a failure that was not
    /// mended, a call that is not [`near`](Proposed::near) and was made in a later reply hears a note when it only reads,
    /// and runs; one with side effects needs consent, except where [`Approve::Always`](crate::Approve::Always) or a rule
    /// lets it run, with the note. The failed tool itself is always near. Without a failure the first side effect that is
    /// not near runs with a note; one of another category in a later reply needs consent. A tool that is not
    /// [`State::Ready`] passes with `Run` once its arguments can be read, since only the toolbox answers for the state
    /// and never runs such a tool; nobody is asked to agree to what cannot happen.
    ///
    /// # Panics
    /// When `call.tool` is not of this `catalog`.
    pub fn judge(&mut self, catalog: &Catalog, call: &Proposed<'_>) -> Verdict {
        let tool = catalog.get(call.tool);
        self.consents.begin();
        if self.replies.stand_at(call.position) {
            self.next_reply();
        }
        if let Some(failure) = self.beyond_limit(tool.id.as_str(), call.position) {
            return not_run(Rule::BatchLimit, failure);
        }
        if let Some(verdict) = self.must_answer(tool) {
            return verdict;
        }
        match arguments::read(call.raw_arguments, call.cut_off) {
            Ok(draft) => self.judge_arguments(catalog, tool, call, draft),
            Err(refusal) => {
                let sign = Sign::of_text(call.raw_arguments);
                match self.loops.before(call.tool, tool, sign) {
                    Past::Stop(found) => self.block(catalog, &found, sign, short(call.raw_arguments)),
                    _ => self.refuse(catalog, call.tool, sign, &Value::Null, unreadable(tool, refusal)),
                }
            }
        }
    }

    /// A reply begins: the model has read the results of the last one.
    fn next_reply(&mut self) {
        self.drift.next_reply();
        self.consents.next_reply();
        self.loops.idle.next_reply();
        let idle = &self.loops.idle;
        if idle.level() >= Rung::MustAnswer && self.ladder.rung() < Rung::MustAnswer {
            let (what, times) = (LoopKind::NoNews, idle.replies());
            let found = Found { what, tool: None, by: [0; 32], times, message: must_answer().to_owned() };
            self.ladder.raise(Rung::MustAnswer, &found, self.replies.now(), "whatever was called".to_owned());
        }
    }

    /// What a call hears once the model must answer.
    fn must_answer(&mut self, tool: &CatalogTool) -> Option<Verdict> {
        if self.ladder.rung() < Rung::MustAnswer {
            return None;
        }
        self.ladder.insists(self.replies.now());
        let message = format!("`{}` was not run. {}", tool.id, must_answer());
        Some(not_run(Rule::MustAnswer, Failure::invalid_args(message)))
    }

    /// Takes in what came of a call: of every call that ran, and of those the person refused. `arguments` are those of
    /// the verdict.
    pub fn record(&mut self, catalog: &Catalog, tool: ToolIx, arguments: &Value, outcome: &Outcome) {
        let entry = catalog.get(tool);
        self.consents.ran(entry, arguments, outcome);
        let sign = Sign::of(&entry.manifest, arguments);
        let result = result_of(outcome, arguments, &ignored(&entry.manifest));
        if self.loops.ran(tool, entry, sign, result, self.replies.now()) != News::None {
            self.ladder.progress();
            self.asides.progress();
        }
        self.drift.ran(tool, outcome, || drift::about(entry, arguments));
    }

    /// The list of tools changed: everything that is known of the tool at place `old` holds for `map[old.index()]` from
    /// now on. What is known of a tool beyond the end of `map` is forgotten.
    pub fn renumber(&mut self, map: &[ToolIx]) {
        self.ladder.renumber(map);
        self.loops.renumber(map);
        self.drift.renumber(map);
    }

    /// Takes in a call that ran no tool, of a meta tool or of a name that is no tool's, and what came of it: what was
    /// found (ids with `, ` between them), what the person said, why it failed. What the model should hear once nothing
    /// new comes of it again and again.
    pub fn aside(&mut self, name: &str, arguments: &str, came_of_it: &str) -> Option<String> {
        let reply = self.replies.now();
        match name {
            "ask_user" => self.ladder.asks(reply),
            _ => self.ladder.insists(reply),
        }
        let made = self.asides.made(name, arguments, came_of_it, self.replies.known());
        match made.news {
            true => {
                self.loops.idle.news();
                self.ladder.progress();
            }
            false => self.loops.idle.note(idle::REPEATED),
        }
        let (rung, found) = made.found?;
        let detail = winclaw_catalog::clean(&format!("{name} {arguments}"), MAX_DETAIL);
        match rung {
            Rung::Free | Rung::Hinted => self.ladder.hint(&found, detail),
            higher => self.ladder.raise(higher, &found, reply, detail),
        }
        Some(found.message)
    }

    /// Why a call at `position` of its reply does not run, if it stands beyond the limit.
    pub fn beyond_limit(&self, name: &str, position: usize) -> Option<Failure> {
        let limit = self.limits.calls_per_reply;
        (position >= limit).then(|| beyond_limit(name, limit))
    }

    /// The loop the model was caught in: it went on with calls after being told that it must answer or ask. Once there is
    /// a report the task shall end.
    pub fn stopped(&self) -> Option<&LoopReport> {
        self.ladder.report()
    }

    /// A reply goes on to calls, with these words before them, which may be none: to be told of each such reply, before
    /// its calls are judged. What the model should hear when it tells the same plan again.
    pub fn plan(&mut self, text: &str) -> Option<String> {
        self.replies.announce();
        self.next_reply();
        let again = self.plans.tell(text, self.loops.idle.epoch())?;
        let (times, message) = (again.times, told_again(again.times, again.idle));
        let by = plans::SIGN;
        let found = Found { what: LoopKind::SamePlan, tool: None, by, times, message };
        let detail = short(text);
        match again.idle {
            0..=2 => self.ladder.hint(&found, detail),
            3 => {
                self.loops.idle.stuck();
                self.ladder.raise(Rung::Blocked, &found, self.replies.now(), detail);
            }
            _ => self.ladder.raise(Rung::MustAnswer, &found, self.replies.now(), detail),
        }
        Some(found.message)
    }

    /// How far the task has gone up the ladder that leads out of a loop.
    pub fn stage(&self) -> Stage {
        self.ladder.stage()
    }

    /// What was found since this was asked last, for the trace and whoever watches: each hint and each rung.
    pub fn take_steps(&mut self) -> Vec<LoopStep> {
        self.ladder.take_steps()
    }

    /// What was found of the call that was judged last, if it strays from the request and somebody hears of it.
    pub fn take_drift(&mut self) -> Option<DriftStep> {
        self.drift.take_step()
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
        self.loops.person_spoke();
        self.ladder.progress();
    }

    /// Goes on from what an earlier request of the session left.
    pub fn resume(&mut self, origins: Origins) {
        self.consents.resume(origins);
    }

    /// Content of others came into the conversation by another way than a tool, such as an attached file; `source` is what
    /// a person is told of it.
    pub fn content_of_others(&mut self, source: &str) {
        self.consents.content_of_others(source);
    }

    /// Where the conversation's content came from so far, for the next request of the session.
    pub fn origins(&self) -> &Origins {
        self.consents.origins()
    }

    /// What decided who must agree to the call that was judged last; `None` where it did not come that far.
    pub fn ruling(&self) -> Option<&Ruling> {
        self.consents.last()
    }

    fn judge_arguments(&mut self, catalog: &Catalog, tool: &CatalogTool, call: &Proposed<'_>, read: Draft) -> Verdict {
        let Checked { draft: Draft { value: arguments, repairs }, fits } = self.checked(tool, read);
        let sign = Sign::of(&tool.manifest, &arguments);
        let mut advice = Vec::new();
        match self.loops.before(call.tool, tool, sign) {
            Past::Stop(found) => return self.block(catalog, &found, sign, consent::detail(tool, &arguments)),
            Past::Nudge(found) => {
                self.ladder.hint(&found, consent::detail(tool, &arguments));
                advice.push(found.message);
            }
            Past::Free => {}
        }
        match fits {
            _ if tool.state != State::Ready => Verdict::Run { arguments, repairs },
            Ok(words) => {
                advice.extend(words);
                self.leave(catalog, call, (arguments, repairs), advice)
            }
            Err(failure) => self.refuse(catalog, call.tool, sign, &arguments, (Rule::Schema, failure)),
        }
    }

    /// The arguments put right as far as they can be. Those of a tool that cannot run are left as they are.
    fn checked(&mut self, tool: &CatalogTool, read: Draft) -> Checked {
        if tool.state != State::Ready {
            return Checked { draft: read, fits: Ok(None) };
        }
        let checker = self.checkers.entry(tool.fingerprint.clone()).or_insert_with(|| Checker::of(tool));
        let Draft { value, mut repairs } = read;
        let mut checked = checker.repair(tool, value);
        repairs.append(&mut checked.draft.repairs);
        checked.draft.repairs = repairs;
        checked
    }

    /// What remains for a call that may be made: whether anybody must agree to it, and what the model hears with it.
    fn leave(
        &mut self,
        catalog: &Catalog,
        call: &Proposed<'_>,
        (arguments, repairs): (Value, Vec<Repair>),
        mut advice: Vec<String>,
    ) -> Verdict {
        let tool = catalog.get(call.tool);
        let acts = tool.manifest.side_effect_of(&arguments) != SideEffect::Read;
        let stray = self.drift.weigh(call.tool, tool, call.near, acts);
        let doubt = (stray == Stray::Ask).then(|| self.drift.doubt(catalog, call.tool, &arguments));
        let (schema_was_shown, untrusted) = (call.schema_was_shown, call.origin.untrusted);
        let asked = Asked { ix: call.tool, tool, arguments: &arguments, schema_was_shown, doubt, untrusted };
        match self.consents.decide(&asked) {
            Said::Run => {}
            Said::Ask(consent) => {
                if stray == Stray::Ask {
                    self.drift.asked(catalog, &consent.why.en);
                }
                return Verdict::AskUser { arguments, repairs, consent };
            }
            Said::Deny(failure) => return self.forbid(catalog, call.tool, &arguments, (Rule::Policy, failure)),
            Said::Declined(failure) => return self.forbid(catalog, call.tool, &arguments, (Rule::Declined, failure)),
        }
        if stray != Stray::No {
            advice.extend(self.drift.note(catalog, call.tool, &arguments));
        }
        match advice.is_empty() {
            true => Verdict::Run { arguments, repairs },
            false => Verdict::RunWithAdvice { arguments, repairs, advice: advice.join(" ") },
        }
    }

    fn forbid(&mut self, catalog: &Catalog, ix: ToolIx, arguments: &Value, why: (Rule, Failure)) -> Verdict {
        let sign = Sign::of(&catalog.get(ix).manifest, arguments);
        self.refuse(catalog, ix, sign, arguments, why)
    }

    /// Counts a malformed call; when it was refused in the same way too often, that is what the model is told.
    fn refuse(
        &mut self,
        catalog: &Catalog,
        ix: ToolIx,
        sign: Sign,
        arguments: &Value,
        (rule, failure): (Rule, Failure),
    ) -> Verdict {
        let tool = catalog.get(ix);
        let result = result_of(&Err(failure.clone()), arguments, &[]);
        match self.loops.refused(ix, tool, sign, result, self.replies.now()) {
            Some(found) => self.block(catalog, &found, sign, consent::detail(tool, arguments)),
            None => not_run(rule, failure),
        }
    }

    /// A call that is repeated does not run, and what it is often used with is to be shown.
    fn block(&mut self, catalog: &Catalog, found: &Found, sign: Sign, detail: String) -> Verdict {
        if let Some(ix) = found.tool {
            self.loops.blocked(ix, sign);
        }
        let others = found.tool.map(|ix| instead_of(catalog, ix)).unwrap_or_default();
        self.ladder.block(found, self.replies.now(), detail, others);
        let message = match self.ladder.rung() {
            Rung::MustAnswer => format!("{} {}", found.message, must_answer()),
            _ => found.message.clone(),
        };
        not_run(Rule::Repeat, Failure::invalid_args(message))
    }
}

/// Tools that may do what `ix` did not: those often used with it, and those that feed it.
fn instead_of(catalog: &Catalog, ix: ToolIx) -> Vec<ToolIx> {
    let linked = catalog.often_with(ix).iter().chain(catalog.input_from(ix)).copied();
    linked.filter(|other| *other != ix && catalog.get(*other).state == State::Ready).take(MAX_REVEAL).collect()
}

fn must_answer() -> &'static str {
    "No tool runs now: answer with what you have and say what is missing, or ask the user. Any other call ends the task."
}

fn told_again(times: usize, idle: usize) -> String {
    let then = match idle {
        0 => "If it does not lead on, do something else.",
        1..=3 => "Nothing new came of it: do its next step in another way, ask the user, or answer.",
        _ => must_answer(),
    };
    format!("You told this plan {times} times. {then}")
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
