//! What a plugin author writes against: [`tool`](macro@tool), [`args`](macro@args), [`result`](macro@result),
//! [`Context`], [`Failure`] and [`export!`].
//!
//! ```
//! use winclaw_sdk::prelude::*;
//!
//! #[args]
//! struct Greeting {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! /// Greets a person by name.
//! #[tool(side_effect = "read")]
//! async fn greet(args: Greeting, cx: &Context) -> Result<String, Failure> {
//!     cx.info("greeting someone");
//!     Ok(format!("Hello, {}!", args.name))
//! }
//!
//! // In a crate with a plugin.toml beside its Cargo.toml:
//! // export!(plugin = "plugin.toml", tools = [greet]);
//! ```
//!
//! The argument struct is the tool: its doc comments and types make the schema that the model reads. An `async` tool
//! shares one thread with all others of its plugin, so it awaits and does not compute for long; a plain `fn` has a
//! thread for as long as it runs.
//!
//! With the cargo feature `files` there is also the module `files`: the person's files, read and written through
//! directory handles that do not lead out of the allowed folders.
//!
//! Invariants:
//! - Every call is answered exactly once: with a result, a failure, `panicked` or `cancelled`.
//! - Whatever bytes come as arguments, the answer is a result or a failure that says how to mend them.
//! - A panic in a tool costs that call. It reaches neither the host nor other calls.
//! - An author needs this crate alone and writes no `unsafe`.

mod args;
mod call;
mod caught;
mod context;
mod explain;
mod export;
#[cfg(feature = "files")]
pub mod files;
mod http;
mod manifest;
mod plugin;
mod runtime;
mod schema;
mod tool;

pub use args::Args;
pub use context::{Context, FileRoot};
pub use http::ResponseExt;
pub use manifest::check_manifest;
pub use plugin::Plugin;
pub use schema::NoArgs;
pub use tool::{Tool, ToolDef, Work};
pub use winclaw_abi::LogLevel;
/// Makes a type the arguments of a tool.
///
/// It derives `Deserialize` and `JsonSchema` without further dependencies of the author's crate, and refuses unknown
/// fields. Use it on the struct and on every struct or enum inside it. Doc comments become the descriptions that the
/// model reads; `#[serde(…)]` and `#[schemars(…)]` attributes work as usual and stand below this one.
pub use winclaw_sdk_macros::args;
/// Makes a type readable from JSON of others, such as the answer of a service: derives `Deserialize`, and ignores
/// unknown fields.
pub use winclaw_sdk_macros::data;
/// Makes the crate a plugin: `export!(plugin = "plugin.toml", tools = [first, second]);`, once, at the crate root.
///
/// It reads `plugin.toml` (beside `Cargo.toml`) when the crate is compiled, checks it against the tools, exports the
/// entry symbol, and makes `pub fn plugin() -> winclaw_sdk::Plugin` for tests. The tools are paths to functions marked
/// `#[tool]`; each has a table `[tools.NAME]` in the file. The crate type is `["cdylib", "rlib"]`.
pub use winclaw_sdk_macros::export;
/// Makes a type the result of a tool: derives `Serialize`. It combines with [`macro@args`] and [`macro@data`].
pub use winclaw_sdk_macros::result;
/// Makes a function a tool: `#[tool(name = "forecast", side_effect = "read")]`.
///
/// `name` defaults to the function's name. `side_effect` is `read`, `write`, `destructive` or `external`. The function
/// is `async` or not, takes its arguments (a type marked [`macro@args`]) and `&Context`, may leave out either, and
/// returns `Result<T, E>` where `T` can be serialised and `E` becomes a [`Failure`]. Its doc comment is what the model
/// reads, unless `plugin.toml` gives a `description`. The function's name is taken as the name of a type too, which is
/// the [`Tool`]; no module or type beside it may have that name.
pub use winclaw_sdk_macros::tool;
pub use winclaw_tool::{
    Failure, FailureCode, HttpBody, HttpRequest, HttpResponse, Lang, Outcome, PluginManifest, SideEffect, Text,
    ToolOutput,
};
pub use {schemars, serde, serde_json};

/// Everything a tool usually needs: `use winclaw_sdk::prelude::*;`.
pub mod prelude {
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};
    pub use serde_json::{Value, json};

    pub use crate::{
        Context, Failure, FailureCode, FileRoot, HttpBody, HttpRequest, HttpResponse, Lang, ResponseExt, args, data,
        export, result, tool,
    };
}

/// What the macros expand to; not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use winclaw_abi as abi;
    pub use {schemars, serde, serde_json};

    pub use crate::export::{Core, Export, distinct, has, module};
    pub use crate::schema::parameters;
    pub use crate::tool::finish;
}
