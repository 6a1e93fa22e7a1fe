use winclaw_tool::{Problem, ProblemKind, Text};

use crate::VERSION;

/// What is wrong with one line.
#[derive(Debug)]
pub(super) enum Fault {
    /// There is no line at all: the disk was full when the task began.
    Empty,
    /// It has no end: the program was stopped, or the disk was full, while it was written.
    Torn { line: usize },
    /// It is no record.
    Foreign { line: usize, error: String },
    /// It was written by a newer program; it was read as far as it could be.
    Newer { line: usize, v: u32 },
    /// So many more lines were left out.
    More { count: usize },
}

impl Fault {
    pub(super) fn problem(&self, subject: &str) -> Problem {
        let (what, mend) = match self {
            Fault::Empty => empty(),
            Fault::Torn { line } => torn(*line),
            Fault::Foreign { line, error } => foreign(*line, error),
            Fault::Newer { line, v } => newer(*line, *v),
            Fault::More { count } => more(*count),
        };
        Problem { kind: ProblemKind::Io, subject: subject.to_owned(), what, mend, fatal: false }
    }
}

fn empty() -> (Text, Text) {
    let what = Text::new(
        "The file is empty: nothing of this task could be written, as on a full disk.",
        "文件为空：该任务的内容未能写入，例如磁盘已满。",
    );
    (what, Text::new("Make room on the disk; the file can be removed.", "请腾出磁盘空间；可删除此文件。"))
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
    (what, restore())
}

fn newer(line: usize, v: u32) -> (Text, Text) {
    let what = Text::new(
        format!("From line {line} on the file has form {v}; this program knows {VERSION}, so parts may be missing."),
        format!("从第 {line} 行起，文件格式为 {v}；本程序只认识 {VERSION}，内容可能不全。"),
    );
    let mend = Text::new("Read it with a newer WinClaw.", "请用更新版本的 WinClaw 阅读。");
    (what, mend)
}

fn more(count: usize) -> (Text, Text) {
    let what = Text::new(
        format!("{count} more lines are not trace records and were left out."),
        format!("另有 {count} 行不是跟踪记录，已略过。"),
    );
    (what, restore())
}

fn restore() -> Text {
    Text::new("Restore the file from a copy, or remove that line.", "请从备份恢复该文件，或删除这一行。")
}
