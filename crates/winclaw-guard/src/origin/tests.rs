use serde_json::json;
use winclaw_catalog::{Catalog, State, ToolEntry};
use winclaw_tool::{ToolId, ToolOutput};

use super::*;

fn places() -> Places {
    Places { folder: "/w".into(), home: "/home/me".into(), also: Vec::new() }
}

fn tool(untrusted: Option<bool>, side_effect: &str) -> CatalogTool {
    let manifest = json!({"name": "get", "category": "x", "summary": "X", "description": "X.", "side_effect": side_effect,
        "untrusted_output": untrusted, "parameters": {"type": "object"}});
    let id = ToolId::parse("web.get").expect("an id");
    let entry = ToolEntry { id, manifest: serde_json::from_value(manifest).expect("a manifest"), state: State::Ready };
    Catalog::build(vec![entry]).0.tools()[0].clone()
}

#[test]
fn what_the_person_says_names_destinations() {
    let cases: [(&str, &[&str], &[&str]); 9] = [
        ("mail it to Bob@Example.org, please", &["bob@example.org"], &["eve@example.org", "example.org"]),
        ("look at https://docs.example.org/a?b=1.", &["docs.example.org"], &["example.org"]),
        ("把结果发到bob@example.org，再看看example.net吧", &["bob@example.org", "example.net"], &["example.org"]),
        ("打开https://例子.测试/路径，然后总结", &["xn--fsqu00a.xn--0zwm56d"], &[]),
        ("write to #general and tell Ann", &["#general", "ann"], &["gene", "annie", "an"]),
        ("告诉张三", &["张三"], &["李四"]),
        ("copy it to /srv/backup and \"/mnt/my disk\"", &["/srv/backup/x", "/mnt/my disk/y"], &["/srv", "/mnt/other"]),
        ("save to ~/Desktop/a.docx", &["/home/me/Desktop/a.docx"], &["/home/me/Desktop/b.docx"]),
        ("call 13800138000", &["13800138000"], &["1380013800", "138001380001"]),
    ];
    let kind = |text: &str| match text {
        path if path.starts_with('/') => Destination::Path(path.into()),
        address if address.contains('@') => Destination::Address(address.into()),
        host if host.contains('.') => Destination::Host(host.into()),
        other => Destination::Recipient(other.into()),
    };
    for (said, known, unknown) in cases {
        let mut origins = Origins::default();
        origins.said(said, &places());
        for text in known {
            assert!(origins.knows(&kind(text), &places()), "{said}: {text}");
        }
        for text in unknown {
            assert!(!origins.knows(&kind(text), &places()), "{said}: {text}");
        }
    }
}

#[test]
fn content_counts_once_the_model_has_read_it() {
    let cases = [
        (Some(true), "read", true),
        (Some(false), "read", false),
        (None, "read", true),
        (None, "external", true),
        (None, "write", false),
        (Some(true), "write", true),
    ];
    for (untrusted, effect, expected) in cases {
        let mut origins = Origins::default();
        let outcome = Ok(ToolOutput::new(json!("hello")));
        origins.ran(&tool(untrusted, effect), Reading::default(), &outcome, &places());
        assert!(origins.untrusted().is_empty(), "the calls of that reply were made before");
        origins.next_reply();
        assert_eq!(!origins.untrusted().is_empty(), expected, "{untrusted:?} {effect}");
    }
}

#[test]
fn what_never_ran_brings_nothing_in() {
    let mut origins = Origins::default();
    let reading = || Reading::of(&json!({"url": "https://evil.test"}), SideEffect::Read, &places());
    for code in [FailureCode::Denied, FailureCode::Cancelled, FailureCode::InvalidArgs] {
        let failed = Err(winclaw_tool::Failure::new(code, "no"));
        origins.ran(&tool(Some(true), "read"), reading(), &failed, &places());
    }
    origins.next_reply();
    assert_eq!(origins, Origins::default());
}

#[test]
fn only_destinations_from_before_are_known_by_use() {
    let mut origins = Origins::default();
    let go = |origins: &mut Origins, host: &str| {
        let reading = Reading::of(&json!({ "url": format!("https://{host}/") }), SideEffect::Read, &places());
        origins.ran(&tool(Some(true), "read"), reading, &Ok(ToolOutput::new(json!("x"))), &places());
        origins.next_reply();
    };
    go(&mut origins, "good.test");
    go(&mut origins, "evil.test");
    let knows = |host: &str| origins.knows(&Destination::Host(host.into()), &places());
    assert!(knows("good.test") && !knows("evil.test"));
}

#[test]
fn a_link_of_a_result_may_be_followed_and_one_made_up_may_not() {
    let mut origins = Origins::default();
    let page =
        r#"<a href="https://x.test/a?id=5&amp;p=2">more</a> or see https://y.test/?q=1. (https://z.test/?z=(1))"#;
    origins.ran(&tool(Some(true), "read"), Reading::default(), &Ok(ToolOutput::new(json!(page))), &places());
    origins.next_reply();
    let carried = |url: &str| {
        let reading = Reading::of(&json!({ "url": url }), SideEffect::Read, &places());
        origins.carried(&reading, &places()).len()
    };
    for fine in [
        "https://x.test/a?id=5&p=2",
        "https://X.test/a?id=5&amp;p=2",
        "https://y.test/?q=1",
        "https://z.test/?z=(1)",
        "https://new.test/page",
        "https://x.test/a?id=5&p=2#part",
    ] {
        assert_eq!(carried(fine), 0, "{fine}");
    }
    for made_up in ["https://x.test/a?id=secret", "https://y.test/?q=1&d=secret", "https://new.test/?d=secret"] {
        assert_eq!(carried(made_up), 1, "{made_up}");
    }
}

#[test]
fn what_is_known_goes_on_in_another_process_and_is_bounded() {
    let mut origins = Origins::default();
    origins.said("bob@example.org", &places());
    origins.came_in("web.get");
    let json = serde_json::to_string(&origins).expect("json");
    assert_eq!(serde_json::from_str::<Origins>(&json).expect("origins"), origins);
    for n in 0..10_000 {
        origins.agreed(&Destination::Host(format!("h{n}.test")));
        origins.came_in(&format!("t.{n}"));
        origins.said("x", &places());
    }
    assert!(
        origins.known.len() <= MAX_KNOWN && origins.untrusted.len() <= MAX_SOURCES && origins.said.len() <= MAX_SAID
    );
}
