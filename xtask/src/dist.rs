//! The host and its plugins, built and laid out together as a person would install them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use winclaw_package::{BuildOptions, BuiltPlugin, PackageReport, PluginCrate};

use crate::process::{Failed, cargo, print, root, run, say};

/// Builds host and plugins into one folder and returns it: `winclaw` and `plugins/<id>/` beside it.
pub fn dist(release: bool) -> Result<PathBuf, Failed> {
    let (_, target) = winclaw_package::plugin_crates(Some(&root()))?;
    let profile = if release { "release" } else { "debug" };
    let folder = target.join("dist").join(profile);
    let mut build = cargo();
    build.args(["build", "--package", "winclaw"]);
    if release {
        build.arg("--release");
    }
    run(&mut build)?;
    let packages = folder.join("plugins");
    let made = lay_out(Vec::new(), release, &packages)?;
    sweep(&packages, &made)?;
    let program = format!("winclaw{}", std::env::consts::EXE_SUFFIX);
    install(&target.join(profile).join(&program), &folder.join(&program))?;
    Ok(folder)
}

/// Removes packages of plugins that the workspace no longer has.
fn sweep(packages: &Path, made: &[PackageReport]) -> Result<(), Failed> {
    let stale = |folder: &PathBuf| !made.iter().any(|report| report.folder == *folder);
    let entries = fs::read_dir(packages).map_err(Failed::new)?;
    for folder in entries.filter_map(Result::ok).map(|entry| entry.path()).filter(stale) {
        fs::remove_dir_all(&folder).map_err(|error| Failed::new(format!("{}: {error}", folder.display())))?;
    }
    Ok(())
}

/// Packages every plugin, and the one for tests beside them, into a folder of their own, and returns it.
pub fn with_test_plugins(release: bool) -> Result<PathBuf, Failed> {
    let (_, target) = winclaw_package::plugin_crates(Some(&root()))?;
    let folder = target.join("dist").join("bench-plugins");
    lay_out(Vec::new(), release, &folder)?;
    let misbehave = PluginCrate {
        folder: "misbehave".into(),
        package: "winclaw-tests-misbehave".into(),
        path: root().join("tests").join("misbehave"),
    };
    let options = BuildOptions { workspace: Some(root()), only: Vec::new(), release };
    place(&winclaw_package::build_crates(vec![misbehave], &options)?, &folder)?;
    Ok(folder)
}

/// Puts `from` at `to` in one step, so that a running copy is not written into.
fn install(from: &Path, to: &Path) -> Result<(), Failed> {
    let new = to.with_extension("new");
    fs::copy(from, &new).map_err(|error| Failed::new(format!("{}: {error}", from.display())))?;
    fs::rename(&new, to).map_err(|error| Failed::new(format!("{}: {error}", to.display())))
}

fn lay_out(only: Vec<String>, release: bool, out: &Path) -> Result<Vec<PackageReport>, Failed> {
    place(&winclaw_package::build_plugins(&BuildOptions { workspace: Some(root()), only, release })?, out)
}

fn place(built: &[BuiltPlugin], out: &Path) -> Result<Vec<PackageReport>, Failed> {
    let host = winclaw_loader::this_program().map_err(Failed::new)?;
    fs::create_dir_all(out).map_err(|error| Failed::new(format!("{}: {error}", out.display())))?;
    built.iter().map(|plugin| Ok(winclaw_package::lay_out(plugin, &host, out)?)).collect()
}

/// `cargo xtask demo`.
pub fn demo(arguments: &[String]) -> Result<(), Failed> {
    let folder = dist(false)?;
    run(Command::new(folder.join("winclaw")).arg("demo").args(arguments))
}

/// `cargo xtask package`: into the same folder that `dist` and `demo` use, so that the host finds them.
pub fn package(names: Vec<String>, release: bool) -> Result<(), Failed> {
    let (_, target) = winclaw_package::plugin_crates(Some(&root()))?;
    let out = target.join("dist").join(if release { "release" } else { "debug" }).join("plugins");
    for report in lay_out(names, release, &out)? {
        let tools: Vec<&str> = report.manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
        let (id, version) = (&report.manifest.id, &report.manifest.version);
        print(&format!("{id} {version}: {} ({} KiB)", tools.join(", "), report.library_bytes / 1024));
        print(&format!("  {}", report.folder.display()));
    }
    Ok(())
}

/// `cargo xtask new-plugin`.
pub fn new_plugin(name: &str) -> Result<(), Failed> {
    let workspace = "{ workspace = true }";
    let folder = winclaw_package::new_plugin(&root().join("plugins"), name, workspace, workspace)?;
    say(&format!("made {}", folder.display()));
    say(&format!(
        "next: cargo xtask package {name}, then winclaw tool call {name}.greet --args '{{\"name\": \"Ada\"}}'"
    ));
    Ok(())
}
