//! Markdown on a terminal, as it streams in.
//!
//! Invariants:
//! - What is written depends on the characters alone and not on the pieces they come in.
//! - Nothing that was written is written again: no cursor is moved, so what has scrolled away stays as it is.
//! - Beside the text only sequences for colour and weight are written, whatever the text holds.
//! - Code stands as the model wrote it, without breaks or bars, so that it can be copied.

mod block;
mod flow;
mod inline;
mod line;
mod style;
mod table;

use block::Blocks;

use crate::screen::harmless;

/// A text in Markdown on its way to a terminal.
///
/// Headings, lists, quotes, code, tables, lines across, emphasis, links; anything else stands as it was written. A word is
/// written once it is whole, an emphasised part once it is closed, a table once it ends; the rest at once.
#[derive(Debug)]
pub(super) struct Markdown {
    blocks: Blocks,
}

impl Markdown {
    /// For a screen of `width` columns; at least 8.
    pub(super) fn new(width: usize) -> Self {
        Markdown { blocks: Blocks::new(width) }
    }

    /// Takes a further piece of the text and returns what is to be written now.
    pub(super) fn push(&mut self, text: &str) -> String {
        harmless(text).chars().for_each(|c| self.blocks.put(c));
        self.blocks.take()
    }

    /// Returns what is left to be written; the next piece begins another text.
    pub(super) fn finish(&mut self) -> String {
        self.blocks.finish();
        self.blocks.take()
    }
}

#[cfg(test)]
mod tests;
