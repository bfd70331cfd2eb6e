//! Memory: slices in global memory, arrays in shared memory, places and their accesses.

pub(crate) mod access;
pub(crate) mod local;
pub(crate) mod registers;
pub(crate) mod shared;
pub(crate) mod shared_slice;
pub(crate) mod slice;
