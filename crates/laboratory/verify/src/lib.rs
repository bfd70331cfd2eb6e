//! Inputs on the host, and the comparison of a device's results with the host's: bit for bit, or within a proven bound.
//!
//! A crate of its own because its loops need an optimizer in every profile, unlike the rest of the laboratory.

pub mod array;
pub mod bound;
pub mod host;
pub mod product;
