//! Writers in other processes: killed at any moment, and several at once.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use winclaw_model::Message;
use winclaw_session::{Error, FILE, New, Store};

/// Set for a child: the folder, and how many messages it adds.
const CHILD: &str = "WINCLAW_SESSION_TEST_CHILD";

/// Adds numbered messages to the last session, or to one of its own, and acknowledges each.
#[test]
fn child_that_writes() {
    let Some(told) = std::env::var_os(CHILD) else { return };
    let told = told.into_string().expect("UTF-8");
    let [folder, what, count] = told.splitn(3, '|').collect::<Vec<_>>().try_into().expect("three parts");
    let (store, problems) = Store::open(Path::new(folder)).expect("a store");
    assert_eq!(problems, []);
    let last = if what == "last" { store.find("last").ok() } else { None };
    let mut writer = match last {
        Some(id) => store.take_up(&id).expect("a session").1,
        None => store.create(New::default()).expect("a writer"),
    };
    let say = |words: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{words}").and_then(|()| out.flush()).expect("the parent reads");
    };
    say(format!("id {}", writer.id()));
    for _ in 0..count.parse::<usize>().expect("a number") {
        let number = writer.len();
        writer.append(&Message::user(format!("message {number} {}", "x".repeat(number * 97 % 5000)))).expect("kept");
        writer.set_state(&json!(number)).expect("kept");
        say(format!("acknowledged {number}"));
    }
}

fn child(folder: &Path, what: &str, count: usize) -> Child {
    let test = std::env::current_exe().expect("the path of the test");
    Command::new(test)
        .args(["--exact", "child_that_writes", "--nocapture"])
        .env(CHILD, format!("{}|{what}|{count}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child")
}

/// What a child says: its session, and the number of the last message it acknowledged.
fn said(child: Child, kill_after: Option<(usize, u32)>) -> (Option<String>, Option<usize>) {
    let mut child = child;
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let (mut id, mut number) = (None, None);
    let mut take = |line: String| match line.split_once(' ') {
        Some(("id", word)) => id = Some(word.to_owned()),
        Some(("acknowledged", word)) => number = word.parse().ok(),
        _ => {}
    };
    if let Some((after, moment)) = kill_after {
        lines.by_ref().filter(|line| line.starts_with("acknowledged")).take(after).for_each(&mut take);
        // Some part of a write later; how long that is does not matter, only that it differs.
        (0..moment).for_each(|_| std::hint::spin_loop());
        child.kill().expect("killed");
    }
    // What it said before it died is still in the pipe.
    lines.for_each(take);
    child.wait().expect("its end");
    (id, number)
}

fn texts(store: &Store, id: &str) -> Vec<String> {
    let text = |value: &Value| value["text"].as_str().unwrap_or_default().to_owned();
    store.said(id, 0, 1_000_000).expect("messages").iter().map(|said| text(&said.message)).collect()
}

fn is_sound(folder: &Path) {
    let db = Connection::open(folder.join(FILE)).expect("the file");
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
    assert_eq!(check, "ok");
}

fn are_numbered(texts: &[String]) {
    for (number, text) in texts.iter().enumerate() {
        assert!(text.starts_with(&format!("message {number} ")), "{number}: {text}");
    }
}

#[test]
fn killed_at_any_moment_a_writer_loses_only_the_record_in_flight() {
    let folder = tempfile::tempdir().expect("a folder");
    // Any sequence serves that does not repeat; this is the one of Lehmer.
    let mut chance: u64 = 20_261_130;
    let mut acknowledged = 0;
    for _ in 0..100 {
        chance = chance * 48_271 % 2_147_483_647;
        let (after, moment) = ((chance % 6) as usize, (chance / 6 % 200_000) as u32);
        let (_, number) = said(child(folder.path(), "last", 100_000), Some((after, moment)));
        acknowledged = number.map_or(acknowledged, |number| number + 1);
        let (store, problems) = Store::open(folder.path()).expect("a store");
        assert_eq!(problems, []);
        is_sound(folder.path());
        let Ok(id) = store.find("last") else { continue };
        let kept = texts(&store, &id);
        are_numbered(&kept);
        assert!((acknowledged..=acknowledged + 1).contains(&kept.len()), "{} of {acknowledged}", kept.len());
        acknowledged = kept.len();
    }
    assert!(acknowledged > 100, "{acknowledged} messages");
}

#[test]
fn several_processes_write_to_sessions_of_their_own_and_none_loses_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    // All begin at once, so that the file itself is made by one of them while the others come.
    let children: Vec<Child> = (0..6).map(|_| child(folder.path(), "own", 30)).collect();
    let done: Vec<_> = children.into_iter().map(|child| said(child, None)).collect();
    let (store, problems) = Store::open(folder.path()).expect("a store");
    assert_eq!(problems, []);
    is_sound(folder.path());
    assert_eq!(store.list(None).expect("a list").len(), 6);
    for (id, number) in done {
        assert_eq!(number, Some(29));
        let kept = texts(&store, &id.expect("its id"));
        are_numbered(&kept);
        assert_eq!(kept.len(), 30);
    }
}

#[test]
fn a_session_in_use_by_another_process_is_refused_until_that_one_dies() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = child(folder.path(), "own", 1_000_000);
    let pipe = BufReader::new(writer.stdout.take().expect("a pipe"));
    let mut lines = pipe.lines().map_while(Result::ok);
    lines.by_ref().find(|line| line.starts_with("acknowledged 3")).expect("it writes");
    let (mut store, _) = Store::open(folder.path()).expect("a store");
    let id = store.find("last").expect("its session");
    let refused = store.take_up(&id).map(drop).expect_err("in use");
    assert!(matches!(&refused, Error::InUse { id: of } if *of == id), "{refused:?}");
    let (what, mend) = (refused.what(), refused.mend());
    assert!(
        what.en.contains("in use by another process") && what.zh.contains("另一个进程") && mend.en.contains("fork")
    );
    assert!(store.remove(&id).is_err());
    let copy = store.fork(&id, None).expect("a copy of what stands");
    are_numbered(&texts(&store, &copy));
    writer.kill().expect("killed");
    writer.wait().expect("its end");
    let (loaded, mut writer) = store.take_up(&id).expect("free");
    let number = loaded.messages.len();
    writer.append(&Message::user(format!("message {number} "))).expect("kept");
    are_numbered(&texts(&store, &id));
}
