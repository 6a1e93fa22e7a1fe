use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use winclaw_tool::{Failure, FailureCode, Outcome, ToolId};

use crate::{Backend, CallContext, LogLevel, Observer};

/// How long a backend may answer by itself after its deadline, and again after it was told to stop.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// Longest part of a panic's message that is passed on, in characters.
const MAX_PANIC: usize = 300;

/// One call, ready to go.
pub(crate) struct Call {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) id: ToolId,
    pub(crate) arguments: Value,
    pub(crate) limit: Duration,
    pub(crate) observer: Arc<dyn Observer>,
}

/// Runs `call` to its one outcome.
pub(crate) async fn supervise(call: Call, cancel: CancellationToken) -> Outcome {
    if cancel.is_cancelled() {
        return Err(cancelled(&call.id));
    }
    let (id, limit) = (call.id.clone(), call.limit);
    let stop = cancel.child_token();
    let gate = Arc::new(Gate { open: AtomicBool::new(true), inner: Arc::clone(&call.observer) });
    let mut task = Task { handle: spawn(call, stop.clone(), Arc::clone(&gate)), gate };
    tokio::select! {
        biased;
        ended = &mut task.handle => outcome_of(&id, ended),
        () = cancel.cancelled() => task.settle(&id, &stop, cancelled(&id)).await,
        () = sleep(limit.saturating_add(GRACE)) => task.settle(&id, &stop, late(&id, limit)).await,
    }
}

/// Starts the call on a task of its own, so that a backend that blocks its thread cannot hold up the deadline.
fn spawn(call: Call, stop: CancellationToken, gate: Arc<Gate>) -> JoinHandle<Outcome> {
    let cx = CallContext { cancel: stop, observer: gate, timeout: call.limit };
    tokio::spawn(async move { call.backend.call(&call.id, call.arguments, cx).await })
}

/// The running call. Dropping it, which happens at every end, drops the backend's future and closes the gate.
struct Task {
    handle: JoinHandle<Outcome>,
    gate: Arc<Gate>,
}

impl Drop for Task {
    fn drop(&mut self) {
        self.gate.open.store(false, Ordering::Release);
        self.handle.abort();
    }
}

impl Task {
    /// Tells the backend to stop and gives it [`GRACE`]. Only a success still counts: it says that the work was done.
    async fn settle(&mut self, id: &ToolId, stop: &CancellationToken, cause: Failure) -> Outcome {
        stop.cancel();
        match timeout(GRACE, &mut self.handle).await.map(|ended| outcome_of(id, ended)) {
            Ok(Ok(output)) => Ok(output),
            _ => Err(cause),
        }
    }
}

/// Passes events on until the call has its outcome.
struct Gate {
    open: AtomicBool,
    inner: Arc<dyn Observer>,
}

impl Gate {
    fn observer(&self) -> Option<&dyn Observer> {
        self.open.load(Ordering::Acquire).then_some(self.inner.as_ref())
    }
}

impl Observer for Gate {
    fn progress(&self, fraction: Option<f64>, message: &str) {
        self.observer().into_iter().for_each(|inner| inner.progress(fraction, message));
    }

    fn partial(&self, text: &str) {
        self.observer().into_iter().for_each(|inner| inner.partial(text));
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.observer().into_iter().for_each(|inner| inner.log(level, message));
    }
}

fn outcome_of(id: &ToolId, ended: Result<Outcome, JoinError>) -> Outcome {
    match ended {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => Err(panicked(id, &*error.into_panic())),
        // Only the runtime's own shutdown aborts a task that is still awaited.
        Err(_) => Err(cancelled(id)),
    }
}

fn panicked(id: &ToolId, payload: &(dyn Any + Send)) -> Failure {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let text: String = text.chars().take(MAX_PANIC).collect();
    let message = format!("`{id}` panicked and this call is lost: {text}. Other calls are not affected.");
    Failure::new(FailureCode::Panicked, message).with_hint(
        format!("This is a fault in the plugin that offers `{id}`; report it to its publisher."),
        format!("这是提供“{id}”的插件的缺陷，请告知其发布者。"),
    )
}

fn cancelled(id: &ToolId) -> Failure {
    Failure::new(
        FailureCode::Cancelled,
        format!("the call of `{id}` was cancelled before it ended; its work may be half done"),
    )
}

fn late(id: &ToolId, limit: Duration) -> Failure {
    let shown = format!("{} s", limit.as_secs_f64());
    let message =
        format!("`{id}` did not answer within its limit of {shown} and was stopped; its work may be half done");
    Failure::new(FailureCode::Timeout, message).with_hint(
        format!("The limit is `timeout_ms` in the plugin's manifest, now {shown}."),
        format!("时限由插件清单中的 `timeout_ms` 规定，当前为 {shown}。"),
    )
}
