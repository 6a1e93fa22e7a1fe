use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use winclaw_catalog::{Catalog, evidence::Evidence};
use winclaw_exposure::Settings;
use winclaw_guard::{Guard, Limits, Policy};
use winclaw_model::{ChatModel, Image, Message};
use winclaw_tool::Text;
use winclaw_toolbox::Toolbox;
use winclaw_trace::Record;

use crate::anchor::Anchor;
use crate::open::Open;
use crate::record::{self, Recorder};
use crate::report::{EndState, Report};
use crate::spent::Spent;
use crate::steps::Weighed;
use crate::{Event, Front, Interrupt, Keeper, Kept, Ranking, Session};

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
    /// How the person stops it; a new one for each request.
    pub interrupt: &'a Interrupt,
    /// Who stores the conversation, if anybody does.
    pub keep: Option<&'a Keeper>,
}

/// A text that goes with a request. The model reads it behind the request; its words are nobody's wish, so they neither
/// decide what is near nor name a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// What it is called, such as a path.
    pub name: String,
    /// The text.
    pub text: String,
}

/// What one task is, and its limits.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the person asks.
    pub request: String,
    /// Pictures that go with it.
    pub images: Vec<Image>,
    /// Texts that go with it and that the person did not write, such as a file or a page.
    pub attached: Vec<Attached>,
    /// How the exposure engine works.
    pub exposure: Settings,
    /// The guard's limits.
    pub limits: Limits,
    /// What runs without asking, what never runs.
    pub policy: Policy,
    /// Model calls after which the task ends as not completed. Default 40.
    pub max_turns: u32,
    /// Characters of one tool result that the model reads; more is cut in the middle with a mark. A result never takes
    /// more than a quarter of the window. Default 40 000.
    pub result_chars: usize,
    /// Share of the window, in percent, that prefix and conversation may take before the oldest turns are folded. 75, the
    /// default, suits most models; 0 folds whenever there is something to fold.
    pub fold_at_percent: u32,
    /// Folder for whole results that were too long for the model, which is told the path; made when it is first needed,
    /// for its owner alone. Without one the rest of such a result is gone. Default none.
    pub spill: Option<PathBuf>,
}

impl Options {
    /// A task for `request` with the defaults.
    pub fn new(request: impl Into<String>) -> Options {
        Options {
            request: request.into(),
            images: Vec::new(),
            attached: Vec::new(),
            exposure: Settings::default(),
            limits: Limits::default(),
            policy: Policy::default(),
            max_turns: 40,
            result_chars: 40_000,
            fold_at_percent: 75,
            spill: None,
        }
    }
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
    pub(crate) session: Session,
    pub(crate) anchor: Anchor,
    pub(crate) options: Options,
    pub(crate) guard: Guard,
    /// Ids of all calls of the conversation.
    pub(crate) call_ids: BTreeSet<String>,
    pub(crate) recorder: Recorder<'a>,
    pub(crate) open: Open,
    pub(crate) calls: u32,
    pub(crate) plan_step: Option<String>,
    pub(crate) turns: u32,
    /// What this task took.
    pub(crate) spent: Spent,
    pub(crate) answer: String,
    pub(crate) nudged: bool,
    /// The words of a reply that is asked for again: said once more, they are not shown once more.
    pub(crate) again: Option<String>,
    /// The epoch whose prefix the model's vendor was asked about.
    pub(crate) checked_epoch: u32,
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
        let label = parts.model.label();
        let other_model = session.settings != options.exposure || session.model != label;
        let mut task = Task::of(session, parts, options, recorder);
        task.follow_changes();
        if other_model {
            let settings = task.options.exposure.clone();
            (task.session.settings, task.session.model) = (settings.clone(), label);
            task.session.without.clear();
            task.session.lens.switch_model(settings);
        }
        let (asked, behind) = (task.asked(), task.session.history.tokens());
        let evidence = task.session.lens.request(asked, behind);
        task.take_up(&evidence);
        task
    }

    fn of(session: Session, parts: Parts<'a>, options: Options, recorder: &'a mut (dyn FnMut(Record) + Send)) -> Self {
        let mut guard = Guard::new(options.limits, options.policy.clone());
        guard.resume(session.origins.clone());
        Task {
            anchor: Anchor::default(),
            guard,
            call_ids: session.history.call_ids(),
            recorder: Recorder::new(recorder),
            open: Open::default(),
            calls: 0,
            plan_step: None,
            turns: 0,
            spent: Spent::default(),
            answer: String::new(),
            nudged: false,
            again: None,
            checked_epoch: 0,
            session,
            parts,
            options,
        }
    }

    /// The request becomes part of the conversation, and what it points to is near.
    fn take_up(&mut self, evidence: &Evidence) {
        self.near(evidence);
        self.recorder.evidence(self.session.lens.catalog(), evidence, 1);
        self.guard.person_said(&self.options.request);
        self.options.attached.iter().for_each(|attached| self.guard.content_of_others(&attached.name));
        let images = std::mem::take(&mut self.options.images);
        let attached = self.options.attached.iter().map(|it| format!("\n\n[Attached: {}]\n{}", it.name, it.text));
        let text = std::iter::once(self.options.request.clone()).chain(attached).collect();
        self.say(Message::User { text, images });
    }

    /// A message becomes part of the conversation.
    pub(crate) fn say(&mut self, message: Message) {
        self.session.history.push(message);
        if let (Some(keep), Some(message)) = (self.parts.keep, self.session.history.messages().last()) {
            keep(Kept::Appended(message));
        }
    }

    /// Tells who stores the conversation that the message at `at` changed.
    pub(crate) fn amended(&self, at: usize) {
        if let (Some(keep), Some(message)) = (self.parts.keep, self.session.history.messages().get(at)) {
            keep(Kept::Amended { at, message });
        }
    }

    /// Tells who stores the session everything beside the messages.
    pub(crate) fn keep_state(&mut self) {
        self.session.origins = self.guard.origins().clone();
        self.session.keep_state(self.parts.keep);
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
        Arc::clone(self.session.lens.catalog())
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
        if let Some(state) = self.too_long() {
            return Then::End(state);
        }
        self.check_prefix();
        let request = self.request();
        let reply = match self.ask_model(request).await {
            Ok(reply) => reply,
            Err(state) => return Then::End(state),
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
            let asked = self.asked();
            let evidence = self.session.lens.observe(asked);
            self.recorder.evidence(self.session.lens.catalog(), &evidence, self.turns);
        }
    }

    /// What the index is asked now.
    fn asked(&self) -> Weighed {
        let catalog = self.session.lens.catalog();
        let used = self.session.used.iter().map(|tool| catalog.get(*tool).id.clone()).collect();
        let (message, plan_step) = (self.options.request.clone(), self.plan_step.clone());
        Weighed { message, plan_step, used, earlier: self.session.earlier.clone() }
    }

    fn out_of_turns(&self) -> EndState {
        let limit = self.options.max_turns;
        let (en, zh) =
            (format!("the limit of {limit} model calls was reached"), format!("已达到 {limit} 次模型调用的上限"));
        EndState::NotCompleted { why: Text::new(en, zh) }
    }

    pub(crate) fn rose(&mut self, rises: &[winclaw_exposure::Rise]) {
        for rise in rises {
            self.recorder.rise(&self.catalog(), rise, self.session.lens.exposure.reach());
            self.parts.front.show(record::rise_event(&self.catalog(), rise));
        }
    }

    pub(crate) fn notice(&self, text: Text) {
        self.parts.front.show(Event::Notice { text });
    }

    fn end(mut self, state: EndState) -> (Report, Session) {
        let report = Report {
            state,
            answer: std::mem::take(&mut self.answer),
            calls: self.calls,
            turns: self.turns,
            usage: self.spent.usage,
            cost: self.spent.cost().cloned(),
            messages: self.session.history.messages().to_vec(),
        };
        self.session.earlier.insert(0, std::mem::take(&mut self.options.request));
        // Every step of the trace repeats them.
        self.session.earlier.truncate(winclaw_intent::EARLIER);
        self.keep_state();
        (report, self.session)
    }
}
