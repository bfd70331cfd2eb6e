//! The pieces that kernels are made of. Each knows its text, what it computes, and the defects that it can have.

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
