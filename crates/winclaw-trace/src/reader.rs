use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_tool::Problem;

use crate::{Record, VERSION};

mod fault;
mod list;

use fault::Fault;
pub(crate) use list::last_line;
pub use list::{Summary, list};

/// Longest line that is read, in bytes; a longer one counts as foreign. What a writer makes stays far below it.
const MAX_LINE: u64 = 64 << 20;

/// Most problems that are told one by one; the rest are counted in one more.
const MAX_PROBLEMS: usize = 100;

/// One line of a trace file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Version of the line's form.
    pub v: u32,
    /// Its place in the file, from 0.
    #[serde(default)]
    pub seq: u64,
    /// When it was written, in milliseconds since the task began, by a clock that never goes back.
    #[serde(default)]
    pub at_ms: u64,
    /// What it says.
    #[serde(flatten)]
    pub record: Record,
}

/// Reads a trace line by line, however long it is: at any time no more than one line is in memory.
///
/// An item is an error only when the input itself cannot be read, which ends it. A line that is not a record is left out
/// and is a problem of [`TraceReader::problems`], as is a last line that was not written to its end. A record of a newer
/// version is given as far as it can be read.
#[derive(Debug)]
pub struct TraceReader<R> {
    input: R,
    subject: String,
    line: usize,
    faults: Vec<Fault>,
    untold: usize,
    newer_told: bool,
    ended: bool,
}

impl TraceReader<BufReader<File>> {
    /// A reader of the file at `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let subject = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(TraceReader::new(BufReader::with_capacity(1 << 16, File::open(path)?), &subject))
    }
}

impl<R: BufRead> TraceReader<R> {
    /// A reader of `input`, whose problems are said to be of `subject`.
    pub fn new(input: R, subject: &str) -> Self {
        let (faults, subject) = (Vec::new(), subject.to_owned());
        TraceReader { input, subject, line: 0, faults, untold: 0, newer_told: false, ended: false }
    }

    /// What was wrong with the lines so far: the first hundred, and how many more.
    pub fn problems(&self) -> Vec<Problem> {
        let told = self.faults.iter().map(|fault| fault.problem(&self.subject));
        let more = (self.untold > 0).then(|| Fault::More { count: self.untold }.problem(&self.subject));
        told.chain(more).collect()
    }

    fn note(&mut self, fault: Fault) {
        match self.faults.len() < MAX_PROBLEMS {
            true => self.faults.push(fault),
            false => self.untold += 1,
        }
    }

    /// The next line with its end, or what there is of it; nothing at the end of the input.
    fn piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut piece = Vec::new();
        let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut piece)?;
        if read as u64 == MAX_LINE && !piece.ends_with(b"\n") {
            self.input.skip_until(b'\n')?;
            // Kept short, since it is no record whatever it says.
            piece.truncate(1);
            piece.extend(b"\0\n");
        }
        self.line += 1;
        Ok((read > 0).then_some(piece))
    }

    fn take(&mut self, piece: &[u8]) -> Option<Line> {
        match line_of(piece, self.line) {
            Ok(line) => {
                let newer = line.as_ref().filter(|line| line.v > VERSION).map(|line| line.v);
                if let Some(v) = newer.filter(|_| !std::mem::replace(&mut self.newer_told, true)) {
                    self.note(Fault::Newer { line: self.line, v });
                }
                line
            }
            Err(fault) => {
                self.note(fault);
                None
            }
        }
    }
}

impl<R: BufRead> Iterator for TraceReader<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.piece() {
                Ok(Some(piece)) => {
                    if let Some(line) = self.take(&piece) {
                        return Some(Ok(line));
                    }
                }
                Ok(None) => {
                    self.ended = true;
                    // The piece that was not there was counted as the first.
                    if self.line == 1 {
                        self.note(Fault::Empty);
                    }
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// Reads the trace at `path` into memory. For traces of any length there is [`TraceReader`].
///
/// Fails only when the file itself cannot be read. A line that is not a record is left out and listed as a problem, as is
/// a last line that was not written to its end.
pub fn read(path: &Path) -> io::Result<(Vec<Line>, Vec<Problem>)> {
    let mut reader = TraceReader::open(path)?;
    let lines = reader.by_ref().collect::<io::Result<Vec<Line>>>()?;
    Ok((lines, reader.problems()))
}

/// Every whole record in `bytes`, and what is wrong with the other lines. Takes any bytes and never fails.
pub fn read_bytes(bytes: &[u8]) -> (Vec<Line>, Vec<Problem>) {
    let mut reader = TraceReader::new(bytes, "");
    // Memory can always be read.
    let lines = reader.by_ref().map_while(Result::ok).collect();
    (lines, reader.problems())
}

fn line_of(piece: &[u8], line: usize) -> Result<Option<Line>, Fault> {
    let Some(whole) = piece.strip_suffix(b"\n") else {
        return Err(Fault::Torn { line });
    };
    if whole.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let foreign = |error: serde_json::Error| Fault::Foreign { line, error: error.to_string() };
    let value: Value = serde_json::from_slice(whole).map_err(foreign)?;
    serde_json::from_value(value).map(Some).map_err(foreign)
}

#[cfg(test)]
mod tests;
