//! What a child contains: every way to die costs the calls in flight, in words of its own.
#![cfg(unix)]

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use support::{Recorder, Room, call, context, tool, value};
use winclaw_loader::PluginBackend;
use winclaw_tool::{Failure, FailureCode};
use winclaw_toolbox::{Backend as _, CallContext};

/// The failure of `name`, after which the plugin must work again, in another process.
async fn costs_itself(backend: &PluginBackend, name: &str, timeout: Duration) -> Failure {
    let before = value(backend, "pid", json!({})).await;
    let failure = backend.call(&tool(name), json!({}), context(timeout)).await.expect_err(name);
    assert_eq!(value(backend, "ok", json!({})).await, json!("ok"), "after {name}");
    assert_ne!(value(backend, "pid", json!({})).await, before, "after {name}");
    failure
}

#[tokio::test]
async fn every_crash_costs_its_own_call_and_says_how_it_came() {
    let cases = [
        ("abort", "aborted itself (signal 6)"),
        ("segfault", "killed by signal 11 (segfault"),
        ("exit_zero", "ended itself with exit code 0"),
        ("overflow", "endless recursion"),
    ];
    for (name, words) in cases {
        let room = Room::new();
        let failure = costs_itself(&room.load(), name, Duration::from_secs(60)).await;
        assert_eq!((failure.code, failure.retryable), (FailureCode::Crashed, true), "{name}: {failure}");
        assert!(failure.message.contains(words) && failure.message.contains(name), "{name}: {failure}");
        assert!(failure.hint.is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_tool_that_never_returns_is_stopped_and_its_child_replaced() {
    for name in ["hang", "spin", "spin_async"] {
        let room = Room::new();
        let backend = room.load();
        let begun = Instant::now();
        let failure = costs_itself(&backend, name, Duration::from_millis(100)).await;
        assert_eq!(failure.code, FailureCode::Timeout, "{name}: {failure}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{name}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_or_cancelled_does_not_go_on_in_secret() {
    let room = Room::new();
    let backend = room.load();
    let first = value(&backend, "pid", json!({})).await;
    let spin = tool("spin");
    let recorder = Arc::new(Recorder::default());
    let cx = CallContext { observer: Arc::clone(&recorder) as _, ..context(Duration::from_secs(60)) };
    tokio::select! {
        _ = backend.call(&spin, json!({}), cx.clone()) => panic!("it never ends"),
        () = recorder.lines_seen(1) => {}
    }
    let second = value(&backend, "pid", json!({})).await;
    assert_ne!(second, first, "the child that still computes takes no call");
    let cancel = async {
        recorder.lines_seen(2).await;
        cx.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(backend.call(&spin, json!({}), cx.clone()), cancel);
    assert_eq!(outcome.expect_err("cancelled").code, FailureCode::Cancelled);
    assert_ne!(value(&backend, "pid", json!({})).await, second);
}

#[tokio::test]
async fn calls_beside_a_crash_are_told_and_a_call_beside_a_stopped_one_learns_why() {
    let room = Room::new();
    let backend = room.load();
    value(&backend, "ok", json!({})).await;
    let beside = call(&backend, "slow", json!({"ms": 60_000}));
    let (beside, crash) = tokio::join!(beside, call(&backend, "segfault", json!({})));
    for failure in [beside.expect_err("lost"), crash.expect_err("lost")] {
        assert_eq!(failure.code, FailureCode::Crashed);
        assert!(failure.message.contains("segfault"), "{failure}");
    }
    value(&backend, "ok", json!({})).await;
    let spin = tool("spin");
    let late = backend.call(&spin, json!({}), context(Duration::from_millis(50)));
    let (late, beside) = tokio::join!(late, call(&backend, "slow", json!({"ms": 60_000})));
    assert_eq!(late.expect_err("late").code, FailureCode::Timeout);
    let failure = beside.expect_err("lost");
    assert_eq!(failure.code, FailureCode::Crashed);
    assert!(failure.message.contains("`misbehave.spin` did not end when it was told to"), "{failure}");
}

#[tokio::test]
async fn noise_never_reaches_the_channel_and_is_shown_after_a_crash() {
    let room = Room::new();
    let backend = room.load();
    for _ in 0..3 {
        assert_eq!(value(&backend, "chatter", json!({})).await, json!("said"));
    }
    let failure = call(&backend, "abort", json!({})).await.expect_err("a crash");
    assert!(
        failure.message.contains("chatter on stderr") && failure.message.contains("chatter on stdout"),
        "{failure}"
    );
    assert!(!failure.message.contains(['\u{1b}', '\n']), "{failure}");
}

#[tokio::test]
async fn a_result_past_the_cap_is_a_failure_of_that_call_alone() {
    let room = Room::new();
    let backend = room.load();
    let before = value(&backend, "pid", json!({})).await;
    let failure = call(&backend, "big", json!({"bytes": 68_000_000})).await.expect_err("too big");
    assert_eq!(failure.code, FailureCode::ToolFailed);
    assert!(failure.message.contains("67108864"), "{failure}");
    assert_eq!(value(&backend, "pid", json!({})).await, before);
}

#[tokio::test]
async fn three_crashes_in_a_minute_make_the_plugin_unavailable_for_a_while() {
    let room = Room::new();
    let mut options = room.options();
    options.restart.pause = Duration::from_millis(1500);
    let backend = support::loaded(options);
    for _ in 0..3 {
        let failure = call(&backend, "abort", json!({})).await.expect_err("a crash");
        assert_eq!(failure.code, FailureCode::Crashed, "{failure}");
    }
    let failure = call(&backend, "ok", json!({})).await.expect_err("paused");
    assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true), "{failure}");
    assert!(failure.message.contains("crashed 3 times"), "{failure}");
    tokio::time::sleep(Duration::from_millis(1600)).await;
    assert_eq!(value(&backend, "ok", json!({})).await, json!("ok"));
}

#[tokio::test]
async fn a_host_program_that_cannot_serve_is_said() {
    let room = Room::new();
    let mut options = room.options();
    options.host_program = room.path().join("missing");
    let failure = call(&support::loaded(options), "ok", json!({})).await.expect_err("no program");
    assert_eq!(failure.code, FailureCode::Unavailable);
    assert!(failure.message.contains("cannot be started") && failure.hint.is_some(), "{failure}");
    let mut options = room.options();
    options.host_program = "/bin/false".into();
    let failure = call(&support::loaded(options), "ok", json!({})).await.expect_err("not ours");
    assert_eq!(failure.code, FailureCode::Crashed);
    assert!(failure.message.contains("exit code 1"), "{failure}");
    let mut options = room.options();
    options.host_program = script(&room, "echo this is no frame; exec sleep 60");
    let failure = call(&support::loaded(options), "ok", json!({})).await.expect_err("not ours");
    assert!(failure.message.contains("sent something that is no frame"), "{failure}");
    let mut options = room.options();
    options.host_program = script(&room, "exec sleep 60 >&-");
    let failure = call(&support::loaded(options), "ok", json!({})).await.expect_err("not ours");
    assert!(failure.message.contains("closed its channel"), "{failure}");
}

/// A program that is no host.
fn script(room: &Room, line: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = room.path().join(format!("script-{}", line.len()));
    std::fs::write(&path, format!("#!/bin/sh\n{line}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

#[tokio::test]
async fn a_refused_plugin_is_no_crash_however_often_it_is_tried() {
    let room = Room::new();
    let backend = room.load();
    let library = room.package("misbehave").join(support::LIBRARY);
    std::fs::write(&library, "changed after start-up").expect("written");
    for _ in 0..5 {
        let failure = call(&backend, "ok", json!({})).await.expect_err("refused");
        assert_eq!((failure.code, failure.retryable), (FailureCode::Incompatible, false), "{failure}");
    }
}

#[test]
fn a_child_whose_runtime_ended_is_replaced() {
    let room = Room::new();
    let backend = room.load();
    let pid = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(value(&backend, "pid", json!({})))
    };
    assert_ne!(pid(), pid());
}

#[tokio::test]
async fn a_limit_beyond_every_clock_is_no_limit() {
    let room = Room::new();
    let outcome = room.load().call(&tool("ok"), json!({}), context(Duration::MAX)).await;
    assert_eq!(outcome.expect("an output").value, json!("ok"));
}
