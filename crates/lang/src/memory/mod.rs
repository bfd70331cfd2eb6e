//! Memory: slices in global memory, arrays in shared memory, places and their accesses.

mod array;
pub(crate) mod check;
mod index;
pub(crate) mod local;
mod place;
mod registers;
mod rows;
mod shape;
mod shared;
mod shared_access;
mod shared_slice;
pub(crate) mod slice;
mod strides;

pub use array::{RegisterArray, registers};
pub use index::{Extent, IndexValue};
pub(crate) use place::{Base, stepped};
pub use place::{Place, ReadPlace, Space};
pub(crate) use registers::element;
pub use registers::{Get, Locate, Put};
pub use shape::IntoShape;
pub(crate) use shared::dynamic_bytes;
pub use shared::{Shared, shared, shared_dynamic};
pub use shared_access::Coordinates;
pub use shared_slice::{SharedSlice, shared_slice};
pub(crate) use slice::place_in_slice;
pub use slice::{Slice, SliceMut};
pub(crate) use strides::element_place;
