//! The tools on real folders, below the boundary of the plugin.

use std::fs;
use std::path::{Path, PathBuf};

use winclaw_sdk::files::Folders;
use winclaw_sdk::{Failure, FailureCode, FileRoot};

use crate::delete::{DeleteArgs, delete_in};
use crate::edit::{EditArgs, Edited, edit_in};
use crate::list::{InfoArgs, ListArgs, Sort, info_in, list_in};
use crate::moving::{MakeDirArgs, TransferArgs, Transferred, copy_in, make_dir_in, move_in};
use crate::search::{Matches, SearchArgs, search_in};
use crate::tree::{TreeArgs, tree_in};
use crate::write::{AppendArgs, Ends, WriteArgs, Written, append_in, write_in};

mod changing;
mod escape;
mod finding;

/// A folder the tools may use, and one beside it that they may not.
struct Desk {
    _temp: tempfile::TempDir,
    inside: PathBuf,
    outside: PathBuf,
    folders: Folders,
}

impl Desk {
    fn new() -> Desk {
        Desk::with_access(true)
    }

    fn with_access(write: bool) -> Desk {
        let temp = tempfile::tempdir().expect("a folder");
        let base = temp.path().canonicalize().expect("a path");
        let (inside, outside) = (base.join("inside"), base.join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).expect("a folder");
        }
        let folders = Folders::new([FileRoot { path: inside.clone(), write }]);
        Desk { _temp: temp, inside, outside, folders }
    }

    fn file(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Desk {
        let path = self.inside.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
        self
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.inside.join(path)).expect("the file")
    }

    fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.inside.join(path)).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    fn write(&self, path: &str, text: &str, overwrite: bool) -> Result<Written, Failure> {
        write_in(
            &self.folders,
            &WriteArgs { path: path.into(), text: text.into(), overwrite, encoding: None, line_ends: None },
        )
    }

    fn write_as(
        &self,
        path: &str,
        text: &str,
        encoding: Option<&str>,
        line_ends: Option<Ends>,
    ) -> Result<Written, Failure> {
        let encoding = encoding.map(str::to_owned);
        write_in(
            &self.folders,
            &WriteArgs { path: path.into(), text: text.into(), overwrite: true, encoding, line_ends },
        )
    }

    fn append(&self, path: &str, text: &str) -> Result<Written, Failure> {
        append_in(&self.folders, &AppendArgs { path: path.into(), text: text.into(), new_line: true, encoding: None })
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Result<Edited, Failure> {
        self.edit_all(path, old, new, false)
    }

    fn edit_all(&self, path: &str, old: &str, new: &str, all: bool) -> Result<Edited, Failure> {
        edit_in(&self.folders, &EditArgs { path: path.into(), old: old.into(), new: new.into(), all, encoding: None })
    }

    fn relocate(&self, from: &str, to: &str, overwrite: bool) -> Result<Transferred, Failure> {
        move_in(&self.folders, &TransferArgs { from: from.into(), to: to.into(), overwrite }, &|| Ok(()))
    }

    fn copy(&self, from: &str, to: &str, overwrite: bool) -> Result<Transferred, Failure> {
        copy_in(&self.folders, &TransferArgs { from: from.into(), to: to.into(), overwrite }, &|| Ok(()))
    }

    fn delete(&self, path: &str, permanent: bool) -> Result<(), Failure> {
        let bin = |_: &Path| Err("no trash".to_owned());
        delete_in(&self.folders, &DeleteArgs { path: path.into(), permanent }, &bin).map(|_| ())
    }

    fn make_dir(&self, path: &str) -> Result<bool, Failure> {
        make_dir_in(&self.folders, &MakeDirArgs { path: path.into() }).map(|made| made.created)
    }

    fn search(&self, args: SearchArgs) -> Result<Matches, Failure> {
        search_in(&self.folders, &args, &|| Ok(()))
    }
}

/// Checks kind and words of a failure.
fn refused<T: std::fmt::Debug>(result: Result<T, Failure>, code: FailureCode, part: &str) {
    let failure = result.expect_err("a failure");
    assert!(failure.code == code && failure.message.contains(part), "{code:?} {part:?}: {failure}");
}

fn list_args(path: &str) -> ListArgs {
    ListArgs { path: path.into(), sort: Sort::Name, hidden: false, limit: 200, offset: 0 }
}

fn search_args(text: Option<&str>, glob: Option<&str>) -> SearchArgs {
    SearchArgs {
        text: text.map(str::to_owned),
        glob: glob.map(str::to_owned),
        path: ".".into(),
        regex: false,
        case_sensitive: false,
        limit: 100,
        hidden: false,
    }
}
