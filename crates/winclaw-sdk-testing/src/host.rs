use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use winclaw_sdk::{HttpBody, HttpRequest, HttpResponse, Lang, LogLevel, Outcome, Plugin};

use crate::replies::UrlMatch;
use crate::run::Running;
use crate::services::{Given, Seen, locked};

/// A host for tests: it answers from what the test gives, and records what the plugin does.
///
/// Give first, then call: the builder methods consume the host, the others borrow it.
#[derive(Debug, Default)]
pub struct TestHost {
    given: Arc<Given>,
    seen: Arc<Seen>,
}

/// Giving.
impl TestHost {
    /// A host without network replies, secrets and file roots, in English, with the system's clock.
    pub fn new() -> Self {
        TestHost::default()
    }

    fn give(mut self, give: impl FnOnce(&mut Given)) -> Self {
        let given = Arc::get_mut(&mut self.given).expect("give a TestHost everything before the first call");
        give(given);
        self
    }

    /// Answers requests whose URL starts with `matcher` (or for which the function `matcher` is true).
    ///
    /// Of several replies for one request, the first not yet used is taken; the last one repeats.
    pub fn http_reply(self, matcher: impl Into<UrlMatch>, status: u16, body: impl AsRef<[u8]>) -> Self {
        let body = HttpBody(body.as_ref().to_vec());
        self.http_response(matcher, HttpResponse { status, headers: Vec::new(), body })
    }

    /// As [`TestHost::http_reply`], with headers.
    pub fn http_response(self, matcher: impl Into<UrlMatch>, response: HttpResponse) -> Self {
        let matcher = matcher.into();
        self.give(|given| given.replies.list.push((matcher, response)))
    }

    /// Lets every request fail as if there were no network.
    pub fn http_down(self) -> Self {
        self.give(|given| given.network_down = true)
    }

    /// Leaves every request without an answer, for tests of cancelling.
    pub fn http_silent(self) -> Self {
        self.give(|given| given.network_silent = true)
    }

    /// Sets a secret. The plugin sees it only if its manifest declares it.
    pub fn secret(self, name: &str, value: &str) -> Self {
        self.give(|given| _ = given.secrets.insert(name.to_owned(), value.to_owned()))
    }

    /// Allows a folder.
    pub fn file_root(self, path: impl AsRef<Path>, write: bool) -> Self {
        let path = path.as_ref().to_string_lossy().into_owned();
        self.give(|given| given.roots.push((path, write)))
    }

    /// Fixes the clock at an RFC 3339 moment, such as `2026-03-01T08:00:00Z`.
    ///
    /// # Panics
    ///
    /// When `moment` is none.
    #[track_caller]
    pub fn now(self, moment: &str) -> Self {
        let parsed: Result<jiff::Timestamp, _> = moment.parse();
        let millis = parsed.map(|timestamp| timestamp.as_millisecond());
        let millis = millis.unwrap_or_else(|error| panic!("`{moment}` is no RFC 3339 moment: {error}"));
        self.give(|given| given.now_ms = Some(millis))
    }

    /// Sets the language the host speaks with the person.
    pub fn lang(self, lang: Lang) -> Self {
        let lang = if lang == Lang::Zh { "zh" } else { "en" };
        self.give(|given| given.lang = Some(lang.to_owned()))
    }

    /// Answers the host question `name`.
    pub fn answer(self, name: &str, answer: &str) -> Self {
        self.give(|given| _ = given.answers.insert(name.to_owned(), answer.to_owned()))
    }

    /// Stores a value for the plugin.
    pub fn kv(self, key: &str, value: &str) -> Self {
        locked(&self.seen.stored).insert(key.to_owned(), value.to_owned());
        self
    }
}

/// Calling.
impl TestHost {
    /// Calls a tool by its own name and waits for the outcome; `timeout` after a minute.
    pub fn call(&self, plugin: &Plugin, tool: &str, args: Value) -> Outcome {
        self.call_raw(plugin, tool, args.to_string().as_bytes())
    }

    /// As [`TestHost::call`], with any bytes as arguments.
    pub fn call_raw(&self, plugin: &Plugin, tool: &str, args: &[u8]) -> Outcome {
        self.start_raw(plugin, tool, args).wait()
    }

    /// Starts a call without waiting.
    pub fn start(&self, plugin: &Plugin, tool: &str, args: Value) -> Running {
        self.start_raw(plugin, tool, args.to_string().as_bytes())
    }

    /// As [`TestHost::start`], with any bytes as arguments.
    pub fn start_raw(&self, plugin: &Plugin, tool: &str, args: &[u8]) -> Running {
        Running::start(plugin, tool, args, Arc::clone(&self.given), Arc::clone(&self.seen))
    }
}

/// Interfering while a call runs.
impl TestHost {
    /// Drops the requests that [`TestHost::http_silent`] left unanswered, as a host that ends does.
    pub fn drop_silenced(&self) {
        let silenced = std::mem::take(&mut *locked(&self.seen.silenced));
        drop(silenced);
    }
}

/// Looking at what the plugin did, in order.
impl TestHost {
    /// The requests it made, including refused ones.
    pub fn requests(&self) -> Vec<HttpRequest> {
        locked(&self.seen.requests).clone()
    }

    /// The progress it reported.
    pub fn progress(&self) -> Vec<(Option<f64>, String)> {
        locked(&self.seen.progress).clone()
    }

    /// The lines it logged.
    pub fn logs(&self) -> Vec<(LogLevel, String)> {
        locked(&self.seen.logs).clone()
    }

    /// The partial results it gave.
    pub fn partials(&self) -> Vec<String> {
        locked(&self.seen.partials).clone()
    }

    /// What it stored under `key`.
    pub fn stored(&self, key: &str) -> Option<String> {
        locked(&self.seen.stored).get(key).cloned()
    }
}
