//! Memory: slices in global memory, arrays in shared memory, places and their accesses.

mod address;
mod array;
pub(crate) mod check;
mod elements;
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
mod subslice;

pub(crate) use address::stepped;
pub use array::{RegisterArray, registers};
pub use index::{Extent, IndexValue};
pub(crate) use place::Base;
pub use place::{Place, ReadPlace, Space};
pub(crate) use registers::element;
pub use registers::{Get, Locate, Put};
pub use shape::IntoShape;
pub(crate) use shared::dynamic_bytes;
pub use shared::{Shared, shared, shared_dynamic};
pub use shared_access::Coordinates;
pub use shared_slice::{SharedSlice, shared_slice};
pub(crate) use slice::place_in_slice;
pub use slice::{IntoSlice, Slice, SliceMut};
pub(crate) use strides::element_place;
pub(crate) use subslice::between;
pub use subslice::{Subslice, end_at, subslice};
