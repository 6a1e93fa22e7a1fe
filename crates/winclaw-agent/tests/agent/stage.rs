//! A model that keeps what it was asked, a front that answers as told, and a task played with both.

use std::sync::{Arc, Mutex, OnceLock};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_agent::{
    Answer, Event, Front, Interrupt, Keeper, Kept, Options, Parts, Ranking, Replayed, Report, Saved, Session,
    replay_exposure, run,
};
use winclaw_catalog::Catalog;
use winclaw_exposure::{Native, Settings, Transport};
use winclaw_guard::{Approve, Consent};
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Cursor, Delta, Message, ModelError, NativeTools, Replay, Script, SetAside,
    validate,
};
use winclaw_tool::{Problem, Text};
use winclaw_toolbox::Toolbox;
use winclaw_trace::Record;

use crate::toys::Toys;

/// The ranking of the list every play begins with.
static FIRST: OnceLock<Arc<Ranking>> = OnceLock::new();

/// A reply that calls tools by wire name.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    json!({"calls": calls})
}

/// A reply that says something.
pub(crate) fn says(text: &str) -> Value {
    json!({"text": text})
}

/// What a model reads before the conversation, as one text.
pub(crate) fn wire(request: &ChatRequest) -> String {
    let specs: Vec<&winclaw_tool::ToolSpec> = request.tools.iter().map(AsRef::as_ref).collect();
    let tools = serde_json::to_string(&specs).expect("json");
    format!("{}{tools}", request.system)
}

/// The whole request as one text.
pub(crate) fn everything(request: &ChatRequest) -> String {
    format!("{}{}", wire(request), serde_json::to_string(&request.messages).expect("json"))
}

/// Makes other exposure settings of those there are.
pub(crate) type Change = fn(&mut Settings);

/// What answers: the number of the request, from 0, and the request.
pub(crate) type Brain = Box<dyn FnMut(usize, &ChatRequest) -> Value + Send>;

/// What happens between two model calls: the number of the coming request, from 0, and the tools.
pub(crate) type Between = Box<dyn Fn(usize, &Toys) + Send + Sync>;

/// How the words of a reply begin that stalls behind them until the person stops it.
pub(crate) const STALLS: &str = "I was about to";

/// The messages as somebody has them who does to a list of his own what he is told.
#[derive(Default)]
struct Shelf {
    messages: Vec<Message>,
    state: Option<Saved>,
}

impl Shelf {
    fn keep(&mut self, kept: Kept<'_>) {
        match kept {
            Kept::Appended(message) => self.messages.push(message.clone()),
            Kept::Amended { at, message } => self.messages[at] = message.clone(),
            Kept::Rewritten(messages) => self.messages = messages.to_vec(),
            Kept::State(saved) => self.state = Some(saved.clone()),
        }
    }

    /// State and messages as another process reads them.
    fn taken_up(&self) -> (Saved, Vec<Message>) {
        let state = serde_json::to_value(self.state.as_ref().expect("a state")).expect("json");
        let messages = serde_json::to_value(&self.messages).expect("json");
        let read = (serde_json::from_value(state), serde_json::from_value(messages));
        (read.0.expect("a state"), read.1.expect("messages"))
    }
}

struct Watched {
    brain: Mutex<Brain>,
    between: Between,
    toys: Arc<Toys>,
    /// Follows the toys as the task does, to have every catalog it looked at.
    shadow: Mutex<(Arc<Toolbox>, Vec<Arc<Catalog>>)>,
    window: u32,
    usage: Option<f64>,
    label: &'static str,
    /// Names of tools whose definitions it refuses, before anything is sent.
    refuses: Vec<&'static str>,
    requests: Mutex<Vec<ChatRequest>>,
    bytes: Replay,
}

impl Watched {
    fn reply(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        validate(&request.messages)?;
        let number = {
            let mut requests = self.requests.lock().expect("no panic");
            requests.push(request.clone());
            requests.len() - 1
        };
        let mut reply = (self.brain.lock().expect("no panic"))(number, request);
        let ids = reply.as_object_mut().and_then(|reply| reply.remove("ids"));
        // Steps before it, so that ids are unique over the whole task.
        let steps = json!([{"reply": {}, "times": number}, {"reply": reply}]);
        let script = json!({"schema": 1, "name": "watched", "steps": steps});
        let script: Script = serde_json::from_value(script).expect("a reply");
        let mut at = Cursor::default();
        for _ in 0..number {
            script.next(&mut at, request)?;
        }
        let mut reply = script.next(&mut at, request)?;
        for (call, id) in reply.calls.iter_mut().zip(ids.iter().flat_map(|ids| ids.as_array().into_iter().flatten())) {
            call.id = id.as_str().unwrap_or_default().into();
        }
        if let Some(ratio) = self.usage {
            let sent = winclaw_exposure::estimate_tokens(&everything(request));
            reply.usage.input = Some((f64::from(sent) * ratio) as u64);
        }
        (self.between)(number + 1, &self.toys);
        self.follow();
        Ok(reply)
    }

    fn follow(&self) {
        let mut shadow = self.shadow.lock().expect("no panic");
        if let Some((toolbox, _, _)) = shadow.0.refreshed() {
            shadow.1.push(Arc::clone(toolbox.catalog()));
            shadow.0 = Arc::new(toolbox);
        }
    }
}

#[async_trait]
impl ChatModel for Watched {
    fn label(&self) -> String {
        self.label.into()
    }
    fn compile(&self, request: &ChatRequest) -> Vec<SetAside> {
        let sent = request.tools.iter().chain(&request.deferred).map(|spec| spec.name.as_str());
        let refused = sent.filter(|name| self.refuses.contains(name) && !request.without.contains(*name));
        refused.map(|name| SetAside { tool: name.into(), why: Text::new("not taken", "不接受") }).collect()
    }
    fn replayed(&self) -> bool {
        true
    }
    fn window_tokens(&self) -> u32 {
        self.window
    }
    fn payload(&self, request: &ChatRequest) -> Vec<u8> {
        self.bytes.payload(request)
    }
    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        cancel: &CancellationToken,
    ) -> Result<ChatReply, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        sink(Delta::Sent { body: &self.bytes.payload(request), attempt: 1 });
        let reply = self.reply(request)?;
        // A reply that never ends: the person stops it after its words.
        if reply.text.starts_with(STALLS) {
            sink(Delta::Text(&reply.text));
            assert!(self.toys.interrupt.cancel_call());
            cancel.cancelled().await;
            return Err(ModelError::Cancelled);
        }
        reply.text.split_inclusive(' ').for_each(|piece| sink(Delta::Text(piece)));
        Ok(reply)
    }
}

struct Audience {
    events: Mutex<Vec<Event>>,
    consents: Mutex<Vec<(String, String)>>,
    answer: Answer,
    names: Vec<String>,
}

impl Audience {
    fn new(answer: Answer, toolbox: &Toolbox) -> Self {
        let names = toolbox.catalog().tools().iter().map(|tool| tool.id.to_string()).collect();
        Audience { events: Mutex::default(), consents: Mutex::default(), answer, names }
    }
}

impl Front for Audience {
    fn show(&self, event: Event) {
        self.events.lock().expect("no panic").push(event);
    }
    fn consent<'a>(&'a self, consent: &'a Consent, _: &'a Value) -> BoxFuture<'a, Answer> {
        let asked = (self.names[consent.tool.index()].clone(), consent.why.en.clone());
        self.consents.lock().expect("no panic").push(asked);
        async { self.answer }.boxed()
    }
    fn ask<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }
}

/// A task to play.
pub(crate) struct Play {
    replies: Vec<Value>,
    brain: Option<Brain>,
    between: Between,
    options: Options,
    answer: Answer,
    interrupt_on: String,
    usage: Option<f64>,
    further: Vec<(String, Change)>,
    label: &'static str,
    refuses: Vec<&'static str>,
    /// Changes the list of tools before the task begins.
    listing: Option<fn(&Toys)>,
    /// Between requests the session goes to another process, with what this makes of its messages.
    resume: Option<fn(&mut Vec<Message>)>,
}

/// What a played task left.
pub(crate) struct Played {
    pub(crate) report: Report,
    pub(crate) records: Vec<Record>,
    pub(crate) events: Vec<Event>,
    pub(crate) requests: Vec<ChatRequest>,
    pub(crate) asked_consent: Vec<String>,
    /// What the person was asked, in whole.
    pub(crate) questions: Vec<String>,
    /// Every catalog the task looked at.
    pub(crate) catalogs: Vec<Arc<Catalog>>,
    /// Every call that reached a tool.
    pub(crate) ran: Vec<(String, Value)>,
    /// The bodies of the requests.
    pub(crate) bodies: Vec<Vec<u8>>,
    /// What was said of a session that was taken up.
    pub(crate) problems: Vec<Problem>,
}

impl Play {
    pub(crate) fn new(request: &str) -> Self {
        Play {
            replies: Vec::new(),
            brain: None,
            between: Box::new(|_, _| {}),
            options: Options { policy: Approve::Always.into(), ..Options::new(request) },
            answer: Answer::NobodyToAsk,
            interrupt_on: String::new(),
            usage: None,
            further: Vec::new(),
            label: "stage/watched",
            refuses: Vec::new(),
            listing: None,
            resume: None,
        }
    }
    /// A further request, once the ones before are answered.
    pub(crate) fn then(self, request: &str) -> Self {
        self.then_with(request, |_| {})
    }
    /// A further request, to a model with other settings.
    pub(crate) fn then_with(mut self, request: &str, change: Change) -> Self {
        self.further.push((request.into(), change));
        self
    }
    pub(crate) fn reply(mut self, reply: Value) -> Self {
        self.replies.push(reply);
        self
    }
    /// Answers with `brain` instead of replies.
    pub(crate) fn brain(mut self, brain: impl FnMut(usize, &ChatRequest) -> Value + Send + 'static) -> Self {
        self.brain = Some(Box::new(brain));
        self
    }
    /// Does something before each request but the first.
    pub(crate) fn between(mut self, between: impl Fn(usize, &Toys) + Send + Sync + 'static) -> Self {
        self.between = Box::new(between);
        self
    }
    pub(crate) fn transport(mut self, transport: Transport) -> Self {
        self.options.exposure.transport = Some(transport);
        self
    }
    pub(crate) fn native(mut self, native: Native) -> Self {
        self.options.exposure.native = Some(native);
        self.transport(Transport::Native)
    }
    pub(crate) fn approve(mut self, approve: Approve) -> Self {
        self.options.policy = approve.into();
        self
    }
    pub(crate) fn answer(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }
    pub(crate) fn max_turns(mut self, turns: u32) -> Self {
        self.options.max_turns = turns;
        self
    }
    pub(crate) fn window(mut self, tokens: u32) -> Self {
        self.options.exposure.window_tokens = tokens;
        self
    }
    /// The model reports so many tokens for each estimated one.
    pub(crate) fn usage(mut self, ratio: f64) -> Self {
        self.usage = Some(ratio);
        self
    }
    pub(crate) fn interrupt_on(mut self, tool: &str) -> Self {
        self.interrupt_on = tool.into();
        self
    }

    /// The model refuses these tools' definitions.
    pub(crate) fn refuses(mut self, names: &[&'static str]) -> Self {
        self.refuses = names.to_vec();
        self
    }
    /// Begins with another list of tools.
    pub(crate) fn listing(mut self, change: fn(&Toys)) -> Self {
        self.listing = Some(change);
        self
    }
    pub(crate) fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }
    /// Each further request is made in another process.
    pub(crate) fn resume(mut self, messages: fn(&mut Vec<Message>)) -> Self {
        self.resume = Some(messages);
        self
    }

    pub(crate) async fn run(mut self) -> Played {
        let interrupt = Interrupt::new();
        let (toys, toolbox) = self.tools(&interrupt);
        let model = self.model(&toolbox, &toys);
        let audience = Arc::new(Audience::new(self.answer, &toolbox));
        let front: Arc<dyn Front> = audience.clone();
        let ranking = || Arc::new(Ranking::of(toolbox.catalog()));
        let ranking = &if self.listing.is_some() { ranking() } else { Arc::clone(FIRST.get_or_init(ranking)) };
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        let told = Arc::clone(&shelf);
        let keep = move |kept: Kept<'_>| told.lock().expect("no panic").keep(kept);
        let keep: Option<&Keeper> = Some(&keep);
        let parts = Parts { toolbox: &toolbox, ranking, model: &model, front: &front, interrupt: &interrupt, keep };
        let (mut records, mut problems) = (Vec::new(), Vec::new());
        let (mut report, mut session) =
            Session::begin(parts, self.options.clone(), &mut |record| records.push(record)).await;
        for (request, change) in self.further {
            change(&mut self.options.exposure);
            let options = Options { request, ..self.options.clone() };
            if let Some(change) = self.resume {
                let (saved, mut messages) = shelf.lock().expect("no panic").taken_up();
                change(&mut messages);
                shelf.lock().expect("no panic").messages.clone_from(&messages);
                let (taken_up, found) = Session::restore(saved, messages, &parts, &options);
                problems.extend(found);
                session = taken_up;
            }
            (report, session) = session.go_on(parts, options, &mut |record| records.push(record)).await;
        }
        assert_eq!(session.messages(), report.messages);
        assert_eq!(session.messages(), shelf.lock().expect("no panic").messages, "what was told is what is");
        let consents = audience.consents.lock().expect("no panic").clone();
        let (asked_consent, questions) = consents.into_iter().unzip();
        let events = audience.events.lock().expect("no panic").clone();
        let requests = model.requests.lock().expect("no panic").clone();
        let catalogs = model.shadow.lock().expect("no panic").1.clone();
        let bodies = requests.iter().map(|request| model.payload(request)).collect();
        let ran = toys.calls();
        Played { report, records, events, requests, asked_consent, questions, catalogs, ran, bodies, problems }
    }

    /// Plays with a model that is somewhere else: how it ended, what was recorded, and the calls that ran.
    pub(crate) async fn run_with(mut self, model: &dyn ChatModel) -> (Report, Vec<Record>, Vec<(String, Value)>) {
        let interrupt = Interrupt::new();
        let (toys, toolbox) = self.tools(&interrupt);
        let front: Arc<dyn Front> = Arc::new(Audience::new(self.answer, &toolbox));
        let ranking = Arc::new(Ranking::of(toolbox.catalog()));
        let parts =
            Parts { toolbox: &toolbox, ranking: &ranking, model, front: &front, interrupt: &interrupt, keep: None };
        self.options.exposure.native = model.native().map(|native| match native {
            NativeTools::References => Native::References,
            NativeTools::SearchResult => Native::SearchResult,
        });
        let mut records = Vec::new();
        let report = run(parts, self.options, &mut |record| records.push(record)).await;
        (report, records, toys.calls())
    }

    fn tools(&self, interrupt: &Interrupt) -> (Arc<Toys>, Arc<Toolbox>) {
        let toys = Arc::new(Toys::new(interrupt.clone(), &self.interrupt_on));
        self.listing.into_iter().for_each(|change| change(&toys));
        let (toolbox, problems) = Toolbox::new(vec![toys.clone()], &["secret.open".into()]);
        assert!(problems.is_empty(), "{problems:?}");
        (toys, Arc::new(toolbox))
    }

    fn model(&mut self, toolbox: &Arc<Toolbox>, toys: &Arc<Toys>) -> Watched {
        let replies = std::mem::take(&mut self.replies);
        let scripted: Brain = Box::new(move |number, _| {
            replies.get(number).cloned().unwrap_or_else(|| panic!("the script has no reply {number}"))
        });
        let empty = json!({"schema": 1, "name": "bytes", "steps": []});
        Watched {
            brain: Mutex::new(self.brain.take().unwrap_or(scripted)),
            between: std::mem::replace(&mut self.between, Box::new(|_, _| {})),
            toys: Arc::clone(toys),
            shadow: Mutex::new((Arc::clone(toolbox), vec![Arc::clone(toolbox.catalog())])),
            window: self.options.exposure.window_tokens,
            usage: self.usage,
            label: self.label,
            refuses: std::mem::take(&mut self.refuses),
            requests: Mutex::default(),
            bytes: Replay::new(serde_json::from_value(empty).expect("a script")),
        }
    }
}

impl Played {
    /// The kinds of the records on the straight line, in order.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let kind = |record: &Record| match record {
            Record::Exposure { .. } => Some("exposure"),
            Record::Request { .. } => Some("request"),
            Record::Reply { .. } => Some("reply"),
            Record::Resolve { .. } => Some("resolve"),
            Record::Verdict { .. } => Some("verdict"),
            Record::Call { .. } => Some("call"),
            Record::Consent { .. } => Some("consent"),
            _ => None,
        };
        self.records.iter().filter_map(kind).collect()
    }

    /// What the model read as results, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        self.tools().map(|(_, content)| content).collect()
    }

    /// Ids of the calls that were answered, in order.
    pub(crate) fn answered(&self) -> Vec<String> {
        self.tools().map(|(id, _)| id).collect()
    }

    /// Ids of the calls that were made, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let calls = self.report.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls.iter().map(|call| call.id.clone())),
            _ => None,
        });
        calls.flatten().collect()
    }

    /// The epoch of each request.
    pub(crate) fn epochs(&self) -> Vec<u64> {
        let epoch = |record: &Record| match record {
            Record::Exposure { epoch, .. } => Some(*epoch),
            _ => None,
        };
        self.records.iter().filter_map(epoch).collect()
    }

    /// The verdicts, as `(tool, verdict, rule)`.
    pub(crate) fn verdicts(&self) -> Vec<(String, String, Option<String>)> {
        let verdict = |record: &Record| match record {
            Record::Verdict { tool, verdict, rule, .. } => Some((tool.clone(), verdict.clone(), rule.clone())),
            _ => None,
        };
        self.records.iter().filter_map(verdict).collect()
    }

    /// What the person was told.
    pub(crate) fn notices(&self) -> Vec<String> {
        let notice = |event: &Event| match event {
            Event::Notice { text } => Some(text.en.clone()),
            _ => None,
        };
        self.events.iter().filter_map(notice).collect()
    }

    /// The exposure made again from the records, as through a file.
    pub(crate) fn replayed(&self) -> Vec<Replayed> {
        let through = |record: &Record| {
            let line = serde_json::to_string(record).expect("json");
            serde_json::from_str(&line).expect("a record")
        };
        let records: Vec<Record> = self.records.iter().map(through).collect();
        replay_exposure(&self.catalogs, &records).expect("the trace replays")
    }

    fn tools(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.report.messages.iter().filter_map(|message| match message {
            Message::Tool { call_id, content, .. } => Some((call_id.clone(), content.clone())),
            _ => None,
        })
    }
}
