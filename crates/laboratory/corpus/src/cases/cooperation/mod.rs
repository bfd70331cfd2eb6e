//! Threads that work together: atomics, warps, asynchronous copies, clusters.

pub mod atomics;
pub mod copies;
pub mod hopper;
pub mod warps;
