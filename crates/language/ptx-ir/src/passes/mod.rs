//! Passes that rewrite a lowered kernel.

pub mod canonicalize;
pub mod contract;
