use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_tool::{Problem, ProblemKind, Text};

use crate::record::TokenUsage;
use crate::{Record, VERSION};

/// One line of a trace file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Version of the line's form.
    pub v: u32,
    /// Its place in the file, from 0.
    #[serde(default)]
    pub seq: u64,
    /// When it was written, in milliseconds since the task began.
    #[serde(default)]
    pub at_ms: u64,
    /// What it says.
    #[serde(flatten)]
    pub record: Record,
}

/// A task in one line, for lists.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Summary {
    /// The task's id.
    pub task_id: String,
    /// Wall clock at its start, in milliseconds since 1970; 0 when the file does not say.
    pub started: u64,
    /// What was asked.
    pub request: String,
    /// The model's label.
    pub model: String,
    /// Whether the model was a replayed script.
    pub replayed: bool,
    /// How it ended; `unfinished` when the file has no end, `unreadable` when it has no head.
    pub state: String,
    /// Calls that ran.
    pub calls: u64,
    /// Tokens over all replies.
    pub tokens: TokenUsage,
    /// How long it took, in milliseconds; up to the last line when it is unfinished.
    pub ms: u64,
}

/// Reads the trace at `path`.
///
/// Fails only when the file itself cannot be read. A line that is not a record is left out and listed as a problem, as is
/// a last line that was not written to its end.
pub fn read(path: &Path) -> io::Result<(Vec<Line>, Vec<Problem>)> {
    let bytes = fs::read(path)?;
    let (lines, faults) = lines(&bytes);
    let subject = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((lines, faults.into_iter().map(|fault| fault.problem(&subject)).collect()))
}

/// The tasks that have a trace in `folder`, newest first. A folder that does not exist holds none.
///
/// Files that are not named `*.jsonl` are passed over; one that cannot be read is listed as `unreadable`.
pub fn list(folder: &Path) -> io::Result<Vec<Summary>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            found.push(summary_of(&path));
        }
    }
    found.sort_by(|a, b| (b.started, &b.task_id).cmp(&(a.started, &a.task_id)));
    Ok(found)
}

fn summary_of(path: &Path) -> Summary {
    let task_id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let lines = read(path).map(|(lines, _)| lines).unwrap_or_default();
    let mut summary = Summary { task_id, state: "unreadable".into(), ..Summary::default() };
    for line in lines {
        summary.ms = line.at_ms;
        add(&mut summary, line.record);
    }
    summary
}

fn add(summary: &mut Summary, record: Record) {
    match record {
        Record::Start { started_unix_ms, model, replayed, request, .. } => {
            *summary = Summary {
                task_id: std::mem::take(&mut summary.task_id),
                started: started_unix_ms,
                state: "unfinished".into(),
                request,
                model,
                replayed,
                ..Summary::default()
            };
        }
        Record::Reply { usage, .. } => add_usage(&mut summary.tokens, usage),
        Record::Call { .. } => summary.calls += 1,
        Record::End { state, calls, tokens, ms, .. } => {
            (summary.state, summary.calls, summary.tokens, summary.ms) = (state, calls, tokens, ms);
        }
        _ => {}
    }
}

fn add_usage(sum: &mut TokenUsage, more: TokenUsage) {
    let add = |sum: &mut Option<u64>, more: Option<u64>| {
        if let Some(more) = more {
            *sum = Some(sum.unwrap_or(0).saturating_add(more));
        }
    };
    add(&mut sum.input, more.input);
    add(&mut sum.cached, more.cached);
    add(&mut sum.output, more.output);
}

/// What is wrong with one line.
pub(crate) enum Fault {
    /// It has no end: the program was stopped, or the disk was full, while it was written.
    Torn { line: usize },
    /// It is no record.
    Foreign { line: usize, error: String },
    /// It was written by a newer program; it was read as far as it could be.
    Newer { line: usize, v: u32 },
}

/// Every whole record in `bytes`, and what is wrong with the other lines.
pub(crate) fn lines(bytes: &[u8]) -> (Vec<Line>, Vec<Fault>) {
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    let mut newer_told = false;
    for (n, piece) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        match line_of(piece, n + 1) {
            Ok(Some(line)) => {
                if line.v > VERSION && !std::mem::replace(&mut newer_told, true) {
                    faults.push(Fault::Newer { line: n + 1, v: line.v });
                }
                lines.push(line);
            }
            Ok(None) => {}
            Err(fault) => faults.push(fault),
        }
    }
    (lines, faults)
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

impl Fault {
    fn problem(&self, subject: &str) -> Problem {
        let (what, mend) = match self {
            Fault::Torn { line } => torn(*line),
            Fault::Foreign { line, error } => foreign(*line, error),
            Fault::Newer { line, v } => newer(*line, *v),
        };
        Problem { kind: ProblemKind::Io, subject: subject.to_owned(), what, mend, fatal: false }
    }
}

fn torn(line: usize) -> (Text, Text) {
    let what = Text::new(
        format!("Line {line} was not written to its end; it was left out."),
        format!("第 {line} 行没有写完，已略过。"),
    );
    let mend = Text::new(
        "Nothing needs to be done; look at free disk space if it happens again.",
        "无需处理；若再次出现，请检查磁盘剩余空间。",
    );
    (what, mend)
}

fn foreign(line: usize, error: &str) -> (Text, Text) {
    let what = Text::new(
        format!("Line {line} is not a trace record and was left out: {error}"),
        format!("第 {line} 行不是跟踪记录，已略过：{error}"),
    );
    let mend = Text::new("Restore the file from a copy, or remove that line.", "请从备份恢复该文件，或删除这一行。");
    (what, mend)
}

fn newer(line: usize, v: u32) -> (Text, Text) {
    let what = Text::new(
        format!("From line {line} on the file has form {v}; this program knows {VERSION}, so parts may be missing."),
        format!("从第 {line} 行起，文件格式为 {v}；本程序只认识 {VERSION}，内容可能不全。"),
    );
    let mend = Text::new("Read it with a newer WinClaw.", "请用更新版本的 WinClaw 阅读。");
    (what, mend)
}

#[cfg(test)]
mod tests;
