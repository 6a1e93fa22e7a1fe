//! Traces under a process that is killed, a disk that is full, and two processes at once.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use proptest::prelude::*;
use serde_json::json;
use winclaw_trace::{Line, Record, TraceWriter, read};

const FOLDER: &str = "WINCLAW_TRACE_TEST_FOLDER";

/// Records of many sizes, each known by its number.
fn record(n: u64) -> Record {
    let filler = "字".repeat(usize::try_from(n * 37 % 1_001).expect("small"));
    Record::Step { step: json!({"n": n, "filler": filler}) }
}

fn number(line: &Line) -> u64 {
    match &line.record {
        Record::Step { step } => step["n"].as_u64().expect("a number"),
        other => panic!("not of this test: {other:?}"),
    }
}

/// Not a test by itself: the child of the others. Writes records without end, and says the number of each that is written.
#[test]
#[ignore = "runs in a child process of the other tests"]
fn writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let opened = TraceWriter::reopen(folder, "t-1").or_else(|_| TraceWriter::create(folder, "t-1"));
    let mut writer = match opened {
        Ok(writer) => writer,
        Err(error) => return say(&format!("refused {:?}", error.kind())),
    };
    let first = read(writer.path()).expect("read").0.last().map_or(0, |line| number(line) + 1);
    for n in first..first + 100_000 {
        match writer.write(&record(n)) {
            Ok(()) => say(&format!("wrote {n}")),
            Err(error) => say(&format!("failed {n} {:?}", error.kind())),
        }
    }
}

fn say(line: &str) {
    use std::io::Write as _;
    // The parent may be gone already.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

fn child(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "writes_until_it_is_killed", "--ignored", "--nocapture"]).env(FOLDER, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Lets a child write, kills it once it said `after` lines, and returns the last number that it said was written.
fn killed_after(folder: &Path, after: usize) -> Option<u64> {
    let mut child = child(folder).spawn().expect("a child");
    let mut said = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let of = |line: &String| line.strip_prefix("wrote ").and_then(|n| n.parse::<u64>().ok());
    let before = said.by_ref().filter_map(|line| of(&line)).take(after).last();
    child.kill().expect("killed");
    child.wait().expect("ended");
    said.filter_map(|line| of(&line)).last().or(before)
}

#[test]
fn killed_at_200_points_a_trace_loses_nothing_but_the_record_in_flight() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t-1.jsonl");
    for round in 0..200_usize {
        // A number that is not drawn, so that a failure can be had again; the moment of the kill is as it comes.
        let said = killed_after(folder.path(), 1 + round * 7 % 13).expect("something was written");
        let (lines, problems) = read(&path).expect("read");
        let last = lines.last().map(number).expect("a line");
        assert!(lines.iter().enumerate().all(|(n, line)| number(line) == n as u64), "round {round}");
        assert!(last >= said, "round {round}: {said} was said to be written, {last} is there");
        assert!(problems.len() <= 1, "round {round}: {problems:?}");
        assert!(lines.is_sorted_by_key(|line| line.at_ms) && lines.is_sorted_by_key(|line| line.seq), "round {round}");
        if lines.len() > 150 {
            std::fs::remove_file(&path).expect("removed");
        }
    }
}

#[test]
fn a_second_process_is_refused_and_harms_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    for n in 0..20 {
        writer.write(&record(n)).expect("written");
        if n == 10 {
            let output = child(folder.path()).output().expect("a child");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(said.contains("refused AlreadyExists"), "{said}");
        }
    }
    let (lines, problems) = read(writer.path()).expect("read");
    assert_eq!((lines.len(), problems.len()), (20, 0));
}

/// A limit on the size of files stands in for a full disk: the write is cut short, then fails.
#[test]
fn a_full_disk_costs_only_what_does_not_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = child(folder.path());
    let mut command = Command::new("sh");
    // 128 blocks of 512 bytes; without the signal the write fails as on a full disk.
    command.args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\""]).arg(inner.get_program());
    command.args(inner.get_args()).env(FOLDER, folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running: Child = command.spawn().expect("a shell");
    let mut said = BufReader::new(running.stdout.take().expect("its output"));
    let mut heard = Vec::new();
    for line in said.by_ref().lines().map_while(Result::ok) {
        if line.starts_with("wrote ") || line.starts_with("failed ") {
            heard.push(line);
        }
        if heard.len() == 400 {
            break;
        }
    }
    running.kill().expect("killed");
    said.read_to_end(&mut Vec::new()).expect("its end");
    running.wait().expect("ended");
    let failed = heard.iter().filter(|line| line.starts_with("failed ")).count();
    assert!(failed > 100 && heard.iter().any(|line| line.contains("wrote 5")), "{failed}: {heard:?}");
    let path = folder.path().join("t-1.jsonl");
    let (lines, problems) = read(&path).expect("read");
    assert_eq!(problems, [], "no half line is left");
    let wrote = |n: u64| heard.contains(&format!("wrote {n}"));
    let numbers: Vec<u64> = lines.iter().map(number).collect();
    let heard_last = heard.len() as u64 - 1;
    assert!((0..=heard_last).all(|n| numbers.contains(&n) == wrote(n)), "{numbers:?} {heard:?}");
    // With room again it goes on.
    let mut writer = TraceWriter::reopen(folder.path(), "t-1").expect("a writer");
    writer.write(&record(1_000_000)).expect("there is room now");
    assert_eq!(read(&path).expect("read").0.len(), lines.len() + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_what_is_read(texts in prop::collection::vec(".{0,40}", 0..12), end in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
        let records: Vec<Record> = texts.iter().map(|text| Record::Rise {
            // Nothing that could be taken for a secret, which would rightly not come back.
            cause: text.replace(['=', ':', '：', '/', '-', '.', '"', '\'', '{', '['], " "),
            tools: vec![],
            reach: "full".into(),
        }).collect();
        for record in &records {
            writer.write(record).expect("written");
        }
        let path = writer.path().to_owned();
        drop(writer);
        let (lines, problems) = read(&path).expect("read");
        // An empty file is told as such, and nothing else is wrong.
        prop_assert_eq!(problems.len(), usize::from(records.is_empty()));
        prop_assert_eq!(lines.into_iter().map(|line| line.record).collect::<Vec<_>>(), records.clone());
        // Cut anywhere, what stands before the cut is whole.
        let bytes = std::fs::read(&path).expect("read");
        let end = end.index(bytes.len() + 1);
        let (lines, problems) = winclaw_trace::read_bytes(&bytes[..end]);
        let whole = bytes[..end].iter().filter(|b| **b == b'\n').count();
        prop_assert_eq!(lines.into_iter().map(|line| line.record).collect::<Vec<_>>(), records[..whole].to_vec());
        prop_assert_eq!(problems.len(), usize::from(end == 0 || bytes[end - 1] != b'\n'));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = winclaw_trace::read_bytes(&bytes);
    }
}
