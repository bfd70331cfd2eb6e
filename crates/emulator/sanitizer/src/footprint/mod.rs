//! The footprint of a launch: what it accessed in global memory, by which its races with other launches, copies and fills are found.
//!
//! It is read from the launch's shadow cells when the launch has ended ([`LaunchShadow`]): a cell holds the last weak write of its bytes, reads
//! since, and strong accesses. What a cell forgets hides no race: whatever races with an access before a weak write races with that write,
//! too. So a footprint costs nothing while the launch runs, and one pass over the cells that it accesses where somebody asks.
//!
//! *Limits.* Accesses through textures and surfaces have no shadow cells, nor have the blocks of the kernels' own `malloc`.

mod byte_set;
mod launch_shadow;

use crate::findings::report::CodeLocation;
pub use crate::footprint::byte_set::ByteSet;
pub use crate::footprint::launch_shadow::AllocationShadow;
pub use crate::footprint::launch_shadow::LaunchShadow;

/// How bytes are accessed: whether they are read or written, and whether by a strong access (PTX memory model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessMode {
    /// Weak reads.
    Read,
    /// Weak writes.
    Write,
    /// Reads by atomic, `volatile` or `.relaxed` accesses, or stronger ones.
    StrongRead,
    /// Writes by atomic, `volatile` or `.relaxed` accesses, or stronger ones.
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

    /// Whether two accesses to one byte race if nothing orders them: one writes, and not both are strong.
    pub fn races(self, other: AccessMode) -> bool {
        (self.writes() || other.writes()) && !(self.is_strong() && other.is_strong())
    }
}

/// Bytes that one source line of a kernel accesses in one way.
#[derive(Clone, Debug)]
pub struct AccessedBytes {
    /// How they are accessed.
    pub mode: AccessMode,
    /// The source line; `None` where the kernel has more of them than are told apart, and for accesses by copies and fills.
    pub line: Option<CodeLocation>,
    /// The bytes, by their addresses.
    pub bytes: ByteSet,
}

/// All that an operation accesses in global memory.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// By line and kind of access.
    pub accesses: Vec<AccessedBytes>,
    /// Words that a strong access read as a flag: they may order this operation after the one that wrote them.
    pub observed: ByteSet,
}

impl Footprint {
    /// The footprint of an operation that is no kernel: the mode, the first address and the bytes of each range that it accesses.
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

    /// Adds what another launch of the same operation accesses.
    pub fn add(&mut self, other: Footprint) {
        self.accesses.extend(other.accesses);
        self.observed = self.observed.union(&other.observed);
    }
}
