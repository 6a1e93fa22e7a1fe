use super::*;
use crate::charset::Charset;

#[test]
fn a_listing_is_sorted_paged_and_counted() {
    let desk = Desk::new();
    desk.file("b.txt", "12345").file("A.txt", "1").file(".hidden", "").file("zdir/x", "");
    let names = |args: &ListArgs| -> Vec<String> {
        list_in(&desk.folders, args).expect("a listing").entries.into_iter().map(|entry| entry.name).collect()
    };
    assert_eq!(names(&list_args(".")), ["zdir", "A.txt", "b.txt"]);
    assert_eq!(names(&ListArgs { hidden: true, ..list_args(".") }), ["zdir", ".hidden", "A.txt", "b.txt"]);
    let by_size = names(&ListArgs { sort: Sort::Size, ..list_args(".") });
    assert!(by_size.iter().position(|name| name == "b.txt") < by_size.iter().position(|name| name == "A.txt"));
    let page = list_in(&desk.folders, &ListArgs { limit: 1, offset: 1, ..list_args("").at(".") }).expect("a page");
    assert_eq!((page.entries[0].name.as_str(), page.total, page.more), ("A.txt", 3, true));
    assert_eq!((page.entries[0].kind, page.entries[0].bytes), ("file", Some(1)));
    refused(list_in(&desk.folders, &list_args("b.txt")), FailureCode::InvalidArgs, "is a file");
    refused(list_in(&desk.folders, &list_args("none")), FailureCode::ToolFailed, "does not exist");
}

impl ListArgs {
    fn at(self, path: &str) -> ListArgs {
        ListArgs { path: path.into(), ..self }
    }
}

#[test]
fn a_path_is_described() {
    let desk = Desk::new();
    let gbk = Charset::named("gbk").expect("gbk").encode("今天北京天气晴朗，气温二十五度\r\n").expect("bytes");
    desk.file("中文.txt", &gbk).file("dir/x", "").file("bin", b"\0\0");
    let info = |path: &str| info_in(&desk.folders, &InfoArgs { path: path.into() });
    let text = info("中文.txt").expect("info");
    assert_eq!(
        (text.kind, text.bytes, text.encoding.as_deref(), text.line_ends),
        ("file", Some(gbk.len() as u64), Some("GBK"), Some("crlf"))
    );
    assert!(text.modified.expect("a time").ends_with('Z') && !text.read_only);
    let folder = info(desk.inside.to_str().expect("text")).expect("info");
    assert_eq!((folder.kind, folder.entries, folder.bytes), ("folder", Some(3), None));
    assert_eq!(info("bin").expect("info").encoding, None);
    refused(info("none"), FailureCode::ToolFailed, "does not exist");
    refused(info("/"), FailureCode::Denied, "outside");
}

#[test]
fn a_tree_is_drawn_to_its_depth_and_limit() {
    let desk = Desk::new();
    desk.file("a/b/c/deep.txt", "").file("a/1.txt", "").file("top.md", "").file(".git/config", "");
    let args = TreeArgs { path: ".".into(), depth: 3, limit: 300, folders_only: false, hidden: false };
    let draw = |args: TreeArgs| tree_in(&desk.folders, &args, &|| Ok(())).expect("a tree");
    let tree = draw(args);
    assert_eq!(tree.tree, "a/\n  b/\n    c/\n  1.txt\ntop.md\n");
    assert_eq!((tree.folders, tree.files, tree.more), (3, 2, false));
    let cut = draw(TreeArgs { path: ".".into(), depth: 12, limit: 2, folders_only: true, hidden: false });
    assert_eq!((cut.tree.as_str(), cut.more), ("a/\n  b/\n", true));
}

#[test]
fn names_and_lines_are_found() {
    let desk = Desk::new();
    let gbk =
        Charset::named("gbk").expect("gbk").encode("合同编号一二三\n今天北京天气晴朗，气温二十五度\n").expect("bytes");
    desk.file("docs/合同.txt", &gbk)
        .file("docs/a.md", "Hello Contract\nhello again\n")
        .file("src/x.rs", "fn hello() {}\n");
    desk.file("bin.dat", b"hello\0").file(".secret", "hello");
    let found = |args: SearchArgs| -> Vec<String> {
        let found = desk.search(args).expect("matches");
        found
            .matches
            .iter()
            .map(|m| format!("{}:{}", m.path, m.line.map_or(String::new(), |line| line.to_string())))
            .collect()
    };
    assert_eq!(found(search_args(Some("合同"), None)), ["docs/合同.txt:1"]);
    assert_eq!(found(search_args(Some("HELLO"), None)), ["docs/a.md:1", "docs/a.md:2", "src/x.rs:1"]);
    assert_eq!(
        found(SearchArgs { case_sensitive: true, ..search_args(Some("hello"), None) }),
        ["docs/a.md:2", "src/x.rs:1"]
    );
    assert_eq!(found(search_args(Some("hello"), Some("*.rs"))), ["src/x.rs:1"]);
    assert_eq!(found(SearchArgs { regex: true, ..search_args(Some(r"^fn \w+\("), None) }), ["src/x.rs:1"]);
    assert_eq!(found(search_args(None, Some("*.md"))), ["docs/a.md:"]);
    assert_eq!(found(search_args(None, Some("docs/**"))), ["docs/a.md:", "docs/合同.txt:"]);
    assert_eq!(found(search_args(None, Some("docs"))), ["docs/:"]);
    assert_eq!(found(SearchArgs { path: "docs/a.md".into(), ..search_args(Some("again"), None) }), ["docs/a.md:2"]);
    assert_eq!(desk.search(search_args(Some("hello"), None)).expect("matches").skipped, 1);
}

#[test]
fn a_search_is_bounded_and_bad_patterns_are_explained() {
    let desk = Desk::new();
    desk.file("many.txt", "hit\n".repeat(500))
        .file("long.txt", format!("{}needle{}", "x".repeat(5_000), "y".repeat(5_000)));
    let many = desk.search(SearchArgs { limit: 10, ..search_args(Some("hit"), None) }).expect("matches");
    assert_eq!((many.matches.len(), many.more), (10, true));
    let long = desk.search(search_args(Some("needle"), None)).expect("matches");
    let text = long.matches[0].text.clone().expect("a line");
    assert!(text.contains("needle") && text.chars().count() < 250, "{text}");
    let regex = |text: &str| desk.search(SearchArgs { regex: true, ..search_args(Some(text), None) });
    refused(regex("(unclosed"), FailureCode::InvalidArgs, "regular expression");
    refused(regex(r"(\w{1000}){1000}"), FailureCode::InvalidArgs, "regular expression");
    refused(desk.search(search_args(None, Some("[a"))), FailureCode::InvalidArgs, "glob");
    refused(desk.search(search_args(None, None)), FailureCode::InvalidArgs, "give `text`");
    let stopped =
        search_in(&desk.folders, &search_args(Some("x"), None), &|| Err(Failure::new(FailureCode::Cancelled, "stop")));
    refused(stopped, FailureCode::Cancelled, "stop");
}
