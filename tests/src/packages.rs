use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use winclaw_package::{BuiltPlugin, PluginCrate};

use crate::{dist, root};

/// A plugin of the product, by its manifest.
#[derive(Debug, Clone)]
pub struct Shipped {
    /// Its id.
    pub id: String,
    /// Its `plugin.json`.
    pub manifest: Value,
}

/// Every plugin of the product, sorted by id.
///
/// # Panics
/// When a package in the product cannot be read.
pub fn shipped() -> Vec<Shipped> {
    let folder = dist().join("plugins");
    let mut plugins: Vec<Shipped> = subfolders(&folder).iter().map(|package| read(package)).collect();
    plugins.sort_by(|a, b| a.id.cmp(&b.id));
    plugins
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the plugins of the product");
    let packages = entries.map(|entry| entry.expect("an entry").path());
    packages.filter(|package| package.join("plugin.json").is_file()).collect()
}

fn read(package: &Path) -> Shipped {
    let text = fs::read(package.join("plugin.json")).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&text).expect("a manifest in JSON");
    Shipped { id: manifest["id"].as_str().expect("an id").to_owned(), manifest }
}

/// Puts the shipped package `id` into the folder `plugins`, by links where the file system can.
///
/// # Panics
/// When the product has no such package, or it cannot be copied.
pub(crate) fn install(id: &str, plugins: &Path) {
    let package = dist().join("plugins").join(id);
    assert!(package.is_dir(), "the product has no plugin `{id}`; is it built? {}", package.display());
    copy_tree(&package, &plugins.join(id));
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder of the package") {
        let path = entry.expect("an entry").path();
        let place = to.join(path.file_name().expect("an entry has a name"));
        match path.is_dir() {
            true => copy_tree(&path, &place),
            false => fs::hard_link(&path, &place)
                .or_else(|_| fs::copy(&path, &place).map(drop))
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        }
    }
}

/// Lays out the plugin that does everything a plugin must not, as `<plugins>/misbehave`.
///
/// # Panics
/// When its library is not beside the tests, or cannot be packaged.
pub fn lay_out_misbehave(plugins: &Path) {
    let name = format!("{}winclaw_tests_misbehave{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let built = std::env::current_exe().expect("the path of the test").with_file_name(&name);
    // A copy, since the library leaves a file beside itself whenever it is mapped.
    let own = tempfile::tempdir().expect("a folder");
    let library = own.path().join(&name);
    fs::copy(&built, &library).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    let path = root().join("tests").join("misbehave");
    let source = PluginCrate { folder: "misbehave".into(), package: "winclaw-tests-misbehave".into(), path };
    let host = dist().join(format!("winclaw{}", std::env::consts::EXE_SUFFIX));
    winclaw_package::lay_out(&BuiltPlugin { source, library }, &host, plugins).expect("a package");
}
