//! Tables on this terminal: the layout is [`lanework::report::layout`]'s, the width and the columns asked for are
//! the terminal's.
//!
//! ```text
//! let mut table = Table::new([
//!     Column::name("rung"),                                          // always shown, left
//!     Column::number("sectors/load (opt)").short("s/load").rank(1),  // right; of low rank: kept long
//!     Column::label("verified").rank(2),                             // left
//!     Column::text("idea").rank(9),                                  // wrapped at spaces; the first to go
//! ]);
//! table.row(["padded".into(), Cell::from("4.00 (4)").short("4"), "bit-exact".into(), idea.into()]);
//! print(&(shown(&table) + &prose("sectors/load: 32-byte sectors per warp request.")))?;
//! ```

use crate::failure::{Failure, Outcome};
use crate::output::{columns_asked, width};
use crate::words;
use lanework::report::layout::{Block, Fit, Shown, columns, hanging, lay_out, wrap};
pub use lanework::report::layout::{Cell, Column, Table, Tone};
use std::sync::Mutex;

/// Tables printed so far.
static SHOWN: Mutex<Vec<Table>> = Mutex::new(Vec::new());

/// Maximum width of wrapped text, even if the terminal is wider.
const READABLE: usize = 100;

/// Width to which text is wrapped.
pub fn readable() -> usize {
    width().unwrap_or(READABLE).min(READABLE)
}

/// The available width for tables.
pub fn fit() -> Fit {
    let shown = match columns_asked() {
        None => Shown::Fitting,
        Some(names) if names.iter().any(|name| name == "all") => Shown::All,
        Some(names) => Shown::Named(names.to_vec()),
    };
    // Printing strips the color if the output has none.
    Fit { width: width(), shown, color: true }
}

/// The table as text, with a line that names the columns that did not fit.
pub fn shown(table: &Table) -> String {
    let say = |text: &str| words::term(text).into_owned();
    let table = table.in_words(say, |text| words::say(text).into_owned());
    let laid = lay_out(&table, &fit());
    if let Ok(mut shown) = SHOWN.lock() {
        shown.push(table);
    }
    if laid.left_out.is_empty() {
        return laid.text;
    }
    let note = format!(
        "Too narrow for {}: see --columns all, a wider terminal, or --json.",
        laid.left_out.join(", ")
    );
    laid.text + &prose(&note)
}

/// Paragraphs wrapped to the terminal's width, or to a readable width if that is smaller.
pub fn prose(text: &str) -> String {
    wrap(&words::say(text), readable()).iter().map(|line| format!("{line}\n")).collect()
}

/// A text of tables and paragraphs.
pub fn laid(blocks: &[Block]) -> String {
    let of = |block: &Block| match block {
        Block::Table(table) => shown(table),
        Block::Text { text, .. } if text.is_empty() => "\n".to_owned(),
        Block::Text { label, text } => {
            // Keeps the text in its column if the label gets shorter.
            let said = words::term(label);
            let pad = columns(label).saturating_sub(columns(&said));
            hanging(&format!("{said}{}", " ".repeat(pad)), &words::say(text), readable())
        }
    };
    blocks.iter().map(of).collect()
}

/// Checks that `--columns` named columns of the printed tables.
///
/// # Errors
/// If a name is unknown; lists the known columns.
pub fn check_columns() -> Outcome {
    let (Some(asked), Ok(tables)) = (columns_asked(), SHOWN.lock()) else { return Ok(()) };
    let unknown = |name: &&String| {
        let named = Shown::Named(vec![(*name).clone()]);
        *name != "all" && !tables.is_empty() && !tables.iter().any(|table| table.has(&named))
    };
    let Some(name) = asked.iter().find(unknown) else { return Ok(()) };
    let mut known: Vec<&str> = tables.iter().flat_map(Table::headers).collect();
    known.sort_unstable();
    known.dedup();
    Err(Failure::input(
        format_args!("--columns {name}: no such column"),
        format_args!("available: {}", known.join(", ")),
    ))
}

/// A paragraph after a label; its other lines are indented by the width of the label.
pub fn listed(label: &str, text: &str) -> String {
    hanging(&words::say(label), &words::say(text), readable())
}
