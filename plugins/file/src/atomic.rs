//! Files that appear whole or not at all.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cap_std::fs::{Dir, File, OpenOptions, Permissions};

use crate::roots::Entry;

/// What happens when the name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clash {
    /// The write fails with `AlreadyExists`, even when the other file appears at the last moment.
    Refuse,
    /// The new file takes the place of the old one in one step, with the old one's permissions.
    Replace,
}

/// Held while a file is read, changed and written back, so that two edits of one reply do not undo each other.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static CHANGING: Mutex<()> = Mutex::new(());
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a new file at `entry` through a temporary one in the same folder; `fill` writes its content.
pub(crate) fn put(entry: &Entry, clash: Clash, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (temporary, mut file) = temporary(&entry.dir)?;
    let permitted = kept(entry, clash).map_or(Ok(()), |permissions| file.set_permissions(permissions));
    let written = permitted.and_then(|()| fill(&mut file)).and_then(|()| file.sync_data());
    drop(file);
    let placed = written.and_then(|()| match clash {
        Clash::Replace => entry.dir.rename(&temporary, &entry.dir, &entry.name),
        Clash::Refuse => link(entry, &temporary),
    });
    if clash == Clash::Refuse || placed.is_err() {
        // Best effort: the file itself is in place or the error is already told.
        entry.dir.remove_file(&temporary).ok();
    }
    placed
}

/// Gives the temporary file its name without ever replacing another. A disk without hard links gets a plain new file.
fn link(entry: &Entry, temporary: &str) -> io::Result<()> {
    match entry.dir.hard_link(temporary, &entry.dir, &entry.name) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            let mut new = entry.dir.open_with(&entry.name, OpenOptions::new().write(true).create_new(true))?;
            io::copy(&mut entry.dir.open(temporary)?, &mut new)?;
            new.sync_data()
        }
        linked => linked,
    }
}

fn kept(entry: &Entry, clash: Clash) -> Option<Permissions> {
    let old = (clash == Clash::Replace).then(|| entry.dir.symlink_metadata(&entry.name).ok()).flatten()?;
    old.is_file().then(|| old.permissions())
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn a_name_taken_at_the_last_moment_is_not_replaced_unasked() {
        let temp = tempfile::tempdir().expect("a folder");
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).expect("a handle");
        let entry = Entry { dir, name: "a".into(), path: temp.path().join("a") };
        let appear = |file: &mut File| {
            std::fs::write(temp.path().join("a"), "other")?;
            file.write_all(b"mine")
        };
        assert_eq!(put(&entry, Clash::Refuse, appear).expect_err("taken").kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(temp.path().join("a")).expect("the file"), b"other");
        put(&entry, Clash::Replace, appear).expect("replaced");
        assert_eq!(std::fs::read(temp.path().join("a")).expect("the file"), b"mine");
        assert_eq!(std::fs::read_dir(temp.path()).expect("the folder").count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let temp = tempfile::tempdir().expect("a folder");
        std::fs::write(temp.path().join("a"), "old").expect("a file");
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).expect("a handle");
        let entry = Entry { dir, name: "a".into(), path: temp.path().join("a") };
        let fail = |file: &mut File| file.write_all(b"half").and_then(|()| Err(io::Error::other("disk gone")));
        put(&entry, Clash::Replace, fail).expect_err("the error of the disk");
        assert_eq!(std::fs::read(temp.path().join("a")).expect("the file"), b"old");
        assert_eq!(std::fs::read_dir(temp.path()).expect("the folder").count(), 1);
    }
}
