//! Conversations that are kept: run, listed, shown, taken up, branched, found, exported and removed by the program itself.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use winclaw_testkit::{MockOpenAi, Recorded};
use winclaw_tests::{Done, Room, Run, script, skipped};

/// A run of `request` on the model that `server` plays.
fn asked(room: &Room, server: &MockOpenAi, request: &str, arguments: &[&str]) -> Run {
    let run = room.winclaw(&["run", request]).args(arguments);
    run.env("OPENAI_BASE_URL", &server.base_url()).env("OPENAI_API_KEY", "a-key")
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// A run that asks no model and answers `answer`.
fn answered(room: &Room, request: &str, answer: &str, arguments: &[&str]) -> Done {
    let replay = room.replay(json!([{"reply": {"text": answer}}]));
    room.winclaw(&["run", request, "--replay", &replay]).args(arguments).run().exits(0)
}

fn session(room: &Room, arguments: &[&str]) -> Run {
    room.winclaw(&["session"]).args(arguments)
}

/// The sessions, the one that was added to last first.
fn listed(room: &Room) -> Vec<Value> {
    let done = session(room, &["list", "--json"]).run().exits(0);
    done.json().as_array().expect("a list").clone()
}

/// The id of the session that was added to last.
fn last_id(room: &Room) -> String {
    listed(room)[0]["id"].as_str().expect("an id").to_owned()
}

fn folder(room: &Room) -> PathBuf {
    room.path().join("data").join("sessions")
}

/// The parts of a body as they stand on the wire: the tools, and each message.
fn parts(request: &Recorded) -> (String, Vec<String>) {
    let body = request.json();
    let bytes = |value: &Value| {
        let text = value.to_string();
        assert!(String::from_utf8_lossy(&request.body).contains(&text), "written otherwise than expected: {text}");
        text
    };
    let messages = body["messages"].as_array().expect("messages");
    (bytes(&body["tools"]), messages.iter().map(bytes).collect())
}

#[test]
fn a_session_taken_up_by_another_process_goes_on_byte_for_byte() {
    let room = Room::new();
    let server = MockOpenAi::scripted(script(json!([
        {"reply": {"text": "先算。", "calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"expect": {"last_contains": "42"}, "reply": {"text": "六乘七等于四十二。"}},
        {"expect": {"messages_contain": "六乘七等于四十二。"},
         "reply": {"calls": [call("calculator__evaluate", json!({"expression": "42+1"}))]}},
        {"expect": {"results": 2, "last_contains": "43"}, "reply": {"text": "四十三。"}},
        {"expect": {"results": 2, "messages_contain": "四十三。"}, "reply": {"text": "好。"}}
    ])));
    asked(&room, &server, "算一下 6*7", &[]).run().exits(0).complains(&["winclaw session resume"]);
    let id = last_id(&room);
    asked(&room, &server, "再加一", &["--session", &id[..4]]).run().exits(0).says(&["四十三。"]);
    let resumed = session(&room, &["resume", "last", "谢谢"]);
    resumed.env("OPENAI_BASE_URL", &server.base_url()).env("OPENAI_API_KEY", "a-key").run().exits(0).says(&["好。"]);

    assert_eq!(server.refusals(), Vec::<String>::new());
    let requests = server.requests();
    assert_eq!(requests.len(), 5);
    let all: Vec<(String, Vec<String>)> = requests.iter().map(parts).collect();
    for pair in all.windows(2) {
        let ((tools, messages), (next_tools, next_messages)) = (&pair[0], &pair[1]);
        assert_eq!(tools, next_tools, "the tools array is the same in every process");
        assert_eq!(messages[..], next_messages[..messages.len()], "what was said before is the same in every process");
    }
    let found = listed(&room);
    assert_eq!(found.len(), 1, "three requests of one session: {found:?}");
    assert_eq!((&found[0]["tasks"], &found[0]["title"]), (&json!(3), &json!("算一下 6*7")));
    let shown = session(&room, &["show", "--json"]).run().exits(0).json();
    let traces: Vec<&str> =
        shown["tasks"].as_array().expect("tasks").iter().filter_map(|task| task["trace"].as_str()).collect();
    for trace in traces {
        let told = room.winclaw(&["trace", "show", trace, "--json"]).run().exits(0);
        assert!(told.stdout.contains(&format!("\"session_id\":\"{id}\"")), "{}", told.told());
    }
}

#[test]
fn what_a_person_reads_is_what_was_said() {
    let room = Room::new();
    let long = "很长的一段话。".repeat(600);
    let replay = room.replay(json!([
        {"reply": {"text": "I compute.", "calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"reply": {"text": format!("It is **42**.\u{1b}[2J {long}")}}
    ]));
    room.winclaw(&["run", "what is 6*7", "--replay", &replay]).run().exits(0);
    let id = last_id(&room);
    let shown = session(&room, &["show", &id]).run().exits(0);
    let words = [
        "what is 6*7",
        "you",
        "I compute.",
        "→ calculator__evaluate",
        "← calculator__evaluate",
        "42",
        "more characters; --full",
    ];
    let shown = shown.says(&words);
    assert!(!shown.stdout.contains("WinClaw,") && !shown.stdout.contains(&long), "{}", shown.told());
    let request = shown.stdout.lines().position(|line| line.contains("  you  ")).expect("the request");
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert_eq!(lines[request + 1].trim(), "what is 6*7");
    assert!(lines[request + 2].trim().is_empty(), "nothing of what the model is told beside it: {}", shown.told());
    session(&room, &["show", &id, "--full"]).run().exits(0).says(&[&long]);
    let page = session(&room, &["show", &id, "--from", "3", "--number", "1", "--lang", "zh"]).run().exits(0);
    let page = page.says(&["← calculator__evaluate", "1 个请求", "4 条消息"]);
    assert!(!page.stdout.contains("I compute."), "{}", page.told());
    session(&room, &["show", &id, "--from", "9"]).run().exits(2).complains(&["4 messages"]);
    let json = session(&room, &["show", &id, "--json", "--from", "4"]).run().exits(0).json();
    assert_eq!(json["messages"][0]["number"], 4);
    session(&room, &["show", "nothing", "--lang", "zh"])
        .run()
        .exits(2)
        .complains(&["没有会话“nothing”", "session list"]);
}

#[test]
fn sessions_are_listed_found_named_and_branched_in_both_languages() {
    let room = Room::with(&[]);
    session(&room, &["list"]).run().exits(0).says(&["no sessions yet"]);
    session(&room, &["list", "--lang", "zh"]).run().exits(0).says(&["还没有会话"]);
    session(&room, &["show"]).run().exits(2).complains(&["no session yet"]);
    assert!(!folder(&room).exists(), "looking makes nothing");

    answered(&room, "查北京天气", "北京今天晴。", &[]);
    let weather = last_id(&room);
    answered(&room, "write a letter to Äke", "Dear Äke, the Weather is fine.", &[]);
    let letter = last_id(&room);
    answered(&room, "and shorter", "Dear Äke.", &["--session", &letter[..4]]);
    let ids: Vec<Value> = listed(&room).into_iter().map(|info| info["id"].clone()).collect();
    assert_eq!(ids, [json!(letter), json!(weather)]);
    session(&room, &["list"]).run().exits(0).says(&["查北京天气", "2 requests, 4 messages", "write a letter to Äke"]);
    session(&room, &["list", "-n", "1", "--lang", "zh"]).run().exits(0).says(&["2 个请求"]).complains(&["--number 0"]);

    let found = |query: &[&str]| {
        let hits = session(&room, &[&["search", "--json"], query].concat()).run().exits(0).json();
        hits.as_array().expect("hits").iter().map(|hit| (hit["id"].clone(), hit["number"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(found(&["天气"]), [(json!(weather), json!(0)), (json!(weather), json!(1))]);
    assert_eq!(found(&["weather"]), [(json!(letter), json!(2))]);
    assert_eq!(found(&["äke", "shorter"]), []);
    session(&room, &["search", "weather"]).run().exits(0).says(&["model", "the Weather is fine"]);
    session(&room, &["search", "无此内容", "--lang", "zh"]).run().exits(0).says(&["没有找到"]);

    let copy =
        session(&room, &["fork", &letter, "--at", "2"]).run().exits(0).complains(&["resume"]).stdout.trim().to_owned();
    answered(&room, "in Swedish", "Kära Äke.", &["--session", &copy]);
    let shown = session(&room, &["show", &copy]).run().exits(0);
    let shown = shown.says(&["Kära Äke.", &format!("forked from {letter} after message 2")]);
    assert!(!shown.stdout.contains("and shorter"), "{}", shown.told());
    let original = session(&room, &["show", &letter]).run().exits(0);
    assert!(!original.stdout.contains("Kära"), "{}", original.told());
    session(&room, &["fork", &letter, "--at", "9"]).run().exits(2).complains(&["has 4 messages, no number 9"]);

    session(&room, &["rename", &copy, "  a better\n title "]).run().exits(0).says(&["a better title"]);
    assert_eq!(listed(&room)[0]["title"], "a better title");
    session(&room, &["rename", &copy, ""]).run().exits(0).says(&["write a letter to Äke"]);
}

#[test]
fn an_export_carries_no_secret_and_can_be_taken_in_elsewhere() {
    let (room, other) = (Room::new(), Room::with(&[]));
    let secret = "sk-abcdefghijklmnop0123456789abcdef";
    let replay = room.replay(json!([
        {"reply": {"calls": [call("calculator__evaluate", json!({"expression": "6*7"}))]}},
        {"reply": {"text": format!("Use `{secret}`:\n\n```sh\ncurl -H 'Authorization: Bearer {secret}'")}}
    ]));
    room.winclaw(&["run", &format!("my key is {secret}"), "--replay", &replay]).run().exits(0);
    let markdown = session(&room, &["export"]).run().exits(0);
    let markdown =
        markdown.says(&["## Request 1", "> my key is", "<summary>Call calculator__evaluate</summary>", "42"]);
    let in_chinese = session(&room, &["export", "--lang", "zh"]).run().exits(0).says(&["## 请求 1", "<summary>结果 "]);
    let file = room.path().join("session.json");
    let file = file.to_str().expect("UTF-8");
    session(&room, &["export", "last", "--format", "json", "--output", file]).run().exits(0).says(&["session.json"]);
    let json = std::fs::read_to_string(file).expect("written");
    for (name, text) in [("markdown", &markdown.stdout), ("chinese", &in_chinese.stdout), ("json", &json)] {
        assert!(!text.contains(secret) && text.contains("[redacted]"), "{name}: {text}");
    }
    assert_eq!(markdown.stdout.matches("```").count() % 2, 0, "every fence is closed");

    let id = session(&other, &["import", file]).run().exits(0).stdout.trim().to_owned();
    let again = session(&other, &["export", &id, "--format", "json"]).run().exits(0).json();
    let before: Value = serde_json::from_str(&json).expect("JSON");
    for key in ["winclaw_session", "title", "cwd", "model", "messages"] {
        assert_eq!(again[key], before[key], "{key}");
    }
    answered(&other, "go on", "I go on.", &["--session", &id]);
    for (text, words) in
        [("{}", "no session"), ("nonsense", "no session"), ("{\"winclaw_session\": 99}", "newer version")]
    {
        session(&other, &["import", "-"]).stdin(text).run().exits(2).complains(&[words]);
    }
}

#[test]
fn removing_asks_and_takes_everything_with_it() {
    let room = Room::with_misbehave(&[]);
    let replay = room.replay(json!([
        {"reply": {"calls": [call("misbehave__big", json!({"bytes": 300_000}))]}},
        {"reply": {"text": "Long."}}
    ]));
    room.winclaw(&["run", "something long", "--replay", &replay]).run().exits(0);
    let first = last_id(&room);
    answered(&room, "another", "Other.", &[]);
    let second = last_id(&room);
    let traces = || {
        let entries = std::fs::read_dir(room.path().join("data").join("traces")).expect("traces");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        names.filter(|name| name.ends_with(".jsonl")).count()
    };
    assert!(folder(&room).join("spill").join(&first).is_dir(), "the whole result stands beside the session");

    session(&room, &["remove", &first]).run().exits(7).complains(&["1 session not removed", "--yes"]);
    let done = session(&room, &["remove", &first, "--json", "--lang", "zh"]).run().exits(7);
    assert_eq!(done.error_json()["exit_code"], 7);
    session(&room, &["prune", "--keep", "0"]).run().exits(7);
    session(&room, &["prune"]).run().exits(2);
    assert_eq!((listed(&room).len(), traces()), (2, 2));
    session(&room, &["remove", &first, &first[..4], "--yes", "--traces"])
        .run()
        .exits(0)
        .says(&["removed: 1 session", &first]);
    assert_eq!((listed(&room).len(), traces()), (1, 1));
    assert!(!folder(&room).join("spill").join(&first).exists());
    session(&room, &["show", &first]).run().exits(2);

    session(&room, &["prune", "--older-than", "1", "--lang", "zh"]).run().exits(0).says(&["没有可删除的会话"]);
    let done = session(&room, &["prune", "--keep", "0", "--yes", "--json"]).run().exits(0);
    assert_eq!(done.json(), json!({"removed": [second]}));
    assert_eq!((listed(&room).len(), traces()), (0, 1));
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_a_person_is_asked_before_anything_is_removed() {
    if Command::new("script").arg("--version").output().is_err() {
        return skipped("there is no `script` to make a terminal with");
    }
    let room = Room::with(&[]);
    answered(&room, "to be removed", "Yes.", &[]);
    let ask =
        |typed: &str, lang: &str| room.on_terminal(&["session", "remove", "last", "--lang", lang]).stdin(typed).run();
    ask("n\n", "en").exits(7).says(&["to be removed", "Remove 1 session for good?", "you said no"]);
    ask("\n", "zh").exits(7).says(&["永久删除 1 个会话", "您选择了否"]);
    assert_eq!(listed(&room).len(), 1);
    ask("是\n", "zh").exits(0).says(&["已删除"]);
    assert_eq!(listed(&room).len(), 0);
}

#[test]
fn a_run_keeps_nothing_when_it_is_told_so() {
    let room = Room::with(&[]);
    let done = answered(&room, "a", "b", &["--no-session"]);
    assert!(!folder(&room).exists() && !done.stderr.contains("resume"), "{}", done.told());
    let config = room.path().join("config.toml");
    std::fs::write(&config, "[sessions]\nkeep = false\n").expect("written");
    let config = config.to_str().expect("UTF-8");
    answered(&room, "a", "b", &["--config", config]);
    assert!(!folder(&room).exists());
    answered(&room, "a", "b", &["--config", config, "--session", "new"]);
    assert_eq!(listed(&room).len(), 1);
    let done = answered(&room, "c", "d", &["--output", "json"]);
    let end: Value = serde_json::from_str(done.stdout.lines().last().expect("an end")).expect("JSON");
    assert_eq!(end["session"], json!(last_id(&room)));
    let replay = room.replay(json!([]));
    room.winclaw(&["run", "x", "--session", "last", "--no-session", "--replay", &replay]).run().exits(2);
    room.winclaw(&["run", "x", "--session", "zzzzz", "--replay", &replay]).run().exits(2).complains(&["no session"]);
}

/// A run whose tool takes for ever, once it does.
fn hanging(room: &Room, arguments: &[&str]) -> winclaw_tests::Running {
    let calls = json!([call("misbehave__slow", json!({"ms": 600_000})), call("misbehave__ok", json!({}))]);
    let replay = room.replay(json!([{"reply": {"text": "I wait.", "calls": calls}}]));
    let mut running = room.winclaw(&["run", "wait for it", "--replay", &replay]).args(arguments).start();
    running.wait_for("misbehave.slow");
    running
}

#[test]
fn a_session_in_use_is_refused_in_plain_words_and_can_be_copied() {
    let room = Room::with_misbehave(&[]);
    let running = hanging(&room, &[]);
    let id = last_id(&room);
    let replay = room.replay(json!([{"reply": {"text": "Elsewhere."}}]));
    let words = ["in use by another process", "session fork"];
    room.winclaw(&["run", "x", "--session", &id, "--replay", &replay]).run().exits(2).complains(&words);
    let words = ["正被另一个进程使用"];
    session(&room, &["remove", &id, "--yes", "--lang", "zh"]).run().exits(2).complains(&words);
    let copy = session(&room, &["fork", &id]).run().exits(0).stdout.trim().to_owned();
    answered(&room, "go on here", "Here.", &["--session", &copy]);
    answered(&room, "a session of its own", "Beside it.", &[]);
    assert_eq!(listed(&room).len(), 3);
    drop(running);
    room.winclaw(&["run", "x", "--session", &id, "--replay", &replay]).run().exits(0).says(&["Elsewhere."]);
}

#[test]
fn a_session_whose_process_was_killed_goes_on_with_a_whole_conversation() {
    let room = Room::with_misbehave(&[]);
    drop(hanging(&room, &[]));
    let id = last_id(&room);
    session(&room, &["show", &id]).run().exits(0).says(&[
        "wait for it",
        "I wait.",
        "→ misbehave__slow",
        "→ misbehave__ok",
    ]);
    let server = MockOpenAi::scripted(script(json!([
        {"expect": {"results": 2, "messages_contain": "its result is unknown"}, "reply": {"text": "I go on."}},
        {"expect": {"results": 2}, "reply": {"text": "And on."}}
    ])));
    let done = asked(&room, &server, "and now?", &["--session", &id]).run().exits(0);
    let done = done.says(&["I go on."]).complains(&["2 calls"]);
    assert_eq!(server.refusals(), Vec::<String>::new(), "{}", done.told());
    let done = asked(&room, &server, "and then?", &["--session", &id, "--lang", "zh"]).run().exits(0);
    assert!(!done.stderr.contains("个调用"), "mended once: {}", done.told());
    assert_eq!(server.refusals(), Vec::<String>::new());
}

#[test]
fn many_processes_at_once_lose_no_session() {
    let room = Room::with(&[]);
    let replay = room.replay(json!([{"reply": {"text": "Yes."}}]));
    let start = |number: usize| room.winclaw(&["run", &format!("request {number}"), "--replay", &replay]).start();
    let running: Vec<_> = (0..6).map(start).collect();
    running.into_iter().for_each(|running| drop(running.wait().exits(0).says(&["Yes."])));
    let found = listed(&room);
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|info| info["messages"] == 2 && info["tasks"] == 1), "{found:?}");
}

#[test]
fn a_file_that_is_newer_or_damaged_is_no_end_of_the_task() {
    let room = Room::with(&[]);
    let file = folder(&room).join("sessions.sqlite3");
    std::fs::create_dir(folder(&room)).expect("a folder");
    std::fs::write(&file, "no database, whatever its name says").expect("written");
    let done = answered(&room, "a", "b", &[]).complains(&["was damaged", "sessions.damaged-1.sqlite3"]);
    assert_eq!(done.stderr.matches("damaged-1").count(), 1, "{}", done.told());
    let aside = std::fs::read(folder(&room).join("sessions.damaged-1.sqlite3")).expect("set aside");
    assert_eq!(aside, b"no database, whatever its name says");
    let done = answered(&room, "c", "d", &[]);
    assert!(!done.stderr.contains("damaged"), "said once: {}", done.told());
    assert_eq!(listed(&room).len(), 2);

    // The version of a newer program; see the header in https://www.sqlite.org/fileformat2.html.
    let mut bytes = std::fs::read(&file).expect("read");
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(&file, &bytes).expect("written");
    let done = answered(&room, "e", "f", &["--lang", "zh"]);
    let done = done.complains(&["对话未保存", "更新版本"]);
    assert_eq!(done.stderr.matches("更新版本").count(), 1, "{}", done.told());
    session(&room, &["list"]).run().exits(2).complains(&["newer version", "not touched"]);
    let replay = room.replay(json!([]));
    room.winclaw(&["run", "x", "--session", "last", "--replay", &replay]).run().exits(2).complains(&["newer version"]);
    assert_eq!(std::fs::read(&file).expect("read"), bytes);
}

/// The program in a shell whose sessions stand on a file system of their own; `None` where none can be mounted.
#[cfg(target_os = "linux")]
fn on_small_disk(room: &Room, size: &str, line: &str) -> Option<Done> {
    let folder = folder(room);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mount = format!("mount -t tmpfs -o size={size},mode=700 sessions '{}'", folder.display());
    let may = Command::new("unshare").args(["-rm", "sh", "-c", &mount]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        skipped("no file system of a test's own can be mounted here");
        return None;
    }
    let program = winclaw_tests::dist().join("winclaw");
    let line = format!(
        "{mount} && cd '{}' && {}",
        room.work().display(),
        line.replace("WINCLAW", &program.display().to_string())
    );
    let run = room.program(std::path::Path::new("unshare"), &["-rm", "sh", "-c", &line]);
    let data = room.path().join("data");
    let run = run.env("WINCLAW_DATA_DIR", data.to_str().expect("UTF-8"));
    Some(run.env("WINCLAW_PLUGINS", room.plugins().to_str().expect("UTF-8")).run())
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_said_once_and_the_task_goes_on() {
    let room = Room::with_misbehave(&[]);
    let calls =
        |bytes: u32| json!({"reply": {"text": "I go on.", "calls": [call("misbehave__big", json!({"bytes": bytes}))]}});
    let replay = room.replay(json!([calls(3000), calls(3001), calls(3002), {"reply": {"text": "All done."}}]));
    let Some(done) = on_small_disk(&room, "64k", &format!("WINCLAW run 'fill it' --replay '{replay}'")) else { return };
    let done = done.exits(0).says(&["All done."]).complains(&["the conversation is not kept", "no space is left"]);
    assert_eq!(done.stderr.matches("no space is left").count(), 1, "{}", done.told());

    // Full before anything can be opened.
    let small = room.replay(json!([{"reply": {"text": "Small."}}]));
    let filler = folder(&room).join("filler");
    let filler = filler.display();
    let line = format!(
        "WINCLAW run first --replay '{small}' && dd if=/dev/zero of='{filler}' bs=1k 2>/dev/null; \
         WINCLAW run second --replay '{small}' && rm '{filler}' && WINCLAW run third --replay '{small}' && \
         WINCLAW session list --json"
    );
    let Some(done) = on_small_disk(&room, "600k", &line) else { return };
    let done = done.exits(0);
    assert_eq!(done.stderr.matches("no space is left").count(), 1, "{}", done.told());
    assert_eq!(titles(&done), ["third", "first"]);
}

/// The titles that a list at the end of the output holds.
#[cfg(target_os = "linux")]
fn titles(done: &Done) -> Vec<String> {
    let list: Value = serde_json::from_str(done.stdout.lines().last().expect("a list")).expect("JSON");
    let title = |info: &Value| info["title"].as_str().expect("a title").to_owned();
    list.as_array().expect("a list").iter().map(title).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_in_the_middle_of_a_session_costs_what_did_not_fit() {
    let room = Room::with_misbehave(&[]);
    let call = |number: u32| json!({"reply": {"calls": [call("misbehave__big", json!({"bytes": 30_000 + number}))]}});
    let steps = (0..12).map(call).chain([json!({"reply": {"text": "All done."}})]);
    let replay = room.replay(steps.collect());
    let small = room.replay(json!([{"reply": {"text": "Small."}}]));
    let line = format!(
        "WINCLAW run first --replay '{small}' && WINCLAW run 'fill it' --replay '{replay}' && \
         mount -o remount,size=4m '{folder}' && WINCLAW run third --session last --replay '{small}' && \
         WINCLAW session show --json && WINCLAW session list --json",
        folder = folder(&room).display()
    );
    let Some(done) = on_small_disk(&room, "400k", &line) else { return };
    let done = done.exits(0).says(&["All done.", "Small."]);
    assert_eq!(done.stderr.matches("no space is left").count(), 1, "{}", done.told());
    assert_eq!(titles(&done), ["fill it", "first"]);
    let shown: Value = serde_json::from_str(done.stdout.lines().rev().nth(1).expect("the session")).expect("JSON");
    let messages = shown["messages"].as_array().expect("messages");
    assert!((4..20).contains(&messages.len()), "some of the first task did not fit: {}", messages.len());
    assert_eq!(messages[messages.len() - 2]["message"]["text"], "third");
}

#[test]
#[cfg(target_os = "linux")]
fn where_nothing_can_be_written_sessions_are_still_read() {
    let room = Room::with(&[]);
    let replay = room.replay(json!([{"reply": {"text": "Yes."}}]));
    let line = format!(
        "WINCLAW run 'before it was closed' --replay '{replay}' && mount -o remount,ro '{folder}' && \
         WINCLAW run second --replay '{replay}' && WINCLAW session list && WINCLAW session search closed && \
         WINCLAW session show",
        folder = folder(&room).display()
    );
    let Some(done) = on_small_disk(&room, "4m", &line) else { return };
    let done = done
        .exits(0)
        .says(&["before it was closed"])
        .complains(&["the conversation is not kept", "cannot be written to"]);
    assert_eq!(done.stderr.matches("is not kept").count(), 1, "{}", done.told());
}

#[test]
fn a_data_folder_may_hold_spaces_and_chinese_characters() {
    let room = Room::with(&[]);
    let data = room.path().join("我的 数据 #1");
    let data = data.to_str().expect("UTF-8");
    answered(&room, "你好", "您好。", &["--data-dir", data]);
    session(&room, &["list", "--data-dir", data]).run().exits(0).says(&["你好"]);
    session(&room, &["show", "--data-dir", data]).run().exits(0).says(&["您好。"]);
    assert_eq!(listed(&room).len(), 0);
}
