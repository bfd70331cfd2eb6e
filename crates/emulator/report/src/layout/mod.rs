//! Lays out tables in a width: no line exceeds it, and no number or word is split.
//!
//! A column has an alignment, a shorter form, and a rank (0 is the most important); its cells may
//! wrap at spaces. If the table is too wide, headers wrap first, then headers and cells take their
//! short forms, and then columns are dropped, highest rank first; the caller gets their names. If
//! the columns that are always shown do not fit, each row becomes a list of `header  cell` lines.
//! Widths are in terminal columns: a Chinese character takes two.
//!
//! ```
//! use lanework_report::layout::{Cell, Column, Fit, Table, lay_out};
//!
//! let mut table = Table::new([
//!     Column::name("rung"),                                      // always shown, left
//!     Column::number("sectors/load (opt)").short("s/load").rank(1), // right
//!     Column::label("verified").rank(2),                         // left
//!     Column::text("idea").rank(9),                              // left, wrapped at spaces; dropped first
//! ]);
//! table.row([
//!     Cell::from("padded"),
//!     Cell::from("4 (4)").short("4"),
//!     Cell::from("bit-exact"),
//!     Cell::from("one unused column per row of the tile"),
//! ]);
//! let laid = lay_out(&table, &Fit::width(60));
//! assert!(laid.text.lines().all(|line| line.chars().count() <= 60));
//! assert!(laid.left_out.is_empty());
//! let narrow = lay_out(&table, &Fit::width(30));
//! assert_eq!(narrow.left_out, ["idea"]);
//! ```

mod fit;
mod table;

pub use fit::{columns, cut, excerpt, hanging, wrap};
pub use table::{Cell, Column, Fit, Shown, Table, Tone};

use fit::{Form, GAP, Place, Plan, header, plan, written};
use table::Flow;

/// A table or a paragraph.
#[derive(Clone, Debug)]
pub enum Block {
    /// A table.
    Table(Table),
    /// A paragraph after a label; further lines are indented by the label's width.
    Text {
        /// The label, with its spaces.
        label: String,
        /// The paragraph.
        text: String,
    },
}

impl Block {
    /// A paragraph without a label.
    pub fn text(text: impl Into<String>) -> Block {
        Block::labeled("", text)
    }

    /// A paragraph after a label.
    pub fn labeled(label: impl Into<String>, text: impl Into<String>) -> Block {
        Block::Text { label: label.into(), text: text.into() }
    }
}

/// Lays out blocks in lines of at most `width` columns, unless a word is longer. Only columns of
/// tables may be dropped.
pub fn join(blocks: &[Block], width: usize) -> String {
    let fit = Fit::width(width);
    let of = |block: &Block| match block {
        Block::Table(table) => lay_out(table, &fit).text,
        Block::Text { text, .. } if text.is_empty() => "\n".to_owned(),
        Block::Text { label, text } => hanging(label, text, width),
    };
    blocks.iter().map(of).collect()
}

/// A table as text, and the headers of dropped columns.
#[derive(Clone, Debug)]
pub struct Laid {
    /// Lines, each with a newline.
    pub text: String,
    /// Headers of columns that did not fit.
    pub left_out: Vec<String>,
}

/// Fits a table and writes it.
pub fn lay_out(table: &Table, fit: &Fit) -> Laid {
    let (plan, left_out) = plan(table, fit);
    let text = match plan {
        Plan::Columns(places) => side_by_side(table, &places, fit.color),
        Plan::Lists(kept) => lists(table, &kept, fit),
    };
    let header = |at: usize| table.columns[at].header.clone();
    Laid { text, left_out: left_out.into_iter().map(header).collect() }
}

/// Colors the text.
fn colored(text: &str, tone: Option<Tone>, color: bool) -> String {
    let code = match tone.filter(|_| color && !text.is_empty()) {
        None => return text.to_owned(),
        Some(Tone::Good) => 32,
        Some(Tone::Bad) => 31,
        Some(Tone::Weak) => 2,
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Writes a row of several lines: pads each column's lines to its width, without trailing spaces.
fn lines(
    table: &Table,
    places: &[Place],
    of: &[(Vec<String>, Option<Tone>)],
    color: bool,
) -> String {
    let height = of.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
    let mut text = String::new();
    for line in 0..height {
        let mut owed = 0;
        for (place, (lines, tone)) in places.iter().zip(of) {
            let part = lines.get(line).map_or("", String::as_str);
            let pad = place.width.saturating_sub(columns(part));
            let (before, after) = match table.columns[place.column].right {
                true => (pad, 0),
                false => (0, pad),
            };
            owed += before;
            if !part.is_empty() {
                text.push_str(&" ".repeat(std::mem::take(&mut owed)));
                text.push_str(&colored(part, *tone, color));
            }
            owed += after + GAP;
        }
        text.push('\n');
    }
    text
}

fn side_by_side(table: &Table, places: &[Place], color: bool) -> String {
    let heads: Vec<Vec<String>> = places
        .iter()
        .map(|place| {
            let text = header(&table.columns[place.column], place.form);
            if place.form == Form::Wide { vec![written(text)] } else { wrap(text, place.width) }
        })
        .collect();
    // Shorter headers align at the bottom, next to the rule.
    let height = heads.iter().map(Vec::len).max().unwrap_or(0);
    let heads: Vec<(Vec<String>, Option<Tone>)> = heads
        .into_iter()
        .map(|head| ([vec![String::new(); height - head.len()], head].concat(), None))
        .collect();
    let mut text = lines(table, places, &heads, false);
    let rule = places.iter().map(|place| place.width).sum::<usize>()
        + GAP * places.len().saturating_sub(1);
    text.push_str(&"─".repeat(rule));
    text.push('\n');
    for row in &table.rows {
        let cells: Vec<(Vec<String>, Option<Tone>)> = places
            .iter()
            .map(|place| {
                let cell = &row[place.column];
                (cell_lines(table, cell, place), cell.tone)
            })
            .collect();
        text.push_str(&lines(table, places, &cells, color));
    }
    text
}

fn cell_lines(table: &Table, cell: &Cell, place: &Place) -> Vec<String> {
    let flow = table.columns[place.column].flow;
    let text = match (&cell.short, place.form) {
        (Some(short), Form::Short) if flow == Flow::Stays => short,
        _ => &cell.text,
    };
    match flow {
        Flow::Stays => text.lines().map(written).collect(),
        Flow::Wraps => wrap(text, place.width),
        Flow::Ends => vec![excerpt(text, place.width)],
    }
}

/// Each row as lines of `header  cell`, with an empty line between rows.
fn lists(table: &Table, kept: &[usize], fit: &Fit) -> String {
    let width = fit.width.unwrap_or(usize::MAX);
    let name = |at: &usize| columns(&table.columns[*at].header);
    let indent = kept.iter().map(name).max().unwrap_or(0) + GAP;
    let mut text = String::new();
    for (number, row) in table.rows.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        for at in kept {
            let (header, cell) = (&table.columns[*at].header, &row[*at]);
            if cell.text.is_empty() {
                continue;
            }
            let beside = wrap(&cell.text, width.saturating_sub(indent));
            if beside.iter().all(|line| indent + columns(line) <= width) {
                for (number, line) in beside.iter().enumerate() {
                    let header = if number == 0 { header } else { "" };
                    let pad = " ".repeat(indent - columns(header));
                    text.push_str(&format!(
                        "{header}{pad}{}\n",
                        colored(line, cell.tone, fit.color)
                    ));
                }
            } else {
                text.push_str(&format!("{}\n", wrap(header, width).join("\n")));
                for line in wrap(&cell.text, width.saturating_sub(GAP)) {
                    // A word as long as the line is not indented.
                    let pad = if GAP + columns(&line) <= width { "  " } else { "" };
                    text.push_str(&format!("{pad}{}\n", colored(&line, cell.tone, fit.color)));
                }
            }
        }
    }
    text
}
