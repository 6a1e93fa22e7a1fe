//! The tables, and how an older file becomes a newer one.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks the file as ours: "WCSE" as the `application_id` of <https://www.sqlite.org/fileformat2.html>.
pub(crate) const APPLICATION: i64 = 0x5743_5345;

/// One step a version; a step is never changed once it was released.
const STEPS: [&str; 1] = [FIRST];

/// What this program reads and writes.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// `messages.kind`: 0 said and given to the model, 1 said and folded away, 2 given to the model in place of what was
/// folded. `messages.said` is the body as it was first said, where text for the model was put behind it since.
const FIRST: &str = "
CREATE TABLE sessions (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    cwd TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    messages INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    parent TEXT,
    parent_messages INTEGER
) STRICT;
CREATE INDEX sessions_touched ON sessions (touched);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    ord INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    role TEXT NOT NULL,
    body TEXT NOT NULL,
    said TEXT,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_ord ON messages (session, ord);
CREATE TABLE states (
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    after INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, after)
) STRICT;
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
    trace TEXT NOT NULL,
    model TEXT NOT NULL,
    begun_ms INTEGER NOT NULL,
    state TEXT,
    input INTEGER,
    cached INTEGER,
    output INTEGER,
    micros INTEGER,
    currency TEXT
) STRICT;
CREATE INDEX tasks_session ON tasks (session);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'trigram', content = '', contentless_delete = 1);
";

/// The version of an open file.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The mark of an open file; 0 for a new one.
pub(crate) fn application(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA application_id", [], |row| row.get(0))
}

/// Takes the steps that are missing, each whole or not at all.
pub(crate) fn migrate(db: &mut Connection) -> rusqlite::Result<()> {
    let from = version(db)?;
    let missing = STEPS.iter().enumerate().skip(usize::try_from(from).unwrap_or(0));
    for (done, step) in missing {
        let tx = Transaction::new(db, TransactionBehavior::Immediate)?;
        tx.execute_batch(step)?;
        tx.pragma_update(None, "user_version", done as i64 + 1)?;
        tx.pragma_update(None, "application_id", APPLICATION)?;
        tx.commit()?;
    }
    Ok(())
}
