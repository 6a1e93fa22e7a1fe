//! Builds, checks and lays out plugin packages: what `cargo xtask` calls here and in a third party's own repository.
//!
//! A package is a folder `<id>/` with `plugin.json`, `lib/<target-triple>/<library>`, and whatever of `README.md`,
//! `LICENSE*` and `demos/` the plugin's crate has.
//!
//! Invariants:
//! - The manifest is never written twice: what stands in `plugin.json` is what the built library itself reports, plus
//!   the hash of its bytes.
//! - A library is only ever loaded in a child process, never in the process that packages it.
//! - A package is complete or absent: it is laid out beside its place and moved there in one step.

mod build;
mod layout;
mod template;

use std::path::PathBuf;

pub use build::{BuildOptions, BuiltPlugin, PluginCrate, build_crates, build_plugins, plugin_crates};
pub use layout::{PackageReport, lay_out};
pub use template::new_plugin;

/// Why a package could not be made, in one sentence that says what to mend.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// Cargo could not describe the workspace.
    #[error("cannot read the workspace: {0}")]
    Workspace(#[from] cargo_metadata::Error),
    /// Cargo refused to build.
    #[error("`cargo build` failed for {0}; its messages stand above")]
    Build(String),
    /// No plugin of that name.
    #[error("there is no plugin `{name}`; the plugins are: {known}")]
    UnknownPlugin {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The crate did not produce a dynamic library.
    #[error("{0} builds no dynamic library; add crate-type = [\"cdylib\", \"rlib\"] under [lib] in its Cargo.toml")]
    NoLibrary(String),
    /// The built library does not describe itself properly.
    #[error("{library} does not describe itself: {why}")]
    Describe {
        /// The library.
        library: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// The manifest has faults.
    #[error("the manifest of {plugin} is not right:\n  {faults}")]
    Manifest {
        /// Which plugin.
        plugin: String,
        /// Its faults, one a line.
        faults: String,
    },
    /// The name of a new plugin cannot be used.
    #[error("{0}")]
    Name(String),
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The target triple this host loads plugins for; the key of `targets` in a manifest.
pub fn host_triple() -> &'static str {
    winclaw_loader::TARGET
}
