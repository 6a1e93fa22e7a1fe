//! What a tool is: ids, manifest, call, outcome and failure, as plain data.
//!
//! Every other crate of the host speaks in these types, and the JSON a plugin package carries (`plugin.json`) is
//! [`PluginManifest`] as serde writes it.
//!
//! Invariants:
//! - Pure data: no I/O, clock, randomness, threads or async.
//! - Reading is lenient (unknown fields are ignored, absent optional fields take the documented default); writing is
//!   deterministic (field order of the struct, maps in the order they were given).
//! - No type here names a concrete tool.

#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]

mod detail;
mod failure;
mod http;
mod id;
mod manifest;
mod outcome;
mod problem;
mod spec;
mod text;

pub use detail::{DetailKey, detail_line, details, lookup};
pub use failure::{Failure, FailureCode};
pub use http::{HttpBody, HttpRequest, HttpResponse};
pub use id::{IdError, PluginId, ToolId};
pub use manifest::{
    Dependency, DependencyKind, DetailFault, FileAccess, ManifestError, Permissions, PluginManifest, SideEffect,
    TargetFile, ToolManifest, Words,
};
pub use outcome::{Outcome, ToolOutput};
pub use problem::{Problem, ProblemKind};
pub use spec::ToolSpec;
pub use text::{Lang, Text};
