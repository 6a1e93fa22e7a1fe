use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn args(path: &str) -> ReadArgs {
    ReadArgs { path: path.to_owned(), line: 1, byte: None, limit: LINES, max_bytes: BYTES, encoding: None }
}

struct Desk {
    temp: tempfile::TempDir,
    folders: Folders,
}

impl Desk {
    fn new() -> Desk {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().canonicalize().expect("a path");
        Desk { temp, folders: Folders::new([FileRoot { path, write: true }]) }
    }

    fn with(bytes: &[u8]) -> Desk {
        let desk = Desk::new();
        std::fs::write(desk.temp.path().join("a.txt"), bytes).expect("a file");
        desk
    }

    fn read(&self, args: &ReadArgs) -> Result<Page, Failure> {
        page(&self.folders, args, &|| Ok(()))
    }
}

#[test]
fn pages_have_the_lines_asked_for() {
    let desk = Desk::with("one\ntwo\r\n三\nfour".as_bytes());
    let cases = [
        (1, 1000, "one\ntwo\n三\nfour", 4, false),
        (2, 2, "two\n三\n", 2, true),
        (4, 1, "four", 1, false),
        (5, 9, "", 0, false),
        (3, 2, "三\nfour", 2, false),
    ];
    for (line, limit, text, lines, more) in cases {
        let page = desk.read(&ReadArgs { line, limit, ..args("a.txt") }).expect("a page");
        assert_eq!(
            (page.text.as_str(), page.lines, page.more, page.total_lines),
            (text, lines, more, Some(4)),
            "{line} {limit}"
        );
        assert_eq!(page.next_byte.is_some(), more);
    }
}

#[test]
fn every_encoding_reads_the_same() {
    let text = "标题\n今天北京天气晴朗，气温二十五度。\r\n结束";
    for name in ["utf-8", "utf-8-bom", "utf-16", "utf-16be-bom", "gbk", "gb18030"] {
        let charset = Charset::named(name).expect("an encoding");
        let desk = Desk::with(&charset.encode_file(text).expect("bytes"));
        let page = desk.read(&ReadArgs { line: 2, limit: 1, ..args("a.txt") }).expect("a page");
        assert_eq!((page.text.as_str(), page.total_lines), ("今天北京天气晴朗，气温二十五度。\n", Some(3)), "{name}");
        assert!(page.warning.is_none());
    }
}

#[test]
fn an_encoding_that_is_named_wins_and_wrong_bytes_are_told() {
    let desk = Desk::with(b"\xc4\xe3\xba\xc3");
    let named = |name: &str| desk.read(&ReadArgs { encoding: Some(name.to_owned()), ..args("a.txt") });
    assert_eq!(named("gbk").expect("a page").text, "你好");
    let wrong = named("utf-8").expect("a page");
    assert!(wrong.text.contains('\u{FFFD}') && wrong.warning.expect("a warning").contains("UTF-8"));
    assert!(named("elvish").expect_err("unknown").message.contains("gb18030"));
    let empty = Desk::with(b"");
    let page =
        empty.read(&ReadArgs { encoding: Some("utf-16".into()), byte: Some(9), ..args("a.txt") }).expect("a page");
    assert_eq!((page.text.as_str(), page.total_lines, page.more), ("", Some(0), false));
}

#[test]
fn a_line_longer_than_a_page_is_cut_between_characters() {
    for name in ["utf-8", "gbk", "utf-16"] {
        let charset = Charset::named(name).expect("an encoding");
        let desk = Desk::with(&charset.encode_file(&"长".repeat(500)).expect("bytes"));
        let (mut byte, mut whole) = (None, String::new());
        loop {
            let page = desk
                .read(&ReadArgs { byte, max_bytes: 65, encoding: Some(name.into()), ..args("a.txt") })
                .expect("a page");
            assert!(page.warning.is_none(), "{name}: {page:?}");
            whole.push_str(&page.text);
            byte = page.next_byte;
            if !page.more {
                break;
            }
        }
        assert_eq!(whole, "长".repeat(500), "{name}");
    }
}

#[test]
fn what_is_no_text_file_says_what_it_is() {
    let desk = Desk::with(b"\x7fELF\0\0");
    std::fs::create_dir(desk.temp.path().join("sub")).expect("a folder");
    let cases = [
        ("a.txt", "not a text file"),
        ("sub", "is a folder"),
        (".", "is a folder"),
        ("none.txt", "does not exist"),
        ("", "is empty"),
        ("a.txt/x", "file, not a folder"),
        ("../x", "outside"),
        ("/etc/passwd", "outside"),
        ("~/x", "not expanded"),
        ("a\0b", "NUL"),
    ];
    for (path, part) in cases {
        let failure = desk.read(&args(path)).expect_err("a failure");
        assert!(failure.message.contains(part), "{path}: {failure}");
    }
}

#[cfg(unix)]
#[test]
fn a_page_of_a_huge_file_is_quick_and_small() {
    let desk = Desk::with(b"first\nsecond\n");
    let file = std::fs::OpenOptions::new().append(true).open(desk.temp.path().join("a.txt")).expect("the file");
    std::io::Write::write_all(&mut &file, &b"x".repeat(SAMPLE)).expect("text");
    file.set_len(1 << 30).expect("a sparse file");
    let start = Instant::now();
    let page = desk.read(&ReadArgs { limit: 2, ..args("a.txt") }).expect("a page");
    assert_eq!((page.text.as_str(), page.total_lines, page.bytes, page.more), ("first\nsecond\n", None, 1 << 30, true));
    let near_end = desk.read(&ReadArgs { byte: Some((1 << 30) - 100), ..args("a.txt") }).expect("a page");
    assert_eq!((near_end.text.len(), near_end.more), (100, false));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn a_cancelled_call_ends() {
    let desk = Desk::with(&b"line\n".repeat(100_000));
    let stopped =
        page(&desk.folders, &ReadArgs { line: 90_000, ..args("a.txt") }, &|| Err(Failure::tool_failed("stop")));
    assert_eq!(stopped.expect_err("stopped").message, "stop");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_put_together_are_the_file(text in "[a好é\n]{0,300}", limit in 1_u32..6, max in 64_u32..90, n in 0_usize..4) {
        let charset = Charset::named(["utf-8", "utf-16", "utf-16be-bom", "gb18030"][n]).expect("an encoding");
        let desk = Desk::with(&charset.encode_file(&text).expect("bytes"));
        let encoding = Some(charset.name().replace(" with BOM", ""));
        let (mut byte, mut whole, mut lines) = (None, String::new(), 0);
        loop {
            let page = desk.read(&ReadArgs { byte, limit, max_bytes: max, encoding: encoding.clone(), ..args("a.txt") }).expect("a page");
            whole.push_str(&page.text);
            lines += page.text.matches('\n').count();
            prop_assert!(page.next_byte.is_none() || page.next_byte > byte);
            byte = page.next_byte;
            if !page.more {
                let open = usize::from(!text.is_empty() && !text.ends_with('\n'));
                prop_assert_eq!(page.total_lines, Some((lines + open) as u64));
                break;
            }
        }
        prop_assert_eq!(whole, text);
    }
}
