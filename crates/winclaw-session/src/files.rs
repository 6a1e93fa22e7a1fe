//! Folders, files and locks of the owner alone.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Error;

/// How long one process waits for another that sets the file up. Setting up takes milliseconds, a damaged file of a
/// gigabyte some seconds.
const SET_UP: Duration = Duration::from_secs(20);

/// Makes `folder` and those above it; nobody else may look into a new one, nor into one of ours that was open.
pub(crate) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    tighten(folder, 0o700);
    Ok(())
}

/// Makes an empty file for the owner alone, unless there is one.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    tighten(path, 0o600);
    Ok(file)
}

/// Takes the rights of others away. Where that is refused, the file is somebody else's and so is the decision.
#[cfg(unix)]
fn tighten(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let others = fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
    if others {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
}

#[cfg(not(unix))]
fn tighten(_: &Path, _: u32) {}

/// Held while a file is set up; goes with the value, and with the process however it ends.
pub(crate) struct SetUp {
    _lock: Option<File>,
}

/// Waits until no other process sets up the file in `folder`.
pub(crate) fn set_up(folder: &Path) -> Result<SetUp, Error> {
    let path = folder.join("setup.lock");
    let file = private_file(&path).map_err(|error| Error::io(&path, &error))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(SetUp { _lock: Some(file) }),
            Err(TryLockError::WouldBlock) if begun.elapsed() < SET_UP => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::WouldBlock) => return Err(Error::Busy { path }),
            // Some network file systems know no locks; SQLite's own then has to do.
            Err(TryLockError::Error(_)) => return Ok(SetUp { _lock: None }),
        }
    }
}

/// The right to add to one session; goes with the value, and with the process however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Option<File>,
}

/// Takes the lock of session `id`. Errors: [`Error::InUse`] when another writer has it, in whatever process.
pub(crate) fn lock(folder: &Path, id: &str) -> Result<Lock, Error> {
    let path = lock_path(folder, id);
    let made = path.parent().map_or(Ok(()), private_folder).and_then(|()| private_file(&path));
    let file = made.map_err(|error| Error::io(&path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock { _file: Some(file) }),
        Err(TryLockError::WouldBlock) => Err(Error::InUse { id: id.to_owned() }),
        Err(TryLockError::Error(_)) => Ok(Lock { _file: None }),
    }
}

/// Drops the lock file of a session that is gone.
pub(crate) fn forget_lock(folder: &Path, id: &str) {
    // An empty file that stays does no harm.
    let _ = fs::remove_file(lock_path(folder, id));
}

fn lock_path(folder: &Path, id: &str) -> PathBuf {
    folder.join("locks").join(id)
}

/// The folder of whole results that were cut in session `id`.
pub(crate) fn spill(folder: &Path, id: &str) -> PathBuf {
    folder.join("spill").join(id)
}
