use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};
use winclaw_tool::Text;

/// Why sessions could not be read or written. Each says what is wrong and how to mend it, in every language.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no session of that name.
    #[error("there is no session `{given}`")]
    Unknown {
        /// What was asked for.
        given: String,
    },
    /// The beginning of an id fits several sessions.
    #[error("`{given}` begins several sessions: {}", ids.join(", "))]
    Several {
        /// What was asked for.
        given: String,
        /// Those it fits.
        ids: Vec<String>,
    },
    /// There is no session at all.
    #[error("there is no session yet")]
    None,
    /// A session has fewer messages than a number asks for.
    #[error("session {id} has {count} messages, no number {number}")]
    NoMessage {
        /// The session.
        id: String,
        /// The number that was asked for; the first message is 1.
        number: u64,
        /// How many there are.
        count: u64,
    },
    /// Another process adds to the session.
    #[error("session {id} is in use by another process")]
    InUse {
        /// The session.
        id: String,
    },
    /// The session was changed or removed behind the writer's back. Only where the file system knows no locks.
    #[error("session {id} was changed by another process")]
    Changed {
        /// The session.
        id: String,
    },
    /// The file is of a later version of the program. It was not touched.
    #[error("{} was written by a newer version of the program (form {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The file belongs to another program. It was not touched.
    #[error("{} is a database of another program", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder cannot be written to.
    #[error("{} cannot be written to", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no space is left for {}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the file for too long.
    #[error("{} is held by another process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file is damaged. The next program that opens it sets it aside.
    #[error("{} is damaged", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
    },
    /// A message or state is no JSON that can be kept or read.
    #[error("a message cannot be kept: {why}")]
    Form {
        /// What is wrong with it.
        why: String,
    },
    /// The system refused a file or folder.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
        let path = path.to_owned();
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded | std::io::ErrorKind::FileTooLarge => {
                Error::Full { path }
            }
            std::io::ErrorKind::ReadOnlyFilesystem => Error::ReadOnly { path },
            _ => Error::Io { path, why: error.to_string() },
        }
    }

    pub(crate) fn sql(path: &Path, error: &rusqlite::Error) -> Error {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::Full { path },
            // The one reason why SQLite's shared index, a file of 32 KiB, cannot be made so large.
            Some(ErrorCode::SystemIoFailure) if extended(error) == Some(ffi::SQLITE_IOERR_SHMSIZE) => {
                Error::Full { path }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Error::Busy { path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Corrupt { path },
            Some(ErrorCode::ReadOnly) => Error::ReadOnly { path },
            _ => Error::Io { path, why: error.to_string() },
        }
    }

    pub(crate) fn form(error: &serde_json::Error) -> Error {
        Error::Form { why: error.to_string() }
    }

    /// What is wrong, for a person.
    pub fn what(&self) -> Text {
        Text::new(self.to_string(), self.chinese())
    }

    fn chinese(&self) -> String {
        match self {
            Error::Unknown { given } => format!("没有会话“{given}”"),
            Error::Several { given, ids } => format!("“{given}”对应多个会话：{}", ids.join(", ")),
            Error::None => "还没有会话".into(),
            Error::NoMessage { id, number, count } => format!("会话 {id} 有 {count} 条消息，没有第 {number} 条"),
            Error::InUse { id } => format!("会话 {id} 正被另一个进程使用"),
            Error::Changed { id } => format!("会话 {id} 已被另一个进程更改"),
            Error::Newer { path, found, known } => {
                format!("{} 由更新版本的程序写入（格式 {found}，本程序支持 {known}）", path.display())
            }
            Error::Foreign { path } => format!("{} 是其他程序的数据库", path.display()),
            Error::ReadOnly { path } => format!("无法写入 {}", path.display()),
            Error::Full { path } => format!("磁盘已满，无法写入 {}", path.display()),
            Error::Busy { path } => format!("{} 被另一个进程占用", path.display()),
            Error::Corrupt { path } => format!("{} 已损坏", path.display()),
            Error::Form { why } => format!("消息无法保存：{why}"),
            Error::Io { path, why } => format!("{}：{why}", path.display()),
        }
    }

    /// How to mend it, for a person; empty where nothing is to be done.
    pub fn mend(&self) -> Text {
        let (en, zh) = match self {
            Error::Unknown { .. } => ("`winclaw session list` lists them", "运行 winclaw session list 查看"),
            Error::Several { .. } => ("write more of the id", "请写出更完整的 id"),
            Error::None => ("`winclaw run \"…\"` begins one", "运行 winclaw run \"…\" 开始一个会话"),
            Error::NoMessage { .. } => ("`winclaw session show` numbers them", "运行 winclaw session show 查看编号"),
            Error::InUse { .. } => (
                "wait until it is done there, or go on in a copy: `winclaw session fork`",
                "请等待其结束，或用 winclaw session fork 建立副本继续",
            ),
            Error::Changed { .. } => ("take the session up again", "请重新打开该会话"),
            Error::Newer { .. } => (
                "use that version, or another --data-dir; the file was not touched",
                "请使用新版本或另一个 --data-dir；该文件未被改动",
            ),
            Error::Foreign { .. } => ("choose another --data-dir", "请选择另一个 --data-dir"),
            Error::ReadOnly { .. } => (
                "make the folder and the file writable for you, or choose another --data-dir",
                "请使文件夹和文件可写，或选择另一个 --data-dir",
            ),
            Error::Full { .. } => (
                "make room: remove other files on this disk, or old sessions by `winclaw session prune` with no other winclaw \
                 running; what was not written is written as soon as there is room",
                "请腾出空间：删除该磁盘上的其他文件，或在没有其他 winclaw 运行时用 winclaw session prune 删除旧会话；\
                 未写入的内容会在有空间时补写",
            ),
            Error::Busy { .. } => ("end the program that holds it, or wait", "请结束占用它的程序，或稍候再试"),
            Error::Corrupt { .. } => (
                "the next start sets it aside under another name and begins a new one; nothing is deleted",
                "下次启动时会将其另存并新建文件；不会删除任何内容",
            ),
            Error::Form { .. } | Error::Io { .. } => ("", ""),
        };
        Text::new(en, zh)
    }
}

/// SQLite's own number of an error.
fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}
