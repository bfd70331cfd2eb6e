//! Runs: of one kernel, and of a whole program.

pub mod kernel;
pub mod program;
