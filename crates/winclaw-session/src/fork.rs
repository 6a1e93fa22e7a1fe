//! Copies of sessions, whole or of their beginning, and sessions from elsewhere.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::ops::{append, insert, now_ms};
use crate::rows::{FOLDED, LIVE, STAND_IN, TaskRow};
use crate::words::words;
use crate::{New, Transfer};

/// Copies the first `said` messages of session `from`, and what the model is given of them, to a new session `id`.
pub(crate) fn fork(db: &Connection, from: i64, said: u64, id: &str, new: &New) -> rusqlite::Result<()> {
    let end = row_of(db, from, said)?;
    let key = new.insert(db, id)?;
    let later = "SELECT EXISTS (SELECT 1 FROM messages WHERE session = ?1 AND kind <> 0 AND ord > ?2)";
    let folded_later: bool = db.query_row(later, [from, end.ord], |row| row.get(0))?;
    copy(db, from, key.n, end.ord, folded_later)?;
    db.execute(
        "UPDATE sessions SET (messages, bytes) = (SELECT count(*), coalesce(sum(length(CAST(body AS BLOB))), 0) FROM messages
         WHERE session = ?1 AND kind <> 2) WHERE n = ?1",
        [key.n],
    )?;
    if folded_later {
        return Ok(());
    }
    copy_state(db, from, key.n, end.row)
}

/// A message as a fork meets it.
struct End {
    row: i64,
    ord: i64,
}

fn row_of(db: &Connection, n: i64, number: u64) -> rusqlite::Result<End> {
    let skip = i64::try_from(number).unwrap_or(i64::MAX).saturating_sub(1);
    let sql = "SELECT id, ord FROM messages WHERE session = ?1 AND kind <> 2 ORDER BY ord LIMIT 1 OFFSET ?2";
    let found = db.query_row(sql, [n, skip], |row| Ok(End { row: row.get(0)?, ord: row.get(1)? })).optional()?;
    Ok(found.unwrap_or(End { row: 0, ord: 0 }))
}

/// Copies the rows up to `ord`. Before a fold the conversation was whole, so stand-ins stay behind and nothing is folded.
fn copy(db: &Connection, from: i64, to: i64, ord: i64, whole: bool) -> rusqlite::Result<()> {
    let mut read = db.prepare(
        "SELECT id, ord, kind, body, said, at_ms FROM messages WHERE session = ?1 AND ord <= ?2 ORDER BY ord",
    )?;
    let mut rows = read.query([from, ord])?;
    while let Some(row) = rows.next()? {
        let kind: i64 = row.get(2)?;
        if whole && kind == STAND_IN {
            continue;
        }
        let kind = if whole && kind == FOLDED { LIVE } else { kind };
        let body: String = row.get(3)?;
        let message = serde_json::from_str(&body).unwrap_or_default();
        let copied = insert(db, to, row.get(1)?, kind, &message, row.get(5)?)?;
        let said: Option<String> = row.get(4)?;
        db.execute("UPDATE messages SET said = ?2 WHERE id = ?1", params![copied, said])?;
        if kind != STAND_IN {
            let shown = said.and_then(|said| serde_json::from_str(&said).ok()).unwrap_or(message);
            db.execute("INSERT INTO words (rowid, text) VALUES (?1, ?2)", params![copied, words(&shown)])?;
        }
    }
    Ok(())
}

/// The state as it was behind message `row`, or the last before it.
fn copy_state(db: &Connection, from: i64, to: i64, row: i64) -> rusqlite::Result<()> {
    let newest: i64 =
        db.query_row("SELECT coalesce(max(id), 0) FROM messages WHERE session = ?1 AND kind <> 2", [from], |row| {
            row.get(0)
        })?;
    // Behind the last message the newest state holds, though stand-ins may have come later.
    let until = if row == newest { i64::MAX } else { row };
    db.execute(
        "INSERT INTO states (session, after, body)
         SELECT ?2, (SELECT coalesce(max(id), 0) FROM messages WHERE session = ?2), body FROM states
         WHERE session = ?1 AND after <= ?3 ORDER BY after DESC LIMIT 1",
        [from, to, until],
    )
    .map(drop)
}

/// Makes session `id` of what was carried here.
pub(crate) fn take_in(db: &Connection, id: &str, transfer: &Transfer) -> rusqlite::Result<()> {
    let Transfer { title, cwd, model, tasks, messages } = transfer.clone();
    let key = New { title, cwd, model, forked_from: None }.insert(db, id)?;
    messages.iter().try_for_each(|message| append(db, key.n, message).map(drop))?;
    tasks.iter().try_for_each(|task| insert_task(db, key.n, task))
}

fn insert_task(db: &Connection, n: i64, task: &TaskRow) -> rusqlite::Result<()> {
    let begun = if task.begun_ms > 0 { task.begun_ms } else { now_ms() };
    let end = task.end.clone().unwrap_or_default();
    let number = |count: Option<u64>| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let (micros, currency) = end.cost.clone().unzip();
    let state = task.end.as_ref().map(|end| end.state.clone());
    db.execute(
        "INSERT INTO tasks (session, trace, model, begun_ms, state, input, cached, output, micros, currency)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            n,
            task.trace,
            task.model,
            begun,
            state,
            number(end.input),
            number(end.cached),
            number(end.output),
            number(micros),
            currency
        ],
    )
    .map(drop)
}
