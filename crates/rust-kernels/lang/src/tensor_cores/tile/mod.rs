//! Typed tiles in shared memory, and the copies that fill them.

pub(crate) mod pipeline;
pub(crate) mod shared_tile;
pub(crate) mod source;
pub(crate) mod swizzle;
pub(crate) mod tensor_copies;
pub(crate) mod tiles;
