use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use winclaw_eval::{Dataset, EvalReport, Options, evaluate};

/// Two files of a test's own, gone with it.
pub(crate) struct Files {
    dir: TempDir,
}

impl Files {
    pub(crate) fn new(tools: impl AsRef<[u8]>, queries: impl AsRef<[u8]>) -> Files {
        let dir = tempfile::tempdir().expect("a folder");
        let files = Files { dir };
        std::fs::write(files.tools(), tools).expect("written");
        std::fs::write(files.queries(), queries).expect("written");
        files
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn tools(&self) -> PathBuf {
        self.path().join("tools.jsonl")
    }

    pub(crate) fn queries(&self) -> PathBuf {
        self.path().join("queries.jsonl")
    }

    /// Both files, which must be sound.
    pub(crate) fn read(&self) -> Dataset {
        Dataset::read(&self.tools(), &self.queries()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is wrong with them.
    pub(crate) fn error(&self) -> winclaw_eval::EvalError {
        Dataset::read(&self.tools(), &self.queries()).expect_err("bad input")
    }
}

/// `rows` as JSON Lines.
pub(crate) fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The example that the documentation shows.
pub(crate) fn example() -> Dataset {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/eval");
    let read = Dataset::read(&folder.join("tools.jsonl"), &folder.join("queries.jsonl"));
    read.unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn measured(dataset: &Dataset, options: &Options) -> EvalReport {
    evaluate(dataset, options, &mut |_, _| ())
}

#[track_caller]
pub(crate) fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}
