//! Happens-before between threads and the asynchronous proxy.
//!
//! *Algorithm.* Asynchronous copies and warpgroup products act as pseudo-threads with their own
//! slots in the vector clocks. Their completion releases what they did
//! ([`HappensBefore::pseudo_thread_clock`]); waiting for them acquires it. The asynchronous proxy
//! sees a thread's generic writes only after `fence.proxy.async`, in the thread that wrote or in
//! the one that issues the operation (PTX ISA, "Memory consistency model", proxies).
//!
//! *Limit.* Writes of other clusters count as fenced if any lane of the writing warp has executed a
//! fence later.

use crate::races::epoch::{self, PackedEpoch};
use crate::races::grid_clock::GridClock;
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::happens_before::{HappensBefore, PSEUDO_THREADS};
use crate::races::known_clocks::lanes_known;
use crate::races::vector_clock::{VectorClock, lanes_beyond};
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
        self.end_epoch(slot);
    }

    /// Whether a write was fenced by its own lane, or by a later one of the warp `by`.
    pub fn proxy_fenced(&mut self, write: PackedEpoch, by: u32) -> bool {
        let (e, by) = (self.epoch(write), self.slot(by as usize));
        let slot = e.slot as usize;
        if slot >= self.real {
            return true;
        }
        if e.cluster == self.cluster {
            let fenced = |of: usize| {
                let lanes = lanes_beyond(self.fenced.ahead(of), e.slot, e.clock);
                e.clock < self.fenced.get(of, slot) || lanes >> epoch::lane(write) & 1 != 0
            };
            return fenced(slot) || fenced(by);
        }
        let past = self.past_fences.get(&(e.cluster, e.slot));
        past.is_some_and(|clock| e.clock < *clock)
            || lanes_known(&self.fenced_acquired[by], &e) != 0
    }
}
