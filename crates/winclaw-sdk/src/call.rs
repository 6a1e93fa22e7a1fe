use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::Event;
use futures_lite::future;
use winclaw_abi::CompletionV1;
use winclaw_tool::{Failure, FailureCode};

use crate::Work;
use crate::caught::{caught, caught_async};
use crate::runtime;

static NEXT_HANDLE: AtomicU64 = AtomicU64::new(1);
static CALLS: Mutex<BTreeMap<u64, Arc<Call>>> = Mutex::new(BTreeMap::new());

/// One call from its start to its answer, of which there is exactly one.
pub(crate) struct Call {
    handle: u64,
    done: Mutex<Option<CompletionV1>>,
    cancelled: AtomicBool,
    wake: Event,
}

impl Call {
    /// A call that is known by its handle until it is answered.
    pub(crate) fn open(done: CompletionV1) -> Arc<Call> {
        let handle = NEXT_HANDLE.fetch_add(1, Ordering::Relaxed);
        let (cancelled, wake) = (AtomicBool::new(false), Event::new());
        let call = Arc::new(Call { handle, done: Mutex::new(Some(done)), cancelled, wake });
        locked(&CALLS).insert(handle, Arc::clone(&call));
        call
    }

    /// The handle, never 0.
    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }

    /// Answers the call, unless it was answered before.
    pub(crate) fn answer(&self, outcome: Result<String, Failure>) {
        locked(&CALLS).remove(&self.handle);
        let done = locked(&self.done).take(); // No lock is held while the host's code runs.
        if let Some(done) = done {
            done.complete(envelope(outcome));
        }
    }

    /// Whether [`cancel`] was called.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Returns when [`cancel`] is called.
    pub(crate) async fn until_cancelled(&self) {
        while !self.is_cancelled() {
            let listener = self.wake.listen();
            if !self.is_cancelled() {
                listener.await;
            }
        }
    }
}

/// Starts `work` and answers `call` with what comes of it.
pub(crate) fn run(call: &Arc<Call>, work: Work) -> Result<(), Failure> {
    let answered = Arc::clone(call);
    match work {
        Work::Blocking(body) => {
            runtime::spawn_blocking(move || answered.answer(caught(body)));
            Ok(())
        }
        Work::Async(body) => runtime::spawn(async move {
            // `body` moves in, so that it is dropped inside the catch too.
            let raced = async { future::or(body, answer_of_cancelled(&answered)).await };
            let outcome = caught_async(raced).await;
            answered.answer(outcome);
        }),
    }
}

async fn answer_of_cancelled(call: &Call) -> Result<String, Failure> {
    call.until_cancelled().await;
    Err(cancelled())
}

/// Answers the call of `handle` with `cancelled`, wakes whoever waits for that, and lets its future be dropped.
pub(crate) fn cancel(handle: u64) {
    let call = locked(&CALLS).remove(&handle);
    if let Some(call) = call {
        call.cancelled.store(true, Ordering::SeqCst);
        call.wake.notify(usize::MAX);
        call.answer(Err(cancelled()));
    }
}

/// The failure of a cancelled call.
pub(crate) fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "the call was cancelled")
}

fn envelope(outcome: Result<String, Failure>) -> String {
    match outcome {
        Ok(json) => format!("{{\"ok\":{json}}}"),
        Err(failure) => serde_json::json!({ "error": failure }).to_string(),
    }
}

/// A lock that a panic elsewhere does not take away: nothing here is left half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
