//! What start-up makes of a folder of packages, good and bad.

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{LIBRARY, Room, loaded, value};
use winclaw_loader::{RunnerKind, TARGET, load_folder};
use winclaw_tool::{FailureCode, PluginId, Problem, ProblemKind};
use winclaw_toolbox::Backend as _;

fn set_machine(mut bytes: Vec<u8>) -> Vec<u8> {
    let other: u16 = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
    bytes[18..20].copy_from_slice(&other.to_le_bytes());
    bytes
}

#[tokio::test]
async fn six_bad_packages_are_six_problems_and_the_rest_works() {
    let room = Room::new();
    room.install("empty", "empty", |_| Vec::new());
    room.install("truncated", "truncated", |bytes| bytes[..bytes.len() / 2].to_vec());
    room.install("text", "text", |_| b"this is not a library".to_vec());
    room.install("elsewhere", "elsewhere", set_machine);
    room.install("zwin", "misbehave", |bytes| bytes);
    fs::create_dir(room.package("huge")).expect("a folder");
    fs::File::create(room.package("huge").join("plugin.json")).and_then(|file| file.set_len(50 << 20)).expect("a file");
    fs::write(room.package("README.md"), "a plain file is no package").expect("written");
    fs::create_dir(room.package(".hidden")).expect("a folder");

    let (backend, problems) = load_folder(room.options());
    let seen: Vec<(&str, ProblemKind)> =
        problems.iter().map(|problem| (problem.subject.as_str(), problem.kind)).collect();
    let expected = [
        ("elsewhere", ProblemKind::Library),
        ("empty", ProblemKind::Library),
        ("huge", ProblemKind::Manifest),
        ("text", ProblemKind::Library),
        ("truncated", ProblemKind::Library),
        ("zwin", ProblemKind::Duplicate),
    ];
    assert_eq!(seen, expected);
    for (problem, words) in
        problems.iter().zip(["processors", "is empty", "52428800", "not a library", "cut off", "misbehave"])
    {
        assert!(problem.what.en.contains(words), "{}", problem.what.en);
        assert!(
            problem.fatal && !problem.what.zh.is_empty() && !problem.mend.en.is_empty() && !problem.mend.zh.is_empty()
        );
    }
    assert_eq!(backend.plugins().len(), 1);
    assert_eq!(value(&backend, "ok", json!({})).await, json!("ok"));
}

/// The one problem of a package whose manifest `change` altered.
fn problem(change: impl FnOnce(&mut Value)) -> Problem {
    let room = Room::empty();
    let mut manifest = room.manifest();
    manifest["targets"] = json!({TARGET: {"file": LIBRARY, "sha256": "00"}});
    change(&mut manifest);
    room.write("odd", &manifest, &fs::read(support::library()).expect("the library"));
    let (backend, mut problems) = load_folder(room.options());
    assert!(backend.plugins().is_empty() && backend.entries().is_empty());
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn each_fault_of_a_manifest_is_said_in_words() {
    let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
    let deep: Value = serde_json::from_str(&deep).expect("json");
    type Change<'a> = Box<dyn FnOnce(&mut Value) + 'a>;
    let set = |place: &'static str, value: Value| -> Change<'_> {
        Box::new(move |manifest| *manifest.pointer_mut(place).expect("a place") = value)
    };
    let cases: Vec<(Change<'_>, ProblemKind, &str)> = vec![
        (set("/abi", json!(2)), ProblemKind::Target, "`abi` 2"),
        (set("/schema", json!(9)), ProblemKind::Target, "`schema` 9"),
        (set("/schema", json!("1")), ProblemKind::Manifest, "`schema`"),
        (set("/id", json!("Odd Name")), ProblemKind::Manifest, "Odd Name"),
        (set("/version", json!("one")), ProblemKind::Manifest, "MAJOR.MINOR.PATCH"),
        (set("/tools", json!([])), ProblemKind::Manifest, "at least one tool"),
        (set("/tools", json!("none")), ProblemKind::Manifest, "not a manifest"),
        (set("/publisher", deep), ProblemKind::Manifest, "71 levels"),
        (
            set("/targets", json!({"pdp11-unknown-none": {"file": "x", "sha256": ""}})),
            ProblemKind::Target,
            "pdp11-unknown-none",
        ),
        (
            set("/targets", json!({TARGET: {"file": "../outside.so", "sha256": ""}})),
            ProblemKind::Manifest,
            "not inside",
        ),
        (set("/targets", json!({TARGET: {"file": "/bin/sh", "sha256": ""}})), ProblemKind::Manifest, "not inside"),
        (set("/targets", json!({TARGET: {"file": "lib/gone.so", "sha256": ""}})), ProblemKind::Io, "lib/gone.so"),
    ];
    for (change, kind, words) in cases {
        let problem = problem(change);
        assert!(problem.what.en.contains(words), "{words}: {}", problem.what.en);
        assert_eq!((problem.kind, problem.subject.as_str(), problem.fatal), (kind, "odd", true), "{words}");
    }
}

#[test]
fn a_folder_without_a_manifest_and_a_missing_plugins_folder_are_said() {
    let room = Room::empty();
    fs::create_dir(room.package("bare")).expect("a folder");
    fs::create_dir(room.package("broken")).expect("a folder");
    fs::write(room.package("broken").join("plugin.json"), "{\"schema\": 1,").expect("written");
    let (_, problems) = load_folder(room.options());
    assert!(problems[0].what.en.contains("bare has no plugin.json"), "{problems:?}");
    assert!(problems[1].what.en.contains("broken/plugin.json is not a manifest"), "{problems:?}");
    let mut options = room.options();
    options.plugins_dir = room.path().join("nowhere");
    let (backend, problems) = load_folder(options);
    assert_eq!((backend.plugins().len(), problems.len(), problems[0].fatal), (0, 1, false));
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_out_of_the_package_is_refused_and_one_within_is_not() {
    let room = Room::new();
    let library = room.package("misbehave").join(LIBRARY);
    let inner = room.package("misbehave").join("real.so");
    fs::rename(&library, &inner).expect("moved");
    std::os::unix::fs::symlink("../real.so", &library).expect("a link");
    assert_eq!(room.load().plugins().len(), 1);
    let outer = room.path().join("outer.so");
    fs::rename(&inner, &outer).expect("moved");
    std::os::unix::fs::symlink(&outer, &inner).expect("a link");
    let (backend, problems) = load_folder(room.options());
    assert_eq!((backend.plugins().len(), problems.len()), (0, 1));
    assert!(problems[0].what.en.contains("not inside the package"), "{problems:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn start_up_reads_no_library_to_its_end() {
    let room = Room::new();
    let whole = fs::metadata(support::library()).expect("the library").len();
    for n in 0..60 {
        let name = format!("p{n:02}");
        room.install(&name, &name, |bytes| bytes[..bytes.len().min(1 << 20)].to_vec());
        let library = room.package(&name).join(LIBRARY);
        fs::remove_file(&library).expect("removed");
        fs::hard_link(room.package("misbehave").join(LIBRARY), &library).expect("a link");
    }
    // A hole of sixteen gigabytes at the end, shared by all: reading it sixty times would run into the
    // test runner's limit.
    let shared = fs::File::options().write(true).open(room.package("misbehave").join(LIBRARY)).expect("the library");
    shared.set_len(whole + (16 << 30)).expect("a sparse file");
    let backend = room.load();
    assert_eq!(backend.plugins().len(), 61);
}

#[test]
fn plugins_say_where_they_came_from_and_where_they_run() {
    let room = Room::new();
    let mut options = support::in_process(room.options());
    options.in_process.push(PluginId::new("nobody").expect("an id"));
    let (backend, problems) = load_folder(options);
    assert_eq!((problems.len(), problems[0].subject.as_str(), problems[0].fatal), (1, "nobody", false));
    let plugin = &backend.plugins()[0];
    assert_eq!((plugin.manifest.id.as_str(), plugin.runner), ("misbehave", RunnerKind::InProcess));
    assert!(plugin.folder.ends_with("misbehave") && plugin.library.starts_with(&plugin.folder));
    let entries = backend.entries();
    assert_eq!(entries.len(), plugin.manifest.tools.len());
    assert!(entries.iter().all(|entry| entry.id.source() == "misbehave"));
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn nothing_is_mapped_before_the_first_call_and_never_when_a_check_fails() {
    for trusted in [false, true] {
        let room = Room::new();
        let options = || if trusted { support::in_process(room.options()) } else { room.options() };
        let backend = loaded(options());
        assert!(!room.path().join("cache").exists(), "start-up writes nothing");

        let library = room.package("misbehave").join(LIBRARY);
        let whole = fs::read(&library).expect("the library");
        let mut flipped = whole.clone();
        let last = flipped.len() - 1;
        flipped[last] ^= 1;
        fs::write(&library, flipped).expect("written");
        let failure = support::call(&backend, "ok", json!({})).await.expect_err("refused");
        assert_eq!((failure.code, failure.retryable), (FailureCode::Incompatible, false), "{failure}");
        assert!(failure.message.contains("SHA-256") && failure.hint.is_some(), "{failure}");
        assert_eq!(room.mapped(), Vec::<String>::new(), "a constructor ran before the check");

        fs::write(&library, whole).expect("written");
        assert_eq!(value(&backend, "ok", json!({})).await, json!("ok"), "the next call tries again");
        assert_eq!(room.mapped().len(), 1);
    }
}
