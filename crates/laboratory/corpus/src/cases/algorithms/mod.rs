//! Algorithms on arrays, graphs and text.

pub mod histogram;
pub mod reduce;
pub mod scan;
pub mod science;
pub mod sort;
pub mod sparse;
pub mod text;
