use super::numbering::{MAX_LEVEL, Numbering, STEP};
use super::parts::{Bookmarks, Media, Relations};
use super::xml::Xml;
use crate::images::Images;
use crate::tree::{Block, Item, Piece};

/// Indent of a block quote, in twentieths of a point.
const QUOTE_STEP: usize = 360;

/// What all parts of one document share while they are written.
pub(crate) struct Shared<'a> {
    pub images: &'a Images,
    pub media: Media<'a>,
    pub numbering: Numbering,
    pub bookmarks: Bookmarks,
    pub drawings: usize,
}

/// Writes blocks into one part: the body or the footnotes.
pub(crate) struct PartWriter<'s, 'a> {
    pub xml: Xml,
    pub relations: Relations,
    pub shared: &'s mut Shared<'a>,
}

/// Where a block stands: in how many quotes and lists, and which numbering its next paragraph carries.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub style: Option<&'static str>,
    pub quotes: usize,
    pub lists: usize,
    pub number: Option<(String, usize)>,
    /// How much of the width of the page an image here may not use, besides the indent.
    pub taken: usize,
}

impl Place {
    /// Left edge of what stands here, in twentieths of a point.
    pub(crate) fn indent(&self) -> usize {
        self.quotes * QUOTE_STEP + self.lists.min(MAX_LEVEL + 1) * STEP
    }

    fn style_of_text(&self) -> Option<&'static str> {
        let listed = (self.lists > 0).then_some("ListParagraph");
        self.style.or((self.quotes > 0).then_some("Quote")).or(listed)
    }
}

impl PartWriter<'_, '_> {
    /// Writes `blocks` at `place`; the first of them takes the number of the place.
    pub(crate) fn blocks(&mut self, blocks: &[Block], place: &Place) {
        let mut here = place.clone();
        for block in blocks {
            self.block(block, &here);
            here.number = None;
        }
    }

    fn block(&mut self, block: &Block, place: &Place) {
        match block {
            Block::Paragraph(pieces) => self.paragraph(pieces, place.style_of_text(), place),
            Block::Heading { level, id, text } => self.heading(*level, id, text, place),
            Block::Code(text) => self.code(text, place),
            Block::Quote(blocks) => {
                self.empty_number(place);
                self.blocks(blocks, &Place { quotes: place.quotes + 1, number: None, ..place.clone() });
            }
            Block::List { start, items } => {
                self.empty_number(place);
                self.list(*start, items, &Place { number: None, ..place.clone() });
            }
            Block::Table(table) => {
                self.empty_number(place);
                self.table(table, place);
            }
            Block::Rule => {
                self.open_paragraph(Some("HorizontalRule"), place);
                self.xml.close("w:p");
            }
        }
    }

    /// A list item that starts with something that cannot carry its number gets an empty line that does.
    fn empty_number(&mut self, place: &Place) {
        if place.number.is_some() {
            self.paragraph(&[], place.style_of_text(), place);
        }
    }

    /// One paragraph in `style`.
    pub(crate) fn paragraph(&mut self, pieces: &[Piece], style: Option<&str>, place: &Place) {
        self.open_paragraph(style, place);
        self.pieces(pieces, place);
        self.xml.close("w:p");
    }

    /// `<w:p>` with its properties.
    pub(crate) fn open_paragraph(&mut self, style: Option<&str>, place: &Place) {
        self.xml.open("w:p", &[]).open("w:pPr", &[]);
        if let Some(style) = style {
            self.xml.value("w:pStyle", style);
        }
        if let Some((id, level)) = &place.number {
            self.xml.open("w:numPr", &[]).value("w:ilvl", &level.to_string()).value("w:numId", id).close("w:numPr");
        }
        self.indent(style, place);
        self.xml.close("w:pPr");
    }

    fn indent(&mut self, style: Option<&str>, place: &Place) {
        let own = if style == Some("Code") { 140 } else { 0 };
        let left = (place.indent() + own).to_string();
        if place.number.is_some() && place.quotes > 0 {
            self.xml.leaf("w:ind", &[("w:left", &left), ("w:hanging", "360")]);
        } else if place.number.is_none() && place.indent() > 0 {
            self.xml.leaf("w:ind", &[("w:left", &left)]);
        }
    }

    fn heading(&mut self, level: u8, id: &str, text: &[Piece], place: &Place) {
        let style = format!("Heading{level}");
        self.open_paragraph(Some(&style), place);
        let bookmark = self.shared.bookmarks.of(id);
        if let Some((number, name)) = &bookmark {
            self.xml.leaf("w:bookmarkStart", &[("w:id", number), ("w:name", name)]);
        }
        self.pieces(text, place);
        if let Some((number, _)) = &bookmark {
            self.xml.leaf("w:bookmarkEnd", &[("w:id", number)]);
        }
        self.xml.close("w:p");
    }

    fn code(&mut self, text: &str, place: &Place) {
        self.open_paragraph(Some("Code"), place);
        for (n, line) in text.split('\n').enumerate() {
            self.xml.open("w:r", &[]);
            if n > 0 {
                self.xml.leaf("w:br", &[]);
            }
            self.text(line);
            self.xml.close("w:r");
        }
        self.xml.close("w:p");
    }

    fn list(&mut self, start: Option<u64>, items: &[Item], place: &Place) {
        let level = place.lists.min(MAX_LEVEL);
        let ordered = start.map(|start| self.shared.numbering.ordered(level, start));
        for item in items {
            let id = match (&ordered, item.task) {
                (Some(id), None) => id.clone(),
                (_, task) => self.shared.numbering.bullet(task),
            };
            let inside = Place { lists: place.lists + 1, number: Some((id, level)), ..place.clone() };
            if item.blocks.is_empty() {
                self.empty_number(&inside);
            }
            self.blocks(&item.blocks, &inside);
        }
    }
}
