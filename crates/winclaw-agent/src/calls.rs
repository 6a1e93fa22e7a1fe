use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use winclaw_catalog::{Resolution, ToolIx};
use winclaw_exposure::{Answer as Told, Signal};
use winclaw_guard::{Because, Consent, Origin, Proposed, Repair, Rule, Verdict};
use winclaw_model::WireCall;
use winclaw_tool::{Failure, FailureCode, Outcome, SideEffect, detail_line};

use crate::open::Made;
use crate::task::Task;
use crate::{Answer, Event, Watch};

/// A call of a tool, by whatever path it came.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'c> {
    /// The call's id.
    pub(crate) id: &'c str,
    /// The name the model used for the tool.
    pub(crate) name: &'c str,
    /// The arguments as written.
    pub(crate) arguments: &'c str,
    /// Its place in the reply.
    pub(crate) position: usize,
    /// Whether the reply was cut off in it.
    pub(crate) cut_off: bool,
    /// Whether it came through `tool_call`.
    pub(crate) bridged: bool,
}

/// A call that may run.
struct Granted {
    tool: ToolIx,
    arguments: Value,
    repairs: Vec<Repair>,
    advice: Option<String>,
}

impl Task<'_> {
    /// The one result of one call of a reply, as the model reads it.
    pub(crate) async fn answer_call(&mut self, call: &WireCall, position: usize, cut_off: bool) -> Told {
        let asked =
            Asked { id: &call.id, name: &call.name, arguments: &call.arguments, position, cut_off, bridged: false };
        if self.parts.interrupt.is_cancelled() {
            return self.refuse_aside(&asked, &cancelled());
        }
        match self.as_meta(&asked) {
            Some(Ok(meta)) => self.answer_meta(&asked, meta).await,
            Some(Err(failure)) => self.refuse_aside(&asked, &failure),
            None => self.answer_tool(&asked).await,
        }
    }

    /// Resolves the name and runs what it means; a similar name is offered, never run.
    pub(crate) async fn answer_tool(&mut self, asked: &Asked<'_>) -> Told {
        let catalog = self.catalog();
        let resolution = catalog.resolve(asked.name);
        self.recorder.resolve(&catalog, asked.id, asked.name, &resolution);
        let failure = match resolution {
            Resolution::One(tool) => match self.session.lens.exposure.state_answer(&catalog, tool) {
                None => return self.judge(asked, tool).await,
                Some(failure) => {
                    self.open.note(self.made(tool, None), failure.code);
                    failure
                }
            },
            Resolution::Many(_) | Resolution::Unknown { .. } => self.session.lens.name_answer(asked.name),
        };
        self.refuse_aside(asked, &failure)
    }

    /// A call that is answered without a tool, with a failure.
    pub(crate) fn refuse_aside(&mut self, asked: &Asked<'_>, failure: &Failure) -> Told {
        self.refuse_by(asked, None, failure)
    }

    /// The same, by this rule.
    pub(crate) fn refuse_by(&mut self, asked: &Asked<'_>, rule: Option<&'static str>, failure: &Failure) -> Told {
        let answer = self.not_run(asked, rule, failure);
        self.aside(asked, failure.code.as_str(), &failure.message, answer)
    }

    /// A call that ran no tool is recorded and counted; what the guard has to say about it stands behind the answer.
    pub(crate) fn aside(&mut self, asked: &Asked<'_>, outcome: &str, detail: &str, answer: Told) -> Told {
        self.recorder.aside(asked, outcome, detail, &answer.text);
        self.counted(asked, detail, answer)
    }

    /// A call that ran no tool is counted by what came of it.
    pub(crate) fn counted(&mut self, asked: &Asked<'_>, came_of_it: &str, answer: Told) -> Told {
        let advice = self.guard.aside(asked.name, asked.arguments, came_of_it);
        join(answer, advice.map(Told::from))
    }

    async fn judge(&mut self, asked: &Asked<'_>, tool: ToolIx) -> Told {
        let unshown = !self.session.lens.exposure.schema_shown(tool);
        let attached = self.options.attached.first().map(|attached| attached.name.clone());
        let proposed = Proposed {
            tool,
            raw_arguments: asked.arguments,
            cut_off: asked.cut_off,
            position: asked.position,
            schema_was_shown: !unshown,
            near: self.anchor.is_near(&self.catalog(), tool),
            origin: Origin { untrusted: attached.as_deref() },
        };
        let verdict = self.guard.judge(&self.catalog(), &proposed);
        self.recorder.verdict(&self.catalog(), asked.id, tool, &verdict);
        self.tell_drift(asked, tool);
        let revealed = unshown.then(|| self.reveal_called(tool));
        let content = match verdict {
            Verdict::Run { arguments, repairs } => {
                self.run_granted(asked, Granted { tool, arguments, repairs, advice: None }).await
            }
            Verdict::RunWithAdvice { arguments, repairs, advice } => {
                self.run_granted(asked, Granted { tool, arguments, repairs, advice: Some(advice) }).await
            }
            Verdict::AskUser { arguments, repairs, consent } => {
                self.with_consent(asked, Granted { tool, arguments, repairs, advice: None }, &consent).await
            }
            Verdict::NotRun { failure, rule } => {
                // Any other call was no call yet, or was judged before.
                if rule == Rule::Policy {
                    self.open.note(self.made(tool, None), failure.code);
                }
                self.not_run(asked, Some(rule.as_str()), &failure)
            }
        };
        join(content, revealed)
    }

    /// A tool that was called unshown is shown from now on; its schema stands behind the result.
    fn reveal_called(&mut self, tool: ToolIx) -> Told {
        let rises = self.session.lens.learn(Signal::CalledUnshown(tool));
        self.rose(&rises);
        self.session.lens.reveal_called(tool)
    }

    async fn with_consent(&mut self, asked: &Asked<'_>, granted: Granted, consent: &Consent) -> Told {
        let running = self.parts.interrupt.begin();
        let question = self.parts.front.consent(consent, &granted.arguments);
        let Some(answer) = running.token.run_until_cancelled(question).await else {
            let why = if running.stopped_alone() { stopped() } else { cancelled() };
            return self.not_run(asked, None, &why);
        };
        drop(running);
        self.recorder.consent(&self.catalog(), asked.id, consent, answer, self.guard.ruling());
        self.guard.consented(consent, answer);
        if answer.is_yes() {
            return self.run_tool(asked, granted).await;
        }
        let failure = refusal(consent, answer);
        let Granted { tool, arguments, .. } = granted;
        if !unwanted(consent, answer) {
            self.open.note(self.made(tool, Some(&arguments)), FailureCode::Denied);
        }
        self.guard.record(&self.catalog(), tool, &arguments, &Err(failure.clone()));
        let rule = if answer == Answer::NobodyToAsk { "nobody" } else { "refused" };
        self.not_run(asked, Some(rule), &failure)
    }

    /// Runs a call that nobody was asked about; where more than the general level allowed it, the record says what.
    async fn run_granted(&mut self, asked: &Asked<'_>, granted: Granted) -> Told {
        if let Some(ruling) = self.guard.ruling().filter(|ruling| ruling.is_worth_telling()) {
            let catalog = self.session.lens.catalog();
            self.recorder.allowed(catalog, asked.id, granted.tool, &granted.arguments, ruling);
        }
        self.run_tool(asked, granted).await
    }

    async fn run_tool(&mut self, asked: &Asked<'_>, granted: Granted) -> Told {
        self.calls += 1;
        let Granted { tool, arguments, repairs, advice } = granted;
        let repaired = self.repaired(asked, tool, &arguments, &repairs);
        self.parts.front.show(Event::started(&self.catalog(), asked.id, tool, &arguments));
        let observer = Arc::new(Watch::new(Arc::clone(self.parts.front), asked.id));
        let begun = Instant::now();
        let running = self.parts.interrupt.begin();
        let outcome = self.session.toolbox.run(tool, arguments.clone(), running.token.clone(), observer).await;
        let by_person = running.stopped_alone();
        drop(running);
        let outcome = outcome.map_err(|failure| if by_person { stopped_in(failure) } else { failure });
        let content = self.ended(asked, tool, &arguments, outcome, begun.elapsed());
        join(join(content.into(), repaired.map(Told::from)), advice.map(Told::from))
    }

    /// Everything that follows from an outcome: guard, exposure, trace and whoever watches learn of it. What of it the model
    /// reads.
    fn ended(
        &mut self,
        asked: &Asked<'_>,
        tool: ToolIx,
        arguments: &Value,
        outcome: Outcome,
        took: Duration,
    ) -> String {
        let catalog = self.catalog();
        self.guard.record(&catalog, tool, arguments, &outcome);
        self.open.record(&catalog, self.made(tool, Some(arguments)), &outcome);
        // The one used last stands last, also when it was used before.
        if self.session.used.last() != Some(&tool) {
            self.session.used.retain(|other| *other != tool);
            self.session.used.push(tool);
        }
        let read = self.read(&catalog, tool, &outcome);
        self.recorder.call(&catalog, asked.id, (tool, arguments), &outcome, &read, took);
        let signal = match &outcome {
            Err(failure) if is_missing_capability(failure.code) => {
                Signal::CapabilityMissing { tool, error: failure.to_string() }
            }
            _ => Signal::Used(tool),
        };
        let rises = self.session.lens.learn(signal);
        let watched = read.watched(outcome, self.options.result_chars);
        self.parts.front.show(Event::ended(&catalog, asked.id, tool, watched, took));
        self.rose(&rises);
        read.shown
    }

    /// A call of `tool` as what the task leaves undone is judged by; without its arguments it does what the tool does at most.
    fn made(&self, tool: ToolIx, arguments: Option<&Value>) -> Made {
        let catalog = self.session.lens.catalog();
        let manifest = &catalog.get(tool).manifest;
        let side_effect = arguments.map_or(manifest.side_effect, |arguments| manifest.side_effect_of(arguments));
        Made { tool, near: self.anchor.is_near(catalog, tool), acts: side_effect != SideEffect::Read }
    }

    /// A call that does not run: whoever watches is told, and the model reads why.
    fn not_run(&mut self, asked: &Asked<'_>, rule: Option<&'static str>, failure: &Failure) -> Told {
        let catalog = self.catalog();
        let known = match catalog.resolve(asked.name) {
            Resolution::One(tool) => Some(catalog.get(tool)),
            Resolution::Many(_) | Resolution::Unknown { .. } => None,
        };
        let tool = known.map(|known| known.id.to_string());
        let detail = known.and_then(|known| {
            let arguments = serde_json::from_str(asked.arguments).ok()?;
            Some(detail_line(&known.manifest.detail_keys, &arguments))
        });
        let detail = detail.unwrap_or_default();
        let (call_id, name, failure) = (asked.id.to_owned(), asked.name.to_owned(), failure.clone());
        let text = failure_text(&failure);
        self.parts.front.show(Event::NotRun { call_id, name, tool, rule, detail, failure });
        text.into()
    }
}

/// Why a call does not run that the person did not agree to.
fn refusal(consent: &Consent, answer: Answer) -> Failure {
    let why = match answer {
        Answer::NobodyToAsk => {
            "this call needs the person's consent and nobody can be asked here. Go on without it and say what was not done"
        }
        _ => "the person said no to this call. Do not try it again; go on without it or ask what they want instead",
    };
    let hint = (answer == Answer::NobodyToAsk).then(|| consent.how_to_allow());
    Failure { hint, ..Failure::denied(why) }
}

fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "not run: the person interrupted the task")
}

fn stopped() -> Failure {
    Failure::new(FailureCode::Cancelled, format!("not run: the person stopped this call. {GO_ON}"))
}

/// The failure of a call that the person stopped while it ran.
fn stopped_in(failure: Failure) -> Failure {
    match failure.code {
        FailureCode::Cancelled => {
            let message = format!("the person stopped this call; its work may be half done. {GO_ON}");
            Failure { message, retryable: false, ..failure }
        }
        _ => failure,
    }
}

const GO_ON: &str = "Do not make it again unless they ask for it: go on without it, or ask what they want instead";

/// Whether the person said no to what strayed from the request: the task did not need it.
fn unwanted(consent: &Consent, answer: Answer) -> bool {
    let strays = consent.because.iter().any(|because| matches!(because, Because::Strays(_)));
    strays && matches!(answer, Answer::No | Answer::Never)
}

/// Failures that may mean another tool is needed; not denials, not what passes by itself.
fn is_missing_capability(code: FailureCode) -> bool {
    matches!(code, FailureCode::ToolFailed | FailureCode::NeedsConfig | FailureCode::Incompatible)
}

/// A failure as the model reads it.
pub(crate) fn failure_text(failure: &Failure) -> String {
    json!({"error": {"code": failure.code, "message": failure.message, "retryable": failure.retryable}}).to_string()
}

pub(crate) fn join(told: Told, more: Option<Told>) -> Told {
    let Some(more) = more.filter(|more| !more.text.is_empty() || !more.reveals.is_empty()) else { return told };
    let text = if more.text.is_empty() { told.text } else { format!("{}\n\n{}", told.text, more.text) };
    Told { text, reveals: told.reveals.into_iter().chain(more.reveals).collect() }
}
