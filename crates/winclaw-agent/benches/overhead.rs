//! What the whole line costs per model call, the model itself left out: 120 tools, 200 messages of history.
//!
//! From one reply to the next body on the wire: judging and running a call of a tool that does nothing, trace and events,
//! weighing, exposing, making the request, hashing it. Beside it, in the same run, the part that no host can save:
//! serialising the body. `cargo bench -p winclaw-agent --bench overhead` prints medians and 99th percentiles.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use winclaw_agent::{Answer, Event, Front, Interrupt, Keeper, Kept, Options, Parts, Ranking, Saved, Session};
use winclaw_catalog::{State, ToolEntry};
use winclaw_guard::{Approve, Consent};
use winclaw_model::{
    ChatModel, ChatReply, ChatRequest, Delta, Message, ModelError, PROFILES, Usage, WireCall, chat_body,
};
use winclaw_tool::{Outcome, ToolId, ToolOutput};
use winclaw_toolbox::{Backend, CallContext, Toolbox};
use winclaw_trace::TraceWriter;

const TOOLS: usize = 120;
const MESSAGES: usize = 200;
/// Model calls of one task, and tasks.
const CALLS: usize = 10;
const TASKS: usize = 60;

const AREAS: [&str; 12] =
    ["mail", "notes", "sky", "maps", "music", "photos", "books", "money", "trips", "house", "garden", "sport"];

const ACTIONS: [&str; 10] =
    ["list", "find", "read", "add", "change", "remove", "share", "count", "compare", "summarise"];

fn entry(number: usize) -> ToolEntry {
    let (area, action) = (AREAS[number / ACTIONS.len()], ACTIONS[number % ACTIONS.len()]);
    let manifest = json!({
        "name": action, "category": area, "summary": format!("To {action} {area}"), "side_effect": "read",
        "description": format!("Lets you {action} {area}. Takes what to look for, how many to give and in which order, and \
                                answers with one line for each of the {area} it found, newest first."),
        "detail_keys": ["what"],
        "parameters": {"type": "object", "required": ["what"], "properties": {
            "what": {"type": "string", "description": format!("Which {area} to {action}")},
            "most": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many at most"},
            "order": {"enum": ["newest", "oldest", "best"], "description": "In which order"},
            "since": {"type": "string", "format": "date", "description": "Only those from this day on"},
        }},
    });
    let id = ToolId::parse(&format!("{area}.{action}")).expect("an id");
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready }
}

/// Tools that answer at once.
struct Instantly;

impl Backend for Instantly {
    fn entries(&self) -> Vec<ToolEntry> {
        (0..TOOLS).map(entry).collect()
    }

    fn call<'a>(&'a self, _: &'a ToolId, arguments: Value, _: CallContext) -> BoxFuture<'a, Outcome> {
        async move { Ok(ToolOutput::new(json!({"found": arguments["what"], "lines": line(9)}))) }.boxed()
    }
}

fn line(number: usize) -> String {
    format!("entry {number} of a list that somebody made some time ago; ").repeat(8)
}

struct Nobody;

impl Front for Nobody {
    fn show(&self, _: Event) {}
    fn consent<'a>(&'a self, _: &'a Consent, _: &'a Value) -> BoxFuture<'a, Answer> {
        async { Answer::NobodyToAsk }.boxed()
    }
    fn ask<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }
}

/// A model that answers at once and notes when it was asked.
#[derive(Default)]
struct Clockwork {
    asked: AtomicUsize,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    answered: Option<Instant>,
    line: Vec<Duration>,
    body: Vec<Duration>,
    bytes: usize,
}

impl Clockwork {
    fn reply(&self, request: &ChatRequest) -> ChatReply {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let sent: usize = request.messages.len();
        let usage = Usage { input: Some(20_000 + sent as u64), output: Some(60), ..Usage::default() };
        if number % CALLS == CALLS - 1 {
            return ChatReply { text: "That is all there is.".into(), usage, ..ChatReply::default() };
        }
        ChatReply {
            text: format!("Now the {number}th."),
            calls: vec![call(1_000 + number)],
            usage,
            ..ChatReply::default()
        }
    }
}

fn call(number: usize) -> WireCall {
    let name = format!("{}__{}", AREAS[number % AREAS.len()], ACTIONS[number % 3]);
    let arguments = json!({"what": format!("the thing {number}"), "most": 10}).to_string();
    WireCall { id: format!("call_{number}"), name, arguments }
}

#[async_trait]
impl ChatModel for Clockwork {
    fn label(&self) -> String {
        "bench/clockwork".into()
    }
    fn replayed(&self) -> bool {
        true
    }
    fn window_tokens(&self) -> u32 {
        200_000
    }
    fn payload(&self, request: &ChatRequest) -> Vec<u8> {
        chat_body(request, "clockwork", &PROFILES[0], true).to_string().into_bytes()
    }
    async fn complete(
        &self,
        request: &ChatRequest,
        sink: &mut (dyn for<'d> FnMut(Delta<'d>) + Send),
        _: &CancellationToken,
    ) -> Result<ChatReply, ModelError> {
        let entered = Instant::now();
        let body = self.payload(request);
        let serialised = entered.elapsed();
        sink(Delta::Sent { body: &body, attempt: 1 });
        let all = Instant::now();
        let mut notes = self.notes.lock().expect("no panic");
        if let Some(answered) = notes.answered {
            notes.line.push(all - answered);
            notes.body.push(serialised);
            notes.bytes = body.len();
        }
        let reply = self.reply(request);
        notes.answered = (!reply.calls.is_empty()).then(Instant::now);
        Ok(reply)
    }
}

/// A conversation of [`MESSAGES`] messages.
fn history() -> Vec<Message> {
    let mut messages = vec![Message::user("find the mail about the trip and note it down")];
    for number in 0.. {
        let (text, calls) = (format!("Step {number}."), vec![call(number)]);
        let call_id = calls[0].id.clone();
        messages.push(Message::Assistant { text, reasoning: None, calls, sealed: Vec::new() });
        messages.push(Message::Tool { call_id, content: line(number), reveals: Vec::new() });
        if messages.len() >= MESSAGES - 1 {
            break;
        }
    }
    let text = "Done so far.".to_owned();
    messages.push(Message::Assistant { text, reasoning: None, calls: Vec::new(), sealed: Vec::new() });
    messages
}

async fn play(model: &Clockwork, toolbox: &Arc<Toolbox>, ranking: &Arc<Ranking>, keep: Option<&Keeper>) {
    let front: Arc<dyn Front> = Arc::new(Nobody);
    let folder = std::env::temp_dir().join(format!("winclaw-overhead-{}", std::process::id()));
    for task in 0..TASKS {
        let interrupt = Interrupt::new();
        let parts = Parts { toolbox, ranking, model, front: &front, interrupt: &interrupt, keep };
        let options = Options {
            policy: Approve::Always.into(),
            ..Options::new("and now compare the photos of the garden with those of last year")
        };
        let mut trace = TraceWriter::create(&folder, &format!("20260101-000000-{task:04x}")).expect("a trace");
        let mut recorder = |record| trace.write(&record).expect("written");
        let (session, _) = Session::restore(Saved::default(), history(), &parts, &options);
        session.go_on(parts, options, &mut recorder).await;
        model.notes.lock().expect("no panic").answered = None;
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

fn at(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn say(line: &str) {
    println!("{line}");
}

fn row(name: &str, times: &mut [Duration]) {
    let (median, rare) = (at(times, 50), at(times, 99));
    say(&format!("{name:<58} {median:>9.1?}  p99 {rare:>9.1?}  ({} calls)", times.len()));
}

fn main() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let (toolbox, problems) = Toolbox::new(vec![Arc::new(Instantly)], &[]);
    assert!(problems.is_empty(), "{problems:?}");
    let toolbox = Arc::new(toolbox);
    let ranking = Arc::new(Ranking::of(toolbox.catalog()));
    let kept = |kept: Kept<'_>| {
        if let Kept::State(saved) = kept {
            std::hint::black_box(serde_json::to_value(saved).expect("json"));
        }
    };
    let keeps: [(&str, Option<&Keeper>); 2] = [("", None), (", session kept", Some(&kept))];
    for (how, keep) in keeps {
        let model = Clockwork::default();
        runtime.block_on(play(&model, &toolbox, &ranking, keep));
        let mut notes = model.notes.into_inner().expect("no panic");
        let mut rest: Vec<Duration> =
            notes.line.iter().zip(&notes.body).map(|(line, body)| line.saturating_sub(*body)).collect();
        let what = format!("{TOOLS} tools, {MESSAGES} messages");
        row(&format!("the line per model call, {what}{how}"), &mut notes.line);
        row(&format!("  of it serialising the body once ({} KiB)", notes.bytes / 1024), &mut notes.body);
        row("  all the rest", &mut rest);
    }
}
