use std::fs;
use std::path::PathBuf;

use super::*;
use crate::record::tests::samples;
use crate::{TokenUsage, TraceWriter};

fn trace(folder: &Path, id: &str, records: &[Record]) -> PathBuf {
    let mut writer = TraceWriter::create(folder, id).expect("a writer");
    for record in records {
        writer.write(record).expect("written");
    }
    writer.path().to_owned()
}

fn start(at: u64) -> Record {
    let Some(Record::Start { .. }) = samples().into_iter().next() else { panic!("the first sample is a start") };
    Record::Start {
        task_id: "t".into(),
        started_unix_ms: at,
        program: "0.1.0".into(),
        model: "acme/small".into(),
        replayed: true,
        request: "查天气".into(),
        lang: "zh".into(),
    }
}

#[test]
fn any_line_that_is_no_record_costs_only_itself() {
    let good = r#"{"v":1,"seq":0,"at_ms":3,"kind":"rise","cause":"a","tools":[],"reach":"full"}"#;
    let cases: [(&[u8], &str); 8] = [
        (b"not json", "Line 2"),
        (b"{}", "Line 2"),
        (b"[1]", "Line 2"),
        (b"\xff\xfe", "Line 2"),
        (br#"{"v":1,"kind":"rise","tools":"none"}"#, "Line 2"),
        (br#"{"v":"one","kind":"rise"}"#, "Line 2"),
        (br#"{"v":9,"seq":1,"at_ms":4,"kind":"rise","cause":"b","colour":"red"}"#, "form 9"),
        ("[".repeat(100_000).leak().as_bytes(), "Line 2"),
    ];
    for (middle, told) in cases {
        let bytes = [good.as_bytes(), b"\n", middle, b"\n\r\n", good.as_bytes(), b"\n"].concat();
        let (read, problems) = read_bytes(&bytes);
        assert!(read.len() >= 2 && read[0].record == read[read.len() - 1].record);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].what.en.contains(told) && !problems[0].fatal, "{problems:?}");
    }
}

#[test]
fn a_kind_from_the_future_is_kept_as_unknown_and_missing_fields_are_empty() {
    let (read, faults) =
        read_bytes(b"{\"v\":1,\"seq\":4,\"kind\":\"dream\",\"of\":1}\n{\"v\":1,\"kind\":\"rise\",\"at_ms\":7}\n");
    assert!(faults.is_empty());
    assert_eq!((read[0].seq, &read[0].record), (4, &Record::Unknown));
    let empty = Record::Rise { cause: String::new(), tools: vec![], reach: String::new() };
    assert_eq!((read[1].at_ms, &read[1].record), (7, &empty));
}

#[test]
fn a_half_last_line_is_a_problem_wherever_it_was_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = trace(folder.path(), "t", &samples()[..2]);
    let whole = fs::read(&path).expect("read");
    let first = whole.iter().position(|&b| b == b'\n').expect("a line") + 1;
    for end in first + 1..whole.len() {
        fs::write(&path, &whole[..end]).expect("cut");
        let (lines, problems) = read(&path).expect("read");
        assert_eq!((lines.len(), problems.len()), (1, 1), "cut at {end}");
        assert!(problems[0].what.en.contains("not written to its end"), "{problems:?}");
    }
}

#[test]
fn the_list_is_newest_first_and_sums_what_an_unfinished_task_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let usage = TokenUsage { input: Some(100), cached: None, output: Some(7) };
    let reply = Record::Reply {
        text_chars: 0,
        calls: vec![],
        usage,
        cut_off: false,
        ms: 5,
        estimated: 0,
        scale: 0.0,
        text_calls: 0,
    };
    let call = samples().into_iter().find(|record| matches!(record, Record::Call { .. })).expect("a call");
    let end = samples().into_iter().find(|record| matches!(record, Record::End { .. })).expect("an end");
    trace(folder.path(), "a-old", &[start(1), end]);
    trace(folder.path(), "b-new", &[start(3), reply.clone(), call.clone(), reply]);
    trace(folder.path(), "c-mid", &[start(2)]);
    fs::write(folder.path().join("broken.jsonl"), "\0\0").expect("written");
    fs::write(folder.path().join("notes.txt"), "x").expect("written");
    let found = list(folder.path()).expect("a list");
    let ids: Vec<&str> = found.iter().map(|summary| summary.task_id.as_str()).collect();
    let states: Vec<&str> = found.iter().map(|summary| summary.state.as_str()).collect();
    assert_eq!(ids, ["b-new", "c-mid", "a-old", "broken"]);
    assert_eq!(states, ["unfinished", "unfinished", "done", "unreadable"]);
    let tokens = TokenUsage { input: Some(200), cached: None, output: Some(14) };
    assert_eq!((found[0].calls, found[0].tokens), (1, tokens));
    assert_eq!((found[0].model.as_str(), found[0].request.as_str(), found[0].replayed), ("acme/small", "查天气", true));
    assert_eq!((found[2].calls, found[2].ms), (2, 5_300));
}

#[test]
fn a_folder_that_is_not_there_holds_no_tasks() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(list(&folder.path().join("none")).expect("a list"), []);
    assert!(read(&folder.path().join("none.jsonl")).is_err());
}

#[test]
fn a_long_trace_is_read_a_line_at_a_time_and_a_long_line_is_passed_over() {
    // Input that would be far more than fits in memory, made as it is read.
    let good = b"{\"v\":1,\"kind\":\"rise\",\"cause\":\"a\"}\n";
    let endless = io::repeat(b'x').take(MAX_LINE * 3);
    let input = io::BufReader::new(good.chain(endless).chain(&b"\n"[..]).chain(&good[..]));
    let mut reader = TraceReader::new(input, "t.jsonl");
    assert_eq!(reader.by_ref().filter(Result::is_ok).count(), 2);
    let problems = reader.problems();
    assert!(problems.len() == 1 && problems[0].what.en.starts_with("Line 2 "), "{problems:?}");
}

#[test]
fn a_file_of_junk_tells_the_first_problems_and_counts_the_rest() {
    let (lines, problems) = read_bytes("junk\n".repeat(5_000).as_bytes());
    assert_eq!((lines.len(), problems.len()), (0, MAX_PROBLEMS + 1));
    assert!(problems[MAX_PROBLEMS].what.en.starts_with("4900 more lines"), "{:?}", problems[MAX_PROBLEMS]);
}

#[test]
fn a_task_that_ended_is_listed_without_reading_what_stands_between() {
    let folder = tempfile::tempdir().expect("a folder");
    let end = samples().into_iter().find(|record| matches!(record, Record::End { .. })).expect("an end");
    let path = trace(folder.path(), "t", &[start(1), end]);
    let text = fs::read_to_string(&path).expect("read");
    let (head, tail) = text.split_once('\n').expect("two lines");
    fs::write(&path, [head.as_bytes(), b"\n", &b"\xff\n".repeat(1 << 17), tail.as_bytes()].concat()).expect("written");
    let found = list(folder.path()).expect("a list");
    assert_eq!((found[0].state.as_str(), found[0].ms, found[0].started), ("done", 5_300, 1));
}
