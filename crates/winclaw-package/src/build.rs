use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{CrateType, Message, Metadata, MetadataCommand};

use crate::PackageError;

/// A crate of the workspace that is a plugin: it has a `plugin.toml` beside its `Cargo.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginCrate {
    /// Name of its folder, by which people call it.
    pub folder: String,
    /// Name of the cargo package.
    pub package: String,
    /// Where it stands.
    pub path: PathBuf,
}

/// How to build.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// Any file or folder of the workspace; `None` means the current folder.
    pub workspace: Option<PathBuf>,
    /// Folder names of the plugins to build; empty means every plugin.
    pub only: Vec<String>,
    /// Whether to build optimised.
    pub release: bool,
}

/// A plugin crate and the library cargo made of it.
#[derive(Debug, Clone)]
pub struct BuiltPlugin {
    /// The crate.
    pub source: PluginCrate,
    /// The dynamic library.
    pub library: PathBuf,
}

/// Every plugin of the workspace that holds `workspace`, sorted by folder name, and the workspace's target folder.
pub fn plugin_crates(workspace: Option<&Path>) -> Result<(Vec<PluginCrate>, PathBuf), PackageError> {
    let metadata = metadata(workspace)?;
    Ok((crates_of(&metadata), metadata.target_directory.into_std_path_buf()))
}

fn metadata(workspace: Option<&Path>) -> Result<Metadata, PackageError> {
    let mut command = MetadataCommand::new();
    if let Some(folder) = workspace {
        command.current_dir(folder);
    }
    Ok(command.no_deps().exec()?)
}

fn crates_of(metadata: &Metadata) -> Vec<PluginCrate> {
    let plugin = |package: &cargo_metadata::Package| {
        let path = package.manifest_path.parent()?.as_std_path().to_owned();
        let folder = path.file_name()?.to_string_lossy().into_owned();
        path.join("plugin.toml").is_file().then(|| PluginCrate { folder, package: package.name.to_string(), path })
    };
    let mut crates: Vec<PluginCrate> = metadata.workspace_packages().into_iter().filter_map(plugin).collect();
    crates.sort_by(|a, b| a.folder.cmp(&b.folder));
    crates
}

/// Builds the plugins that `options` name with one run of cargo. Cargo's own messages go to standard error.
pub fn build_plugins(options: &BuildOptions) -> Result<Vec<BuiltPlugin>, PackageError> {
    let (crates, _) = plugin_crates(options.workspace.as_deref())?;
    build_crates(select(crates, &options.only)?, options)
}

/// Builds just these crates, whether or not they have a `plugin.toml`; `options.only` is passed over.
pub fn build_crates(wanted: Vec<PluginCrate>, options: &BuildOptions) -> Result<Vec<BuiltPlugin>, PackageError> {
    let libraries = cargo_build(&wanted, options)?;
    let built = |source: PluginCrate| {
        let library = libraries.iter().find(|(folder, _)| *folder == source.path).map(|(_, library)| library.clone());
        let library = library.ok_or_else(|| PackageError::NoLibrary(source.package.clone()))?;
        Ok(BuiltPlugin { source, library })
    };
    wanted.into_iter().map(built).collect()
}

fn select(crates: Vec<PluginCrate>, only: &[String]) -> Result<Vec<PluginCrate>, PackageError> {
    if only.is_empty() {
        return Ok(crates);
    }
    let find = |name: &String| {
        crates.iter().find(|plugin| plugin.folder == *name).cloned().ok_or_else(|| PackageError::UnknownPlugin {
            name: name.clone(),
            known: crates.iter().map(|plugin| plugin.folder.as_str()).collect::<Vec<_>>().join(", "),
        })
    };
    only.iter().map(find).collect()
}

/// The dynamic libraries of one `cargo build`, each with the folder of the crate it came from.
fn cargo_build(plugins: &[PluginCrate], options: &BuildOptions) -> Result<Vec<(PathBuf, PathBuf)>, PackageError> {
    if plugins.is_empty() {
        return Ok(Vec::new());
    }
    let names = || plugins.iter().map(|plugin| plugin.package.as_str()).collect::<Vec<_>>().join(", ");
    let failed = |_| PackageError::Build(names());
    let mut child = build_command(plugins, options).spawn().map_err(failed)?;
    let stdout = child.stdout.take().ok_or_else(|| PackageError::Build(names()))?;
    let messages = Message::parse_stream(BufReader::new(stdout));
    let libraries = messages.filter_map(Result::ok).filter_map(dynamic_library).collect();
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(libraries) } else { Err(PackageError::Build(names())) }
}

fn build_command(plugins: &[PluginCrate], options: &BuildOptions) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--message-format=json-render-diagnostics"]).stdout(Stdio::piped()).stdin(Stdio::null());
    if options.release {
        command.arg("--release");
    }
    if let Some(folder) = &options.workspace {
        command.current_dir(folder);
    }
    for plugin in plugins {
        command.args(["--package", &plugin.package]);
    }
    command
}

fn dynamic_library(message: Message) -> Option<(PathBuf, PathBuf)> {
    let Message::CompilerArtifact(artifact) = message else {
        return None;
    };
    artifact.target.crate_types.contains(&CrateType::CDyLib).then_some(())?;
    let is_library = |name: &str| [".so", ".dll", ".dylib"].iter().any(|end| name.ends_with(end));
    let file = artifact.filenames.iter().find(|file| is_library(file.as_str()))?;
    let folder = artifact.manifest_path.parent()?;
    Some((folder.as_std_path().to_owned(), file.as_std_path().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_plugin_is_answered_with_the_known_ones() {
        let plugin = |folder: &str| PluginCrate { folder: folder.into(), package: folder.into(), path: folder.into() };
        let error = select(vec![plugin("alpha"), plugin("beta")], &["gamma".into()]).expect_err("no such plugin");
        assert_eq!(error.to_string(), "there is no plugin `gamma`; the plugins are: alpha, beta");
    }
}
