//! Instruments that record what a launch did: counters, and traces.

pub mod count;
pub mod trace;
