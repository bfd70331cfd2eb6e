//! CUDA's built-in functions and variables: indices, barriers, warp operations, atomics,
//! mathematics.

pub(crate) mod bits;
pub(crate) mod bytes;
pub(crate) mod chars;
pub(crate) mod checked;
pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod memory;
pub(crate) mod number;
pub(crate) mod overflow;
pub(crate) mod threads;
pub(crate) mod warp;

pub use crate::intrinsics::bits::*;
pub use crate::intrinsics::float::*;
pub use crate::intrinsics::memory::*;
pub use crate::intrinsics::number::*;
pub use crate::intrinsics::threads::*;
pub use crate::intrinsics::warp::*;

#[doc(hidden)]
pub use crate::intrinsics::bytes::{FromBytes, from_be_bytes, from_le_bytes};
