//! Files and folders to another place: `move`, `copy` and `make_dir`.

use std::io::{self, ErrorKind};
use std::ops::ControlFlow;

use winclaw_sdk::files::cap_std::fs::{Dir, Metadata};
use winclaw_sdk::files::{Access, Clash, Doing, Entry, Folders, Place};
use winclaw_sdk::prelude::*;

use crate::walk::{MAX_DEPTH, Rules, Step, Visit, walk};
use crate::write::{names_folder, one_at_a_time};

/// Most files and folders that are copied in one call.
const MAX_COPIED: usize = 50_000;

/// From where to where.
#[args]
#[derive(Debug)]
pub struct TransferArgs {
    /// The file or folder, absolute or relative to the working folder.
    pub from: String,
    /// The new path; a folder that exists or ends in "/" takes it in under its own name.
    pub to: String,
    /// Whether an existing file may be replaced. Folders are never replaced or merged.
    #[serde(default)]
    pub overwrite: bool,
}

/// Which folder to make.
#[args]
#[derive(Debug)]
pub struct MakeDirArgs {
    /// The folder, absolute or relative to the working folder. Missing folders above it are made too.
    pub path: String,
}

/// What was moved or copied.
#[result]
#[derive(Debug)]
pub struct Transferred {
    /// Absolute path it came from.
    pub from: String,
    /// Absolute path it is at now.
    pub to: String,
    /// file, folder or link.
    pub kind: &'static str,
    /// How many files were written; absent when it was only renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// What was left out, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A folder that is there.
#[result]
#[derive(Debug)]
pub struct Made {
    /// Its absolute path.
    pub path: String,
    /// Whether it is new.
    pub created: bool,
}

/// Move or rename a file or folder. Nothing is replaced unless `overwrite` is true.
#[tool(name = "move", side_effect = "write")]
pub(crate) fn relocate(args: TransferArgs, cx: &Context) -> Result<Transferred, Failure> {
    move_in(&Folders::of(cx), &args, &|| cx.check_cancelled())
}

/// Copy a file, or a folder with all that is in it. Nothing is replaced unless `overwrite` is true.
#[tool(side_effect = "write")]
pub(crate) fn copy(args: TransferArgs, cx: &Context) -> Result<Transferred, Failure> {
    copy_in(&Folders::of(cx), &args, &|| cx.check_cancelled())
}

/// Make a folder. It is fine if it exists already.
#[tool(side_effect = "write")]
pub(crate) fn make_dir(args: MakeDirArgs, cx: &Context) -> Result<Made, Failure> {
    make_dir_in(&Folders::of(cx), &args)
}

type Stop<'a> = dyn Fn() -> Result<(), Failure> + 'a;

pub(crate) fn make_dir_in(folders: &Folders, args: &MakeDirArgs) -> Result<Made, Failure> {
    let place = folders.find(&args.path, Access::Write)?;
    place.check_names()?;
    let created = match place.metadata() {
        Ok(found) if found.is_dir() => false,
        Ok(_) => return Err(Failure::tool_failed(format!("`{}` is a file already", place.path().display()))),
        Err(_) => place.make_dir().map(|()| true)?,
    };
    Ok(Made { path: place.path().display().to_string(), created })
}

/// Both ends of a transfer, checked against each other.
struct Route {
    from: Entry,
    found: Metadata,
    to: Entry,
    clash: Clash,
}

fn route(from: &Place, folders: &Folders, args: &TransferArgs) -> Result<Route, Failure> {
    let entry = from.entry()?;
    let found = entry.existing()?;
    let mut place = folders.find(&args.to, Access::Write)?;
    if names_folder(&args.to) || place.is_dir() {
        place = place.join(&entry.name);
    }
    place.check_names()?;
    if place.path() == entry.path || (found.is_dir() && place.path().starts_with(&entry.path)) {
        let what = format!("`{}` is the same as, or inside, `{}`", place.path().display(), entry.path.display());
        return Err(Failure::invalid_args(what));
    }
    place.make_parents()?;
    let to = place.entry()?;
    if found.is_dir() && to.path.starts_with(&entry.path) {
        return Err(Failure::invalid_args(format!("`{}` is inside what would go there", to.path.display())));
    }
    let there = to.found()?;
    if there.as_ref().is_some_and(|there| there.is_dir() || found.is_dir()) {
        let what = format!("`{}` exists already; folders are not merged, so choose another name", to.path.display());
        return Err(Failure::tool_failed(what));
    }
    if there.is_some() && (!args.overwrite || !to.has_file()?) {
        return Err(to.taken());
    }
    Ok(Route { from: entry, found, to, clash: Clash::overwrite(args.overwrite) })
}

pub(crate) fn move_in(folders: &Folders, args: &TransferArgs, stop: &Stop<'_>) -> Result<Transferred, Failure> {
    let from = folders.find(&args.from, Access::Write)?;
    let _alone = one_at_a_time();
    let route = route(&from, folders, args)?;
    match rename(&route) {
        Ok(()) => Ok(route.done(None, 0)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(route.to.taken()),
        Err(error) if error.kind() == ErrorKind::CrossesDevices => across(&route, stop),
        Err(error) => Err(Doing::Move.failed(&route.from.path, &error)),
    }
}

/// Renames without ever replacing what was not meant to be replaced.
fn rename(route: &Route) -> io::Result<()> {
    let Route { from, found, to, clash } = route;
    let plain = || from.dir.rename(&from.name, &to.dir, &to.name);
    if found.is_dir() || *clash == Clash::Replace {
        // A folder replaces at most an empty folder, and only one that appeared this very moment.
        return plain();
    }
    match from.dir.hard_link(&from.name, &to.dir, &to.name) {
        Ok(()) => from.dir.remove_file(&from.name),
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::CrossesDevices) => Err(error),
        // A disk without hard links: the name was free a moment ago.
        Err(_) => plain(),
    }
}

/// To another disk: copy, then take away.
fn across(route: &Route, stop: &Stop<'_>) -> Result<Transferred, Failure> {
    let copied = duplicate(route, stop)?;
    if copied.links > 0 {
        let what = format!(
            "`{}` was copied to `{}` but not removed, because links cannot be moved to another disk",
            route.from.path.display(),
            route.to.path.display()
        );
        return Err(Failure::tool_failed(what));
    }
    let Entry { dir, name, .. } = &route.from;
    let removed = if route.found.is_dir() { dir.remove_dir_all(name) } else { dir.remove_file(name) };
    removed.map_err(|error| Doing::Delete.failed(&route.from.path, &error))?;
    Ok(route.done(Some(copied.files), 0))
}

pub(crate) fn copy_in(folders: &Folders, args: &TransferArgs, stop: &Stop<'_>) -> Result<Transferred, Failure> {
    let from = folders.find(&args.from, Access::Read)?;
    let _alone = one_at_a_time();
    let route = route(&from, folders, args)?;
    let copied = duplicate(&route, stop)?;
    Ok(route.done(Some(copied.files), copied.links))
}

/// What a copy has done so far.
#[derive(Default)]
struct Copied {
    files: usize,
    folders: usize,
    links: usize,
}

fn duplicate(route: &Route, stop: &Stop<'_>) -> Result<Copied, Failure> {
    let Route { from, found, to, clash } = route;
    let mut copied = Copied::default();
    if found.is_file() {
        file(&from.dir, &from.name, to, *clash).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => to.taken(),
            _ => Doing::Copy.failed(&from.path, &error),
        })?;
        copied.files = 1;
        return Ok(copied);
    }
    if !found.is_dir() {
        let what = format!("`{}` is a link, device or pipe; only files and folders are copied", from.path.display());
        return Err(Failure::tool_failed(what));
    }
    let failed = |error: io::Error| Doing::Copy.failed(&from.path, &error);
    let source = from.dir.open_dir(&from.name).map_err(failed)?;
    to.dir.create_dir(&to.name).map_err(|error| Doing::Make.failed(&to.path, &error))?;
    let target = to.dir.open_dir(&to.name).map_err(failed)?;
    let rules = Rules { hidden: true, depth: MAX_DEPTH };
    let _ = walk(&source, rules, &mut |visit| {
        stop().and_then(|()| copied.take(visit, &target, to)).map_err(|failure| copied.partly(failure, to))
    })?;
    Ok(copied)
}

impl Copied {
    fn take(&mut self, visit: &Visit<'_>, target: &Dir, to: &Entry) -> Step {
        if self.files + self.folders >= MAX_COPIED {
            return Err(Failure::tool_failed(format!("there are more than {MAX_COPIED} files and folders")));
        }
        let path = to.path.join(visit.path);
        let failed = |error: io::Error| Doing::Copy.failed(&path, &error);
        if visit.metadata.is_dir() {
            target.create_dir(visit.path).map_err(failed)?;
            self.folders += 1;
        } else if visit.metadata.is_file() {
            let folder = visit.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(".".as_ref());
            let dir = target.open_dir(folder).map_err(failed)?;
            let entry = to.at(dir, visit.name, path.clone());
            file(visit.dir, visit.name, &entry, Clash::Refuse).map_err(failed)?;
            self.files += 1;
        } else {
            self.links += 1;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn partly(&self, failure: Failure, to: &Entry) -> Failure {
        let message = format!("{}; {} files are in `{}` already", failure.message, self.files, to.path.display());
        Failure { message, ..failure }
    }
}

/// Copies one file with its permissions; a file that is replaced keeps its own.
fn file(dir: &Dir, name: &std::ffi::OsStr, to: &Entry, clash: Clash) -> io::Result<()> {
    let mut source = dir.open(name)?;
    let permissions = source.metadata()?.permissions();
    to.put(clash, |target| {
        io::copy(&mut source, target)?;
        if clash == Clash::Refuse { target.set_permissions(permissions) } else { Ok(()) }
    })
}

impl Route {
    fn done(&self, files: Option<usize>, links: usize) -> Transferred {
        Transferred {
            from: self.from.path.display().to_string(),
            to: self.to.path.display().to_string(),
            kind: crate::list::kind(&self.found),
            files,
            warning: (links > 0).then(|| format!("{links} links, devices or pipes were left out")),
        }
    }
}
