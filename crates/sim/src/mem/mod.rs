//! What memory accesses cost: bank conflicts, sectors, and the counters they add to.

pub mod banks;
pub mod counters;
pub mod table;
pub mod traffic;
