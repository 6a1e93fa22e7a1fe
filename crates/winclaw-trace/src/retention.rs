use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;

/// How often old traces are looked for when there is room.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A file that changed so lately is left alone: it may be of a task that began a moment ago.
const FRESH: Duration = Duration::from_secs(10 * 60);

/// Its time of change says when old traces were last looked for.
const STAMP: &str = ".pruned";

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Days since a file last changed; 0 for any number.
    pub days: u32,
    /// Bytes of all files together; 0 for any number.
    pub bytes: u64,
}

impl Default for Keep {
    /// 90 days and 512 MiB.
    fn default() -> Self {
        Keep { days: 90, bytes: 512 << 20 }
    }
}

/// Why a file went, or would go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It is older than what is kept.
    Age,
    /// All files together are larger than what is kept, and it was the oldest.
    Size,
}

/// One file that went, or would go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Why.
    pub why: Why,
}

/// What [`prune`] did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Pruned {
    /// The files that went, oldest first.
    pub removed: Vec<Removed>,
    /// How many files stay.
    pub kept: usize,
    /// Bytes of the files that stay.
    pub kept_bytes: u64,
    /// How many files stay only because a task has them in use, or just had.
    pub busy: usize,
    /// Files that could not be removed, and why.
    pub failed: Vec<String>,
}

/// Removes from `traces` and `spill` what is older than `keep` allows, and then the oldest until the rest is no larger.
///
/// `traces` holds `*.jsonl`, other files there are passed over; `spill` holds whole results of tasks, at most two folders
/// deep, and need not exist. A file that a [`TraceWriter`](crate::TraceWriter) holds in any process is never removed, nor
/// one that changed within ten minutes of `now`, nor one whose name begins with `spare`, the running task. A time of change
/// that lies in the future counts as now. With `dry` nothing is removed, and the result says what would be.
///
/// Fails only when `traces` cannot be listed; a file that cannot be removed is in [`Pruned::failed`].
pub fn prune(
    traces: &Path,
    spill: &Path,
    keep: Keep,
    now: SystemTime,
    spare: Option<&str>,
    dry: bool,
) -> io::Result<Pruned> {
    let files = files(traces, spill)?;
    let mut left: u64 = files.iter().map(|file| file.bytes).sum();
    let mut pruned = Pruned::default();
    for file in files {
        let why = match () {
            () if keep.days > 0 && file.age(now) > DAY * keep.days => Some(Why::Age),
            () if keep.bytes > 0 && left > keep.bytes => Some(Why::Size),
            () => None,
        };
        match why {
            Some(_) if file.is_busy(now, spare) => pruned.busy += 1,
            Some(why) => match if dry { Ok(()) } else { fs::remove_file(&file.path) } {
                Err(error) if is_in_use(&error) => pruned.busy += 1,
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    pruned.failed.push(format!("{}: {error}", file.path.display()));
                }
                // One that is gone already was removed by another process a moment ago.
                _ => {
                    left -= file.bytes;
                    pruned.removed.push(Removed { path: file.path, bytes: file.bytes, why });
                    continue;
                }
            },
            None => {}
        }
        pruned.kept += 1;
    }
    pruned.kept_bytes = left;
    if !dry {
        remove_empty(spill);
        stamp(traces);
    }
    Ok(pruned)
}

/// Whether it is time to [`prune`]: nobody looked for a day, or the files are larger than `keep` allows.
///
/// A stamp from the future, as a clock leaves that was set back, counts as none.
pub fn is_due(traces: &Path, spill: &Path, keep: Keep, now: SystemTime) -> bool {
    let looked = fs::metadata(traces.join(STAMP)).and_then(|stamp| stamp.modified()).ok();
    let lately = looked.and_then(|looked| now.duration_since(looked).ok()).is_some_and(|ago| ago < DAY);
    let size = || files(traces, spill).map_or(0, |files| files.iter().map(|file| file.bytes).sum::<u64>());
    !lately || keep.bytes > 0 && size() > keep.bytes
}

struct Kept {
    path: PathBuf,
    bytes: u64,
    changed: SystemTime,
}

impl Kept {
    fn of(entry: &fs::DirEntry) -> Option<Kept> {
        let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Kept { path: entry.path(), bytes: data.len(), changed: data.modified().unwrap_or(SystemTime::UNIX_EPOCH) })
    }

    fn age(&self, now: SystemTime) -> Duration {
        now.duration_since(self.changed).unwrap_or_default()
    }

    fn is_busy(&self, now: SystemTime, spare: Option<&str>) -> bool {
        let names = self.path.components().rev().take(3).filter_map(|part| part.as_os_str().to_str());
        let spared = spare.is_some_and(|spare| names.into_iter().any(|name| name.starts_with(spare)));
        spared || self.age(now) < FRESH || is_held(&self.path)
    }
}

/// Whether the system keeps the file because it is open: `ERROR_SHARING_VIOLATION` of Windows.
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && error.raw_os_error() == Some(32)
}

/// Whether a writer has the file. Where files cannot be locked, removing it would fail or do no harm.
fn is_held(path: &Path) -> bool {
    let open = OpenOptions::new().read(true).open(path);
    !cfg!(windows) && open.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The files, oldest first.
fn files(traces: &Path, spill: &Path) -> io::Result<Vec<Kept>> {
    let is_trace = |file: &Kept| file.path.extension().is_some_and(|end| end == "jsonl");
    let mut files: Vec<Kept> = entries(traces)?.iter().filter_map(Kept::of).filter(is_trace).collect();
    files.extend(spilled(spill, 2));
    files.sort_by(|a, b| (a.changed, &a.path).cmp(&(b.changed, &b.path)));
    Ok(files)
}

fn spilled(folder: &Path, depth: u32) -> Vec<Kept> {
    let entries = entries(folder).unwrap_or_default();
    let deeper = entries.iter().filter(|entry| depth > 0 && is_folder(entry));
    let deeper: Vec<Kept> = deeper.flat_map(|entry| spilled(&entry.path(), depth - 1)).collect();
    entries.iter().filter_map(Kept::of).chain(deeper).collect()
}

/// Whether the entry is a folder itself and no link to one.
fn is_folder(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// The entries of a folder; none where there is none.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Removes the folders of `spill` that hold nothing any more.
fn remove_empty(spill: &Path) {
    for folder in entries(spill).unwrap_or_default().iter().filter(|entry| is_folder(entry)) {
        // Fails where there is something in it, which is what is wanted.
        let _ = fs::remove_dir(folder.path());
    }
}

fn stamp(traces: &Path) {
    // Without a stamp the next task looks again, which is all that is lost.
    let _ = File::create(traces.join(STAMP)).and_then(|file| file.set_modified(SystemTime::now()));
}

#[cfg(test)]
mod tests;
