//! A candidate: static checks, runs on the emulator and on a GPU, and comparison of the results.

pub mod candidate;
pub mod case;
pub mod compare;
pub mod gpu;
pub mod outputs;
pub mod precision;
pub mod run;
