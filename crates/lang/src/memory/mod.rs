//! Memory: slices in global memory, arrays in shared memory, places and their accesses.

mod array;
pub(crate) mod check;
mod index;
pub(crate) mod local;
mod place;
mod registers;
mod rows;
mod shared;
mod shared_slice;
pub(crate) mod slice;

pub use array::{RegisterArray, registers};
pub use index::{Extent, IndexValue};
pub(crate) use place::{Base, stepped};
pub use place::{Place, ReadPlace, Space};
pub(crate) use registers::element;
pub use registers::{Get, Locate, Put};
pub use shared::{Coordinates, IntoShape, Shared, shared, shared_dynamic};
pub(crate) use shared::{dynamic_bytes, element_place};
pub use shared_slice::{SharedSlice, shared_slice};
pub(crate) use slice::place_in_slice;
pub use slice::{Slice, SliceMut};
