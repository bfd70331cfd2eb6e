//! Launches by a kernel: what happens before each.
//!
//! A child grid sees what happens before its launch in the launching thread (CUDA programming guide, "Dynamic
//! parallelism"). The parent's other accesses are unordered with the child, since a kernel cannot wait for its children.
//! A launch is an atomic on the counter of a queue in a variable of the module.

use crate::races::epoch::{self, Epoch, PackedEpoch};
use crate::races::happens_before::HappensBefore;
use crate::races::known_clocks::KnownClocks;
use std::sync::Arc;

/// Name of the variable with the queue of launches.
pub const QUEUE: &str = "__lanework_launches";
/// Offset of the counter of launches in it.
pub const COUNTER: u64 = 4;
/// Maximum number of launches of a grid that are distinguished.
pub const MOST: usize = 64;

/// A launch by a thread.
#[derive(Clone)]
pub struct LaunchPoint {
    /// Linear index of its block.
    pub block: u64,
    /// Everything that happens before it.
    known: KnownClocks,
}

impl LaunchPoint {
    /// Whether an access of the parent happens before the launch.
    pub fn is_after(&self, epochs: &[Epoch], access: PackedEpoch) -> bool {
        let (Some(e), Some(known)) = (epochs.get(epoch::number(access) as usize), self.known.get())
        else {
            return false;
        };
        let own = if known.cluster == e.cluster { known.own.beyond(e.slot, e.clock) } else { 0 };
        let others = known.others.get(e.cluster).map_or(0, |clock| clock.beyond(e.slot, e.clock));
        (own | others) >> epoch::lane(access) & 1 != 0
    }
}

/// The launches of a grid, in the order of their numbers.
#[derive(Default)]
pub struct LaunchPoints {
    /// Address of the counter, if the module has a queue.
    pub counter: Option<u64>,
    /// The first launches.
    pub list: Vec<LaunchPoint>,
}

impl LaunchPoints {
    /// A lane launches a grid.
    #[cold]
    pub fn note(&mut self, order: &mut HappensBefore, block: u64, (warp, lane): (u32, u32)) {
        if self.list.len() < MOST {
            let known = order.launched(warp, lane);
            self.list.push(LaunchPoint { block, known });
        }
    }
}

/// The launches of a finished grid, with the epochs of its accesses.
pub struct FinishedLaunches {
    /// Address of the queue.
    pub queue: u64,
    /// The first launches.
    pub list: Vec<LaunchPoint>,
    /// The epochs.
    pub epochs: Arc<[Epoch]>,
}
