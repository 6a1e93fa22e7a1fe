use serde_json::json;

use super::append::Store;
use super::*;
use crate::cut::MAX_TEXT;
use crate::record::tests::samples;
use crate::{MARK, read};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn rise(cause: &str) -> Record {
    Record::Rise { cause: cause.into(), tools: vec!["sky.forecast".into()], reach: "extended".into() }
}

#[test]
fn every_kind_of_record_reads_back_as_it_was_written() {
    let folder = folder();
    let mut writer = TraceWriter::create(&folder.path().join("deep/er"), "t-1").expect("a writer");
    for record in samples() {
        writer.write(&record).expect("written");
    }
    let (lines, problems) = read(writer.path()).expect("read");
    assert_eq!(problems, []);
    assert_eq!(lines.iter().map(|line| line.record.clone()).collect::<Vec<_>>(), samples());
    assert!(lines.iter().enumerate().all(|(n, line)| line.seq == n as u64 && line.v == VERSION));
    assert!(lines.is_sorted_by_key(|line| line.at_ms));
}

#[test]
fn a_line_is_on_disk_when_write_returns() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    for n in 1..=3 {
        writer.write(&rise("a")).expect("written");
        let text = fs::read_to_string(writer.path()).expect("read");
        assert_eq!((text.lines().count(), text.ends_with('\n')), (n, true));
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let inner = folder.path().join("traces");
    let writer = TraceWriter::create(&inner, "t-1").expect("a writer");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(writer.path()), mode(&inner)), (0o600, 0o700));
}

#[test]
fn a_task_has_one_file_and_its_name_cannot_leave_the_folder() {
    let folder = folder();
    TraceWriter::create(folder.path(), "t-1").expect("a writer");
    let error = |id| TraceWriter::create(folder.path(), id).expect_err("an error").kind();
    assert_eq!(error("t-1"), io::ErrorKind::AlreadyExists);
    assert_eq!(error("../t-2"), io::ErrorKind::InvalidInput);
    let missing = TraceWriter::reopen(folder.path(), "t-9").expect_err("an error");
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
}

#[test]
fn no_field_of_any_record_lets_a_secret_through() {
    let canary = format!("sk-{}", "CANARY7f3Kq9ZxV2mWb8Lr");
    let samples = serde_json::to_value(samples()).expect("json");
    let filled = fill(samples, &canary);
    let records: Vec<Record> = serde_json::from_value(filled).expect("records");
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    for record in &records {
        writer.write(record).expect("written");
    }
    let text = fs::read_to_string(writer.path()).expect("read");
    assert!(!text.contains("CANARY") && text.matches(MARK).count() > 30, "{text}");
}

/// `value` with `canary` in every string but those that choose a kind.
fn fill(value: Value, canary: &str) -> Value {
    match value {
        Value::String(_) => json!(format!("北京{canary}，")),
        Value::Array(items) => items.into_iter().map(|item| fill(item, canary)).collect(),
        Value::Object(map) => {
            let keep = |key: &str, value: &Value| key == "kind" && value.is_string();
            map.into_iter().map(|(k, v)| if keep(&k, &v) { (k, v) } else { (k, fill(v, canary)) }).collect()
        }
        other => other,
    }
}

#[test]
fn a_long_text_is_cut_after_redaction_with_a_mark() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    let split = format!("{}sk-{}", "字".repeat(MAX_TEXT - 10), "CANARY7f3Kq9ZxV2mWb8Lr");
    writer.write(&rise(&split)).expect("written");
    writer.write(&rise(&"字".repeat(MAX_TEXT + 5))).expect("written");
    let text = fs::read_to_string(writer.path()).expect("read");
    assert!(!text.contains("CANARY") && text.contains("字… [cut, 5 more characters]"));
}

#[test]
fn reopening_cuts_a_half_line_and_goes_on_counting() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    writer.write(&rise("one")).expect("written");
    writer.write(&rise("two")).expect("written");
    let path = writer.path().to_owned();
    drop(writer);
    let whole = fs::read(&path).expect("read");
    for end in 1..whole.len() {
        fs::write(&path, &whole[..end]).expect("cut");
        let mut again = TraceWriter::reopen(folder.path(), "t-1").expect("a writer");
        again.write(&rise("three")).expect("written");
        drop(again);
        let (lines, problems) = read(&path).expect("read");
        assert_eq!(problems, [], "cut at {end}");
        assert!(lines.iter().enumerate().all(|(n, line)| line.seq == n as u64), "cut at {end}");
        assert_eq!(lines.last().map(|line| line.record.clone()), Some(rise("three")), "cut at {end}");
    }
}

/// A disk of `room` bytes, whose files can be cut only when `cuts` says so.
#[derive(Default)]
struct Disk {
    bytes: Vec<u8>,
    room: usize,
    no_cuts: u32,
}

impl Store for Disk {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let start = usize::try_from(offset).expect("small");
        let end = (start + bytes.len()).min(self.room);
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[start..end].copy_from_slice(&bytes[..end - start]);
        if end - start == bytes.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        if self.no_cuts > 0 {
            self.no_cuts -= 1;
            return Err(io::ErrorKind::Other.into());
        }
        self.bytes.truncate(usize::try_from(len).expect("small"));
        Ok(())
    }
}

#[test]
fn a_full_disk_costs_only_the_record_that_did_not_fit() {
    for no_cuts in 0..3 {
        for room in 0..24 {
            let disk = Disk { room, no_cuts, ..Disk::default() };
            let mut out = Appender::new(disk, 0);
            let first: Vec<bool> = (0..4).map(|_| out.append(b"{\"a\":1}\n").is_ok()).collect();
            out.store.room = 1_000;
            out.store.no_cuts = 0;
            out.append(b"{}\n").expect("there is room now");
            let wanted = "{\"a\":1}\n".repeat(first.iter().filter(|ok| **ok).count()) + "{}\n";
            assert_eq!(String::from_utf8_lossy(&out.store.bytes), wanted, "room {room}, {no_cuts} failed cuts");
        }
    }
}

#[test]
fn nothing_is_written_after_a_half_line_that_cannot_be_cut_away() {
    let disk = Disk { room: 6, no_cuts: 2, ..Disk::default() };
    let mut out = Appender::new(disk, 0);
    assert!(out.append(b"{\"a\":1}\n").is_err());
    out.store.room = 1_000;
    assert!(out.append(b"{}\n").is_err());
    out.append(b"{}\n").expect("it can be cut now");
    assert_eq!(out.store.bytes, b"{}\n");
}

#[test]
fn an_unknown_record_is_not_written() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    assert!(writer.write(&Record::Unknown).is_err());
    assert_eq!(fs::read(writer.path()).expect("read"), b"");
}

#[cfg(unix)]
#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    writer.write(&rise("one")).expect("written");
    let error = TraceWriter::reopen(folder.path(), "t-1").expect_err("an error");
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    assert_eq!(read(writer.path()).expect("read").0.len(), 1);
    let path = writer.path().to_owned();
    drop(writer);
    TraceWriter::reopen(folder.path(), "t-1").expect("a writer").write(&rise("two")).expect("written");
    assert_eq!(read(&path).expect("read").0.len(), 2);
}

#[test]
fn reopening_goes_on_after_a_line_of_any_length() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    let large = json!({"rows": vec!["x".repeat(1_000); 400]});
    for _ in 0..2 {
        writer.write(&Record::Step { step: large.clone() }).expect("written");
    }
    let path = writer.path().to_owned();
    drop(writer);
    fs::OpenOptions::new().append(true).open(&path).expect("a file").write_all(&[b'x'; 200_000]).expect("written");
    TraceWriter::reopen(folder.path(), "t-1").expect("a writer").write(&rise("three")).expect("written");
    let (lines, problems) = read(&path).expect("read");
    assert_eq!((lines.last().map(|line| line.seq), problems.len()), (Some(2), 0));
}

#[test]
fn whatever_a_record_holds_its_line_can_be_read_again() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    let deep = (0..500).fold(json!("deep"), |inner, n| if n % 2 == 0 { json!([inner]) } else { json!({"a": inner}) });
    let wide = json!((0..600_000).collect::<Vec<u32>>());
    let long = json!({"a": "x".repeat(3_000_000), "b": vec!["y".repeat(60_000); 40]});
    for value in [deep, wide, long] {
        writer.write(&Record::Step { step: value }).expect("written");
    }
    let text = fs::read_to_string(writer.path()).expect("read");
    assert!(text.lines().all(|line| line.len() < 8 << 20) && text.matches("[cut, ").count() >= 4);
    let (lines, problems) = read(writer.path()).expect("read");
    assert_eq!((lines.len(), problems.len()), (3, 0), "{problems:?}");
}

#[test]
fn known_secrets_are_hidden_wherever_they_stand() {
    let folder = folder();
    let secret = "plain words that 1 person chose";
    let writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    let mut writer = writer.hiding(Secrets::of([secret]));
    let said = format!("the server said: {secret}!");
    writer.write(&rise(&said)).expect("written");
    writer.write(&Record::Step { step: json!({(secret): [said]}) }).expect("written");
    let text = fs::read_to_string(writer.path()).expect("read");
    assert!(!text.contains("person") && text.matches(MARK).count() == 3, "{text}");
}

#[test]
fn control_characters_are_kept_and_steer_no_terminal() {
    let folder = folder();
    let mut writer = TraceWriter::create(folder.path(), "t-1").expect("a writer");
    let said = "x\u{1b}[2J\u{1b}]0;PWN\u{7}\u{1b}]8;;http://e/\u{7}\u{0}\u{7f}\u{9b}1m\u{202e}y\u{e0041}\r\n\tz";
    writer.write(&rise(said)).expect("written");
    let text = fs::read_to_string(writer.path()).expect("read");
    assert!(text.strip_suffix('\n').expect("a line").is_ascii(), "{text}");
    assert!(text.strip_suffix('\n').expect("a line").chars().all(|c| !c.is_control()), "{text}");
    assert_eq!(read(writer.path()).expect("read").0[0].record, rise(said));
}
