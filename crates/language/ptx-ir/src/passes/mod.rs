//! Passes that rewrite a lowered kernel, or a module before.

pub mod canonicalize;
pub mod contract;
pub mod local_arrays;
