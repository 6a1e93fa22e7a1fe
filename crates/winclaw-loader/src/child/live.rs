use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use winclaw_tool::{Failure, Outcome, PluginId, ToolId};
use winclaw_toolbox::Observer;

use crate::child::death::Death;
use crate::child::flight::Flight;
use crate::child::health::{self, Health};
use crate::child::tasks;
use crate::frame::{EncodeError, Start, ToChild, encode};
use crate::outcome::GRACE;
use crate::services::Services;

/// A running child and the calls in it.
pub(crate) struct Live {
    pub(crate) plugin: PluginId,
    pub(crate) services: Arc<Services>,
    /// Cancelled when the host wants the child dead.
    pub(crate) condemned: CancellationToken,
    pub(crate) runtime: Handle,
    health: Arc<Mutex<Health>>,
    frames: mpsc::UnboundedSender<Vec<u8>>,
    last_id: AtomicU64,
    calls: Mutex<Calls>,
    /// Told whenever a stopped call was released and when the child closes.
    settled: Notify,
}

#[derive(Default)]
struct Calls {
    open: BTreeMap<u64, Call>,
    /// Calls that were told to stop and may still run.
    stopping: BTreeSet<u64>,
    /// The child takes no more calls.
    closed: bool,
    /// Why the host ended it, or how it refused; unset when it ends by itself.
    verdict: Option<Death>,
}

struct Call {
    tool: ToolId,
    observer: Arc<dyn Observer>,
    answer: oneshot::Sender<Outcome>,
    /// Cancelled when the call is over, which ends its HTTP requests.
    over: CancellationToken,
}

impl Live {
    /// Serves a child that was just started: sends it `start` and starts the tasks that read, write and watch.
    pub(crate) fn launch(
        mut child: Child,
        plugin: PluginId,
        start: Start,
        services: Arc<Services>,
        health: Arc<Mutex<Health>>,
    ) -> Result<Arc<Live>, Failure> {
        let pipes = tasks::Pipes::take(&mut child)?;
        let (frames, queue) = mpsc::unbounded_channel();
        let live = Arc::new(Live {
            plugin,
            services,
            condemned: CancellationToken::new(),
            runtime: Handle::current(),
            health,
            frames,
            last_id: AtomicU64::new(0),
            calls: Mutex::default(),
            settled: Notify::new(),
        });
        live.send(&ToChild::Start(start)).map_err(|error| Failure::unavailable(error.to_string()))?;
        tasks::serve(&live, child, pipes, queue);
        Ok(live)
    }

    /// Sends a call; `None` when the child has closed, which it then never saw.
    pub(crate) fn take_off(
        live: &Arc<Live>,
        tool: &ToolId,
        arguments: &RawValue,
        observer: Arc<dyn Observer>,
    ) -> Result<Option<Flight>, Failure> {
        let id = live.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let frame = ToChild::Call { id, tool: tool.name().to_owned(), arguments: arguments.to_owned() };
        let bytes = encode(&frame)
            .map_err(|error| Failure::invalid_args(format!("the arguments of `{tool}` cannot be sent: {error}")))?;
        let (sender, answer) = oneshot::channel();
        let call = Call { tool: tool.clone(), observer, answer: sender, over: CancellationToken::new() };
        let mut calls = live.calls();
        if live.is_closed(&calls) {
            return Ok(None);
        }
        calls.open.insert(id, call);
        live.write(bytes);
        Ok(Some(Flight { live: Arc::clone(live), id, tool: tool.clone(), answer }))
    }

    /// Tells the child to end a call, and kills the child if the call has not let go of everything after the grace.
    pub(crate) fn stop(live: &Arc<Live>, id: u64, tool: &ToolId) {
        {
            let mut calls = live.calls();
            if live.is_closed(&calls) || !calls.stopping.insert(id) {
                return;
            }
        }
        // A frame this small always fits.
        let _ = live.send(&ToChild::Cancel { id });
        let (reaped, tool) = (Arc::clone(live), tool.clone());
        live.runtime.spawn(async move {
            sleep(GRACE).await;
            if reaped.calls().stopping.contains(&id) {
                reaped.kill(&format!("a call of `{tool}` did not end when it was told to"));
            }
        });
    }

    /// Waits until no call is left that was told to stop and may still run: such a call may yet take the child along.
    pub(crate) async fn settled(&self) {
        loop {
            let change = self.settled.notified();
            {
                let calls = self.calls();
                if calls.stopping.is_empty() || self.is_closed(&calls) {
                    return;
                }
            }
            change.await;
        }
    }

    pub(crate) fn takes_calls(&self) -> bool {
        !self.is_closed(&self.calls())
    }

    /// The writer is gone as well when the runtime that served the child has ended, and the child with it.
    fn is_closed(&self, calls: &Calls) -> bool {
        calls.closed || self.frames.is_closed()
    }

    pub(crate) fn is_open(&self, id: u64) -> bool {
        self.calls().open.contains_key(&id)
    }

    /// Nobody waits for the call any more.
    pub(crate) fn forget(&self, id: u64) {
        if let Some(call) = self.calls().open.remove(&id) {
            call.over.cancel();
        }
    }

    /// Ends the child; `why` follows "because" in what its calls are told.
    pub(crate) fn kill(&self, why: &str) {
        self.end(Death::Stopped(why.to_owned()));
    }

    /// Ends the child with `verdict`, unless it has one.
    pub(crate) fn end(&self, verdict: Death) {
        self.close(Some(verdict));
        self.condemned.cancel();
    }

    /// The child takes no more calls from now on. The first verdict stays.
    fn close(&self, verdict: Option<Death>) {
        {
            let mut calls = self.calls();
            calls.closed = true;
            calls.verdict = calls.verdict.take().or(verdict);
        }
        self.settled.notify_waiters();
    }

    /// The child ended by itself, if the host did not end it before: counts as a crash. Takes no more calls.
    pub(crate) fn noticed_dead(&self) {
        let by_itself = self.calls().verdict.is_none();
        if by_itself {
            // Before it is seen as closed, so that whoever starts the next child sees the crash.
            health::locked(&self.health).crashed(Instant::now());
        }
        self.close(None);
    }

    /// Answers every call that is left. `otherwise` holds when the host did not end the child.
    pub(crate) fn die(&self, otherwise: Death) {
        let (open, death) = {
            let mut calls = self.calls();
            (std::mem::take(&mut calls.open), calls.verdict.clone().unwrap_or(otherwise))
        };
        for call in open.into_values() {
            call.over.cancel();
            // Whoever gave the call up has dropped the other end.
            let _ = call.answer.send(Err(death.failure(&call.tool)));
        }
    }

    /// The call has its outcome.
    pub(crate) fn done(&self, id: u64, outcome: &RawValue) {
        let Some(call) = self.calls().open.remove(&id) else {
            return;
        };
        call.over.cancel();
        let _ = call.answer.send(crate::outcome::parse(&call.tool, outcome.get()));
    }

    /// A stopped call has ended.
    pub(crate) fn released(&self, id: u64) {
        self.calls().stopping.remove(&id);
        self.settled.notify_waiters();
    }

    /// Who watches a call that is still open.
    pub(crate) fn observer(&self, id: u64) -> Option<Arc<dyn Observer>> {
        self.calls().open.get(&id).map(|call| Arc::clone(&call.observer))
    }

    /// What is cancelled when the call is over; for a call that is over already, when the child is condemned.
    pub(crate) fn over(&self, id: u64) -> CancellationToken {
        let own = self.calls().open.get(&id).map(|call| call.over.clone());
        own.unwrap_or_else(|| self.condemned.clone())
    }

    pub(crate) fn send(&self, frame: &ToChild) -> Result<(), EncodeError> {
        self.write(encode(frame)?);
        Ok(())
    }

    fn write(&self, bytes: Vec<u8>) {
        // The writer is gone when the child is; its death answers the calls.
        let _ = self.frames.send(bytes);
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        // Nothing panics while it holds the lock, and the data is never half changed.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
