//! Folders from the top down, in a fixed order, without following links.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use winclaw_sdk::Failure;
use winclaw_sdk::files::cap_std::fs::{Dir, Metadata};

/// Deepest folder that is entered; each level holds one directory handle open.
pub(crate) const MAX_DEPTH: usize = 64;

/// Most entries of one folder that are looked at.
pub(crate) const MAX_ENTRIES: usize = 100_000;

/// One thing in a folder.
#[derive(Debug)]
pub(crate) struct Found {
    /// Its name.
    pub name: OsString,
    /// What it is, links not followed.
    pub metadata: Metadata,
}

/// Something met on a walk.
pub(crate) struct Visit<'a> {
    /// The folder it is in, open.
    pub dir: &'a Dir,
    /// Its name there.
    pub name: &'a OsStr,
    /// Its path from the start of the walk.
    pub path: &'a Path,
    /// What it is, links not followed.
    pub metadata: &'a Metadata,
    /// How deep it lies; 1 for what is directly in the start.
    pub depth: usize,
}

/// How a walk goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Whether names that start with a dot are visited.
    pub hidden: bool,
    /// How deep to go, at most [`MAX_DEPTH`].
    pub depth: usize,
}

/// What is in `dir`, folders first, then by name without case. What vanishes meanwhile is left out.
pub(crate) fn entries(dir: &Dir, hidden: bool) -> std::io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for entry in dir.entries()?.take(MAX_ENTRIES) {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        if !hidden && is_hidden(&name) {
            continue;
        }
        if let Ok(metadata) = dir.symlink_metadata(&name) {
            found.push(Found { name, metadata });
        }
    }
    found.sort_by_cached_key(|found| {
        (!found.metadata.is_dir(), found.name.to_string_lossy().to_lowercase(), found.name.clone())
    });
    Ok(found)
}

/// Whether a name is one that file managers hide.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with('.')
}

/// The result of a visit: go on, or end the walk.
pub(crate) type Step = Result<ControlFlow<()>, Failure>;

/// Visits everything below `dir`. A folder that cannot be opened is visited but not entered.
pub(crate) fn walk(dir: &Dir, rules: Rules, visit: &mut dyn FnMut(&Visit<'_>) -> Step) -> Step {
    level(dir, &PathBuf::new(), 1, rules, visit)
}

fn level(dir: &Dir, above: &Path, depth: usize, rules: Rules, visit: &mut dyn FnMut(&Visit<'_>) -> Step) -> Step {
    for Found { name, metadata } in entries(dir, rules.hidden).unwrap_or_default() {
        let path = above.join(&name);
        if visit(&Visit { dir, name: &name, path: &path, metadata: &metadata, depth })?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if !metadata.is_dir() || depth >= rules.depth.min(MAX_DEPTH) {
            continue;
        }
        let Ok(inner) = dir.open_dir(&name) else { continue };
        if level(&inner, &path, depth + 1, rules, visit)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
