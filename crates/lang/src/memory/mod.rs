//! Memory: slices in global memory, arrays in shared memory, places and their accesses.

mod array;
pub(crate) mod check;
mod index;
mod place;
mod registers;
mod shared;
pub(crate) mod slice;

pub use array::{RegisterArray, registers};
pub use index::{Extent, IndexValue};
pub(crate) use place::Base;
pub use place::{Place, ReadPlace, Space};
pub use registers::{Get, Locate, Put, row};
pub use shared::{IntoShape, Shared, shared, shared_dynamic};
pub(crate) use shared::{dynamic_bytes, element_place};
pub use slice::{Slice, SliceMut};
