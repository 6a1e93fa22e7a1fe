use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use winclaw_catalog::evidence::{Evidence, Hit};
use winclaw_catalog::{Catalog, Resolution, ToolIx};
use winclaw_exposure::{Event as Decision, Prefix, Reach, Rise, Surface};
use winclaw_guard::{Consent, DriftStep, LoopStep, Repair, Ruling, Verdict};
use winclaw_model::{ChatReply, Cost, ModelError};
use winclaw_tool::{Lang, Outcome, Problem, Text, ToolSpec, detail_line};
use winclaw_trace::{CallMade, EvidenceHit, Record, ShownTool, TokenUsage};

use crate::calls::Asked;
use crate::change::{Change, Delta};
use crate::lens::Lens;
use crate::ranking::hex;
use crate::read::Read;
use crate::{Answer, Event, front};

/// Turns decisions into trace records, word for word.
pub(crate) struct Recorder<'a> {
    write: &'a mut (dyn FnMut(Record) + Send),
    /// What was last recorded of the evidence.
    hits: Vec<EvidenceHit>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(write: &'a mut (dyn FnMut(Record) + Send)) -> Self {
        Recorder { write, hits: Vec::new() }
    }

    /// Writes a record that is made elsewhere.
    pub(crate) fn put(&mut self, record: Record) {
        (self.write)(record);
    }

    /// What the request, or the plan of a later step, says about the tools; nothing where that is what it said before.
    pub(crate) fn evidence(&mut self, catalog: &Catalog, evidence: &Evidence, turn: u32) {
        let hits: Vec<EvidenceHit> = evidence.hits.iter().take(MAX_HITS).map(|hit| hit_of(catalog, hit)).collect();
        if hits == self.hits {
            return;
        }
        self.hits.clone_from(&hits);
        let (total, margin) = (evidence.hits.len() as u64, evidence.margin);
        (self.write)(Record::Evidence { call_no: turn.into(), hits, total, margin });
    }

    /// What led to a surface since the last one, step by step, the epochs it opened, and the surface itself.
    pub(crate) fn surface(&mut self, lens: &mut Lens, surface: &Surface, turn: u32) {
        for step in lens.take_steps() {
            let step = serde_json::to_value(step).unwrap_or_default();
            (self.write)(Record::Step { step });
        }
        let catalog = Arc::clone(lens.catalog());
        for entry in lens.take_entries() {
            if let Decision::Opened { transport, prefix_tokens, rebilled } = entry.event {
                (self.write)(Record::Epoch {
                    epoch: entry.epoch.into(),
                    transport: transport.as_str().into(),
                    cause: entry.because.words(&catalog, Lang::En),
                    prefix_tokens: prefix_tokens.into(),
                    rebilled: rebilled.into(),
                });
            }
        }
        self.exposure(&catalog, surface, turn);
    }

    /// The list of tools changed.
    pub(crate) fn tools(&mut self, change: &Change, delta: &Delta) {
        (self.write)(Record::Tools {
            sha256: change.ranking.digest.clone(),
            count: change.toolbox.catalog().tools().len() as u64,
            new: delta.new.clone(),
            gone: delta.gone.clone(),
            back: delta.back.clone(),
            changed: delta.changed.clone(),
        });
    }

    pub(crate) fn problem(&mut self, problem: Problem) {
        (self.write)(Record::Problem { problem });
    }

    fn exposure(&mut self, catalog: &Catalog, surface: &Surface, turn: u32) {
        let shown = surface.shown.iter().map(|shown| ShownTool {
            tool: catalog.get(shown.tool).id.to_string(),
            level: shown.level.as_str().into(),
            because: shown.because.words(catalog, Lang::En),
            tokens: shown.tokens.into(),
        });
        (self.write)(Record::Exposure {
            call_no: turn.into(),
            epoch: surface.epoch.into(),
            transport: surface.transport.as_str().into(),
            reach: surface.reach.as_str().into(),
            shown: shown.collect(),
            named: named(catalog, surface) as u64,
            prefix_sha256: prefix_sha256(surface),
            prefix_tokens: surface.tokens.prefix.into(),
            tail_tokens: surface.tokens.tail.into(),
            everything_tokens: surface.tokens.everything.into(),
            tail: surface.tail.clone(),
        });
    }

    /// A body that goes on the wire.
    pub(crate) fn sent(&mut self, body: &[u8], attempt: u32, turn: u32, (tools, messages): (usize, usize)) {
        (self.write)(Record::Request {
            call_no: turn.into(),
            attempt: attempt.into(),
            bytes: body.len() as u64,
            sha256: sha256(body),
            tools: tools as u64,
            messages: messages as u64,
        });
    }

    pub(crate) fn set_aside(&mut self, tool: &str, why: &Text, turn: u32) {
        (self.write)(Record::SetAside { call_no: turn.into(), tool: tool.into(), why: why.en.clone() });
    }

    pub(crate) fn model_failed(&mut self, error: &ModelError, turn: u32, took: Duration) {
        let (code, error) = (model_error(error).into(), error.to_string());
        (self.write)(Record::ModelFailed { call_no: turn.into(), code, error, ms: millis(took) });
    }

    /// What a reply cost, where its price is known; `total` is that of the session so far.
    pub(crate) fn cost(&mut self, cost: Option<&Cost>, total: Option<&Cost>, as_of: Option<String>, turn: u32) {
        let Some(cost) = cost else { return };
        (self.write)(Record::Cost {
            call_no: turn.into(),
            micros: cost.amount,
            total_micros: total.map_or(cost.amount, |total| total.amount),
            currency: cost.currency.to_string(),
            as_of,
        });
    }

    pub(crate) fn reply(&mut self, reply: &ChatReply, took: Duration, estimated: u32, scale: f32) {
        let calls = reply.calls.iter().map(|call| CallMade { id: call.id.clone(), name: call.name.clone() });
        (self.write)(Record::Reply {
            text_chars: reply.text.chars().count() as u64,
            calls: calls.collect(),
            usage: TokenUsage { input: reply.usage.input, cached: reply.usage.cached, output: reply.usage.output },
            cut_off: reply.cut_off,
            ms: millis(took),
            estimated: estimated.into(),
            scale,
            text_calls: reply.text_calls.into(),
        });
    }

    pub(crate) fn resolve(&mut self, catalog: &Catalog, call_id: &str, name: &str, resolution: &Resolution) {
        let ids = |tools: &[ToolIx]| {
            tools.iter().map(|tool| catalog.get(*tool).id.to_string()).collect::<Vec<_>>().join(", ")
        };
        let resolution = match resolution {
            Resolution::One(tool) => catalog.get(*tool).id.to_string(),
            Resolution::Many(tools) => format!("several: {}", ids(tools)),
            Resolution::Unknown { nearest } => format!("unknown; nearest: {}", ids(nearest)),
        };
        (self.write)(Record::Resolve { call_id: call_id.into(), name: name.into(), resolution });
    }

    pub(crate) fn verdict(&mut self, catalog: &Catalog, call_id: &str, tool: ToolIx, verdict: &Verdict) {
        let (word, rule, reason) = match verdict {
            Verdict::Run { .. } => ("run", None, String::new()),
            Verdict::RunWithAdvice { advice, .. } => ("run_with_advice", None, advice.clone()),
            Verdict::AskUser { consent, .. } => ("ask_user", None, consent.why.en.clone()),
            Verdict::NotRun { failure, rule } => ("not_run", Some(rule.as_str().into()), failure.message.clone()),
        };
        let tool = catalog.get(tool).id.to_string();
        (self.write)(Record::Verdict { call_id: call_id.into(), tool, verdict: word.into(), rule, reason });
    }

    /// A question to the person, the answer, and what made it a question.
    pub(crate) fn consent(
        &mut self,
        catalog: &Catalog,
        call_id: &str,
        consent: &Consent,
        answer: Answer,
        ruling: Option<&Ruling>,
    ) {
        (self.write)(Record::Consent {
            call_id: call_id.into(),
            tool: catalog.get(consent.tool).id.to_string(),
            asked: consent.why.en.clone(),
            answer: answer.as_str().into(),
            side_effect: consent.side_effect.as_str().into(),
            scope: answer.scope().into(),
            rule: ruling.map(Ruling::as_trace).unwrap_or_default(),
        });
    }

    /// A call that runs though nobody was asked, by something else than the general level.
    pub(crate) fn allowed(
        &mut self,
        catalog: &Catalog,
        call_id: &str,
        tool: ToolIx,
        arguments: &Value,
        ruling: &Ruling,
    ) {
        let known = catalog.get(tool);
        (self.write)(Record::Consent {
            call_id: call_id.into(),
            tool: known.id.to_string(),
            asked: String::new(),
            answer: "allowed".into(),
            side_effect: known.manifest.side_effect_of(arguments).as_str().into(),
            scope: String::new(),
            rule: ruling.as_trace(),
        });
    }

    pub(crate) fn call(
        &mut self,
        catalog: &Catalog,
        call_id: &str,
        (tool, arguments): (ToolIx, &Value),
        outcome: &Outcome,
        read: &Read,
        took: Duration,
    ) {
        let known = catalog.get(tool);
        (self.write)(Record::Call {
            call_id: call_id.into(),
            tool: known.id.to_string(),
            detail: detail_line(&known.manifest.detail_keys, arguments),
            arguments: arguments.clone(),
            ms: millis(took),
            outcome: outcome.as_ref().map_or_else(|failure| failure.code.as_str(), |_| "ok").into(),
            result_chars: read.chars as u64,
            result_sha256: read.sha256.clone(),
            error: outcome.as_ref().err().map(|failure| failure.message.clone()),
            whole: read.whole.as_ref().map(|path| path.display().to_string()),
        });
    }

    pub(crate) fn repairs(&mut self, catalog: &Catalog, call_id: &str, tool: ToolIx, repairs: &[Repair]) {
        for repair in repairs {
            (self.write)(Record::Repair {
                call_id: call_id.into(),
                tool: catalog.get(tool).id.to_string(),
                repair: repair.what.as_str().into(),
                at: repair.at.clone(),
                said: repair.said.clone(),
            });
        }
    }

    pub(crate) fn looping(&mut self, catalog: &Catalog, step: &LoopStep) {
        (self.write)(Record::Loop {
            pattern: step.what.as_str().into(),
            tools: step.tool.map(|tool| catalog.get(tool).id.to_string()).into_iter().collect(),
            times: step.times as u64,
            rung: step.rung.into(),
            said: step.said.clone(),
        });
    }

    pub(crate) fn drift(&mut self, catalog: &Catalog, call_id: &str, tool: ToolIx, drift: &DriftStep) {
        (self.write)(Record::Drift {
            call_id: call_id.into(),
            tool: catalog.get(tool).id.to_string(),
            rung: drift.rung.into(),
            why: drift.after.clone(),
            said: drift.said.clone(),
        });
    }

    pub(crate) fn aside(&mut self, asked: &Asked<'_>, outcome: &str, detail: &str, answer: &str) {
        (self.write)(Record::Aside {
            call_id: asked.id.into(),
            name: asked.name.into(),
            arguments: asked.arguments.into(),
            outcome: outcome.into(),
            detail: detail.into(),
            result_chars: answer.chars().count() as u64,
        });
    }

    pub(crate) fn rise(&mut self, catalog: &Catalog, rise: &Rise, reach: Reach) {
        let cause = rise.because().words(catalog, Lang::En);
        (self.write)(Record::Rise { cause, tools: risen(catalog, rise), reach: reach.as_str().into() });
    }
}

/// Most hits that one record of evidence has, and terms that one of them is told with.
const MAX_HITS: usize = 12;
const MAX_TERMS: usize = 4;

fn hit_of(catalog: &Catalog, hit: &Hit) -> EvidenceHit {
    let terms: Vec<String> =
        hit.terms.iter().take(MAX_TERMS).map(|term| format!("{} ({})", term.text, term.field)).collect();
    let because = match hit.via {
        Some(via) if terms.is_empty() => format!("by {}", catalog.get(via.from).id),
        _ => terms.join(", "),
    };
    EvidenceHit { tool: catalog.get(hit.tool).id.to_string(), score: hit.score, exact: hit.exact, because }
}

/// What whoever watches is told of a surface.
pub(crate) fn exposure_event(catalog: &Catalog, surface: &Surface, turn: u32) -> Event {
    let words = |shown: &winclaw_exposure::Shown| {
        Text::new(shown.because.words(catalog, Lang::En), shown.because.words(catalog, Lang::Zh))
    };
    let shown = surface.shown.iter().map(|shown| front::ShownTool {
        tool: catalog.get(shown.tool).id.to_string(),
        level: shown.level.as_str().into(),
        because: words(shown),
        tokens: shown.tokens,
    });
    Event::Exposure {
        call_no: turn,
        shown: shown.collect(),
        named: named(catalog, surface),
        tokens: surface.tokens.prefix + surface.tokens.tail,
        everything_tokens: surface.tokens.everything,
    }
}

/// What whoever watches is told of a rise.
pub(crate) fn rise_event(catalog: &Catalog, rise: &Rise) -> Event {
    Event::Rise { cause: rise.because().text(catalog), tools: risen(catalog, rise) }
}

/// Id of the tool that rose; none when the reach did.
fn risen(catalog: &Catalog, rise: &Rise) -> Vec<String> {
    match rise {
        Rise::Tool { tool, .. } => vec![catalog.get(*tool).id.to_string()],
        Rise::Reach { .. } => Vec::new(),
    }
}

/// The digest of the frozen prefix: what must not change within an epoch.
pub(crate) fn prefix_sha256(surface: &Surface) -> String {
    let Prefix { system, tools, deferred } = &*surface.prefix;
    let (tools, deferred) = (refs(tools), refs(deferred));
    let whole = match deferred.is_empty() {
        true => serde_json::to_vec(&(system, tools)),
        false => serde_json::to_vec(&(system, tools, deferred)),
    };
    sha256(&whole.unwrap_or_default())
}

fn refs(specs: &[Arc<ToolSpec>]) -> Vec<&ToolSpec> {
    specs.iter().map(Arc::as_ref).collect()
}

fn named(catalog: &Catalog, surface: &Surface) -> usize {
    catalog.permitted().count().saturating_sub(surface.shown.len())
}

fn model_error(error: &ModelError) -> &'static str {
    match error {
        ModelError::Authentication { .. } => "authentication",
        ModelError::Cancelled => "cancelled",
        ModelError::Config { .. } => "config",
        ModelError::Protocol { .. } => "protocol",
        ModelError::Rejected { .. } => "rejected",
        ModelError::WebPage { .. } => "web_page",
        ModelError::ReplayMismatch { .. } => "replay_mismatch",
        ModelError::Unreachable { .. } => "unreachable",
    }
}

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
