//! Snapshots, from which replays start. Each is taken at the first step of a cluster while no other cluster runs. At
//! that point the only state is global memory.
//!
//! Snapshots are taken at an interval of steps. When they exceed their budget, every second one is dropped and the
//! interval doubles. They therefore stay spread over the whole run.

use crate::timeline::image::{ChangedPages, MemoryImage};
use lanework_engine::step_view::StepView;
use lanework_ptx_ir::kernel::MemorySpace;
use std::sync::Arc;

/// The smallest interval, in steps. A replay of this many steps takes a few milliseconds.
const SHORTEST: u64 = 100_000;

/// Bytes of memory per step of the interval. At this ratio, comparing memory with its image takes little time.
const BYTES_PER_STEP: u64 = 4;

/// The state at the start of a cluster.
pub struct Snapshot {
    /// The cluster's first step.
    pub step: u64,
    /// The cluster's position in the launch order.
    pub order: u64,
    /// Global memory.
    pub pages: ChangedPages,
}

/// Keeps snapshots within a budget.
pub struct SnapshotKeeper {
    image: Arc<MemoryImage>,
    budget: u64,
    interval: u64,
    used: u64,
    snapshots: Vec<Snapshot>,
}

impl SnapshotKeeper {
    /// Starts without snapshots; they may take at most `budget` bytes.
    pub fn new(image: Arc<MemoryImage>, budget: u64) -> SnapshotKeeper {
        let interval = SHORTEST.max(image.bytes() / BYTES_PER_STEP);
        SnapshotKeeper { image, budget, interval, used: 0, snapshots: Vec::new() }
    }

    /// Called at the first step of a cluster that runs alone.
    pub fn offer(&mut self, step: u64, order: u64, view: &StepView<'_>) {
        let last = self.snapshots.last().map_or(0, |snapshot| snapshot.step);
        if step < last + self.interval {
            return;
        }
        let read = |at: u64, bytes: &mut [u8]| view.read(MemorySpace::Global, 0, at, bytes);
        let pages = self.image.changes(read);
        self.used += pages.bytes();
        self.snapshots.push(Snapshot { step, order, pages });
        while self.used > self.budget && !self.snapshots.is_empty() {
            let mut index = 0;
            self.snapshots.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.used = self.snapshots.iter().map(|snapshot| snapshot.pages.bytes()).sum();
            self.interval *= 2;
        }
    }

    /// The snapshots, by step.
    pub fn finish(self) -> Vec<Snapshot> {
        self.snapshots
    }
}
