//! CUDA's built-in functions and variables: indices, barriers, warp operations, atomics,
//! mathematics.

mod ascii;
mod async_copy;
mod atomic;
mod bits;
mod bytes;
mod checked;
mod clock;
mod elementary;
mod float;
mod half;
mod index;
mod integer;
mod math;
mod memory;
mod schedule;
mod sync;
mod warp;

pub use async_copy::*;
pub use atomic::*;
pub use bits::*;
#[doc(hidden)]
pub use bytes::{FromBytes, from_be_bytes, from_le_bytes};
pub use clock::*;
pub use float::*;
pub use index::*;
pub use math::*;
pub use memory::*;
pub use schedule::*;
pub use sync::*;
pub use warp::*;
