//! What tasks leave behind: no secrets, no control characters, and records that can be listed, added up, replayed, exported
//! and pruned.

mod canaries;
mod commands;
mod disk;
mod otlp;
mod server;

use serde_json::{Value, json};
use winclaw_tests::{Done, Room};

/// A room with one task of three model calls, in which one call of a tool succeeds and one fails.
fn after_a_task() -> Room {
    let room = Room::with_misbehave(&["calculator"]);
    ran(&room, "what is 6*7, and does it echo?").exits(0);
    room
}

/// Runs a replayed task for `request`.
fn ran(room: &Room, request: &str) -> Done {
    let call = |name: &str, arguments: Value| json!({"reply": {"calls": [{"name": name, "arguments": arguments}]}});
    let replay = room.replay(json!([
        call("calculator__evaluate", json!({"expression": "6*7"})),
        call("misbehave__echo", json!({"text": "hello"})),
        {"reply": {"text": "It is 42, and it echoes."}}
    ]));
    room.winclaw(&["run", request, "--replay", &replay]).run()
}
