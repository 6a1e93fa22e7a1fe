//! A disk of 64 KiB that is full: the task is told of it and goes on.
#![cfg(target_os = "linux")]

use std::path::Path;

use serde_json::{Value, json};
use winclaw_tests::{Room, dist, skipped};

#[test]
fn on_a_full_disk_the_task_goes_on_and_what_was_kept_is_whole() {
    let room = Room::with_misbehave(&[]);
    let long = "x".repeat(9_000);
    let steps: Vec<Value> = (0..12)
        .map(|n| json!({"reply": {"calls": [{"name": "misbehave__echo", "arguments": {"text": format!("{n} {long}")}}]}}))
        .chain([json!({"reply": {"text": "It is done."}})])
        .collect();
    let replay = room.replay(json!(steps));
    let kept = room.path().join("kept");
    // In a name space of its own, where this user may mount; the traces are copied out before it is gone.
    let line = "mkdir -p \"$WINCLAW_DATA_DIR/traces\" && mount -t tmpfs -o size=64k tmpfs \"$WINCLAW_DATA_DIR/traces\" || exit 99; \
                \"$0\" run everything --no-session --replay \"$1\"; code=$?; cp -r \"$WINCLAW_DATA_DIR/traces\" \"$2\"; exit $code";
    let winclaw = dist().join("winclaw");
    let words = ["--user", "--map-root-user", "--mount", "sh", "-c", line];
    let paths = [&winclaw, Path::new(&replay), &kept].map(|path| path.to_str().expect("UTF-8").to_owned());
    let mut run = room.program(Path::new("unshare"), &words).args(&paths.each_ref().map(String::as_str));
    for (name, folder) in
        [("WINCLAW_DATA_DIR", room.path().join("data")), ("WINCLAW_PLUGINS", room.plugins().to_owned())]
    {
        run = run.env(name, folder.to_str().expect("UTF-8"));
    }
    let done = run.run();
    if done.status.code() == Some(99) || done.stderr.contains("unshare: ") {
        return skipped("this user may not mount a file system here");
    }
    let done = done.exits(0).says(&["It is done."]).complains(&["the trace could not be written"]);
    let file = done.left(&kept, "jsonl");
    let text = std::fs::read_to_string(&file).expect("a trace");
    assert!(text.ends_with('\n') && text.len() > 30_000, "{} bytes", text.len());
    let kinds: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a whole record")["kind"].to_string())
        .collect();
    assert!(kinds.len() > 20 && kinds[0] == "\"start\"", "{kinds:?}");
}
