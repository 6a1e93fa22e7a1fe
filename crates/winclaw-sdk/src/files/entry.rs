//! A name in an open folder, and files that appear whole or not at all.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

use super::names::numbered;
use super::{Access, Doing};
use crate::Failure;

/// What happens when the name of a new file is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// The write fails, even when the other file appears at the last moment.
    Refuse,
    /// The new file takes the place of the old one in one step, with the old one's permissions.
    Replace,
}

impl Clash {
    /// [`Clash::Replace`] when the caller agreed to that.
    pub fn overwrite(agreed: bool) -> Clash {
        if agreed { Clash::Replace } else { Clash::Refuse }
    }
}

/// A name in an open folder: what can be made, replaced or taken away without following anything.
///
/// [`Place::entry`](super::Place::entry) and [`Place::target`](super::Place::target) give it.
#[derive(Debug)]
pub struct Entry {
    /// The folder, open. Whoever writes through the handle itself answers for having found it with [`Access::Write`].
    pub dir: Dir,
    /// The name in it; never a path.
    pub name: OsString,
    /// The absolute path, for people and results. Links in it are resolved, except one in last place.
    pub path: PathBuf,
    pub(super) access: Access,
}

/// What is there.
impl Entry {
    /// A name in another open folder, to be used as this one may be: below a folder made here, say. `path` is for people.
    pub fn at(&self, dir: Dir, name: &OsStr, path: PathBuf) -> Entry {
        Entry { dir, name: name.to_owned(), path, access: self.access }
    }

    /// What is there, links not followed; `None` when the name is free.
    pub fn found(&self) -> Result<Option<Metadata>, Failure> {
        match self.dir.symlink_metadata(&self.name) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Doing::Open.failed(&self.path, &error)),
        }
    }

    /// What is there, links not followed. Nothing there is an error.
    pub fn existing(&self) -> Result<Metadata, Failure> {
        self.dir.symlink_metadata(&self.name).map_err(|error| Doing::Open.failed(&self.path, &error))
    }

    /// Whether a link is there.
    pub fn is_link(&self) -> bool {
        self.dir.symlink_metadata(&self.name).is_ok_and(|found| found.is_symlink())
    }

    /// Whether a file is there that may be changed; false when the name is free.
    ///
    /// # Errors
    /// `tool_failed` for anything else that is there, and for a file marked read-only.
    pub fn has_file(&self) -> Result<bool, Failure> {
        let Some(found) = self.found()? else { return Ok(false) };
        let shown = self.path.display();
        if !found.is_file() {
            let what = format!("`{shown}` is a folder, link, device or pipe, not a file; choose another name");
            return Err(Failure::tool_failed(what));
        }
        if found.permissions().readonly() {
            return Err(Failure::tool_failed(format!("`{shown}` is marked read-only, so it was not changed")));
        }
        Ok(true)
    }

    /// All bytes of the file, links followed as long as they stay inside its folder; more than `most` are `tool_failed`.
    pub fn read(&self, most: u64) -> Result<Vec<u8>, Failure> {
        let file = self.dir.open(&self.name).map_err(|error| Doing::Read.failed(&self.path, &error))?;
        bounded(file, most, &self.path)
    }

    /// The failure for a name that is taken. It proposes a free one, or an argument `overwrite`, which the tool has.
    pub fn taken(&self) -> Failure {
        let name = self.name.to_string_lossy();
        let free = (2..1_000).map(|n| numbered(&name, n)).find(|name| self.dir.symlink_metadata(name).is_err());
        let other = free.map_or_else(String::new, |free| format!(" such as `{free}`"));
        Failure::tool_failed(format!(
            "`{}` exists already; set `overwrite` to true to replace it, or choose another name{other}",
            self.path.display()
        ))
    }
}

/// Writing.
impl Entry {
    /// Writes a file with these bytes, whole or not at all; see [`Entry::put`].
    ///
    /// # Errors
    /// [`Entry::taken`] with [`Clash::Refuse`], the errors of [`Entry::has_file`], and what the operating system refuses.
    pub fn save(&self, bytes: &[u8], clash: Clash) -> Result<(), Failure> {
        if self.has_file()? && clash == Clash::Refuse {
            return Err(self.taken());
        }
        self.put(clash, |file| file.write_all(bytes)).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => self.taken(),
            _ => Doing::Write.failed(&self.path, &error),
        })
    }

    /// Writes a new file through a temporary one in the same folder; `fill` writes its content, piece by piece if it
    /// likes. When anything fails, what was there before is there still and nothing else.
    ///
    /// # Errors
    /// `AlreadyExists` with [`Clash::Refuse`]; `Unsupported` for an entry found for reading; what `fill` and the
    /// operating system say.
    pub fn put(&self, clash: Clash, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        if self.access == Access::Read {
            return Err(io::Error::new(ErrorKind::Unsupported, "it was asked for only to be read"));
        }
        let (temporary, mut file) = temporary(&self.dir)?;
        let permitted = self.kept(clash).map_or(Ok(()), |permissions| file.set_permissions(permissions));
        let written = permitted.and_then(|()| fill(&mut file)).and_then(|()| file.sync_data());
        drop(file);
        let placed = written.and_then(|()| match clash {
            Clash::Replace => self.dir.rename(&temporary, &self.dir, &self.name),
            Clash::Refuse => self.link(&temporary),
        });
        if clash == Clash::Refuse || placed.is_err() {
            // Best effort: the file itself is in place or the error is already told.
            self.dir.remove_file(&temporary).ok();
        }
        placed
    }

    /// Gives the temporary file its name without ever replacing another. A disk without hard links gets a plain new
    /// file.
    fn link(&self, temporary: &str) -> io::Result<()> {
        match self.dir.hard_link(temporary, &self.dir, &self.name) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                let mut new = self.dir.open_with(&self.name, OpenOptions::new().write(true).create_new(true))?;
                io::copy(&mut self.dir.open(temporary)?, &mut new)?;
                new.sync_data()
            }
            linked => linked,
        }
    }

    fn kept(&self, clash: Clash) -> Option<Permissions> {
        let old = (clash == Clash::Replace).then(|| self.dir.symlink_metadata(&self.name).ok()).flatten()?;
        old.is_file().then(|| old.permissions())
    }
}

fn temporary(dir: &Dir) -> io::Result<(String, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".winclaw-{}-{n}.tmp", std::process::id());
        match dir.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (name, file)),
        }
    }
}

/// All bytes of `file`, unless they are more than `most`.
pub(super) fn bounded(file: File, most: u64, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| Doing::Read.failed(path, &error))?;
    if bytes.len() as u64 <= most {
        return Ok(bytes);
    }
    let limit = if most >= 1 << 20 { format!("{} MiB", most >> 20) } else { format!("{most} bytes") };
    Err(Failure::tool_failed(format!("`{}` is too large: the limit here is {limit}", path.display())))
}
