//! What the operating system refuses, in words a model can act on.

use std::io::{Error, ErrorKind};
use std::path::Path;

use winclaw_sdk::Failure;

/// What was being done when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Find,
    Read,
    Write,
    Make,
    Move,
    Copy,
    Delete,
}

impl Doing {
    fn verb(self) -> &'static str {
        match self {
            Doing::Find => "opened",
            Doing::Read => "read",
            Doing::Write => "written",
            Doing::Make => "made",
            Doing::Move => "moved",
            Doing::Copy => "copied",
            Doing::Delete => "deleted",
        }
    }
}

/// The failure for `error` met at `path`.
///
/// A path that a link or `..` led out of its folder is `denied`; everything else is `tool_failed`.
pub(crate) fn of(doing: Doing, path: &Path, error: &Error) -> Failure {
    let shown = path.display();
    if escaped(error) {
        let what = format!(
            "`{shown}` leads outside the allowed folders through a link or `..`, so it was not {}",
            doing.verb()
        );
        return Failure::denied(what);
    }
    let why = match error.kind() {
        ErrorKind::NotFound => "it does not exist; list the folder to see what is there".to_owned(),
        ErrorKind::AlreadyExists => "something of that name exists already".to_owned(),
        ErrorKind::PermissionDenied => "the operating system refuses access".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is a file, not a folder".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::DirectoryNotEmpty => "the folder is not empty".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the disk may only be read".to_owned(),
        ErrorKind::InvalidFilename => "the name is too long or not legal here".to_owned(),
        _ => error.to_string(),
    };
    Failure::tool_failed(format!("`{shown}` cannot be {}: {why}", doing.verb()))
}

/// Whether a directory handle refused to leave its folder: such an error comes from no system call.
fn escaped(error: &Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}
