use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use winclaw_sdk::__private::abi;
use winclaw_sdk::{Failure, FailureCode, Outcome, Plugin, PluginManifest, ToolOutput, serde};

use crate::services::{Given, Seen, Services};

/// How long a call may stay unanswered before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call that was started.
pub struct Running {
    plugin: abi::Plugin,
    handle: u64,
    answers: Receiver<String>,
}

impl Running {
    pub(crate) fn start(plugin: &Plugin, tool: &str, args: &[u8], given: Arc<Given>, seen: Arc<Seen>) -> Running {
        let manifest: PluginManifest =
            serde_json::from_str(plugin.manifest()).expect("the SDK writes manifests that can be read");
        let loaded = plugin.load();
        let (sender, answers) = channel();
        let done = Box::new(move |json| _ = sender.send(json));
        let handle = loaded.call(tool, args, Arc::new(Services { given, seen, manifest }), done);
        Running { plugin: loaded, handle, answers }
    }

    /// Cancels the call.
    pub fn cancel(&self) {
        self.plugin.cancel(self.handle);
    }

    /// Waits for the outcome; `timeout` after a minute.
    pub fn wait(self) -> Outcome {
        self.wait_for(PATIENCE)
    }

    /// Waits for the outcome; `timeout` after `patience`, and then it may be cancelled or waited for again.
    ///
    /// # Panics
    ///
    /// When the call is answered twice.
    pub fn wait_for(&self, patience: Duration) -> Outcome {
        let outcome = match self.answers.recv_timeout(patience) {
            Ok(json) => read(&json),
            Err(RecvTimeoutError::Timeout) => {
                return Err(Failure::new(FailureCode::Timeout, format!("no answer within {patience:?}")));
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Failure::new(FailureCode::Crashed, "the call was never answered"))
            }
        };
        assert!(self.answers.try_recv().is_err(), "the call was answered twice");
        outcome
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Running({})", self.handle)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", crate = "serde")]
enum Answer {
    Ok(Value),
    Error(Failure),
}

fn read(json: &str) -> Outcome {
    match serde_json::from_str(json) {
        Ok(Answer::Ok(value)) => Ok(ToolOutput::new(value)),
        Ok(Answer::Error(failure)) => Err(failure),
        Err(error) => Err(Failure::new(FailureCode::Incompatible, format!("the answer is no envelope: {error}"))),
    }
}
