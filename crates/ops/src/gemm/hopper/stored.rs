//! How results of each type are laid into shared memory, from which TMA stores them.

use half::{bf16, f16};
use lanework::Element;
use lanework::lang::Var;
use lanework::lang::tensor_cores::{FragmentC, MatrixElement, SharedTile};

/// A type of results, from sums of type `S`.
pub trait Stored<S: MatrixElement>: Element + MatrixElement<Storage = Self> {
    /// Lays a part of the results into a tile, each warp its rows.
    fn place<const W: u32>(part: FragmentC<S, 64, W>, tile: SharedTile<Self, 64, W>);

    /// The same of 32 columns of 32 bits, the halves of which lie from two columns on.
    #[track_caller]
    fn place_halves<const W: u32>(
        part: FragmentC<S, 64, W>,
        tile: SharedTile<Self, 64, W>,
        _columns: [Var<u32>; 2],
    ) {
        Self::place(part, tile);
    }
}

macro_rules! as_they_are {
    ($($t:ty)*) => {$(
        impl Stored<$t> for $t {
            #[track_caller]
            fn place<const W: u32>(part: FragmentC<$t, 64, W>, tile: SharedTile<$t, 64, W>) {
                part.store(tile, 0u32, 0u32);
            }

            #[track_caller]
            fn place_halves<const W: u32>(
                part: FragmentC<$t, 64, W>,
                tile: SharedTile<$t, 64, W>,
                columns: [Var<u32>; 2],
            ) {
                part.columns::<16>(0u32).store(tile, 0u32, columns[0]);
                part.columns::<16>(1u32).store(tile, 0u32, columns[1]);
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
