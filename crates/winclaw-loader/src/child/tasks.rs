use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use winclaw_abi::LogLevel;
use winclaw_tool::{Failure, FailureCode};

use crate::child::death::{Death, words};
use crate::child::live::Live;
use crate::child::spawn::kill_group;
use crate::frame::{Ask, ToChild, ToHost, read_async};
use crate::services;

/// How long the pipes of a dead child are still read, and how long a child without a channel may take to end.
const DRAIN: Duration = Duration::from_millis(200);
/// How many of the last lines of a child are kept, and how many characters of each.
const TAIL: (usize, usize) = (6, 200);
/// Most bytes of a line; longer ones are split.
const MAX_LINE: u64 = 4096;

/// The three pipes of a child.
pub(crate) struct Pipes {
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

impl Pipes {
    pub(crate) fn take(child: &mut Child) -> Result<Pipes, Failure> {
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok(Pipes { stdin, stdout, stderr }),
            _ => Err(Failure::unavailable("a child was started without pipes")),
        }
    }
}

type Tail = Arc<Mutex<VecDeque<String>>>;

/// Starts what reads, writes and watches `child`.
pub(crate) fn serve(live: &Arc<Live>, child: Child, pipes: Pipes, queue: UnboundedReceiver<Vec<u8>>) {
    let tail = Tail::default();
    tokio::spawn(write(pipes.stdin, queue));
    let reader = tokio::spawn(read(Arc::clone(live), pipes.stdout));
    let listener = tokio::spawn(listen(live.plugin.to_string(), pipes.stderr, Arc::clone(&tail)));
    tokio::spawn(watch(Arc::clone(live), child, reader, listener, tail));
}

async fn write(mut stdin: ChildStdin, mut queue: UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if stdin.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn read(live: Arc<Live>, stdout: ChildStdout) -> io::Result<()> {
    let mut from = BufReader::new(stdout);
    while let Some(frame) = read_async(&mut from).await? {
        dispatch(&live, frame);
    }
    Ok(())
}

fn dispatch(live: &Arc<Live>, frame: ToHost) {
    match frame {
        ToHost::Done { id, outcome } => live.done(id, &outcome),
        ToHost::Released { id } => live.released(id),
        ToHost::Refused(failure) => live.end(Death::Refused(failure)),
        ToHost::Ask { id, ask, what } => answer(live, id, ask, what),
        ToHost::Log { id, level, text } => {
            let level = services::level(LogLevel::from_u8(level));
            live.observer(id).into_iter().for_each(|observer| observer.log(level, &text));
        }
        ToHost::Progress { id, fraction, text } => {
            live.observer(id).into_iter().for_each(|observer| observer.progress(fraction, &text));
        }
        ToHost::Partial { id, text } => live.observer(id).into_iter().for_each(|observer| observer.partial(&text)),
    }
}

/// Answers what a plugin asks, beside the reading of further frames.
fn answer(live: &Arc<Live>, id: u64, ask: u64, what: Ask) {
    let (live, over) = (Arc::clone(live), live.over(id));
    match what {
        Ask::Http(request) => drop(tokio::spawn(async move {
            let text = over.run_until_cancelled(live.services.http(&request)).await.unwrap_or_else(call_is_over);
            reply(&live, ask, Some(text));
        })),
        Ask::Secret(name) => beside(live, ask, None, move |live| live.services.secret(&name)),
        Ask::KvGet(key) => beside(live, ask, None, move |live| live.services.kv_get(&key)),
        Ask::KvSet { key, value } => {
            let lost = json!(Failure::unavailable("the host failed while it stored the value")).to_string();
            beside(live, ask, Some(lost), move |live| live.services.kv_set(&key, value.as_deref()).err());
        }
    }
}

/// Answers with what `work` gives, which may block; with `otherwise` if it panics.
fn beside(
    live: Arc<Live>,
    ask: u64,
    otherwise: Option<String>,
    work: impl FnOnce(&Live) -> Option<String> + Send + 'static,
) {
    tokio::spawn(async move {
        let worker = Arc::clone(&live);
        let text = tokio::task::spawn_blocking(move || work(&worker)).await.unwrap_or(otherwise);
        reply(&live, ask, text);
    });
}

fn reply(live: &Live, ask: u64, text: Option<String>) {
    if live.send(&ToChild::Answer { ask, text }).is_err() {
        // An answer past the cap of a frame is told as none; the child turns it into a failure of the request.
        let _ = live.send(&ToChild::Answer { ask, text: None });
    }
}

fn call_is_over() -> String {
    let failure = Failure::new(FailureCode::Cancelled, "the call that made this request is over");
    json!({"error": failure}).to_string()
}

/// Keeps the last lines of the child's stderr, where its stdout goes as well, and logs each.
async fn listen(plugin: String, stderr: ChildStderr, tail: Tail) {
    let mut from = BufReader::new(stderr);
    let mut line = Vec::new();
    while (&mut from).take(MAX_LINE).read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
        let text = printable(&line);
        line.clear();
        if text.is_empty() {
            continue;
        }
        tracing::info!(target: "winclaw::plugin", plugin, "{text}");
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.push_back(text);
        if tail.len() > TAIL.0 {
            tail.pop_front();
        }
    }
}

fn printable(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let clean: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match clean.char_indices().nth(TAIL.1) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

/// Waits for the end of the child, whichever way it comes, and tells the calls that are left.
async fn watch(
    live: Arc<Live>,
    mut child: Child,
    mut reader: JoinHandle<io::Result<()>>,
    listener: JoinHandle<()>,
    tail: Tail,
) {
    let mut channel = None;
    tokio::select! {
        _ = child.wait() => {}
        ended = &mut reader => channel = Some(ended),
        () = live.condemned.cancelled() => {}
    }
    live.noticed_dead();
    let how = match &channel {
        Some(Ok(Err(error))) => Some(format!("sent something that is no frame ({error})")),
        Some(_) => timeout(DRAIN, child.wait()).await.is_err().then(|| "closed its channel".to_owned()),
        None => None,
    };
    kill_group(&mut child);
    let status = child.wait().await;
    if channel.is_none() {
        // What the child answered before it ended still counts.
        let _ = timeout(DRAIN, &mut reader).await;
        reader.abort();
    }
    let _ = timeout(DRAIN, listener).await;
    let how = how.unwrap_or_else(|| status.map_or_else(|error| format!("is lost ({error})"), words));
    let last_lines = tail.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect();
    tracing::debug!(plugin = %live.plugin, how, "a child ended");
    live.die(Death::Crashed { how, last_lines });
}
