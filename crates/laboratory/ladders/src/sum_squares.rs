//! The sum of the squares of many numbers, from one thread up to the memory bandwidth.
//!
//! Each number is read once and hardly anything is written, so the time to read them is the limit.
//! The first rungs leave the memory idle; the middle ones shorten the serial additions of the host,
//! or of one thread of a block, at the end; the last ones keep enough loads in flight.
//!
//! [`Summand`] defines the type of a sum and its overflow. [`Cycles`] is a kernel's time by the
//! GPU's clock.

mod announced;
mod block_serial;
mod bulk_copies;
mod chunked;
mod clock;
mod eight_loads;
mod interleaved;
mod library;
mod many_blocks;
mod numbers;
mod one_thread;
mod several_loads;
mod single_pass;
mod summand;
mod tree_halving;
mod tree_interleaved;
mod tree_strided;
mod tree_unrolled;
mod warp_shuffle;

pub use clock::Cycles;
pub use numbers::{BLOCKS, LONGEST, Numbers, THREADS};
pub use summand::{Summand, on_host};

use crate::Rung;
use crate::rung::ladder;
use half::{bf16, f16};

ladder! {
    "sum-squares" in "sum_squares": "sum of squares of i32, u32, i64, u64, f32, f64, f16 or bf16";
    fn rungs<E: Summand>() -> [Rung<Numbers<E>>];
    "one-thread" one_thread A1;
    "chunked" chunked A2;
    "interleaved" interleaved A3;
    "many-blocks" many_blocks A4;
    "block-serial" block_serial A5;
    "tree-interleaved" tree_interleaved A6;
    "tree-strided" tree_strided;
    "tree-halving" tree_halving A7;
    "tree-unrolled" tree_unrolled A8;
    "warp-shuffle" warp_shuffle C4;
    "several-loads" several_loads C4;
    "single-pass" single_pass;
    "eight-loads" eight_loads;
    "announced" announced;
    "bulk-copies" bulk_copies;
    "library" library;
}

/// A type of numbers that the ladder is compiled for.
pub trait LadderElement: Summand {
    /// The ladder for this type. A method of each type, not a generic function, so that the kernels of each
    /// type are compiled once, in this crate.
    fn rungs() -> Vec<Rung<Numbers<Self>>>;
}

macro_rules! elements {
    ($($element:ty),*) => {$(
        impl LadderElement for $element {
            fn rungs() -> Vec<Rung<Numbers<Self>>> {
                rungs()
            }
        }
    )*};
}

elements!(i32, u32, i64, u64, f32, f64, f16, bf16);
