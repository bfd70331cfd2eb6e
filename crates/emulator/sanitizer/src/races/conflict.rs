//! Whether two accesses race: one by a lane now, and a prior one that a shadow cell remembers.
//!
//! They do where nothing orders the two, one writes, and they are not *morally strong* together: strong (atomic, `.volatile`,
//! `.relaxed` or more), each of a scope that has the other's thread in it, and of one size where both are atomics (PTX ISA,
//! "Memory consistency model").

use super::epoch::{
    ASYNC, ATOMIC, CLUSTER_SCOPE, DATA, DEVICE_SCOPE, PackedEpoch, SIZE, STRONG, number,
    same_thread,
};
use super::happens_before::HappensBefore;

/// Who accesses a cell now.
#[derive(Clone, Copy)]
pub struct LaneAccess {
    /// The access, packed, the lane included.
    pub packed: PackedEpoch,
    /// Its warp.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// Epochs of smaller numbers are of the past.
    pub base: u32,
    /// Whether, if it is strong, its thread goes on from the value that it reads.
    pub observes: bool,
}

/// A prior access that the one under way is not ordered with.
#[derive(Clone, Copy)]
pub struct Conflict {
    /// The prior access.
    pub with: PackedEpoch,
    /// Whether that one wrote.
    pub wrote: bool,
}

/// Whether two accesses are atomics of different sizes.
pub fn mixed_sizes(a: PackedEpoch, b: PackedEpoch) -> bool {
    a & b & STRONG != 0 && a & b & ATOMIC != 0 && (a ^ b) & SIZE != 0
}

/// Whether a write and another access are morally strong, and not both to mere data.
fn morally_strong(order: &HappensBefore, a: PackedEpoch, b: PackedEpoch, wrote: bool) -> bool {
    if a & b & STRONG == 0 || a & b & DATA != 0 || wrote && mixed_sizes(a, b) {
        return false;
    }
    if a & b & DEVICE_SCOPE != 0 {
        return true;
    }
    let (one, other) = (order.epoch(a), order.epoch(b));
    one.block == other.block || a & b & CLUSTER_SCOPE != 0 && one.cluster == other.cluster
}

impl LaneAccess {
    /// Whether a prior access happens before this one.
    #[inline(always)]
    pub(super) fn ordered(&self, order: &mut HappensBefore, prior: PackedEpoch) -> bool {
        prior == 0
            || number(prior) < self.base
            || same_thread(prior, self.packed)
            || order.happens_before(prior, self.warp, self.lane)
    }

    /// Whether a prior access races with this one, if one of them writes: the prior one if it `wrote`.
    #[inline(always)]
    pub(super) fn races(
        &self,
        order: &mut HappensBefore,
        (prior, wrote): (PackedEpoch, bool),
    ) -> bool {
        if prior & ASYNC != 0 && number(prior) >= self.base {
            // Copies that combine go on beside each other.
            return prior & self.packed & STRONG == 0;
        }
        prior != 0
            && !morally_strong(order, prior, self.packed, wrote)
            && !self.ordered(order, prior)
    }
}
