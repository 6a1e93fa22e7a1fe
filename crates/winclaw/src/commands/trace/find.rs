//! Which tasks the words of a command mean.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use winclaw_trace::Summary;

use crate::cli::TraceFilter;
use crate::complaint::{Complaint, Exit, io};

/// Every task with a trace in `folder`, newest first.
pub fn all(folder: &Path) -> Result<Vec<Summary>, Complaint> {
    winclaw_trace::list(folder).map_err(|error| io(folder, &error))
}

/// Whether `task` is one that `filter` asks for.
pub fn fits(task: &Summary, filter: &TraceFilter) -> bool {
    let holds = |text: &str| {
        let text = text.to_lowercase();
        task.request.to_lowercase().contains(&text) || task.model.to_lowercase().contains(&text)
    };
    filter.state.as_ref().is_none_or(|state| task.state == *state)
        && filter.since.is_none_or(|since| task.started >= since.unix_ms(now()))
        && filter.text.as_deref().is_none_or(holds)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The trace that `given` means: a file, a task's id, a beginning that only one has, or the newest for `last`.
pub fn file(folder: &Path, given: &str) -> Result<PathBuf, Complaint> {
    let path = Path::new(given);
    if path.extension().is_some_and(|end| end == "jsonl") && path.is_file() {
        return Ok(path.to_owned());
    }
    Ok(of(folder, &one(&all(folder)?, given)?))
}

/// The file of the task `id`.
pub fn of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

/// The id that `given` means.
fn one(tasks: &[Summary], given: &str) -> Result<String, Complaint> {
    if given == "last" {
        return tasks.first().map(|task| task.task_id.clone()).ok_or_else(none_yet);
    }
    let found: Vec<&str> = tasks.iter().map(|task| task.task_id.as_str()).filter(|id| id.starts_with(given)).collect();
    match found.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Complaint::new(Exit::Usage, format!("there is no task `{given}`"), format!("没有任务“{given}”"))
            .mend("`winclaw trace list` lists them", "运行 winclaw trace list 查看")),
        several if several.contains(&given) => Ok(given.to_owned()),
        several => {
            let ids = several.join(", ");
            let (en, zh) = (format!("`{given}` begins several: {ids}"), format!("“{given}”对应多个：{ids}"));
            Err(Complaint::new(Exit::Usage, en, zh).mend("write more of the id", "请写出更完整的 id"))
        }
    }
}

/// The complaint that there is no task at all.
pub fn none_yet() -> Complaint {
    Complaint::new(Exit::Usage, "there is no task yet", "还没有任务记录")
        .mend("run one first, such as `winclaw demo`", "请先运行一个任务，例如 winclaw demo")
}
