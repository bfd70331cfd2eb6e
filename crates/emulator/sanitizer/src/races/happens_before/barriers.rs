//! Happens-before by barriers of the block, of the cluster, and of a warp's lanes.
//!
//! *Algorithm.* A barrier has a clock: an arriving warp joins its vector clock into it, a released
//! warp joins the barrier's clock into its own. `bar.arrive` only arrives, so it orders in one
//! direction. A warp that has exited counts as arrived at barriers of all threads.
//!
//! The *warp-sync epoch* orders a warp's lanes: accesses below that clock happen before all lanes.
//! If `bar.warp.sync` names only some lanes, pairs of lanes have their own clock. Lanes that
//! synchronize also share what they acquired alone ([`super::lane_clocks`]), and each may release
//! what the others have fenced.
//!
//! A barrier also passes on the releases that its warps have seen by relaxed reads; a later fence by
//! any of these warps acquires them. For releases by warps of the block, the barrier is that fence.
//!
//! A barrier with a count of threads does not say which warps it waits for. If a warp waits there, and nothing orders it after
//! the arrival of a warp that the barrier has released last, then the two could have arrived in the other order, and the warp
//! would have been released in place of the other.
//!
//! *Source.* PTX ISA, "Memory consistency model": barriers synchronize (base causality order).

use crate::races::happens_before::{BarrierClock, BarrierWait, HappensBefore};
use lanework_ptx_ir::kernel::Scope;
use std::ops::Range;

impl HappensBefore {
    /// The members of a warp synchronize.
    pub fn warp_sync(&mut self, warp: usize, members: u32, live: u32) {
        let slot = self.slot(warp);
        self.advance(slot);
        self.share(slot, members, live);
        self.share_fences(slot, members, live);
        self.unfenced[slot].share(members);
        let now = self.clock[slot];
        if members & live == live {
            self.warp_sync[slot] = now;
            self.pair_sync[slot] = None;
            return;
        }
        let pairs = self.pair_sync[slot].get_or_insert_with(|| Box::new([[0; 32]; 32]));
        let of = || (0..32).filter(|lane| members >> lane & 1 != 0);
        // All members now know what any of them knew about another lane.
        for (lane, known) in pairs.iter_mut().enumerate() {
            let most = of().map(|member| known[member]).max().unwrap_or(0);
            let most = if members >> lane & 1 != 0 { now } else { most };
            of().for_each(|member| known[member] = most);
        }
    }

    /// A warp has exited.
    pub fn end(&mut self, warp: usize) {
        let slot = self.slot(warp);
        self.ended[slot] = true;
    }

    /// The index of a barrier of the running block.
    fn barrier(&self, number: usize) -> usize {
        self.first / self.per_block.max(1) * 16 + (number & 15)
    }

    /// A warp arrives at a barrier.
    pub fn arrive(&mut self, warp: usize, number: usize) {
        let (slot, number) = (self.slot(warp), self.barrier(number));
        let mut barrier = std::mem::take(&mut self.barriers[number]);
        self.arrive_at(&mut barrier, slot);
        self.barriers[number] = barrier;
    }

    /// A warp waits at the barrier where it has just arrived. Returns the wait of another warp that the barrier has released
    /// last, if this warp could have arrived in its place.
    pub fn waits_at(
        &mut self,
        (warp, instruction): (usize, u32),
        number: usize,
    ) -> Option<BarrierWait> {
        let (slot, number) = (self.slot(warp), self.barrier(number));
        // An arrival ends the warp's epoch.
        let clock = self.clock[slot] - 1;
        let barrier = &mut self.barriers[number];
        barrier.waiting.push(BarrierWait { slot, clock, warp, instruction });
        let concurrent = |one: &&BarrierWait| one.clock >= self.known.get(slot, one.slot);
        let others = barrier.waited.iter().all(|one| one.slot != slot);
        barrier.waited.iter().find(concurrent).copied().filter(|_| others)
    }

    fn arrive_at(&mut self, barrier: &mut BarrierClock, slot: usize) {
        self.acquire_seen(slot, (u32::MAX, u32::MAX), Scope::Block);
        barrier.unfenced.join(&self.unfenced[slot]);
        self.share(slot, u32::MAX, u32::MAX);
        self.share_fences(slot, u32::MAX, u32::MAX);
        let (warps, ahead) = self.known.parts(slot);
        barrier.clock.join_parts(warps, ahead);
        let own = &mut barrier.clock.warps[slot];
        *own = (*own).max(self.done(slot));
        self.joins.join(&mut barrier.acquired, &self.acquired[slot]);
        barrier.fences.join(&self.fences[slot].all);
        self.advance(slot);
        self.warp_sync[slot] = self.clock[slot];
        self.pair_sync[slot] = None;
    }

    /// Exited warps count as arrived.
    fn ended_at(&mut self, barrier: &mut BarrierClock, slots: Range<usize>) {
        for slot in slots {
            if !self.ended[slot] {
                continue;
            }
            let (clock, acquired) = self.clock_of_warp(slot);
            barrier.clock.join(&clock);
            barrier.acquired.join(&acquired);
            self.share_fences(slot, u32::MAX, u32::MAX);
            barrier.fences.join(&self.fences[slot].all);
            barrier.unfenced.join(&self.unfenced[slot]);
        }
    }

    fn leave(&mut self, slot: usize, barrier: &BarrierClock) {
        self.known.raise(slot, &barrier.clock);
        self.joins.join(&mut self.acquired[slot], &barrier.acquired);
        self.unfenced[slot].join(&barrier.unfenced);
    }

    /// A barrier releases these warps; `whole` if it waited for all threads.
    pub fn complete(&mut self, number: usize, released: &[usize], whole: bool) {
        let number = self.barrier(number);
        let mut barrier = std::mem::take(&mut self.barriers[number]);
        if whole {
            self.ended_at(&mut barrier, self.first..self.first + self.per_block);
        }
        for &warp in released {
            let slot = self.slot(warp);
            self.leave(slot, &barrier);
            // Includes the fences of this warp, which has just arrived.
            self.fences[slot].all = barrier.fences.clone();
        }
        // Keeps the allocation for the next use.
        barrier.clock.clear();
        barrier.acquired = Default::default();
        barrier.fences = Default::default();
        barrier.unfenced = Default::default();
        barrier.waited.clear();
        std::mem::swap(&mut barrier.waiting, &mut barrier.waited);
        if whole {
            barrier.waited.clear();
        }
        self.barriers[number] = barrier;
    }

    /// A warp arrives at the cluster's barrier. A `relaxed` arrival releases only what the warp has
    /// fenced.
    pub fn cluster_arrive(&mut self, warp: usize, generation: u32, relaxed: bool) {
        let (slot, g) = (self.slot(warp), generation as usize & 1);
        let mut barrier = std::mem::take(&mut self.cluster_barrier[g]);
        if relaxed {
            let fenced = self.fenced_by_all(slot);
            fenced.cluster.of_cluster(self.cluster, &mut barrier.clock);
            if let Some(known) = fenced.cluster.get() {
                barrier.acquired.join(&known.others);
            }
            barrier.fences.join(&fenced);
        } else {
            self.arrive_at(&mut barrier, slot);
        }
        self.cluster_barrier[g] = barrier;
    }

    /// All warps have arrived at the cluster's barrier, in this generation, including exited ones.
    pub fn cluster_complete(&mut self, generation: u32) {
        let g = generation as usize & 1;
        let mut barrier = std::mem::take(&mut self.cluster_barrier[g]);
        self.ended_at(&mut barrier, 0..self.real);
        self.cluster_barrier[g] = barrier;
        self.cluster_barrier[1 - g] = BarrierClock::default();
    }

    /// The cluster's barrier releases a warp that arrived in this generation.
    pub fn cluster_leave(&mut self, warp: usize, generation: u32) {
        let (slot, g) = (self.slot(warp), generation as usize & 1);
        let barrier = std::mem::take(&mut self.cluster_barrier[g]);
        self.leave(slot, &barrier);
        self.fences[slot].all.join(&barrier.fences);
        self.cluster_barrier[g] = barrier;
    }
}
