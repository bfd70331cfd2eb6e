//! Data on the host: arrays, number formats, random inputs.

pub mod array;
pub mod formats;
pub mod inputs;
pub(crate) mod parallel;
