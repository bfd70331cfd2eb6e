//! Timing on a GPU: launches, empty kernels, and the least time that a GPU allows.

pub mod gpu;
pub mod measure;
