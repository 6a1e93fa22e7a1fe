use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use winclaw_sdk::__private::abi::HostServices;
use winclaw_sdk::{Failure, FailureCode, HttpRequest, HttpResponse, LogLevel, PluginManifest};

use crate::replies::{Replies, host_of};

/// What a test gives its plugin, fixed before the first call.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) replies: Replies,
    pub(crate) network_down: bool,
    pub(crate) network_silent: bool,
    pub(crate) secrets: BTreeMap<String, String>,
    pub(crate) roots: Vec<(String, bool)>,
    pub(crate) now_ms: Option<i64>,
    pub(crate) lang: Option<String>,
    pub(crate) answers: BTreeMap<String, String>,
}

/// What the plugin did.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) requests: Mutex<Vec<HttpRequest>>,
    pub(crate) progress: Mutex<Vec<(Option<f64>, String)>>,
    pub(crate) logs: Mutex<Vec<(LogLevel, String)>>,
    pub(crate) partials: Mutex<Vec<String>>,
    pub(crate) stored: Mutex<BTreeMap<String, String>>,
    pub(crate) scratch: Mutex<Option<tempfile::TempDir>>,
    pub(crate) silenced: Mutex<Vec<Done>>,
}

/// Where the answer to a request goes; kept while the network is silent.
pub(crate) struct Done(#[expect(dead_code, reason = "held, not called")] pub(crate) Box<dyn FnOnce(String) + Send>);

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Done")
    }
}

/// The host's side of the calls of one plugin.
pub(crate) struct Services {
    pub(crate) given: Arc<Given>,
    pub(crate) seen: Arc<Seen>,
    pub(crate) manifest: PluginManifest,
}

impl Services {
    fn reply(&self, request: &HttpRequest) -> Result<HttpResponse, Failure> {
        let host = host_of(&request.url);
        if !self.manifest.permissions.http.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)) {
            let message = format!("{}: the host `{host}` is not in permissions.http of plugin.toml", request.url);
            return Err(Failure::new(FailureCode::Denied, message));
        }
        if self.given.network_down {
            return Err(Failure::unavailable(format!("{}: the network is down in this test", request.url)));
        }
        self.given.replies.find(request)
    }
}

impl HostServices for Services {
    fn log(&self, level: LogLevel, text: &str) {
        locked(&self.seen.logs).push((level, text.to_owned()));
    }

    fn progress(&self, fraction: Option<f64>, text: &str) {
        locked(&self.seen.progress).push((fraction, text.to_owned()));
    }

    fn partial(&self, text: &str) {
        locked(&self.seen.partials).push(text.to_owned());
    }

    fn http(&self, request: String, done: Box<dyn FnOnce(String) + Send>) {
        let request = match serde_json::from_str::<HttpRequest>(&request) {
            Ok(request) => request,
            Err(error) => {
                let failure = Failure::invalid_args(format!("the request is not an HttpRequest: {error}"));
                return done(json!({ "error": failure }).to_string());
            }
        };
        locked(&self.seen.requests).push(request.clone());
        if self.given.network_silent {
            return locked(&self.seen.silenced).push(Done(done));
        }
        done(match self.reply(&request) {
            Ok(response) => json!({ "ok": response }).to_string(),
            Err(failure) => json!({ "error": failure }).to_string(),
        });
    }

    fn secret(&self, name: &str) -> Option<String> {
        let declared = self.manifest.permissions.secrets.iter().any(|secret| secret == name);
        self.given.secrets.get(name).filter(|_| declared).cloned()
    }

    fn scratch(&self) -> Option<String> {
        let mut scratch = locked(&self.seen.scratch);
        if scratch.is_none() {
            *scratch = tempfile::tempdir().ok();
        }
        scratch.as_ref().map(|folder| folder.path().to_string_lossy().into_owned())
    }

    fn kv_get(&self, key: &str) -> Option<String> {
        locked(&self.seen.stored).get(key).cloned()
    }

    fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        let mut stored = locked(&self.seen.stored);
        match value {
            Some(value) => stored.insert(key.to_owned(), value.to_owned()),
            None => stored.remove(key),
        };
        Ok(())
    }

    fn query(&self, name: &str, input: &str) -> Option<String> {
        let _ = input;
        match name {
            "file_roots" => {
                let roots = self.given.roots.iter().map(|(path, write)| json!({"path": path, "write": write}));
                Some(serde_json::Value::Array(roots.collect()).to_string())
            }
            "lang" => self.given.lang.clone(),
            "now" => self.given.now_ms.map(|millis| millis.to_string()),
            _ => self.given.answers.get(name).cloned(),
        }
    }
}

/// A lock that a panicking test does not take away.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
