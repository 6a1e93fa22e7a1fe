use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ops::now_ms;
use crate::rows::{Key, TaskRow};

/// What a new session is told of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct New {
    /// Its title; empty for that of its first request.
    pub title: String,
    /// The folder it begins in.
    pub cwd: String,
    /// The model, `provider/name`.
    pub model: String,
    /// The session it is forked from, and after which message.
    pub forked_from: Option<(String, u64)>,
}

impl New {
    /// Makes the session `id`.
    pub(crate) fn insert(&self, db: &Connection, id: &str) -> rusqlite::Result<Key> {
        let (parent, after) = self.forked_from.clone().unzip();
        let after = after.map(|after| i64::try_from(after).unwrap_or(i64::MAX));
        let sql =
            "INSERT INTO sessions (id, title, cwd, model, created_ms, updated_ms, touched, parent, parent_messages)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5, (SELECT coalesce(max(touched), 0) + 1 FROM sessions), ?6, ?7)";
        let now = now_ms();
        let n = db.prepare(sql)?.insert(params![id, self.title, self.cwd, self.model, now, parent, after])?;
        Ok(Key { n, version: 0 })
    }
}

/// A whole session as it is carried from one store to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The folder it began in.
    #[serde(default)]
    pub cwd: String,
    /// The model of its last task.
    #[serde(default)]
    pub model: String,
    /// Its tasks, oldest first.
    #[serde(default)]
    pub tasks: Vec<TaskRow>,
    /// Its messages as they were said, oldest first; fields this version does not know included.
    pub messages: Vec<Value>,
}
