//! The pieces of random kernels. Each has a text, a result, and possible defects.

pub mod blocks;
pub mod bulk;
pub mod grids;
pub mod groups;
pub mod lanes;
pub mod multicast;
pub mod own;
pub mod sent;
pub mod signals;
pub mod teams;
pub mod tensor;
pub mod tile;
