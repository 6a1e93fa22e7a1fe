//! Which project files the person trusts, as they stand.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The name of a project's file, from the project's folder.
pub const PROJECT_FILE: &str = ".winclaw/config.toml";

/// The nearest project file of `folder` or one above it, below the person's home folder.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    let inside = |folder: &&Path| home.as_deref() != Some(*folder);
    folder.ancestors().take_while(inside).map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file())
}

/// SHA-256 of what a file holds, lower-case hexadecimal.
pub fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Files that are trusted, and the digest they had then.
#[derive(Debug, Default)]
pub struct Trusted {
    file: PathBuf,
    files: BTreeMap<String, String>,
}

impl Trusted {
    /// What is kept in `data_dir`. A file that cannot be read trusts nothing.
    pub fn read(data_dir: &Path) -> Trusted {
        let file = data_dir.join("trusted.json");
        let files = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Trusted { files: files.unwrap_or_default(), file }
    }

    /// Whether `project` is trusted and holds what it held then.
    pub fn holds(&self, project: &Path, text: &str) -> bool {
        self.files.get(&name(project)).is_some_and(|known| *known == digest(text))
    }

    /// Trusts `project` as it stands, or no longer.
    pub fn set(&mut self, project: &Path, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => self.files.insert(name(project), digest(text)),
            None => self.files.remove(&name(project)),
        };
        super::write_private(&self.file, &serde_json::to_vec_pretty(&self.files)?)
    }
}

fn name(project: &Path) -> String {
    std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_ends_with_the_first_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("p.toml");
        std::fs::write(&project, "a").expect("written");
        let mut trusted = Trusted::read(folder.path());
        assert!(!trusted.holds(&project, "a"));
        trusted.set(&project, Some("a")).expect("kept");
        let again = Trusted::read(folder.path());
        assert!(again.holds(&project, "a") && !again.holds(&project, "b"));
        trusted.set(&project, None).expect("kept");
        assert!(!Trusted::read(folder.path()).holds(&project, "a"));
    }

    #[test]
    fn the_nearest_project_file_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(inner.join("c")).expect("folders");
        assert_eq!(find(&inner), None);
        std::fs::create_dir_all(folder.path().join("a/.winclaw")).expect("folders");
        std::fs::write(folder.path().join("a").join(PROJECT_FILE), "").expect("written");
        assert_eq!(find(&inner.join("c")), Some(folder.path().join("a").join(PROJECT_FILE)));
    }
}
