//! The words of CUDA: indices, barriers, warp operations, atomics and mathematics.

mod index;
mod sync;

pub use index::*;
pub use sync::*;
