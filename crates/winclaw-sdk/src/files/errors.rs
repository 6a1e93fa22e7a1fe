//! What the operating system refuses, in words a model can act on.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::Failure;

/// What was being done to a file or folder when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Looking for it or opening it.
    Open,
    /// Reading it.
    Read,
    /// Writing it.
    Write,
    /// Making a folder.
    Make,
    /// Moving or renaming it.
    Move,
    /// Copying it.
    Copy,
    /// Removing it.
    Delete,
}

impl Doing {
    /// The failure for `error` met at `path`, in words that say what to do.
    ///
    /// A path that a link or `..` led out of its folder is `denied`; everything else is `tool_failed`.
    pub fn failed(self, path: &Path, error: &Error) -> Failure {
        let (shown, done) = (path.display(), self.done());
        if escaped(error) {
            return Failure::denied(format!(
                "`{shown}` leads outside the allowed folders through a link or `..`, so it was not {done}"
            ));
        }
        Failure::tool_failed(format!("`{shown}` cannot be {done}: {}", why(error)))
    }

    fn done(self) -> &'static str {
        match self {
            Doing::Open => "opened",
            Doing::Read => "read",
            Doing::Write => "written",
            Doing::Make => "made",
            Doing::Move => "moved",
            Doing::Copy => "copied",
            Doing::Delete => "deleted",
        }
    }
}

fn why(error: &Error) -> String {
    let known = match error.kind() {
        ErrorKind::NotFound => "it does not exist; list the folder to see what is there",
        ErrorKind::AlreadyExists => "something of that name exists already",
        ErrorKind::PermissionDenied => "the operating system refuses access",
        ErrorKind::NotADirectory => "a part of the path is a file, not a folder",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::DirectoryNotEmpty => "the folder is not empty",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::ReadOnlyFilesystem => "the disk may only be read",
        ErrorKind::InvalidFilename => "the name is too long or not legal here",
        _ => return error.to_string(),
    };
    known.to_owned()
}

/// Whether a directory handle refused to leave its folder: such an error comes from no system call.
fn escaped(error: &Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}
