//! Words that may not stand in the code: names of concrete tools outside plugins, unfinished work, clocks in pure crates.

use std::fs;
use std::path::Path;

use super::{Breach, Source};
use crate::process::Failed;

/// The pure crates, each of which denies in its lib.rs what clippy.toml lists.
const PURE: [&str; 5] = ["tool", "catalog", "intent", "exposure", "guard"];
const DENY: &str = "#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)]";

/// Plugin ids that are ordinary words: only their full tool ids are looked for.
const ORDINARY: [&str; 1] = ["file"];

/// Where `unsafe` may stand, and why.
const UNSAFE: [(&str, &str); 4] = [
    ("crates/winclaw-abi/", "the boundary"),
    ("crates/winclaw-loader/", "loads libraries, and prepares the child"),
    ("crates/winclaw-sdk-macros/", "the expansion of export!"),
    ("tests/misbehave/", "a plugin that must crash in every way there is"),
];

pub fn check(root: &Path, sources: &[Source]) -> Result<Vec<Breach>, Failed> {
    let names = tool_names(root)?;
    let mut breaches = Vec::new();
    for source in sources {
        breaches.extend(concrete_tools(source, &names));
        breaches.extend(unfinished(source));
        breaches.extend(unsafe_code(source));
    }
    breaches.extend(PURE.iter().filter_map(|name| impure(sources, name)));
    breaches.extend(readmes(root)?);
    Ok(breaches)
}

/// Ids, wire names and (for ids that are no ordinary words) quoted plugin ids of the plugins in the tree.
fn tool_names(root: &Path) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    let entries = fs::read_dir(root.join("plugins")).map_err(Failed::new)?;
    for path in entries.filter_map(Result::ok).map(|entry| entry.path().join("plugin.toml")) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let table: toml::Table = text.parse().map_err(|error| Failed::new(format!("{}: {error}", path.display())))?;
        let id = table.get("id").and_then(toml::Value::as_str).unwrap_or_default();
        let tools = table.get("tools").and_then(toml::Value::as_table);
        for tool in tools.into_iter().flat_map(toml::Table::keys) {
            names.extend([format!("{id}.{tool}"), format!("{id}__{tool}")]);
        }
        if !ORDINARY.contains(&id) {
            names.push(format!("\"{id}\""));
        }
    }
    Ok(names)
}

fn concrete_tools(source: &Source, names: &[String]) -> Vec<Breach> {
    if !source.path.starts_with("crates/") {
        return Vec::new();
    }
    let found = names.iter().filter(|name| stands_in(&source.text, name));
    found.map(|name| Breach::new(&source.path, format!("names the tool {name}; only plugins/ may"))).collect()
}

/// Whether `name` stands in `text` as a whole word, so that `file.read` is not found in `my_file.read_all`.
fn stands_in(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '(';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + name.len()..].chars().next().is_some_and(is_word);
        !before && !after
    })
}

fn unfinished(source: &Source) -> Vec<Breach> {
    if source.path == "xtask/src/tidy/words.rs" {
        return Vec::new();
    }
    let words = ["todo!(", "unimplemented!(", "FIXME", "#[ignore]", "dbg!("];
    let found = words.iter().filter(|word| source.text.contains(**word));
    found.map(|word| Breach::new(&source.path, format!("holds `{word}`; finish it or open an issue"))).collect()
}

fn unsafe_code(source: &Source) -> Option<Breach> {
    let allowed = UNSAFE.iter().any(|(place, _)| source.path.starts_with(place));
    let code = |line: &&str| !line.trim_start().starts_with("//") && !line.contains('"');
    let holds = source.text.lines().filter(code).any(|line| line.contains("unsafe {") || line.contains("unsafe fn"));
    (holds && !allowed)
        .then(|| Breach::new(&source.path, "has `unsafe`; it may stand in the abi, the loader and export! only"))
}

fn impure(sources: &[Source], name: &str) -> Option<Breach> {
    let path = format!("crates/winclaw-{name}/src/lib.rs");
    let source = sources.iter().find(|source| source.path == path)?;
    (!source.text.contains(DENY)).then(|| Breach::new(path, format!("is a pure crate; it must say {DENY}")))
}

/// The two READMEs show the same commands and output.
fn readmes(root: &Path) -> Result<Option<Breach>, Failed> {
    let read =
        |name: &str| fs::read_to_string(root.join(name)).map_err(|error| Failed::new(format!("{name}: {error}")));
    let (english, chinese) = (read("README.md")?, read("README.zh-CN.md")?);
    let same = code_blocks(&english) == code_blocks(&chinese);
    Ok((!same).then(|| Breach::new("README.zh-CN.md", "its code blocks differ from those of README.md")))
}

fn code_blocks(text: &str) -> Vec<&str> {
    text.split("```").skip(1).step_by(2).collect()
}
