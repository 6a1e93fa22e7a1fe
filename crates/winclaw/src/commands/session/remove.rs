use std::io::{Write as _, stderr, stdin};
use std::path::Path;

use serde_json::json;
use winclaw_session::{Info, Store};

use super::part::moment;
use super::{find, look};
use crate::cli::RemoveArgs;
use crate::commands::figures::count;
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::screen::{Screen, columns, harmless};
use crate::shelf::of_store;
use crate::terminal::can_ask;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Removes the sessions that are named.
pub fn remove(config: &Config, screen: &Screen, given: &[String], how: RemoveArgs) -> Result<Exit, Complaint> {
    let mut sessions: Vec<Info> = Vec::new();
    for given in given {
        let (store, id) = find(config, screen, given)?;
        if !sessions.iter().any(|info| info.id == id) {
            sessions.push(store.info(&id).map_err(|error| of_store(&error))?);
        }
    }
    match look(config, screen)? {
        Some(store) => all(config, screen, store, sessions, how),
        None => Ok(Exit::Done),
    }
}

/// Removes the sessions that nothing was added to for so many days, and those behind the first so many.
pub fn prune(
    config: &Config,
    screen: &Screen,
    older_than: Option<u32>,
    keep: Option<usize>,
    how: RemoveArgs,
) -> Result<Exit, Complaint> {
    let Some(store) = look(config, screen)? else { return nothing(screen, how) };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let before = older_than.map(|days| now.saturating_sub(i64::from(days).saturating_mul(DAY)));
    let sessions = store.list(None).map_err(|error| of_store(&error))?;
    let old = |(at, info): &(usize, Info)| {
        before.is_some_and(|before| info.updated_ms < before) || keep.is_some_and(|keep| *at >= keep)
    };
    let sessions: Vec<Info> = sessions.into_iter().enumerate().filter(old).map(|(_, info)| info).collect();
    if sessions.is_empty() {
        return nothing(screen, how);
    }
    all(config, screen, store, sessions, how)
}

fn nothing(screen: &Screen, how: RemoveArgs) -> Result<Exit, Complaint> {
    match how.json {
        true => screen.json(&json!({"removed": []})),
        false => screen.line(screen.word("nothing to remove", "没有可删除的会话")),
    }
    Ok(Exit::Done)
}

fn all(
    config: &Config,
    screen: &Screen,
    mut store: Store,
    sessions: Vec<Info>,
    how: RemoveArgs,
) -> Result<Exit, Complaint> {
    if !how.yes {
        asked(screen, &sessions, how)?;
    }
    let mut removed = Vec::new();
    let done = sessions.iter().try_for_each(|info| {
        one(config, &mut store, &info.id, how)?;
        removed.push(info.id.as_str());
        Ok(())
    });
    if removed.is_empty() {
        return done.map(|()| Exit::Done);
    }
    let tidied = store.tidy().map_err(|error| of_store(&error));
    match how.json {
        true => screen.json(&json!({"removed": removed})),
        false => {
            let what = count(*screen, removed.len(), "session", "sessions", "个会话");
            let words = screen.word("removed", "已删除");
            screen.line(&format!("{words}: {what} ({})", removed.join(", ")));
        }
    }
    done.and(tidied).map(|()| Exit::Done)
}

fn one(config: &Config, store: &mut Store, id: &str, how: RemoveArgs) -> Result<(), Complaint> {
    let tasks = store.tasks(id).map_err(|error| of_store(&error))?;
    store.remove(id).map_err(|error| of_store(&error))?;
    if how.traces {
        tasks.iter().try_for_each(|task| remove_trace(&config.traces(), &task.trace))?;
    }
    Ok(())
}

fn remove_trace(folder: &Path, trace: &str) -> Result<(), Complaint> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if trace.is_empty() || !trace.bytes().all(legal) {
        return Ok(());
    }
    let file = folder.join(format!("{trace}.jsonl"));
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io(&file, &error)),
        _ => Ok(()),
    }
}

/// Asks; where nobody can be asked nothing is removed.
fn asked(screen: &Screen, sessions: &[Info], how: RemoveArgs) -> Result<(), Complaint> {
    let what = count(*screen, sessions.len(), "session", "sessions", "个会话");
    if !can_ask() {
        return Err(refused(&what, "nobody can be asked here", "此处无法询问")
            .mend("say --yes to remove without asking", "加上 --yes 可不经询问直接删除"));
    }
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .map(|info| vec![format!("  {}", info.id), moment(info.updated_ms), harmless(&info.title)])
        .collect();
    columns(&rows).iter().for_each(|line| screen.note(line));
    let traces = if how.traces { screen.word(" and their traces", "及其跟踪记录") } else { "" };
    let question = match screen.word("en", "zh") {
        "zh" => format!("永久删除 {what}{traces}吗？[y] 是，[n] 否："),
        _ => format!("Remove {what}{traces} for good? [y]es, [n]o: "),
    };
    let _ = write!(stderr().lock(), "{question}");
    let mut line = String::new();
    let read = stdin().read_line(&mut line).unwrap_or(0);
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" | "是" if read > 0 => Ok(()),
        _ => Err(refused(&what, "you said no", "您选择了否")),
    }
}

fn refused(what: &str, en: &str, zh: &str) -> Complaint {
    Complaint::new(Exit::Denied, format!("{what} not removed: {en}"), format!("未删除 {what}：{zh}"))
}
