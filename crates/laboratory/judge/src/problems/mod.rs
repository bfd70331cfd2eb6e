//! The test problems of a candidate: drawn from a seed, with their expected results.

pub mod extents;
pub mod prepared;
pub mod problem;
pub mod values;
