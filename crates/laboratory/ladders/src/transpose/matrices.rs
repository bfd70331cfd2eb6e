//! A transpose as a problem: its matrices on a device, its grids, and the host reference.

use lanework::{Buffer, Dim3, Element, Error, Result};

/// A matrix to transpose and the buffer for its transpose, on a device.
pub struct Matrices<E: Element> {
    /// Rows of the source.
    pub rows: u32,
    /// Columns of the source.
    pub cols: u32,
    /// Edge of the square block, and of the tile unless the rung has a fixed one.
    pub block: u32,
    /// The source, `rows * cols` elements, row by row.
    pub src: Buffer<E>,
    /// The transpose, `cols * rows` elements, row by row.
    pub dst: Buffer<E>,
}

impl<E: Element> Matrices<E> {
    /// Bytes a transpose must move: each element read once and written once.
    pub fn bytes(&self) -> u64 {
        self.src.bytes() + self.dst.bytes()
    }

    /// The grid of `tile` x `tile` tiles that covers the source, x along its columns.
    ///
    /// # Errors
    /// If an index would not fit 32 bits, or the grid would exceed its limit in y.
    pub(super) fn grid(&self, tile: u32) -> Result<Dim3> {
        self.covering(self.cols.div_ceil(tile), self.rows.div_ceil(tile))
    }

    /// The same tiles with x along the source's rows, so that concurrent blocks write adjacent memory.
    ///
    /// # Errors
    /// As [`Matrices::grid`].
    pub(super) fn grid_down_rows(&self, tile: u32) -> Result<Dim3> {
        self.grid_down(self.rows, tile)
    }

    /// As [`Matrices::grid_down_rows`], for tiles of `rows` rows.
    ///
    /// # Errors
    /// As [`Matrices::grid`].
    pub(super) fn grid_down(&self, rows: u32, tile: u32) -> Result<Dim3> {
        self.covering(rows.div_ceil(tile), self.cols.div_ceil(tile))
    }

    fn covering(&self, x: u32, y: u32) -> Result<Dim3> {
        let refuse = |why: String, help: &str| Error::Launch {
            kernel: "transpose".to_owned(),
            why,
            help: help.to_owned(),
        };
        let elements = u64::from(self.rows) * u64::from(self.cols);
        if elements > u64::from(u32::MAX) {
            let why = format!("{elements} elements need indices above 32 bits");
            return Err(refuse(why, "transpose the matrix in parts of under 2^32 elements"));
        }
        if y > 65535 {
            let why = format!("{y} tiles along the grid's y, the limit is 65535");
            return Err(refuse(why, "use a larger block, or transpose the matrix in parts"));
        }
        Ok(Dim3::from((x, y)))
    }
}

/// The transpose on the host, one element at a time (B7): the reference for every rung.
pub fn on_host<E: Element>(src: &[E], rows: usize, cols: usize) -> Vec<E> {
    let mut dst = Vec::with_capacity(src.len());
    for x in 0..cols {
        dst.extend((0..rows).map(|y| src[y * cols + x]));
    }
    dst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_transpose_moves_each_element_to_its_mirror_place() {
        let src: Vec<u32> = (0..6).collect();
        assert_eq!(on_host(&src, 2, 3), [0, 3, 1, 4, 2, 5]);
    }
}
