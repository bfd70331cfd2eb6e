//! Happens-before between threads and the asynchronous proxy. Also acquires by a relaxed read and a
//! later fence ([`HappensBefore::acquire_by_fence`]).
//!
//! *Algorithm.* Asynchronous copies and warpgroup products act as pseudo-threads with their own
//! slots in the vector clocks. Their completion releases what they did
//! ([`HappensBefore::pseudo_thread_clock`]); waiting for them acquires it. The asynchronous proxy
//! is ordered after a thread's generic accesses only by `fence.proxy.async`, in that thread, in the
//! one that issues the operation, or in one that synchronizes with both in between (PTX ISA, "Memory
//! consistency model", proxies).
//!
//! *Limit.* Writes of other clusters count as fenced if any lane of the writing warp has executed a
//! fence later.

use crate::races::epoch::{self, PackedEpoch};
use crate::races::grid_clock::{GridClock, lanes_known};
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::happens_before::sync_variables::{Release, SyncVariable};
use crate::races::happens_before::{HappensBefore, PSEUDO_THREADS, SeenRelease};
use crate::races::vector_clock::{VectorClock, lanes_beyond};
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

impl HappensBefore {
    /// Whether an access is of an asynchronous operation that a thread has waited for.
    pub fn of_pseudo_thread(&self, access: PackedEpoch) -> bool {
        self.epoch(access).slot as usize >= self.real
    }

    /// Starts an epoch of a pseudo-thread for an operation issued by warp `by.1` of block `by.0`;
    /// returns its number.
    pub fn pseudo_thread_epoch(&mut self, pseudo: usize, by: (u64, u32)) -> u32 {
        self.push(self.real + pseudo, by)
    }

    /// The pseudo-thread of the products of a warp's warpgroup.
    pub fn product_pseudo_thread(&self, warp: usize) -> usize {
        let block = self.first / self.per_block.max(1);
        PSEUDO_THREADS + block * self.per_block.div_ceil(4) + warp / 4
    }

    /// Releases the operations of a pseudo-thread, and starts its next epoch.
    pub fn pseudo_thread_clock(&mut self, pseudo: usize) -> VectorClock {
        let slot = self.real + pseudo;
        let mut clock = vec![0; self.clock.len()];
        clock[slot] = self.clock[slot] + 1;
        self.clock[slot] += 1;
        VectorClock { warps: clock, ahead: Vec::new() }
    }

    /// Joins a lane's clock into the clock that an mbarrier releases, and ends its warp's epoch.
    pub fn release_to(&mut self, clock: &mut VectorClock, warp: usize, lane: u32) {
        let slot = self.slot(warp);
        if self.acts_as_one(slot) {
            self.join_lane_to(clock, slot, lane);
        } else {
            let (of_lane, _) = self.clock_of_lane(slot, lane);
            clock.join(&of_lane);
        }
        self.end_epoch(slot);
    }

    /// The same for a relaxed arrival: releases only what the lane has fenced within its cluster.
    pub fn release_fenced_to(&mut self, clock: &mut VectorClock, warp: usize, lane: u32) {
        let slot = self.slot(warp);
        let [_, Release { mut known, lanes }, ..] = self.fenced_by(slot, lane);
        if let Some(lanes) = lanes {
            known.raise_lanes(self.cluster, lanes);
        }
        known.of_cluster(self.cluster, clock);
    }

    /// Lanes of a warp have seen such a clock by a relaxed wait, an instruction and the version of the phase: their next
    /// fence acquires it.
    pub fn acquire_clock_by_fence(
        &mut self,
        warp: usize,
        lanes: u32,
        (by, version): (u32, u32),
        clock: &VectorClock,
    ) {
        let slot = self.slot(warp);
        let (needed, version) = (Scope::Block, (u64::from(version), Scope::Cluster));
        let (clock, others) = (Arc::new(clock.clone()), GridClock::default());
        self.unfenced[slot].add(SeenRelease { lanes, needed, by, version, clock, others });
    }

    /// Lanes of a warp acquire such a clock; `source` identifies it.
    pub fn acquire_clock(
        &mut self,
        warp: usize,
        lanes: (u32, u32),
        source: AcquireSource,
        clock: &VectorClock,
    ) {
        let slot = self.slot(warp);
        self.acquire_known(slot, lanes, source, |_| {
            (Arc::new(clock.clone()), GridClock::default())
        });
    }

    /// Lanes of a warp execute a fence between the generic and the asynchronous proxy.
    pub fn proxy_fence(&mut self, warp: usize, (lanes, live): (u32, u32)) {
        let slot = self.slot(warp);
        // A new clock, so that only releases after this fence reach it.
        self.advance(slot);
        let (mut clock, mut acquired) = (VectorClock::default(), self.acquired[slot].clone());
        if lanes & live == live {
            (clock, acquired) = self.clock_of_warp(slot);
        } else {
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let (of_lane, also) = self.clock_of_lane(slot, lane);
                clock.join(&of_lane);
                acquired.join(&also);
            }
        }
        self.fenced.raise(slot, &clock);
        self.fenced_acquired[slot] = acquired;
        self.past_fences.insert((self.cluster, slot as u32), clock.farthest()[slot]);
        self.advance(slot);
    }

    /// Whether an access was fenced by its own lane, by a later one of the warp `by`, or by a warp
    /// whose fence happens before the next access of `by`.
    pub fn proxy_fenced(&mut self, access: PackedEpoch, by: u32) -> bool {
        let (e, by) = (self.epoch(access), self.slot(by as usize));
        let slot = e.slot as usize;
        if slot >= self.real {
            return true;
        }
        if e.cluster == self.cluster {
            let fenced = |of: usize| {
                let lanes = lanes_beyond(self.fenced.ahead(of), e.slot, e.clock);
                e.clock < self.fenced.get(of, slot) || lanes >> epoch::lane(access) & 1 != 0
            };
            let known = |of: usize| {
                let fence = self.past_fences.get(&(self.cluster, of as u32));
                fence.is_some_and(|fence| {
                    *fence < self.known.get(by, of)
                        || self.known_lanes(by, None, of as u32, *fence) != 0
                })
            };
            return fenced(slot) || fenced(by) || (0..self.real).any(|of| fenced(of) && known(of));
        }
        let past = self.past_fences.get(&(e.cluster, e.slot));
        past.is_some_and(|clock| e.clock < *clock)
            || lanes_known(&self.fenced_acquired[by], &e) != 0
    }
}

impl HappensBefore {
    /// Records a relaxed read or atomic of a sync variable by `lanes` of a warp, until a fence acquires
    /// what they have seen.
    ///
    /// *Rule.* A thread acquires by an `.acquire` read or atomic, or by a strong read and a later fence
    /// whose scope includes the releasing thread (PTX ISA, "Memory consistency model": acquire
    /// patterns). Between the read and the fence, plain accesses to the released data are unordered: a
    /// GPU may serve them from its L1 cache, and a compiler may move them before the read.
    ///
    /// *Algorithm.* A relaxed read stores the clocks that it would acquire; the fence joins them into
    /// the clocks of its lanes. Barriers and `bar.warp.sync` pass stored clocks on, so the fence may
    /// follow the barrier. PTX guarantees less: it requires read and fence in one thread.
    ///
    /// *Limit.* Strong accesses to the released data need no fence here, although PTX requires it if
    /// the data were written by a weak access: a GPU does not serve them from its L1 cache, and
    /// compilers do not move them before the read.
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
