//! The demo leaves a document that a real word processor opens.

use std::fs;
use std::path::{Path, PathBuf};

use winclaw_tests::{Done, Room, skipped};

/// Whether there is a LibreOffice to test with. `WINCLAW_NO_OFFICE=1` does without; otherwise it must be there.
fn office() -> Option<PathBuf> {
    if std::env::var("WINCLAW_NO_OFFICE").is_ok_and(|value| value == "1") {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("soffice")).find(|program| program.is_file());
    Some(found.expect(
        "soffice is missing; on Debian: apt-get install -y --no-install-recommends libreoffice-writer-nogui \
         fonts-noto-cjk poppler-utils (or set WINCLAW_NO_OFFICE=1 to leave this out)",
    ))
}

fn demo(room: &Room, lang: &str, out: &str) -> Done {
    room.winclaw(&["demo", "--lang", lang, "--out", out]).run().exits(0)
}

/// The text of `document` as a word processor lays it out.
fn text_of(room: &Room, office: &Path, document: &Path) -> String {
    let (profile, out) = (room.path().join("profile"), room.path().join("pdf"));
    let profile = format!("-env:UserInstallation=file://{}", profile.display());
    let (out_dir, document) = (out.to_str().expect("a path"), document.to_str().expect("a path"));
    let arguments = [&profile, "--headless", "--convert-to", "pdf", "--outdir", out_dir, document];
    let done = room.program(office, &arguments).run().exits(0);
    let pdf = done.left(&out, "pdf");
    let arguments = ["-layout", pdf.to_str().expect("a path"), "-"];
    room.program(Path::new("pdftotext"), &arguments).run().exits(0).stdout
}

/// Whether `text` holds a number right before a degree sign.
fn has_temperature(text: &str) -> bool {
    text.match_indices(['°', '℃']).any(|(at, _)| text[..at].trim_end().ends_with(|c: char| c.is_ascii_digit()))
}

#[test]
fn the_demo_leaves_a_word_document_with_the_weather_in_a_table() {
    let room = Room::new();
    let done = demo(&room, "zh", "out");
    let document = done.left(&room.work().join("out"), "docx");
    let told = fs::canonicalize(&document).expect("a path").display().to_string();
    done.says(&["回放", "查北京天气，写成 Word 文档", &told]);

    let Some(office) = office() else {
        return skipped("WINCLAW_NO_OFFICE=1, so the document was not opened");
    };
    let text = text_of(&room, &office, &document);
    assert!(text.contains("北京") && has_temperature(&text), "{text}");
    let cells: Vec<&str> = text.lines().find(|line| line.contains("日期")).unwrap_or("").split_whitespace().collect();
    assert!(cells.contains(&"日期") && cells.contains(&"天气") && cells.contains(&"降水概率"), "{text}");
    let dated = |line: &&str| line.trim_start().starts_with("20") && line.trim_end().ends_with('%');
    assert_eq!(text.lines().filter(dated).count(), 3, "three rows of the table:\n{text}");
}

#[test]
fn the_demo_says_that_it_is_replayed_and_how_to_run_it_on_a_model_of_ones_own() {
    let room = Room::new();
    let done = demo(&room, "en", "out").says(&["REPLAYED", "Word document"]);
    let last = done.stdout.lines().rfind(|line| !line.trim().is_empty()).expect("output");
    assert!(last.contains("DEEPSEEK_API_KEY=") && last.contains(" run "), "{last}");
    assert!(last.ends_with("\"查北京天气，写成 Word 文档\""), "{last}");
}

#[test]
fn the_demo_can_be_played_again_and_leaves_its_trace() {
    let room = Room::new();
    let first = demo(&room, "zh", "out");
    let document = first.left(&room.work().join("out"), "docx");
    let bytes = fs::read(&document).expect("a document");
    let again = demo(&room, "zh", "out");
    assert_eq!(again.left(&room.work().join("out"), "docx"), document);
    assert_eq!(fs::read(&document).expect("a document"), bytes, "the same demo gives the same bytes");
    let listed = room.winclaw(&["trace", "list", "--json"]).run().exits(0).json();
    let tasks = listed.as_array().expect("a list");
    assert_eq!(tasks.len(), 2);
    assert!(tasks.iter().all(|task| task["replayed"] == true && task["state"] == "done"), "{listed}");
}

#[test]
fn an_unknown_scene_is_answered_with_the_scenes_there_are() {
    let room = Room::new();
    let scene = room.winclaw(&["demo", "--list"]).run().exits(0).stdout;
    let name = scene.split_whitespace().next().expect("a scene").to_owned();
    room.winclaw(&["demo", "no-such-scene"]).run().exits(2).complains(&["no-such-scene", &name]);
    let bare = Room::with(&["calculator"]);
    bare.winclaw(&["demo"]).run().exits(2).complains(&["carries a scene", "--plugins"]);
}
