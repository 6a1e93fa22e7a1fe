//! The allowed folders, and every path as a place below one of them.
//!
//! A place is resolved through a directory handle, never by its text: a link or `..` that leads out is an error of the
//! handle itself, so that nothing another process does between a check and its use can lead outside.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use winclaw_sdk::{Context, Failure};

use crate::errors::{self, Doing};

/// One allowed folder.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    /// Its absolute path.
    pub path: PathBuf,
    /// Whether anything below it may be changed.
    pub write: bool,
}

/// The allowed folders; the first is where relative paths start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Vec<Root>);

/// A path below an allowed folder. Whether anything is there is not known yet.
#[derive(Debug)]
pub(crate) struct Place {
    root: PathBuf,
    write: bool,
    /// Whether the root is the one relative paths start at.
    first: bool,
    dir: Dir,
    rel: PathBuf,
}

/// A name in an open folder: what can be made, replaced or taken away without following anything.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The folder.
    pub dir: Dir,
    /// The name in it; never a path.
    pub name: OsString,
    /// The absolute path, for people and results.
    pub path: PathBuf,
}

impl Roots {
    /// The folders the person allowed this plugin.
    pub(crate) fn of(cx: &Context) -> Roots {
        Roots::new(cx.file_roots().into_iter().map(|root| Root { path: root.path, write: root.write }))
    }

    /// The allowed folders in the host's order.
    pub(crate) fn new(roots: impl IntoIterator<Item = Root>) -> Roots {
        Roots(roots.into_iter().collect())
    }

    /// The place `path` names: absolute and inside an allowed folder, or relative to the first one.
    ///
    /// # Errors
    /// `invalid_args` for a text that is no path, `denied` for one outside, `unavailable` when the folder is gone.
    pub(crate) fn place(&self, path: &str) -> Result<Place, Failure> {
        check_text(path)?;
        let given = Path::new(path);
        let first = || self.0.first().map(|root| (root, given.to_path_buf()));
        let found = if given.is_absolute() { self.containing(given) } else { first() };
        let (root, rel) = found.ok_or_else(|| self.outside(path))?;
        let dir = Dir::open_ambient_dir(&root.path, ambient_authority()).map_err(|error| {
            Failure::unavailable(format!("the allowed folder `{}` cannot be opened: {error}", root.path.display()))
        })?;
        let first = self.0.first().is_some_and(|first| first.path == root.path);
        Ok(Place { root: root.path.clone(), write: root.write, first, dir, rel })
    }

    /// Whether an allowed folder is at `path` or below it.
    pub(crate) fn any_inside(&self, path: &Path) -> bool {
        self.0.iter().any(|root| root.path.starts_with(path))
    }

    /// The deepest allowed folder that contains `given`, and the rest of the path.
    fn containing(&self, given: &Path) -> Option<(&Root, PathBuf)> {
        let rest = |root: &Root| below(&root.path, given).or_else(|| below(&root.path.canonicalize().ok()?, given));
        let found = self.0.iter().filter_map(|root| Some((root, rest(root)?)));
        found.min_by_key(|(_, rest)| rest.components().count())
    }

    fn outside(&self, path: &str) -> Failure {
        let allowed: Vec<String> = self.0.iter().map(|root| format!("`{}`", root.path.display())).collect();
        match allowed.is_empty() {
            true => Failure::denied("no folder is allowed for files").with_hint(
                "Start WinClaw in a working folder, or allow one in the configuration.",
                "请在工作文件夹中启动 WinClaw，或在配置中允许一个文件夹。",
            ),
            false => Failure::denied(format!(
                "`{path}` is outside the allowed folders; use a path inside {}",
                allowed.join(" or ")
            ))
            .with_hint(
                "Allow the folder in the configuration if it should be used.",
                "如果需要使用该文件夹，请在配置中允许它。",
            ),
        }
    }
}

fn check_text(path: &str) -> Result<(), Failure> {
    let what = match path {
        "" => "`path` is empty; use `.` for the working folder".to_owned(),
        path if path.contains('\0') => "`path` holds a NUL character".to_owned(),
        path if path == "~" || path.starts_with("~/") || path.starts_with("~\\") => {
            format!("`{path}`: `~` is not expanded; write the path out, or relative to the working folder")
        }
        _ => return Ok(()),
    };
    Err(Failure::invalid_args(what))
}

/// `given` relative to `root`, when it starts with it. On Windows letters compare without case.
fn below(root: &Path, given: &Path) -> Option<PathBuf> {
    let mut rest = given.components();
    let same = |a: Component<'_>, b: Component<'_>| a == b || (cfg!(windows) && folded(a) == folded(b));
    root.components()
        .all(|part| rest.next().is_some_and(|other| same(part, other)))
        .then(|| rest.as_path().to_path_buf())
}

fn folded(part: Component<'_>) -> String {
    let text = part.as_os_str().to_string_lossy().to_lowercase();
    text.trim_start_matches(r"\\?\").to_owned()
}

impl Place {
    /// The absolute path as asked for, without `.` parts.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(&self.rel).components().collect()
    }

    /// A path below this one as a caller can use it again: short where it may be, with `/` between its parts.
    pub(crate) fn usable(&self, below: &Path) -> String {
        let base = if self.first { self.rel.clone() } else { self.path() };
        let path: PathBuf = base.join(below).components().filter(|part| *part != Component::CurDir).collect();
        let text = path.to_string_lossy().into_owned();
        if cfg!(windows) { text.replace('\\', "/") } else { text }
    }

    /// Whether the text of the path ends like a folder's.
    pub(crate) fn ends_as_folder(given: &str) -> bool {
        given.ends_with('/') || given.ends_with(std::path::MAIN_SEPARATOR) || given == "." || given == ".."
    }

    /// What is there, links followed as long as they stay inside.
    pub(crate) fn metadata(&self) -> Result<Metadata, Failure> {
        self.dir.metadata(self.rel()).map_err(|error| errors::of(Doing::Find, &self.path(), &error))
    }

    /// Whether a folder is there.
    pub(crate) fn is_dir(&self) -> bool {
        self.dir.is_dir(self.rel())
    }

    /// The same place with `name` below it.
    pub(crate) fn join(mut self, name: &OsStr) -> Place {
        self.rel.push(name);
        self
    }

    /// The folder at this place, open.
    pub(crate) fn open_dir(&self) -> Result<Dir, Failure> {
        let opened = self.dir.open_dir(self.rel());
        opened.map_err(|error| match self.metadata() {
            Ok(found) if !found.is_dir() => {
                Failure::invalid_args(format!("`{}` is a file, not a folder", self.path().display()))
            }
            _ => errors::of(Doing::Find, &self.path(), &error),
        })
    }

    /// The regular file at this place, open for reading.
    pub(crate) fn open_file(&self) -> Result<cap_std::fs::File, Failure> {
        let found = self.metadata()?;
        if found.is_dir() {
            let what = format!("`{}` is a folder, not a file; list it instead", self.path().display());
            return Err(Failure::invalid_args(what));
        }
        if !found.is_file() {
            let what =
                format!("`{}` is a device, pipe or socket; only regular files can be used", self.path().display());
            return Err(Failure::tool_failed(what));
        }
        self.dir.open(self.rel()).map_err(|error| errors::of(Doing::Read, &self.path(), &error))
    }

    /// Whether things below this place's folder may be changed.
    pub(crate) fn may_write(&self) -> bool {
        self.write
    }

    /// Refuses a place below a read-only folder.
    pub(crate) fn writable(self) -> Result<Place, Failure> {
        if self.write {
            return Ok(self);
        }
        let what = format!("`{}` is below `{}`, which may only be read", self.path().display(), self.root.display());
        Err(Failure::denied(what))
    }

    /// Makes the folders above this place that are missing.
    pub(crate) fn make_parents(&self) -> Result<(), Failure> {
        match self.rel.parent() {
            None => Ok(()),
            Some(parent) if parent.as_os_str().is_empty() => Ok(()),
            Some(parent) => self.make_dirs(parent),
        }
    }

    /// Makes the folder of this place and all above it.
    pub(crate) fn make_all(&self) -> Result<(), Failure> {
        self.make_dirs(self.rel())
    }

    fn make_dirs(&self, rel: &Path) -> Result<(), Failure> {
        // Asked first, because making a folder where a link leads out would only say that the name is taken.
        let made = match self.dir.open_dir(rel) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.dir.create_dir_all(rel),
            opened => opened.map(|_| ()),
        };
        made.map_err(|error| errors::of(Doing::Make, &self.root.join(rel), &error))
    }

    /// The last name of the path in its open folder, which must exist. A link in last place is not followed.
    ///
    /// # Errors
    /// `invalid_args` when the place is an allowed folder itself.
    pub(crate) fn entry(&self) -> Result<Entry, Failure> {
        let rel = self.named()?;
        let (Some(name), parent) = (rel.file_name(), rel.parent().filter(|parent| *parent != Path::new(""))) else {
            let what = format!("`{}` is an allowed folder itself; name something inside it", self.path().display());
            return Err(Failure::invalid_args(what));
        };
        let parent = parent.unwrap_or(Path::new("."));
        let dir =
            self.dir.open_dir(parent).map_err(|error| errors::of(Doing::Find, &self.root.join(parent), &error))?;
        let real = self.dir.canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
        let path = self.root.join(real).join(name).components().collect();
        Ok(Entry { dir, name: name.to_owned(), path })
    }

    /// Where to write: the last name in its open folder, or what a link there leads to inside the allowed folder.
    pub(crate) fn target(&self) -> Result<Entry, Failure> {
        let entry = self.entry()?;
        if !entry.is_link() {
            return Ok(entry);
        }
        let rel = self.dir.canonicalize(self.rel()).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::tool_failed(format!(
                "`{}` is a link that leads nowhere; delete it first",
                self.path().display()
            )),
            _ => errors::of(Doing::Find, &self.path(), &error),
        })?;
        let dir = self.dir.try_clone().map_err(|error| errors::of(Doing::Find, &self.path(), &error))?;
        let real = Place { root: self.root.clone(), dir, rel, ..*self }.entry()?;
        match real.is_link() {
            true => Err(Failure::tool_failed(format!(
                "`{}` changed while it was looked at; try again",
                real.path.display()
            ))),
            false => Ok(real),
        }
    }

    /// The relative path, ending in a name: `a/..` is looked up.
    fn named(&self) -> Result<PathBuf, Failure> {
        if self.rel.file_name().is_some() {
            return Ok(self.rel.clone());
        }
        self.dir.canonicalize(self.rel()).map_err(|error| errors::of(Doing::Find, &self.path(), &error))
    }

    fn rel(&self) -> &Path {
        if self.rel.as_os_str().is_empty() { Path::new(".") } else { &self.rel }
    }
}

impl Entry {
    /// What is there, links not followed; nothing when the name is free.
    pub(crate) fn found(&self) -> Result<Option<Metadata>, Failure> {
        match self.dir.symlink_metadata(&self.name) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(errors::of(Doing::Find, &self.path, &error)),
        }
    }

    /// What is there; an error when nothing is.
    pub(crate) fn existing(&self) -> Result<Metadata, Failure> {
        self.dir.symlink_metadata(&self.name).map_err(|error| errors::of(Doing::Find, &self.path, &error))
    }

    /// Whether a link is there.
    pub(crate) fn is_link(&self) -> bool {
        self.dir.symlink_metadata(&self.name).is_ok_and(|found| found.is_symlink())
    }
}
