//! A text of tables and paragraphs, before it is laid out.

use super::render::lay_out;
use super::table::{Fit, Table};
use super::words::hanging;

/// A part of a text.
#[derive(Clone, Debug)]
pub enum Block {
    /// A table.
    Table(Table),
    /// A paragraph after a label; lines after the first are indented as far as the label is long.
    Text {
        /// What stands before it, blanks included.
        label: String,
        /// The paragraph.
        text: String,
    },
}

impl Block {
    /// A paragraph without a label.
    pub fn text(text: impl Into<String>) -> Block {
        Block::labelled("", text)
    }

    /// A paragraph after a label.
    pub fn labelled(label: impl Into<String>, text: impl Into<String>) -> Block {
        Block::Text { label: label.into(), text: text.into() }
    }
}

/// Blocks as lines of at most so many columns, where no word is longer; nothing of them is left out but columns of
/// tables.
pub fn join(blocks: &[Block], width: usize) -> String {
    let fit = Fit::width(width);
    let of = |block: &Block| match block {
        Block::Table(table) => lay_out(table, &fit).text,
        Block::Text { text, .. } if text.is_empty() => "\n".to_owned(),
        Block::Text { label, text } => hanging(label, text, width),
    };
    blocks.iter().map(of).collect()
}
