//! A path below an allowed folder.

use std::ffi::OsStr;
use std::io::{Error, ErrorKind};
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, File, Metadata};

use super::entry::{Entry, bounded};
use super::{Access, Doing, joined, names};
use crate::{Failure, FailureCode, FileRoot};

/// A path below an allowed folder, as [`Folders::find`](super::Folders::find) gives it. Whether anything is there is not
/// known yet.
///
/// Its errors are `denied` when a link or `..` leads out of the allowed folder and `tool_failed` for what the operating
/// system refuses, unless a method says otherwise.
#[derive(Debug)]
pub struct Place {
    pub(super) root: FileRoot,
    /// Whether the root is the one relative paths start at.
    pub(super) first: bool,
    pub(super) access: Access,
    pub(super) dir: Dir,
    pub(super) rel: PathBuf,
}

/// The path, and what is there.
impl Place {
    /// The absolute path as asked for, without `.` parts.
    pub fn path(&self) -> PathBuf {
        joined(&self.root.path, &self.rel)
    }

    /// The path of `below`, relative to this place, as a caller can give it again: short where it may be, with `/`
    /// between its parts.
    pub fn usable(&self, below: &Path) -> String {
        let base = if self.first { self.rel.clone() } else { self.path() };
        let path: PathBuf = base.join(below).components().filter(|part| *part != Component::CurDir).collect();
        let text = path.to_string_lossy().into_owned();
        if cfg!(windows) { text.replace('\\', "/") } else { text }
    }

    /// The place of `name` below this one.
    pub fn join(mut self, name: impl AsRef<OsStr>) -> Place {
        self.rel.push(name.as_ref());
        self
    }

    /// Whether the person allowed writing here, whatever the place was found for.
    pub fn may_write(&self) -> bool {
        self.root.write
    }

    /// What is there, links followed as long as they stay inside. Nothing there is an error.
    pub fn metadata(&self) -> Result<Metadata, Failure> {
        self.dir.metadata(self.rel()).map_err(|error| self.failed(Doing::Open, &self.rel, &error))
    }

    /// What is there, links followed as long as they stay inside; `None` when nothing is.
    pub fn found(&self) -> Result<Option<Metadata>, Failure> {
        match self.dir.metadata(self.rel()) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => found.map(Some).map_err(|error| self.failed(Doing::Open, &self.rel, &error)),
        }
    }

    /// Whether a folder is there.
    pub fn is_dir(&self) -> bool {
        self.dir.is_dir(self.rel())
    }

    /// Refuses, as `invalid_args`, a path with a name that cannot be made on this system; see [`names`].
    pub fn check_names(&self) -> Result<(), Failure> {
        names::check(&self.path())
    }

    fn rel(&self) -> &Path {
        if self.rel.as_os_str().is_empty() { Path::new(".") } else { &self.rel }
    }

    fn failed(&self, doing: Doing, rel: &Path, error: &Error) -> Failure {
        let mut failure = doing.failed(&joined(&self.root.path, rel), error);
        if failure.code == FailureCode::Denied {
            failure.message.push_str(&format!("; use a path that stays inside `{}`", self.root.path.display()));
        }
        failure
    }
}

/// Reading.
impl Place {
    /// The folder at this place, open. A file there is `invalid_args`.
    pub fn open_dir(&self) -> Result<Dir, Failure> {
        self.dir.open_dir(self.rel()).map_err(|error| match self.metadata() {
            Ok(found) if !found.is_dir() => {
                Failure::invalid_args(format!("`{}` is a file, not a folder", self.path().display()))
            }
            _ => self.failed(Doing::Open, &self.rel, &error),
        })
    }

    /// The regular file at this place, open for reading. A folder there is `invalid_args`.
    pub fn open_file(&self) -> Result<File, Failure> {
        let (found, shown) = (self.metadata()?, self.path());
        let shown = shown.display();
        if found.is_dir() {
            return Err(Failure::invalid_args(format!("`{shown}` is a folder, not a file; list it instead")));
        }
        if !found.is_file() {
            let what = format!("`{shown}` is a device, pipe or socket; only regular files can be used");
            return Err(Failure::tool_failed(what));
        }
        self.dir.open(self.rel()).map_err(|error| self.failed(Doing::Read, &self.rel, &error))
    }

    /// All bytes of the regular file at this place; more than `most` are `tool_failed`.
    pub fn read(&self, most: u64) -> Result<Vec<u8>, Failure> {
        bounded(self.open_file()?, most, &self.path())
    }
}

/// Making and writing.
impl Place {
    /// Makes the folder of this place and all above it that are missing. It is fine if it exists.
    ///
    /// # Errors
    /// Also `invalid_args` for names that cannot be made on this system, `denied` for a place found for reading.
    pub fn make_dir(&self) -> Result<(), Failure> {
        self.make(self.rel())
    }

    /// Makes the folders above this place that are missing; the errors are those of [`Place::make_dir`].
    pub fn make_parents(&self) -> Result<(), Failure> {
        match self.rel.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => self.make(parent),
            _ => Ok(()),
        }
    }

    fn make(&self, rel: &Path) -> Result<(), Failure> {
        if self.access == Access::Read {
            let what = format!("`{}` was asked for only to be read, so nothing is made there", self.path().display());
            return Err(Failure::denied(what));
        }
        // Asked first, because making a folder where a link leads out would only say that the name is taken.
        let made = match self.dir.open_dir(rel) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                names::check(rel)?;
                self.dir.create_dir_all(rel)
            }
            opened => opened.map(|_| ()),
        };
        made.map_err(|error| self.failed(Doing::Make, rel, &error))
    }

    /// The last name of the path in its open folder, which must exist. A link in last place is not followed: this is for
    /// moving and removing.
    ///
    /// # Errors
    /// Also `invalid_args` when the place is an allowed folder itself.
    pub fn entry(&self) -> Result<Entry, Failure> {
        let rel = self.named()?;
        let (Some(name), parent) = (rel.file_name(), rel.parent().filter(|parent| *parent != Path::new(""))) else {
            let what = format!("`{}` is an allowed folder itself; name something inside it", self.path().display());
            return Err(Failure::invalid_args(what));
        };
        let parent = parent.unwrap_or(Path::new("."));
        let dir = self.dir.open_dir(parent).map_err(|error| self.failed(Doing::Open, parent, &error))?;
        let real = self.dir.canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
        let path = joined(&self.root.path, &real.join(name));
        Ok(Entry { dir, name: name.to_owned(), path, access: self.access })
    }

    /// Where to write: the last name of the path in its open folder, which must exist, or what a link there leads to
    /// inside the allowed folder.
    ///
    /// # Errors
    /// As [`Place::entry`], and `tool_failed` for a link that leads nowhere.
    pub fn target(&self) -> Result<Entry, Failure> {
        let entry = self.entry()?;
        if !entry.is_link() {
            return Ok(entry);
        }
        let rel = self.dir.canonicalize(self.rel()).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::tool_failed(format!(
                "`{}` is a link that leads nowhere; delete it first",
                self.path().display()
            )),
            _ => self.failed(Doing::Open, &self.rel, &error),
        })?;
        let dir = self.dir.try_clone().map_err(|error| self.failed(Doing::Open, &self.rel, &error))?;
        let real = Place { root: self.root.clone(), dir, rel, ..*self }.entry()?;
        match real.is_link() {
            true => Err(Failure::tool_failed(format!(
                "`{}` changed while it was looked at; try again",
                real.path.display()
            ))),
            false => Ok(real),
        }
    }

    /// The relative path, ending in a name: `a/..` is looked up.
    fn named(&self) -> Result<PathBuf, Failure> {
        if self.rel.file_name().is_some() {
            return Ok(self.rel.clone());
        }
        self.dir.canonicalize(self.rel()).map_err(|error| self.failed(Doing::Open, &self.rel, &error))
    }
}
