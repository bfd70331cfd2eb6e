//! Comparing two kernels: interleaved samples, and verdicts on series of samples.

pub mod compare;
pub mod pair;
