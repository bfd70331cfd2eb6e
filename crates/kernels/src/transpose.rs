//! Matrix transpose: `dst[x][y] = src[y][x]`, for any element type and any shape.
//!
//! A transpose only moves bytes, so a copy of the same bytes is the speed limit. What keeps the
//! simple kernel from it is that a warp reads along a row and writes down a column.

mod direct;
mod naive;
mod padded;
mod row_order;
mod swizzled;
mod unpadded;
mod vectorized;

use crate::{Ladder, Rung};
use lanework::{Buffer, Dim3, Element, Error, Result};

/// A matrix to transpose and the place for its transpose, on a device.
pub struct Matrices<E: Element> {
    /// Rows of the source.
    pub rows: u32,
    /// Columns of the source.
    pub cols: u32,
    /// Edge of the square block, and of the tile where the rung does not bring its own.
    pub block: u32,
    /// The source, `rows * cols` elements, row by row.
    pub src: Buffer<E>,
    /// The transpose, `cols * rows` elements, row by row.
    pub dst: Buffer<E>,
}

/// The rungs, from the bottom up.
pub fn rungs<E: Element>() -> Vec<Rung<Matrices<E>>> {
    vec![
        Rung::new("naive", "B2", include_str!("transpose/naive.rs"), naive::prepare),
        Rung::new("row-order", "B6", include_str!("transpose/row_order.rs"), row_order::prepare),
        Rung::new("direct", "B5", include_str!("transpose/direct.rs"), direct::prepare),
        Rung::new("unpadded", "B4", include_str!("transpose/unpadded.rs"), unpadded::prepare),
        Rung::new("padded", "B3", include_str!("transpose/padded.rs"), padded::prepare),
        Rung::new(
            "vectorized",
            "beyond",
            include_str!("transpose/vectorized.rs"),
            vectorized::prepare,
        ),
        Rung::new("swizzled", "beyond", include_str!("transpose/swizzled.rs"), swizzled::prepare),
    ]
}

/// Bits that are moved: a type that stands for all element types of its size.
pub trait Bits: Element {
    /// The ladder for this type. Here and not in a generic function, so that its kernels are
    /// compiled once, in this crate.
    fn rungs() -> Vec<Rung<Matrices<Self>>>;
}

macro_rules! bits {
    ($($bits:ty),*) => {$(
        impl Bits for $bits {
            fn rungs() -> Vec<Rung<Matrices<Self>>> {
                rungs()
            }
        }
    )*};
}

bits!(u8, u16, u32, u64);

/// The ladder, for lists.
pub fn ladder() -> Ladder {
    Ladder {
        name: "transpose",
        title: "matrix transpose, bit-exact for any element type",
        story: [include_str!("transpose/story.en.md"), include_str!("transpose/story.zh.md")],
        rungs: u32::rungs().iter().map(|rung| rung.info).collect(),
    }
}

impl<E: Element> Matrices<E> {
    /// Bytes a transpose must move: each element read once and written once.
    pub fn bytes(&self) -> u64 {
        self.src.bytes() + self.dst.bytes()
    }

    /// The grid of `tile` x `tile` tiles that covers the source, x along its columns.
    ///
    /// # Errors
    /// When an index would not fit 32 bits, or the grid would be taller than a grid can be.
    fn grid(&self, tile: u32) -> Result<Dim3> {
        self.covering(self.cols.div_ceil(tile), self.rows.div_ceil(tile))
    }

    /// The same tiles with x along the source's rows, so that blocks that run together write
    /// neighbouring memory.
    ///
    /// # Errors
    /// As [`Matrices::grid`].
    fn grid_down_rows(&self, tile: u32) -> Result<Dim3> {
        self.covering(self.rows.div_ceil(tile), self.cols.div_ceil(tile))
    }

    fn covering(&self, x: u32, y: u32) -> Result<Dim3> {
        let refuse = |why: String, help: &str| Error::Launch {
            kernel: "transpose".to_owned(),
            why,
            help: help.to_owned(),
        };
        let elements = u64::from(self.rows) * u64::from(self.cols);
        if elements > u64::from(u32::MAX) {
            let why = format!("{elements} elements need indices over 32 bits");
            return Err(refuse(why, "transpose the matrix in parts of under 2^32 elements"));
        }
        if y > 65535 {
            let why = format!("{y} tiles along the grid's y, where 65535 are possible");
            return Err(refuse(why, "use a larger block, or transpose the matrix in parts"));
        }
        Ok(Dim3::from((x, y)))
    }
}

/// The transpose on the host, one element after the other (B7): the reference for every rung.
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
