//! Which clusters of a grid run, and in what order workers take them.

use crate::launch::{Blocks, LaunchConfig};
use std::sync::atomic::{AtomicU64, Ordering};

/// The clusters of a launch, handed out one by one.
pub struct Order {
    /// Clusters of the grid; most have one block.
    pub total: u64,
    /// Clusters to run.
    pub count: u64,
    /// The first of the clusters that run one after the other, where they do.
    run_from: Option<u64>,
    /// Of a shuffled order.
    seed: Option<u64>,
    next: AtomicU64,
    /// No cluster after this one needs to run: it faulted.
    last: AtomicU64,
}

impl Order {
    /// The clusters of a launch that are to run, of so many blocks each.
    pub fn new(launch: &LaunchConfig<'_>, per_cluster: u64, seed: Option<u64>) -> Order {
        let blocks: u64 = launch.grid.iter().map(|blocks| u64::from(*blocks)).product();
        let total = blocks / per_cluster;
        let (count, run_from) = match launch.blocks {
            Blocks::All => (total, None),
            Blocks::Sample { count } => (count.div_ceil(per_cluster).clamp(1, total), None),
            Blocks::Range { first, count } => {
                let first = first / per_cluster;
                let left = total.saturating_sub(first).max(1);
                let count = count.div_ceil(per_cluster).clamp(1, left);
                (count, Some(first.min(total.saturating_sub(1))))
            }
        };
        let (next, last) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        Order { total, count, run_from, seed, next, last }
    }

    /// The linear index of the `i`-th cluster to run.
    pub fn cluster(&self, i: u64) -> u64 {
        let i = match self.seed {
            // A step that shares no factor with the count visits each block once.
            Some(seed) => {
                let mut step = (seed | 1) % self.count;
                while gcd(step, self.count) != 1 {
                    step += 1;
                }
                ((u128::from(i) * u128::from(step) + u128::from(seed)) % u128::from(self.count))
                    as u64
            }
            None => i,
        };
        if let Some(first) = self.run_from {
            return first + i;
        }
        (u128::from(i) * u128::from(self.total) / u128::from(self.count)) as u64
    }

    /// Takes the next cluster to start, by its place in the order.
    pub fn take(&self) -> Option<u64> {
        let order = self.next.fetch_add(1, Ordering::Relaxed);
        (order < self.count && order <= self.last.load(Ordering::Relaxed)).then_some(order)
    }

    /// A cluster has faulted: none after it needs to run.
    pub fn end_at(&self, order: u64) {
        self.last.fetch_min(order, Ordering::Relaxed);
    }

    /// Clusters that nobody has started.
    pub fn unstarted(&self) -> u64 {
        self.count.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
