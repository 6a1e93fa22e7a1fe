//! What is done to a session, each inside a transaction of the caller.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, params};
use serde_json::Value;
use winclaw_model::Message;

use crate::fold::{Place, align};
use crate::rows::{FOLDED, LIVE, STAND_IN, TaskEnd};
use crate::words::{role, title, words};

/// One thing to be written.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Append(Value),
    Amend { at: usize, message: Value },
    Rewrite(Vec<Value>),
    State(Value),
    BeginTask { trace: String, model: String },
    EndTask { trace: String, end: TaskEnd },
}

/// The clock, in milliseconds since 1970; 0 before that.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Does `op` to session `n`. `live` are the rows of what the model is given, and follows.
pub(crate) fn apply(db: &Connection, n: i64, live: &mut Vec<i64>, op: &Op) -> rusqlite::Result<()> {
    match op {
        Op::Append(message) => live.push(append(db, n, message)?),
        Op::Amend { at, message } => {
            if let Some(row) = live.get(*at) {
                amend(db, *row, message)?;
            }
        }
        Op::Rewrite(messages) => *live = rewrite(db, n, live, messages)?,
        Op::State(state) => set_state(db, n, state)?,
        Op::BeginTask { trace, model } => begin_task(db, n, trace, model)?,
        Op::EndTask { trace, end } => end_task(db, n, trace, end)?,
    }
    Ok(())
}

/// Puts `message` behind the others and returns its row.
pub(crate) fn append(db: &Connection, n: i64, message: &Value) -> rusqlite::Result<i64> {
    let ord = next_ord(db, n)?;
    let row = insert(db, n, ord, LIVE, message, now_ms())?;
    let body = i64::try_from(message.to_string().len()).unwrap_or(i64::MAX);
    db.prepare("UPDATE sessions SET messages = messages + 1, bytes = bytes + ?2 WHERE n = ?1")?.execute([n, body])?;
    db.prepare("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?.execute(params![row, words(message)])?;
    if role(message) == "user" {
        let title = title(message);
        db.prepare("UPDATE sessions SET title = ?2 WHERE n = ?1 AND title = ''")?.execute(params![n, title])?;
    }
    Ok(row)
}

fn next_ord(db: &Connection, n: i64) -> rusqlite::Result<i64> {
    db.query_row("SELECT coalesce(max(ord), 0) + 1 FROM messages WHERE session = ?1", [n], |row| row.get(0))
}

pub(crate) fn insert(
    db: &Connection,
    n: i64,
    ord: i64,
    kind: i64,
    message: &Value,
    at_ms: i64,
) -> rusqlite::Result<i64> {
    db.prepare("INSERT INTO messages (session, ord, kind, role, body, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .insert(params![n, ord, kind, role(message), message.to_string(), at_ms])
}

/// Puts `message` in the place of what stands in `row`. What is only text behind what was said is not shown to people.
fn amend(db: &Connection, row: i64, message: &Value) -> rusqlite::Result<()> {
    let read = "SELECT kind, body, said FROM messages WHERE id = ?1";
    let stood = db.query_row(read, [row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (kind, body, said): (i64, String, Option<String>) = stood;
    let old: Value = serde_json::from_str(said.as_ref().unwrap_or(&body)).unwrap_or_default();
    let new = with_unknown(&body, message);
    let first = said.unwrap_or(body);
    let said = extends(&old, &new).then_some(first);
    if said.is_none() && kind != STAND_IN {
        db.prepare("UPDATE words SET text = ?2 WHERE rowid = ?1")?.execute(params![row, words(&new)])?;
    }
    db.prepare("UPDATE messages SET body = ?2, said = ?3 WHERE id = ?1")?
        .execute(params![row, new.to_string(), said])
        .map(drop)
}

/// Whether `new` is `old` with something put behind its text and nothing else.
fn extends(old: &Value, new: &Value) -> bool {
    let key = match role(new) {
        "user" => "text",
        "tool" => "content",
        _ => return false,
    };
    let text = |message: &Value| message.get(key).and_then(Value::as_str).map(str::to_owned);
    let longer = text(old).zip(text(new)).is_some_and(|(old, new)| new.starts_with(&old));
    longer && without(old, key) == without(new, key)
}

fn without(message: &Value, key: &str) -> Value {
    let mut rest = message.clone();
    if let Some(map) = rest.as_object_mut() {
        map.shift_remove(key);
    }
    rest
}

/// `message` with the fields of `body` that this version does not know.
fn with_unknown(body: &str, message: &Value) -> Value {
    let mut new = message.clone();
    let Ok(Value::Object(old)) = serde_json::from_str(body) else { return new };
    let Ok(Value::Object(known)) = known(&Value::Object(old.clone())) else { return new };
    if let Some(map) = new.as_object_mut() {
        let unknown = old.into_iter().filter(|(key, _)| !known.contains_key(key));
        for (key, value) in unknown {
            map.entry(key).or_insert(value);
        }
    }
    new
}

/// What this version makes of a message that was kept.
fn known(message: &Value) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_value::<Message>(message.clone())?)
}

/// Gives the model `messages` from now on. What stands unchanged is kept; what was said stays for people to read.
fn rewrite(db: &Connection, n: i64, live: &[i64], messages: &[Value]) -> rusqlite::Result<Vec<i64>> {
    let old = live.iter().map(|row| body_of(db, *row)).collect::<rusqlite::Result<Vec<String>>>()?;
    let new: Vec<String> = messages.iter().map(Value::to_string).collect();
    let places = align(&old, &new);
    let mut folding = Folding { db, n, order: ordered(db, n)?.into(), ord: 0, at_ms: now_ms() };
    let kept: std::collections::HashSet<usize> =
        places.iter().filter_map(|place| if let Place::Kept(at) = place { Some(*at) } else { None }).collect();
    for (_, row) in live.iter().enumerate().filter(|(at, _)| !kept.contains(at)) {
        folding.fold(*row)?;
    }
    let mut rows = vec![0; places.len()];
    let mut waiting = Vec::new();
    for (number, place) in places.iter().enumerate() {
        match place {
            Place::New(at) => waiting.push((number, &messages[*at])),
            Place::Kept(at) => {
                rows[number] = live[*at];
                folding.up_to(Some(live[*at]))?;
                folding.place(&mut rows, std::mem::take(&mut waiting))?;
                folding.next(live[*at])?;
            }
        }
    }
    folding.up_to(None)?;
    folding.place(&mut rows, waiting)?;
    Ok(rows)
}

/// A body as this version writes it, so that equal messages are equal.
fn body_of(db: &Connection, row: i64) -> rusqlite::Result<String> {
    let body: String = db.query_row("SELECT body FROM messages WHERE id = ?1", [row], |row| row.get(0))?;
    let read = serde_json::from_str::<Message>(&body).and_then(serde_json::to_value);
    Ok(read.map_or(body, |value| value.to_string()))
}

/// The rows of a session in order.
fn ordered(db: &Connection, n: i64) -> rusqlite::Result<Vec<i64>> {
    let mut statement = db.prepare("SELECT id FROM messages WHERE session = ?1 ORDER BY ord")?;
    statement.query_map([n], |row| row.get(0))?.collect()
}

/// Numbers the rows of a session anew while stand-ins come between them.
struct Folding<'a> {
    db: &'a Connection,
    n: i64,
    /// Rows that have no new number yet.
    order: std::collections::VecDeque<i64>,
    ord: i64,
    at_ms: i64,
}

impl Folding<'_> {
    /// Takes `row` from what the model is given: what was said stays, a stand-in goes.
    fn fold(&mut self, row: i64) -> rusqlite::Result<()> {
        let gone = self.db.execute("DELETE FROM messages WHERE id = ?1 AND kind = ?2", [row, STAND_IN])?;
        if gone > 0 {
            self.order.retain(|other| *other != row);
            return Ok(());
        }
        self.db.execute("UPDATE messages SET kind = ?2 WHERE id = ?1", [row, FOLDED]).map(drop)
    }

    /// Numbers the rows before `row`, or all.
    fn up_to(&mut self, row: Option<i64>) -> rusqlite::Result<()> {
        while let Some(next) = self.order.front().copied().filter(|next| Some(*next) != row) {
            self.next(next)?;
        }
        Ok(())
    }

    /// Numbers `row`, which is the first that is left.
    fn next(&mut self, row: i64) -> rusqlite::Result<()> {
        self.order.pop_front();
        self.ord += 1;
        self.db.prepare("UPDATE messages SET ord = ?2 WHERE id = ?1")?.execute([row, self.ord]).map(drop)
    }

    fn place(&mut self, rows: &mut [i64], messages: Vec<(usize, &Value)>) -> rusqlite::Result<()> {
        for (number, message) in messages {
            self.ord += 1;
            rows[number] = insert(self.db, self.n, self.ord, STAND_IN, message, self.at_ms)?;
        }
        Ok(())
    }
}

/// Keeps `state` as that behind the last message. Of each request but the last, the state it began from stays, for forks.
fn set_state(db: &Connection, n: i64, state: &Value) -> rusqlite::Result<()> {
    let last = "SELECT coalesce(max(id), 0) FROM messages WHERE session = ?1";
    let request = format!("{last} AND role = 'user' AND kind <> {STAND_IN}");
    db.execute(&format!("DELETE FROM states WHERE session = ?1 AND after >= ({request})"), [n])?;
    db.execute(
        &format!("INSERT OR REPLACE INTO states (session, after, body) VALUES (?1, ({last}), ?2)"),
        params![n, state.to_string()],
    )
    .map(drop)
}

fn begin_task(db: &Connection, n: i64, trace: &str, model: &str) -> rusqlite::Result<()> {
    db.execute(
        "INSERT INTO tasks (session, trace, model, begun_ms) VALUES (?1, ?2, ?3, ?4)",
        params![n, trace, model, now_ms()],
    )?;
    db.execute("UPDATE sessions SET model = ?2 WHERE n = ?1", params![n, model]).map(drop)
}

fn end_task(db: &Connection, n: i64, trace: &str, end: &TaskEnd) -> rusqlite::Result<()> {
    let number = |count: Option<u64>| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let (micros, currency) = end.cost.clone().unzip();
    db.execute(
        "UPDATE tasks SET state = ?3, input = ?4, cached = ?5, output = ?6, micros = ?7, currency = ?8
         WHERE session = ?1 AND trace = ?2",
        params![
            n,
            trace,
            end.state,
            number(end.input),
            number(end.cached),
            number(end.output),
            number(micros),
            currency
        ],
    )
    .map(drop)
}
