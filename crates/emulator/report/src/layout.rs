//! Tables that fit a width: no line is longer than it, and no number and no word is split.
//!
//! A column says how it is aligned, whether its cells may be wrapped at spaces, how it is written shorter, and
//! by its rank how much it matters. Where the width does not suffice, headers are wrapped at spaces, then
//! headers and cells take their short forms, then columns are left out, those of the greatest rank first; the
//! caller is told which. Where not even the columns that are always shown fit, each row becomes a list of
//! `header  cell` lines. Columns are counted as a terminal does: a Chinese character takes two.
//!
//! ```
//! use lanework_report::layout::{Cell, Column, Fit, Table, lay_out};
//!
//! let mut table = Table::new([
//!     Column::name("rung"),                                      // always shown, left
//!     Column::number("sectors/load (opt)").short("s/load").rank(1), // right
//!     Column::label("verified").rank(2),                         // left
//!     Column::text("idea").rank(9),                              // left, wrapped at spaces; the first to go
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

mod block;
mod fit;
mod render;
mod table;
mod words;

pub use block::{Block, join};
pub use render::{Laid, lay_out};
pub use table::{Cell, Column, Fit, Shown, Table, Tone};
pub use words::{columns, cut, excerpt, hanging, wrap};
