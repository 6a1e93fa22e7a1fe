//! A plugin is added by one command that touches nothing else, and is callable at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use winclaw_package::{BuildOptions, build_plugins, lay_out, new_plugin, plugin_crates};
use winclaw_tests::{Room, dist, root};

/// A repository of somebody else that uses the SDK, with the same versions of everything and the same target folder, so
/// that little is built anew.
fn workspace(room: &Room) -> PathBuf {
    let folder = room.path().join("theirs");
    fs::create_dir_all(folder.join("plugins")).expect("a folder");
    fs::create_dir_all(folder.join(".cargo")).expect("a folder");
    let ours = fs::read_to_string(root().join("Cargo.toml")).expect("our Cargo.toml");
    let profiles = ours.find("\n[profile.").map_or("", |at| &ours[at..]);
    let sdk = |name: &str| format!("{name} = {{ path = {:?} }}", root().join("crates").join(name));
    let (sdk, testing) = (sdk("winclaw-sdk"), sdk("winclaw-sdk-testing"));
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"plugins/*\"]\n\n[workspace.dependencies]\n{sdk}\n{testing}\n{profiles}"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    let (_, target) = plugin_crates(Some(root())).expect("our own workspace");
    let config = format!("[build]\ntarget-dir = {target:?}\n[net]\noffline = true\n");
    fs::write(folder.join(".cargo").join("config.toml"), config).expect("written");
    folder
}

/// Every file below `folder` with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => _ = found.insert(path.clone(), fs::read(&path).expect("a file")),
        }
    }
    found
}

/// Runs the tests that came with the plugin.
fn own_tests_pass(folder: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(["test", "--quiet"]).current_dir(folder).output().expect("cargo runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "its own tests fail:\n{out}\n{err}");
    assert!(out.contains("3 passed"), "{out}");
}

#[test]
fn a_new_plugin_touches_nothing_else_and_is_callable_at_once() {
    let room = Room::with(&["calculator", "weather", "doc_generator"]);
    let theirs = workspace(&room);
    let before = files(&theirs);
    let inherited = "{ workspace = true }";
    let made = new_plugin(&theirs.join("plugins"), "hello", inherited, inherited).expect("a plugin");
    let after = files(&theirs);
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)), "another file was changed");
    assert!(after.keys().filter(|path| !before.contains_key(*path)).all(|path| path.starts_with(&made)));

    let options = BuildOptions { workspace: Some(theirs.clone()), ..BuildOptions::default() };
    let built = build_plugins(&options).expect("it builds");
    let host = dist().join(format!("winclaw{}", std::env::consts::EXE_SUFFIX));
    lay_out(&built[0], &host, room.plugins()).expect("a package");

    let call = |args: &str| room.winclaw(&["tool", "call", "hello.greet", "--args", args]).run();
    call("{\"name\": \"Ada\"}").exits(0).says(&["Hello, Ada!"]);
    call("{\"first_name\": \"Ada\"}").exits(2).complains(&["`name`"]);
    for text in ["say hello to Ada", "跟小明打个招呼"] {
        let explained = room.winclaw(&["explain", text, "--json", "--transport", "bridge"]).run().exits(0).json();
        let tools = explained["tools"].as_array().expect("tools");
        let hello = tools.iter().find(|tool| tool["tool"] == "hello.greet").expect("the new tool");
        assert_ne!(hello["level"], "named", "{text}: {hello}");
    }
    own_tests_pass(&theirs);
}
