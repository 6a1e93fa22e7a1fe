use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use serde_json::json;
use winclaw_abi::{HostServices, LogLevel};
use winclaw_tool::Failure;

use crate::frame::{Ask, EncodeError, ToHost, encode};
use crate::services::Facts;
use crate::tool_host::channel::end_now;

/// What all threads of the child share: the way to the host, and who waits for what.
pub(crate) struct Hub {
    to_host: Mutex<File>,
    facts: Facts,
    calls: Mutex<BTreeMap<u64, Entry>>,
    asks: Mutex<BTreeMap<u64, Waiting>>,
    last_ask: AtomicU64,
}

/// A call that has not let go of its services.
#[derive(Default)]
struct Entry {
    cancelled: Arc<AtomicBool>,
    /// The plugin's handle; 0 while the call has not begun.
    handle: u64,
}

/// Who waits for the answer to an ask.
pub(crate) enum Waiting {
    /// A thread of the plugin stands still until it comes.
    Thread(mpsc::SyncSender<Option<String>>),
    /// It is called, which is the plugin's code.
    Callback(Box<dyn FnOnce(String) + Send>),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Plain data that is never half changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    pub(crate) fn new(to_host: File, facts: Facts) -> Arc<Hub> {
        Arc::new(Hub {
            to_host: Mutex::new(to_host),
            facts,
            calls: Mutex::default(),
            asks: Mutex::default(),
            last_ask: AtomicU64::new(0),
        })
    }

    /// Sends a frame. Without a host there is nothing left to live for.
    pub(crate) fn send(&self, frame: &ToHost) -> Result<(), EncodeError> {
        let bytes = encode(frame)?;
        if locked(&self.to_host).write_all(&bytes).is_err() {
            end_now();
        }
        Ok(())
    }

    /// Sends an event, which is left out if it is too large for a frame.
    fn tell(&self, frame: &ToHost) {
        let _ = self.send(frame);
    }

    /// A call has arrived. What it returns goes to the plugin; dropping it ends the call.
    pub(crate) fn arrived(self: &Arc<Self>, id: u64) -> Arc<Call> {
        let entry = Entry::default();
        let call = Call { hub: Arc::clone(self), id, cancelled: Arc::clone(&entry.cancelled) };
        locked(&self.calls).insert(id, entry);
        Arc::new(call)
    }

    /// The plugin has begun the call under `handle`.
    pub(crate) fn begun(&self, id: u64, handle: u64) {
        // It may have ended already.
        if let Some(entry) = locked(&self.calls).get_mut(&id) {
            entry.handle = handle;
        }
    }

    /// The handle of a call that still runs.
    pub(crate) fn handle(&self, id: u64) -> Option<u64> {
        locked(&self.calls).get(&id).map(|entry| entry.handle)
    }

    /// The host wants the call to end. `false` when it has ended already, of which the host is told.
    pub(crate) fn cancel(&self, id: u64) -> bool {
        let open = locked(&self.calls).get(&id).map(|entry| entry.cancelled.store(true, Ordering::Release));
        if open.is_none() {
            self.tell(&ToHost::Released { id });
        }
        open.is_some()
    }

    fn ended(&self, call: &Call) {
        let cancelled = {
            let mut calls = locked(&self.calls);
            calls.remove(&call.id);
            call.cancelled.load(Ordering::Acquire)
        };
        if cancelled {
            self.tell(&ToHost::Released { id: call.id });
        }
    }

    /// Takes whoever waits for the answer to `ask`.
    pub(crate) fn waiting(&self, ask: u64) -> Option<Waiting> {
        locked(&self.asks).remove(&ask)
    }

    fn ask(&self, id: u64, what: Ask, waiting: Waiting) {
        let ask = self.last_ask.fetch_add(1, Ordering::Relaxed) + 1;
        locked(&self.asks).insert(ask, waiting);
        if let Err(error) = self.send(&ToHost::Ask { id, ask, what }) {
            let failure = json!({"error": Failure::invalid_args(format!("what was asked cannot be sent: {error}"))});
            match self.waiting(ask) {
                Some(Waiting::Callback(done)) => done(failure.to_string()),
                Some(Waiting::Thread(sender)) => drop(sender.send(None)),
                None => {}
            }
        }
    }
}

/// What the plugin may ask for during one call.
pub(crate) struct Call {
    hub: Arc<Hub>,
    id: u64,
    cancelled: Arc<AtomicBool>,
}

impl Call {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Asks the host and stands still until it answers.
    fn ask(&self, what: Ask) -> Option<String> {
        let (sender, answer) = mpsc::sync_channel(1);
        self.hub.ask(self.id, what, Waiting::Thread(sender));
        answer.recv().ok().flatten()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.hub.ended(self);
    }
}

impl HostServices for Call {
    fn log(&self, level: LogLevel, text: &str) {
        self.hub.tell(&ToHost::Log { id: self.id, level: level as u8, text: text.to_owned() });
    }

    fn progress(&self, fraction: Option<f64>, text: &str) {
        self.hub.tell(&ToHost::Progress { id: self.id, fraction, text: text.to_owned() });
    }

    fn partial(&self, text: &str) {
        self.hub.tell(&ToHost::Partial { id: self.id, text: text.to_owned() });
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    fn http(&self, request: String, done: Box<dyn FnOnce(String) + Send>) {
        self.hub.ask(self.id, Ask::Http(request), Waiting::Callback(done));
    }

    fn secret(&self, name: &str) -> Option<String> {
        self.ask(Ask::Secret(name.to_owned()))
    }

    fn scratch(&self) -> Option<String> {
        self.hub.facts.scratch()
    }

    fn kv_get(&self, key: &str) -> Option<String> {
        self.ask(Ask::KvGet(key.to_owned()))
    }

    fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        self.ask(Ask::KvSet { key: key.to_owned(), value: value.map(str::to_owned) }).map_or(Ok(()), Err)
    }

    fn query(&self, name: &str, _: &str) -> Option<String> {
        self.hub.facts.query(name)
    }
}
