//! Tables that fit a width: no line exceeds it, and no number or word is split.
//!
//! A column has an alignment, a shorter form, and a rank (0 is the most important); its cells may
//! wrap at spaces. If the table is too wide, headers wrap first, then headers and cells take their
//! short forms, then columns are dropped, highest rank first; the caller gets their names. If even
//! the columns that are always shown do not fit, each row becomes a list of `header  cell` lines.
//! Widths are terminal columns: a Chinese character takes two.
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
mod render;
mod table;

pub use fit::{columns, cut, excerpt, hanging, wrap};
pub use render::{Block, Laid, join, lay_out};
pub use table::{Cell, Column, Fit, Shown, Table, Tone};
