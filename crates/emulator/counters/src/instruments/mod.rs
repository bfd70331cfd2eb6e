//! The instruments: one counts what a profiler would, one records accesses and steps.

pub mod count;
pub mod trace;
