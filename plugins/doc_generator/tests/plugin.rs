//! The tool as the host calls it.

use std::path::{Path, PathBuf};

use doc_generator::plugin;
use serde_json::{Value, json};
use winclaw_sdk::{Failure, FailureCode, PluginManifest, SideEffect};
use winclaw_sdk_testing::{TestHost, conformance};

struct Desk {
    _temp: tempfile::TempDir,
    root: PathBuf,
    host: TestHost,
}

fn desk(write: bool) -> Desk {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path().canonicalize().expect("a path");
    let host = TestHost::new().file_root(&root, write);
    Desk { _temp: temp, root, host }
}

impl Desk {
    fn create(&self, arguments: Value) -> Result<Value, Failure> {
        self.host.call(&plugin(), "create", arguments).map(|output| output.value)
    }

    fn refused(&self, arguments: Value) -> Failure {
        self.create(arguments).expect_err("a failure")
    }
}

fn path_of(made: &Value) -> &Path {
    Path::new(made["path"].as_str().expect("a path"))
}

#[test]
fn it_keeps_the_rules_of_plugins() {
    conformance(&plugin());
}

#[test]
fn a_word_document_is_made_and_described() {
    let desk = desk(true);
    let markdown = "# 北京天气\n\n当前 23.4 °C\n\n|日|高|\n|-|-|\n|一|25|\n\n## 来源\n\n![图](map.png)";
    let made = desk.create(json!({"markdown": markdown})).expect("a document");
    let path = path_of(&made);
    assert_eq!(path, desk.root.join("北京天气.docx"));
    let bytes = std::fs::read(path).expect("the file");
    assert!(bytes.starts_with(b"PK") && made["bytes"] == json!(bytes.len()));
    assert_eq!((&made["format"], &made["title"]), (&json!("docx"), &json!("北京天气")));
    assert_eq!([&made["headings"], &made["tables"], &made["images"]], [2, 1, 0]);
    let warning = made["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("map.png") && warning.contains("no such file"), "{warning}");
}

#[test]
fn an_english_page_goes_into_a_new_folder() {
    let desk = desk(true);
    let call = json!({"markdown": "Rain *today*.", "title": "Weather: Paris", "path": "reports/2025/", "format": "html", "author": "A. B."});
    let made = desk.create(call).expect("a page");
    assert_eq!(path_of(&made), desk.root.join("reports/2025/Weather Paris.html"));
    let page = std::fs::read_to_string(path_of(&made)).expect("the file");
    for part in ["<h1 class=\"title\">Weather: Paris</h1>", "<em>today</em>", "lang=\"en\"", "content=\"A. B.\""] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(made.get("warnings").is_none());
}

#[test]
fn local_images_are_embedded() {
    let desk = desk(true);
    let gif = b"GIF89a\x03\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;";
    std::fs::write(desk.root.join("图 1.gif"), gif).expect("an image");
    let markdown = "![a](图%201.gif) ![b](<图 1.gif>) ![c](https://example.org/x.png) ![d](../x.png)";
    let made = desk.create(json!({"markdown": markdown, "file_name": "x"})).expect("a document");
    assert_eq!((made["images"].as_u64(), made["warnings"].as_array().map(Vec::len)), (Some(2), Some(2)), "{made}");
    assert!(desk.host.requests().is_empty(), "nothing is fetched");
}

#[test]
fn an_existing_file_is_kept_unless_told() {
    let desk = desk(true);
    std::fs::write(desk.root.join("a.docx"), "mine").expect("a file");
    let failure = desk.refused(json!({"markdown": "x", "path": "a.docx"}));
    assert_eq!(failure.code, FailureCode::ToolFailed);
    assert!(failure.message.contains("`a (2).docx`") && failure.message.contains("overwrite"), "{failure}");
    assert_eq!(std::fs::read(desk.root.join("a.docx")).expect("the file"), b"mine");
    desk.create(json!({"markdown": "x", "path": "a.docx", "overwrite": true})).expect("replaced");
    assert!(std::fs::read(desk.root.join("a.docx")).expect("the file").starts_with(b"PK"));
}

#[test]
fn bad_arguments_and_places_are_refused_with_the_way_to_mend_them() {
    let writable = desk(true);
    let long = "x".repeat(301);
    let cases = [
        (json!({"markdown": " \n"}), FailureCode::InvalidArgs, "whole text"),
        (json!({"markdown": "x", "path": "a.pdf"}), FailureCode::InvalidArgs, "a.docx"),
        (json!({"markdown": "x", "format": "pdf"}), FailureCode::InvalidArgs, "format"),
        (json!({"markdown": "x", "date": "yesterday"}), FailureCode::InvalidArgs, "YYYY-MM-DD"),
        (json!({"markdown": "x", "date": "2025-13-01"}), FailureCode::InvalidArgs, "YYYY-MM-DD"),
        (json!({"markdown": "x", "title": long}), FailureCode::InvalidArgs, "300"),
        (json!({"markdown": "x", "path": "a\u{0}.docx/"}), FailureCode::InvalidArgs, "NUL"),
        (json!({"markdown": "x", "path": "../a.docx"}), FailureCode::Denied, "outside"),
        (json!({"markdown": "x", "path": "/elsewhere/a.docx"}), FailureCode::Denied, "inside"),
    ];
    for (arguments, code, part) in cases {
        let failure = writable.refused(arguments.clone());
        assert!(failure.code == code && failure.message.contains(part), "{arguments}: {failure}");
    }
    assert_eq!(desk(false).refused(json!({"markdown": "x"})).code, FailureCode::Denied);
    assert_eq!(std::fs::read_dir(&writable.root).expect("the folder").count(), 0, "nothing was left behind");
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    use std::os::unix::fs::symlink;
    let (desk, outside) = (desk(true), tempfile::tempdir().expect("a folder"));
    let gif = b"GIF89a\x03\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;";
    std::fs::write(outside.path().join("secret.gif"), gif).expect("an image");
    symlink(outside.path(), desk.root.join("d")).expect("a link");
    symlink(outside.path().join("new.docx"), desk.root.join("l.docx")).expect("a link");
    for path in ["d/a.docx", "d/new/a.docx", "d/"] {
        assert_eq!(desk.refused(json!({"markdown": "x", "path": path})).code, FailureCode::Denied, "{path}");
    }
    desk.refused(json!({"markdown": "x", "path": "l.docx", "overwrite": true}));
    let made = desk.create(json!({"markdown": "![a](d/secret.gif)", "file_name": "x"})).expect("a document");
    let warning = made["warnings"][0].as_str().expect("a warning");
    assert!(made["images"] == 0 && warning.contains("outside"), "{made}");
    assert_eq!(std::fs::read_dir(outside.path()).expect("a folder").count(), 1);
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let (one, two) = (desk(true), desk(true));
    let call = json!({"markdown": "# A\n\n1. b\n2. c\n\n> d", "date": "2025-03-01"});
    let bytes =
        |desk: &Desk| std::fs::read(path_of(&desk.create(call.clone()).expect("a document"))).expect("the file");
    assert_eq!(bytes(&one), bytes(&two));
}

#[test]
fn the_demo_scene_is_complete() {
    let scene: Value = serde_json::from_str(include_str!("../demos/weather-report.json")).expect("JSON");
    assert_eq!(scene["needs"], json!(["weather", "doc_generator"]));
    let call = &scene["model"]["steps"][1]["reply"]["calls"][0];
    let made = desk(true).create(call["arguments"].clone()).expect("the call of the scene is a valid one");
    assert_eq!((made["headings"].as_u64(), made["tables"].as_u64()), (Some(3), Some(1)), "{made}");
    assert!(made.get("warnings").is_none(), "{made}");
}

#[test]
fn replacing_a_document_says_so_before_it_runs() {
    let manifest: PluginManifest = serde_json::from_str(plugin().manifest()).expect("a manifest");
    let create = &manifest.tools[0];
    assert_eq!(create.side_effect_of(&json!({"overwrite": true})), SideEffect::Destructive);
    assert_eq!(create.side_effect_of(&json!({"overwrite": false})), SideEffect::Write);
}
