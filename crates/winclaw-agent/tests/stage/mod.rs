//! Toy tools, a scripted model that keeps what it was asked, and a front that answers as told.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_agent::{Answer, Event, Front, Options, Parts, Ranking, Report, run};
use winclaw_catalog::{State, ToolEntry};
use winclaw_exposure::{Settings, Transport};
use winclaw_guard::{Approve, Consent, Limits};
use winclaw_model::{ChatModel, ChatReply, ChatRequest, Delta, Message, ModelError, Replay, Script};
use winclaw_tool::{Failure, Outcome, ToolId, ToolOutput};
use winclaw_toolbox::{Backend, CallContext, Toolbox};
use winclaw_trace::Record;

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

/// The request as one text.
pub(crate) fn wire(request: &ChatRequest) -> String {
    let tools = serde_json::to_string(&request.tools).expect("json");
    format!("{}{tools}", request.system)
}

struct Toys {
    cancel: CancellationToken,
    interrupt_on: String,
}

fn entry(id: &str, side_effect: &str, parameters: Value) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let manifest = serde_json::from_value(json!({
        "name": id.name(), "category": id.source(), "summary": format!("{} of {}", id.name(), id.source()),
        "description": format!("Does {} for {}.", id.name(), id.source()), "parameters": parameters,
        "side_effect": side_effect, "detail_keys": if id.source() == "sky" { json!(["place"]) } else { json!([]) },
    }))
    .expect("a manifest");
    ToolEntry { id, manifest, state: State::Ready }
}

impl Backend for Toys {
    fn entries(&self) -> Vec<ToolEntry> {
        let one = |name: &str, words: &str| {
            json!({"type": "object", "properties": {name: {"type": "string", "description": words}},
                   "additionalProperties": false})
        };
        let mut place = one("place", "the place for the weather");
        place["required"] = json!(["place"]);
        let mut entries = vec![
            entry("sky.forecast", "read", place),
            entry("notes.add", "write", one("text", "the text of the note")),
            entry("slow.wait", "read", json!({"type": "object"})),
            entry("secret.open", "read", json!({"type": "object"})),
        ];
        entries
            .extend((0..60).map(|n| {
                entry(&format!("filler.tool_{n:02}"), "read", one("value", &format!("a value for tool {n}")))
            }));
        entries
    }

    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome> {
        async move {
            if tool.as_str() == self.interrupt_on {
                self.cancel.cancel();
                cx.cancel.cancelled().await;
                return Err(Failure::new(winclaw_tool::FailureCode::Cancelled, "cancelled"));
            }
            match arguments.get("place").and_then(Value::as_str) {
                Some("Atlantis") => Err(Failure::tool_failed("there is no such place")),
                Some(place) => Ok(ToolOutput::new(json!({"degrees": 21, "place": place}))),
                None => Ok(ToolOutput::new(json!({"did": tool.as_str(), "with": arguments}))),
            }
        }
        .boxed()
    }
}

struct Watched {
    inner: Replay,
    requests: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Watched {
    fn label(&self) -> String {
        self.inner.label()
    }
    fn replayed(&self) -> bool {
        true
    }
    fn window_tokens(&self) -> u32 {
        self.inner.window_tokens()
    }
    fn payload(&self, request: &ChatRequest) -> Vec<u8> {
        self.inner.payload(request)
    }
    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        cancel: &CancellationToken,
    ) -> Result<ChatReply, ModelError> {
        self.requests.lock().expect("no panic").push(request.clone());
        self.inner.complete(request, sink, cancel).await
    }
}

struct Audience {
    events: Mutex<Vec<Event>>,
    consents: Mutex<Vec<String>>,
    answer: Answer,
    names: Vec<String>,
}

impl Front for Audience {
    fn show(&self, event: Event) {
        self.events.lock().expect("no panic").push(event);
    }
    fn consent<'a>(&'a self, consent: &'a Consent, _: &'a Value) -> BoxFuture<'a, Answer> {
        self.consents.lock().expect("no panic").push(self.names[consent.tool.index()].clone());
        async { self.answer }.boxed()
    }
    fn ask<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }
}

/// A task to play.
pub(crate) struct Play {
    request: String,
    replies: Vec<Value>,
    transport: Option<Transport>,
    approve: Approve,
    answer: Answer,
    max_turns: u32,
    interrupt_on: String,
}

/// What a played task left.
pub(crate) struct Played {
    pub(crate) report: Report,
    pub(crate) records: Vec<Record>,
    pub(crate) events: Vec<Event>,
    pub(crate) requests: Vec<ChatRequest>,
    pub(crate) asked_consent: Vec<String>,
}

impl Play {
    pub(crate) fn new(request: &str) -> Self {
        Play {
            request: request.into(),
            replies: Vec::new(),
            transport: None,
            approve: Approve::Always,
            answer: Answer::NobodyToAsk,
            max_turns: 40,
            interrupt_on: String::new(),
        }
    }
    pub(crate) fn reply(mut self, reply: Value) -> Self {
        self.replies.push(json!({"reply": reply}));
        self
    }
    pub(crate) fn transport(mut self, transport: Transport) -> Self {
        self.transport = Some(transport);
        self
    }
    pub(crate) fn approve(mut self, approve: Approve) -> Self {
        self.approve = approve;
        self
    }
    pub(crate) fn answer(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }
    pub(crate) fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = turns;
        self
    }
    pub(crate) fn interrupt_on(mut self, tool: &str) -> Self {
        self.interrupt_on = tool.into();
        self
    }

    pub(crate) async fn run(self) -> Played {
        let cancel = CancellationToken::new();
        let toys = Toys { cancel: cancel.clone(), interrupt_on: self.interrupt_on.clone() };
        let (toolbox, problems) = Toolbox::new(vec![Arc::new(toys)], &["secret.open".into()]);
        assert!(problems.is_empty(), "{problems:?}");
        let script = json!({"schema": 1, "name": "play", "steps": self.replies});
        let script: Script = serde_json::from_value(script).expect("a script");
        let model = Watched { inner: Replay::new(script), requests: Mutex::default() };
        let names = toolbox.catalog().tools().iter().map(|tool| tool.id.to_string()).collect();
        let audience =
            Arc::new(Audience { events: Mutex::default(), consents: Mutex::default(), answer: self.answer, names });
        let front: Arc<dyn Front> = audience.clone();
        let ranking = Arc::new(Ranking::of(toolbox.catalog()));
        let toolbox = Arc::new(toolbox);
        let parts = Parts { toolbox: &toolbox, ranking: &ranking, model: &model, front: &front, cancel: &cancel };
        let mut records = Vec::new();
        let report = run(parts, self.options(), &mut |record| records.push(record)).await;
        Played {
            report,
            records,
            events: audience.events.lock().expect("no panic").clone(),
            requests: model.requests.lock().expect("no panic").clone(),
            asked_consent: audience.consents.lock().expect("no panic").clone(),
        }
    }

    fn options(&self) -> Options {
        Options {
            request: self.request.clone(),
            exposure: Settings { transport: self.transport, ..Settings::default() },
            limits: Limits::default(),
            approve: self.approve,
            max_turns: self.max_turns,
            result_chars: 40_000,
        }
    }
}

impl Played {
    /// The kinds of the records, in order.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let kind = |record: &Record| match record {
            Record::Exposure { .. } => "exposure",
            Record::Request { .. } => "request",
            Record::Reply { .. } => "reply",
            Record::Resolve { .. } => "resolve",
            Record::Verdict { .. } => "verdict",
            Record::Call { .. } => "call",
            Record::Rise { .. } => "rise",
            Record::Consent { .. } => "consent",
            _ => "other",
        };
        self.records.iter().map(kind).collect()
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

    fn tools(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.report.messages.iter().filter_map(|message| match message {
            Message::Tool { call_id, content, .. } => Some((call_id.clone(), content.clone())),
            _ => None,
        })
    }
}
