use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde::Serialize;

use super::{TraceReader, read_bytes};
use crate::record::TokenUsage;
use crate::{Line, Record};

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

/// The tasks that have a trace in `folder`, newest first. A folder that does not exist holds none.
///
/// Files that are not named `*.jsonl` are passed over; one that cannot be read is listed as `unreadable`. A task that
/// ended is known from its first and last line; one that did not is read to its end, a line at a time.
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
    let mut summary = Summary { task_id, state: "unreadable".into(), ..Summary::default() };
    let Ok(mut reader) = TraceReader::open(path) else { return summary };
    let mut lines = reader.by_ref().map_while(Result::ok);
    if let Some(first) = lines.next() {
        add(&mut summary, first);
        let last = last_line(path).ok().flatten().filter(|line| matches!(line.record, Record::End { .. }));
        match last {
            Some(end) => add(&mut summary, end),
            None => lines.for_each(|line| add(&mut summary, line)),
        }
    }
    summary
}

/// The last whole record of a file. Looks in its last 64 KiB, and through all of it when none begins there.
pub(crate) fn last_line(path: &Path) -> io::Result<Option<Line>> {
    const TAIL: u64 = 1 << 16;
    let mut file = File::open(path)?;
    let from = file.metadata()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    // A line that began before the tail is no record here, and is left out with what else is none.
    match read_bytes(&bytes).0.pop() {
        None if from > 0 => TraceReader::open(path)?.last().transpose(),
        last => Ok(last),
    }
}

fn add(summary: &mut Summary, line: Line) {
    summary.ms = line.at_ms;
    match line.record {
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
        Record::Reply { usage, .. } => summary.tokens.add(usage),
        Record::Call { .. } => summary.calls += 1,
        Record::End { state, calls, tokens, ms, .. } => {
            (summary.state, summary.calls, summary.tokens, summary.ms) = (state, calls, tokens, ms);
        }
        _ => {}
    }
}
