use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde_json::Value;
use winclaw_tool::{Failure, SideEffect};

use crate::{Args, Context};

/// A tool. Made by `#[tool]`; implement it by hand only when a tool is not a function.
pub trait Tool {
    /// What the tool is.
    const DEF: ToolDef;
}

/// What a tool is, as its code says it; `plugin.toml` says the rest.
#[derive(Debug, Clone, Copy)]
pub struct ToolDef {
    /// Its name, `a-z0-9_`.
    pub name: &'static str,
    /// What the model reads, unless `plugin.toml` gives a `description`.
    pub description: &'static str,
    /// What a call may do to the world.
    pub side_effect: SideEffect,
    /// Makes the JSON Schema of its arguments.
    pub parameters: fn() -> Value,
    /// Reads the arguments and makes the work of one call, without starting it.
    pub start: fn(Args<'_>, Context) -> Result<Work, Failure>,
}

/// The work of one call, not yet started. It gives the result as JSON text.
pub enum Work {
    /// Runs on the plugin's one executor thread, together with others.
    Async(Pin<Box<dyn Future<Output = Result<String, Failure>> + Send>>),
    /// Runs on a thread of a pool.
    Blocking(Box<dyn FnOnce() -> Result<String, Failure> + Send>),
}

impl Work {
    /// Work that awaits.
    pub fn future(future: impl Future<Output = Result<String, Failure>> + Send + 'static) -> Self {
        Work::Async(Box::pin(future))
    }

    /// Work that computes or blocks.
    pub fn blocking(body: impl FnOnce() -> Result<String, Failure> + Send + 'static) -> Self {
        Work::Blocking(Box::new(body))
    }
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Work::Async(_)) { "Work::Async" } else { "Work::Blocking" })
    }
}

/// Writes what a tool returned as JSON text.
pub fn finish<T: Serialize, E: Into<Failure>>(returned: Result<T, E>) -> Result<String, Failure> {
    let value = returned.map_err(Into::into)?;
    serde_json::to_string(&value)
        .map_err(|error| Failure::tool_failed(format!("the result cannot be written as JSON: {error}")))
}
