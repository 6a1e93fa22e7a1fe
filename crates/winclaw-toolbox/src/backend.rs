use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use winclaw_catalog::ToolEntry;
use winclaw_tool::{Outcome, ToolId};

pub use futures_util::future::BoxFuture;

/// How much a log line of a tool matters, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Something failed.
    Error,
    /// Something is odd but the call goes on.
    Warn,
    /// What a person may want to know.
    Info,
    /// What only the tool's author wants to know.
    Debug,
}

impl LogLevel {
    /// The level in lower case, `error` and so on.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
        }
    }
}

/// Who watches one call while it runs. Every method does nothing unless it is given.
///
/// Methods may be called from any thread and must return quickly: the call waits for them. After the outcome none is
/// called any more.
pub trait Observer: Send + Sync {
    /// How far the call is: `fraction` from 0 to 1, `None` if not known, and what it does now.
    fn progress(&self, fraction: Option<f64>, message: &str) {
        let _ = (fraction, message);
    }

    /// A piece of the result before the result is whole. Pieces come in order.
    fn partial(&self, text: &str) {
        let _ = text;
    }

    /// A line the tool logged, which may hold anything a plugin writes.
    fn log(&self, level: LogLevel, message: &str) {
        let _ = (level, message);
    }
}

/// An observer that looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// What surrounds one call.
#[derive(Clone)]
pub struct CallContext {
    /// Cancelled when the call shall end. The backend then has 500 ms to answer by itself.
    pub cancel: CancellationToken,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
    /// How long the call may take, from now. A backend that keeps to it can say better than the toolbox what ran late;
    /// the toolbox steps in 500 ms after it.
    pub timeout: Duration,
}

/// A source of tools: a folder of plugins, one MCP server, a set of functions in the host.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::FutureExt as _;
/// use serde_json::{Value, json};
/// use winclaw_catalog::{State, ToolEntry};
/// use winclaw_tool::{Outcome, ToolId, ToolOutput};
/// use winclaw_toolbox::{Backend, BoxFuture, CallContext, Silent, Toolbox};
///
/// struct Echo(ToolEntry);
///
/// impl Backend for Echo {
///     fn entries(&self) -> Vec<ToolEntry> {
///         vec![self.0.clone()]
///     }
///     fn call<'a>(&'a self, _: &'a ToolId, arguments: Value, _: CallContext) -> BoxFuture<'a, Outcome> {
///         async move { Ok(ToolOutput::new(arguments)) }.boxed()
///     }
/// }
///
/// let manifest = serde_json::from_value(json!({
///     "name": "add", "category": "notes", "summary": "Adds a note", "description": "Adds a note.",
///     "parameters": {"type": "object"}, "side_effect": "write"
/// })).expect("a manifest");
/// let id = ToolId::parse("notes.add").expect("an id");
/// let echo = Echo(ToolEntry { id: id.clone(), manifest, state: State::Ready });
/// let (toolbox, problems) = Toolbox::new(vec![Arc::new(echo)], &[]);
/// assert!(problems.is_empty());
///
/// let tool = toolbox.catalog().ix(&id).expect("it is there");
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
/// let outcome = runtime.block_on(toolbox.run(tool, json!({"text": "hi"}), Default::default(), Arc::new(Silent)));
/// assert_eq!(outcome.expect("an output").value, json!({"text": "hi"}));
/// ```
pub trait Backend: Send + Sync {
    /// The tools it offers, in any order. Asked when the toolbox is made, and again after each change of
    /// [`revision`](Backend::revision). Must not run code of a tool.
    fn entries(&self) -> Vec<ToolEntry>;

    /// A number that changes whenever [`entries`](Backend::entries) would give something else: a server that came, went
    /// or listed its tools anew. Asked often, so it must be cheap. Default: always 0, for what never changes.
    fn revision(&self) -> u64 {
        0
    }

    /// Runs `tool`, which is one of [`entries`](Backend::entries) with state `Ready`, with checked `arguments`.
    ///
    /// The future is polled on its own task and dropped when the deadline or the grace after a cancellation is over, so
    /// dropping it must release what the call holds. A panic costs this call only.
    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome>;
}
