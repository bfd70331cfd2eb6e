//! The subject of a measurement: everything in the record that does not come from the samples.

use crate::record::{Cache, Reset, SubjectKind, SubjectRecord, Verified, Work};
use std::collections::BTreeMap;

/// The subject of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The subject; its PTX hash is filled in.
    pub subject: SubjectRecord,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The least work of any solution; zeros if unknown.
    pub work: Work,
    /// Bytes of an element, if the problem has a single type.
    pub element_bytes: Option<usize>,
    /// State of the cache when the kernel starts.
    pub cache: Cache,
    /// How it is brought into that state.
    pub reset: Reset,
    /// How the result was verified.
    pub verified: Verified,
}

impl About {
    /// A user's kernel with this name and no other details.
    pub fn kernel(name: &str) -> About {
        About {
            subject: SubjectRecord {
                kind: SubjectKind::Kernel,
                name: name.to_owned(),
                ladder: None,
                file: None,
                ptx_hash: None,
            },
            problem: BTreeMap::new(),
            work: Work { bytes: 0, flops: 0 },
            element_bytes: None,
            cache: Cache::Hot,
            reset: Reset::None,
            verified: Verified::Nothing,
        }
    }
}
