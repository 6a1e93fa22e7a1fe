use pulldown_cmark::Alignment;

use super::body::{PartWriter, Place};
use crate::text::columns;
use crate::tree::{Piece, Table};

/// Width of the text on a page, in twentieths of a point: A4 with margins of 2.54 cm.
pub(crate) const TEXT_WIDTH: usize = 9_026;

/// Space left and right of the text of a cell, as the table style has it.
const CELL_MARGIN: usize = 120;

/// A column counts as at least and at most this many characters wide when the page is shared out.
const COLUMN_CHARS: (usize, usize) = (4, 42);

/// The margins of a cell, as so many characters.
const MARGIN_CHARS: usize = 4;

impl PartWriter<'_, '_> {
    /// A table as wide as the text, whose first row repeats on every page.
    pub(crate) fn table(&mut self, table: &Table, place: &Place) {
        let width = TEXT_WIDTH.saturating_sub(place.indent());
        let widths = shares(table, width);
        self.xml.open("w:tbl", &[]);
        self.table_properties(width, place.indent());
        self.xml.open("w:tblGrid", &[]);
        for width in &widths {
            self.xml.leaf("w:gridCol", &[("w:w", &width.to_string())]);
        }
        self.xml.close("w:tblGrid");
        self.row(&table.head, table, &widths, true);
        for row in &table.rows {
            self.row(row, table, &widths, false);
        }
        self.xml.close("w:tbl");
        // Word joins two tables that follow each other, and a cell or body may not end with one.
        self.open_paragraph(Some("TableGap"), &Place::default());
        self.xml.close("w:p");
    }

    fn table_properties(&mut self, width: usize, indent: usize) {
        let look = [
            ("w:val", "0420"),
            ("w:firstRow", "1"),
            ("w:lastRow", "0"),
            ("w:firstColumn", "0"),
            ("w:lastColumn", "0"),
            ("w:noHBand", "0"),
            ("w:noVBand", "1"),
        ];
        self.xml.open("w:tblPr", &[]).value("w:tblStyle", "MarkdownTable");
        self.xml.leaf("w:tblW", &[("w:w", &width.to_string()), ("w:type", "dxa")]);
        self.xml.leaf("w:tblInd", &[("w:w", &indent.to_string()), ("w:type", "dxa")]);
        self.xml.leaf("w:tblLook", &look).close("w:tblPr");
    }

    fn row(&mut self, cells: &[Vec<Piece>], table: &Table, widths: &[usize], head: bool) {
        self.xml.open("w:tr", &[]).open("w:trPr", &[]).leaf("w:cantSplit", &[]);
        if head {
            self.xml.leaf("w:tblHeader", &[]);
        }
        self.xml.close("w:trPr");
        for (n, width) in widths.iter().enumerate() {
            let alignment = table.alignments.get(n).copied().unwrap_or(Alignment::None);
            self.cell(cells.get(n).map(Vec::as_slice).unwrap_or_default(), alignment, *width);
        }
        self.xml.close("w:tr");
    }

    fn cell(&mut self, pieces: &[Piece], alignment: Alignment, width: usize) {
        self.xml.open("w:tc", &[]).open("w:tcPr", &[]);
        self.xml
            .leaf("w:tcW", &[("w:w", &width.to_string()), ("w:type", "dxa")])
            .value("w:vAlign", "center")
            .close("w:tcPr");
        self.xml.open("w:p", &[]).open("w:pPr", &[]).value("w:pStyle", "TableText");
        if let Some(side) = side(alignment) {
            self.xml.value("w:jc", side);
        }
        self.xml.close("w:pPr");
        let taken = TEXT_WIDTH.saturating_sub(width.saturating_sub(2 * CELL_MARGIN));
        self.pieces(pieces, &Place { taken, ..Place::default() });
        self.xml.close("w:p").close("w:tc");
    }
}

fn side(alignment: Alignment) -> Option<&'static str> {
    match alignment {
        Alignment::None => None,
        Alignment::Left => Some("left"),
        Alignment::Center => Some("center"),
        Alignment::Right => Some("right"),
    }
}

/// Shares `width` out by the longest text of each column.
fn shares(table: &Table, width: usize) -> Vec<usize> {
    let count = table.alignments.len().max(1);
    let longest = |n: usize| {
        let cells = std::iter::once(&table.head).chain(&table.rows).filter_map(move |row| row.get(n));
        cells.map(|cell| cell_columns(cell)).max().unwrap_or(0).clamp(COLUMN_CHARS.0, COLUMN_CHARS.1) + MARGIN_CHARS
    };
    let wants: Vec<usize> = (0..count).map(longest).collect();
    let all: usize = wants.iter().sum();
    let mut widths: Vec<usize> = wants.iter().map(|want| width * want / all).collect();
    let given: usize = widths.iter().sum();
    if let Some(last) = widths.last_mut() {
        *last += width - given;
    }
    widths
}

/// Width of the longest line of a cell, in columns.
fn cell_columns(cell: &[Piece]) -> usize {
    let line = |pieces: &[Piece]| {
        pieces.iter().map(|piece| if let Piece::Text(text, _) = piece { columns(text) } else { 2 }).sum()
    };
    cell.split(|piece| *piece == Piece::Break).map(line).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Block, build};

    #[test]
    fn columns_share_the_page_by_their_content() {
        let tree =
            build(&crate::markdown::parse("|日期|说明|\n|--|--|\n|1|一段很长很长很长很长很长很长的说明文字|").events);
        let Block::Table(table) = &tree.blocks[0] else { panic!("no table") };
        let widths = shares(table, 9_000);
        assert_eq!(widths.iter().sum::<usize>(), 9_000);
        assert!(widths[1] > widths[0] * 3, "{widths:?}");
    }
}
