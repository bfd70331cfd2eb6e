//! Counter accuracy: the same launches counted by the emulator and by the hardware counters of an H200,
//! read with Nsight Compute.

mod compiled;
mod corpus;
mod hardware;
mod probes;

pub use corpus::{Launched, launch_corpus};
pub use hardware::{Deviation, Hardware};
