use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, mpsc};

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use winclaw_abi::Plugin;
use winclaw_tool::{Failure, FailureCode};

use crate::describe::Described;
use crate::frame::{EncodeError, MAX_FRAME, Start, ToChild, ToHost, encode, read};
use crate::in_process::load_verified;
use crate::outcome::garbled;
use crate::tool_host::channel::{Channel, end_now};
use crate::tool_host::hub::{Call, Hub, Waiting};
use crate::verify::verify;

/// What the main thread does, in the order it came. All of the plugin's code that is not its own thread runs there.
enum Work {
    Call { call: Arc<Call>, tool: String, arguments: Box<RawValue> },
    Cancel(u64),
    Callback(Box<dyn FnOnce(String) + Send>, String),
}

/// Serves one plugin until the host is gone. Returns only when there is nothing to serve.
pub(crate) fn serve(channel: Channel) -> i32 {
    let mut from_host = BufReader::new(channel.from_host);
    let Ok(Some(ToChild::Start(start))) = read(&mut from_host) else {
        return 2;
    };
    let hub = Hub::new(channel.to_host, start.facts.clone());
    let (sender, work) = mpsc::channel();
    let shared = Arc::clone(&hub);
    let reader = move || listen(from_host, &shared, &sender);
    if std::thread::Builder::new().name("winclaw-channel".into()).spawn(reader).is_err() {
        return 2;
    }
    match prepare(&start) {
        Ok(plugin) => work.into_iter().for_each(|work| perform(&plugin, &hub, work)),
        Err(failure) => {
            // A refusal is one sentence or two, far below the cap of a frame.
            let _ = hub.send(&ToHost::Refused(failure));
            // The host ends this process. Ending by itself could be taken for a crash.
            work.into_iter().for_each(drop);
        }
    }
    0
}

/// Sandboxing: what this process may still do is cut down here, between the check and the load.
fn prepare(start: &Start) -> Result<Plugin, Failure> {
    let library = verify(&start.library, &start.sha256, &start.cache)?;
    load_verified(&library)
}

/// Reads frames until the host is gone, which ends the process whatever the plugin does. Runs none of its code.
fn listen(mut from_host: BufReader<File>, hub: &Arc<Hub>, work: &mpsc::Sender<Work>) {
    while let Ok(Some(frame)) = read(&mut from_host) {
        let more = match frame {
            ToChild::Call { id, tool, arguments } => Some(Work::Call { call: hub.arrived(id), tool, arguments }),
            ToChild::Cancel { id } => hub.cancel(id).then_some(Work::Cancel(id)),
            ToChild::Answer { ask, text } => answered(hub, ask, text),
            ToChild::Start(_) => None,
        };
        // The main thread listens to the end of the process.
        more.into_iter().for_each(|more| drop(work.send(more)));
    }
    end_now();
}

fn answered(hub: &Hub, ask: u64, text: Option<String>) -> Option<Work> {
    match hub.waiting(ask)? {
        Waiting::Callback(done) => Some(Work::Callback(done, text.unwrap_or_else(too_large_an_answer))),
        Waiting::Thread(sender) => {
            // Whoever waited may be gone.
            let _ = sender.send(text);
            None
        }
    }
}

fn too_large_an_answer() -> String {
    json!({"error": Failure::tool_failed(format!("the answer is larger than {MAX_FRAME} bytes"))}).to_string()
}

fn perform(plugin: &Plugin, hub: &Arc<Hub>, work: Work) {
    match work {
        Work::Call { call, tool, arguments } => begin(plugin, hub, call, tool, &arguments),
        Work::Cancel(id) => hub.handle(id).into_iter().for_each(|handle| plugin.cancel(handle)),
        Work::Callback(done, text) => done(text),
    }
}

fn begin(plugin: &Plugin, hub: &Arc<Hub>, call: Arc<Call>, tool: String, arguments: &RawValue) {
    let id = call.id();
    let (shared, name) = (Arc::clone(hub), tool.clone());
    let done = Box::new(move |json: String| finish(&shared, id, &name, json));
    if winclaw_abi::HostServices::cancelled(&*call) {
        // Cancelled while the plugin was being loaded.
        done(json!({"error": Failure::new(FailureCode::Cancelled, "cancelled before it began")}).to_string());
        return;
    }
    let handle = plugin.call(&tool, arguments.get().as_bytes(), call, done);
    hub.begun(id, handle);
}

/// Sends the outcome. What is no JSON, or too large, becomes an outcome that says so.
fn finish(hub: &Hub, id: u64, tool: &str, json: String) {
    let outcome = RawValue::from_string(json).or_else(|error| failed(&garbled(tool, &error.to_string())));
    let sent = outcome.map_err(EncodeError::Json).and_then(|outcome| hub.send(&ToHost::Done { id, outcome }));
    if let Err(error) = sent {
        let failure = Failure::tool_failed(format!(
            "the result of `{tool}` cannot be passed on: {error}; ask for less at a time"
        ));
        // Small and well-formed, so it can be sent.
        let _ = failed(&failure).map(|outcome| hub.send(&ToHost::Done { id, outcome }));
    }
}

fn failed(failure: &Failure) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&json!({"error": failure}))
}

/// Loads `library`, unverified, and sends what it says of itself.
pub(crate) fn manifest(channel: Channel, library: &Path) -> i32 {
    use std::io::Write as _;
    let absolute = library.canonicalize().map_err(|error| format!("{} cannot be read: {error}", library.display()));
    let manifest =
        absolute.and_then(|library| Ok(load_verified(&library).map_err(|failure| failure.message)?.manifest()));
    let described = match manifest {
        Ok(manifest) => Described::Manifest(manifest),
        Err(why) => Described::Error(why),
    };
    let sent = encode(&described).map(|bytes| {
        let mut out = channel.to_host;
        out.write_all(&bytes).is_ok()
    });
    if matches!(sent, Ok(true)) { 0 } else { 2 }
}
