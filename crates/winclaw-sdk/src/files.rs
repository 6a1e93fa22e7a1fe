//! The person's files, without a way out of the folders they allowed. Behind the cargo feature `files`.
//!
//! ```no_run
//! use winclaw_sdk::files::{Access, Clash, Folders};
//! use winclaw_sdk::prelude::*;
//!
//! #[args]
//! struct SaveArgs {
//!     /// The file to copy, absolute or relative to the working folder.
//!     from: String,
//!     /// Where to write the copy.
//!     to: String,
//!     /// Whether an existing file may be replaced.
//!     #[serde(default)]
//!     overwrite: bool,
//! }
//!
//! /// Copies a small file.
//! #[tool(side_effect = "write")]
//! fn save(args: SaveArgs, cx: &Context) -> Result<String, Failure> {
//!     let folders = Folders::of(cx);
//!     let bytes = folders.find(&args.from, Access::Read)?.read(1 << 20)?;
//!     let place = folders.find(&args.to, Access::Write)?;
//!     place.make_parents()?;
//!     let entry = place.target()?;
//!     entry.save(&bytes, Clash::overwrite(args.overwrite))?;
//!     Ok(entry.path.display().to_string())
//! }
//! ```
//!
//! A path becomes a [`Place`] below an allowed folder, and the last name of a place an [`Entry`] in an open folder. Both
//! work on directory handles, never on the text of a path: a link or `..` that leads out is an error of the handle
//! itself. What these types do not offer is done with the handles: [`Place::open_dir`] and [`Entry::dir`].
//!
//! All of this waits for the disk, so a tool that uses it is a plain `fn`, not an `async` one.
//!
//! Invariants:
//! - Nothing outside the allowed folders is read or written, whatever `..`, links or other processes do.
//! - What was found for reading is not written to, nor anything below a folder that may only be read.
//! - A file appears whole or not at all, and takes the place of another only when asked to.
//! - A refusal is a [`Failure`] that names the path and what would be right.

use std::path::{Component, Path, PathBuf};

/// The library of the handles, in the version these types use.
pub use cap_std;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
pub use entry::{Clash, Entry};
pub use errors::Doing;
pub use place::Place;

use crate::{Context, Failure, FileRoot};

mod entry;
mod errors;
pub mod names;
mod place;
#[cfg(test)]
mod tests;

/// What a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To look at what is there.
    Read,
    /// To make, change, move or remove what is there.
    Write,
}

/// The folders the person allowed; the first is where relative paths start.
#[derive(Debug, Clone, Default)]
pub struct Folders(Vec<FileRoot>);

impl Folders {
    /// The folders the host gives this plugin; the manifest asks for them with `permissions.files`.
    ///
    /// Nothing is opened yet. Without a folder every path is `denied`.
    pub fn of(cx: &Context) -> Folders {
        Folders(cx.file_roots())
    }

    /// These folders, in this order; their paths are absolute.
    pub fn new(roots: impl IntoIterator<Item = FileRoot>) -> Folders {
        Folders(roots.into_iter().collect())
    }

    /// The place `path` names: absolute and inside an allowed folder (the deepest counts), or relative to the first one.
    ///
    /// Whether anything is there, and whether a link or `..` in it leads out, shows when the place is used.
    ///
    /// # Errors
    /// `invalid_args` for a text that is no path (empty, with NUL, with `~`); `denied`, naming the folders that are
    /// allowed, for a path outside them or, with [`Access::Write`], below one that may only be read; `unavailable` when
    /// the allowed folder is gone.
    pub fn find(&self, path: &str, access: Access) -> Result<Place, Failure> {
        check_text(path)?;
        let given = Path::new(path);
        let first = || self.0.first().map(|root| (root, given.to_path_buf()));
        let found = if given.is_absolute() { self.containing(given) } else { first() };
        let (root, rel) = found.ok_or_else(|| self.outside(path, access))?;
        self.place(root, rel, access)
    }

    /// The first allowed folder that gives `access`: where a file goes when the caller left the folder open.
    ///
    /// # Errors
    /// `denied` when there is none; `unavailable` when it is gone.
    pub fn first(&self, access: Access) -> Result<Place, Failure> {
        let root = self.giving(access).next().ok_or_else(|| none(access))?;
        self.place(root, PathBuf::new(), access)
    }

    /// Whether an allowed folder is at the absolute `path` or below it, so that removing it would take the folder away.
    pub fn any_inside(&self, path: &Path) -> bool {
        self.0.iter().any(|root| root.path.starts_with(path))
    }

    fn place(&self, root: &FileRoot, rel: PathBuf, access: Access) -> Result<Place, Failure> {
        if access == Access::Write && !root.write {
            return Err(self.read_only(root, &rel));
        }
        let dir = Dir::open_ambient_dir(&root.path, ambient_authority()).map_err(|error| {
            Failure::unavailable(format!("the allowed folder `{}` cannot be opened: {error}", root.path.display()))
        })?;
        let first = self.0.first().is_some_and(|first| first.path == root.path);
        Ok(Place { root: root.clone(), first, access, dir, rel })
    }

    /// The deepest allowed folder that contains `given`, and the rest of the path.
    fn containing(&self, given: &Path) -> Option<(&FileRoot, PathBuf)> {
        let rest = |root: &FileRoot| below(&root.path, given).or_else(|| below(&root.path.canonicalize().ok()?, given));
        let found = self.0.iter().filter_map(|root| Some((root, rest(root)?)));
        found.min_by_key(|(_, rest)| rest.components().count())
    }

    fn giving(&self, access: Access) -> impl Iterator<Item = &FileRoot> {
        self.0.iter().filter(move |root| access == Access::Read || root.write)
    }

    /// Where paths may lead instead; nothing when there is no such folder.
    fn advice(&self, access: Access) -> Option<String> {
        let allowed: Vec<String> = self.giving(access).map(|root| format!("`{}`", root.path.display())).collect();
        (!allowed.is_empty()).then(|| format!("use a path inside {}", allowed.join(" or ")))
    }

    fn outside(&self, path: &str, access: Access) -> Failure {
        let Some(advice) = self.advice(access) else { return none(access) };
        Failure::denied(format!("`{path}` is outside the allowed folders; {advice}")).with_hint(
            "If the folder should be used, start with `--allow DIR` or allow it in the configuration.",
            "如果需要使用该文件夹，请在启动时加上 `--allow DIR`，或在配置中允许它。",
        )
    }

    fn read_only(&self, root: &FileRoot, rel: &Path) -> Failure {
        let advice = self.advice(Access::Write);
        let advice = advice.unwrap_or_else(|| "no other folder is allowed for writing; ask the person".to_owned());
        let (root, path) = (root.path.display(), joined(&root.path, rel));
        Failure::denied(format!("`{}` is in `{root}`, which may only be read; {advice}", path.display())).with_hint(
            "If the folder may be changed, start with `--allow DIR` or allow writing in the configuration.",
            "如果可以更改该文件夹，请在启动时加上 `--allow DIR`，或在配置中允许写入。",
        )
    }
}

fn none(access: Access) -> Failure {
    let what = match access {
        Access::Read => "no folder is allowed for files",
        Access::Write => "no folder is allowed for writing files",
    };
    Failure::denied(what).with_hint(
        "Start WinClaw in a working folder, or allow one with `--allow DIR` or in the configuration.",
        "请在工作文件夹中启动 WinClaw，或用 `--allow DIR` 或在配置中允许一个文件夹。",
    )
}

fn check_text(path: &str) -> Result<(), Failure> {
    let what = match path {
        "" => "`path` is empty; use `.` for the working folder".to_owned(),
        path if path.contains('\0') => "`path` holds a NUL character".to_owned(),
        path if path == "~" || path.starts_with("~/") || path.starts_with("~\\") => {
            format!("`{path}`: `~` is not expanded; write the path out, or relative to the working folder")
        }
        _ => return Ok(()),
    };
    Err(Failure::invalid_args(what))
}

/// `given` relative to `root`, when it starts with it. On Windows letters compare without case.
fn below(root: &Path, given: &Path) -> Option<PathBuf> {
    let mut rest = given.components();
    let same = |a: Component<'_>, b: Component<'_>| a == b || (cfg!(windows) && folded(a) == folded(b));
    root.components()
        .all(|part| rest.next().is_some_and(|other| same(part, other)))
        .then(|| rest.as_path().to_path_buf())
}

fn folded(part: Component<'_>) -> String {
    let text = part.as_os_str().to_string_lossy().to_lowercase();
    text.trim_start_matches(r"\\?\").to_owned()
}

/// `root` and `rel` as one path without `.` parts.
fn joined(root: &Path, rel: &Path) -> PathBuf {
    root.join(rel).components().collect()
}
