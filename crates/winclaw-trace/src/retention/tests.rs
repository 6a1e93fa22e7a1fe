use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::TraceWriter;

const MINUTE: Duration = Duration::from_secs(60);

struct Place {
    folder: tempfile::TempDir,
    now: SystemTime,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder"), now: SystemTime::now() };
        fs::create_dir(place.traces()).expect("a folder");
        place
    }

    fn traces(&self) -> PathBuf {
        self.folder.path().join("traces")
    }

    fn spill(&self) -> PathBuf {
        self.folder.path().join("spill")
    }

    /// A file of `bytes` bytes that changed `ago`.
    fn file(&self, name: &str, bytes: usize, ago: Duration) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, vec![b'x'; bytes]).expect("written");
        let file = OpenOptions::new().write(true).open(&path).expect("a file");
        file.set_modified(self.now - ago).expect("a time");
    }

    fn prune(&self, days: u32, bytes: u64, dry: bool) -> Pruned {
        prune(&self.traces(), &self.spill(), Keep { days, bytes }, self.now, Some("t-run"), dry).expect("pruned")
    }

    fn names(&self) -> BTreeSet<String> {
        files(&self.traces(), &self.spill()).expect("files").iter().map(|file| name(&file.path)).collect()
    }
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_is_too_old_goes_and_the_rest_stays() {
    let place = Place::new();
    place.file("traces/t-old.jsonl", 10, DAY * 91);
    place.file("traces/t-new.jsonl", 10, DAY * 89);
    place.file("traces/t-run.jsonl", 10, DAY * 500);
    place.file("traces/notes.txt", 10, DAY * 500);
    place.file("spill/t-old/c1.txt", 10, DAY * 91);
    place.file("spill/t-new-c1.txt", 10, DAY);
    let would = place.prune(90, 0, true);
    assert_eq!(
        would.removed.iter().map(|file| (name(&file.path), file.why)).collect::<Vec<_>>(),
        [("c1.txt".to_owned(), Why::Age), ("t-old.jsonl".to_owned(), Why::Age)]
    );
    assert_eq!(place.names().len(), 5, "a dry run removes nothing");
    let did = place.prune(90, 0, false);
    assert_eq!((did.removed.len(), did.kept, did.kept_bytes, did.busy), (2, 3, 30, 1));
    assert_eq!(place.names(), set(&["t-new.jsonl", "t-run.jsonl", "t-new-c1.txt"]));
    assert!(place.traces().join("notes.txt").exists() && !place.spill().join("t-old").exists());
}

#[test]
fn the_oldest_go_until_the_rest_fits() {
    let place = Place::new();
    for (n, name) in ["a", "b", "c", "d"].iter().enumerate() {
        place.file(&format!("traces/{name}.jsonl"), 100, DAY * (10 - u32::try_from(n).expect("small")));
    }
    place.file("traces/now.jsonl", 1_000, MINUTE);
    let did = place.prune(90, 1_200, false);
    assert_eq!(
        place.names(),
        set(&["c", "d", "now"].map(|name| format!("{name}.jsonl")).each_ref().map(String::as_str))
    );
    assert!(did.removed.iter().all(|file| file.why == Why::Size) && did.kept_bytes == 1_200, "{did:?}");
    let none = place.prune(0, 0, false);
    assert_eq!((none.removed.len(), none.kept), (0, 3), "0 is no limit");
    let fresh = place.prune(0, 10, false);
    assert_eq!((fresh.removed.len(), fresh.busy), (2, 1), "what just changed stays: {fresh:?}");
}

#[cfg(unix)]
#[test]
fn what_a_writer_holds_stays() {
    let place = Place::new();
    let writer = TraceWriter::create(&place.traces(), "t-held").expect("a writer");
    let old = File::open(writer.path()).expect("a file");
    old.set_modified(place.now - DAY * 400).expect("a time");
    assert_eq!((place.prune(90, 0, false).busy, place.names().len()), (1, 1));
    drop(writer);
    assert_eq!((place.prune(90, 0, false).removed.len(), place.names().len()), (1, 0));
}

#[test]
fn it_is_due_once_a_day_when_over_and_after_the_clock_was_set_back() {
    let place = Place::new();
    let keep = Keep { days: 90, bytes: 50 };
    let due = |now| is_due(&place.traces(), &place.spill(), keep, now);
    assert!(due(place.now), "nobody looked yet");
    place.prune(90, 50, false);
    assert!(!due(SystemTime::now() + MINUTE) && due(SystemTime::now() + DAY + MINUTE));
    assert!(due(SystemTime::now() - DAY), "the stamp is from the future");
    place.file("traces/t-big.jsonl", 100, DAY);
    assert!(due(SystemTime::now() + MINUTE), "too large");
}

#[test]
fn a_time_in_the_future_counts_as_now_and_no_folder_as_none() {
    let place = Place::new();
    place.file("traces/t.jsonl", 10, Duration::ZERO);
    let file = OpenOptions::new().write(true).open(place.traces().join("t.jsonl")).expect("a file");
    file.set_modified(place.now + DAY * 4_000).expect("a time");
    assert_eq!(place.prune(1, 1, false).removed, []);
    let nowhere = place.folder.path().join("none");
    let none = prune(&nowhere, &nowhere, Keep::default(), place.now, None, false).expect("none");
    assert_eq!(none, Pruned::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_goes_is_older_than_what_stays_and_no_more_than_needed(
        files in prop::collection::vec((1_usize..400, 1_u32..200), 0..12), days in 0_u32..150, bytes in 0_u64..3_000,
    ) {
        let place = Place::new();
        for (n, (size, age)) in files.iter().enumerate() {
            place.file(&format!("traces/t-{n}.jsonl"), *size, DAY * *age);
        }
        let did = place.prune(days, bytes, false);
        prop_assert_eq!(did.removed.len() + did.kept, files.len());
        if bytes > 0 {
            prop_assert!(did.kept_bytes <= bytes);
            let last = did.removed.iter().rfind(|file| file.why == Why::Size);
            prop_assert!(last.is_none_or(|last| did.kept_bytes + last.bytes > bytes), "{:?}", did);
        }
        let stays = place.names();
        let of = |stay: bool| files.iter().enumerate().filter(move |(n, _)| stays.contains(&format!("t-{n}.jsonl")) == stay)
            .map(|(_, (_, age))| *age).collect::<Vec<_>>();
        let (kept, gone) = (of.clone()(true), of(false));
        prop_assert!(kept.iter().all(|age| days == 0 || *age <= days));
        prop_assert!(kept.iter().max().is_none_or(|oldest| gone.iter().all(|age| age >= oldest)));
    }
}
