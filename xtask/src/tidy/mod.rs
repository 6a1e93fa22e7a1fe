//! `cargo xtask tidy`: what the design demands of the code and a compiler does not check.

mod edges;
mod shape;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{Failed, root, say};

/// One breach: where, and what must change.
pub struct Breach {
    place: String,
    what: String,
}

impl Breach {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Breach { place: place.into(), what: what.into() }
    }
}

/// A source file of the project.
pub struct Source {
    /// Path from the root, with `/`.
    path: String,
    /// Its text.
    text: String,
}

/// Runs every check and lists every breach; fails when there is one.
pub fn run() -> Result<(), Failed> {
    let root = root();
    let sources = sources(&root)?;
    let mut breaches = edges::check(&root)?;
    breaches.extend(words::check(&root, &sources)?);
    breaches.extend(shape::check(&sources)?);
    for Breach { place, what } in &breaches {
        say(&format!("tidy: {place}: {what}"));
    }
    match breaches.len() {
        0 => {
            say(&format!("tidy: {} source files hold to the design", sources.len()));
            Ok(())
        }
        count => Err(Failed::new(format!("{count} breaches of the design"))),
    }
}

/// Every Rust file of the project, sorted by path.
fn sources(root: &Path) -> Result<Vec<Source>, Failed> {
    let mut files = Vec::new();
    for folder in ["crates", "plugins", "tests", "xtask"] {
        collect(&root.join(folder), &mut files)?;
    }
    files.sort();
    let read = |file: PathBuf| {
        let text = fs::read_to_string(&file).map_err(|error| Failed::new(format!("{}: {error}", file.display())))?;
        let path = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        Ok(Source { path, text })
    };
    files.into_iter().map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failed> {
    let entries = fs::read_dir(folder).map_err(|error| Failed::new(format!("{}: {error}", folder.display())))?;
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
