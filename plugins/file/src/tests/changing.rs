use proptest::prelude::*;

use super::*;
use crate::charset::Charset;

fn encoded(name: &str, text: &str) -> Vec<u8> {
    Charset::named(name).expect("an encoding").encode_file(text).expect("bytes")
}

#[test]
fn a_new_file_is_made_with_its_folders_and_kept_from_then_on() {
    let desk = Desk::new();
    let made = desk.write("新/深/a.txt", "你好\n", false).expect("a file");
    assert_eq!((made.created, made.bytes, made.encoding.as_str(), made.line_ends), (true, 7, "UTF-8", "lf"));
    assert_eq!(made.path, desk.inside.join("新/深/a.txt").display().to_string());
    refused(desk.write("新/深/a.txt", "x", false), FailureCode::ToolFailed, "overwrite");
    assert_eq!(desk.bytes("新/深/a.txt"), "你好\n".as_bytes());
    assert!(!desk.write("新/深/a.txt", "x", true).expect("replaced").created);
    assert_eq!(desk.names("新/深"), ["a.txt"], "no temporary file is left");
}

#[test]
fn a_replaced_file_keeps_encoding_and_line_ends() {
    let desk = Desk::new();
    let old = "今天北京天气晴朗，气温二十五度\r\n适合出行\r\n";
    for name in ["gbk", "utf-16", "utf-8-bom"] {
        desk.file("a.txt", encoded(name, old));
        let written = desk.write("a.txt", "明天\n下雨\n", true).expect("replaced");
        assert_eq!((desk.bytes("a.txt"), written.line_ends), (encoded(name, "明天\r\n下雨\r\n"), "crlf"), "{name}");
    }
    desk.write_as("a.txt", "好\r\n", Some("utf-8"), Some(Ends::Lf)).expect("replaced");
    assert_eq!(desk.bytes("a.txt"), "好\n".as_bytes());
    desk.file("a.txt", encoded("gbk", old));
    refused(desk.write("a.txt", "😀", true), FailureCode::InvalidArgs, "gb18030 or utf-8");
    refused(desk.write_as("a.txt", "x", Some("klingon"), None), FailureCode::InvalidArgs, "gb18030");
    assert_eq!(desk.bytes("a.txt"), encoded("gbk", old));
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_a_read_only_file_is_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.file("run.sh", "#!/bin/sh\n");
    let path = desk.inside.join("run.sh");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("a mode");
    desk.edit("run.sh", "sh\n", "bash\n").expect("edited");
    desk.write("run.sh", "#!/bin/dash\n", true).expect("replaced");
    assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o750);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).expect("a mode");
    refused(desk.write("run.sh", "x", true), FailureCode::ToolFailed, "read-only");
    refused(desk.edit("run.sh", "dash", "sh"), FailureCode::ToolFailed, "read-only");
}

#[test]
fn appended_text_starts_on_its_own_line_in_the_files_own_way() {
    let cases = [
        ("utf-8", "a", "a\nb"),
        ("utf-8", "a\n", "a\nb"),
        ("utf-8", "", "b"),
        ("utf-8", "a\r\nc", "a\r\nc\r\nb"),
        ("utf-16", "a\r\nc", "a\r\nc\r\nb"),
        ("utf-16be-bom", "标题\n", "标题\nb"),
        ("gbk", "今天北京天气晴朗，气温二十五度", "今天北京天气晴朗，气温二十五度\nb"),
    ];
    for (name, before, after) in cases {
        let desk = Desk::new();
        desk.file("a.txt", encoded(name, before));
        let done = desk.append("a.txt", "b").expect("appended");
        assert_eq!(desk.bytes("a.txt"), encoded(name, after), "{name} {before:?}");
        assert_eq!((done.bytes, done.created), (encoded(name, after).len() as u64, false));
    }
    let desk = Desk::new();
    assert!(desk.append("new/b.txt", "first").expect("made").created);
    assert_eq!(desk.bytes("new/b.txt"), b"first");
    desk.file("bin", b"\0\x01");
    refused(desk.append("bin", "x"), FailureCode::ToolFailed, "not a text file");
}

#[test]
fn an_edit_changes_one_place_and_shows_it() {
    let desk = Desk::new();
    desk.file("设置.ini", encoded("gbk", "[网络]\r\n端口=80\r\n主机=本机\r\n"));
    let done = desk.edit("设置.ini", "端口=80", "端口=8080").expect("edited");
    assert_eq!(desk.bytes("设置.ini"), encoded("gbk", "[网络]\r\n端口=8080\r\n主机=本机\r\n"));
    assert_eq!((done.replaced, done.first_line, done.encoding.as_str()), (1, 2, "GBK"));
    assert_eq!(done.diff, "@@ line 1 @@\n [网络]\n-端口=80\n+端口=8080\n 主机=本机\n");
}

#[test]
fn an_edit_that_is_not_clear_changes_nothing_and_says_why() {
    let desk = Desk::new();
    desk.file("a.txt", "x = 1\ny = 1\n").file("bad.txt", b"caf\xff\xfe\x80 \x81").file("big/sub.txt", "");
    let cases = [
        ("a.txt", "1", "2", FailureCode::ToolFailed, "2 times"),
        ("a.txt", "z", "2", FailureCode::ToolFailed, "does not occur"),
        ("a.txt", "x  = 1", "2", FailureCode::ToolFailed, "does not occur"),
        ("a.txt", "", "2", FailureCode::InvalidArgs, "append"),
        ("a.txt", "x", "x", FailureCode::InvalidArgs, "the same"),
        ("none.txt", "x", "y", FailureCode::ToolFailed, "does not exist"),
        ("big", "x", "y", FailureCode::InvalidArgs, "is a folder"),
    ];
    for (path, old, new, code, part) in cases {
        refused(desk.edit(path, old, new), code, part);
    }
    assert_eq!(desk.bytes("a.txt"), b"x = 1\ny = 1\n");
    let as_utf8 = EditArgs {
        path: "bad.txt".into(),
        old: "caf".into(),
        new: "x".into(),
        all: false,
        encoding: Some("utf-8".into()),
    };
    refused(edit_in(&desk.folders, &as_utf8), FailureCode::ToolFailed, "would damage it");
    assert_eq!(desk.edit_all("a.txt", "1", "2", true).expect("all").replaced, 2);
}

#[test]
fn two_edits_at_once_both_arrive() {
    let desk = Desk::new();
    let lines: String = (0..40).map(|n| format!("line {n:02}\n")).collect();
    desk.file("a.txt", &lines);
    std::thread::scope(|scope| {
        for n in 0..40 {
            let desk = &desk;
            scope.spawn(move || desk.edit("a.txt", &format!("line {n:02}"), &format!("done {n:02}")).expect("edited"));
        }
    });
    assert_eq!(desk.bytes("a.txt"), lines.replace("line", "done").as_bytes());
}

#[test]
fn moving_renames_takes_into_folders_and_never_replaces_unasked() {
    let desk = Desk::new();
    desk.file("a.txt", "a").file("b.txt", "b").file("dir/x.txt", "x");
    assert_eq!(desk.relocate("a.txt", "c.txt", false).expect("renamed").kind, "file");
    refused(desk.relocate("b.txt", "c.txt", false), FailureCode::ToolFailed, "overwrite");
    desk.relocate("b.txt", "c.txt", true).expect("replaced");
    assert_eq!(desk.bytes("c.txt"), b"b");
    desk.relocate("c.txt", "dir", false).expect("into a folder");
    desk.relocate("dir", "new/place/", false).expect("into a new folder");
    assert_eq!(desk.names("new/place/dir"), ["c.txt", "x.txt"]);
    refused(desk.relocate("new", "new/place/deeper", false), FailureCode::InvalidArgs, "inside");
    refused(desk.relocate("new", "new", false), FailureCode::InvalidArgs, "inside");
    refused(desk.relocate("none", "x", false), FailureCode::ToolFailed, "does not exist");
    refused(desk.relocate(".", "x", false), FailureCode::InvalidArgs, "allowed folder itself");
    desk.file("place/dir/y.txt", "y");
    refused(desk.relocate("place/dir", "new/place", true), FailureCode::ToolFailed, "not merged");
}

#[test]
fn copying_keeps_the_source_and_counts() {
    let desk = Desk::new();
    desk.file("dir/a.txt", "a").file("dir/sub/.b", "b").file("c.txt", "c");
    let done = desk.copy("dir", "backup/dir2", false).expect("copied");
    assert_eq!((done.files, done.kind), (Some(2), "folder"));
    assert_eq!((desk.bytes("backup/dir2/sub/.b"), desk.bytes("dir/a.txt")), (b"b".to_vec(), b"a".to_vec()));
    refused(desk.copy("c.txt", "dir/a.txt", false), FailureCode::ToolFailed, "overwrite");
    desk.copy("c.txt", "dir/a.txt", true).expect("replaced");
    assert_eq!((desk.bytes("dir/a.txt"), desk.bytes("c.txt")), (b"c".to_vec(), b"c".to_vec()));
    refused(desk.copy("dir", "dir/sub/inner", false), FailureCode::InvalidArgs, "inside");
    refused(desk.copy("c.txt", "c.txt", true), FailureCode::InvalidArgs, "the same");
    let stopped =
        copy_in(&desk.folders, &TransferArgs { from: "dir".into(), to: "d3".into(), overwrite: false }, &|| {
            Err(Failure::new(FailureCode::Cancelled, "stop"))
        });
    refused(stopped, FailureCode::Cancelled, "0 files are in");
}

#[test]
fn deleting_goes_to_the_trash_or_for_good_or_says_that_there_is_none() {
    let desk = Desk::new();
    desk.file("a.txt", "a").file("dir/b.txt", "b");
    refused(desk.delete("a.txt", false), FailureCode::ToolFailed, "`permanent` to true");
    assert_eq!(desk.bytes("a.txt"), b"a");
    let bin = |path: &Path| fs::rename(path, desk.outside.join("binned")).map_err(|error| error.to_string());
    let done = delete_in(&desk.folders, &DeleteArgs { path: "a.txt".into(), permanent: false }, &bin).expect("binned");
    assert!(done.in_trash && desk.outside.join("binned").exists());
    desk.delete("dir", true).expect("erased");
    assert_eq!(desk.names(""), [""; 0]);
    refused(desk.delete("none", true), FailureCode::ToolFailed, "does not exist");
    refused(desk.delete(".", true), FailureCode::InvalidArgs, "allowed folder itself");
    let idle = |_: &Path| Ok(());
    desk.file("c.txt", "c");
    refused(
        delete_in(&desk.folders, &DeleteArgs { path: "c.txt".into(), permanent: false }, &idle),
        FailureCode::ToolFailed,
        "still there",
    );
}

#[test]
fn folders_are_made_once() {
    let desk = Desk::new();
    assert!(desk.make_dir("报告/2025").expect("made"));
    assert!(!desk.make_dir("报告/2025").expect("there"));
    assert!(!desk.make_dir(".").expect("there"));
    desk.file("a.txt", "a");
    refused(desk.make_dir("a.txt"), FailureCode::ToolFailed, "is a file");
    refused(desk.make_dir("a.txt/b"), FailureCode::ToolFailed, "a.txt");
}

#[test]
fn names_that_cannot_be_are_refused_before_anything_happens() {
    let desk = Desk::new();
    let long = "字".repeat(100);
    for path in [long.as_str(), "a\0b", "", "~/x"] {
        refused(desk.write(path, "x", false), FailureCode::InvalidArgs, "");
        refused(desk.make_dir(path), FailureCode::InvalidArgs, "");
    }
    refused(desk.write("folder/", "x", false), FailureCode::InvalidArgs, "is a folder");
    refused(desk.write(".", "x", false), FailureCode::InvalidArgs, "is a folder");
    assert_eq!(desk.names(""), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_edit_and_its_reverse_leave_every_byte_as_it_was(before in "[a好\r\n]{0,30}", after in "[a好\r\n]{0,30}", n in 0_usize..5) {
        let name = ["utf-8", "utf-8-bom", "utf-16", "utf-16be-bom", "gb18030"][n];
        let desk = Desk::new();
        let text = format!("{before}旧的文字{after}");
        desk.file("a.txt", encoded(name, &text));
        let edit = |old: &str, new: &str| {
            let encoding = (name == "gb18030").then(|| name.to_owned());
            edit_in(&desk.folders, &EditArgs { path: "a.txt".into(), old: old.into(), new: new.into(), all: false, encoding })
        };
        prop_assert_eq!(edit("旧的文字", "新的").expect("edited").replaced, 1);
        prop_assert_eq!(desk.bytes("a.txt"), encoded(name, &format!("{before}新的{after}")));
        edit("新的", "旧的文字").expect("edited back");
        prop_assert_eq!(desk.bytes("a.txt"), encoded(name, &text));
    }
}
