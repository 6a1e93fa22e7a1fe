//! What becomes of a writer whose disk is full, and of one that dies.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::Store;

fn store(folder: &Path) -> Store {
    Store::open(folder).expect("a store").0
}

fn limit_pages(db: &Connection, more: Option<i64>) {
    let pages: i64 = db.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a count");
    let most = more.map_or(1_000_000_000, |more| pages + more);
    db.query_row(&format!("PRAGMA max_page_count = {most}"), [], |row| row.get::<_, i64>(0)).expect("a limit");
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .map(|message| value(message).expect("JSON")["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_order_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let mut writer = store.create(New::default()).expect("a writer");
    writer.append(&Message::user("a")).expect("kept");
    limit_pages(&writer.db, Some(0));
    let long = "b".repeat(100_000);
    let error = writer.append(&Message::user(&long)).expect_err("no room");
    assert!(matches!(error, Error::Full { .. }), "{error:?}");
    // The task goes on: what follows waits behind what could not be written.
    assert!(writer.append(&Message::user("c")).is_err() && writer.amend(2, &Message::user("c, amended")).is_err());
    assert!(writer.set_state(&json!(1)).is_err() && writer.set_state(&json!(2)).is_err());
    assert!(matches!(writer.amend(3, &Message::user("d")), Err(Error::NoMessage { number: 4, count: 3, .. })));
    assert!(writer.is_behind() && writer.len() == 3);
    assert_eq!(texts(&store.load(writer.id()).expect("a session").messages), ["a"]);

    limit_pages(&writer.db, None);
    writer.append(&Message::user("d")).expect("there is room again");
    assert!(!writer.is_behind());
    let loaded = store.load(writer.id()).expect("a session");
    assert_eq!(texts(&loaded.messages), ["a", &long, "c, amended", "d"]);
    assert_eq!(loaded.state, Some(json!(2)));
}

#[test]
fn a_session_that_never_found_room_is_written_when_there_is_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let mut writer = store.create(New::default()).expect("a writer");
    limit_pages(&writer.db, Some(0));
    assert!(writer.append(&Message::user("a".repeat(100_000))).is_err());
    assert_eq!(store.list(None).expect("a list"), []);
    limit_pages(&writer.db, None);
    let id = writer.id().to_owned();
    drop(writer);
    assert_eq!(store.info(&id).expect("written at the end").messages, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn wherever_room_runs_out_the_end_is_the_same(steps in prop::collection::vec((0_u8..4, 0_i64..6, any::<bool>()), 1..25)) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path());
        let (mut tight, mut roomy) =
            (store.create(New::default()).expect("a writer"), store.create(New::default()).expect("a writer"));
        for (number, (what, pages, full)) in steps.iter().enumerate() {
            limit_pages(&tight.db, full.then_some(*pages));
            let text = format!("{number} {}", "x".repeat(3000 * usize::from(*what)));
            let short: Vec<Message> = (0..tight.len() / 2).map(|at| Message::user(format!("short {at}"))).collect();
            for writer in [&mut tight, &mut roomy] {
                // Errors are what this is about; what matters is the end.
                let _ = match what {
                    0 if !writer.is_empty() => writer.amend(number % writer.len(), &Message::user(&text)),
                    1 => writer.rewrite(&short),
                    2 => writer.set_state(&json!(number)),
                    _ => writer.append(&Message::user(&text)),
                };
                prop_assert!(!writer.is_behind() || *full);
            }
        }
        limit_pages(&tight.db, None);
        let last = Message::user("the last");
        for writer in [&mut tight, &mut roomy] {
            writer.append(&last).expect("room");
        }
        let [tight, roomy] = [&tight, &roomy].map(|writer| store.load(writer.id()).expect("a session"));
        prop_assert_eq!(tight.messages, roomy.messages);
        prop_assert_eq!(tight.state, roomy.state);
        prop_assert_eq!((tight.info.messages, tight.info.bytes), (roomy.info.messages, roomy.info.bytes));
    }
}

/// Set for a child: the folder, and after how many instructions of SQLite it dies.
const CHILD: &str = "WINCLAW_SESSION_TEST_CHILD";

/// Takes up the last session, or begins one, and adds to it until it dies in the middle of an instruction.
#[test]
fn child_that_dies_in_the_middle_of_a_statement() {
    let Some(told) = std::env::var_os(CHILD) else { return };
    let told = told.into_string().expect("UTF-8");
    let (folder, after) = told.split_once('|').expect("a folder and a number");
    let after: u64 = after.parse().expect("a number");
    let store = store(Path::new(folder));
    let mut writer = match store.find("last") {
        Ok(id) => store.take_up(&id).expect("a session").1,
        Err(_) => store.create(New::default()).expect("a writer"),
    };
    static DONE: AtomicU64 = AtomicU64::new(0);
    let die = move || {
        if DONE.fetch_add(1, Ordering::Relaxed) >= after {
            // Nothing is unwound and nothing is flushed, as with kill -9.
            std::process::abort();
        }
        false
    };
    writer.db.progress_handler(1, Some(die)).expect("a hook");
    loop {
        let number = writer.len();
        writer.append(&Message::user(text(number))).expect("kept");
        acknowledge(number + 1, "said");
        writer.set_state(&json!(number + 1)).expect("kept");
        acknowledge(number + 1, "state");
    }
}

fn text(number: usize) -> String {
    format!("message {number} {}", "x".repeat(number * 97 % 6000))
}

fn acknowledge(count: usize, what: &str) {
    use std::io::Write as _;
    writeln!(std::io::stdout().lock(), "\nacknowledged {count} {what}").expect("the parent reads");
}

/// What a child that dies after so many instructions acknowledged last: a number of messages, and whether the state was
/// kept that belongs to it.
fn dies_after(folder: &Path, instructions: u64) -> Option<(usize, bool)> {
    let test = std::env::current_exe().expect("the path of the test");
    let output = Command::new(test)
        .args(["--exact", "writer::tests::child_that_dies_in_the_middle_of_a_statement", "--nocapture"])
        .env(CHILD, format!("{}|{instructions}", folder.display()))
        .stderr(Stdio::null())
        .output()
        .expect("a child");
    assert!(!output.status.success(), "it died of itself");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let last = said.lines().rfind(|line| line.starts_with("acknowledged"))?;
    let words: Vec<&str> = last.split(' ').collect();
    Some((words[1].parse().expect("a number"), words[2] == "state"))
}

/// The file is sound and holds `least` messages or one more, which it returns; and the state, if it was acknowledged.
fn holds(folder: &Path, least: usize, state: bool) -> usize {
    let (store, problems) = Store::open(folder).expect("a store");
    assert_eq!(problems, []);
    let db = Connection::open(folder.join(FILE)).expect("the file");
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
    assert_eq!(check, "ok");
    db.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 0)", []).expect("the index is sound");
    let Ok(id) = store.find("last") else {
        assert_eq!(least, 0);
        return 0;
    };
    let loaded = store.load(&id).expect("a session");
    let kept = texts(&loaded.messages);
    assert!((least..=least + 1).contains(&kept.len()), "{} of {least}", kept.len());
    assert_eq!(kept, (0..kept.len()).map(text).collect::<Vec<_>>());
    assert_eq!(loaded.info.messages, kept.len() as u64);
    if state {
        assert_eq!(loaded.state, Some(json!(least)));
    }
    kept.len()
}

#[test]
fn a_program_that_dies_in_the_middle_of_a_statement_loses_only_the_record_in_flight() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut kept = 0;
    // From the first instructions, in which the session is made, to some tens of records.
    for round in 0..100_u64 {
        let instructions = round * round + round % 7;
        let (least, state) = dies_after(folder.path(), instructions).unwrap_or((kept, false));
        kept = holds(folder.path(), least, state);
    }
    assert!(kept > 100, "{kept} messages");
}

#[test]
fn a_log_cut_off_at_any_place_loses_only_what_was_behind_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let mut writer = store.create(New::default()).expect("a writer");
    let log = folder.path().join(format!("{FILE}-wal"));
    let mut lengths = Vec::new();
    for number in 0..12_usize {
        writer.append(&Message::user(text(number * 20))).expect("kept");
        lengths.push(std::fs::metadata(&log).expect("a log").len());
    }
    let (file, log) = (std::fs::read(folder.path().join(FILE)).expect("read"), std::fs::read(&log).expect("read"));
    let (first, last) = (lengths[0], lengths[lengths.len() - 1]);
    let spread = (0..60).map(|step| first + (last - first) * step / 59);
    let edges = lengths.iter().flat_map(|length| [length - 1, *length, length + 1]);
    for cut in spread.chain(edges).filter(|cut| (first..=last).contains(cut)) {
        let copy = tempfile::tempdir().expect("a folder");
        std::fs::write(copy.path().join(FILE), &file).expect("written");
        std::fs::write(copy.path().join(format!("{FILE}-wal")), &log[..cut as usize]).expect("written");
        let whole = lengths.iter().filter(|length| **length <= cut).count();
        let kept = Store::open(copy.path()).expect("a store").0.load(writer.id()).expect("a session").messages;
        assert_eq!(texts(&kept), (0..whole).map(|number| text(number * 20)).collect::<Vec<_>>(), "cut at {cut}");
    }
}

#[test]
fn while_the_file_is_held_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let mut writer = store.create(New::default()).expect("a writer");
    writer.append(&Message::user("a")).expect("kept");
    writer.db.busy_timeout(std::time::Duration::ZERO).expect("no waiting");
    let other = Connection::open(folder.path().join(FILE)).expect("the file");
    other.execute_batch("BEGIN IMMEDIATE").expect("held");
    let error = writer.append(&Message::user("b")).expect_err("held");
    assert!(matches!(error, Error::Busy { .. }), "{error:?}");
    assert_eq!(texts(&store.load(writer.id()).expect("to read it is free").messages), ["a"]);
    other.execute_batch("COMMIT").expect("free");
    writer.append(&Message::user("c")).expect("kept");
    assert_eq!(texts(&store.load(writer.id()).expect("a session").messages), ["a", "b", "c"]);
}

#[test]
fn where_no_locks_are_a_second_writer_is_met_at_its_first_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let mut first = store.create(New::default()).expect("a writer");
    first.append(&Message::user("a")).expect("kept");
    let id = first.id().to_owned();
    // As on a file system that lets both have it.
    files::forget_lock(folder.path(), &id);
    let (_, mut second) = store.take_up(&id).expect("both have it");
    second.append(&Message::user("b")).expect("kept");
    for _ in 0..2 {
        let error = first.append(&Message::user("c")).expect_err("changed behind its back");
        assert!(matches!(error, Error::Changed { .. }), "{error:?}");
    }
    assert_eq!(texts(&store.load(&id).expect("a session").messages), ["a", "b"]);
}

#[test]
fn a_checkpoint_that_got_anywhere_loses_nothing() {
    const PAGE: usize = 4096;
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let mut writer = store.create(New::default()).expect("a writer");
    (0..12).for_each(|number| writer.append(&Message::user(text(number * 20))).expect("kept"));
    let path = folder.path().join(FILE);
    let log = std::fs::read(folder.path().join(format!("{FILE}-wal"))).expect("read");
    let before = std::fs::read(&path).expect("read");
    writer.db.execute_batch("PRAGMA wal_checkpoint(PASSIVE)").expect("a checkpoint");
    let after = std::fs::read(&path).expect("read");
    assert!(after.len() > before.len(), "it had something to do");
    for round in 0..40_usize {
        // Any of the pages may have been written when the program died; the log is dropped after the last.
        let pages = (0..after.len() / PAGE).map(|page| {
            let range = page * PAGE..(page + 1) * PAGE;
            let written = (page * 7 + round * 13) % 40 < round;
            let stood = before.get(range.clone()).unwrap_or(&[0; PAGE]);
            if written { &after[range] } else { stood }
        });
        let copy = tempfile::tempdir().expect("a folder");
        std::fs::write(copy.path().join(FILE), pages.collect::<Vec<_>>().concat()).expect("written");
        std::fs::write(copy.path().join(format!("{FILE}-wal")), &log).expect("written");
        let (store, problems) = Store::open(copy.path()).expect("a store");
        assert_eq!(problems, []);
        let kept = texts(&store.load(writer.id()).expect("a session").messages);
        assert_eq!(kept, (0..12).map(|number| text(number * 20)).collect::<Vec<_>>(), "round {round}");
        let check: String =
            store_db(copy.path()).query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
        assert_eq!(check, "ok");
    }
}

fn store_db(folder: &Path) -> Connection {
    Connection::open(folder.join(FILE)).expect("the file")
}
