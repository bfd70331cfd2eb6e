//! Counters of a launch.
//!
//! [`banks`] and [`traffic`] compute the cost of a memory access: bank conflicts and sectors. [`counters`] holds the
//! sums, [`table`] the declaration of each counter, and [`words`] their description. [`count`] and [`trace`] are the
//! instruments that count a launch or record its accesses.

pub mod banks;
pub mod count;
pub mod counters;
mod lanes;
pub mod table;
pub mod trace;
pub mod traffic;
pub mod words;
