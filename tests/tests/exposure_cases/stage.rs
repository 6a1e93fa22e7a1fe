//! Toy tools whose results a test decides, models that are scripted or think for themselves, and a task to play them in.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_agent::{Answer, Event, Front, Interrupt, Options, Parts, Ranking, Report, Session};
use winclaw_catalog::{Catalog, State, ToolEntry, ToolIx};
use winclaw_exposure::{Settings, Transport};
use winclaw_guard::{Approve, Consent, Places, Policy};
use winclaw_intent::{Index, Query};
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Delta, Format, Message, ModelError, PROFILES, WireCall, chat_body,
};
use winclaw_testkit::rules::{self, Rules};
use winclaw_tool::{Failure, Outcome, Text, ToolId, ToolOutput};
use winclaw_toolbox::{Backend, CallContext, Toolbox};
use winclaw_trace::Record;

/// A tool with the fields of `more` over plain ones: no parameters, reads only, the source as its category.
pub(crate) fn tool(id: &str, summary: &str, more: Value) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let mut manifest = json!({"name": id.name(), "category": id.source(), "summary": summary, "description": summary,
        "parameters": {"type": "object"}, "side_effect": "read"});
    manifest.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
}

/// The same tool, of a server that is down.
pub(crate) fn down(mut entry: ToolEntry) -> ToolEntry {
    entry.state = State::Unavailable { why: Text::new("its server is down", "其服务器已停止"), retryable: true };
    entry
}

/// `{"type": "object"}` with one text parameter, which is required.
pub(crate) fn text(name: &str, words: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string", "description": words}}, "required": [name],
           "additionalProperties": false})
}

/// Tools that have nothing to do with any request of a test.
pub(crate) fn fillers(count: usize) -> impl Iterator<Item = ToolEntry> {
    (0..count).map(|n| {
        let parameters = text("value", &format!("the value that step {n} of the plant needs"));
        tool(
            &format!("plant{}.step_{n:04}", n / 50),
            &format!("Runs step {n} of the plant"),
            json!({"parameters": parameters}),
        )
    })
}

pub(crate) fn catalog(entries: Vec<ToolEntry>) -> Catalog {
    Catalog::build(entries).0
}

pub(crate) fn ix(catalog: &Catalog, id: &str) -> ToolIx {
    catalog.ix(&ToolId::parse(id).expect("an id")).expect("a known tool")
}

/// Ids of the hits for `query`, best first.
pub(crate) fn found(catalog: &Catalog, query: &Query<'_>) -> Vec<String> {
    let hits = Index::build(catalog).weigh(catalog, query).hits;
    hits.iter().map(|hit| catalog.get(hit.tool).id.to_string()).collect()
}

pub(crate) fn message(text: &str) -> Query<'_> {
    Query { message: text, ..Query::default() }
}

pub(crate) fn bridge() -> Settings {
    Settings { transport: Some(Transport::Bridge), ..Settings::default() }
}

/// What a tool gives: its id, the arguments, and how many calls of any tool ran before.
pub(crate) type Act = dyn Fn(&str, &Value, usize) -> Outcome + Send + Sync;

/// Says what ran.
pub(crate) fn echo(id: &str, arguments: &Value, _: usize) -> Outcome {
    Ok(ToolOutput::new(json!({"did": id, "with": arguments})))
}

pub(crate) fn failed(message: impl Into<String>) -> Outcome {
    Err(Failure::tool_failed(message))
}

/// A server of toy tools.
pub(crate) struct Server {
    entries: Mutex<Vec<ToolEntry>>,
    revision: AtomicU64,
    act: Box<Act>,
    ran: Mutex<Vec<(String, Value)>>,
}

impl Server {
    pub(crate) fn new(
        entries: Vec<ToolEntry>,
        act: impl Fn(&str, &Value, usize) -> Outcome + Send + Sync + 'static,
    ) -> Arc<Server> {
        let (entries, ran) = (Mutex::new(entries), Mutex::default());
        Arc::new(Server { entries, revision: AtomicU64::new(0), act: Box::new(act), ran })
    }

    /// From now on it offers these.
    pub(crate) fn offers(&self, entries: Vec<ToolEntry>) {
        *self.entries.lock().expect("no panic") = entries;
        self.revision.fetch_add(1, Ordering::SeqCst);
    }

    /// Ids and arguments of the calls that ran.
    pub(crate) fn ran(&self) -> Vec<(String, Value)> {
        self.ran.lock().expect("no panic").clone()
    }

    /// How many calls of the tool ran.
    pub(crate) fn runs_of(&self, id: &str) -> usize {
        self.ran().iter().filter(|(ran, _)| ran == id).count()
    }
}

impl Backend for Server {
    fn entries(&self) -> Vec<ToolEntry> {
        self.entries.lock().expect("no panic").clone()
    }

    fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, _: CallContext) -> BoxFuture<'a, Outcome> {
        let before = {
            let mut ran = self.ran.lock().expect("no panic");
            ran.push((tool.to_string(), arguments.clone()));
            ran.len() - 1
        };
        async move { (self.act)(tool.as_str(), &arguments, before) }.boxed()
    }
}

/// A reply that calls tools by the names a model uses.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    json!({"calls": calls})
}

pub(crate) fn search(query: &str) -> Value {
    calls(&[("tool_search", json!({"queries": [query]}))])
}

pub(crate) fn bridged(name: &str, arguments: Value) -> Value {
    calls(&[("tool_call", json!({"name": name, "arguments": arguments}))])
}

pub(crate) fn says(text: &str) -> Value {
    json!({"text": text})
}

/// What a model makes of a request: `{"text": …, "calls": [{"name", "arguments"}]}`.
pub(crate) type Mind = dyn FnMut(&ChatRequest) -> Value + Send;

/// A model that thinks what the test says, keeps what it was sent, and refuses what a vendor would refuse.
struct Toy {
    mind: Mutex<Box<Mind>>,
    requests: Mutex<Vec<ChatRequest>>,
    max_tools: usize,
    window: u32,
}

impl Toy {
    fn reply(&self, request: &ChatRequest) -> ChatReply {
        let number = self.requests.lock().expect("no panic").len();
        let said = (self.mind.lock().expect("no panic"))(request);
        let calls = said["calls"].as_array().cloned().unwrap_or_default();
        let call = |(at, call): (usize, &Value)| WireCall {
            id: format!("call_{number}_{at}"),
            name: call["name"].as_str().unwrap_or_default().to_owned(),
            arguments: call["arguments"].as_str().map_or_else(|| call["arguments"].to_string(), str::to_owned),
        };
        let calls = calls.iter().enumerate().map(call).collect();
        ChatReply { text: said["text"].as_str().unwrap_or_default().to_owned(), calls, ..ChatReply::default() }
    }
}

#[async_trait]
impl ChatModel for Toy {
    fn label(&self) -> String {
        "toy/model".to_owned()
    }

    fn replayed(&self) -> bool {
        true
    }

    fn window_tokens(&self) -> u32 {
        self.window
    }

    fn max_tools(&self) -> usize {
        self.max_tools
    }

    fn payload(&self, request: &ChatRequest) -> Vec<u8> {
        chat_body(request, "toy", &PROFILES[0], false).to_string().into_bytes()
    }

    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        _: &CancellationToken,
    ) -> Result<ChatReply, ModelError> {
        sink(Delta::Sent { body: &self.payload(request), attempt: 1 });
        let vendor = Rules { max_tools: self.max_tools, ..Rules::default() };
        if let Err(refusal) = rules::check(Format::Chat, &self.payload(request), &vendor) {
            panic!("a vendor refuses the request: {}", refusal.message);
        }
        let reply = self.reply(request);
        self.requests.lock().expect("no panic").push(request.clone());
        Ok(reply)
    }
}

struct Person {
    answer: Answer,
    asked: Mutex<Vec<Consent>>,
}

impl Front for Person {
    fn show(&self, _: Event) {}

    fn consent<'a>(&'a self, consent: &'a Consent, _: &'a Value) -> BoxFuture<'a, Answer> {
        self.asked.lock().expect("no panic").push(consent.clone());
        async { self.answer }.boxed()
    }

    fn ask<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }
}

/// A task to play.
pub(crate) struct Play {
    pub(crate) request: String,
    /// Further requests of the same session.
    pub(crate) then: Vec<String>,
    pub(crate) servers: Vec<Arc<Server>>,
    pub(crate) settings: Settings,
    pub(crate) approve: Approve,
    pub(crate) answer: Answer,
    pub(crate) max_turns: u32,
    /// See [`Options::fold_at_percent`].
    pub(crate) fold_at_percent: u32,
    pub(crate) mind: Box<Mind>,
}

/// What a played task left.
pub(crate) struct Played {
    pub(crate) report: Report,
    pub(crate) requests: Vec<ChatRequest>,
    pub(crate) records: Vec<Record>,
    /// What a person was asked.
    pub(crate) asked: Vec<Consent>,
}

impl Play {
    /// A task on one server, with everything approved, over Bridge.
    pub(crate) fn new(request: &str, server: &Arc<Server>) -> Play {
        Play {
            request: request.to_owned(),
            then: Vec::new(),
            servers: vec![Arc::clone(server)],
            settings: bridge(),
            approve: Approve::Always,
            answer: Answer::NobodyToAsk,
            max_turns: 60,
            fold_at_percent: 75,
            mind: Box::new(|_| says("done")),
        }
    }

    /// The model gives these replies and then says that it is done.
    pub(crate) fn script(self, replies: Vec<Value>) -> Play {
        let mut replies = replies.into_iter();
        self.mind(move |_| replies.next().unwrap_or_else(|| says("done")))
    }

    /// The model thinks for itself.
    pub(crate) fn mind(mut self, mind: impl FnMut(&ChatRequest) -> Value + Send + 'static) -> Play {
        self.mind = Box::new(mind);
        self
    }

    pub(crate) async fn run(self) -> Played {
        let backends = self.servers.iter().map(|server| Arc::clone(server) as Arc<dyn Backend>).collect();
        let (toolbox, _) = Toolbox::new(backends, &[]);
        let (toolbox, interrupt) = (Arc::new(toolbox), Interrupt::new());
        let ranking = Arc::new(Ranking::of(toolbox.catalog()));
        let (max_tools, window) = (self.settings.max_tools, self.settings.window_tokens);
        let model = Toy { mind: Mutex::new(self.mind), requests: Mutex::default(), max_tools, window };
        let person = Arc::new(Person { answer: self.answer, asked: Mutex::default() });
        let front: Arc<dyn Front> = person.clone();
        let parts = Parts {
            toolbox: &toolbox,
            ranking: &ranking,
            model: &model,
            front: &front,
            interrupt: &interrupt,
            keep: None,
        };
        let options = Options {
            exposure: self.settings,
            policy: Policy { places: Places { folder: "/work".into(), ..Places::default() }, ..self.approve.into() },
            max_turns: self.max_turns,
            fold_at_percent: self.fold_at_percent,
            ..Options::new(self.request)
        };
        let mut records = Vec::new();
        let mut recorder = |record| records.push(record);
        let (mut report, mut session) = Session::begin(parts, options.clone(), &mut recorder).await;
        for request in self.then {
            (report, session) = session.go_on(parts, Options { request, ..options.clone() }, &mut recorder).await;
        }
        let requests = std::mem::take(&mut *model.requests.lock().expect("no panic"));
        let asked = std::mem::take(&mut *person.asked.lock().expect("no panic"));
        Played { report, requests, records, asked }
    }
}

impl Played {
    /// What the model read as results, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        results(&self.report.messages).into_iter().map(|(_, content)| content).collect()
    }

    /// Ids of the calls that were made and of those that were answered, both in order.
    pub(crate) fn call_ids(&self) -> (Vec<String>, Vec<String>) {
        let made = self.report.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls.iter().map(|call| call.id.clone())),
            _ => None,
        });
        let answered = results(&self.report.messages).into_iter().map(|(id, _)| id).collect();
        (made.flatten().collect(), answered)
    }
}

fn results(messages: &[Message]) -> Vec<(String, String)> {
    let result = |message: &Message| match message {
        Message::Tool { call_id, content, .. } => Some((call_id.clone(), content.clone())),
        _ => None,
    };
    messages.iter().filter_map(result).collect()
}

/// System text and tools array as one text.
pub(crate) fn prefix(request: &ChatRequest) -> String {
    let tools: Vec<&winclaw_tool::ToolSpec> = request.tools.iter().map(AsRef::as_ref).collect();
    format!("{}{}", request.system, serde_json::to_string(&tools).expect("json"))
}

/// Everything the model reads of a request.
pub(crate) fn whole(request: &ChatRequest) -> String {
    format!("{}{}", prefix(request), serde_json::to_string(&request.messages).expect("json"))
}

/// Names in the tools array.
pub(crate) fn names(request: &ChatRequest) -> Vec<&str> {
    request.tools.iter().map(|spec| spec.name.as_str()).collect()
}

/// The last message, as the model reads it.
pub(crate) fn last(request: &ChatRequest) -> String {
    match request.messages.last() {
        Some(Message::User { text, .. }) => text.clone(),
        Some(Message::Tool { content, .. }) => content.clone(),
        _ => String::new(),
    }
}
