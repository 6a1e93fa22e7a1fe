//! The tools as the host calls them.

use std::path::PathBuf;
use std::process::Command;

use file::plugin;
use serde_json::{Value, json};
use winclaw_sdk::{FailureCode, PluginManifest, SideEffect};
use winclaw_sdk_testing::{TestHost, conformance};

fn desk() -> (tempfile::TempDir, PathBuf, TestHost) {
    let temp = tempfile::tempdir().expect("a folder");
    let root = temp.path().canonicalize().expect("a path");
    let host = TestHost::new().file_root(&root, true);
    (temp, root, host)
}

#[test]
fn it_keeps_the_rules_of_plugins() {
    conformance(&plugin());
}

#[test]
fn a_day_with_files() {
    let (_temp, root, host) = desk();
    let call = |tool: &str, arguments: Value| host.call(&plugin(), tool, arguments).expect(tool).value;
    call("make_dir", json!({"path": "笔记"}));
    call("write", json!({"path": "笔记/今天.md", "text": "# 今天\n- 开会\n"}));
    call("append", json!({"path": "笔记/今天.md", "text": "- 写报告"}));
    let edited = call("edit", json!({"path": "笔记/今天.md", "old": "开会", "new": "开会（十点）"}));
    assert_eq!(edited["diff"], "@@ line 1 @@\n # 今天\n-- 开会\n+- 开会（十点）\n - 写报告\n");
    let page = call("read", json!({"path": "笔记/今天.md", "line": 2, "limit": 1}));
    assert_eq!(
        (&page["text"], &page["total_lines"], &page["more"]),
        (&json!("- 开会（十点）\n"), &json!(3), &json!(true))
    );
    call("copy", json!({"from": "笔记/今天.md", "to": "备份/"}));
    call("move", json!({"from": "笔记/今天.md", "to": "笔记/昨天.md"}));
    assert_eq!(call("tree", json!({}))["tree"], "备份/\n  今天.md\n笔记/\n  昨天.md\n");
    assert_eq!(call("list", json!({"path": "笔记"}))["entries"][0]["name"], "昨天.md");
    assert_eq!(call("search", json!({"text": "十点"}))["matches"][0]["path"], "备份/今天.md");
    assert_eq!(call("info", json!({"path": "备份"}))["entries"], 1);
    call("delete", json!({"path": "备份", "permanent": true}));
    assert!(!root.join("备份").exists());
}

#[test]
fn english_errors_say_what_to_do() {
    let (_temp, _root, host) = desk();
    let cases = [
        ("read", json!({"path": "missing.txt"}), FailureCode::ToolFailed, "list the folder"),
        ("read", json!({"path": "/etc/hostname"}), FailureCode::Denied, "use a path inside"),
        ("write", json!({"path": "a.txt"}), FailureCode::InvalidArgs, "text"),
        ("read", json!({"file": "a.txt"}), FailureCode::InvalidArgs, "path"),
        ("edit", json!({"path": "a.txt", "old": "x", "new": "y"}), FailureCode::ToolFailed, "does not exist"),
    ];
    for (tool, arguments, code, part) in cases {
        let failure = host.call(&plugin(), tool, arguments).expect_err("a failure");
        assert!(failure.code == code && failure.message.contains(part), "{tool}: {failure}");
    }
    let nowhere = TestHost::new().call(&plugin(), "list", json!({})).expect_err("no folder");
    assert!(nowhere.code == FailureCode::Denied && nowhere.hint.is_some_and(|hint| hint.zh.contains("工作文件夹")));
}

/// Runs in a process of its own, started by the test below with a trash of its own.
#[test]
#[ignore = "started by the test below"]
fn trash_one_file() {
    let root = PathBuf::from(std::env::var_os("FILE_TEST_ROOT").expect("the folder"));
    let host = TestHost::new().file_root(&root, true);
    let deleted = host.call(&plugin(), "delete", json!({"path": "旧.txt"})).expect("deleted").value;
    assert_eq!(deleted["in_trash"], true);
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn a_deleted_file_can_be_taken_from_the_trash() {
    let (temp, root, _host) = desk();
    std::fs::write(root.join("旧.txt"), "keep me").expect("a file");
    let data = temp.path().join("data");
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "trash_one_file", "--ignored"])
        .env("XDG_DATA_HOME", &data)
        .env("FILE_TEST_ROOT", &root)
        .output()
        .expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!root.join("旧.txt").exists());
    assert_eq!(std::fs::read_to_string(data.join("Trash/files/旧.txt")).expect("in the trash"), "keep me");
}

#[test]
fn what_may_replace_a_file_says_so_before_it_runs() {
    let manifest: PluginManifest = serde_json::from_str(plugin().manifest()).expect("a manifest");
    let tool = |name: &str| manifest.tools.iter().find(|tool| tool.name == name).expect("a tool");
    for name in ["write", "move", "copy"] {
        assert_eq!(tool(name).side_effect_of(&json!({"overwrite": true})), SideEffect::Destructive, "{name}");
        assert_eq!(tool(name).side_effect_of(&json!({})), SideEffect::Write, "{name}");
    }
    let takes_overwrite = manifest.tools.iter().filter(|tool| tool.has_parameter("overwrite"));
    assert!(takes_overwrite.into_iter().all(|tool| tool.destructive_if == ["overwrite"]));
}
