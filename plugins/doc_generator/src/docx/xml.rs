use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::text::legal;

/// Namespace of the main part of a Word document.
pub(crate) const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// Namespace of relationships as attributes name them.
pub(crate) const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// An XML part under construction. Names come from this crate; text and attribute values are escaped.
pub(crate) struct Xml(Writer<Vec<u8>>);

impl Xml {
    /// A part that holds the XML declaration.
    pub(crate) fn new() -> Xml {
        let mut xml = Xml(Writer::new(Vec::new()));
        xml.write(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), Some("yes"))));
        xml
    }

    /// `<name attributes>`.
    pub(crate) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) -> &mut Self {
        self.write(Event::Start(tag(name, attributes)))
    }

    /// `</name>`.
    pub(crate) fn close(&mut self, name: &str) -> &mut Self {
        self.write(Event::End(BytesEnd::new(name)))
    }

    /// `<name attributes/>`.
    pub(crate) fn leaf(&mut self, name: &str, attributes: &[(&str, &str)]) -> &mut Self {
        self.write(Event::Empty(tag(name, attributes)))
    }

    /// `<name w:val="value"/>`, the most common element of all.
    pub(crate) fn value(&mut self, name: &str, value: &str) -> &mut Self {
        self.leaf(name, &[("w:val", value)])
    }

    /// `<name attributes>text</name>`.
    pub(crate) fn element(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) -> &mut Self {
        self.open(name, attributes);
        self.write(Event::Text(BytesText::new(&legal(text))));
        self.close(name)
    }

    /// The bytes of the part.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0.into_inner()
    }

    fn write(&mut self, event: Event<'_>) -> &mut Self {
        self.0.write_event(event).expect("writing to memory cannot fail");
        self
    }
}

fn tag<'a>(name: &'a str, attributes: &[(&'a str, &'a str)]) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (key, value) in attributes {
        start.push_attribute((*key, legal(value).as_ref()));
    }
    start
}
