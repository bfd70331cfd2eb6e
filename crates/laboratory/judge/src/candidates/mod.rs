//! A candidate: what can be told without a run, its runs on the emulator and on a GPU, and its results compared.

pub mod buffers;
pub mod candidate;
pub mod case;
pub mod compare;
pub mod gpu;
pub mod outputs;
pub mod precision;
pub mod run;
pub mod scan;
