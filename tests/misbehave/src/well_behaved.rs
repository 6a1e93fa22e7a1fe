//! Tools that do as they should, each for one thing a host must get right.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Poller, Poll, Waker};
use std::time::Duration;

use winclaw_sdk::prelude::*;

/// Answers `ok`.
#[tool(side_effect = "read")]
pub(crate) async fn ok() -> Result<&'static str, Failure> {
    Ok("ok")
}

#[args]
pub(crate) struct Echo {
    /// What to answer.
    text: String,
}

/// Answers what it was given.
#[tool(side_effect = "read")]
pub(crate) async fn echo(args: Echo) -> Result<String, Failure> {
    Ok(args.text)
}

/// Prints on both streams what looks like frames, then answers.
#[tool(side_effect = "read")]
pub(crate) fn chatter() -> Result<&'static str, Failure> {
    let wrong = |error: std::io::Error| Failure::tool_failed(error.to_string());
    let mut stdout = std::io::stdout();
    stdout.write_all(b"\x05\0\0\0{\"don\nchatter on stdout\n").map_err(wrong)?;
    stdout.flush().map_err(wrong)?;
    std::io::stderr().write_all(b"\xff\x1b[2Jchatter on stderr\n").map_err(wrong)?;
    Ok("said")
}

#[args]
pub(crate) struct Slow {
    /// How long to take, in milliseconds.
    ms: u64,
    /// What to answer.
    #[serde(default)]
    text: String,
}

/// Answers after some milliseconds, without holding a thread of the plugin.
#[tool(side_effect = "read")]
pub(crate) async fn slow(args: Slow) -> Result<String, Failure> {
    Alarm::after(Duration::from_millis(args.ms)).await;
    Ok(args.text)
}

#[args]
pub(crate) struct Get {
    /// What to ask for.
    url: String,
}

/// Asks a URL through the host, and answers its body.
#[tool(side_effect = "read")]
pub(crate) async fn http_get(args: Get, cx: &Context) -> Result<String, Failure> {
    let response = cx.http(HttpRequest::get(args.url)).await?;
    Ok(format!("{} {}", response.status, response.body.text().unwrap_or("not text")))
}

#[args]
pub(crate) struct Steps {
    /// How many steps.
    steps: u32,
}

/// Reports each step as progress, as a piece of the result and as a log line.
#[tool(side_effect = "read")]
pub(crate) async fn progress_steps(args: Steps, cx: &Context) -> Result<u32, Failure> {
    for step in 1..=args.steps {
        cx.progress(Some(f64::from(step) / f64::from(args.steps)), &format!("step {step}"));
        cx.partial(&format!("piece {step}"));
        cx.info(&format!("line {step}"));
    }
    Ok(args.steps)
}

#[args]
pub(crate) struct Big {
    /// How many bytes to answer.
    bytes: usize,
}

/// Answers many bytes.
#[tool(side_effect = "read")]
pub(crate) fn big(args: Big) -> Result<String, Failure> {
    Ok("x".repeat(args.bytes))
}

#[args]
pub(crate) struct Many {
    /// How many numbers to answer.
    count: usize,
}

/// Answers many numbers.
#[tool(side_effect = "read")]
pub(crate) fn many(args: Many) -> Result<Vec<u8>, Failure> {
    Ok(vec![7; args.count])
}

/// Names the variables of the environment.
#[tool(side_effect = "read")]
pub(crate) fn env() -> Result<Vec<String>, Failure> {
    Ok(std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect())
}

#[args]
pub(crate) struct KeyValue {
    /// The key.
    key: String,
    /// What to store; absent to read.
    value: Option<String>,
}

/// Stores a value, or reads it.
#[tool(side_effect = "write")]
pub(crate) fn kv(args: KeyValue, cx: &Context) -> Result<Option<String>, Failure> {
    if let Some(value) = &args.value {
        cx.kv_set(&args.key, value)?;
    }
    Ok(cx.kv_get(&args.key))
}

/// Says what the host tells it: scratch folder, roots, language, time and two secrets.
#[tool(side_effect = "read")]
pub(crate) fn facts(cx: &Context) -> Result<BTreeMap<&'static str, Value>, Failure> {
    let roots: Vec<Value> = cx.file_roots().iter().map(|root| json!([root.path, root.write])).collect();
    Ok(BTreeMap::from([
        ("scratch", json!(cx.scratch()?.is_dir())),
        ("roots", json!(roots)),
        ("lang", json!(cx.locale())),
        ("now", json!(cx.now_ms())),
        ("declared", json!(cx.secret("MISBEHAVE_KEY").ok())),
        ("undeclared", json!(cx.secret("PATH").ok())),
    ]))
}

/// Says which process it runs in.
#[tool(side_effect = "read")]
pub(crate) async fn pid() -> Result<u32, Failure> {
    Ok(std::process::id())
}

/// Fails as a tool may.
#[tool(side_effect = "read")]
pub(crate) async fn fail() -> Result<(), Failure> {
    Err(Failure::tool_failed("as asked").with_hint("nothing to do", "无需处理"))
}

/// Goes off once, on a thread that sleeps.
struct Alarm(Arc<Mutex<(bool, Option<Waker>)>>);

impl Alarm {
    fn after(time: Duration) -> Alarm {
        let state = Arc::new(Mutex::new((false, None::<Waker>)));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            std::thread::sleep(time);
            let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
            state.0 = true;
            state.1.take().into_iter().for_each(Waker::wake);
        });
        Alarm(state)
    }
}

impl Future for Alarm {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 = Some(cx.waker().clone());
        if state.0 { Poll::Ready(()) } else { Poll::Pending }
    }
}
