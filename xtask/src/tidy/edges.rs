//! The crate graph: every crate of ours has a row here, and uses no crate of ours its row does not name.

use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

use super::Breach;
use crate::process::Failed;

/// Crate, and the crates of ours it may use (without the `winclaw-` prefix), lowest layer first.
const TABLE: [(&str, &[&str]); 21] = [
    ("tool", &[]),
    ("abi", &[]),
    ("sdk-macros", &["tool"]),
    ("sdk", &["abi", "sdk-macros", "tool"]),
    ("catalog", &["tool"]),
    ("trace", &["tool"]),
    ("model", &["tool"]),
    ("net", &["tool"]),
    // Keeps conversations; what a message is, model says.
    ("session", &["tool", "model"]),
    // A trace in the form that collectors read.
    ("otlp", &["tool", "trace"]),
    ("intent", &["tool", "catalog"]),
    ("exposure", &["tool", "catalog"]),
    ("guard", &["tool", "catalog"]),
    ("toolbox", &["tool", "catalog"]),
    ("sdk-testing", &["sdk", "tool"]),
    ("loader", &["abi", "tool", "catalog", "toolbox", "net"]),
    ("package", &["tool", "abi", "loader"]),
    // Measures what intent and exposure decide; neither knows it.
    ("eval", &["tool", "catalog", "intent", "exposure"]),
    ("agent", &["tool", "catalog", "trace", "model", "intent", "exposure", "guard", "toolbox"]),
    // Only ever a dev-dependency: scripted models and servers for tests.
    ("testkit", &["tool", "model"]),
    ("", ANY),
];

/// The binary wires everything; it may use any crate.
const ANY: &[&str] = &["*"];

/// Crates that only tests may use.
const FOR_TESTS: [&str; 3] = ["winclaw-testkit", "winclaw-sdk-testing", "winclaw-tests-misbehave"];

/// Crates outside `abi`, `loader` and the SDK may not know the boundary's library.
const ABI_STABLE: [&str; 2] = ["winclaw-abi", "winclaw-loader"];

pub fn check(root: &Path) -> Result<Vec<Breach>, Failed> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec().map_err(Failed::new)?;
    let crates = root.join("crates");
    let plugins = root.join("plugins");
    let mut breaches = Vec::new();
    for package in metadata.workspace_packages() {
        let place = package.manifest_path.as_std_path();
        if place.starts_with(&crates) {
            breaches.extend(crate_breaches(package));
        } else if place.starts_with(&plugins) {
            breaches.extend(uses(package, false).filter(|used| used != "winclaw-sdk").map(|used| {
                Breach::new(package.name.as_str(), format!("uses {used}; a plugin depends on winclaw-sdk alone"))
            }));
        }
    }
    Ok(breaches)
}

fn crate_breaches(package: &Package) -> Vec<Breach> {
    let name = package.name.as_str();
    let mut breaches = Vec::new();
    let Some((_, allowed)) = TABLE.iter().find(|(row, _)| full(row) == name) else {
        return vec![Breach::new(name, "has no row in xtask/src/tidy/edges.rs; a new crate is a decision")];
    };
    if package.manifest_path.parent().and_then(|folder| folder.file_name()) != Some(name) {
        breaches.push(Breach::new(name, "must stand in a folder of its own name"));
    }
    let may = |used: &str| *allowed == ANY || allowed.iter().any(|row| full(row) == used);
    for used in uses(package, false).filter(|used| !may(used) || FOR_TESTS.contains(&used.as_str())) {
        breaches.push(Breach::new(name, format!("may not use {used}: the design has no such edge")));
    }
    for used in uses(package, true).filter(|used| !may(used) && !FOR_TESTS.contains(&used.as_str())) {
        breaches.push(Breach::new(name, format!("may not use {used} even in tests: the design has no such edge")));
    }
    let boundary = package.dependencies.iter().any(|dependency| dependency.name == "abi_stable");
    if boundary && !ABI_STABLE.contains(&name) {
        breaches.push(Breach::new(name, "may not use abi_stable; the boundary is winclaw-abi's"));
    }
    breaches
}

fn full(row: &str) -> String {
    if row.is_empty() { "winclaw".into() } else { format!("winclaw-{row}") }
}

/// Names of our crates that `package` uses, in tests only or outside them.
fn uses(package: &Package, in_tests: bool) -> impl Iterator<Item = String> + '_ {
    let wanted = move |kind| (kind == DependencyKind::Development) == in_tests;
    let ours = package.dependencies.iter().filter(|dependency| dependency.path.is_some());
    ours.filter(move |dependency| wanted(dependency.kind)).map(|dependency| dependency.name.clone())
}
