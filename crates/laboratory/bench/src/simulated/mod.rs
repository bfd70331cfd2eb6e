//! Simulated devices and samples, for tests.

pub mod fake;
pub mod samples;
