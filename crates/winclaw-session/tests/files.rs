//! The file itself: whose it is, which version, and what when it is damaged.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use winclaw_model::Message;
use winclaw_session::{Error, FILE, New, Store};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn fill(folder: &Path, count: usize) -> String {
    let (store, problems) = Store::open(folder).expect("a store");
    assert_eq!(problems, []);
    let mut writer = store.create(New::default()).expect("a writer");
    (0..count).for_each(|n| writer.append(&Message::user(format!("message {n} {}", "x".repeat(500)))).expect("kept"));
    writer.id().to_owned()
}

fn count(folder: &Path, id: &str) -> usize {
    let (store, problems) = Store::open(folder).expect("a store");
    assert_eq!(problems, []);
    store.load(id).expect("a session").messages.len()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn a_path_may_hold_spaces_and_chinese_characters() {
    let folder = folder();
    let folder = folder.path().join("我的 会话 100% #1?x=y");
    let id = fill(&folder, 2);
    assert_eq!(count(&folder, &id), 2);
    assert!(names(&folder).contains(&FILE.to_owned()));
}

#[cfg(unix)]
#[test]
fn everything_is_the_owners_alone_also_what_was_not() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let root = folder();
    let folder = root.path().join("sessions");
    let (store, _) = Store::open(&folder).expect("a store");
    let mut writer = store.create(New::default()).expect("a writer");
    writer.append(&Message::user("a secret")).expect("kept");
    let all = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("the folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let files = all(&folder);
    assert!(files.len() >= 4, "the file, its log, its index, and the locks: {files:?}");
    for path in files.iter().chain(&[folder.clone(), folder.join("locks").join(writer.id())]) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path), expected, "{}", path.display());
    }
    drop((store, writer));
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("opened up");
    fs::set_permissions(folder.join(FILE), fs::Permissions::from_mode(0o644)).expect("opened up");
    Store::open(&folder).expect("a store");
    assert_eq!((mode(&folder), mode(&folder.join(FILE))), (0o700, 0o600));
}

#[test]
fn a_newer_file_is_refused_and_not_touched() {
    let folder = folder();
    fill(folder.path(), 3);
    let path = folder.path().join(FILE);
    let db = Connection::open(&path).expect("the file");
    db.execute_batch("PRAGMA user_version = 99; CREATE TABLE moods (of TEXT);").expect("as a newer version would");
    drop(db);
    let (bytes, before) = (fs::read(&path).expect("read"), names(folder.path()));
    for error in [Store::open(folder.path()).map(drop), Store::look(folder.path()).map(drop)] {
        let error = error.expect_err("newer");
        assert!(matches!(error, Error::Newer { found: 99, .. }), "{error:?}");
        assert!(error.what().en.contains("newer version") && error.what().zh.contains("更新版本"), "{error}");
        assert!(error.mend().en.contains("not touched"));
    }
    assert_eq!((fs::read(&path).expect("read"), names(folder.path())), (bytes, before));
}

#[test]
fn a_newer_file_whose_version_stands_in_the_log_is_refused_too() {
    let folder = folder();
    fill(folder.path(), 3);
    let db = Connection::open(folder.path().join(FILE)).expect("the file");
    db.execute_batch("PRAGMA user_version = 99").expect("as a newer version would");
    // The writer lives on, so the head of the file still says 1.
    assert!(matches!(Store::open(folder.path()).map(drop), Err(Error::Newer { .. })));
}

#[test]
fn a_database_of_another_program_is_refused_and_not_touched() {
    let folder = folder();
    let path = folder.path().join(FILE);
    let db = Connection::open(&path).expect("a file");
    db.execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('a');").expect("theirs");
    drop(db);
    let bytes = fs::read(&path).expect("read");
    let error = Store::open(folder.path()).map(drop).expect_err("theirs");
    assert!(matches!(error, Error::Foreign { .. }), "{error:?}");
    assert_eq!(fs::read(&path).expect("read"), bytes);
}

#[test]
fn a_damaged_file_is_set_aside_and_a_new_one_begun_and_said_once() {
    let garbage: [&[u8]; 4] =
        [b"x", b"not a database at all, but long enough to be one ".as_slice(), &[0; 4096], b"SQLite"];
    for (number, bytes) in garbage.iter().enumerate() {
        let folder = folder();
        fs::write(folder.path().join(FILE), bytes).expect("written");
        let (store, problems) = Store::open(folder.path()).expect("a new one");
        let [problem] = problems.as_slice() else { panic!("{number}: {problems:?}") };
        let aside = folder.path().join("sessions.damaged-1.sqlite3");
        assert!(problem.what.en.contains(&aside.display().to_string()) && problem.what.zh.contains("已损坏"));
        assert_eq!(&fs::read(&aside).expect("kept"), bytes);
        assert_eq!(store.list(None).expect("a list"), []);
        drop(store);
        let id = fill(folder.path(), 1);
        assert_eq!(count(folder.path(), &id), 1);
    }
}

#[test]
fn damage_that_is_met_later_sets_the_file_aside_at_the_next_start() {
    let folder = folder();
    let id = fill(folder.path(), 200);
    let path = folder.path().join(FILE);
    let mut bytes = fs::read(&path).expect("read");
    // Pages in the middle hold messages; the first ones, the tables.
    let (from, to) = (bytes.len() / 3, bytes.len() - 4096);
    bytes[from..to].fill(0xa5);
    fs::write(&path, &bytes).expect("written");
    let (store, problems) = Store::open(folder.path()).expect("nothing was met yet");
    assert_eq!(problems, []);
    let error = store.load(&id).map(drop).expect_err("damaged");
    assert!(matches!(error, Error::Corrupt { .. }), "{error:?}");
    drop(store);
    let (store, problems) = Store::open(folder.path()).expect("a new one");
    assert_eq!(problems.len(), 1);
    assert_eq!(fs::read(folder.path().join("sessions.damaged-1.sqlite3")).expect("kept"), bytes);
    drop(store);
    assert_eq!(Store::open(folder.path()).expect("sound").1, [], "said once");
}

#[test]
fn a_mere_suspicion_costs_nothing() {
    let folder = folder();
    let id = fill(folder.path(), 5);
    fs::write(folder.path().join("suspect"), "").expect("written");
    assert_eq!(count(folder.path(), &id), 5);
    assert!(!folder.path().join("suspect").exists());
}

#[test]
fn order_goes_by_sequence_whatever_the_clock_says() {
    let folder = folder();
    let ids: Vec<String> = (0..5).map(|_| fill(folder.path(), 3)).collect();
    let db = Connection::open(folder.path().join(FILE)).expect("the file");
    db.execute_batch(
        "UPDATE sessions SET created_ms = 9e12 - n * 1000000, updated_ms = -5 * n;
         UPDATE messages SET at_ms = 1000 - id;",
    )
    .expect("a clock that jumps and runs backwards");
    let (store, _) = Store::open(folder.path()).expect("a store");
    let listed: Vec<String> = store.list(None).expect("a list").into_iter().map(|info| info.id).collect();
    assert_eq!(listed, ids.iter().rev().cloned().collect::<Vec<_>>());
    for id in &ids {
        let said = store.said(id, 0, 9).expect("messages");
        for (at, said) in said.iter().enumerate() {
            assert!(said.message["text"].as_str().expect("text").starts_with(&format!("message {at} ")));
        }
    }
}

#[test]
fn nothing_is_made_by_looking() {
    let folder = folder();
    let missing = folder.path().join("none");
    assert!(Store::look(&missing).expect("nothing is no error").is_none());
    assert!(!missing.exists());
    let id = fill(&missing, 2);
    let (store, _) = Store::look(&missing).expect("a store").expect("there");
    assert_eq!(store.load(&id).expect("a session").messages.len(), 2);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = folder();
    let folder = root.path().join("ro");
    let id = fill(&folder, 2);
    fs::set_permissions(folder.join(FILE), fs::Permissions::from_mode(0o400)).expect("set");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).expect("set");
    // Nothing is read-only for root; the whole-product tests have a file system that is.
    let bound = fs::write(folder.join("probe"), "").is_err();
    if bound {
        let error = Store::open(&folder).map(drop).expect_err("read-only");
        assert!(matches!(error, Error::ReadOnly { .. }), "{error:?}");
    }
    let (store, _) = Store::look(&folder).expect("to read").expect("there");
    assert_eq!(store.load(&id).expect("a session").messages.len(), 2);
    drop(store);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("set back");
}

#[test]
#[expect(clippy::print_stdout, reason = "figures for people; nothing is asserted of time")]
fn a_long_session_opens_without_delay() {
    let folder = folder();
    let (mut store, _) = Store::open(folder.path()).expect("a store");
    let message =
        |n: usize| serde_json::json!({"role": "user", "text": format!("message {n}: {}", "words ".repeat(50))});
    let transfer = winclaw_session::Transfer {
        title: "long".into(),
        cwd: String::new(),
        model: String::new(),
        tasks: Vec::new(),
        messages: (0..10_000).map(message).collect(),
    };
    let begun = std::time::Instant::now();
    let id = store.take_in(&transfer).expect("a session");
    let took_in = begun.elapsed();
    drop(store);
    let begun = std::time::Instant::now();
    let (store, _) = Store::open(folder.path()).expect("a store");
    let opened = begun.elapsed();
    assert_eq!(store.list(None).expect("a list").len(), 1);
    let listed = begun.elapsed();
    let (loaded, mut writer) = store.take_up(&id).expect("a session");
    let loaded_in = begun.elapsed();
    assert_eq!(loaded.messages.len(), 10_000);
    writer.append(&Message::user("one more")).expect("kept");
    let appended = begun.elapsed();
    assert_eq!(store.search("message 9999:", 5).expect("hits").len(), 1);
    let found = begun.elapsed();
    let by_reading = store.search("ds", 5).expect("hits").len();
    assert_eq!(by_reading, 5);
    println!(
        "10,000 messages: taken in {took_in:?}, opened {opened:?}, listed {:?}, loaded {:?}, appended {:?}, found by index \
         {:?}, by reading {:?}",
        listed - opened,
        loaded_in - listed,
        appended - loaded_in,
        found - appended,
        begun.elapsed() - found
    );
}
