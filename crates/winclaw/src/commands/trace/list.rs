//! `winclaw trace list`.

use winclaw_trace::Summary;

use super::{find, words};
use crate::cli::TraceListArgs;
use crate::commands::figures;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::{Screen, columns, harmless};
use crate::terminal::one_line;

pub fn run(config: &Config, screen: &Screen, args: &TraceListArgs) -> Result<Exit, Complaint> {
    let tasks = find::all(&config.traces())?;
    let any = !tasks.is_empty();
    let tasks: Vec<Summary> = tasks.into_iter().filter(|task| find::fits(task, &args.filter)).collect();
    match tasks.as_slice() {
        tasks if args.json => screen.json(&tasks),
        [] if any => screen.line(screen.word("no task fits", "没有符合条件的任务")),
        [] => screen.line(screen.word("no tasks yet", "还没有任务记录")),
        tasks => {
            let rows: Vec<Vec<String>> = tasks.iter().map(|task| row(screen, task)).collect();
            columns(&rows).iter().for_each(|line| screen.line(line));
        }
    }
    Ok(Exit::Done)
}

fn row(screen: &Screen, task: &Summary) -> Vec<String> {
    let calls = figures::count(*screen, usize::try_from(task.calls).unwrap_or(usize::MAX), "call", "calls", "次调用");
    let model = if task.replayed {
        format!("{} ({})", task.model, screen.word("replayed", "回放"))
    } else {
        task.model.clone()
    };
    let state = words::state(screen, &task.state);
    let cells = [&task.task_id, state, &calls, &words::seconds(task.ms), &model, &one_line(&task.request)];
    cells.iter().map(|cell| harmless(cell)).collect()
}
