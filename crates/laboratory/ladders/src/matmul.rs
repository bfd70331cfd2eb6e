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

use crate::RungInfo;
use crate::rung::ladder;
use lanework::{Device, Prepared, Result};
use matrices::Layout::{Packed, Pitched, ZeroPadded};

/// A rung, and the memory layout of its matrices.
pub struct ProductRung {
    /// Its name and source.
    pub info: RungInfo,
    /// Compiles its kernel for a problem.
    pub prepare: for<'a> fn(&'a mut Matrices, &Device) -> Result<Prepared<'a>>,
    /// The argument of [`Matrices::place`].
    pub layout: Layout,
}

ladder! {
    "matmul" in "matmul": "matrix product in single precision, with and without compensated sums";
    pub fn rungs() -> [ProductRung];
    "naive" naive A9 { layout: Packed };
    "kahan" kahan A10 { layout: Packed };
    "row-shared" row_shared A11 { layout: Packed };
    "pitched" pitched A12 { layout: Pitched };
    "blocked" blocked A13 { layout: Packed };
    "zero-padded" zero_padded A14 { layout: ZeroPadded };
    "naive-2d" naive_2d C2 { layout: Packed };
    "shared" shared_tiles C3 { layout: Packed };
    "library" library { layout: Packed };
}
