use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use winclaw_model::Script;

use crate::{Run, dist, packages};

/// A place of its own for one test: a data folder, a home, a working folder and plugins. Gone with the test.
#[derive(Debug)]
pub struct Room {
    dir: TempDir,
    plugins: PathBuf,
    runs: AtomicU32,
}

impl Room {
    /// With every shipped plugin.
    ///
    /// # Panics
    /// As every function here: when the machine refuses a folder or a file.
    pub fn new() -> Room {
        Room::over(dist().join("plugins"))
    }

    /// With a plugins folder of its own that holds the shipped packages `ids` and may be changed.
    pub fn with(ids: &[&str]) -> Room {
        let mut room = Room::over(PathBuf::new());
        room.plugins = room.path().join("plugins");
        fs::create_dir(&room.plugins).expect("a folder");
        ids.iter().for_each(|id| packages::install(id, &room.plugins));
        room
    }

    /// As [`Room::with`], and with the plugin that does everything a plugin must not.
    pub fn with_misbehave(ids: &[&str]) -> Room {
        let room = Room::with(ids);
        packages::lay_out_misbehave(&room.plugins);
        room
    }

    fn over(plugins: PathBuf) -> Room {
        let dir = tempfile::Builder::new().prefix("winclaw-test-").tempdir().expect("a folder");
        for name in ["data", "home", "work"] {
            fs::create_dir(dir.path().join(name)).expect("a folder");
        }
        Room { dir, plugins, runs: AtomicU32::new(0) }
    }

    /// The room itself.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The folder commands run in.
    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    /// The folder of plugin packages.
    pub fn plugins(&self) -> &Path {
        &self.plugins
    }

    /// Changes `plugin.json` of the package in `folder`; for rooms with plugins of their own.
    pub fn edit_manifest(&self, folder: &str, change: impl FnOnce(&mut Value)) {
        let file = self.plugins.join(folder).join("plugin.json");
        let mut manifest = serde_json::from_slice(&fs::read(&file).expect("a manifest")).expect("a manifest in JSON");
        change(&mut manifest);
        // A link into the product must not be written through.
        fs::remove_file(&file).expect("removed");
        fs::write(&file, manifest.to_string()).expect("written");
    }

    /// Gives the tool `name` of the package in `folder` a time limit.
    pub fn limit_tool(&self, folder: &str, name: &str, ms: u64) {
        self.edit_manifest(folder, |manifest| {
            let tools = manifest["tools"].as_array_mut().expect("tools");
            let tool = tools.iter_mut().find(|tool| tool["name"] == name).expect("the tool");
            tool["timeout_ms"] = json!(ms);
        });
    }

    /// `winclaw` with `arguments`, in this room.
    pub fn winclaw(&self, arguments: &[&str]) -> Run {
        self.of_winclaw(&program(), arguments).expect_clean_output()
    }

    /// `winclaw` with `arguments`, none of which holds a space, on a terminal of its own that `script` makes; both its
    /// outputs come as standard output, and standard input is what the person types.
    #[cfg(target_os = "linux")]
    pub fn on_terminal(&self, arguments: &[&str]) -> Run {
        let line = format!("{} {}", program().display(), arguments.join(" "));
        self.of_winclaw(Path::new("script"), &["--quiet", "--return", "--command", &line, "/dev/null"])
    }

    /// `winclaw` with `arguments`, none of which holds a space, and with `variables`, on a terminal that a test types at.
    #[cfg(target_os = "linux")]
    pub fn terminal(&self, arguments: &[&str], variables: &[(&str, &str)]) -> crate::Terminal {
        let (columns, rows) = crate::terminal::SIZE;
        let line = format!("stty cols {columns} rows {rows}; exec {} {}", program().display(), arguments.join(" "));
        let run =
            self.of_winclaw(Path::new("script"), &["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        let run = run.env("TERM", "xterm-256color");
        crate::Terminal::start(variables.iter().fold(run, |run, (name, value)| run.env(name, value)))
    }

    fn of_winclaw(&self, program: &Path, arguments: &[&str]) -> Run {
        let data = self.path().join("data");
        self.program(program, arguments)
            .env("WINCLAW_DATA_DIR", data.to_str().expect("a path in UTF-8"))
            .env("WINCLAW_PLUGINS", self.plugins.to_str().expect("a path in UTF-8"))
    }

    /// Another program, in this room.
    pub fn program(&self, program: &Path, arguments: &[&str]) -> Run {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let run = Run::new(program, &self.path().join(format!("run-{number}")), &self.work());
        run.env("HOME", self.path().join("home").to_str().expect("a path in UTF-8")).args(arguments)
    }

    /// Writes a script for `--replay` and returns its path.
    pub fn replay(&self, steps: Value) -> String {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let file = self.path().join(format!("script-{number}.json"));
        let script = json!({"schema": 1, "name": "test", "steps": steps});
        fs::write(&file, script.to_string()).expect("written");
        file.to_str().expect("a path in UTF-8").to_owned()
    }

    /// The records of the only task so far.
    pub fn trace(&self) -> Vec<Value> {
        let folder = self.path().join("data").join("traces");
        let files: Vec<PathBuf> =
            fs::read_dir(&folder).expect("traces").map(|entry| entry.expect("an entry").path()).collect();
        let files: Vec<PathBuf> =
            files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect();
        assert_eq!(files.len(), 1, "one task leaves one trace: {files:?}");
        let text = fs::read_to_string(&files[0]).expect("a trace in UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("a record in JSON")).collect()
    }

    /// The records of the only task so far that are of `kind`.
    pub fn records(&self, kind: &str) -> Vec<Value> {
        self.trace().into_iter().filter(|record| record["kind"] == kind).collect()
    }
}

fn program() -> PathBuf {
    dist().join(format!("winclaw{}", std::env::consts::EXE_SUFFIX))
}

impl Default for Room {
    fn default() -> Self {
        Room::new()
    }
}

/// A script of `steps`, for a server.
///
/// # Panics
/// When `steps` are no steps.
pub fn script(steps: Value) -> Script {
    Script::parse(&json!({"schema": 1, "name": "test", "steps": steps}).to_string()).expect("a script")
}
