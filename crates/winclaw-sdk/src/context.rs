use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use winclaw_abi::{HostV1, LogLevel};
use winclaw_tool::{Failure, FailureCode, Lang};

use crate::call::Call;

/// What a tool may ask of its host during one call. Cheap to clone; it may outlive the call.
#[derive(Clone)]
pub struct Context {
    pub(crate) host: HostV1,
    pub(crate) call: Arc<Call>,
}

/// A folder the tool may use, as the person allowed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FileRoot {
    /// Absolute path of the folder.
    pub path: PathBuf,
    /// Whether it may be written to.
    pub write: bool,
}

/// What the person and the log see.
impl Context {
    /// One line for the log.
    pub fn log(&self, level: LogLevel, text: &str) {
        self.host.log(level, text);
    }

    /// One line for the log that is worth knowing.
    pub fn info(&self, text: &str) {
        self.log(LogLevel::Info, text);
    }

    /// One line for the log about something odd.
    pub fn warn(&self, text: &str) {
        self.log(LogLevel::Warn, text);
    }

    /// How far the call is, `0.0..=1.0` or `None` when that is not known, with a few words for the person.
    pub fn progress(&self, fraction: Option<f64>, text: &str) {
        self.host.progress(fraction, text);
    }

    /// A piece of the result that the person may see before the call is done.
    pub fn partial(&self, text: &str) {
        self.host.partial(text);
    }
}

/// Ending early.
impl Context {
    /// Whether the call was cancelled. A tool that computes for long asks now and then, and returns.
    pub fn cancelled(&self) -> bool {
        self.call.is_cancelled() || self.host.cancelled()
    }

    /// Fails with `cancelled` when the call was cancelled: `cx.check_cancelled()?;`.
    pub fn check_cancelled(&self) -> Result<(), Failure> {
        if self.cancelled() { Err(crate::call::cancelled()) } else { Ok(()) }
    }

    /// Returns when the call is cancelled. The future of an `async` tool is dropped then anyway; this is for tasks and
    /// threads that the tool started itself.
    pub async fn until_cancelled(&self) {
        self.call.until_cancelled().await;
    }
}

/// What the plugin's manifest asked for.
impl Context {
    /// The secret `name`, which the manifest must declare under `permissions.secrets`.
    ///
    /// Fails with `needs_config` when the person has not set it.
    pub fn secret(&self, name: &str) -> Result<String, Failure> {
        self.host.secret(name).ok_or_else(|| {
            Failure::needs_config(format!("the secret `{name}` is not set"))
                .with_hint(format!("Set the secret {name} for this plugin."), format!("请为此插件设置密钥 {name}。"))
        })
    }

    /// Absolute path of a folder of the plugin's own, which exists.
    pub fn scratch(&self) -> Result<PathBuf, Failure> {
        let path = self.host.scratch().map(PathBuf::from);
        path.ok_or_else(|| Failure::unavailable("the host gives this plugin no folder of its own"))
    }

    /// The folders the person allowed, in their order; empty when there is none.
    ///
    /// The manifest must ask for them with `permissions.files`.
    pub fn file_roots(&self) -> Vec<FileRoot> {
        let json = self.host.query("file_roots", "");
        json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
    }

    /// What the plugin stored under `key`.
    pub fn kv_get(&self, key: &str) -> Option<String> {
        self.host.kv_get(key)
    }

    /// Stores `value` under `key`, for this and later calls of this plugin.
    pub fn kv_set(&self, key: &str, value: &str) -> Result<(), Failure> {
        self.host.kv_set(key, Some(value)).map_err(|json| failure(&json))
    }

    /// Removes what is stored under `key`.
    pub fn kv_remove(&self, key: &str) -> Result<(), Failure> {
        self.host.kv_set(key, None).map_err(|json| failure(&json))
    }
}

/// Circumstances.
impl Context {
    /// The language the host speaks with the person.
    pub fn locale(&self) -> Lang {
        Lang::from_locale(&self.host.query("lang", "").unwrap_or_default())
    }

    /// The present moment: the host's, so that tests can fix it, else the system's.
    pub fn now(&self) -> SystemTime {
        let millis = self.host.query("now", "").and_then(|text| text.trim().parse::<i64>().ok());
        millis.and_then(moment).unwrap_or_else(SystemTime::now)
    }

    /// [`Context::now`] in milliseconds since 1970-01-01 UTC.
    pub fn now_ms(&self) -> i64 {
        let signed = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        match self.now().duration_since(UNIX_EPOCH) {
            Ok(after) => signed(after),
            Err(before) => -signed(before.duration()),
        }
    }

    /// Asks the host a question by name, for abilities newer than this crate; `None` when it does not know the name.
    pub fn query(&self, name: &str, input: &str) -> Option<String> {
        self.host.query(name, input)
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("call", &self.call.handle()).finish_non_exhaustive()
    }
}

fn moment(millis: i64) -> Option<SystemTime> {
    let distance = Duration::from_millis(millis.unsigned_abs());
    if millis >= 0 { UNIX_EPOCH.checked_add(distance) } else { UNIX_EPOCH.checked_sub(distance) }
}

/// Reads a failure from the host; text that is none is kept as the message.
pub(crate) fn failure(json: &str) -> Failure {
    serde_json::from_str(json).unwrap_or_else(|_| Failure::new(FailureCode::Unavailable, json))
}
