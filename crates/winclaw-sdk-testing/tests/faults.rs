//! Panics, cancelling and crowds: what goes wrong in a tool stays in its call.

mod sample;

use std::time::{Duration, Instant};

use sample::plugin;
use serde_json::json;
use winclaw_sdk::{Failure, FailureCode};
use winclaw_sdk_testing::TestHost;

fn misbehave(host: &TestHost, how: &str) -> Failure {
    host.call(&plugin(), "misbehave", json!({ "how": how })).expect_err("a failure")
}

#[test]
fn a_panic_costs_its_call_only() {
    let host = TestHost::new().http_reply("https://api.example.org/", 200, "{}");
    for (how, message) in [("panic", "at once"), ("panic_late", "after an await"), ("panic_oddly", "without a message")]
    {
        let failure = misbehave(&host, how);
        assert_eq!(failure.code, FailureCode::Panicked, "{how}");
        assert!(failure.message.contains(message), "{failure}");
    }
    let blocking = host.call(&plugin(), "stall", json!({"panic": true})).expect_err("a panic");
    assert_eq!(blocking.code, FailureCode::Panicked);
    assert!(blocking.message.contains("on a thread of the pool"), "{blocking}");
    assert!(host.call(&plugin(), "misbehave", json!({"how": "twice"})).is_ok());
}

#[test]
fn cancelling_ends_a_call_that_would_never_end() {
    let host = TestHost::new().http_silent();
    for how in ["never", "panic_on_drop", "panic_late"] {
        let running = host.start(&plugin(), "misbehave", json!({ "how": how }));
        running.cancel();
        let failure = running.wait_for(Duration::from_secs(1)).expect_err("cancelled");
        assert_eq!(failure.code, FailureCode::Cancelled, "{how}");
    }
    assert!(host.call(&plugin(), "misbehave", json!({"how": "twice"})).is_ok(), "the executor lives on");
}

#[test]
fn cancelling_does_not_wait_for_a_tool_that_holds_its_thread() {
    let host = TestHost::new();
    let running = host.start(&plugin(), "stall", json!({}));
    wait_until(|| host.logs().len() == 1);
    running.cancel();
    let failure = running.wait_for(Duration::from_secs(1)).expect_err("cancelled");
    assert_eq!(failure.code, FailureCode::Cancelled);
    wait_until(|| host.logs().len() == 2); // The tool saw it too, and its own late answer went nowhere.
}

#[test]
fn cancelling_does_not_wait_for_an_async_tool_that_forgets_to_await() {
    let host = TestHost::new();
    let begun = Instant::now();
    let running = host.start(&plugin(), "misbehave", json!({"how": "slowly"}));
    running.cancel();
    assert_eq!(running.wait().expect_err("cancelled").code, FailureCode::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(3), "answered after {:?}", begun.elapsed());
}

#[test]
fn cancelling_wakes_a_tool_that_waits_for_the_network_on_its_thread() {
    let host = TestHost::new().http_silent();
    let running = host.start(&plugin(), "misbehave", json!({"how": "blocking_http"}));
    running.cancel();
    assert_eq!(running.wait().expect_err("cancelled").code, FailureCode::Cancelled);
    assert!(host.call(&plugin(), "misbehave", json!({"how": "twice"})).is_ok(), "the thread was given back");
}

#[test]
fn cancelling_what_is_over_or_never_was_does_nothing() {
    let plugin = plugin().load();
    plugin.cancel(0);
    plugin.cancel(u64::MAX);
}

#[test]
fn a_hundred_waiting_calls_need_no_hundred_threads() {
    let host = TestHost::new().http_silent();
    let before = threads();
    let start = |number: u8| host.start(&plugin(), "forecast", json!({"place": "x", "days": number}));
    let running: Vec<_> = (0..100).map(start).collect();
    wait_until(|| host.requests().len() == 100);
    if let (Some(before), Some(now)) = (before, threads()) {
        assert!(now < before + 20, "{before} threads before, {now} now");
    }
    for call in running {
        call.cancel();
        assert_eq!(call.wait().expect_err("cancelled").code, FailureCode::Cancelled);
    }
}

/// Gives other threads their turn until `condition` holds.
fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The threads of this process, where the system tells.
fn threads() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

#[test]
fn a_host_that_drops_a_request_is_noticed() {
    let host = TestHost::new().http_silent();
    let running = host.start(&plugin(), "forecast", json!({"place": "x"}));
    wait_until(|| !host.requests().is_empty());
    host.drop_silenced();
    let failure = running.wait().expect_err("dropped");
    assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true));
}

#[test]
fn an_answer_that_comes_after_the_cancel_goes_nowhere() {
    let host = TestHost::new().http_silent();
    let running = host.start(&plugin(), "forecast", json!({"place": "x"}));
    wait_until(|| !host.requests().is_empty());
    running.cancel();
    host.drop_silenced();
    assert_eq!(running.wait().expect_err("cancelled").code, FailureCode::Cancelled);
}

#[test]
fn a_hundred_calls_at_once_get_their_own_answers() {
    let host = TestHost::new();
    let store = |number: usize| json!({"name": format!("n{number}"), "text": format!("t{number}")});
    for round in 0..2 {
        let running: Vec<_> = (0..100).map(|number| host.start(&plugin(), "note", store(number))).collect();
        for (number, call) in running.into_iter().enumerate() {
            let before = call.wait().expect("a note").value;
            let expected = if round == 0 { json!(null) } else { json!(format!("t{number}")) };
            assert_eq!(before, expected);
        }
    }
}
