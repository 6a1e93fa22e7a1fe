//! The child as a process: how many there are, what they see, and when they end.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use support::{Room, host_program, library, loaded, value};
use winclaw_loader::{LoadOptions, describe};

/// Tells the copy of this test that plays the host where its room is.
const ROOM: &str = "WINCLAW_TEST_ROOM";

/// Whether the process has ended; one that nobody has waited for yet counts as ended.
fn ended(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    state.is_none_or(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
}

/// Asks `done` again and again, for at most ten seconds.
fn soon<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(Instant::now() < end, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test]
async fn first_calls_at_once_start_one_child() {
    let room = Room::new();
    let backend = room.load();
    let pids = join_all((0..20).map(|_| value(&backend, "pid", json!({})))).await;
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    assert_ne!(pids[0], json!(std::process::id()));
    assert_eq!(room.mapped(), [pids[0].to_string()]);
}

#[tokio::test]
async fn a_child_sees_a_short_list_of_variables() {
    let room = Room::new();
    let names: Vec<String> = serde_json::from_value(value(&room.load(), "env", json!({})).await).expect("names");
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
    let outside = |name: &&String| name.starts_with("CARGO") || name.starts_with("NEXTEST") || name.contains("LD_");
    assert_eq!(names.iter().find(outside), None, "{names:?}");
    assert!(names.iter().any(|name| name == "PATH"), "{names:?}");
}

#[tokio::test]
async fn dropping_the_backend_ends_its_children() {
    let room = Room::new();
    let backend = room.load();
    let pid = value(&backend, "pid", json!({})).await.to_string();
    drop(backend);
    let end = Instant::now() + Duration::from_secs(10);
    while !ended(&pid) {
        assert!(Instant::now() < end, "the child lives on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Plays the host in a process of its own: starts a child, writes down its id, and lets it compute for ever.
#[test]
fn play_the_host() {
    let Some(room) = std::env::var_os(ROOM).map(std::path::PathBuf::from) else { return };
    let at = |name: &str| room.join(name);
    let backend = loaded(LoadOptions::new(at("plugins"), at("cache"), at("data"), host_program()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let pid: Value = value(&backend, "pid", json!({})).await;
        fs::write(at("pid.tmp"), pid.to_string()).and_then(|()| fs::rename(at("pid.tmp"), at("pid"))).expect("written");
        value(&backend, "spin", json!({})).await;
    });
}

#[test]
fn a_child_that_computes_for_ever_dies_with_a_killed_host() {
    let room = Room::new();
    let mut host = Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", "play_the_host", "--nocapture"])
        .env(ROOM, room.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a host");
    let pid = soon("the child's start", || fs::read_to_string(room.path().join("pid")).ok());
    assert!(!ended(&pid));
    host.kill().expect("killed");
    host.wait().expect("ended");
    soon("the child's end", || ended(&pid).then_some(()));
}

#[test]
fn a_library_is_asked_for_its_manifest_and_what_is_none_says_so() {
    let room = Room::empty();
    assert_eq!(room.manifest()["id"], "misbehave");
    let text = room.path().join("text.so");
    fs::write(&text, "text").expect("written");
    let error = describe(&host_program(), &text).expect_err("no library").to_string();
    assert!(error.contains("the system cannot load the library"), "{error}");
    let error = describe(&host_program(), &room.path().join("gone.so")).expect_err("no file").to_string();
    assert!(error.contains("gone.so"), "{error}");
    let error = describe(&room.path().join("gone"), &library()).expect_err("no host").to_string();
    assert!(error.contains("cannot be started"), "{error}");
}
