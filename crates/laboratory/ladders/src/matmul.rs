//! Matrix product in single precision, `C = A B`, from one thread per element to shared tiles.
//!
//! A has m rows and k columns, B k rows and n columns, C m rows and n columns, row by row. A
//! multiply-add needs two numbers; the rungs differ in how many of them come from global memory,
//! how well those loads coalesce, and how the rounding errors of k additions accumulate.

mod blocked;
mod kahan;
mod library;
mod matrices;
mod naive;
mod naive_2d;
mod pitched;
mod row_shared;
mod shared_tiles;
mod zero_padded;

pub use matrices::{Extents, Layout, Matrices, Matrix};

use crate::{Ladder, Rung};
use lanework::{Device, Prepared, Result};

/// A rung, and the memory layout of its matrices.
pub struct ProductRung {
    /// The rung.
    pub rung: Rung<Matrices>,
    /// The argument of [`Matrices::place`].
    pub layout: Layout,
}

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<ProductRung> {
    use Layout::{Packed, Pitched, ZeroPadded};
    vec![
        rung("naive", "A9", include_str!("matmul/naive.rs"), Packed, naive::prepare),
        rung("kahan", "A10", include_str!("matmul/kahan.rs"), Packed, kahan::prepare),
        rung(
            "row-shared",
            "A11",
            include_str!("matmul/row_shared.rs"),
            Packed,
            row_shared::prepare,
        ),
        rung("pitched", "A12", include_str!("matmul/pitched.rs"), Pitched, pitched::prepare),
        rung("blocked", "A13", include_str!("matmul/blocked.rs"), Packed, blocked::prepare),
        rung(
            "zero-padded",
            "A14",
            include_str!("matmul/zero_padded.rs"),
            ZeroPadded,
            zero_padded::prepare,
        ),
        rung("naive-2d", "C2", include_str!("matmul/naive_2d.rs"), Packed, naive_2d::prepare),
        rung("shared", "C3", include_str!("matmul/shared_tiles.rs"), Packed, shared_tiles::prepare),
        rung("library", "beyond", include_str!("matmul/library.rs"), Packed, library::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "matmul",
        title: "matrix product in single precision, with and without compensated sums",
        story: [include_str!("matmul/story.en.md"), include_str!("matmul/story.zh.md")],
        rungs: rungs().iter().map(|product| product.rung.info).collect(),
    }
}

fn rung(
    name: &'static str,
    experiment: &'static str,
    source: &'static str,
    layout: Layout,
    prepare: for<'a> fn(&'a mut Matrices, &Device) -> Result<Prepared<'a>>,
) -> ProductRung {
    ProductRung { rung: Rung::new(name, experiment, source, prepare), layout }
}
