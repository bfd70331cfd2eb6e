//! How true the emulator's counts are: the same launches counted by it and by a GPU's own counters.

mod corpus;
mod hardware;
mod probes;

pub use corpus::{Launched, launch_corpus};
pub use hardware::{Deviation, Hardware};
