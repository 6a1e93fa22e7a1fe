use std::fs;
use std::path::{Path, PathBuf};

use winclaw_tool::PluginId;

use crate::PackageError;

/// Makes the crate of a new plugin at `<plugins>/<name>` with one working tool, its manifest, README and tests.
///
/// It touches nothing else: a workspace whose members say `plugins/*` takes it up by itself. Fails when the name is
/// not a plugin id or something stands there already.
pub fn new_plugin(plugins: &Path, name: &str, sdk: &str, sdk_testing: &str) -> Result<PathBuf, PackageError> {
    let id = PluginId::new(name.replace('-', "_")).map_err(|error| PackageError::Name(error.to_string()))?;
    if id.as_str().starts_with(|first: char| first.is_ascii_digit()) {
        return Err(PackageError::Name(format!("`{id}` starts with a digit; a crate's name starts with a letter")));
    }
    let folder = plugins.join(id.as_str());
    if folder.exists() {
        return Err(PackageError::Name(format!("{} stands there already; choose another name", folder.display())));
    }
    let files = [
        ("Cargo.toml", CARGO),
        ("plugin.toml", MANIFEST),
        ("README.md", README),
        ("src/lib.rs", SOURCE),
        ("tests/plugin.rs", TESTS),
    ];
    for (file, text) in files {
        let text = text.replace("{id}", id.as_str()).replace("{sdk}", sdk).replace("{sdk_testing}", sdk_testing);
        write(&folder.join(file), &text)?;
    }
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<(), PackageError> {
    let io = |source| PackageError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io)?;
    }
    fs::write(path, text).map_err(io)
}

const CARGO: &str = r#"[package]
name = "winclaw-plugin-{id}"
version = "0.1.0"
edition = "2024"
publish = false

[lib]
name = "{id}"
crate-type = ["cdylib", "rlib"]

[dependencies]
winclaw-sdk = {sdk}

[dev-dependencies]
winclaw-sdk-testing = {sdk_testing}
"#;

const MANIFEST: &str = r#"# What you decide about the plugin; parameters and their descriptions come from src/lib.rs.
id = "{id}"
publisher = "you"

[permissions]
# http = ["api.example.org"]    hosts it may reach through the host
# files = "read"                none, read or write, below the folders the person allows

[tools.greet]
category = "conversation"
title = { en = "Greet", zh = "问候" }
emoji = "👋"
summary = { en = "Greets somebody by name", zh = "按名字问候某人" }
detail_keys = ["name"]
aliases = { en = ["say hello"], zh = ["问好", "打招呼"] }
examples = ["Say hello to Ada", "跟小明打个招呼"]
"#;

const README: &str = r#"# {id}

One tool, `{id}.greet`. Try it:

    cargo xtask package {id}
    winclaw tool call {id}.greet --args '{"name": "Ada"}'
"#;

const SOURCE: &str = r#"//! The `{id}` plugin.
//!
//! Invariants:
//! - Nothing but the name that was given is used.

use winclaw_sdk::prelude::*;

/// Whom to greet.
#[args]
pub struct GreetArgs {
    /// The name of the person.
    pub name: String,
}

/// What is said.
#[result]
pub struct Greeting {
    /// The whole greeting.
    pub text: String,
}

/// Greets somebody by name.
#[tool(name = "greet", side_effect = "read")]
fn greet(args: GreetArgs, _cx: &Context) -> Result<Greeting, Failure> {
    if args.name.trim().is_empty() {
        return Err(Failure::invalid_args("`name` is empty; give a name, such as {\"name\": \"Ada\"}"));
    }
    Ok(Greeting { text: format!("Hello, {}!", args.name.trim()) })
}

export!(plugin = "plugin.toml", tools = [greet]);
"#;

const TESTS: &str = r#"//! What must hold for `{id}`, tried without a host.

use {id}::plugin;
use winclaw_sdk::{FailureCode, serde_json::json};
use winclaw_sdk_testing::{TestHost, conformance};

#[test]
fn it_keeps_the_rules_every_host_relies_on() {
    conformance(&plugin());
}

#[test]
fn it_greets_by_name() {
    let output = TestHost::new().call(&plugin(), "greet", json!({"name": "Ada"})).expect("a greeting");
    assert_eq!(output.value["text"], "Hello, Ada!");
}

#[test]
fn an_empty_name_is_refused() {
    let failure = TestHost::new().call(&plugin(), "greet", json!({"name": " "})).expect_err("no name");
    assert_eq!(failure.code, FailureCode::InvalidArgs);
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_plugin_is_one_new_folder_and_never_overwrites() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = new_plugin(root.path(), "hello-world", "1", "1").expect("a plugin");
        assert!(folder.ends_with("hello_world") && folder.join("src/lib.rs").is_file());
        assert!(folder.join("tests/plugin.rs").is_file());
        assert!(new_plugin(root.path(), "hello-world", "1", "1").is_err());
        for bad in ["", "../evil", "Größe", "9lives", "a b"] {
            assert!(new_plugin(root.path(), bad, "1", "1").is_err(), "{bad:?}");
        }
        assert_eq!(fs::read_dir(root.path()).expect("entries").count(), 1);
    }
}
