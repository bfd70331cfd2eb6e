//! Drawings of layouts, made by the functions that compute addresses and positions.

use crate::tensor_cores::element::MatrixElement;
use crate::tensor_cores::fragment::{Fragment, Role};
use crate::tensor_cores::layout::Part;
use crate::tensor_cores::tile::shared_tile::SharedTile;
use crate::tensor_cores::tile::swizzle::{SwizzleMode, offset_of};
use std::fmt::Write;

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Fragment<P, T, R, C> {
    /// The elements of each lane, as text for the documentation: one line per row of a warp, with a lane and
    /// its elements in each cell, such as `T5:2,3`.
    pub fn drawing() -> String {
        let layout = Self::layout();
        let rows = layout.rows / layout.warps();
        let mut cells = vec![vec![String::new(); layout.columns as usize]; rows as usize];
        for lane in 0..32 {
            for i in 0..layout.elements() {
                let (row, column) = layout.place(i);
                cells[row.of(lane) as usize][column.of(lane) as usize] = format!("T{lane}:{i}");
            }
        }
        // Elements of one lane side by side share a cell.
        let share = if layout.part == Part::B { 1 } else { layout.run() as usize };
        let width = if share > 1 { 7 + 2 * usize::from(share > 2) } else { 6 };
        let mut text = String::new();
        for (row, cells) in cells.iter().enumerate() {
            let _ = write!(text, "row {row:2} |");
            for run in cells.chunks(share) {
                let first = &run[0];
                let cell = match run.len() {
                    1 => first.clone(),
                    count => {
                        let start = first.split_once(':').map_or("", |(_, i)| i);
                        let last = start.parse::<usize>().unwrap_or(0) + count - 1;
                        let between = if count == 2 { ',' } else { '-' };
                        format!("{first}{between}{last}")
                    }
                };
                let _ = write!(text, " {cell:width$}");
            }
            text = text.trim_end().to_owned() + "\n";
        }
        text
    }
}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> SharedTile<T, R, C, S> {
    /// The positions of the 16-byte chunks of the first rows, as text for the documentation: one line for each
    /// of eight rows of memory in address order, with a row and chunk in each cell.
    pub fn drawing() -> String {
        let row_bytes = C * T::BITS / 8;
        let mut chunks: Vec<(u32, u32, u32)> = (0..R.min(8))
            .flat_map(|row| (0..row_bytes / 16).map(move |chunk| (row, chunk)))
            .map(|(row, chunk)| (offset_of(S::BYTES, R * S::BYTES, row, chunk * 16), row, chunk))
            .collect();
        chunks.sort_unstable();
        let mut text = String::new();
        for line in chunks.chunks((S::BYTES / 16) as usize) {
            let _ = write!(text, "byte {:5} |", line[0].0);
            for (_, row, chunk) in line {
                let _ = write!(text, " r{row}c{chunk:<2}");
            }
            text = text.trim_end().to_owned() + "\n";
        }
        text
    }
}
