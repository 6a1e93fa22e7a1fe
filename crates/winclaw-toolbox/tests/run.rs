//! What holds for every call, with backends that behave in every way but well. Time is paused: no test waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{join_all, pending};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use winclaw_catalog::{State, ToolEntry, ToolIx};
use winclaw_tool::{Failure, FailureCode, Outcome, ProblemKind, Text, ToolId, ToolOutput};
use winclaw_toolbox::{Backend, BoxFuture, CallContext, LogLevel, Observer, Silent, Toolbox};

const LIMIT: Duration = Duration::from_secs(30);

type Behave = dyn Fn(Value, CallContext) -> BoxFuture<'static, Outcome> + Send + Sync;

struct Scripted {
    entries: Vec<ToolEntry>,
    behave: Box<Behave>,
    calls: AtomicUsize,
}

impl Backend for Scripted {
    fn entries(&self) -> Vec<ToolEntry> {
        self.entries.clone()
    }

    fn call<'a>(&'a self, _: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        (self.behave)(arguments, cx)
    }
}

fn entry(id: &str, state: State) -> ToolEntry {
    let id = ToolId::parse(id).expect("an id");
    let manifest = json!({
        "name": id.name(), "category": "notes", "summary": "Adds", "description": "Adds a note.",
        "parameters": {"type": "object"}, "side_effect": "write", "timeout_ms": LIMIT.as_millis() as u64
    });
    ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state }
}

fn scripted<F>(
    entries: Vec<ToolEntry>,
    behave: impl Fn(Value, CallContext) -> F + Send + Sync + 'static,
) -> Arc<Scripted>
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let behave = move |arguments, cx| behave(arguments, cx).boxed();
    Arc::new(Scripted { entries, behave: Box::new(behave), calls: AtomicUsize::new(0) })
}

fn ready<F>(behave: impl Fn(Value, CallContext) -> F + Send + Sync + 'static) -> Toolbox
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let (toolbox, problems) = Toolbox::new(vec![scripted(vec![entry("notes.add", State::Ready)], behave)], &[]);
    assert_eq!(problems, []);
    toolbox
}

async fn run(toolbox: &Toolbox) -> Outcome {
    toolbox.run(ToolIx(0), json!({}), CancellationToken::new(), Arc::new(Silent)).await
}

fn failed(outcome: Outcome) -> Failure {
    outcome.expect_err("a failure")
}

fn ok() -> Outcome {
    Ok(ToolOutput::new(json!("done")))
}

#[tokio::test(start_paused = true)]
async fn a_late_backend_is_stopped_and_the_limit_named() {
    let began = Instant::now();
    let toolbox = ready(|_, _| pending());
    let failure = failed(run(&toolbox).await);
    assert_eq!((failure.code, failure.retryable), (FailureCode::Timeout, true));
    assert!(failure.message.contains("notes.add") && failure.message.contains("30 s"), "{}", failure.message);
    assert!(began.elapsed() <= LIMIT + Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_keeps_to_its_limit_speaks_first() {
    let toolbox = ready(|_, cx| async move {
        sleep(cx.timeout).await;
        Err(Failure::new(FailureCode::Timeout, "the server said nothing for 30 s"))
    });
    assert_eq!(failed(run(&toolbox).await).message, "the server said nothing for 30 s");
}

#[tokio::test(start_paused = true)]
async fn a_late_backend_is_told_to_stop_and_may_still_have_done_it() {
    let toolbox = ready(|_, cx| async move {
        cx.cancel.cancelled().await;
        ok()
    });
    assert_eq!(run(&toolbox).await, ok());
    let toolbox = ready(|_, cx| async move {
        cx.cancel.cancelled().await;
        Err(Failure::new(FailureCode::Cancelled, "stopped"))
    });
    assert_eq!(failed(run(&toolbox).await).code, FailureCode::Timeout);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_answer_before_and_after_the_first_await() {
    let at_once = ready(|_, _| async { panic!("no such {}", "page") });
    let later = ready(|_, _| async {
        sleep(Duration::from_millis(5)).await;
        std::panic::panic_any("plain")
    });
    for (toolbox, text) in [(at_once, "no such page"), (later, "plain")] {
        let failure = failed(run(&toolbox).await);
        assert_eq!(failure.code, FailureCode::Panicked);
        assert!(failure.message.contains(text), "{}", failure.message);
        assert!(failure.hint.is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_is_answered_within_the_grace_whatever_the_backend_does() {
    let deaf = ready(|_, _| pending());
    let polite = ready(|_, cx| async move {
        cx.cancel.cancelled().await;
        Err(Failure::tool_failed("half of it is written"))
    });
    let panicking = ready(|_, cx| async move {
        cx.cancel.cancelled().await;
        panic!("while stopping")
    });
    for toolbox in [deaf, polite, panicking] {
        let cancel = CancellationToken::new();
        let began = Instant::now();
        let call = toolbox.run(ToolIx(0), json!({}), cancel.clone(), Arc::new(Silent));
        let stop = async {
            sleep(Duration::from_secs(2)).await;
            cancel.cancel();
        };
        let (outcome, ()) = tokio::join!(call, stop);
        assert_eq!(failed(outcome).code, FailureCode::Cancelled);
        assert!(began.elapsed() <= Duration::from_millis(2_500), "{:?}", began.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_was_done_before_the_grace_ended_is_not_denied() {
    let toolbox = ready(|_, cx| async move {
        cx.cancel.cancelled().await;
        sleep(Duration::from_millis(400)).await;
        ok()
    });
    let cancel = CancellationToken::new();
    let call = toolbox.run(ToolIx(0), json!({}), cancel.clone(), Arc::new(Silent));
    let stop = async {
        sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    assert_eq!(tokio::join!(call, stop).0, ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_before_it_began_never_reaches_the_backend() {
    let backend = scripted(vec![entry("notes.add", State::Ready)], |_, _| async { ok() });
    let (toolbox, _) = Toolbox::new(vec![Arc::clone(&backend) as Arc<dyn Backend>], &[]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = toolbox.run(ToolIx(0), json!({}), cancel, Arc::new(Silent)).await;
    assert_eq!(failed(outcome).code, FailureCode::Cancelled);
    assert_eq!(backend.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn only_a_ready_tool_reaches_its_backend() {
    let why = || Text::new("the server is down.", "服务器未运行。");
    let entries = vec![
        entry("a.off", State::Disabled { why: why() }),
        entry("b.gone", State::Unavailable { why: why(), retryable: false }),
        entry("c.later", State::Unavailable { why: why(), retryable: true }),
        entry("d.unset", State::NeedsConfig { what: why() }),
        entry("e.named", State::Ready),
        entry("plug.one", State::Ready),
        entry("plug.two", State::Ready),
        entry("plugin.three", State::Ready),
    ];
    let backend = scripted(entries, |_, _| async { ok() });
    let disabled = ["e.named".to_owned(), "plug".to_owned()];
    let (toolbox, problems) = Toolbox::new(vec![Arc::clone(&backend) as Arc<dyn Backend>], &disabled);
    assert_eq!(problems, []);
    let expected = [
        Some((FailureCode::Denied, false)),
        Some((FailureCode::Unavailable, false)),
        Some((FailureCode::Unavailable, true)),
        Some((FailureCode::NeedsConfig, false)),
        Some((FailureCode::Denied, false)),
        Some((FailureCode::Denied, false)),
        Some((FailureCode::Denied, false)),
        None,
    ];
    for (ix, expected) in toolbox.catalog().all().zip(expected) {
        let outcome = toolbox.run(ix, json!({}), CancellationToken::new(), Arc::new(Silent)).await;
        let failure = outcome.err();
        assert_eq!(failure.as_ref().map(|failure| (failure.code, failure.retryable)), expected, "{ix:?}");
        assert!(failure.is_none_or(|failure| failure.hint.is_some() && !failure.message.contains("..")));
    }
    assert_eq!(backend.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_number_from_another_catalog_is_answered() {
    let toolbox = ready(|_, _| async { ok() });
    let outcome = toolbox.run(ToolIx(7), json!({}), CancellationToken::new(), Arc::new(Silent)).await;
    assert_eq!(failed(outcome).code, FailureCode::Unavailable);
}

#[test]
fn a_name_to_disable_that_fits_nothing_is_reported() {
    let backend = scripted(vec![entry("notes.add", State::Ready)], |_, _| async { ok() });
    let (_, problems) = Toolbox::new(vec![backend], &["note".to_owned()]);
    assert_eq!(problems.len(), 1);
    assert_eq!(
        (problems[0].kind, problems[0].subject.as_str(), problems[0].fatal),
        (ProblemKind::Claim, "note", false)
    );
}

#[tokio::test(start_paused = true)]
async fn a_doubled_id_goes_to_the_backend_whose_entry_was_kept() {
    let described = |text: &str| {
        let mut entry = entry("notes.add", State::Ready);
        entry.manifest.description = text.to_owned();
        entry
    };
    let down = || entry("notes.add", State::Unavailable { why: Text::new("down", "未运行"), retryable: true });
    let pairs = [(described("One\u{200b} way."), described("Other way.")), (down(), described("Other way."))];
    for (one, other) in pairs {
        for swap in [false, true] {
            let echo = |entry: &ToolEntry| {
                let description = entry.manifest.description.clone();
                scripted(vec![entry.clone()], move |_, _| {
                    let answer = Ok(ToolOutput::new(json!(description)));
                    async move { answer }
                }) as Arc<dyn Backend>
            };
            let mut backends = vec![echo(&one), echo(&other)];
            if swap {
                backends.reverse();
            }
            let (toolbox, problems) = Toolbox::new(backends, &[]);
            assert!(problems.iter().any(|problem| problem.kind == ProblemKind::Duplicate), "{problems:?}");
            let kept = &toolbox.catalog().tools()[0].manifest.description;
            let output = run(&toolbox).await.expect("an output");
            assert_eq!(output.model_text().replace('\u{200b}', ""), *kept, "swap: {swap}");
        }
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn progress(&self, fraction: Option<f64>, message: &str) {
        self.0.lock().expect("notes").push(format!("{fraction:?} {message}"));
    }
    fn partial(&self, text: &str) {
        self.0.lock().expect("notes").push(text.to_owned());
    }
    fn log(&self, level: LogLevel, message: &str) {
        self.0.lock().expect("notes").push(format!("{} {message}", level.as_str()));
    }
}

#[tokio::test(start_paused = true)]
async fn events_arrive_in_order_and_none_after_the_outcome() {
    let toolbox = ready(|_, cx| async move {
        cx.observer.progress(Some(0.5), "half");
        cx.observer.partial("first");
        cx.observer.log(LogLevel::Warn, "slow");
        let late = Arc::clone(&cx.observer);
        tokio::spawn(async move {
            sleep(Duration::from_millis(10)).await;
            late.partial("too late");
        });
        ok()
    });
    let notes = Arc::new(Notes::default());
    let outcome =
        toolbox.run(ToolIx(0), json!({}), CancellationToken::new(), Arc::clone(&notes) as Arc<dyn Observer>).await;
    assert_eq!(outcome, ok());
    sleep(Duration::from_secs(1)).await;
    assert_eq!(*notes.0.lock().expect("notes"), ["Some(0.5) half", "first", "warn slow"]);
}

struct Flag(Arc<AtomicUsize>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_is_dropped() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let held = Arc::clone(&dropped);
    let toolbox = ready(move |_, _| {
        let flag = Flag(Arc::clone(&held));
        async move {
            let _flag = flag;
            pending().await
        }
    });
    let call = toolbox.run(ToolIx(0), json!({}), CancellationToken::new(), Arc::new(Silent));
    assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
    sleep(Duration::from_millis(1)).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_calls_at_once_do_not_cross() {
    let toolbox = ready(|arguments, _| async move {
        sleep(Duration::from_millis(100 - arguments["n"].as_u64().unwrap_or(0))).await;
        Ok(ToolOutput::new(arguments))
    });
    let calls = (0..100).map(|n| toolbox.run(ToolIx(0), json!({"n": n}), CancellationToken::new(), Arc::new(Silent)));
    for (n, outcome) in join_all(calls).await.into_iter().enumerate() {
        assert_eq!(outcome.expect("an output").value, json!({"n": n}));
    }
}

/// Real threads and real time: a backend that blocks its thread cannot be stopped, but it cannot hold the answer either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backend_that_blocks_its_thread_does_not_hold_the_answer() {
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let (entered, has_entered) = tokio::sync::oneshot::channel();
    let entered = Mutex::new(Some(entered));
    let toolbox = ready(move |_, _| {
        let entered = entered.lock().expect("the signal").take().expect("one call");
        entered.send(()).expect("somebody waits");
        let _ = wait.lock().expect("the channel").recv();
        async { ok() }
    });
    let cancel = CancellationToken::new();
    let soon = cancel.clone();
    let call = tokio::spawn(async move {
        tokio::time::timeout(Duration::from_secs(20), toolbox.run(ToolIx(0), json!({}), soon, Arc::new(Silent))).await
    });
    has_entered.await.expect("the backend runs");
    cancel.cancel();
    let outcome = call.await.expect("no panic").expect("an answer in time");
    drop(release);
    assert_eq!(failed(outcome).code, FailureCode::Cancelled);
}

/// A backend whose list can be changed.
struct Living(Mutex<(u64, Vec<ToolEntry>)>);

impl Living {
    fn list(&self, entries: Vec<ToolEntry>) {
        let mut now = self.0.lock().expect("no panic");
        *now = (now.0 + 1, entries);
    }
}

impl Backend for Living {
    fn entries(&self) -> Vec<ToolEntry> {
        self.0.lock().expect("no panic").1.clone()
    }

    fn revision(&self) -> u64 {
        self.0.lock().expect("no panic").0
    }

    fn call<'a>(&'a self, tool: &'a ToolId, _: Value, _: CallContext) -> BoxFuture<'a, Outcome> {
        async move { Ok(ToolOutput::new(json!(tool.as_str()))) }.boxed()
    }
}

#[tokio::test]
async fn a_changed_list_is_followed_and_nothing_that_was_known_is_lost() {
    let names = |names: &[&str]| names.iter().map(|name| entry(name, State::Ready)).collect::<Vec<_>>();
    let living = Arc::new(Living(Mutex::new((1, names(&["notes.add", "notes.off", "notes.old"])))));
    let (toolbox, _) = Toolbox::new(vec![living.clone()], &["notes.off".into()]);
    assert!(toolbox.refreshed().is_none(), "nothing changed");
    living.list(names(&["mail.send", "notes.add", "notes.add2"]));
    let (new, map, problems) = toolbox.refreshed().expect("a change");
    assert_eq!((problems, new.refreshed().is_none()), (Vec::new(), true));
    let ids: Vec<&str> = map.iter().map(|ix| new.catalog().get(*ix).id.as_str()).collect();
    assert_eq!(ids, ["notes.add", "notes.off", "notes.old"]);
    let run = async |id: &str| {
        let tool = new.catalog().ix(&ToolId::parse(id).expect("an id")).expect("a tool");
        new.run(tool, json!({}), CancellationToken::new(), Arc::new(Silent)).await
    };
    assert_eq!(run("mail.send").await.expect("it runs").value, json!("mail.send"));
    let gone = failed(run("notes.old").await);
    assert!(gone.code == FailureCode::Unavailable && gone.message.contains("no longer offers"), "{gone}");
    assert_eq!(failed(run("notes.off").await).code, FailureCode::Denied, "off stays off");
    living.list(names(&["notes.old"]));
    let (again, map, _) = new.refreshed().expect("a change");
    assert_eq!(again.catalog().get(map[new.catalog().tools().len() - 1]).state, State::Ready, "it is back");
}
