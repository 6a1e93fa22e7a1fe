use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::{Line, Record, VERSION, redact, task_id};

/// Longest string in a line, in characters; longer ones are cut with a mark.
const MAX_TEXT: usize = 65_536;

/// Appends the records of one task to its file.
///
/// The file is `<folder>/<task_id>.jsonl`, readable and writable by its owner only where the system knows owners.
#[derive(Debug)]
pub struct TraceWriter {
    path: PathBuf,
    out: Appender<File>,
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
        let file = private(OpenOptions::new().write(true).create_new(true)).open(&path)?;
        Ok(TraceWriter::over(path, file, 0, None))
    }

    /// Opens the file of an earlier task to append to it. A half line at its end is cut away first.
    ///
    /// `seq` goes on after the last whole line and `at_ms` from its moment. Errors as [`TraceWriter::create`], and
    /// `NotFound` when the task has no file.
    pub fn reopen(folder: &Path, task_id: &str) -> io::Result<TraceWriter> {
        let path = path_of(folder, task_id)?;
        let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64)?;
        let last = crate::reader::lines(&bytes[..whole]).0.pop();
        Ok(TraceWriter::over(path, file, whole as u64, last))
    }

    fn over(path: PathBuf, file: File, len: u64, last: Option<Line>) -> TraceWriter {
        let (next_seq, before) = last.map_or((0, 0), |line| (line.seq.saturating_add(1), line.at_ms));
        let out = Appender { store: file, good: len, torn: false };
        TraceWriter { path, out, next_seq, began: Instant::now(), before: Duration::from_millis(before) }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `record` as one redacted line and flushes it.
    ///
    /// When that fails, such as on a full disk, the file is cut back to its last whole line and the error is returned;
    /// only this record is lost and later ones can be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        let at = self.before.saturating_add(self.began.elapsed());
        let at_ms = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        let line = line_of(&Envelope { v: VERSION, seq: self.next_seq, at_ms, record })?;
        self.out.append(line.as_bytes())?;
        self.next_seq += 1;
        Ok(())
    }
}

/// The one place that makes a line, and so the one place that redacts.
///
/// Long strings are cut after redaction, since half a secret would no longer look like one.
fn line_of(envelope: &Envelope<'_>) -> io::Result<String> {
    let value: Value = serde_json::to_value(envelope)?;
    let mut line = cut(redact(&value)).to_string();
    line.push('\n');
    Ok(line)
}

/// `value` with every string of more than [`MAX_TEXT`] characters cut, with a mark that says how much is missing.
fn cut(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut_text(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(cut).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, value)| (key, cut(value))).collect()),
        other => other,
    }
}

fn cut_text(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
        let missing = text[end..].chars().count();
        text.truncate(end);
        text.push_str(&format!("… [cut, {missing} more characters]"));
    }
    text
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

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// What an [`Appender`] needs of a file.
trait Store {
    /// Writes all of `bytes` at `offset` and flushes; may leave a part behind when it fails.
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Drops everything from `len` on.
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

impl Store for File {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)?;
        self.flush()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

/// Appends whole lines or nothing.
#[derive(Debug)]
struct Appender<S> {
    store: S,
    /// Length of the file up to its last whole line.
    good: u64,
    /// Whether something may stand after it.
    torn: bool,
}

impl<S: Store> Appender<S> {
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.torn {
            self.mend()?;
        }
        if let Err(error) = self.store.put(self.good, line) {
            self.torn = true;
            // Should this fail too, the next append tries again before it writes.
            let _ = self.mend();
            return Err(error);
        }
        self.good += line.len() as u64;
        Ok(())
    }

    fn mend(&mut self) -> io::Result<()> {
        self.store.cut(self.good)?;
        self.torn = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
