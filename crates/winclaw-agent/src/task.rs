use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use winclaw_catalog::{Catalog, ToolIx, evidence::Evidence};
use winclaw_exposure::{Settings, Signal};
use winclaw_guard::{Approve, Guard, Limits, LoopReport};
use winclaw_model::{ChatModel, ChatReply, ChatRequest, Delta, Message, ModelError, Usage};
use winclaw_tool::Text;
use winclaw_toolbox::Toolbox;
use winclaw_trace::Record;

use crate::anchor::Anchor;
use crate::conversation::{append, estimate};
use crate::lens::Lens;
use crate::record::{self, Recorder};
use crate::report::{EndState, Report};
use crate::steps::Weighed;
use crate::{Event, Front, Ranking, Session};

/// What a task works with; made once, used by many tasks.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// Every tool, and the one door through which they run. A task follows its changes by itself.
    pub toolbox: &'a Arc<Toolbox>,
    /// The ranking over the toolbox's catalog.
    pub ranking: &'a Arc<Ranking>,
    /// The model.
    pub model: &'a dyn ChatModel,
    /// Who watches and answers for the person.
    pub front: &'a Arc<dyn Front>,
    /// Cancelled when the person interrupts.
    pub cancel: &'a CancellationToken,
}

/// What one task is, and its limits.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the person asks.
    pub request: String,
    /// How the exposure engine works.
    pub exposure: Settings,
    /// The guard's limits.
    pub limits: Limits,
    /// What runs without asking.
    pub approve: Approve,
    /// Model calls after which the task ends as not completed.
    pub max_turns: u32,
    /// Characters of one tool result that the model reads; more is cut in the middle with a mark. A result never takes
    /// more than a quarter of the window.
    pub result_chars: usize,
    /// Share of the window, in percent, that prefix and conversation may take before the oldest turns are folded. 75 suits
    /// most models; 0 folds whenever there is something to fold.
    pub fold_at_percent: u32,
}

/// Runs one task to its end. Never fails: whatever goes wrong is a state of the report.
///
/// `recorder` gets every decision in order; the caller writes them down.
pub async fn run(parts: Parts<'_>, options: Options, recorder: &mut (dyn FnMut(Record) + Send)) -> Report {
    Session::begin(parts, options, recorder).await.0
}

/// What follows a turn.
pub(crate) enum Then {
    Next,
    End(EndState),
}

/// A task under way.
pub(crate) struct Task<'a> {
    pub(crate) parts: Parts<'a>,
    /// That of the parts, until the list of tools changes.
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) lens: Lens,
    pub(crate) anchor: Anchor,
    pub(crate) options: Options,
    pub(crate) guard: Guard,
    pub(crate) messages: Vec<Message>,
    pub(crate) recorder: Recorder<'a>,
    pub(crate) open: record::Open,
    pub(crate) used: Vec<ToolIx>,
    /// Earlier requests of the session, latest first.
    earlier: Vec<String>,
    pub(crate) calls: u32,
    /// The plain estimate of the prefix in the last request.
    pub(crate) prefix_tokens: u32,
    plan_step: Option<String>,
    turns: u32,
    usage: Usage,
    answer: String,
    nudged: bool,
}

impl<'a> Task<'a> {
    /// The first request of a session.
    pub(crate) fn begin(parts: Parts<'a>, options: Options, recorder: &'a mut (dyn FnMut(Record) + Send)) -> Self {
        let (session, evidence) = Session::open(&parts, &options);
        let mut task = Task::of(session, parts, options, recorder);
        task.take_up(&evidence);
        task
    }

    /// A further request of a session.
    pub(crate) fn go_on(
        session: Session,
        parts: Parts<'a>,
        options: Options,
        recorder: &'a mut (dyn FnMut(Record) + Send),
    ) -> Self {
        let other_model = session.settings != options.exposure;
        let mut task = Task::of(session, parts, options, recorder);
        task.follow_changes();
        if other_model {
            task.lens.switch_model(task.options.exposure.clone());
        }
        let evidence = task.lens.request(task.asked(), estimate(&task.messages));
        task.take_up(&evidence);
        task
    }

    fn of(session: Session, parts: Parts<'a>, options: Options, recorder: &'a mut (dyn FnMut(Record) + Send)) -> Self {
        Task {
            anchor: Anchor::default(),
            toolbox: session.toolbox,
            guard: Guard::new(options.limits, options.approve.into()),
            lens: session.lens,
            messages: session.messages,
            recorder: Recorder::new(recorder),
            open: record::Open::default(),
            used: session.used,
            earlier: session.earlier,
            calls: 0,
            prefix_tokens: session.prefix_tokens,
            plan_step: None,
            turns: 0,
            usage: Usage::default(),
            answer: String::new(),
            nudged: false,
            parts,
            options,
        }
    }

    /// The request becomes part of the conversation, and what it points to is near.
    fn take_up(&mut self, evidence: &Evidence) {
        self.near(evidence);
        self.messages.push(Message::user(self.options.request.clone()));
    }

    /// What the person said points to these tools.
    pub(crate) fn near(&mut self, evidence: &Evidence) {
        let weak = self.options.exposure.budgets.weak_margin;
        self.anchor.weighed(&self.catalog(), evidence, weak);
    }

    /// Goes on to the end.
    pub(crate) async fn run(mut self) -> (Report, Session) {
        let state = loop {
            match self.turn().await {
                Then::Next => {}
                Then::End(state) => break state,
            }
        };
        self.end(state)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(self.lens.catalog())
    }

    /// One pass of the straight line: weigh, show, ask, judge, run, learn.
    async fn turn(&mut self) -> Then {
        if self.turns >= self.options.max_turns {
            return Then::End(self.out_of_turns());
        }
        self.turns += 1;
        self.follow_changes();
        self.observe();
        self.make_room();
        let request = self.request();
        let reply = match self.ask_model(&request).await {
            Ok(reply) => named(reply),
            Err(ModelError::Cancelled) => return Then::End(EndState::Interrupted),
            Err(error) => return Then::End(EndState::ModelFailed(error)),
        };
        self.take_reply(&reply);
        if reply.calls.is_empty() {
            return self.without_calls(&reply);
        }
        self.run_calls(&reply).await;
        self.after_calls()
    }

    /// Weighs the request anew, with what has happened since. The first time it was weighed when the task began.
    fn observe(&mut self) {
        if self.turns > 1 {
            self.lens.observe(self.asked());
        }
    }

    /// What the index is asked now.
    fn asked(&self) -> Weighed {
        let catalog = self.lens.catalog();
        let used = self.used.iter().map(|tool| catalog.get(*tool).id.clone()).collect();
        let (message, plan_step) = (self.options.request.clone(), self.plan_step.clone());
        Weighed { message, plan_step, used, earlier: self.earlier.clone() }
    }

    /// The request for the next model call. The tail becomes part of the conversation's last message, for good.
    fn request(&mut self) -> ChatRequest {
        let surface = self.lens.surface();
        self.parts.front.show(record::exposure_event(&self.catalog(), &surface, self.turns));
        self.recorder.surface(&mut self.lens, &surface, self.turns);
        self.prefix_tokens = surface.prefix.tokens();
        if let Some(tail) = &surface.tail {
            append(&mut self.messages, tail);
        }
        let request = ChatRequest {
            system: surface.prefix.system.clone(),
            tools: surface.prefix.tools.clone(),
            deferred: surface.prefix.deferred.clone(),
            messages: self.messages.clone(),
            ..ChatRequest::default()
        };
        self.recorder.request(self.parts.model, &request, self.turns);
        request
    }

    async fn ask_model(&mut self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let front = Arc::clone(self.parts.front);
        let mut sink = move |delta: Delta<'_>| {
            if let Delta::Text(text) = delta {
                front.show(Event::Text { text: text.to_owned() });
            }
        };
        let begun = Instant::now();
        let reply = self.parts.model.complete(request, &mut sink, self.parts.cancel).await?;
        let estimated = self.prefix_tokens.saturating_add(estimate(&request.messages));
        if let Some(reported) = reply.usage.input {
            self.lens.calibrate(estimated, reported);
        }
        self.recorder.reply(&reply, begun.elapsed(), estimated, self.lens.exposure.scale());
        Ok(reply)
    }

    fn take_reply(&mut self, reply: &ChatReply) {
        add(&mut self.usage, &reply.usage);
        if reply.skipped_lines > 0 {
            self.notice(skipped(reply.skipped_lines));
        }
        let (text, reasoning, calls) = (reply.text.clone(), reply.reasoning.clone(), reply.calls.clone());
        let sealed = reply.sealed.clone();
        if !text.trim().is_empty() {
            self.plan_step = Some(text.clone());
        }
        self.messages.push(Message::Assistant { text, reasoning, calls, sealed });
    }

    /// A reply without calls is the answer, unless it says nothing: then the surface widens and the model is asked once more.
    fn without_calls(&mut self, reply: &ChatReply) -> Then {
        let silent = reply.text.trim().is_empty();
        if (silent || winclaw_exposure::says_no_tool(&reply.text)) && !self.nudged {
            self.nudged = true;
            return self.nudge(silent);
        }
        if silent {
            return Then::End(EndState::NotCompleted {
                why: Text::new("the model gave no answer", "模型没有给出回答"),
            });
        }
        self.answer = reply.text.clone();
        if reply.cut_off {
            return Then::End(EndState::NotCompleted {
                why: Text::new("the model's answer was cut off", "模型的回答被截断"),
            });
        }
        Then::End(self.open.state())
    }

    fn nudge(&mut self, silent: bool) -> Then {
        let rises = self.lens.learn(Signal::NoTool);
        self.rose(&rises);
        if !silent && rises.is_empty() {
            self.answer = self.plan_step.clone().unwrap_or_default();
            return Then::End(self.open.state());
        }
        self.parts.front.show(Event::TextEnd);
        let text = match silent {
            true => "Your reply was empty. Answer the request, or call a tool.",
            false => {
                "More tools are available than you used. Look at what was shown since, or search, before you give up; if none fits, say so again."
            }
        };
        self.messages.push(Message::user(text));
        Then::Next
    }

    /// Runs every call of the reply in order; each gets its one result, also when the person interrupts.
    async fn run_calls(&mut self, reply: &ChatReply) {
        if !reply.text.trim().is_empty() {
            self.parts.front.show(Event::TextEnd);
        }
        let last = reply.calls.len().saturating_sub(1);
        for (position, call) in reply.calls.iter().enumerate() {
            let cut_off = reply.cut_off && position == last;
            let told = self.answer_call(call, position, cut_off).await;
            let (call_id, content, reveals) = (call.id.clone(), told.text, told.reveals);
            self.messages.push(Message::Tool { call_id, content, reveals });
        }
    }

    fn after_calls(&mut self) -> Then {
        if self.parts.cancel.is_cancelled() {
            return Then::End(EndState::Interrupted);
        }
        match self.guard.stopped() {
            Some(report) => Then::End(EndState::Stopped { why: repeated(&self.catalog(), report) }),
            None => Then::Next,
        }
    }

    fn out_of_turns(&self) -> EndState {
        let limit = self.options.max_turns;
        let (en, zh) =
            (format!("the limit of {limit} model calls was reached"), format!("已达到 {limit} 次模型调用的上限"));
        EndState::NotCompleted { why: Text::new(en, zh) }
    }

    pub(crate) fn rose(&mut self, rises: &[winclaw_exposure::Rise]) {
        for rise in rises {
            self.recorder.rise(&self.catalog(), rise, self.lens.exposure.reach());
            self.parts.front.show(record::rise_event(&self.catalog(), rise));
        }
    }

    fn notice(&self, text: Text) {
        self.parts.front.show(Event::Notice { text });
    }

    fn end(mut self, state: EndState) -> (Report, Session) {
        let (answer, calls, turns, usage) = (self.answer, self.calls, self.turns, self.usage);
        let report = Report { state, answer, calls, turns, usage, messages: self.messages.clone() };
        self.earlier.insert(0, self.options.request);
        // Every step of the trace repeats them.
        self.earlier.truncate(winclaw_intent::EARLIER);
        let session = Session {
            toolbox: self.toolbox,
            lens: self.lens,
            messages: self.messages,
            used: self.used,
            earlier: self.earlier,
            prefix_tokens: self.prefix_tokens,
            settings: self.options.exposure,
        };
        (report, session)
    }
}

/// A call without a name is answered like one of an unknown tool; no vendor takes a conversation with an empty name.
fn named(mut reply: ChatReply) -> ChatReply {
    for call in reply.calls.iter_mut().filter(|call| call.name.trim().is_empty()) {
        call.name = "unnamed".into();
    }
    reply
}

fn skipped(lines: u32) -> Text {
    Text::new(
        format!("{lines} lines of the model's stream could not be read and were passed over"),
        format!("模型数据流中有 {lines} 行无法读取，已跳过"),
    )
}

fn repeated(catalog: &Catalog, report: &LoopReport) -> Text {
    let LoopReport { tool, times, detail } = report;
    let what = tool.map_or_else(String::new, |tool| format!("{} ", catalog.get(tool).id));
    Text::new(
        format!("{what}was called {times} times without anything new ({detail})"),
        format!("{what}被调用了 {times} 次，没有新的结果（{detail}）"),
    )
}

fn add(sum: &mut Usage, more: &Usage) {
    let plus = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a + b.unwrap_or(0)));
    *sum = Usage {
        input: plus(sum.input, more.input),
        cached: plus(sum.cached, more.cached),
        written: plus(sum.written, more.written),
        output: plus(sum.output, more.output),
    };
}
