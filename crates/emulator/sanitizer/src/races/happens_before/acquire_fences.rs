//! Relaxed reads of sync variables: what they have seen, until a fence acquires it.
//!
//! *Rule.* A thread acquires by an `.acquire` read or atomic, or by a strong read and a later fence
//! whose scope includes the releasing thread (PTX ISA, "Memory consistency model": acquire
//! patterns). Between the read and the fence, plain accesses to the released data are unordered: a
//! GPU may serve them from its L1 cache, and a compiler may move them up.
//!
//! *Algorithm.* A relaxed read stores the clocks that it would acquire; the fence joins them into
//! the clocks of its lanes. Barriers and `bar.warp.sync` pass stored clocks on, so the fence may
//! follow the barrier. That is more than PTX guarantees, which wants read and fence in one thread.
//!
//! *Limit.* Strong accesses to the released data need no fence here, although PTX requires it if the data were
//! written by a weak access: a GPU does not serve them from its L1 cache, and compilers do not move them up.

use crate::races::epoch::{self, PackedEpoch};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::happens_before::sync_variables::SyncVariable;
use crate::races::happens_before::unfenced_reads::SeenRelease;
use crate::races::known_clocks::lanes_known;
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

impl HappensBefore {
    /// Lanes of a warp read a sync variable by a relaxed read or atomic, of a scope and by an
    /// instruction. `lanes` are these lanes.
    pub fn acquire_by_fence(
        &mut self,
        warp: usize,
        lanes: u32,
        variable: SyncVariable,
        (scope, by): (Scope, u32),
    ) {
        let (here, slot) = (self.here(), self.slot(warp));
        let Some(version) = self.releases.version(variable, here, scope) else { return };
        let version = (version, scope);
        let again = |seen: &&mut SeenRelease| (seen.version, seen.by) == (version, by);
        if let Some(seen) = self.unfenced[slot].list.iter_mut().find(again) {
            seen.lanes |= lanes;
            return;
        }
        let needed = self.releases.distance(variable, here);
        let (clock, others) = self.releases.acquired(variable, here, scope);
        self.unfenced[slot].add(SeenRelease { lanes, needed, by, version, clock, others });
    }

    /// Lanes of a warp execute a fence, and acquire what they have seen. `lanes` are these lanes and
    /// the live lanes of the warp.
    pub fn acquire_fence(&mut self, warp: usize, lanes: (u32, u32), scope: Scope) {
        self.acquire_seen(self.slot(warp), lanes, scope);
    }

    /// Lanes acquire what they have seen of the threads within a scope.
    #[inline(always)]
    pub(super) fn acquire_seen(&mut self, slot: usize, lanes: (u32, u32), scope: Scope) {
        if !self.unfenced[slot].list.is_empty() {
            self.acquire_all_seen(slot, lanes, scope);
        }
    }

    #[inline(never)]
    fn acquire_all_seen(&mut self, slot: usize, (lanes, live): (u32, u32), scope: Scope) {
        for mut seen in std::mem::take(&mut self.unfenced[slot].list) {
            let both = seen.lanes & lanes;
            if seen.needed <= scope && both != 0 {
                seen.lanes &= !lanes;
                let known = (Arc::clone(&seen.clock), seen.others.clone());
                self.acquire_known(slot, (both, live), AcquireSource::Lanes, |_| known);
            }
            if seen.lanes & live != 0 {
                self.unfenced[slot].list.push(seen);
            }
        }
    }

    /// The relaxed read by which a lane of a warp, or else another lane, has seen that an access
    /// happened before, if only a fence is missing after it.
    pub fn missing_acquire(&self, access: PackedEpoch, warp: u32, lane: u32) -> Option<u32> {
        let (e, by) = (self.epoch(access), epoch::lane(access));
        let covers = |seen: &&SeenRelease| {
            let known = match e.cluster == self.cluster {
                true => seen.clock.beyond(e.slot, e.clock),
                false => lanes_known(&seen.others, &e),
            };
            known >> by & 1 != 0
        };
        let list = &self.unfenced[self.slot(warp as usize)].list;
        let own = list.iter().filter(|seen| seen.lanes >> lane & 1 != 0).find(covers);
        own.or_else(|| list.iter().find(covers)).map(|seen| seen.by)
    }
}
