//! A folder of plugin packages becomes a backend plus a list of problems.
//!
//! [`load_folder`] reads manifests and looks at library headers; it runs nothing. The first call of a tool verifies its
//! package and loads it: in a child process of the host ([`tool_host_main`]), or, for plugins the person named as
//! trusted, in this process.
//!
//! Invariants:
//! - No plugin code runs and nothing is mapped before the first call of one of its tools, and never before the bytes
//!   that are loaded were compared with the manifest's SHA-256.
//! - Libraries are loaded only from the private content-addressed cache, never from the folder a person can write to.
//! - One bad package costs itself: it becomes one [`winclaw_tool::Problem`], and the rest loads.
//! - In a child, whatever a plugin does (panic, abort, segfault, `exit`, endless loop, noise on stdout) costs the calls in
//!   flight at most, each with a typed failure in words; the next call finds a fresh child.
//! - A child never outlives its host, and holds no environment variable outside a short list.
//! - Both runners offer a plugin the same services with the same permissions.
#![allow(unsafe_code)] // Loading a library, and preparing the child process around it, cannot be said in safe Rust.
#![allow(clippy::result_large_err)] // A problem is made once for a bad package, never on the path of a call.

mod backend;
mod bounds;
mod child;
mod describe;
mod folder;
mod frame;
mod in_process;
mod kv;
mod manifest;
mod options;
mod outcome;
mod problems;
mod runner;
mod services;
mod signals;
mod tool_host;
mod verify;

pub use backend::{InstalledPlugin, PluginBackend, RunnerKind, load_folder};
pub use describe::{DescribeError, describe};
pub use options::{LoadOptions, RestartPolicy, Secrets};
pub use signals::{ignore_file_size_signal, ignores_hangup};
pub use tool_host::tool_host_main;

/// The target triple this host was built for; packages carry one library for each triple they support.
pub const TARGET: &str = env!("WINCLAW_TARGET");

/// The program that runs now, to be started again as a child.
///
/// On Linux a program whose file was replaced or removed since it started is still found. Fails only where the system
/// does not say which program this is.
pub fn this_program() -> std::io::Result<std::path::PathBuf> {
    let program = std::env::current_exe()?;
    let link = std::path::Path::new("/proc/self/exe");
    Ok(if !program.exists() && link.exists() { link.to_owned() } else { program })
}
