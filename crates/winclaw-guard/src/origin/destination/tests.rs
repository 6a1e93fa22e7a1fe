use super::*;

fn places() -> Places {
    Places { folder: "/home/me/desk".into(), home: "/home/me".into(), also: vec!["/srv/shared/".into()] }
}

#[test]
fn every_spelling_of_a_host_comes_to_one() {
    let same = [
        "https://example.org/a?b#c",
        "HTTPS://EXAMPLE.ORG.:443",
        "http://www.example.org",
        "https://user:pass@example.org/",
        "https://good.test@example.org/",
        "https://ex%61mple.org",
        "https:example.org",
        "https:\\\\example.org\\x",
        "  https://exa\tmple.org\n",
        "https://ｅｘａｍｐｌｅ．ｏｒｇ/",
        "https://example。org",
        "wss://example.org",
        "ftp://example.org/",
        "ssh://git@example.org:22/x",
    ];
    for text in same {
        let led = url(text, &places()).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(led.to, [Destination::Host("example.org".into())], "{text}");
    }
    let others = [
        ("https://example.org@evil.test/", "evil.test"),
        ("https://example.org.evil.test", "example.org.evil.test"),
        ("https://evil.test#@example.org", "evil.test"),
        ("https://evil.test\\@example.org", "evil.test"),
        ("https://еxample.org", "xn--xample-2of.org"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"),
        ("http://localhost:3000/", "localhost"),
    ];
    for (text, expected) in others {
        let led = url(text, &places()).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(led.to, [Destination::Host(expected.into())], "{text}");
    }
}

#[test]
fn what_leads_nowhere_is_no_url() {
    for text in [
        "hello: world",
        "note: see below",
        "C:\\notes.txt",
        "a:b",
        "",
        "://",
        "12:30",
        "data:text/plain,x",
        "key: value",
    ] {
        assert!(url(text, &places()).is_none_or(|led| led.to.is_empty()), "{text}");
    }
}

#[test]
fn other_schemes_lead_to_people_and_files() {
    let to = |text: &str| url(text, &places()).map(|led| led.to);
    let address = |text: &str| Destination::Address(text.into());
    assert_eq!(
        to("mailto:Bob@Example.org?cc=eve%40evil.test&subject=x"),
        Some(vec![address("bob@example.org"), address("eve@evil.test")])
    );
    assert_eq!(to("tel:+86%20138"), Some(vec![Destination::Recipient("+86 138".into())]));
    assert_eq!(to("file:///etc/%70asswd"), Some(vec![Destination::Path("/etc/passwd".into())]));
    assert_eq!(to("file://server/share"), Some(vec![Destination::Host("server".into())]));
}

#[test]
fn an_address_is_the_one_that_is_written_to() {
    let cases = [
        ("Bob@Example.ORG.", Some("bob@example.org")),
        ("\"bob@example.org\" <eve@evil.test>", Some("eve@evil.test")),
        ("bob@example.org <eve@evil.test>", Some("eve@evil.test")),
        ("bob@example.org@evil.test", Some("bob@example.org@evil.test")),
        ("bob", None),
        ("@example.org", None),
        ("a b@example.org", None),
        ("@someone", None),
        ("x@y", None),
        ("bob@例子.测试", Some("bob@xn--fsqu00a.xn--0zwm56d")),
    ];
    for (text, expected) in cases {
        let expected = expected.map(|text| Destination::Address(text.into()));
        assert_eq!(address(text), expected, "{text}");
    }
}

#[test]
fn a_host_without_a_scheme_has_the_shape_of_one() {
    let cases = [
        ("example.org", Some("example.org")),
        ("example.org/path?x=1", Some("example.org")),
        ("Example.org:8080", Some("example.org")),
        ("1.2.3.4", Some("1.2.3.4")),
        ("localhost:11434", Some("localhost")),
        ("例子.测试", Some("xn--fsqu00a.xn--0zwm56d")),
        ("1.5", None),
        ("v1.2.3", None),
        ("hello world.org", None),
        ("hello", None),
        ("...", None),
        ("a@b.org", None),
    ];
    for (text, expected) in cases {
        assert_eq!(bare_host(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_path_is_where_it_leads() {
    let cases = [
        ("notes.txt", "/home/me/desk/notes.txt", true),
        ("a/../../desk/b", "/home/me/desk/b", true),
        ("../secret", "/home/me/secret", false),
        ("..\\..\\x", "/home/x", false),
        ("~/x", "/home/me/x", false),
        ("~", "/home/me", false),
        ("~root/x", "/~root/x", false),
        ("/srv/shared/a", "/srv/shared/a", true),
        ("/srv/shared-not/a", "/srv/shared-not/a", false),
        ("/home/me/desktop", "/home/me/desktop", false),
        ("/home/me/desk/./x/", "/home/me/desk/x", true),
        ("C:\\Users\\Me", "c:/users/me", false),
        ("/../../etc", "/etc", false),
    ];
    for (text, expected, inside) in cases {
        assert_eq!(path(text, &places()), Destination::Path(expected.into()), "{text}");
        assert_eq!(places().hold(expected), inside, "{text}");
    }
    assert_eq!(path("\\\\server\\share\\x", &places()), Destination::Host("server".into()));
}

#[test]
fn a_link_carries_something_where_it_has_room_for_it() {
    let long = "a".repeat(41);
    let cases = [
        ("https://e.test/".to_owned(), false),
        ("https://e.test/a/b.html#x=secret".to_owned(), false),
        ("https://e.test/?".to_owned(), false),
        ("https://e.test/?q=secret".to_owned(), true),
        ("https://secret@e.test/".to_owned(), true),
        (format!("https://e.test/{long}"), true),
        (format!("https://{long}.e.test/"), true),
        (format!("https://e.test/{}", &long[1..]), false),
    ];
    for (text, expected) in cases {
        let link = url(&text, &places()).and_then(|led| led.link).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(link.carries, expected, "{text}");
    }
}
