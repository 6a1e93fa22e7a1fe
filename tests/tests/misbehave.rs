//! What a plugin does wrong costs its own call, and a folder of bad packages costs those packages.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use winclaw_tests::{Done, Room};

/// A tool that fails, and what is said of it.
const FAULTS: [(&str, &str, &str); 5] = [
    ("panic", "panicked", "on purpose"),
    ("hang", "timeout", "did not answer within its limit of 0.3 s"),
    ("abort", "crashed", "aborted itself"),
    ("segfault", "crashed", "segfault"),
    ("exit_zero", "crashed", "exit code 0"),
];

/// With the misbehaving plugin, whose `hang` is given little time.
fn room(shipped: &[&str]) -> Room {
    let room = Room::with_misbehave(shipped);
    room.limit_tool("misbehave", "hang", 300);
    room
}

#[test]
fn each_way_to_fail_ends_a_tool_call_with_words_of_its_own_and_code_5() {
    let room = room(&[]);
    let mut said = BTreeSet::new();
    for (name, code, words) in FAULTS {
        let tool = format!("misbehave.{name}");
        let done = room.winclaw(&["tool", "call", &tool]).run().exits(5).complains(&[&tool, words]);
        let error = room.winclaw(&["tool", "call", &tool, "--output", "json"]).run().exits(5).error_json();
        let message = error["message"].as_str().expect("a message").to_owned();
        assert!(message.starts_with(code) && error["exit_code"] == 5, "{error}\n{}", done.told());
        assert!(said.insert(message), "said of two tools: {error}");
    }
    room.winclaw(&["tool", "call", "misbehave.ok"]).run().exits(0).says(&["ok"]);
}

#[test]
fn in_a_task_the_next_call_of_another_tool_works_after_each_fault() {
    let room = room(&["calculator"]);
    let step = |(number, (name, _, words)): (usize, &(&str, &str, &str))| {
        let sum = json!({"name": "calculator__evaluate", "arguments": {"expression": format!("{number}+100")}});
        let expect = match number {
            0 => json!({"results": 0}),
            _ => json!({"results": 2 * number, "messages_contain": FAULTS[number - 1].2,
                        "last_contains": format!("{}", 99 + number)}),
        };
        assert!(!words.is_empty());
        json!({"expect": expect, "reply": {"calls": [{"name": format!("misbehave__{name}")}, sum]}})
    };
    let mut steps: Vec<Value> = FAULTS.iter().enumerate().map(step).collect();
    let last = FAULTS[FAULTS.len() - 1].2;
    steps.push(json!({"expect": {"results": 10, "messages_contain": last, "last_contains": "104"},
                      "reply": {"text": "The host is alive."}}));
    let replay = room.replay(json!(steps));
    room.winclaw(&["run", "misbehave", "--replay", &replay]).run().exits(5).says(&["The host is alive."]);

    let outcomes: Vec<String> =
        room.records("call").iter().map(|call| call["outcome"].as_str().unwrap_or_default().to_owned()).collect();
    let expected: Vec<&str> = FAULTS.iter().flat_map(|(_, code, _)| [*code, "ok"]).collect();
    assert_eq!(outcomes, expected);
}

/// Copies the misbehaving package to `folder` under `id`, with what `change` makes of its library.
fn spoil(room: &Room, folder: &str, id: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let package = room.plugins().join(folder);
    fs::create_dir(&package).expect("a folder");
    let manifest = room.plugins().join("misbehave").join("plugin.json");
    fs::copy(&manifest, package.join("plugin.json")).expect("copied");
    let text = fs::read(&manifest).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&text).expect("a manifest in JSON");
    let targets = manifest["targets"].as_object().expect("targets");
    let file = targets.values().next().expect("a target")["file"].as_str().expect("a file");
    let library = fs::read(room.plugins().join("misbehave").join(file)).expect("the library");
    let place = package.join(file);
    fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
    fs::write(place, change(library)).expect("written");
    room.edit_manifest(folder, |manifest| manifest["id"] = json!(id));
}

fn for_another_machine(mut library: Vec<u8>) -> Vec<u8> {
    // `e_machine` of an ELF header; Mach-O has its processor earlier.
    let (at, other): (usize, u16) = match (cfg!(target_os = "macos"), cfg!(target_arch = "aarch64")) {
        (true, _) => (4, 18),
        (false, true) => (18, 62),
        (false, false) => (18, 183),
    };
    library[at..at + 2].copy_from_slice(&other.to_le_bytes());
    library
}

/// A folder with one good plugin and six bad packages.
fn bad_folder() -> Room {
    let room = room(&[]);
    spoil(&room, "empty", "empty", |_| Vec::new());
    spoil(&room, "truncated", "truncated", |library| library[..library.len() / 2].to_vec());
    spoil(&room, "text", "text", |_| b"this is not a library".to_vec());
    spoil(&room, "other-machine", "other", for_another_machine);
    spoil(&room, "twin", "misbehave", |library| library);
    let huge = room.plugins().join("huge");
    fs::create_dir(&huge).expect("a folder");
    fs::File::create(huge.join("plugin.json")).and_then(|file| file.set_len(50 << 20)).expect("a large file");
    room
}

fn problems(done: &Done) -> Vec<Value> {
    done.json()["problems"].as_array().expect("problems").clone()
}

#[test]
fn six_bad_packages_are_six_problems_a_person_can_act_on_and_the_good_one_works() {
    let room = bad_folder();
    let done = room.winclaw(&["plugin", "list", "--json"]).run().exits(0);
    let listed = done.json();
    let ids: Vec<&Value> = listed["plugins"].as_array().expect("plugins").iter().map(|plugin| &plugin["id"]).collect();
    assert_eq!(ids, ["misbehave"]);

    let problems = problems(&done);
    let words = |subject: &str| match subject {
        "empty" => "empty",
        "truncated" => "cut off",
        "text" => "not a library",
        "other-machine" => "processor",
        "twin" => "misbehave",
        "huge" => "52428800",
        other => panic!("a problem with {other}\n{}", done.told()),
    };
    assert_eq!(problems.len(), 6, "{}", done.told());
    for problem in &problems {
        let subject = problem["subject"].as_str().expect("a subject");
        let (what, mend) = (&problem["what"], &problem["mend"]);
        assert!(what["en"].as_str().is_some_and(|text| text.contains(words(subject))), "{problem}");
        for text in [&what["en"], &what["zh"], &mend["en"], &mend["zh"]] {
            assert!(text.as_str().is_some_and(|text| text.ends_with(['.', '。'])), "{problem}");
        }
    }
    room.winclaw(&["tool", "call", "misbehave.ok"]).run().exits(0).says(&["ok"]);
}

#[test]
fn the_problems_are_listed_in_the_persons_language_and_the_rest_only_counts_them() {
    let room = bad_folder();
    let english = room.winclaw(&["plugin", "list"]).run().exits(0);
    let chinese = room.winclaw(&["plugin", "list", "--lang", "zh"]).run().exits(0);
    assert_eq!(english.stdout.matches('✗').count(), 6, "{}", english.told());
    english.says(&["Install the plugin again"]);
    chinese.says(&["重新安装", "请删除"]);
    room.winclaw(&["tool", "list"]).run().exits(0).complains(&["6 problems with plugins"]);
    room.winclaw(&["plugin", "inspect", "empty"]).run().exits(9).complains(&["is empty"]);
}

#[test]
fn a_library_that_was_changed_after_packaging_never_runs() {
    let room = room(&[]);
    let manifest = room.plugins().join("misbehave").join("plugin.json");
    let manifest: Value = serde_json::from_slice(&fs::read(manifest).expect("a manifest")).expect("JSON");
    let target = manifest["targets"].as_object().and_then(|targets| targets.values().next()).expect("a target");
    let library = room.plugins().join("misbehave").join(target["file"].as_str().expect("a file"));
    let mut bytes = fs::read(&library).expect("the library");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&library, bytes).expect("written");
    room.winclaw(&["tool", "call", "misbehave.ok"]).run().exits(9).complains(&["SHA-256"]);
    assert_eq!(mapped(&room), Vec::<PathBuf>::new(), "its code ran");
}

/// The files that the library leaves beside itself when it is mapped.
fn mapped(room: &Room) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(room.path().join("data").join("cache")) else { return Vec::new() };
    let files = entries.map(|entry| entry.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|end| end == "loaded")).collect()
}
