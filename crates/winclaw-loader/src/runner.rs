use serde_json::Value;
use winclaw_tool::{Outcome, ToolId};
use winclaw_toolbox::{BoxFuture, CallContext};

/// A way to run the tools of one plugin. What holds for one runner holds for the other, except where it is said.
pub(crate) trait Runner: Send + Sync {
    /// Runs one call to its outcome: within `cx.timeout` plus 500 ms, or 500 ms after `cx.cancel`.
    ///
    /// The first call verifies and loads the plugin. Dropping the future tells the plugin to stop.
    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome>;
}
