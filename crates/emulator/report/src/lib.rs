//! What a run on the emulator did, in words: a kernel's counters line by line with remarks, its occupancy,
//! modelled cache hit rates, and the text that the command and `Display` print of them.
//!
//! [`extras`] asks for the traces that a profile needs beside its counts, [`record`] puts both together, and
//! [`describe`] prints the record. With the feature `serde`, records are written as JSON.

mod cache;
mod choice;
mod counted;
#[cfg(feature = "serde")]
pub mod counts;
mod instruction;
pub mod layout;
mod machine;
mod pattern;
pub mod pictures;
mod profile;
mod record;
mod remarks;
mod sources;
mod tables;
mod text;
mod verdict;

pub use choice::{Choice, choose, first_of_each};
pub use counted::{Counted, InstructionProfile, Resources};
pub use machine::Machine;
pub use pattern::pattern;
pub use profile::{By, Extras, extras, record};
pub use record::{
    BranchRecord, CacheRecord, LineRecord, ProfileRecord, ResourcesRecord, SampleRecord,
};
pub use sources::Sources;
pub use text::{describe, profile_blocks};
pub use verdict::{Verdict, verdict};
