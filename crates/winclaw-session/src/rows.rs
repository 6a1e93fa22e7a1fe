use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use winclaw_model::Message;
use winclaw_tool::{Problem, ProblemKind, Text};

/// What is known of a session without its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Info {
    /// Its id: five letters and digits.
    pub id: String,
    /// What it is called: its first request in short, or what it was renamed to. May be empty.
    pub title: String,
    /// The folder it began in.
    pub cwd: String,
    /// The model of its last task, `provider/name`.
    pub model: String,
    /// When it began, by the clock of then: milliseconds since 1970. For reading only; order goes by sequence.
    pub created_ms: i64,
    /// When it was last added to, by the clock of then.
    pub updated_ms: i64,
    /// How many messages were said.
    pub messages: u64,
    /// Bytes of its messages.
    pub bytes: u64,
    /// The session it was forked from, and after which message.
    pub forked_from: Option<(String, u64)>,
    /// How many tasks it ran.
    pub tasks: u64,
    /// What its tasks took.
    pub spent: Spent,
}

/// What tasks took, as far as vendors say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Spent {
    /// Tokens of all requests, cached ones included.
    pub input: u64,
    /// Those of them that came from a vendor's cache.
    pub cached: u64,
    /// Tokens of all replies.
    pub output: u64,
    /// Millionths of each currency, by its three letters.
    pub micros: BTreeMap<String, u64>,
}

/// How a task ended and what it took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskEnd {
    /// The end state's own word, such as `done`.
    pub state: String,
    /// Tokens of its requests, where the vendor says.
    pub input: Option<u64>,
    /// Those from the vendor's cache.
    pub cached: Option<u64>,
    /// Tokens of its replies.
    pub output: Option<u64>,
    /// Its price: millionths of a currency, and the currency's three letters.
    pub cost: Option<(u64, String)>,
}

/// A task of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// The id of its trace.
    pub trace: String,
    /// The model, `provider/name`.
    pub model: String,
    /// When it began, by the clock of then.
    pub begun_ms: i64,
    /// How it ended; `None` while it runs, and when its process died.
    pub end: Option<TaskEnd>,
}

/// A message as people read it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Said {
    /// Its number in the session; the first is 1.
    pub number: u64,
    /// When it was kept, by the clock of then.
    pub at_ms: i64,
    /// Whether the model is still given it whole; `false` when it was folded to save room.
    pub whole: bool,
    /// The message as it was said, without what was put behind it for the model.
    pub message: Value,
}

/// A session as the next request goes on from it.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What it is.
    pub info: Info,
    /// The conversation as the model is given it. Calls of a process that died may lack their results; whoever goes on
    /// mends them.
    pub messages: Vec<Message>,
    /// The state that was saved last, if any.
    pub state: Option<Value>,
    /// What of it cannot be read by this version and was left out of `messages`; it stays in the store.
    pub problems: Vec<Problem>,
}

/// Said and given to the model.
pub(crate) const LIVE: i64 = 0;
/// Said, and folded away for the model.
pub(crate) const FOLDED: i64 = 1;
/// Given to the model in place of what was folded.
pub(crate) const STAND_IN: i64 = 2;

const INFO: &str = "SELECT n, id, title, cwd, model, created_ms, updated_ms, messages, bytes, parent, parent_messages,
    (SELECT count(*) FROM tasks WHERE session = n), touched, version FROM sessions";

/// What of a session only the store needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) n: i64,
    pub(crate) version: i64,
}

fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or(0))
}

fn info(row: &Row<'_>) -> rusqlite::Result<(Key, Info)> {
    let parent: Option<String> = row.get(9)?;
    let after: Option<i64> = row.get(10)?;
    let info = Info {
        id: row.get(1)?,
        title: row.get(2)?,
        cwd: row.get(3)?,
        model: row.get(4)?,
        created_ms: row.get(5)?,
        updated_ms: row.get(6)?,
        messages: count(row, 7)?,
        bytes: count(row, 8)?,
        forked_from: parent.map(|parent| (parent, after.and_then(|after| u64::try_from(after).ok()).unwrap_or(0))),
        tasks: count(row, 11)?,
        spent: Spent::default(),
    };
    Ok((Key { n: row.get(0)?, version: row.get(13)? }, info))
}

/// Every session, the one that was added to last first.
pub(crate) fn all(db: &Connection, most: Option<usize>) -> rusqlite::Result<Vec<Info>> {
    let most = most.and_then(|most| i64::try_from(most).ok()).unwrap_or(-1);
    let mut statement = db.prepare(&format!("{INFO} ORDER BY touched DESC LIMIT ?1"))?;
    let found = statement.query_map([most], info)?.collect::<rusqlite::Result<Vec<_>>>()?;
    found.into_iter().map(|(key, info)| Ok(Info { spent: spent(db, key.n)?, ..info })).collect()
}

/// The session `id`, which is whole.
pub(crate) fn one(db: &Connection, id: &str) -> rusqlite::Result<Option<(Key, Info)>> {
    let found = db.query_row(&format!("{INFO} WHERE id = ?1"), [id], info).optional()?;
    found.map(|(key, info)| Ok((key, Info { spent: spent(db, key.n)?, ..info }))).transpose()
}

fn spent(db: &Connection, n: i64) -> rusqlite::Result<Spent> {
    let sums =
        "SELECT coalesce(currency, ''), sum(coalesce(input, 0)), sum(coalesce(cached, 0)), sum(coalesce(output, 0)),
        sum(coalesce(micros, 0)) FROM tasks WHERE session = ?1 GROUP BY 1";
    let mut statement = db.prepare(sums)?;
    let mut rows = statement.query([n])?;
    let mut spent = Spent::default();
    while let Some(row) = rows.next()? {
        spent.input += count(row, 1)?;
        spent.cached += count(row, 2)?;
        spent.output += count(row, 3)?;
        let currency: String = row.get(0)?;
        if !currency.is_empty() {
            spent.micros.insert(currency, count(row, 4)?);
        }
    }
    Ok(spent)
}

/// The tasks of a session, oldest first.
pub(crate) fn tasks(db: &Connection, n: i64) -> rusqlite::Result<Vec<TaskRow>> {
    let mut statement = db.prepare(
        "SELECT trace, model, begun_ms, state, input, cached, output, micros, currency FROM tasks WHERE session = ?1
         ORDER BY id",
    )?;
    statement.query_map([n], task)?.collect()
}

fn task(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    let number =
        |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.and_then(|n| u64::try_from(n).ok()));
    let state: Option<String> = row.get(3)?;
    let (input, cached, output, micros) = (number(4)?, number(5)?, number(6)?, number(7)?);
    let currency: Option<String> = row.get(8)?;
    let end = state.map(|state| TaskEnd { state, input, cached, output, cost: micros.zip(currency) });
    Ok(TaskRow { trace: row.get(0)?, model: row.get(1)?, begun_ms: row.get(2)?, end })
}

/// A message that a model is given, and its row.
pub(crate) type Live = (i64, Message);

/// The messages a model is given; those of a newer form are problems.
pub(crate) fn live(db: &Connection, n: i64, id: &str) -> rusqlite::Result<(Vec<Live>, Vec<Problem>)> {
    let mut statement = db.prepare("SELECT id, body FROM messages WHERE session = ?1 AND kind <> 1 ORDER BY ord")?;
    let mut rows = statement.query([n])?;
    let (mut messages, mut problems) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        match serde_json::from_str(row.get_ref(1)?.as_str()?) {
            Ok(message) => messages.push((row.get(0)?, message)),
            Err(error) => problems.push(unreadable(id, &error)),
        }
    }
    Ok((messages, problems))
}

fn unreadable(id: &str, error: &serde_json::Error) -> Problem {
    Problem {
        kind: ProblemKind::Io,
        subject: id.to_owned(),
        what: Text::new(
            format!(
                "A message of session {id} is of a form this version does not know and is not given to the model ({error})."
            ),
            format!("会话 {id} 中有一条消息的格式本版本不支持，不会提供给模型（{error}）。"),
        ),
        mend: Text::new(
            "It stays in the session; the version that wrote it can read it.",
            "该消息仍保留在会话中；写入它的版本可以读取。",
        ),
        fatal: false,
    }
}

/// The state that was saved last.
pub(crate) fn state(db: &Connection, n: i64) -> rusqlite::Result<Option<Value>> {
    let body: Option<String> = db
        .query_row("SELECT body FROM states WHERE session = ?1 ORDER BY after DESC LIMIT 1", [n], |row| row.get(0))
        .optional()?;
    // A state that cannot be read is as good as none: whoever goes on begins anew with the messages.
    Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
}

/// `most` messages as they were said, behind the first `after`.
pub(crate) fn said(db: &Connection, n: i64, after: u64, most: usize) -> rusqlite::Result<Vec<Said>> {
    let (most, skip) = (i64::try_from(most).unwrap_or(-1), i64::try_from(after).unwrap_or(i64::MAX));
    let mut statement = db.prepare(
        "SELECT at_ms, kind, coalesce(said, body) FROM messages WHERE session = ?1 AND kind <> 2 ORDER BY ord
         LIMIT ?2 OFFSET ?3",
    )?;
    let mut number = after;
    let mut rows = statement.query([n, most, skip])?;
    let mut said = Vec::new();
    while let Some(row) = rows.next()? {
        number += 1;
        let body = row.get_ref(2)?.as_str()?;
        let message = serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned()));
        said.push(Said { number, at_ms: row.get(0)?, whole: row.get::<_, i64>(1)? == LIVE, message });
    }
    Ok(said)
}
