use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use winclaw_tool::{PluginManifest, TargetFile};

use crate::{BuiltPlugin, PackageError, host_triple};

/// What was laid out.
#[derive(Debug, Clone)]
pub struct PackageReport {
    /// The manifest as it stands in `plugin.json`.
    pub manifest: PluginManifest,
    /// The package's folder.
    pub folder: PathBuf,
    /// Size of the library in bytes.
    pub library_bytes: u64,
}

/// Makes `<out>/<id>/` from a built plugin.
///
/// `host` is a program that answers `tool-host --manifest LIBRARY`, as the winclaw binary and every xtask over this
/// crate do; the library is loaded there and nowhere else. A package that already stands there is replaced.
pub fn lay_out(plugin: &BuiltPlugin, host: &Path, out: &Path) -> Result<PackageReport, PackageError> {
    let mut manifest = described(plugin, host)?;
    let bytes = fs::read(&plugin.library).map_err(at(&plugin.library))?;
    let name = plugin.library.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = format!("lib/{}/{name}", host_triple());
    manifest
        .targets
        .insert(host_triple().into(), TargetFile { file: file.clone(), sha256: hex(&Sha256::digest(&bytes)) });

    let staging = out.join(format!(".{}.new", manifest.id));
    remove(&staging)?;
    write(&staging.join(&file), &bytes)?;
    let json = serde_json::to_string_pretty(&manifest).map_err(|error| describe_error(plugin, error.to_string()))?;
    write(&staging.join("plugin.json"), json.as_bytes())?;
    copy_extras(&plugin.source.path, &staging)?;

    let folder = out.join(manifest.id.as_str());
    remove(&folder)?;
    fs::rename(&staging, &folder).map_err(at(&folder))?;
    Ok(PackageReport { manifest, folder, library_bytes: bytes.len() as u64 })
}

fn described(plugin: &BuiltPlugin, host: &Path) -> Result<PluginManifest, PackageError> {
    let json =
        winclaw_loader::describe(host, &plugin.library).map_err(|why| describe_error(plugin, why.to_string()))?;
    let manifest: PluginManifest =
        serde_json::from_str(&json).map_err(|error| describe_error(plugin, error.to_string()))?;
    let faults = manifest.check();
    if faults.is_empty() {
        return Ok(manifest);
    }
    let faults = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ");
    Err(PackageError::Manifest { plugin: plugin.source.folder.clone(), faults })
}

fn describe_error(plugin: &BuiltPlugin, why: String) -> PackageError {
    PackageError::Describe { library: plugin.library.clone(), why }
}

/// Copies what a person wants beside the library: the README, licences and demo scenes of the crate.
fn copy_extras(source: &Path, package: &Path) -> Result<(), PackageError> {
    let entries = fs::read_dir(source).map_err(at(source))?;
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "README.md" || name.starts_with("LICENSE") {
            copy(&entry.path(), &package.join(&name))?;
        }
    }
    let Ok(demos) = fs::read_dir(source.join("demos")) else {
        return Ok(());
    };
    for demo in demos.filter_map(Result::ok).filter(|demo| demo.path().is_file()) {
        copy(&demo.path(), &package.join("demos").join(demo.file_name()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), PackageError> {
    let bytes = fs::read(from).map_err(at(from))?;
    write(to, &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PackageError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    fs::write(path, bytes).map_err(at(path))
}

fn remove(folder: &Path) -> Result<(), PackageError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(folder)(error)),
        _ => Ok(()),
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> PackageError + '_ {
    move |source| PackageError::Io { path: path.to_owned(), source }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
