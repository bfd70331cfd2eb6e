//! What memory accesses cost: bank conflicts, sectors, and the counters they add to.

pub mod banks;
pub mod counters;
mod lanes;
pub mod table;
pub mod traffic;
pub mod words;
