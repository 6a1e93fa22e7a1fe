use std::collections::BTreeMap;

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::{Event, Link, SpanKind};
use serde_json::json;
use winclaw_trace::{Line, Record, TokenUsage};

use crate::names;
use crate::task::{ROOT, Task, failed, link};
use crate::value::{flag, number, text, texts};

/// What goes into spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether what people, models and tools said goes too: the request, arguments, messages of errors, questions.
    /// Default `false`.
    pub content: bool,
}

/// The spans of the task whose trace has `lines`, the task's own first.
///
/// `task_id` counts where the trace does not say its own. Takes any lines and never fails; a trace without a head gives
/// spans whose times count from 1970.
pub fn spans(task_id: &str, lines: impl IntoIterator<Item = Line>, options: Options) -> Vec<Span> {
    let task = Task { id: task_id.to_owned(), started: 0 };
    let mut making = Making { options, task, ..Making::default() };
    for line in lines {
        making.last_ms = making.last_ms.max(line.at_ms);
        making.line(line);
    }
    making.end()
}

#[derive(Default)]
struct Making {
    options: Options,
    task: Task,
    provider: String,
    model: String,
    conversation: Option<String>,
    version: String,
    /// Attributes, events and links of the task's own span.
    own: Vec<KeyValue>,
    events: Vec<Event>,
    links: Vec<Link>,
    /// What is known of the model call that is under way.
    call_no: u64,
    chat: Vec<KeyValue>,
    attempts: Vec<Event>,
    /// What is known of tool calls that have not run yet.
    calls: BTreeMap<String, Vec<KeyValue>>,
    spans: Vec<Span>,
    tokens: TokenUsage,
    cost: BTreeMap<String, u64>,
    state: Option<(String, i32)>,
    last_ms: u64,
}

impl Making {
    fn line(&mut self, line: Line) {
        let at = line.at_ms;
        match line.record {
            Record::Start { .. } => self.start(line.record),
            Record::Session { session_id, after, .. } => {
                self.conversation = Some(session_id);
                self.links.extend(after.as_deref().map(link));
            }
            Record::Exposure { .. } => self.exposure(&line.record),
            Record::Request { attempt, bytes, sha256, tools, messages, .. } => {
                let said = vec![
                    number("winclaw.request.attempt", attempt),
                    number("winclaw.request.bytes", bytes),
                    text("winclaw.request.sha256", sha256),
                    number("winclaw.request.tools", tools),
                    number("winclaw.request.messages", messages),
                ];
                self.attempts.push(self.task.event("winclaw.request", at, said));
            }
            Record::Reply { .. } => self.reply(at, &line.record),
            Record::ModelFailed { code, error, ms, .. } => self.model_failed(at, &code, &error, ms),
            Record::Call { .. } => self.tool(at, line.seq, line.record),
            Record::Cost { micros, currency, .. } => {
                let sum = self.cost.entry(currency).or_default();
                *sum = sum.saturating_add(micros);
            }
            Record::End { state, exit_code, .. } => self.state = Some((state, exit_code)),
            other => self.decision(at, other),
        }
    }

    fn start(&mut self, record: Record) {
        let Record::Start { task_id, started_unix_ms, program, model, replayed, request, lang } = record else {
            return;
        };
        if !task_id.is_empty() {
            self.task.id = task_id;
        }
        self.task.started = started_unix_ms;
        let (provider, name) = model.split_once('/').unwrap_or(("unknown", &model));
        (self.provider, self.model) = (names::provider(provider).to_owned(), name.to_owned());
        self.version = program.rsplit(' ').next().unwrap_or_default().to_owned();
        self.own.extend([flag("winclaw.replayed", replayed), text("winclaw.lang", lang)]);
        if self.options.content {
            let messages = json!([{"role": "user", "parts": [{"type": "text", "content": request}]}]);
            self.own.push(text(names::INPUT_MESSAGES, messages.to_string()));
        }
    }

    fn exposure(&mut self, record: &Record) {
        let Record::Exposure { call_no, epoch, transport, reach, shown, named, prefix_sha256, .. } = record else {
            return;
        };
        let Record::Exposure { prefix_tokens, tail_tokens, everything_tokens, .. } = record else { return };
        self.call_no = *call_no;
        self.attempts.clear();
        let tools: Vec<&str> = shown.iter().map(|tool| tool.tool.as_str()).collect();
        self.chat = vec![
            number("winclaw.call_no", *call_no),
            number("winclaw.exposure.epoch", *epoch),
            text("winclaw.exposure.transport", transport),
            text("winclaw.exposure.reach", reach),
            texts("winclaw.exposure.shown", &tools),
            number("winclaw.exposure.named", *named),
            text("winclaw.exposure.prefix_sha256", prefix_sha256),
            number("winclaw.exposure.prefix_tokens", *prefix_tokens),
            number("winclaw.exposure.tail_tokens", *tail_tokens),
            number("winclaw.exposure.everything_tokens", *everything_tokens),
        ];
    }

    fn reply(&mut self, at: u64, record: &Record) {
        let Record::Reply { calls, usage, cut_off, ms, .. } = record else { return };
        self.tokens.add(*usage);
        let finish = match () {
            () if *cut_off => "length",
            () if calls.is_empty() => "stop",
            () => "tool_call",
        };
        let mut span = self.chat(at, *ms);
        span.attributes.push(texts(names::FINISH, &[finish]));
        span.attributes.extend(tokens(usage));
        self.spans.push(span);
    }

    fn model_failed(&mut self, at: u64, code: &str, error: &str, ms: u64) {
        let mut span = self.chat(at, ms);
        span.attributes.push(text(names::ERROR, code));
        span.status = Some(failed(if self.options.content { error } else { code }));
        self.spans.push(span);
    }

    fn chat(&mut self, at: u64, ms: u64) -> Span {
        let key = format!("chat/{}/{}", self.call_no, self.spans.len());
        let mut span = self.task.span(&key, format!("chat {}", self.model), SpanKind::Client, at, ms);
        span.attributes = self.common("chat");
        span.attributes.append(&mut self.chat);
        span.events = std::mem::take(&mut self.attempts);
        span
    }

    fn tool(&mut self, at: u64, seq: u64, record: Record) {
        let Record::Call { call_id, tool, arguments, ms, outcome, result_chars, result_sha256, error, .. } = record
        else {
            return;
        };
        let mut span =
            self.task.span(&format!("tool/{seq}"), format!("execute_tool {tool}"), SpanKind::Internal, at, ms);
        span.attributes = vec![
            text(names::OPERATION, "execute_tool"),
            text(names::TOOL, tool),
            text(names::TOOL_TYPE, "function"),
            text(names::TOOL_CALL, call_id.as_str()),
            number("winclaw.result.chars", result_chars),
            text("winclaw.result.sha256", result_sha256),
        ];
        span.attributes.extend(self.calls.remove(&call_id).unwrap_or_default());
        span.attributes.extend(self.conversation.as_deref().map(|id| text(names::CONVERSATION, id)));
        if self.options.content {
            span.attributes.push(text(names::TOOL_ARGUMENTS, arguments.to_string()));
        }
        if outcome != "ok" {
            let message = error.filter(|_| self.options.content).unwrap_or_else(|| outcome.clone());
            span.attributes.push(text(names::ERROR, outcome));
            span.status = Some(failed(&message));
        }
        self.spans.push(span);
    }

    /// What was decided: of a call that may run, for its span; else an event of the task.
    fn decision(&mut self, at: u64, record: Record) {
        match record {
            Record::Consent { call_id, answer, scope, rule, .. } => {
                let said = [
                    text("winclaw.consent.answer", answer),
                    text("winclaw.consent.scope", scope),
                    text("winclaw.consent.rule", rule),
                ];
                self.calls.entry(call_id).or_default().extend(said);
            }
            Record::Repair { call_id, repair, at, .. } => {
                let said = format!("{repair} {at}");
                self.calls.entry(call_id).or_default().push(text("winclaw.repair", said.trim_end()));
            }
            other => self.events.extend(event(&other).map(|(name, said)| self.task.event(name, at, said))),
        }
    }

    fn common(&self, operation: &str) -> Vec<KeyValue> {
        let mut common = vec![text(names::OPERATION, operation), text(names::PROVIDER, self.provider.as_str())];
        common.push(text(names::MODEL, self.model.as_str()));
        common.extend(self.conversation.as_deref().map(|id| text(names::CONVERSATION, id)));
        common
    }

    fn end(mut self) -> Vec<Span> {
        let name = format!("invoke_agent {}", names::SERVICE);
        let mut span = self.task.span(ROOT, name, SpanKind::Internal, self.last_ms, self.last_ms);
        span.attributes = self.common("invoke_agent");
        span.attributes.extend([text(names::AGENT, names::SERVICE), text(names::AGENT_VERSION, self.version.as_str())]);
        span.attributes.push(text("winclaw.task.id", self.task.id.as_str()));
        span.attributes.append(&mut self.own);
        span.attributes.extend(tokens(&self.tokens));
        let cost = |(currency, micros): (&String, &u64)| {
            number(&format!("winclaw.cost.{}_micros", currency.to_lowercase()), *micros)
        };
        span.attributes.extend(self.cost.iter().map(cost));
        let (state, exit_code) = self.state.unwrap_or_else(|| ("unfinished".into(), 1));
        span.attributes.push(text("winclaw.state", state.as_str()));
        if exit_code != 0 {
            span.attributes.push(text(names::ERROR, state.as_str()));
            span.status = Some(failed(&state));
        }
        (span.events, span.links) = (self.events, self.links);
        self.spans.insert(0, span);
        self.spans
    }
}

fn tokens(usage: &TokenUsage) -> Vec<KeyValue> {
    let parts = [
        (names::INPUT_TOKENS, usage.input),
        (names::CACHED_TOKENS, usage.cached),
        (names::OUTPUT_TOKENS, usage.output),
    ];
    parts.into_iter().filter_map(|(name, tokens)| Some(number(name, tokens?))).collect()
}

/// The event of a decision, in names, counts and ids alone.
fn event(record: &Record) -> Option<(&'static str, Vec<KeyValue>)> {
    Some(match record {
        Record::Rise { tools, reach, .. } => {
            ("winclaw.rise", vec![texts("winclaw.tools", tools), text("winclaw.exposure.reach", reach)])
        }
        Record::Epoch { epoch, transport, rebilled, .. } => (
            "winclaw.epoch",
            vec![
                number("winclaw.exposure.epoch", *epoch),
                text("winclaw.exposure.transport", transport),
                number("winclaw.rebilled_tokens", *rebilled),
            ],
        ),
        Record::Loop { pattern, tools, times, rung, .. } => (
            "winclaw.loop",
            vec![
                text("winclaw.loop.pattern", pattern),
                text("winclaw.loop.rung", rung),
                number("winclaw.loop.times", *times),
                texts("winclaw.tools", tools),
            ],
        ),
        Record::Drift { call_id, tool, rung, .. } => (
            "winclaw.drift",
            vec![text(names::TOOL_CALL, call_id), text(names::TOOL, tool), text("winclaw.drift.rung", rung)],
        ),
        Record::Verdict { call_id, tool, verdict, rule, .. } if verdict == "not_run" => (
            "winclaw.not_run",
            vec![
                text(names::TOOL_CALL, call_id),
                text(names::TOOL, tool),
                text("winclaw.rule", rule.as_deref().unwrap_or_default()),
            ],
        ),
        Record::SetAside { tool, .. } => ("winclaw.set_aside", vec![text(names::TOOL, tool)]),
        Record::Tools { sha256, count, .. } => {
            ("winclaw.tools_changed", vec![text("winclaw.tools.sha256", sha256), number("winclaw.tools.count", *count)])
        }
        Record::Compacted { before_tokens, after_tokens, .. } => (
            "winclaw.compacted",
            vec![number("winclaw.before_tokens", *before_tokens), number("winclaw.after_tokens", *after_tokens)],
        ),
        _ => return None,
    })
}
