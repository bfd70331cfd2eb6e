//! The problems that a candidate is tried on: drawn from a seed, with their right results.

pub mod extents;
pub mod plan;
pub mod prepared;
pub mod problem;
pub mod values;
