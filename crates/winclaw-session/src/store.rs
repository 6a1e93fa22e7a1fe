use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use winclaw_tool::Problem;

use crate::rows::{self, Info, Key, Loaded, Said, TaskRow};
use crate::{Error, FILE, Hit, New, Transfer, Writer, files, fork, ids, open, search, words};

/// Every session in one folder.
///
/// What the folder holds is what people said to models and what tools answered; the folder and all in it are made for
/// their owner alone. Any number of processes may use it at once.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    db: Connection,
}

impl Store {
    /// Opens the sessions in `folder`; makes the folder and the file where they are missing. A damaged file is set aside,
    /// which is one of the problems returned, and a new one begun.
    ///
    /// Errors: [`Error::Newer`] and [`Error::Foreign`], by which nothing was touched; [`Error::ReadOnly`],
    /// [`Error::Full`], [`Error::Busy`], [`Error::Io`].
    pub fn open(folder: &Path) -> Result<(Store, Vec<Problem>), Error> {
        let (db, problems) = open::open(folder)?;
        Ok((Store { folder: folder.to_owned(), db }, problems))
    }

    /// As [`Store::open`], to look at what is there: nothing is made where there is nothing, and what cannot be written
    /// to is opened all the same.
    pub fn look(folder: &Path) -> Result<Option<(Store, Vec<Problem>)>, Error> {
        match folder.join(FILE).try_exists() {
            Ok(false) => return Ok(None),
            Err(error) => return Err(Error::io(folder, &error)),
            Ok(true) => {}
        }
        match Store::open(folder) {
            Err(Error::ReadOnly { .. } | Error::Full { .. } | Error::Io { .. }) => {
                let db = open::open_to_read(folder)?;
                Ok(Some((Store { folder: folder.to_owned(), db }, Vec::new())))
            }
            opened => opened.map(Some),
        }
    }

    /// A new session, for one to add to. It appears in the store with its first message.
    pub fn create(&self, new: New) -> Result<Writer, Error> {
        let id = self.sql(ids::fresh(&self.db))?;
        let lock = files::lock(&self.folder, &id)?;
        let (db, _) = open::open(&self.folder)?;
        Ok(Writer::begin(&self.folder, db, id, lock, new))
    }

    /// Takes up the session `id`: its conversation, and the writer to go on with.
    ///
    /// Errors: [`Error::InUse`] while there is another writer, in whatever process; [`Error::Unknown`].
    pub fn take_up(&self, id: &str) -> Result<(Loaded, Writer), Error> {
        self.key(id)?;
        let lock = files::lock(&self.folder, id)?;
        let (db, _) = open::open(&self.folder)?;
        // Read under the lock, so that nothing comes between.
        let (key, loaded, live) = load(&db, id).map_err(|error| self.told(&error))?.ok_or_else(|| unknown(id))?;
        Ok((loaded, Writer::over(&self.folder, db, id.to_owned(), lock, key, live)))
    }

    /// The session `id` as it stands, to read.
    pub fn load(&self, id: &str) -> Result<Loaded, Error> {
        let found = self.sql(load(&self.db, id))?;
        found.map(|(_, loaded, _)| loaded).ok_or_else(|| unknown(id))
    }

    /// The sessions, the one that was added to last first; at most `most` of them. Messages are not read.
    pub fn list(&self, most: Option<usize>) -> Result<Vec<Info>, Error> {
        self.sql(rows::all(&self.db, most))
    }

    /// What is known of session `id`, without its messages.
    pub fn info(&self, id: &str) -> Result<Info, Error> {
        self.sql(rows::one(&self.db, id))?.map(|(_, info)| info).ok_or_else(|| unknown(id))
    }

    /// The id that `given` means: itself, a beginning that only one has, or for `last` the session that was added to
    /// last. Letters may be of either case.
    pub fn find(&self, given: &str) -> Result<String, Error> {
        if given == "last" {
            let last = "SELECT id FROM sessions ORDER BY touched DESC LIMIT 1";
            return self.sql(self.db.query_row(last, [], |row| row.get(0)).optional())?.ok_or(Error::None);
        }
        let id = ids::typed(given)?;
        let mut found: Vec<String> = self.sql(self.beginning(&id))?;
        match found.as_slice() {
            [] => Err(unknown(given)),
            [_] => Ok(found.remove(0)),
            several if several.contains(&id) => Ok(id),
            _ => Err(Error::Several { given: given.to_owned(), ids: found }),
        }
    }

    fn beginning(&self, id: &str) -> rusqlite::Result<Vec<String>> {
        // Ids hold neither of the two letters that LIKE reads otherwise.
        let sql = "SELECT id FROM sessions WHERE id LIKE ?1 || '%' ORDER BY touched DESC LIMIT 20";
        self.db.prepare(sql)?.query_map([id], |row| row.get(0))?.collect()
    }

    /// Up to `most` messages of session `id` as they were said, behind the first `after`.
    pub fn said(&self, id: &str, after: u64, most: usize) -> Result<Vec<Said>, Error> {
        let key = self.key(id)?;
        self.sql(rows::said(&self.db, key.n, after, most))
    }

    /// The tasks of session `id`, oldest first.
    pub fn tasks(&self, id: &str) -> Result<Vec<TaskRow>, Error> {
        let key = self.key(id)?;
        self.sql(rows::tasks(&self.db, key.n))
    }

    /// Where the words of `query` were said, the best first; at most `most` places. A place must hold every word; words
    /// in double quotes must follow one another. Upper and lower case are alike. Nothing is found for no words.
    pub fn search(&self, query: &str, most: usize) -> Result<Vec<Hit>, Error> {
        self.sql(search::search(&self.db, query, most))
    }

    /// A new session that begins with the first `at` messages of session `id`, or with all of them; returns its id. The
    /// session itself may be in use.
    ///
    /// Errors: [`Error::NoMessage`] when `at` is 0 or there are fewer messages.
    pub fn fork(&mut self, id: &str, at: Option<u64>) -> Result<String, Error> {
        let (key, info) = self.sql(rows::one(&self.db, id))?.ok_or_else(|| unknown(id))?;
        let number = at.unwrap_or(info.messages);
        if number == 0 || number > info.messages {
            return Err(Error::NoMessage { id: id.to_owned(), number, count: info.messages });
        }
        let new = New { title: info.title, cwd: info.cwd, model: info.model, forked_from: Some((info.id, number)) };
        self.write(|tx| {
            let id = ids::fresh(tx)?;
            fork::fork(tx, key.n, number, &id, &new)?;
            Ok(id)
        })
    }

    /// Makes a session of what was carried here from elsewhere; returns its id.
    pub fn take_in(&mut self, transfer: &Transfer) -> Result<String, Error> {
        self.write(|tx| {
            let id = ids::fresh(tx)?;
            fork::take_in(tx, &id, transfer)?;
            Ok(id)
        })
    }

    /// Calls session `id` by `title`, on one line; by its first request again when that is empty. It may be in use.
    pub fn rename(&mut self, id: &str, title: &str) -> Result<String, Error> {
        let key = self.key(id)?;
        let title = words::tidy(title);
        let title = if title.is_empty() { self.first_request(id)? } else { title };
        self.write(|tx| tx.execute("UPDATE sessions SET title = ?2 WHERE n = ?1", params![key.n, title]).map(drop))?;
        Ok(title)
    }

    fn first_request(&self, id: &str) -> Result<String, Error> {
        let first = self.said(id, 0, 20)?;
        let user = first.iter().find(|said| words::role(&said.message) == "user");
        Ok(user.map(|said| words::title(&said.message)).unwrap_or_default())
    }

    /// Removes session `id` with its messages, its words in the search index and its spilled results. What stood on disk
    /// is overwritten where SQLite can.
    ///
    /// Errors: [`Error::InUse`] while there is a writer.
    pub fn remove(&mut self, id: &str) -> Result<(), Error> {
        let key = self.key(id)?;
        let _lock = files::lock(&self.folder, id)?;
        match self.delete(&key) {
            // A disk without room is when room is to be made.
            Err(Error::Full { .. } | Error::ReadOnly { .. }) => {
                self.work_in_place()?;
                self.delete(&key)?;
            }
            done => done?,
        }
        let spilled = files::spill(&self.folder, id);
        if spilled.exists() {
            std::fs::remove_dir_all(&spilled).map_err(|error| Error::io(&spilled, &error))?;
        }
        files::forget_lock(&self.folder, id);
        Ok(())
    }

    fn delete(&mut self, key: &Key) -> Result<(), Error> {
        self.sql(self.db.execute_batch("PRAGMA secure_delete = ON"))?;
        self.write(|tx| {
            let said = "SELECT id FROM messages WHERE session = ?1 AND kind <> 2";
            tx.execute(&format!("DELETE FROM words WHERE rowid IN ({said})"), [key.n])?;
            tx.execute("DELETE FROM sessions WHERE n = ?1", [key.n]).map(drop)
        })
    }

    /// From now on this store has the file alone and needs no room beside it.
    fn work_in_place(&mut self) -> Result<(), Error> {
        // The connection that stands would keep the other out.
        self.db = self.sql(Connection::open_in_memory())?;
        self.db = open::open_in_place(&self.folder)?;
        Ok(())
    }

    /// Gives back the room of what was removed, and drops its words from the search index for good. Takes a while with
    /// much to keep; call it once after removals.
    pub fn tidy(&mut self) -> Result<(), Error> {
        let batch = "INSERT INTO words (words) VALUES ('optimize'); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);";
        match self.sql(self.db.execute_batch(batch)) {
            Err(Error::Full { .. }) => {
                self.work_in_place()?;
                self.sql(self.db.execute_batch("VACUUM"))
            }
            done => done,
        }
    }

    /// The folder for whole results of session `id` that were cut.
    pub fn spill(&self, id: &str) -> PathBuf {
        files::spill(&self.folder, id)
    }

    fn key(&self, id: &str) -> Result<Key, Error> {
        let found = "SELECT n, version FROM sessions WHERE id = ?1";
        let key = |row: &rusqlite::Row<'_>| Ok(Key { n: row.get(0)?, version: row.get(1)? });
        self.sql(self.db.query_row(found, [id], key).optional())?.ok_or_else(|| unknown(id))
    }

    fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Error> {
        let written = (|| {
            let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let made = work(&tx)?;
            tx.commit()?;
            Ok(made)
        })();
        self.sql(written)
    }

    fn sql<T>(&self, done: rusqlite::Result<T>) -> Result<T, Error> {
        done.map_err(|error| self.told(&error))
    }

    fn told(&self, error: &rusqlite::Error) -> Error {
        let error = Error::sql(&self.folder.join(FILE), error);
        if matches!(error, Error::Corrupt { .. }) {
            open::suspicious(&self.folder);
        }
        error
    }
}

fn unknown(given: &str) -> Error {
    Error::Unknown { given: given.to_owned() }
}

/// A session as one moment of the file has it.
fn load(db: &Connection, id: &str) -> rusqlite::Result<Option<(Key, Loaded, Vec<i64>)>> {
    let tx = db.unchecked_transaction()?;
    let Some((key, info)) = rows::one(&tx, id)? else { return Ok(None) };
    let (messages, problems) = rows::live(&tx, key.n, id)?;
    let state = rows::state(&tx, key.n)?;
    let (live, messages) = messages.into_iter().unzip();
    Ok(Some((key, Loaded { info, messages, state, problems }, live)))
}

#[cfg(test)]
mod tests {
    use winclaw_model::Message;

    use super::*;

    #[test]
    fn without_room_beside_it_the_file_still_loses_what_is_removed_and_shrinks() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut store, _) = Store::open(folder.path()).expect("opened");
        let mut ids = Vec::new();
        for word in ["first", "second"] {
            let mut writer = store.create(New::default()).expect("begun");
            writer.append(&Message::user(format!("{word} {}", "word ".repeat(100_000)))).expect("kept");
            ids.push(writer.id().to_owned());
        }
        store.work_in_place().expect("alone");
        let size = || std::fs::metadata(folder.path().join(FILE)).expect("the file").len();
        let before = size();
        store.remove(&ids[0]).expect("removed");
        store.tidy().expect("tidied");
        assert!(size() < before && !folder.path().join(format!("{FILE}-wal")).exists());
        drop(store);
        let (store, problems) = Store::open(folder.path()).expect("opened as ever");
        assert!(problems.is_empty() && store.find(&ids[0]).is_err());
        assert_eq!(store.load(&ids[1]).expect("the other").messages.len(), 1);
    }
}
