//! A room for one test: a plugins folder, a cache, a data folder, and the misbehaving plugin to put into it.
#![allow(dead_code, unreachable_pub)] // Each test binary uses its own part.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use winclaw_loader::{LoadOptions, PluginBackend, TARGET, describe, load_folder};
use winclaw_tool::{Outcome, PluginId, ToolId};
use winclaw_toolbox::{Backend, CallContext, LogLevel, Observer, Silent};

/// The library's path inside a package.
pub const LIBRARY: &str = "lib/plugin.so";

pub struct Room {
    dir: TempDir,
    manifest: OnceLock<Value>,
}

impl Room {
    pub fn empty() -> Room {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("plugins")).expect("a folder");
        Room { dir, manifest: OnceLock::new() }
    }

    /// With the misbehaving plugin in the folder `misbehave`.
    pub fn new() -> Room {
        let room = Room::empty();
        room.install("misbehave", "misbehave", |bytes| bytes);
        room
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn package(&self, folder: &str) -> PathBuf {
        self.path().join("plugins").join(folder)
    }

    /// Puts the misbehaving plugin into `folder` under `id`, with what `change` makes of its library.
    pub fn install(&self, folder: &str, id: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
        let bytes = change(fs::read(library()).expect("the misbehaving library"));
        let mut manifest = self.manifest();
        manifest["id"] = json!(id);
        manifest["targets"] = json!({TARGET: {"file": LIBRARY, "sha256": sha256(&bytes)}});
        self.write(folder, &manifest, &bytes);
    }

    pub fn write(&self, folder: &str, manifest: &Value, library: &[u8]) {
        let package = self.package(folder);
        fs::create_dir_all(package.join("lib")).expect("a folder");
        fs::write(package.join(LIBRARY), library).expect("written");
        fs::write(package.join("plugin.json"), manifest.to_string()).expect("written");
    }

    /// What the library says of itself, asked of a copy, since being asked leaves a trace beside it.
    pub fn manifest(&self) -> Value {
        self.manifest.get_or_init(|| self.described()).clone()
    }

    fn described(&self) -> Value {
        let copy = self.path().join("described.so");
        fs::copy(library(), &copy).expect("a copy");
        let json = describe(&host_program(), &copy).expect("a manifest");
        serde_json::from_str(&json).expect("json")
    }

    pub fn options(&self) -> LoadOptions {
        let at = |name: &str| self.path().join(name);
        LoadOptions::new(at("plugins"), at("cache"), at("data"), host_program())
    }

    pub fn load(&self) -> Arc<PluginBackend> {
        loaded(self.options())
    }

    /// One line for each process that mapped a library from the cache.
    pub fn mapped(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path().join("cache")) else { return Vec::new() };
        let traces = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.to_string_lossy().ends_with(".loaded"));
        traces
            .flat_map(|path| fs::read_to_string(path).expect("text").lines().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }
}

/// The backend of a folder without problems.
pub fn loaded(options: LoadOptions) -> Arc<PluginBackend> {
    let (backend, problems) = load_folder(options);
    assert_eq!(problems, []);
    Arc::new(backend)
}

pub fn in_process(mut options: LoadOptions) -> LoadOptions {
    options.in_process = vec![PluginId::new("misbehave").expect("an id")];
    options
}

pub fn host_program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_winclaw-loader-test-host"))
}

/// Cargo puts the library of a dev-dependency beside the tests that depend on it.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let name = format!("{}winclaw_tests_misbehave{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    test.with_file_name(name)
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn tool(name: &str) -> ToolId {
    ToolId::parse(&format!("misbehave.{name}")).expect("an id")
}

pub fn context(timeout: Duration) -> CallContext {
    CallContext { cancel: CancellationToken::new(), observer: Arc::new(Silent), timeout }
}

/// A call with plenty of time.
pub async fn call(backend: &PluginBackend, name: &str, arguments: Value) -> Outcome {
    backend.call(&tool(name), arguments, context(Duration::from_secs(60))).await
}

/// As [`call`], for what must succeed.
pub async fn value(backend: &PluginBackend, name: &str, arguments: Value) -> Value {
    call(backend, name, arguments).await.expect("an output").value
}

/// Writes down what it sees.
#[derive(Default)]
pub struct Recorder(pub Mutex<Vec<String>>);

impl Recorder {
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().expect("the lock").clone()
    }

    /// Waits until it has seen so many lines.
    pub async fn lines_seen(&self, count: usize) {
        while self.lines().len() < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn add(&self, line: String) {
        self.0.lock().expect("the lock").push(line);
    }
}

impl Observer for Recorder {
    fn progress(&self, fraction: Option<f64>, message: &str) {
        self.add(format!("progress {fraction:?} {message}"));
    }

    fn partial(&self, text: &str) {
        self.add(format!("partial {text}"));
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.add(format!("{} {message}", level.as_str()));
    }
}
