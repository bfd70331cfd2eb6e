//! Accesses to the shared memory of other blocks of the cluster: they must happen before that block ends,
//! for its shared memory ends with it (CUDA programming guide, "Distributed shared memory").
//!
//! Of each thread's accesses to a block the latest is remembered. When the block ends, each must be known
//! to one of its warps, as it is after the cluster's barrier.

use super::super::reports::Finding;
use super::epoch::PackedEpoch;
use super::happens_before::HappensBefore;
use std::collections::HashMap;

/// Accesses to blocks by others.
pub struct PeerAccesses {
    /// By rank of the block accessed and slot of whoever accesses: the latest.
    latest: Vec<HashMap<u32, PackedEpoch>>,
}

impl PeerAccesses {
    /// In clusters of this many blocks.
    pub fn new(blocks: usize) -> PeerAccesses {
        PeerAccesses { latest: vec![HashMap::new(); blocks] }
    }

    /// A cluster starts.
    pub fn start(&mut self) {
        self.latest.iter_mut().for_each(HashMap::clear);
    }

    /// The shared memory of the block of a rank is accessed, or its mbarrier used.
    pub fn touch(&mut self, order: &HappensBefore, rank: u32, access: PackedEpoch) {
        if let Some(latest) = self.latest.get_mut(rank as usize) {
            latest.insert(order.slot_of(access), access);
        }
    }

    /// The block of a rank has ended: the accesses that nothing orders before.
    pub fn left(&mut self, order: &HappensBefore, rank: u32) -> Vec<PackedEpoch> {
        let latest = std::mem::take(&mut self.latest[rank as usize]);
        let mut late: Vec<PackedEpoch> = latest.into_values().collect();
        late.retain(|access| !order.known_to_block(*access, rank as usize));
        late.sort_unstable();
        late
    }

    /// What such an access is.
    pub fn finding(rank: u32) -> Finding {
        Finding {
            message: format!(
                "shared memory of the block of rank {rank} of the cluster is used, and nothing keeps that block from ending before"
            ),
            help: "let the blocks of the cluster arrive and wait at its barrier after the last access, before any of them ends",
            ..Finding::default()
        }
    }
}
