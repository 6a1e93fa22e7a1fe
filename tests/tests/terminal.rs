//! On a terminal: colours unless they are refused, and a question before anything is written.
#![cfg(target_os = "linux")]

use winclaw_tests::{Done, Room, skipped};

/// Whether there is a `script` that makes terminals; it comes with every Debian.
fn no_terminal() -> bool {
    let missing = std::process::Command::new("script").arg("--version").output().is_err();
    if missing {
        skipped("there is no `script` to make a terminal with");
    }
    missing
}

fn has_colour(done: &Done) -> bool {
    done.stdout.contains("\u{1b}[")
}

#[test]
fn colours_are_shown_and_refused_by_no_color() {
    if no_terminal() {
        return;
    }
    let room = Room::with(&["calculator"]);
    let look = || room.on_terminal(&["tool", "describe", "calculator.evaluate"]);
    assert!(has_colour(&look().run().exits(0)));
    let plain = look().env("NO_COLOR", "1").run().exits(0).says(&["calculator.evaluate"]);
    assert!(!has_colour(&plain), "{}", plain.told());
    let failed = room.on_terminal(&["tool", "describe", "nothing"]).env("NO_COLOR", "1").run().exits(2);
    assert!(!has_colour(&failed), "{}", failed.told());
}

#[test]
fn a_write_is_asked_for_with_what_it_is_about_and_runs_only_on_yes() {
    if no_terminal() {
        return;
    }
    let room = Room::with(&["doc_generator"]);
    let args = "'{\"markdown\":\"#Hello\",\"path\":\"hello.docx\"}'";
    let ask = |typed: &str, lang: &str| {
        let run = room.on_terminal(&["tool", "call", "doc_generator.create", "--args", args, "--lang", lang]);
        run.stdin(typed).run()
    };
    ask("n\n", "en").exits(7).says(&["doc_generator.create", "hello.docx", "Run it?", "you said no"]);
    ask("不知道\n否\n", "zh").exits(7).says(&["运行吗？", "您选择了否"]);
    assert!(!room.work().join("hello.docx").exists());
    // The details hold the whole arguments.
    ask("d\ny\n", "en").exits(0).says(&["\"#Hello\""]);
    assert!(room.work().join("hello.docx").exists());
}
