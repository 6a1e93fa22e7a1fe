//! The folders the person allowed, and how a document gets into one of them.
//!
//! Paths are resolved through directory handles, so that neither `..` nor a link leads out, whatever another process
//! does meanwhile.

use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use winclaw_sdk::{Failure, FileRoot};

use crate::names::numbered;

/// The allowed folders; relative paths start at the first.
pub(crate) struct Folders(pub Vec<FileRoot>);

/// A folder that is open for writing.
pub(crate) struct Folder {
    dir: Dir,
    path: PathBuf,
}

impl Folders {
    /// Whether `path` is a folder that exists inside the allowed ones.
    pub(crate) fn is_dir(&self, path: &str) -> bool {
        self.find(path).is_ok_and(|(root, rel)| open(root).is_ok_and(|dir| dir.is_dir(rel)))
    }

    /// The bytes of the file at `path`; the error says why not.
    pub(crate) fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        let (root, rel) = self.find(path).map_err(|_| "it is outside the allowed folders".to_owned())?;
        let dir = open(root).map_err(|failure| failure.message)?;
        let said = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_owned(),
            _ if escaped(&error) => "it leads outside the allowed folders".to_owned(),
            _ => error.to_string(),
        };
        if !dir.metadata(&rel).map_err(said)?.is_file() {
            return Err("it is no file".to_owned());
        }
        let mut bytes = Vec::new();
        dir.open(&rel).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes)).map_err(said)?;
        Ok(bytes)
    }

    /// Opens the folder at `path` for writing and makes it first when it is missing.
    ///
    /// # Errors
    /// `denied` for a folder outside, or below one that may only be read; `tool_failed` when it cannot be made.
    pub(crate) fn folder(&self, path: &str) -> Result<Folder, Failure> {
        let (root, rel) = if path == "." { (self.first_writable()?, PathBuf::from(".")) } else { self.find(path)? };
        let shown: PathBuf = root.path.join(&rel).components().collect();
        if !root.write {
            return Err(Failure::denied(format!("`{}` may only be read; {}", shown.display(), self.advice())));
        }
        let base = open(root)?;
        let opened = match base.open_dir(&rel) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                base.create_dir_all(&rel).and_then(|()| base.open_dir(&rel))
            }
            opened => opened,
        };
        let dir = opened.map_err(|error| self.no_folder(&shown, &error))?;
        let real = base.canonicalize(&rel).unwrap_or(rel);
        Ok(Folder { dir, path: root.path.join(real).components().collect() })
    }

    fn no_folder(&self, path: &Path, error: &io::Error) -> Failure {
        if escaped(error) {
            return Failure::denied(format!(
                "`{}` leads outside the allowed folders; {}",
                path.display(),
                self.advice()
            ));
        }
        Failure::tool_failed(format!("the folder `{}` cannot be used: {error}", path.display()))
    }

    /// The deepest allowed folder that holds `path`, and the rest of it.
    fn find(&self, path: &str) -> Result<(&FileRoot, PathBuf), Failure> {
        if path.contains('\0') {
            return Err(Failure::invalid_args("`path` holds a NUL character"));
        }
        let given = Path::new(path);
        if !given.is_absolute() {
            let first = self.0.first().ok_or_else(|| Failure::denied(self.advice()))?;
            return Ok((first, if path.is_empty() { PathBuf::from(".") } else { given.to_path_buf() }));
        }
        let rest = |root: &FileRoot| below(&root.path, given).or_else(|| below(&root.path.canonicalize().ok()?, given));
        let found = self.0.iter().filter_map(|root| Some((root, rest(root)?)));
        found.min_by_key(|(_, rest)| rest.components().count()).ok_or_else(|| {
            Failure::denied(format!("`{path}` is outside the allowed folders; {}", self.advice())).with_hint(
                "Allow the folder in the configuration if it should be used.",
                "如果需要使用该文件夹，请在配置中允许它。",
            )
        })
    }

    fn first_writable(&self) -> Result<&FileRoot, Failure> {
        self.0.iter().find(|root| root.write).ok_or_else(|| Failure::denied(self.advice()))
    }

    fn advice(&self) -> String {
        let allowed: Vec<String> =
            self.0.iter().filter(|root| root.write).map(|root| format!("`{}`", root.path.display())).collect();
        match allowed.is_empty() {
            true => "no folder is allowed for writing; ask the person to allow one".to_owned(),
            false => format!("documents may be written inside {}", allowed.join(" or ")),
        }
    }
}

impl Folder {
    /// The absolute path of `name` in this folder.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes the file `name`, whole or not at all.
    ///
    /// # Errors
    /// `tool_failed` when the name is taken and `overwrite` is false; the message names a free one.
    pub(crate) fn save(&self, name: &str, bytes: &[u8], overwrite: bool) -> Result<(), Failure> {
        let there = self.dir.symlink_metadata(name).ok();
        if there.as_ref().is_some_and(|found| !found.is_file()) {
            let what = format!("`{}` is a folder or a link; choose another name", self.path_of(name).display());
            return Err(Failure::tool_failed(what));
        }
        if there.is_some() && !overwrite {
            return Err(self.taken(name));
        }
        self.put(name, bytes, overwrite).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => self.taken(name),
            _ => Failure::tool_failed(format!("`{}` cannot be written: {error}", self.path_of(name).display())),
        })
    }

    fn taken(&self, name: &str) -> Failure {
        let free = (2..1_000).map(|n| numbered(name, n)).find(|name| self.dir.symlink_metadata(name).is_err());
        let other = free.map_or_else(|| "another name".to_owned(), |free| format!("another name such as `{free}`"));
        let path = self.path_of(name);
        Failure::tool_failed(format!(
            "`{}` exists already; choose {other}, or set `overwrite` to true to replace it",
            path.display()
        ))
    }

    fn put(&self, name: &str, bytes: &[u8], overwrite: bool) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let temporary = format!(".winclaw-doc-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let written = self.create(&temporary, bytes).and_then(|()| match overwrite {
            true => self.dir.rename(&temporary, &self.dir, name),
            false => self.link(&temporary, name, bytes),
        });
        if !overwrite || written.is_err() {
            // Best effort: the document is in place or the error is already told.
            self.dir.remove_file(&temporary).ok();
        }
        written
    }

    /// Gives the file its name without ever replacing another. A disk without hard links gets a plain new file.
    fn link(&self, temporary: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        match self.dir.hard_link(temporary, &self.dir, name) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => self.create(name, bytes),
            linked => linked,
        }
    }

    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.dir.open_with(name, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(bytes)?;
        file.sync_data()
    }
}

fn open(root: &FileRoot) -> Result<Dir, Failure> {
    Dir::open_ambient_dir(&root.path, ambient_authority()).map_err(|error| {
        Failure::unavailable(format!("the allowed folder `{}` cannot be opened: {error}", root.path.display()))
    })
}

/// Whether a directory handle refused to leave its folder: such an error comes from no system call.
fn escaped(error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// `given` relative to `root`, when it starts with it. On Windows letters compare without case.
fn below(root: &Path, given: &Path) -> Option<PathBuf> {
    let mut rest = given.components();
    let folded =
        |part: Component<'_>| part.as_os_str().to_string_lossy().to_lowercase().trim_start_matches(r"\\?\").to_owned();
    let same = |a: Component<'_>, b: Component<'_>| a == b || (cfg!(windows) && folded(a) == folded(b));
    let inside = root.components().all(|part| rest.next().is_some_and(|other| same(part, other)));
    let rest = rest.as_path();
    inside.then(|| if rest.as_os_str().is_empty() { PathBuf::from(".") } else { rest.to_path_buf() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(write: bool) -> (tempfile::TempDir, Folders) {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().canonicalize().expect("a path");
        (temp, Folders(vec![FileRoot { path, write }]))
    }

    #[test]
    fn a_document_is_new_replaced_or_refused() {
        let (temp, folders) = folders(true);
        let folder = folders.folder("新/深").expect("a folder");
        folder.save("a.docx", b"one", false).expect("a new file");
        let failure = folder.save("a.docx", b"two", false).expect_err("taken");
        assert!(failure.message.contains("`a (2).docx`") && failure.message.contains("overwrite"), "{failure}");
        folder.save("a (2).docx", b"x", false).expect("the free name");
        assert!(folder.save("a.docx", b"two", false).expect_err("taken").message.contains("`a (3).docx`"));
        folder.save("a.docx", b"two", true).expect("replaced");
        assert_eq!(std::fs::read(temp.path().join("新/深/a.docx")).expect("bytes"), b"two");
        let names = std::fs::read_dir(temp.path().join("新/深")).expect("a folder").count();
        assert_eq!(names, 2, "no temporary file is left");
    }

    #[test]
    fn what_is_outside_or_read_only_is_denied_with_the_folders_that_are_not() {
        let (_temp, folders) = folders(true);
        let root = folders.0[0].path.display().to_string();
        for bad in ["/etc", "../x", "a/../../x"] {
            let failure = folders.folder(bad).err().expect("denied");
            assert_eq!(failure.code.as_str(), "denied", "{bad}");
            assert!(failure.message.contains(&root), "{failure}");
        }
        let (_temp, read_only) = self::folders(false);
        for path in [".", "sub", read_only.0[0].path.to_str().expect("text")] {
            assert_eq!(read_only.folder(path).err().expect("denied").code.as_str(), "denied");
        }
        assert_eq!(Folders(Vec::new()).folder(".").err().expect("denied").code.as_str(), "denied");
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let (temp, folders) = folders(true);
        let outside = tempfile::tempdir().expect("a folder");
        std::fs::write(outside.path().join("secret.png"), "x").expect("a file");
        std::os::unix::fs::symlink(outside.path(), temp.path().join("d")).expect("a link");
        assert_eq!(folders.folder("d").err().expect("denied").code.as_str(), "denied");
        assert_eq!(folders.folder("d/new").err().expect("denied").code.as_str(), "denied");
        assert!(folders.read("d/secret.png", 9).expect_err("outside").contains("outside"));
        std::os::unix::fs::symlink(outside.path().join("new.docx"), temp.path().join("l.docx")).expect("a link");
        assert!(folders.folder(".").expect("a folder").save("l.docx", b"x", true).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).expect("a folder").count(), 1);
    }
}
