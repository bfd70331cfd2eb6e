//! Commands on programs, candidates and new projects.

mod exec;
#[cfg(feature = "judge")]
mod judge;
mod new;
