//! Planted secrets: none of them may be found in anything that is printed or kept, in any form.
//!
//! Sessions are conversations, kept so that they can go on word for word; they are private to their owner and exempt. What a
//! plugin keeps in its own store is its own.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use winclaw_testkit::MockOpenAi;
use winclaw_tests::{Done, Room, script, skipped};

use super::server::Server;

/// The key of the environment. A test puts it together, so that no scanner takes this file for a leak.
fn key() -> String {
    format!("sk-{}", "CANARYkey7f3Kq9ZxV2mWb8Lr/4TnYp6+x")
}

/// A key that no shape gives away, so that only its value can.
const PLAIN_KEY: &str = "canary+plain/words&9";

const PASSWORD: &str = "CANARYpass-horse-7";
const IN_RESULT: &str = "CANARYresult-battery-8";
const IN_ERROR: &str = "CANARYerror-staple-9";

fn canaries() -> Vec<String> {
    [key().as_str(), PLAIN_KEY, PASSWORD, IN_RESULT, IN_ERROR].iter().map(|word| (*word).to_owned()).collect()
}

/// Every form in which `canary` may stand somewhere: as it is, percent-encoded, escaped for JSON, in base64 at each
/// alignment.
fn forms(canary: &str) -> Vec<String> {
    let percent: String = canary
        .bytes()
        .map(|b| if b.is_ascii_alphanumeric() || b == b'-' { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect();
    let escaped = canary.replace('/', "\\/");
    let base64 = (0..3).map(|offset| {
        let text = base64(&[&b"\0\0"[..offset], canary.as_bytes()].concat());
        // The characters that this canary alone decides.
        text[if offset == 0 { 0 } else { offset + 1 }..text.trim_end_matches('=').len() - 1].to_owned()
    });
    [canary.to_owned(), percent, escaped].into_iter().chain(base64).collect()
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |n: u32| char::from(ALPHABET[(n & 63) as usize]);
    let group = |chunk: &[u8]| {
        let of = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = of(0) << 16 | of(1) << 8 | of(2);
        let digits: String = [18, 12, 6, 0].iter().take(chunk.len() + 1).map(|shift| digit(bits >> shift)).collect();
        format!("{digits:=<4}")
    };
    bytes.chunks(3).map(group).collect()
}

/// Fails when `text`, which is of `place`, holds a canary.
#[track_caller]
fn holds_none(place: &str, text: &str) {
    for canary in canaries() {
        for form in forms(&canary) {
            if let Some(at) = text.find(&form) {
                let from = text[..at].char_indices().rev().nth(80).map_or(0, |(at, _)| at);
                panic!("{place} holds {canary} as {form}: …{}", text[from..].chars().take(200).collect::<String>());
            }
        }
    }
}

#[track_caller]
fn clean(done: &Done) {
    holds_none("standard output", &done.stdout);
    holds_none("standard error", &done.stderr);
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let exempt = path.ends_with("data/sessions");
        match path.is_dir() {
            true if !exempt => files(&path, found),
            false => found.push(path),
            true => {}
        }
    }
}

/// Every file that the program keeps, but for sessions, is clean.
fn data_is_clean(room: &Room) {
    let mut found = Vec::new();
    files(&room.path().join("data"), &mut found);
    assert!(found.iter().any(|file| file.extension().is_some_and(|end| end == "jsonl")), "{found:?}");
    for file in found.iter().filter(|file| file.extension().is_none_or(|end| end != "so")) {
        let bytes = fs::read(file).expect("a file");
        holds_none(&file.display().to_string(), &String::from_utf8_lossy(&bytes));
        holds_none("a name", &file.display().to_string());
    }
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// A model that lets tools echo a password and a secret, and fail with one.
fn server() -> MockOpenAi {
    let echo = json!({"text": json!({"user": "li", "password": PASSWORD}).to_string()});
    let result = json!({"text": format!("the api_key is set: api_key={IN_RESULT}; 密码：{IN_RESULT}")});
    let fail = json!({"url": format!("http://127.0.0.1:9/login?access_token={IN_ERROR}&page=2")});
    let wrong = json!({"text": {"password": PASSWORD}, "api_key": IN_ERROR});
    MockOpenAi::scripted(script(json!([
        {"reply": {"text": "First I look.", "calls": [call("misbehave__echo", echo), call("misbehave__echo", result)]}},
        {"reply": {"calls": [call("misbehave__http_get", fail), call("misbehave__echo", wrong)]}},
        {"reply": {"text": "It is done."}}
    ])))
}

fn with_keys(run: winclaw_tests::Run, url: &str, key: &str) -> winclaw_tests::Run {
    run.env("OPENAI_BASE_URL", url).env("OPENAI_API_KEY", key).env("WINCLAW_SECRET_MAIL", PLAIN_KEY)
}

#[test]
fn no_secret_of_a_task_is_printed_or_kept() {
    for output in ["text", "json", "stream-json"] {
        let (room, server) = (Room::with_misbehave(&[]), server());
        let run = room.winclaw(&["run", "try everything", "--output", output, "--approve", "always", "-vv"]);
        let done = with_keys(run, &server.base_url(), &key()).run();
        assert!(done.stdout.contains("It is done."), "{}", done.told());
        clean(&done);
        if output == "stream-json" {
            assert!(done.stdout.contains("[redacted]"), "the events name what they hide\n{}", done.told());
        }
        data_is_clean(&room);
        for words in [
            &["trace", "show"][..],
            &["trace", "show", "--json"],
            &["trace", "list", "--json"],
            &["trace", "analyze", "--json"],
            &["trace", "export", "--content"],
            &["doctor", "--json"],
            &["doctor"],
            &["config", "list"],
            &["session", "list", "--json"],
            &["session", "export", "--format", "markdown"],
        ] {
            clean(&with_keys(room.winclaw(words), &server.base_url(), &key()).run());
        }
    }
}

#[test]
fn a_model_that_quotes_the_key_gives_nothing_away() {
    for quoted in [key(), PLAIN_KEY.to_owned()] {
        let said = quoted.clone();
        let server = Server::new(move |_| {
            let error = json!({"error": {"message": format!("Incorrect API key provided: {said}. {}", base64(said.as_bytes()))}});
            ("401 Unauthorized", "application/json", error.to_string().into_bytes())
        });
        for output in ["text", "json", "stream-json"] {
            let room = Room::with_misbehave(&[]);
            let run = room.winclaw(&["run", "hello", "--output", output, "-vv"]);
            let done = with_keys(run, &server.url(), &quoted).env("WINCLAW_LOG", "trace").run().exits(3);
            clean(&done);
            data_is_clean(&room);
        }
    }
}

#[test]
fn a_question_shows_what_it_is_about_without_the_password() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return skipped("there is no `script` to make a terminal with");
    }
    let room = Room::with_misbehave(&[]);
    let arguments = format!("'{{\"key\":\"password\",\"value\":\"{PASSWORD}\"}}'");
    let run = room.on_terminal(&["tool", "call", "misbehave.kv", "--args", &arguments]);
    let done = run.stdin("d\nn\n").run().exits(7);
    // The terminal shows what was typed, and the command line stands on none of it.
    holds_none("the terminal", &done.stdout);
    assert!(done.stdout.contains("misbehave.kv") && done.stdout.contains("[redacted]"), "{}", done.told());
}
