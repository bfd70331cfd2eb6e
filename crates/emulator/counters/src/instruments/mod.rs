//! The instruments: one counts like a profiler, one records accesses and steps.

pub mod count;
pub mod trace;
