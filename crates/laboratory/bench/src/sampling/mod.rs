//! Samples of times: the plan, the sampler, statistics, and the interface to a device.

pub mod sampler;
pub mod stats;
