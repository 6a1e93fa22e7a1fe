use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;
use crate::images::{collect, tests::PNG};
use crate::markdown::parse;
use crate::tree::build;

pub(super) fn docx(markdown: &str, meta: &Meta) -> Vec<u8> {
    let source = parse(markdown);
    let images = collect(&source.events, &|path, _| match path {
        "图.png" => Ok(BASE64_STANDARD.decode(PNG).expect("base64")),
        _ => Err("there is no such file".to_owned()),
    });
    write(&build(&source.events), &images, meta)
}

fn parts(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let names: Vec<String> = zip.file_names().map(|name| name.expect("a name").into_owned()).collect();
    let read = |name: String| {
        let mut bytes = Vec::new();
        zip.by_name(&name).expect("a part").read_to_end(&mut bytes).expect("bytes");
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

/// Panics unless every XML part is well-formed and every relationship points to a part or outside.
fn checked(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let parts = parts(bytes);
    for (name, bytes) in parts.iter().filter(|(name, _)| name.ends_with(".xml") || name.ends_with(".rels")) {
        let mut reader = Reader::from_reader(bytes.as_slice());
        let mut depth = 0_i32;
        loop {
            match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0, "{name}");
    }
    let relations = String::from_utf8(parts["word/_rels/document.xml.rels"].clone()).expect("text");
    for relation in relations.split("<Relationship ").skip(1).filter(|relation| !relation.contains("External")) {
        let target = relation.split("Target=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a target");
        assert!(parts.contains_key(&format!("word/{target}")), "{target}");
    }
    parts
}

fn body(markdown: &str) -> String {
    String::from_utf8(checked(docx(markdown, &Meta::default()))["word/document.xml"].clone()).expect("text")
}

#[test]
fn each_kind_of_block_is_written_as_word_knows_it() {
    let cases: [(&str, &[&str]); 14] = [
        ("# A\n###### F", &["<w:pStyle w:val=\"Heading1\"/>", "<w:pStyle w:val=\"Heading6\"/>"]),
        (
            "**b** *i* ~~s~~ `c`",
            &["<w:b/><w:bCs/>", "<w:i/><w:iCs/>", "<w:strike/>", "<w:rStyle w:val=\"InlineCode\"/>"],
        ),
        ("- a\n  - b", &["<w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/>", "<w:ilvl w:val=\"1\"/><w:numId w:val=\"1\"/>"]),
        ("3. a\n\n<!-- -->\n\n1. b", &["<w:numId w:val=\"4\"/>", "<w:numId w:val=\"5\"/>"]),
        ("- [ ] a\n- [x] b", &["<w:numId w:val=\"2\"/>", "<w:numId w:val=\"3\"/>"]),
        ("|a|b|\n|:-:|-:|\n|1|2|", &["<w:tblHeader/>", "<w:jc w:val=\"center\"/>", "<w:jc w:val=\"right\"/>"]),
        ("[x](https://example.org/?a=1&b=2)", &["<w:hyperlink r:id=\"rId7\"", "<w:rStyle w:val=\"Hyperlink\"/>"]),
        (
            "# Top\n[x](#top) [y](#none)",
            &["<w:bookmarkStart w:id=\"1\" w:name=\"_heading_1\"/>", "<w:hyperlink w:anchor=\"_heading_1\""],
        ),
        ("```\n  a\n\tb\n```", &["<w:t xml:space=\"preserve\">  a</w:t></w:r><w:r><w:br/><w:tab/>"]),
        ("> q\n>\n> > r", &["<w:pStyle w:val=\"Quote\"/><w:ind w:left=\"360\"/>", "<w:ind w:left=\"720\"/>"]),
        ("a\n\n---\n\nb", &["<w:pStyle w:val=\"HorizontalRule\"/>"]),
        ("![x & y](图.png)", &["<a:blip r:embed=\"rId7\"/>", "descr=\"x &amp; y\"", "cx=\"19050\" cy=\"9525\""]),
        ("![gone](no.png) ![](far.png)", &["[image: gone]", "[image: far.png]"]),
        ("a[^1]\n\n[^1]: note", &["<w:footnoteReference w:id=\"1\"/>"]),
    ];
    for (markdown, wanted) in cases {
        let body = body(markdown);
        for part in wanted {
            assert!(body.contains(part), "{part} of {markdown:?} in {body}");
        }
    }
}

#[test]
fn ordered_lists_start_at_their_own_number() {
    let parts = checked(docx("7. a\n   1. inner\n\ntext\n\n2. b", &Meta::default()));
    let numbering = String::from_utf8(parts["word/numbering.xml"].clone()).expect("text");
    for part in [
        "<w:num w:numId=\"4\"><w:abstractNumId w:val=\"4\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"7\"/>",
        "<w:num w:numId=\"5\"><w:abstractNumId w:val=\"4\"/><w:lvlOverride w:ilvl=\"1\"><w:startOverride w:val=\"1\"/>",
        "<w:num w:numId=\"6\"><w:abstractNumId w:val=\"4\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"2\"/>",
    ] {
        assert!(numbering.contains(part), "{part} in {numbering}");
    }
}

#[test]
fn footnotes_have_their_own_links() {
    let parts = checked(docx("a[^n]\n\n[^n]: see [x](https://example.org)", &Meta::default()));
    let text = |name: &str| String::from_utf8(parts[name].clone()).expect("text");
    assert!(text("word/footnotes.xml").contains("<w:hyperlink r:id=\"rId1\""));
    assert!(text("word/_rels/footnotes.xml.rels").contains("Target=\"https://example.org\""));
}

#[test]
fn chinese_has_an_east_asian_font_and_language() {
    let text = |meta: &Meta, part: &str| String::from_utf8(checked(docx("北京", meta))[part].clone()).expect("text");
    let chinese = Meta { script: Script::Chinese, ..Meta::default() };
    assert!(text(&chinese, "word/styles.xml").contains("w:eastAsia=\"Microsoft YaHei\""));
    assert!(text(&chinese, "word/styles.xml").contains("w:eastAsia=\"zh-CN\""));
    assert!(text(&chinese, "word/fontTable.xml").contains("Noto Sans CJK SC"));
    assert!(text(&chinese, "word/document.xml").contains("<w:rFonts w:hint=\"eastAsia\"/>"));
    let japanese = Meta { script: Script::Japanese, ..Meta::default() };
    assert!(text(&japanese, "word/styles.xml").contains("w:eastAsia=\"Yu Gothic\""));
}

#[test]
fn properties_are_written_and_escaped() {
    let meta = Meta {
        title: "A & <B>".into(),
        heading: Some("A & <B>".into()),
        author: Some("王\u{1}芳".into()),
        date: Some("2025-03-01".into()),
        script: Script::Latin,
    };
    let parts = checked(docx("x", &meta));
    let core = String::from_utf8(parts["docProps/core.xml"].clone()).expect("text");
    assert!(
        core.contains("A &amp; &lt;B&gt;") && core.contains("王芳") && core.contains("2025-03-01T00:00:00Z"),
        "{core}"
    );
    let body = String::from_utf8(parts["word/document.xml"].clone()).expect("text");
    assert!(body.contains("<w:pStyle w:val=\"Title\"/>"));
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let text = "# 标题\n\n1. a\n2. b\n\n![x](图.png) [l](https://example.org)\n\n|a|\n|-|\n|1|\n";
    assert_eq!(docx(text, &Meta::default()), docx(text, &Meta::default()));
}

#[test]
fn one_image_used_twice_is_stored_once() {
    let parts = checked(docx("![a](图.png) ![b](图.png)", &Meta::default()));
    assert_eq!(
        parts.keys().filter(|name| name.starts_with("word/media/")).collect::<Vec<_>>(),
        ["word/media/image1.png"]
    );
    let body = String::from_utf8(parts["word/document.xml"].clone()).expect("text");
    assert!(body.contains("<wp:docPr id=\"1\"") && body.contains("<wp:docPr id=\"2\""));
}

fn markdown_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "\\PC{0,12}",
        Just("\u{0}\u{1b}\u{FFFE}".to_owned()),
        "[>#*_`~|\\[\\]()!<&-]{1,6}",
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("- [x] ".to_owned()),
        Just("3. ".to_owned()),
        Just("|a|b|\n|-|-:|\n|中|".to_owned()),
        Just("![a](图.png)".to_owned()),
        Just("[^1]".to_owned()),
        Just("\n[^1]: 注\n".to_owned()),
        Just("```\n".to_owned()),
    ];
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_makes_a_sound_package(text in markdown_text()) {
        checked(docx(&text, &Meta::default()));
    }
}
