use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::redact::Learnt;
use crate::{Line, Record, Secrets, VERSION, cut, task_id};

mod append;

use append::{Appender, whole_len};

/// Appends the records of one task to its file.
///
/// The file is `<folder>/<task_id>.jsonl`, readable and writable by its owner only where the system knows owners. It is
/// locked until the writer is dropped or its process ends, however it ends: a second writer is refused, and
/// [`prune`](crate::prune) passes it over. Readers are never kept out.
#[derive(Debug)]
pub struct TraceWriter {
    path: PathBuf,
    out: Appender<File>,
    secrets: Secrets,
    learnt: Learnt,
    next_seq: u64,
    began: Instant,
    before: Duration,
}

#[derive(Serialize)]
struct Envelope<'a> {
    v: u32,
    seq: u64,
    at_ms: u64,
    #[serde(flatten)]
    record: &'a Record,
}

impl TraceWriter {
    /// Starts the file of a new task, and makes `folder` if it is missing. The clock of `at_ms` starts now.
    ///
    /// Errors: `InvalidInput` for an id that is not 1 to 64 of `a-z`, `A-Z`, `0-9`, `-` and `_`; `AlreadyExists` when the
    /// task has a file; else what the file system says.
    pub fn create(folder: &Path, task_id: &str) -> io::Result<TraceWriter> {
        let path = path_of(folder, task_id)?;
        make_folder(folder)?;
        let file = ours(OpenOptions::new().write(true).create_new(true)).open(&path)?;
        hold(&file)?;
        Ok(TraceWriter::over(path, file, 0, None))
    }

    /// Opens the file of an earlier task to append to it. A half line at its end is cut away first.
    ///
    /// `seq` goes on after the last whole line and `at_ms` from its moment. Errors as [`TraceWriter::create`],
    /// `NotFound` when the task has no file, and `WouldBlock` while another writer has it.
    pub fn reopen(folder: &Path, task_id: &str) -> io::Result<TraceWriter> {
        let path = path_of(folder, task_id)?;
        let mut file = ours(OpenOptions::new().read(true).write(true)).open(&path)?;
        hold(&file)?;
        let whole = whole_len(&mut file)?;
        file.set_len(whole)?;
        let last = crate::reader::last_line(&path)?;
        Ok(TraceWriter::over(path, file, whole, last))
    }

    fn over(path: PathBuf, file: File, len: u64, last: Option<Line>) -> TraceWriter {
        let (next_seq, before) = last.map_or((0, 0), |line| (line.seq.saturating_add(1), line.at_ms));
        let (out, secrets, learnt) = (Appender::new(file, len), Secrets::default(), Learnt::default());
        let before = Duration::from_millis(before);
        TraceWriter { path, out, secrets, learnt, next_seq, began: Instant::now(), before }
    }

    /// The same writer, which also hides `secrets` wherever they stand.
    pub fn hiding(self, secrets: Secrets) -> TraceWriter {
        TraceWriter { secrets, ..self }
    }

    /// Lets the file go and removes it, such as when not even the head of the trace could be written.
    pub fn discard(self) {
        let TraceWriter { path, out, .. } = self;
        // Windows removes no file that is open.
        drop(out);
        // An empty file that stays does no harm; readers say that it is empty.
        let _ = fs::remove_file(path);
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `record` as one redacted line and hands it to the system, so that it survives the end of the process.
    ///
    /// When that fails, such as on a full disk, the file is cut back to its last whole line and the error is returned;
    /// only this record is lost and later ones can be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        let at = self.before.saturating_add(self.began.elapsed());
        let at_ms = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        let envelope = Envelope { v: VERSION, seq: self.next_seq, at_ms, record };
        let line = line_of(&envelope, &self.secrets, &mut self.learnt)?;
        self.out.append(line.as_bytes())?;
        self.next_seq += 1;
        Ok(())
    }
}

/// The one place that makes a line, and so the one place that redacts.
///
/// What was hidden in one record is hidden in it and in later ones wherever it stands, as in the error of the call whose
/// arguments held it. Long strings are cut after redaction, since half a secret would no longer look like one.
fn line_of(envelope: &Envelope<'_>, secrets: &Secrets, learnt: &mut Learnt) -> io::Result<String> {
    let value: Value = serde_json::to_value(envelope)?;
    let mut line = escaped(&cut::fields(learnt.redact(secrets, &value)).to_string());
    line.push('\n');
    Ok(line)
}

/// JSON with what would steer a terminal written as escapes, so that the file can be looked at: DEL, C1, and the characters
/// that turn the direction of text or hide in it. The control characters below a space are escaped by JSON already.
fn escaped(json: &str) -> String {
    let hostile = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
    let mut out = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        match hostile(c) {
            true => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
            false => out.push(c),
        }
    }
    out
}

fn path_of(folder: &Path, task_id: &str) -> io::Result<PathBuf> {
    task_id::check(task_id)?;
    Ok(folder.join(format!("{task_id}.jsonl")))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// For the owner only; on Windows others may read it meanwhile and neither write nor remove it.
fn ours(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, SHARE_READ);
    options
}

/// `FILE_SHARE_READ` of the Windows API.
#[cfg(windows)]
const SHARE_READ: u32 = 1;

/// Locks the file for this writer. On Windows a lock would keep readers out, and the share mode does the same.
fn hold(file: &File) -> io::Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        // A file system without locks holds traces all the same.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests;
