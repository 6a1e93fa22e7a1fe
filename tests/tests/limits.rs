//! What is far too much: five hundred calls in one reply, one id for all of them, arguments and results of many megabytes.
//! Each call gets one result, the memory of the host stays bounded, and the session goes on.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use winclaw_tests::{Done, Room};

const MIB: usize = 1024 * 1024;

/// The most memory that a host may take for what these tests do to it, in MiB.
const BOUND: u64 = 700;

#[expect(clippy::print_stderr, reason = "the figures are what is asked for")]
fn say(line: &str) {
    eprintln!("{line}");
}

fn bounded(what: &str, done: &Done) {
    let peak = done.peak_kib / 1024;
    say(&format!("{what}: peak of the host {peak} MiB, {:.1} s", done.took.as_secs_f64()));
    assert!(peak < BOUND, "{what}: {peak} MiB");
}

fn run(room: &Room, arguments: &[&str]) -> Done {
    room.winclaw(arguments).limit(Duration::from_secs(180)).run()
}

/// Answers one request with each of `replies`, as streams, and gives the bodies it was sent.
fn server(replies: Vec<Value>) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (sender, bodies) = channel();
    std::thread::spawn(move || {
        for reply in replies {
            let (stream, _) = listener.accept().expect("a connection");
            let body = answer(stream, &reply);
            sender.send(body).expect("the test waits");
        }
    });
    (url, bodies)
}

fn answer(mut stream: TcpStream, delta: &Value) -> Value {
    let mut from = BufReader::new(stream.try_clone().expect("a stream"));
    let mut length = 0;
    loop {
        let mut line = String::new();
        from.read_line(&mut line).expect("a line");
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).expect("a body");
    let chunk = json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]});
    let end = json!({"id": "x", "object": "chat.completion.chunk",
                     "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let text = format!("data: {chunk}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{text}", text.len()).expect("answered");
    serde_json::from_slice(&body).expect("a body in JSON")
}

/// The results of a request's conversation, by call id.
fn results(body: &Value) -> Vec<(String, String)> {
    let messages = body["messages"].as_array().expect("messages");
    let tools = messages.iter().filter(|message| message["role"] == "tool");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    tools.map(|message| (text(&message["tool_call_id"]), text(&message["content"]))).collect()
}

#[test]
fn five_hundred_calls_of_one_reply_that_all_have_one_id_get_one_result_each() {
    let room = Room::with_misbehave(&[]);
    let call = |index: usize| {
        let arguments = json!({"text": format!("call {index}")}).to_string();
        json!({"index": index, "id": "shell:0", "type": "function",
               "function": {"name": "misbehave__echo", "arguments": arguments}})
    };
    let many: Vec<Value> = (0..500).map(call).collect();
    let (url, bodies) = server(vec![json!({"role": "assistant", "tool_calls": many}), json!({"content": "I see."})]);
    let done = room
        .winclaw(&["run", "say it", "--model", "openai/many", "--approve", "always"])
        .env("OPENAI_BASE_URL", &url)
        .run()
        .says(&["I see."]);
    bounded("500 calls in one reply", &done);

    let _first = bodies.recv().expect("a request");
    let second = bodies.recv().expect("another");
    let results = results(&second);
    assert_eq!(results.len(), 500);
    let mut ids: Vec<&String> = results.iter().map(|(id, _)| id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 500, "every call has an id of its own");
    assert_eq!(results.iter().filter(|(_, text)| text.starts_with("call ")).count(), 8, "what fits runs");
    assert!(results[499].1.contains("send it again in your next reply"), "{}", results[499].1);
    assert_eq!(room.records("call").len(), 8);
}

#[test]
fn a_vendor_that_counts_its_ids_anew_in_every_reply_has_every_call_run() {
    let room = Room::with_misbehave(&[]);
    let call = |text: &str| {
        json!({"role": "assistant", "tool_calls": [{"index": 0, "id": "shell:0", "type": "function", "function":
               {"name": "misbehave__echo", "arguments": json!({"text": text}).to_string()}}]})
    };
    let (url, bodies) = server(vec![call("one"), call("two"), call("three"), json!({"content": "All three."})]);
    room.winclaw(&["run", "say it", "--model", "openai/many"]).env("OPENAI_BASE_URL", &url).run().exits(0);
    let last = bodies.iter().nth(3).expect("four requests");
    let texts: Vec<String> = results(&last).into_iter().map(|(_, text)| text).collect();
    assert!(texts.iter().zip(["one", "two", "three"]).all(|(text, said)| text.starts_with(said)), "{texts:?}");
}

#[test]
fn arguments_of_ten_megabytes_and_of_depth_ten_thousand_get_one_result_each_and_the_session_goes_on() {
    let room = Room::with_misbehave(&[]);
    let long = "x".repeat(10 * MIB);
    let deep = format!("{}1{}", "{\"text\":".repeat(10_000), "}".repeat(10_000));
    let calls = json!([
        {"name": "misbehave__echo", "arguments": {"text": long}},
        {"name": "misbehave__echo", "arguments": deep},
        {"name": "nosuch", "arguments": {"text": long}},
        {"name": "misbehave__pid", "arguments": {"text": long}},
        {"name": "misbehave__ok"},
    ]);
    let replay = room.replay(json!([
        {"reply": {"calls": calls}},
        {"expect": {"results": 5, "messages_contain": "nested more than 127 levels deep", "last_contains": "ok"},
         "reply": {"text": "Four were too much."}},
    ]));
    let done = run(&room, &["run", "say much", "--session", "new", "--replay", &replay]).says(&["Four were too much."]);
    bounded("arguments of 10 MB, depth 10,000", &done);
    goes_on(&room);
}

/// The session that was begun takes another request.
fn goes_on(room: &Room) {
    let replay = room.replay(json!([
        {"reply": {"calls": [{"name": "misbehave__echo", "arguments": {"text": "still here"}}]}},
        {"expect": {"last_contains": "still here"}, "reply": {"text": "The session goes on."}},
    ]));
    let list = room.winclaw(&["session", "list", "--json"]).run().exits(0).json();
    let sessions = list.as_array().or_else(|| list["sessions"].as_array()).expect("sessions");
    let id = sessions[0]["id"].as_str().expect("an id");
    let done = run(room, &["run", "and now?", "--session", id, "--replay", &replay]);
    done.exits(0).says(&["The session goes on."]);
}

/// Every file below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_result_of_sixty_megabytes_is_cut_and_kept_whole_and_one_of_a_hundred_is_refused_in_words() {
    let room = Room::with_misbehave(&[]);
    let asked =
        |megabytes: usize| json!({"calls": [{"name": "misbehave__big", "arguments": {"bytes": megabytes * MIB}}]});
    let many = json!({"calls": [{"name": "misbehave__many", "arguments": {"count": 20_000_000}}]});
    let cut = json!({"last_contains": "characters cut here"});
    let replay = room.replay(json!([
        {"reply": asked(60)},
        {"expect": cut, "reply": asked(100)},
        {"expect": {"last_contains": "ask for less at a time"}, "reply": many},
        {"expect": cut, "reply": {"text": "That was much."}},
    ]));
    let done = run(&room, &["run", "give me much", "--session", "new", "--replay", &replay]).says(&["That was much."]);
    bounded("results of 60, 100 and 40 MB", &done);

    let kept = files(&room.path().join("data"));
    let large = |path: &&PathBuf| fs::metadata(path).expect("there").len() >= 60 * MIB as u64;
    let kept: Vec<&PathBuf> = kept.iter().filter(large).collect();
    let [whole] = kept.as_slice() else { panic!("one whole result: {kept:?}") };
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(whole).expect("there").permissions());
    assert_eq!(mode & 0o077, 0, "its owner alone reads it");
    goes_on(&room);

    let replay = room.replay(json!([{"reply": asked(20)}, {"expect": cut, "reply": {"text": "That was much."}}]));
    let done = run(&room, &["run", "again", "--output", "stream-json", "--replay", &replay]).exits(0);
    bounded("a result of 20 MB as JSON", &done);
    assert!(done.stdout.len() < MIB, "{} bytes were printed", done.stdout.len());
}
