//! Opening the file: what is ours, what is newer, what is damaged.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use winclaw_tool::{Problem, ProblemKind, Text};

use crate::Error;
use crate::files::{private_file, private_folder, set_up};
use crate::schema::{APPLICATION, VERSION, application, migrate, version};

/// The name of the file in its folder.
pub const FILE: &str = "sessions.sqlite3";

/// How long a write waits for another process; a write takes milliseconds.
const BUSY: Duration = Duration::from_secs(5);

/// What the first 100 bytes of the file say, without opening it.
enum Head {
    Missing,
    /// No database of any program.
    Foul,
    /// `version` and `application` may lag behind what the write-ahead log holds.
    Sound {
        version: i64,
        application: i64,
    },
}

/// Opens the file in `folder` for reading and writing; makes what is missing, and sets a damaged one aside.
pub(crate) fn open(folder: &Path) -> Result<(Connection, Vec<Problem>), Error> {
    private_folder(folder).map_err(|error| Error::io(folder, &error))?;
    let path = folder.join(FILE);
    match head(&path)? {
        Head::Sound { version, .. } if version > VERSION => Err(newer(&path, version)),
        Head::Sound { application, .. } if application != 0 && application != APPLICATION => {
            Err(Error::Foreign { path })
        }
        Head::Sound { version: VERSION, application: APPLICATION } if !suspect(folder).exists() => {
            match connect(&path) {
                Err(Error::Corrupt { .. }) => open_carefully(folder, &path),
                opened => Ok((opened?, Vec::new())),
            }
        }
        _ => open_carefully(folder, &path),
    }
}

/// As [`open`] for a file that is new, old, or perhaps damaged, while no other process does the same.
fn open_carefully(folder: &Path, path: &Path) -> Result<(Connection, Vec<Problem>), Error> {
    let _alone = set_up(folder)?;
    let opened = match head(path)? {
        Head::Foul => Err(Error::Corrupt { path: path.to_owned() }),
        _ => connect(path).and_then(|db| whole(db, folder, path)),
    };
    let opened = match opened {
        Err(Error::Corrupt { .. }) => {
            let problem = set_aside(folder, path)?;
            Ok((connect(path)?, vec![problem]))
        }
        opened => Ok((opened?, Vec::new())),
    };
    // Only now is it known to be sound.
    let _ = fs::remove_file(suspect(folder));
    opened
}

/// Reads every page where somebody met a damaged one before.
fn whole(db: Connection, folder: &Path, path: &Path) -> Result<Connection, Error> {
    if !suspect(folder).exists() {
        return Ok(db);
    }
    let said: rusqlite::Result<String> = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    match said {
        Ok(said) if said == "ok" => Ok(db),
        _ => Err(Error::Corrupt { path: path.to_owned() }),
    }
}

/// Opens the file for reading alone, where it cannot be written to.
pub(crate) fn open_to_read(folder: &Path) -> Result<Connection, Error> {
    let path = folder.join(FILE);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(&path, flags).and_then(|db| checked(&path, db));
    let db = match opened {
        Ok(db) => db,
        // Without the right to make its side files SQLite reads a file only when told that nobody writes.
        Err(_) => Connection::open_with_flags(uri(&path), flags | OpenFlags::SQLITE_OPEN_URI)
            .and_then(|db| checked(&path, db))
            .map_err(|error| Error::sql(&path, &error))?,
    };
    known(&db, &path)?;
    Ok(db)
}

/// Opens the file alone and so that changing it takes no room: nothing is kept beside it on disk. Whoever holds it like
/// this must be quick, since the loss of power meanwhile may damage it.
///
/// Errors: [`Error::Busy`] while another process has it open.
pub(crate) fn open_in_place(folder: &Path) -> Result<Connection, Error> {
    let path = folder.join(FILE);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(&path, flags).and_then(|db| {
        db.busy_timeout(BUSY)?;
        // Alone, SQLite holds the index of the write-ahead log in memory; the log itself goes with the other mode.
        let _: String = db.query_row("PRAGMA locking_mode = EXCLUSIVE", [], |row| row.get(0))?;
        let _: String = db.query_row("PRAGMA journal_mode = MEMORY", [], |row| row.get(0))?;
        db.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")?;
        Ok(db)
    });
    opened.map_err(|error| Error::sql(&path, &error))
}

fn checked(_: &Path, db: Connection) -> rusqlite::Result<Connection> {
    version(&db)?;
    Ok(db)
}

fn uri(path: &Path) -> String {
    let escaped: String = path.to_string_lossy().bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02x}")),
        }
        text
    });
    format!("file:{escaped}?immutable=1")
}

/// Opens the file with everything set; makes its tables where they are missing.
fn connect(path: &Path) -> Result<Connection, Error> {
    // SQLite gives its side files the rights of the main one, so that has to be private first.
    drop(private_file(path).map_err(|error| unwritable(path, &error))?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let sql = |error: rusqlite::Error| Error::sql(path, &error);
    let mut db = Connection::open_with_flags(path, flags).map_err(sql)?;
    db.busy_timeout(BUSY).map_err(sql)?;
    known(&db, path)?;
    if db.is_readonly("main").map_err(sql)? {
        return Err(Error::ReadOnly { path: path.to_owned() });
    }
    prepare(&mut db).map_err(sql)?;
    Ok(db)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => Error::ReadOnly { path: path.to_owned() },
        _ => Error::io(path, error),
    }
}

/// With a write-ahead log `synchronous = NORMAL` keeps every commit through the death of any program; through the loss of
/// power it keeps those before the last checkpoint, and the end of each task makes one.
fn prepare(db: &mut Connection) -> rusqlite::Result<()> {
    let _: String = db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    db.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;")?;
    migrate(db)?;
    db.query_row("SELECT coalesce(max(n), 0) FROM sessions", [], |row| row.get::<_, i64>(0)).map(drop)
}

/// Refuses what is newer or not ours, before anything is written to it.
fn known(db: &Connection, path: &Path) -> Result<(), Error> {
    let sql = |error: rusqlite::Error| Error::sql(path, &error);
    let (found, mark) = (version(db).map_err(sql)?, application(db).map_err(sql)?);
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(sql)?;
    if tables > 0 && mark != APPLICATION {
        return Err(Error::Foreign { path: path.to_owned() });
    }
    if found > VERSION { Err(newer(path, found)) } else { Ok(()) }
}

fn newer(path: &Path, found: i64) -> Error {
    Error::Newer { path: path.to_owned(), found, known: VERSION }
}

/// The header of <https://www.sqlite.org/fileformat2.html>: `user_version` at 60, `application_id` at 68.
fn head(path: &Path) -> Result<Head, Error> {
    let mut bytes = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(100).read_to_end(&mut bytes)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Head::Missing),
        Err(error) => return Err(Error::io(path, &error)),
        Ok(0) => return Ok(Head::Missing),
        Ok(_) => {}
    }
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(i64::from(i32::from_be_bytes(four)))
    };
    Ok(match (bytes.starts_with(b"SQLite format 3\0"), number(60), number(68)) {
        (true, Some(version), Some(application)) => Head::Sound { version, application },
        _ => Head::Foul,
    })
}

/// Moves the file and what belongs to it to a name that says what happened.
fn set_aside(folder: &Path, path: &Path) -> Result<Problem, Error> {
    let free =
        (1..).map(|number| folder.join(format!("sessions.damaged-{number}.sqlite3"))).find(|aside| !aside.exists());
    let aside = free.unwrap_or_else(|| folder.join("sessions.damaged.sqlite3"));
    fs::rename(path, &aside).map_err(|error| Error::io(path, &error))?;
    for side in ["-wal", "-shm"] {
        // There may be none.
        let _ = fs::rename(with(path, side), with(&aside, side));
    }
    Ok(damaged(path, &aside))
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn damaged(path: &Path, aside: &Path) -> Problem {
    let (path, aside) = (path.display(), aside.display());
    Problem {
        kind: ProblemKind::Io,
        subject: path.to_string(),
        what: Text::new(
            format!("The file of the sessions was damaged; it was set aside as {aside}, and a new one is begun."),
            format!("会话文件已损坏；已另存为 {aside}，并新建了文件。"),
        ),
        mend: Text::new(
            "Nothing was deleted: the `.recover` command of the sqlite3 program can read what is left in it.",
            "未删除任何内容：可用 sqlite3 程序的 .recover 命令读取其中残留的数据。",
        ),
        fatal: false,
    }
}

/// Stands where somebody met a damaged page, so that the next to open the file reads all of it first.
fn suspect(folder: &Path) -> PathBuf {
    folder.join("suspect")
}

/// Remembers that the file in `folder` is damaged.
pub(crate) fn suspicious(folder: &Path) {
    // On a file system that refuses, the next one will meet the damage as this one did.
    let _ = private_file(&suspect(folder));
}
