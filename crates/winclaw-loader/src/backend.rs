use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use winclaw_catalog::{State, ToolEntry};
use winclaw_tool::{Failure, Outcome, PluginId, PluginManifest, Problem, ToolId};
use winclaw_toolbox::{Backend, BoxFuture, CallContext};

use crate::child::ChildRunner;
use crate::folder::{Package, scan};
use crate::in_process::InProcess;
use crate::runner::Runner;
use crate::services::Services;
use crate::{LoadOptions, problems};

/// Where the tools of a plugin run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerKind {
    /// In a process of the plugin's own, the default.
    Child,
    /// Inside the host, because the person named the plugin as trusted.
    InProcess,
}

impl RunnerKind {
    /// `child` or `in-process`.
    pub fn as_str(self) -> &'static str {
        match self {
            RunnerKind::Child => "child",
            RunnerKind::InProcess => "in-process",
        }
    }
}

/// A package that was read and passed the checks of start-up.
#[derive(Debug, Clone)]
pub struct InstalledPlugin {
    /// Its manifest, as read from `plugin.json`.
    pub manifest: PluginManifest,
    /// Its folder, canonical.
    pub folder: PathBuf,
    /// Its library for this machine, canonical and inside the folder. What is loaded is a verified copy.
    pub library: PathBuf,
    /// Where its tools will run.
    pub runner: RunnerKind,
}

/// The tools of all plugins of one folder.
///
/// Calls must be awaited inside a Tokio runtime with time and I/O enabled. A child belongs to the runtime of the call
/// that started it; when that runtime ends or the backend is dropped, the child is killed.
pub struct PluginBackend {
    plugins: Vec<InstalledPlugin>,
    runners: BTreeMap<PluginId, Box<dyn Runner>>,
}

/// Reads every package below `options.plugins_dir`.
///
/// Never fails: what is wrong becomes a problem, in the order of the folders' names, and the rest is offered. Reads
/// manifests and library headers only; runs nothing, maps nothing, writes nothing.
///
/// Of two packages with the same id the one whose folder sorts first is kept.
pub fn load_folder(options: LoadOptions) -> (PluginBackend, Vec<Problem>) {
    let (packages, mut problems) = scan(&options.plugins_dir);
    let known = |id: &&PluginId| packages.iter().any(|package| package.manifest.id == **id);
    problems.extend(options.in_process.iter().filter(|id| !known(id)).map(problems::unknown_in_process));
    let mut backend = PluginBackend { plugins: Vec::new(), runners: BTreeMap::new() };
    for package in packages {
        backend.install(package, &options);
    }
    (backend, problems)
}

impl PluginBackend {
    /// The plugins that can be used, in the order of their folders' names.
    pub fn plugins(&self) -> &[InstalledPlugin] {
        &self.plugins
    }

    fn install(&mut self, package: Package, options: &LoadOptions) {
        let services = Arc::new(Services::new(options, &package.manifest));
        let trusted = options.in_process.contains(&package.manifest.id);
        let kind = if trusted { RunnerKind::InProcess } else { RunnerKind::Child };
        self.plugins.push(InstalledPlugin {
            manifest: package.manifest.clone(),
            folder: package.folder.clone(),
            library: package.library.clone(),
            runner: kind,
        });
        let id = package.manifest.id.clone();
        let runner: Box<dyn Runner> = match kind {
            RunnerKind::InProcess => Box::new(InProcess::new(package, options.cache_dir.clone(), services)),
            RunnerKind::Child => Box::new(ChildRunner::new(package, options, services)),
        };
        self.runners.insert(id, runner);
    }

    fn runner(&self, tool: &ToolId) -> Option<&dyn Runner> {
        let id = PluginId::new(tool.source()).ok()?;
        self.runners.get(&id).map(Box::as_ref)
    }
}

impl Backend for PluginBackend {
    fn entries(&self) -> Vec<ToolEntry> {
        self.plugins.iter().flat_map(|plugin| entries(&plugin.manifest)).collect()
    }

    fn call<'a>(&'a self, tool: &'a ToolId, arguments: Value, cx: CallContext) -> BoxFuture<'a, Outcome> {
        match self.runner(tool) {
            Some(runner) => runner.call(tool, arguments, cx),
            None => Box::pin(async move { Err(Failure::unavailable(format!("no plugin offers `{tool}`"))) }),
        }
    }
}

fn entries(manifest: &PluginManifest) -> impl Iterator<Item = ToolEntry> {
    let entry = |tool: winclaw_tool::ToolManifest| {
        let id = ToolId::new(&manifest.id, &tool.name).ok()?;
        Some(ToolEntry { id, manifest: tool, state: State::Ready })
    };
    // A checked manifest has legal tool names only, so none is left out here.
    manifest.offered().filter_map(entry)
}
