use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use winclaw_tool::{PluginId, PluginManifest, Problem};

use crate::{TARGET, bounds, manifest, problems};

/// A package that passed every check that needs no reading of its library's body.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub(crate) manifest: PluginManifest,
    /// The package's folder, canonical.
    pub(crate) folder: PathBuf,
    /// The library for this machine, canonical and inside `folder`.
    pub(crate) library: PathBuf,
    /// The SHA-256 the manifest gives for it, in lower case.
    pub(crate) sha256: String,
}

/// All sound packages below `folder`, in the order of their folders' names, and what is wrong with the others.
///
/// Plain files and hidden folders are no packages.
pub(crate) fn scan(folder: &Path) -> (Vec<Package>, Vec<Problem>) {
    let names = match subfolders(folder) {
        Ok(names) => names,
        Err(error) => return (Vec::new(), vec![problems::no_folder(folder, &error)]),
    };
    let (mut packages, mut problems) = (Vec::new(), Vec::new());
    let mut owners: BTreeMap<PluginId, String> = BTreeMap::new();
    for name in names {
        match read(folder, &name, &owners) {
            Ok(package) => {
                owners.insert(package.manifest.id.clone(), name);
                packages.push(package);
            }
            Err(problem) => problems.push(problem),
        }
    }
    (packages, problems)
}

fn subfolders(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn read(plugins: &Path, name: &str, owners: &BTreeMap<PluginId, String>) -> Result<Package, Problem> {
    let path = plugins.join(name);
    let manifest = manifest::read(&path, name)?;
    if let Some(kept) = owners.get(&manifest.id) {
        return Err(problems::duplicate(&manifest.id, kept, name));
    }
    let known: Vec<&str> = manifest.targets.keys().map(String::as_str).collect();
    let target = manifest.targets.get(TARGET).ok_or_else(|| problems::no_target(name, &known))?;
    let unreadable = |error: io::Error| problems::unreadable(name, &target.file, &error);
    let folder = path.canonicalize().map_err(unreadable)?;
    let library =
        inside(&folder, &target.file).ok_or_else(|| problems::path_escapes(name, &target.file))?.map_err(unreadable)?;
    if !library.starts_with(&folder) {
        return Err(problems::path_escapes(name, &target.file));
    }
    let looked_at = bounds::check_file(&library).map_err(unreadable)?;
    looked_at.map_err(|fault| problems::bad_library(name, &target.file, &fault))?;
    let sha256 = target.sha256.to_ascii_lowercase();
    Ok(Package { manifest, folder, library, sha256 })
}

/// The canonical path of `file` in `folder`; `None` when its name alone leads out of it.
///
/// Links may still lead out: the caller compares the canonical path.
fn inside(folder: &Path, file: &str) -> Option<io::Result<PathBuf>> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let odd = file.is_empty() || file.contains(['\\', ':', '\0']);
    let relative = Path::new(file);
    (!odd && relative.components().all(plain)).then(|| folder.join(relative).canonicalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_out_is_seen_by_its_name() {
        for file in ["../x.so", "lib/../../x.so", "/etc/x.so", "", "C:\\x.dll", "lib\\x.dll", "a\0b", "./../x"] {
            assert!(inside(Path::new("/nowhere"), file).is_none(), "{file:?}");
        }
        assert!(inside(Path::new("/nowhere"), "lib/x.so").is_some());
    }
}
