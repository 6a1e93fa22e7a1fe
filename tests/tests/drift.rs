//! The founding incident, as `winclaw demo drift` shows it.

use winclaw_tests::{Done, Room};

fn drift(more: &[&str]) -> (Room, Done) {
    let room = Room::new();
    let done = room.winclaw(&[&["demo", "drift", "--lang", "en"], more].concat()).run();
    (room, done)
}

/// Where each of `parts` first stands, after the one before it.
fn in_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let at = text[from..].find(part).unwrap_or_else(|| panic!("`{part}` must come after byte {from} of:\n{text}"));
        from += at + part.len();
    }
}

#[test]
fn winclaw_notices_tells_the_model_asks_the_person_and_the_task_ends_well() {
    let (room, done) = drift(&[]);
    let done = done.exits(0).says(&["REPLAYED", "Played by the scene"]);
    let steps = [
        "browser.open",
        "did not load",
        "WinClaw notices: a call leads away",
        "Keep to the request",
        "browser.screenshot",
        "WinClaw asks the person",
        "image.create",
        "does not seem to belong to what was asked",
        "The person (scripted): no",
        "office.export",
        "The person (scripted): no",
        "you said no to this very call before",
        "WinClaw notices: the same plan was told ",
        "You told this plan ",
        "browser.open",
        "\"ready\"",
        "blog.publish",
        "The person (scripted): yes",
        "\"published\":true",
    ];
    in_order(&done.stdout, &steps);
    let ran: Vec<String> =
        room.records("call").iter().map(|call| call["tool"].as_str().expect("an id").into()).collect();
    assert!(!ran.iter().any(|tool| tool == "image.create" || tool == "office.export"), "{ran:?}");
    assert_eq!(ran.last().map(String::as_str), Some("blog.publish"));
    let end = room.records("end");
    assert_eq!((end[0]["state"].as_str(), end[0]["exit_code"].as_i64()), (Some("done"), Some(0)));
    assert!(!room.records("drift").is_empty() && !room.records("loop").is_empty());
}

#[test]
fn the_same_script_ends_in_a_dead_end_behind_a_hard_filter() {
    let (room, done) = drift(&["--strategy", "hard"]);
    done.exits(6).says(&[
        "strategy hard: category web",
        "hidden and cannot be called",
        "no tool that writes or publishes",
        "It ends here",
    ]);
    assert!(room.records("call").is_empty(), "what was needed could not be called");
    assert_eq!(room.records("end")[0]["state"], "not_completed");
}

#[test]
fn the_story_is_told_in_chinese_too() {
    let room = Room::new();
    let done = room.winclaw(&["demo", "drift", "--lang", "zh"]).run().exits(0);
    in_order(&done.stdout, &["WinClaw 由此而来", "WinClaw 注意到", "告诉模型", "WinClaw 询问用户", "用户（剧本）"]);
}
