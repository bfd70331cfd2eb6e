//! Comparing a device's results with the host's, bit for bit or within a proven bound.

pub mod array;
pub mod bound;
pub mod product;
pub mod transpose;
