//! The footprint of a launch: its accesses to global memory, for races with other launches, copies
//! and fills.
//!
//! It is computed from the shadow cells after the launch ([`LaunchShadow`]), so it costs nothing
//! during the launch. A cell holds the last weak write of its bytes, the reads since, and the strong
//! accesses. Forgotten accesses hide no race: an operation that races with an access before a weak
//! write also races with that write.
//!
//! *Limits.* Accesses through textures and surfaces, and to blocks of the kernels' `malloc`, have
//! no shadow cells.

mod byte_set;
mod launch_shadow;

use crate::findings::report::CodeLocation;
pub use byte_set::ByteSet;
pub use launch_shadow::{AllocationShadow, LaunchShadow};

/// Access mode: read or write, weak or strong (PTX memory model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessMode {
    /// Weak reads.
    Read,
    /// Weak writes.
    Write,
    /// Strong reads: atomic, `volatile`, `.relaxed` or stronger.
    StrongRead,
    /// Strong writes: atomic, `volatile`, `.relaxed` or stronger.
    StrongWrite,
}

impl AccessMode {
    /// Whether it writes.
    pub fn writes(self) -> bool {
        matches!(self, AccessMode::Write | AccessMode::StrongWrite)
    }

    /// Whether it is strong.
    pub fn is_strong(self) -> bool {
        matches!(self, AccessMode::StrongRead | AccessMode::StrongWrite)
    }

    /// Whether two unordered accesses to one byte race: one writes, and at least one is weak.
    pub fn races(self, other: AccessMode) -> bool {
        (self.writes() || other.writes()) && !(self.is_strong() && other.is_strong())
    }
}

/// Bytes that one source line accesses in one mode.
#[derive(Clone, Debug)]
pub struct AccessedBytes {
    /// The mode.
    pub mode: AccessMode,
    /// The source line; `None` if the kernel has too many of them, and for copies and fills.
    pub line: Option<CodeLocation>,
    /// The bytes.
    pub bytes: ByteSet,
}

/// All accesses of an operation to global memory.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// By source line and mode.
    pub accesses: Vec<AccessedBytes>,
    /// Words that a strong access read as a flag: they may order this operation after the one that
    /// wrote them.
    pub observed: ByteSet,
}

impl Footprint {
    /// The footprint of a copy or fill: mode, start address and size of each range.
    pub fn of_ranges(ranges: impl IntoIterator<Item = (AccessMode, u64, u64)>) -> Footprint {
        let mut accesses: Vec<AccessedBytes> = Vec::new();
        for (mode, start, bytes) in ranges {
            match accesses.iter_mut().find(|one| one.mode == mode) {
                Some(one) => one.bytes.append(start, start + bytes),
                None => {
                    let bytes = ByteSet::range(start, start + bytes);
                    accesses.push(AccessedBytes { mode, line: None, bytes });
                }
            }
        }
        accesses.retain(|one| !one.bytes.is_empty());
        Footprint { accesses, observed: ByteSet::default() }
    }

    /// The conflict with an unordered footprint, if there is one: an access of each, and the bytes of all conflicts
    /// in their modes.
    pub fn conflict(&self, other: &Footprint) -> Option<(AccessedBytes, AccessedBytes, ByteSet)> {
        let mut found: Option<(AccessedBytes, AccessedBytes, ByteSet)> = None;
        for first in &self.accesses {
            for second in other.accesses.iter().filter(|second| first.mode.races(second.mode)) {
                let bytes = first.bytes.intersection(&second.bytes);
                if bytes.is_empty() {
                    continue;
                }
                match &mut found {
                    Some((one, two, all)) if (one.mode, two.mode) == (first.mode, second.mode) => {
                        *all = all.union(&bytes);
                    }
                    Some(_) => {}
                    None => found = Some((first.clone(), second.clone(), bytes)),
                }
            }
        }
        found
    }

    /// Adds the accesses of another launch of the same operation.
    pub fn add(&mut self, other: Footprint) {
        self.accesses.extend(other.accesses);
        self.observed = self.observed.union(&other.observed);
    }
}
