use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::Value;
use winclaw_model::Message;

use crate::files::{self, Lock};
use crate::ops::{Op, apply, now_ms};
use crate::rows::{Key, TaskEnd};
use crate::{Error, FILE, New, open};

/// The one hand that adds to a session.
///
/// Each call is on disk when it returns `Ok`. When it returns an error nothing is lost: what could not be written is kept
/// here and written, in order, before anything later is; so an error need be told only once. A new session appears in
/// the store with its first message.
///
/// Messages are counted as the model is given them: the first is 0, and [`Writer::rewrite`] counts anew.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    db: Connection,
    id: String,
    /// Held for the whole life.
    _lock: Lock,
    made: Made,
    /// The rows of what the model is given.
    live: Vec<i64>,
    waiting: Vec<Op>,
}

/// Whether the session stands in the store.
#[derive(Debug)]
enum Made {
    Not(New),
    Yes(Key),
}

impl Writer {
    pub(crate) fn begin(folder: &Path, db: Connection, id: String, lock: Lock, new: New) -> Writer {
        let folder = folder.to_owned();
        Writer { folder, db, id, _lock: lock, made: Made::Not(new), live: Vec::new(), waiting: Vec::new() }
    }

    pub(crate) fn over(folder: &Path, db: Connection, id: String, lock: Lock, key: Key, live: Vec<i64>) -> Writer {
        Writer { folder: folder.to_owned(), db, id, _lock: lock, made: Made::Yes(key), live, waiting: Vec::new() }
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The folder for whole results of this session that were cut. It is made by whoever writes there first, and goes
    /// with the session.
    pub fn spill(&self) -> PathBuf {
        files::spill(&self.folder, &self.id)
    }

    /// How many messages the model is given, counting those that are still to be written.
    pub fn len(&self) -> usize {
        self.waiting.iter().fold(self.live.len(), |count, op| match op {
            Op::Append(_) => count + 1,
            Op::Rewrite(messages) => messages.len(),
            _ => count,
        })
    }

    /// Whether the model is given no message yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds `message` behind the others.
    pub fn append(&mut self, message: &Message) -> Result<(), Error> {
        let message = value(message)?;
        self.write(Op::Append(message))
    }

    /// Replaces the message at place `at`. Where only text was put behind that of a person or a tool, people go on to
    /// read what was there before.
    ///
    /// Errors: [`Error::NoMessage`] when there is none.
    pub fn amend(&mut self, at: usize, message: &Message) -> Result<(), Error> {
        let count = self.len();
        if at >= count {
            let (number, count) = (at as u64 + 1, count as u64);
            return Err(Error::NoMessage { id: self.id.clone(), number, count });
        }
        let message = value(message)?;
        self.write(Op::Amend { at, message })
    }

    /// Gives the model `messages` from now on, as when the conversation was folded. People go on to read what was said.
    pub fn rewrite(&mut self, messages: &[Message]) -> Result<(), Error> {
        let messages = messages.iter().map(value).collect::<Result<_, _>>()?;
        self.write(Op::Rewrite(messages))
    }

    /// Keeps `state` with what was said so far, in the place of the last one.
    pub fn set_state(&mut self, state: &Value) -> Result<(), Error> {
        self.waiting.retain(|op| !matches!(op, Op::State(_)));
        self.write(Op::State(state.clone()))
    }

    /// Notes that a task begins whose trace is `trace`, with `model`. A new session appears with its first message, not
    /// by this.
    pub fn begin_task(&mut self, trace: &str, model: &str) -> Result<(), Error> {
        self.write(Op::BeginTask { trace: trace.to_owned(), model: model.to_owned() })
    }

    /// Notes how the task whose trace is `trace` ended. From then on what was said so far also survives the loss of power.
    pub fn end_task(&mut self, trace: &str, end: &TaskEnd) -> Result<(), Error> {
        self.write(Op::EndTask { trace: trace.to_owned(), end: end.clone() })?;
        // Where it must wait for readers, the next one does it.
        let _ = self.db.execute_batch("PRAGMA wal_checkpoint(PASSIVE)");
        Ok(())
    }

    /// Writes what could not be written before. As every writing call, without anything new.
    pub fn flush(&mut self) -> Result<(), Error> {
        let begins = self.waiting.iter().any(|op| matches!(op, Op::Append(_) | Op::Rewrite(_)));
        let waits_for_a_message = matches!(self.made, Made::Not(_)) && !begins;
        if self.waiting.is_empty() || waits_for_a_message {
            return Ok(());
        }
        let (stood, length) = (self.snapshot(), self.live.len());
        match self.commit() {
            Ok(key) => {
                self.made = Made::Yes(key);
                self.waiting.clear();
                Ok(())
            }
            Err(error) => {
                match stood {
                    Some(live) => self.live = live,
                    None => self.live.truncate(length),
                }
                Err(error)
            }
        }
    }

    /// Whether anything could not be written yet.
    pub fn is_behind(&self) -> bool {
        matches!(self.made, Made::Yes(_)) && !self.waiting.is_empty()
            || self.waiting.iter().any(|op| matches!(op, Op::Append(_)))
    }

    fn write(&mut self, op: Op) -> Result<(), Error> {
        self.waiting.push(op);
        self.flush()
    }

    /// The rows as they stand, where what waits does more than add to them.
    fn snapshot(&self) -> Option<Vec<i64>> {
        self.waiting.iter().any(|op| matches!(op, Op::Rewrite(_))).then(|| self.live.clone())
    }

    /// Writes everything that waits in one transaction.
    fn commit(&mut self) -> Result<Key, Error> {
        let path = self.folder.join(FILE);
        let Writer { db, live, made, waiting, id, .. } = self;
        let written = (|| {
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let Some(key) = touch(&tx, id, made)? else { return Ok(None) };
            for op in waiting.iter() {
                apply(&tx, key.n, live, op)?;
            }
            tx.commit()?;
            Ok(Some(key))
        })();
        match written {
            Ok(Some(key)) => Ok(key),
            Ok(None) => Err(Error::Changed { id: self.id.clone() }),
            Err(error) => Err(self.told(Error::sql(&path, &error))),
        }
    }

    fn told(&self, error: Error) -> Error {
        if matches!(error, Error::Corrupt { .. }) {
            open::suspicious(&self.folder);
        }
        error
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The caller heard of it when it failed the first time.
        let _ = self.flush();
    }
}

/// Makes the session, or counts a change to it; `None` when somebody else changed or removed it.
fn touch(db: &Connection, id: &str, made: &Made) -> rusqlite::Result<Option<Key>> {
    match made {
        Made::Not(new) => new.insert(db, id).map(Some),
        Made::Yes(key) => {
            let changed = db
                .prepare(
                    "UPDATE sessions SET version = version + 1, updated_ms = ?3,
                     touched = (SELECT max(touched) + 1 FROM sessions) WHERE n = ?1 AND version = ?2",
                )?
                .execute(params![key.n, key.version, now_ms()])?;
            Ok((changed == 1).then_some(Key { version: key.version + 1, ..*key }))
        }
    }
}

fn value(message: &Message) -> Result<Value, Error> {
    serde_json::to_value(message).map_err(|error| Error::form(&error))
}

#[cfg(test)]
mod tests;
