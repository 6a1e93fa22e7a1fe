//! Blocks to a Word document: the parts of an Office Open XML package, zipped.
//!
//! Nothing here reads a clock or counts beyond one document, so the same input gives the same bytes.

mod body;
mod numbering;
#[cfg(test)]
mod office_tests;
mod parts;
mod runs;
mod table;
#[cfg(test)]
mod tests;
mod xml;

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use self::body::{PartWriter, Place, Shared};
use self::numbering::Numbering;
use self::parts::{Bookmarks, Media, Relations};
use self::xml::{R, W, Xml};
use crate::Meta;
use crate::images::Images;
use crate::text::Script;
use crate::tree::{Block, Tree};

/// Media types of the parts, by path.
const TYPES: [(&str, &str); 7] = [
    ("/word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
    ("/word/styles.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"),
    ("/word/settings.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml"),
    ("/word/fontTable.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.fontTable+xml"),
    ("/word/numbering.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"),
    ("/word/footnotes.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"),
    ("/word/footer1.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"),
];

/// The bytes of a .docx file with `tree` in it.
pub(crate) fn write(tree: &Tree, images: &Images, meta: &Meta) -> Vec<u8> {
    let mut shared = Shared {
        images,
        media: Media::default(),
        numbering: Numbering::default(),
        bookmarks: Bookmarks::new(heading_ids(&tree.blocks).into_iter()),
        drawings: 0,
    };
    let (document, document_relations) = document(tree, meta, &mut shared);
    let (footnotes, footnote_relations) = footnotes(tree, &mut shared);
    let mut files = vec![
        ("[Content_Types].xml".to_owned(), content_types()),
        ("_rels/.rels".to_owned(), package_relations()),
        ("docProps/core.xml".to_owned(), core(meta)),
        ("word/document.xml".to_owned(), document),
        ("word/_rels/document.xml.rels".to_owned(), document_relations.write()),
        ("word/footnotes.xml".to_owned(), footnotes),
        ("word/numbering.xml".to_owned(), shared.numbering.write()),
        ("word/footer1.xml".to_owned(), include_bytes!("../../assets/footer.xml").to_vec()),
    ];
    if !footnote_relations.is_empty() {
        files.push(("word/_rels/footnotes.xml.rels".to_owned(), footnote_relations.write()));
    }
    files.extend(assets(meta.script).map(|(name, text)| (format!("word/{name}"), text.into_bytes())));
    files.extend(shared.media.files().map(|(path, bytes)| (format!("word/{path}"), bytes.to_vec())));
    zipped(&files)
}

fn heading_ids(blocks: &[Block]) -> Vec<&str> {
    blocks.iter().flat_map(ids_of).collect()
}

fn ids_of(block: &Block) -> Vec<&str> {
    match block {
        Block::Heading { id, .. } => vec![id],
        Block::Quote(inner) => heading_ids(inner),
        Block::List { items, .. } => items.iter().flat_map(|item| heading_ids(&item.blocks)).collect(),
        _ => Vec::new(),
    }
}

fn document(tree: &Tree, meta: &Meta, shared: &mut Shared<'_>) -> (Vec<u8>, Relations) {
    let mut relations = Relations::default();
    for (kind, file) in [
        ("styles", "styles.xml"),
        ("settings", "settings.xml"),
        ("fontTable", "fontTable.xml"),
        ("numbering", "numbering.xml"),
        ("footnotes", "footnotes.xml"),
    ] {
        relations.part(kind, file);
    }
    let footer = relations.part("footer", "footer1.xml");
    let mut part = PartWriter { xml: Xml::new(), relations, shared };
    part.xml.open("w:document", &[("xmlns:w", W), ("xmlns:r", R)]).open("w:body", &[]);
    if let Some(heading) = &meta.heading {
        part.open_paragraph(Some("Title"), &Place::default());
        part.xml.open("w:r", &[]);
        part.text(heading);
        part.xml.close("w:r").close("w:p");
    }
    part.blocks(&tree.blocks, &Place::default());
    section(&mut part.xml, &footer);
    part.xml.close("w:body").close("w:document");
    (part.xml.finish(), part.relations)
}

fn section(xml: &mut Xml, footer: &str) {
    xml.open("w:sectPr", &[]).leaf("w:footerReference", &[("w:type", "default"), ("r:id", footer)]);
    xml.leaf("w:pgSz", &[("w:w", "11906"), ("w:h", "16838")]);
    let sides = [
        ("w:top", "1440"),
        ("w:right", "1440"),
        ("w:bottom", "1440"),
        ("w:left", "1440"),
        ("w:header", "720"),
        ("w:footer", "720"),
        ("w:gutter", "0"),
    ];
    xml.leaf("w:pgMar", &sides).close("w:sectPr");
}

fn footnotes(tree: &Tree, shared: &mut Shared<'_>) -> (Vec<u8>, Relations) {
    let mut part = PartWriter { xml: Xml::new(), relations: Relations::default(), shared };
    part.xml.open("w:footnotes", &[("xmlns:w", W), ("xmlns:r", R)]);
    for (id, kind, mark) in
        [("-1", "separator", "w:separator"), ("0", "continuationSeparator", "w:continuationSeparator")]
    {
        part.xml.open("w:footnote", &[("w:type", kind), ("w:id", id)]).open("w:p", &[]).open("w:r", &[]);
        part.xml.leaf(mark, &[]).close("w:r").close("w:p").close("w:footnote");
    }
    for (n, blocks) in tree.notes.iter().enumerate() {
        part.xml.open("w:footnote", &[("w:id", &(n + 1).to_string())]);
        part.note(blocks);
        part.xml.close("w:footnote");
    }
    part.xml.close("w:footnotes");
    (part.xml.finish(), part.relations)
}

impl PartWriter<'_, '_> {
    /// The body of a footnote, its first paragraph led by the number.
    fn note(&mut self, blocks: &[Block]) {
        let place = Place { style: Some("FootnoteText"), ..Place::default() };
        self.open_paragraph(place.style, &place);
        self.xml.open("w:r", &[]).open("w:rPr", &[]).value("w:rStyle", "FootnoteReference").close("w:rPr");
        self.xml.leaf("w:footnoteRef", &[]).close("w:r").open("w:r", &[]);
        self.text(" ");
        self.xml.close("w:r");
        let rest = match blocks.split_first() {
            Some((Block::Paragraph(pieces), rest)) => {
                self.pieces(pieces, &place);
                rest
            }
            _ => blocks,
        };
        self.xml.close("w:p");
        self.blocks(rest, &place);
    }
}

fn content_types() -> Vec<u8> {
    let mut xml = Xml::new();
    xml.open("Types", &[("xmlns", "http://schemas.openxmlformats.org/package/2006/content-types")]);
    let defaults = [
        ("rels", "application/vnd.openxmlformats-package.relationships+xml"),
        ("xml", "application/xml"),
        ("png", "image/png"),
        ("jpeg", "image/jpeg"),
        ("gif", "image/gif"),
    ];
    for (extension, kind) in defaults {
        xml.leaf("Default", &[("Extension", extension), ("ContentType", kind)]);
    }
    for (path, kind) in TYPES {
        xml.leaf("Override", &[("PartName", path), ("ContentType", kind)]);
    }
    xml.leaf(
        "Override",
        &[
            ("PartName", "/docProps/core.xml"),
            ("ContentType", "application/vnd.openxmlformats-package.core-properties+xml"),
        ],
    );
    xml.close("Types");
    xml.finish()
}

fn package_relations() -> Vec<u8> {
    let mut xml = Xml::new();
    xml.open("Relationships", &[("xmlns", "http://schemas.openxmlformats.org/package/2006/relationships")]);
    let document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
    let core = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
    xml.leaf("Relationship", &[("Id", "rId1"), ("Type", document), ("Target", "word/document.xml")]);
    xml.leaf("Relationship", &[("Id", "rId2"), ("Type", core), ("Target", "docProps/core.xml")]);
    xml.close("Relationships");
    xml.finish()
}

fn core(meta: &Meta) -> Vec<u8> {
    let mut xml = Xml::new();
    xml.open(
        "cp:coreProperties",
        &[
            ("xmlns:cp", "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"),
            ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
            ("xmlns:dcterms", "http://purl.org/dc/terms/"),
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
        ],
    );
    xml.element("dc:title", &[], &meta.title);
    if let Some(author) = &meta.author {
        xml.element("dc:creator", &[], author).element("cp:lastModifiedBy", &[], author);
    }
    if let Some(date) = &meta.date {
        let stamp = format!("{date}T00:00:00Z");
        for name in ["dcterms:created", "dcterms:modified"] {
            xml.element(name, &[("xsi:type", "dcterms:W3CDTF")], &stamp);
        }
    }
    xml.close("cp:coreProperties");
    xml.finish()
}

fn assets(script: Script) -> impl Iterator<Item = (&'static str, String)> {
    let (font, fallback) = script.east_asian_fonts();
    let filled = move |text: &str| {
        text.replace("{east_asian_font}", font)
            .replace("{east_asian_fallback}", fallback)
            .replace("{east_asian_lang}", script.east_asian_lang())
    };
    let files = [
        ("styles.xml", include_str!("../../assets/styles.xml")),
        ("settings.xml", include_str!("../../assets/settings.xml")),
        ("fontTable.xml", include_str!("../../assets/fontTable.xml")),
    ];
    files.into_iter().map(move |(name, text)| (name, filled(text)))
}

fn zipped(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let written = zip.start_file(name.as_str(), options).and_then(|()| Ok(zip.write_all(bytes)?));
        written.expect("writing to memory cannot fail");
    }
    zip.finish().expect("writing to memory cannot fail").into_inner()
}
