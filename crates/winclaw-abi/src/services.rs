/// How important a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LogLevel {
    /// Something failed.
    Error = 1,
    /// Something is odd, and the work goes on.
    Warn = 2,
    /// Worth knowing.
    Info = 3,
    /// For whoever looks for a fault.
    Debug = 4,
    /// Everything.
    Trace = 5,
}

impl LogLevel {
    /// The level of the number that crosses the boundary; unknown numbers are [`LogLevel::Info`].
    pub fn from_u8(level: u8) -> Self {
        match level {
            1 => LogLevel::Error,
            2 => LogLevel::Warn,
            4 => LogLevel::Debug,
            5 => LogLevel::Trace,
            _ => LogLevel::Info,
        }
    }

    /// Lower-case English word, such as `warn`.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
            LogLevel::Trace => "trace",
        }
    }
}

/// What a host does for a plugin during one call, in plain Rust types; [`crate::HostV1::new`] puts it across the boundary.
///
/// Every method has a default that grants nothing. Methods are called from any thread, several at once, and also after
/// the call is done. They must not block: a plugin may run all its calls on one thread. A panic in one of them is caught
/// and counts as the default.
pub trait HostServices: Send + Sync {
    /// One line for the log.
    fn log(&self, level: LogLevel, text: &str) {
        let _ = (level, text);
    }

    /// How far the call is: `0.0..=1.0`, or `None` when that is not known, with a few words.
    fn progress(&self, fraction: Option<f64>, text: &str) {
        let _ = (fraction, text);
    }

    /// A piece of the result that can be shown before the call is done.
    fn partial(&self, text: &str) {
        let _ = text;
    }

    /// Whether the host no longer wants the result.
    fn cancelled(&self) -> bool {
        false
    }

    /// Makes an HTTP request. `request` is a winclaw-tool `HttpRequest` as JSON; `done` is given `{"ok": HttpResponse}`
    /// or `{"error": Failure}`. Must return at once and answer later, from any thread.
    fn http(&self, request: String, done: Box<dyn FnOnce(String) + Send>) {
        let _ = request;
        done(
            r#"{"error":{"code":"unavailable","message":"this host offers no network","retryable":false}}"#.to_owned(),
        );
    }

    /// A secret that the plugin's manifest declares.
    fn secret(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Absolute path of a folder that is the plugin's own, and exists.
    fn scratch(&self) -> Option<String> {
        None
    }

    /// A value from the plugin's own key-value store.
    fn kv_get(&self, key: &str) -> Option<String> {
        let _ = key;
        None
    }

    /// Stores `value` under `key`, or removes the key when there is none. The error is a `Failure` as JSON.
    fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        let _ = (key, value);
        Err(r#"{"code":"unavailable","message":"this host keeps no values for plugins","retryable":false}"#.to_owned())
    }

    /// Answers a question by name, with an input whose form the name defines; `None` when the name is not known.
    ///
    /// Names so far: `file_roots` (input empty; a JSON array of `{"path": "…", "write": bool}`), `lang` (`en` or `zh`),
    /// `now` (milliseconds since 1970-01-01 UTC, in decimal digits).
    fn query(&self, name: &str, input: &str) -> Option<String> {
        let _ = (name, input);
        None
    }
}

/// A host that grants nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoServices;

impl HostServices for NoServices {}
