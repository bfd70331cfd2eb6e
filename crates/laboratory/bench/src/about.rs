//! What a measurement is of: everything that the record names and the samples do not tell.

use crate::record::{Cache, Reset, SubjectKind, SubjectRecord, Verified};
use crate::work::Work;
use std::collections::BTreeMap;

/// What a measurement is of.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// What is timed; the hash of its PTX is filled in.
    pub subject: SubjectRecord,
    /// The problem by name.
    pub problem: BTreeMap<String, String>,
    /// The least work of any solution; zeros where it is not known.
    pub work: Work,
    /// Bytes of an element, where the problem has one type.
    pub element_bytes: Option<usize>,
    /// What the cache holds when the kernel starts.
    pub cache: Cache,
    /// How it is brought into that state.
    pub reset: Reset,
    /// By what the result was verified.
    pub verified: Verified,
}

impl About {
    /// An own kernel of this name, of which nothing else is known yet.
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
