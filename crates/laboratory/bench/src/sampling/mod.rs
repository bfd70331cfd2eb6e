//! Samples of times: the plan, the sampler, statistics, and the interface to a device.

pub mod plan;
pub mod sampler;
pub mod stats;
pub mod target;
