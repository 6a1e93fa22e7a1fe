//! Events to blocks: the shape a page-oriented writer needs.

use std::collections::BTreeMap;
use std::rc::Rc;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Tag, TagEnd};

use crate::markdown::plain;

/// A document as blocks, with its footnotes in the order of their first mention.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Tree {
    /// The body.
    pub blocks: Vec<Block>,
    /// The footnotes; `Piece::Note(n)` refers to the n-th.
    pub notes: Vec<Vec<Block>>,
}

/// One block of a document.
#[derive(Debug, PartialEq)]
pub(crate) enum Block {
    /// A heading of level 1 to 6, with the id links use.
    Heading { level: u8, id: String, text: Vec<Piece> },
    /// A paragraph.
    Paragraph(Vec<Piece>),
    /// A code block, without the last line end.
    Code(String),
    /// A block quote.
    Quote(Vec<Block>),
    /// A list; `start` is the first number of an ordered one.
    List { start: Option<u64>, items: Vec<Item> },
    /// A table.
    Table(Table),
    /// A horizontal rule.
    Rule,
}

/// One item of a list; `task` is whether the box of a task is ticked.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub task: Option<bool>,
    pub blocks: Vec<Block>,
}

/// A table; every row has as many cells as `alignments`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub alignments: Vec<Alignment>,
    pub head: Vec<Vec<Piece>>,
    pub rows: Vec<Vec<Vec<Piece>>>,
}

/// A stretch of a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// Text in one format.
    Text(String, Format),
    /// A line break inside a paragraph.
    Break,
    /// An image by its address in the text, with its alternative text.
    Image { url: String, alt: String },
    /// A mention of a footnote.
    Note(usize),
}

/// How text looks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Format {
    pub bold: bool,
    pub italic: bool,
    pub strike: bool,
    pub code: bool,
    pub link: Option<Rc<str>>,
}

/// Builds the tree of `events`.
pub(crate) fn build(events: &[Event<'static>]) -> Tree {
    let mut builder = Builder { events, at: 0, task: None, notes: BTreeMap::new(), bodies: BTreeMap::new() };
    let blocks = builder.blocks(None);
    let mut labels: Vec<(usize, String)> = builder.notes.into_iter().map(|(label, n)| (n, label)).collect();
    labels.sort();
    let notes = labels.iter().map(|(_, label)| builder.bodies.remove(label).unwrap_or_default()).collect();
    Tree { blocks, notes }
}

struct Builder<'a> {
    events: &'a [Event<'static>],
    at: usize,
    task: Option<bool>,
    notes: BTreeMap<String, usize>,
    bodies: BTreeMap<String, Vec<Block>>,
}

impl<'a> Builder<'a> {
    fn peek(&self) -> Option<&'a Event<'static>> {
        self.events.get(self.at)
    }

    fn next(&mut self) -> Option<&'a Event<'static>> {
        let event = self.peek();
        self.at += 1;
        event
    }

    /// Blocks up to `end`, which is consumed. Text without a paragraph, as in a tight list, becomes one.
    fn blocks(&mut self, end: Option<TagEnd>) -> Vec<Block> {
        let mut blocks = Vec::new();
        while let Some(event) = self.peek() {
            match event {
                Event::End(found) if Some(*found) == end => {
                    self.at += 1;
                    break;
                }
                Event::End(_) => self.at += 1,
                Event::Start(tag) if is_block(tag) => {
                    self.at += 1;
                    blocks.extend(self.block(tag));
                }
                Event::Rule => {
                    self.at += 1;
                    blocks.push(Block::Rule);
                }
                _ => blocks.extend(paragraph(self.pieces())),
            }
        }
        blocks
    }

    fn block(&mut self, tag: &Tag<'static>) -> Option<Block> {
        match tag {
            Tag::Heading { level, id, .. } => {
                let id = id.as_ref().map(CowStr::to_string).unwrap_or_default();
                let text = self.pieces_of(tag.to_end());
                Some(Block::Heading { level: *level as u8, id, text })
            }
            Tag::CodeBlock(kind) => Some(self.code(kind)),
            Tag::BlockQuote(_) => Some(Block::Quote(self.blocks(Some(tag.to_end())))),
            Tag::List(start) => Some(self.list(*start)),
            Tag::Table(alignments) => Some(Block::Table(self.table(alignments))),
            Tag::FootnoteDefinition(label) => {
                let body = self.blocks(Some(tag.to_end()));
                self.bodies.insert(label.to_string(), body);
                None
            }
            _ => paragraph(self.pieces_of(tag.to_end())),
        }
    }

    fn code(&mut self, _kind: &CodeBlockKind<'static>) -> Block {
        let start = self.at;
        while self.next().is_some_and(|event| !matches!(event, Event::End(TagEnd::CodeBlock))) {}
        let text: String = self.events[start..self.at.min(self.events.len())]
            .iter()
            .map(|event| plain(std::slice::from_ref(event)))
            .collect();
        Block::Code(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    }

    fn list(&mut self, start: Option<u64>) -> Block {
        let mut items = Vec::new();
        while let Some(event) = self.next() {
            match event {
                Event::Start(Tag::Item) => items.push(self.item()),
                Event::End(TagEnd::List(_)) => break,
                _ => {}
            }
        }
        Block::List { start, items }
    }

    fn item(&mut self) -> Item {
        let outer = self.task.take();
        let blocks = self.blocks(Some(TagEnd::Item));
        let task = std::mem::replace(&mut self.task, outer);
        Item { task, blocks }
    }

    fn table(&mut self, alignments: &[Alignment]) -> Table {
        let mut table = Table { alignments: alignments.to_vec(), ..Table::default() };
        let mut row = Vec::new();
        while let Some(event) = self.next() {
            match event {
                Event::Start(Tag::TableCell) => row.push(self.pieces_of(TagEnd::TableCell)),
                Event::End(TagEnd::TableHead) => table.head = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => table.rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        table
    }

    /// The pieces up to `end`, which is consumed.
    fn pieces_of(&mut self, end: TagEnd) -> Vec<Piece> {
        let pieces = self.pieces();
        if self.peek() == Some(&Event::End(end)) {
            self.at += 1;
        }
        pieces
    }

    /// The pieces up to the next block, rule or end of a block.
    fn pieces(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut formats = vec![Format::default()];
        while let Some(event) = self.peek() {
            let format = formats.last().cloned().unwrap_or_default();
            match event {
                Event::Start(tag) if is_block(tag) => break,
                Event::Rule => break,
                Event::End(end) if !is_inline(end) => break,
                Event::Start(Tag::Image { dest_url, .. }) => {
                    pieces.push(self.image(dest_url));
                    continue;
                }
                Event::Start(tag) => formats.push(format.with(tag)),
                Event::End(_) if formats.len() > 1 => drop(formats.pop()),
                Event::TaskListMarker(done) => self.task = Some(*done),
                event => pieces.extend(self.piece(event, format)),
            }
            self.at += 1;
        }
        pieces
    }

    fn piece(&mut self, event: &Event<'static>, format: Format) -> Option<Piece> {
        match event {
            Event::Text(text) => Some(Piece::Text(text.to_string(), format)),
            Event::Code(text) => Some(Piece::Text(text.to_string(), Format { code: true, ..format })),
            Event::SoftBreak => Some(Piece::Text(" ".to_owned(), format)),
            Event::HardBreak => Some(Piece::Break),
            Event::FootnoteReference(label) => {
                let next = self.notes.len();
                Some(Piece::Note(*self.notes.entry(label.to_string()).or_insert(next)))
            }
            _ => None,
        }
    }

    fn image(&mut self, url: &str) -> Piece {
        let start = self.at + 1;
        while self.next().is_some_and(|event| !matches!(event, Event::End(TagEnd::Image))) {}
        let inner = &self.events[start.min(self.events.len())..self.at.min(self.events.len())];
        Piece::Image { url: url.to_owned(), alt: plain(inner) }
    }
}

impl Format {
    fn with(mut self, tag: &Tag<'static>) -> Format {
        match tag {
            Tag::Strong => self.bold = true,
            Tag::Emphasis => self.italic = true,
            Tag::Strikethrough => self.strike = true,
            Tag::Link { dest_url, .. } => self.link = Some(Rc::from(dest_url.as_ref())),
            _ => {}
        }
        self
    }
}

fn paragraph(pieces: Vec<Piece>) -> Option<Block> {
    (!pieces.is_empty()).then_some(Block::Paragraph(pieces))
}

fn is_block(tag: &Tag<'_>) -> bool {
    !is_inline(&tag.to_end())
}

fn is_inline(end: &TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::parse;

    fn tree(markdown: &str) -> Tree {
        build(&parse(markdown).events)
    }

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned(), Format::default())
    }

    #[test]
    fn formats_nest_and_end() {
        let bold = Format { bold: true, ..Format::default() };
        let both = Format { bold: true, italic: true, ..Format::default() };
        let expected = vec![
            Piece::Text("a ".into(), bold.clone()),
            Piece::Text("b".into(), both),
            Piece::Text(" c".into(), bold),
            text(" d"),
        ];
        assert_eq!(tree("**a *b* c** d").blocks, [Block::Paragraph(expected)]);
    }

    #[test]
    fn tasks_and_lists_keep_their_own_marks() {
        let blocks = tree("- [x] done\n  - [ ] inner\n- plain\n\n7. seven").blocks;
        let Block::List { start: None, items } = &blocks[0] else { panic!("{blocks:?}") };
        assert_eq!(items.iter().map(|item| item.task).collect::<Vec<_>>(), [Some(true), None]);
        let Block::List { items: inner, .. } = &items[0].blocks[1] else { panic!("{items:?}") };
        assert_eq!(inner[0].task, Some(false));
        assert!(matches!(&blocks[1], Block::List { start: Some(7), .. }));
    }

    #[test]
    fn a_table_has_its_head_rows_and_alignment() {
        let blocks = tree("|日期|最高|\n|:--|--:|\n|周一|25|\n|周二||").blocks;
        let Block::Table(table) = &blocks[0] else { panic!("{blocks:?}") };
        assert_eq!(table.alignments, [Alignment::Left, Alignment::Right]);
        assert_eq!((table.head.len(), table.rows.len()), (2, 2));
        assert_eq!(table.rows[0], [[text("周一")], [text("25")]]);
        assert_eq!(table.rows[1][1], []);
    }

    #[test]
    fn code_keeps_its_spaces_and_images_their_text() {
        assert_eq!(tree("```rust\n  a\n\n\tb\n```").blocks, [Block::Code("  a\n\n\tb".to_owned())]);
        let image = Piece::Image { url: "a.png".into(), alt: "A b".into() };
        assert_eq!(tree("![A *b*](a.png) end").blocks, [Block::Paragraph(vec![image, text(" end")])]);
    }

    #[test]
    fn footnotes_follow_the_order_of_their_mention() {
        let tree = tree("a[^two] b[^one]\n\n[^one]: first\n\n[^two]: second");
        assert_eq!(tree.notes, [[Block::Paragraph(vec![text("second")])], [Block::Paragraph(vec![text("first")])]]);
    }
}
