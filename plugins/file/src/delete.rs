//! Away with it: `delete`.

use std::path::Path;

use winclaw_sdk::files::cap_std::fs::Metadata;
use winclaw_sdk::files::{Access, Doing, Entry, Folders};
use winclaw_sdk::prelude::*;

/// What to delete.
#[args]
#[derive(Debug)]
pub struct DeleteArgs {
    /// The file or folder, absolute or relative to the working folder. A link is deleted, not what it leads to.
    pub path: String,
    /// Whether to erase it for good instead of moving it to the trash. Only when the person asked for that.
    #[serde(default)]
    pub permanent: bool,
}

/// What was deleted.
#[result]
#[derive(Debug)]
pub struct Deleted {
    /// Its absolute path.
    pub path: String,
    /// file, folder or link.
    pub kind: &'static str,
    /// Whether it can be brought back from the trash.
    pub in_trash: bool,
}

/// Delete a file or folder: to the trash, from where the person can bring it back, or for good with `permanent`.
#[tool(side_effect = "destructive")]
pub(crate) fn delete(args: DeleteArgs, cx: &Context) -> Result<Deleted, Failure> {
    delete_in(&Folders::of(cx), &args, &to_system_trash)
}

/// Moves what is at an absolute path to a trash, or says why it cannot.
pub(crate) type Trash<'a> = dyn Fn(&Path) -> Result<(), String> + 'a;

fn to_system_trash(path: &Path) -> Result<(), String> {
    trash::delete(path).map_err(|error| error.to_string())
}

pub(crate) fn delete_in(folders: &Folders, args: &DeleteArgs, trash: &Trash<'_>) -> Result<Deleted, Failure> {
    let place = folders.find(&args.path, Access::Write)?;
    let entry = place.entry()?;
    let found = entry.existing()?;
    if folders.any_inside(&entry.path) {
        let what = format!("`{}` is or holds an allowed folder, so it cannot be deleted", entry.path.display());
        return Err(Failure::denied(what));
    }
    match args.permanent {
        true => erase(&entry, &found)?,
        false => discard(&entry, &found, trash)?,
    }
    Ok(Deleted { path: entry.path.display().to_string(), kind: crate::list::kind(&found), in_trash: !args.permanent })
}

fn erase(entry: &Entry, found: &Metadata) -> Result<(), Failure> {
    let erased =
        if found.is_dir() { entry.dir.remove_dir_all(&entry.name) } else { entry.dir.remove_file(&entry.name) };
    erased.map_err(|error| Doing::Delete.failed(&entry.path, &error))
}

/// The system's trash takes paths, not handles: the path must lead to the very thing the handle found.
fn discard(entry: &Entry, found: &Metadata, trash: &Trash<'_>) -> Result<(), Failure> {
    let shown = entry.path.display();
    if !same(found, &entry.path) {
        return Err(Failure::denied(format!("`{shown}` leads elsewhere by now, so it was not deleted")));
    }
    trash(&entry.path).map_err(|why| {
        Failure::tool_failed(format!(
            "`{shown}` was not deleted: this system has no trash that can take it ({why}); ask the person, and if it may be erased for good, set `permanent` to true"
        ))
    })?;
    match entry.dir.symlink_metadata(&entry.name) {
        Err(_) => Ok(()),
        Ok(_) => {
            Err(Failure::tool_failed(format!("`{shown}` is still there after it was moved to the trash; try again")))
        }
    }
}

#[cfg(unix)]
fn same(found: &Metadata, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as Ambient;

    use winclaw_sdk::files::cap_std::fs::MetadataExt;
    std::fs::symlink_metadata(path)
        .is_ok_and(|now| (Ambient::dev(&now), Ambient::ino(&now)) == (MetadataExt::dev(found), MetadataExt::ino(found)))
}

/// Where identities of files cannot be asked for without `unsafe`, what can be seen of them must be the same.
#[cfg(not(unix))]
fn same(found: &Metadata, path: &Path) -> bool {
    let seen = |len: u64, dir: bool, link: bool, time: Option<std::time::SystemTime>| (len, dir, link, time);
    let then = seen(
        found.len(),
        found.is_dir(),
        found.is_symlink(),
        found.modified().ok().map(winclaw_sdk::files::cap_std::time::SystemTime::into_std),
    );
    std::fs::symlink_metadata(path)
        .is_ok_and(|now| seen(now.len(), now.is_dir(), now.is_symlink(), now.modified().ok()) == then)
}
