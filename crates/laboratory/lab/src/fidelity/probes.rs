//! Microbenchmarks of memory instructions (probes): one warp repeats one instruction on one access pattern,
//! so that the hardware's counts for the access are isolated from other traffic.

mod instructions;
mod module;
mod patterns;

pub use instructions::{MORE, PROBES};
pub use module::module;
pub use patterns::{patterns, sweep};
