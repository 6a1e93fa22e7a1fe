//! What both runners do alike.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use futures_util::future::join_all;
use serde_json::{Value, json};
use support::{Recorder, Room, call, context, in_process, loaded, tool, value};
use winclaw_loader::{LoadOptions, PluginBackend};
use winclaw_net::{Exchange, NetClient, Policy};
use winclaw_tool::{FailureCode, Lang};
use winclaw_toolbox::Backend as _;

/// The same backend twice: in a child, and in this process.
fn both(change: impl Fn(LoadOptions) -> LoadOptions) -> Vec<(&'static str, Room, Arc<PluginBackend>)> {
    let (child, inside) = (Room::new(), Room::new());
    let (in_child, within) = (loaded(change(child.options())), loaded(in_process(change(inside.options()))));
    vec![("child", child, in_child), ("in process", inside, within)]
}

#[tokio::test]
async fn answers_failures_and_wrong_arguments_arrive_as_they_were_made() {
    for (runner, _room, backend) in both(|options| options) {
        assert_eq!(value(&backend, "ok", json!({})).await, json!("ok"), "{runner}");
        let text = "北京 \u{0}\n\"\\ 🌧";
        assert_eq!(value(&backend, "echo", json!({"text": text})).await, json!(text), "{runner}");
        let failure = call(&backend, "fail", json!({})).await.expect_err("a failure");
        assert_eq!((failure.code, failure.message.as_str()), (FailureCode::ToolFailed, "as asked"), "{runner}");
        assert_eq!(failure.hint.map(|hint| hint.zh).as_deref(), Some("无需处理"), "{runner}");
        let failure = call(&backend, "echo", json!({"txt": 1})).await.expect_err("wrong arguments");
        assert_eq!(failure.code, FailureCode::InvalidArgs, "{runner}: {failure}");
        let big = value(&backend, "big", json!({"bytes": 3_000_000})).await;
        assert_eq!(big.as_str().map(str::len), Some(3_000_000), "{runner}");
    }
}

#[tokio::test]
async fn a_panic_costs_its_call() {
    for (runner, _room, backend) in both(|options| options) {
        let failure = call(&backend, "panic", json!({})).await.expect_err("a panic");
        assert_eq!(failure.code, FailureCode::Panicked, "{runner}: {failure}");
        assert!(failure.message.contains("on purpose"), "{runner}: {failure}");
        let failure = call(&backend, "panic_thread", json!({})).await.expect_err("a panic");
        assert_eq!(failure.code, FailureCode::ToolFailed, "{runner}: {failure}");
        assert_eq!(value(&backend, "ok", json!({})).await, json!("ok"), "{runner}");
    }
}

#[tokio::test]
async fn a_hundred_calls_at_once_do_not_cross() {
    for (runner, _room, backend) in both(|options| options) {
        let ask = |n: usize| {
            let backend = &backend;
            async move { value(backend, "slow", json!({"ms": 50 + (n * 37) % 50, "text": n.to_string()})).await }
        };
        let begun = Instant::now();
        let answers = join_all((0..100).map(ask)).await;
        let expected: Vec<Value> = (0..100).map(|n: usize| json!(n.to_string())).collect();
        assert_eq!(answers, expected, "{runner}");
        assert!(begun.elapsed() < Duration::from_secs(6), "{runner}: one after the other takes over 7 s");
    }
}

#[tokio::test]
async fn progress_pieces_and_log_lines_come_in_order_and_before_the_outcome() {
    for (runner, _room, backend) in both(|options| options) {
        let recorder = Arc::new(Recorder::default());
        let mut cx = context(Duration::from_secs(60));
        cx.observer = Arc::clone(&recorder) as _;
        backend.call(&tool("progress_steps"), json!({"steps": 2}), cx).await.expect("an output");
        let expected = [
            "progress Some(0.5) step 1",
            "partial piece 1",
            "info line 1",
            "progress Some(1.0) step 2",
            "partial piece 2",
            "info line 2",
        ];
        assert_eq!(recorder.lines(), expected, "{runner}");
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_costs_nobody_else() {
    for (runner, _room, backend) in both(|options| options) {
        let cx = context(Duration::from_secs(60));
        let cancel = cx.cancel.clone();
        let long = tool("slow");
        let cancelled = backend.call(&long, json!({"ms": 60_000}), cx);
        let beside = call(&backend, "slow", json!({"ms": 1200, "text": "beside"}));
        let stop = async {
            value(&backend, "ok", json!({})).await;
            cancel.cancel();
            Instant::now()
        };
        let (outcome, beside, begun) = tokio::join!(async { (cancelled.await, Instant::now()) }, beside, stop);
        assert_eq!(outcome.0.expect_err("cancelled").code, FailureCode::Cancelled, "{runner}");
        assert!(outcome.1 - begun < Duration::from_secs(5), "{runner}: {:?}", outcome.1 - begun);
        assert_eq!(beside.expect("an output").value, json!("beside"), "{runner}");
    }
}

#[tokio::test]
async fn a_call_that_is_late_times_out_and_the_next_one_works() {
    for (runner, _room, backend) in both(|options| options) {
        value(&backend, "ok", json!({})).await;
        let late = backend.call(&tool("slow"), json!({"ms": 60_000}), context(Duration::from_millis(50))).await;
        let failure = late.expect_err("late");
        assert_eq!(failure.code, FailureCode::Timeout, "{runner}: {failure}");
        assert!(failure.message.contains("0.05 s") && failure.hint.is_some(), "{runner}: {failure}");
        assert_eq!(value(&backend, "ok", json!({})).await, json!("ok"), "{runner}");
    }
}

#[tokio::test]
async fn http_goes_through_the_host_and_its_list() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let router = Router::new().route("/sky", get(|| async { "晴" }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let net = Arc::new(NetClient::live(Policy { system_proxy: false, ..Policy::default() }));
    for (runner, _room, backend) in both(|options| LoadOptions { net: Arc::clone(&net), ..options }) {
        let url = format!("http://127.0.0.1:{port}/sky");
        assert_eq!(value(&backend, "http_get", json!({"url": url})).await, json!("200 晴"), "{runner}");
        let denied =
            call(&backend, "http_get", json!({"url": "https://elsewhere.example/"})).await.expect_err("denied");
        assert_eq!(denied.code, FailureCode::Denied, "{runner}: {denied}");
        assert!(denied.message.contains("elsewhere.example"), "{runner}: {denied}");
    }
}

#[tokio::test]
async fn recorded_and_absent_networks_are_told_from_each_other() {
    let record = json!([{"url": "http://127.0.0.1/sky*", "body": {"sky": "clear"}}]);
    let net = Arc::new(NetClient::recorded(Exchange::list(&record).expect("a record")));
    for (runner, room, backend) in both(|options| LoadOptions { net: Arc::clone(&net), ..options }) {
        let found = value(&backend, "http_get", json!({"url": "http://127.0.0.1/sky?now"})).await;
        assert_eq!(found, json!("200 {\"sky\":\"clear\"}"), "{runner}");
        let offline = loaded(room.options());
        let failure = call(&offline, "http_get", json!({"url": "http://127.0.0.1/sky"})).await.expect_err("offline");
        assert_eq!(failure.code, FailureCode::Unavailable, "{runner}: {failure}");
        assert!(failure.message.contains("cannot reach 127.0.0.1"), "{runner}: {failure}");
    }
}

#[tokio::test]
async fn plugins_are_told_what_their_manifest_asks_for_and_keep_their_values() {
    let told = |options: LoadOptions| LoadOptions {
        lang: Lang::Zh,
        now: Some(1_700_000_000_000),
        file_roots: vec![("/srv/docs".into(), true), ("/srv/books".into(), false)],
        secrets: Arc::new(|name| Some(format!("value of {name}"))),
        ..options
    };
    for (runner, room, backend) in both(told) {
        let facts = value(&backend, "facts", json!({})).await;
        let expected = json!({
            "scratch": true, "roots": [["/srv/docs", true], ["/srv/books", false]], "lang": "zh",
            "now": 1_700_000_000_000_u64, "declared": "value of MISBEHAVE_KEY", "undeclared": null,
        });
        assert_eq!(facts, expected, "{runner}");
        let stored = value(&backend, "kv", json!({"key": "place", "value": "北京"})).await;
        assert_eq!(stored, json!("北京"), "{runner}");
        let again = loaded(room.options());
        assert_eq!(value(&again, "kv", json!({"key": "place"})).await, json!("北京"), "{runner}");
        let failure = call(&again, "kv", json!({"key": "", "value": "x"})).await.expect_err("no key");
        assert_eq!(failure.code, FailureCode::InvalidArgs, "{runner}: {failure}");
    }
}
