//! Packs results of each type into shared memory for TMA stores.

use half::{bf16, f16};
use lanework::Element;
use lanework::lang::tensor_cores::{FragmentC, MatrixElement, SharedTile};

/// A result type, converted from sums of type `S`.
pub trait Stored<S: MatrixElement>: Element + MatrixElement<Storage = Self> {
    /// Packs a part of the results into a tile; each warp handles its rows.
    fn place<const W: u32>(part: FragmentC<S, 64, W>, tile: SharedTile<Self, 64, W>);
}

macro_rules! as_they_are {
    ($($t:ty)*) => {$(
        impl Stored<$t> for $t {
            #[track_caller]
            fn place<const W: u32>(part: FragmentC<$t, 64, W>, tile: SharedTile<$t, 64, W>) {
                part.store(tile, 0u32, 0u32);
            }
        }
    )*};
}

macro_rules! narrowed {
    ($($t:ty)*) => {$(
        impl Stored<f32> for $t {
            #[track_caller]
            fn place<const W: u32>(part: FragmentC<f32, 64, W>, tile: SharedTile<$t, 64, W>) {
                part.to::<$t>().store_matrix(tile, 0u32, 0u32);
            }
        }
    )*};
}

as_they_are!(f32 i32);
narrowed!(f16 bf16);
