//! Releases that relaxed reads of sync variables have seen, until a fence acquires them ([`super::acquire_fences`]).

use crate::races::grid_clock::GridClock;
use crate::races::vector_clock::{VectorClock, join_shared};
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

/// Releases that one instruction has seen in some lanes.
#[derive(Clone, Debug)]
pub(super) struct SeenRelease {
    pub(super) lanes: u32,
    /// The scope that the fence needs.
    pub(super) needed: Scope,
    /// The reading instruction.
    pub(super) by: u32,
    /// The version of the sync variable that was read last, and the scope of the read.
    pub(super) version: (u64, Scope),
    pub(super) clock: Arc<VectorClock>,
    /// Of other clusters.
    pub(super) others: GridClock,
}

/// Releases that the lanes of a warp, or the warps at a barrier, have seen without a fence.
#[derive(Clone, Debug, Default)]
pub(super) struct UnfencedReads {
    pub(super) list: Vec<SeenRelease>,
}

impl UnfencedReads {
    pub(super) fn add(&mut self, new: SeenRelease) {
        let like = |old: &&mut SeenRelease| {
            (old.lanes, old.needed, old.by) == (new.lanes, new.needed, new.by)
        };
        match self.list.iter_mut().find(like) {
            Some(old) => {
                join_shared(&mut old.clock, &new.clock);
                old.others.join(&new.others);
                old.version = new.version;
            }
            None => self.list.push(new),
        }
    }

    /// Adds all of another, for all lanes.
    #[inline(always)]
    pub(super) fn join(&mut self, other: &UnfencedReads) {
        let of_all = |seen: &SeenRelease| SeenRelease { lanes: u32::MAX, ..seen.clone() };
        other.list.iter().for_each(|seen| self.add(of_all(seen)));
    }

    /// These lanes synchronize.
    #[inline(always)]
    pub(super) fn share(&mut self, members: u32) {
        let seen = self.list.iter_mut().filter(|seen| seen.lanes & members != 0);
        seen.for_each(|seen| seen.lanes |= members);
    }
}
