//! Reports of a run on the emulator: counters by line with remarks, occupancy, and modeled cache
//! hit rates, as records and as the text that the command and `Display` print.
//!
//! [`extras`] requests the traces that a profile needs in addition to its counters, [`record`]
//! combines both, and [`describe`] prints the record. The feature `serde` writes records as JSON.

mod cache;
pub mod layout;
pub mod pictures;
mod profile;
mod record;
mod remarks;
mod text;

pub use cache::Machine;
#[cfg(feature = "gpu-specs")]
pub use cache::{machine, multiprocessor};
pub use pictures::{Choice, choose, first_of_each};
pub use profile::{By, Counted, Extras, InstructionProfile, Resources, extras, record};
#[cfg(feature = "serde")]
pub use record::counts;
pub use record::{
    BranchRecord, CacheRecord, LineRecord, ProfileRecord, ResourcesRecord, SampleRecord, Sources,
    TensorType,
};
pub use remarks::pattern;
pub use text::{Verdict, describe, profile_blocks, verdict};
