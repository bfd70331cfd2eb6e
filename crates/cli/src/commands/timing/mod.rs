//! Commands that measure on a GPU.

pub mod bench;
pub mod compare;
pub mod roofline;
pub mod tune;
