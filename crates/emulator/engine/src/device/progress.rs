//! Progress of the latest launch of this process, for displays.
//!
//! The two counters are per process, so with concurrent launches they are only an indication. They do not
//! affect results.

use std::sync::atomic::{AtomicU64, Ordering};

/// Clusters of the latest launch, and how many of them have ended.
static TOTAL: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);
/// Launches so far.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Progress of the latest launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Which launch of the process it is, from 1; 0 before the first.
    pub launch: u64,
    /// Blocks that have ended; of clusters, each counts once.
    pub ended: u64,
    /// Blocks to run, or clusters.
    pub total: u64,
}

/// Progress of the latest launch.
pub fn position() -> Position {
    let total = TOTAL.load(Ordering::Relaxed);
    let ended = ENDED.load(Ordering::Relaxed).min(total);
    Position { launch: LAUNCHES.load(Ordering::Relaxed), ended, total }
}

/// Starts the count for a launch of this many clusters.
pub(crate) fn begin(clusters: u64) {
    ENDED.store(0, Ordering::Relaxed);
    TOTAL.store(clusters, Ordering::Relaxed);
    LAUNCHES.fetch_add(1, Ordering::Relaxed);
}

/// Counts a cluster that has ended.
pub(crate) fn ended() {
    ENDED.fetch_add(1, Ordering::Relaxed);
}
