//! Happens-before by barriers: of the block, of the cluster, and of a warp's lanes.
//!
//! A barrier has a clock: whoever arrives joins its vector clock into it, whoever is released joins the
//! barrier's clock into its own. `bar.arrive` only arrives, so that it orders in one direction. A warp
//! that has ended counts as having arrived at barriers of all threads.
//!
//! A warp's lanes are ordered by the *warp-sync epoch*: the clock below which all lanes come before all
//! lanes. Where `bar.warp.sync` names some lanes only, it is kept by pairs of lanes.

use super::happens_before::{BarrierClock, HappensBefore};
use super::releases::{Fenced, NONE};
use super::vector_clock::{join, raise};

impl HappensBefore {
    /// The members of a warp synchronise.
    pub fn warp_sync(&mut self, warp: usize, members: u32, live: u32) {
        let slot = self.slot(warp);
        self.advance(slot);
        let now = self.clock[slot];
        if members & live == live {
            self.warp_sync[slot] = now;
            return;
        }
        let pairs = self.pair_sync[slot].get_or_insert_with(|| Box::new([[0; 32]; 32]));
        for a in (0..32).filter(|a| members >> a & 1 != 0) {
            for b in (0..32).filter(|b| members >> b & 1 != 0) {
                pairs[a][b] = now;
            }
        }
    }

    /// A warp has ended.
    pub fn end(&mut self, warp: usize) {
        let slot = self.slot(warp);
        self.ended[slot] = true;
    }

    /// The index of a barrier of the block whose turn it is.
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

    fn arrive_at(&mut self, barrier: &mut BarrierClock, slot: usize) {
        join(&mut barrier.clock, self.known.row(slot));
        let own = &mut barrier.clock[slot];
        *own = (*own).max(self.clock[slot] + 1);
        barrier.acquired = self.releases.both(barrier.acquired, self.acquired[slot]);
        barrier.fences = self.releases.both_fenced(barrier.fences, self.fences[slot]);
        self.advance(slot);
        self.warp_sync[slot] = self.clock[slot];
    }

    fn leave(&mut self, slot: usize, barrier: &BarrierClock) {
        raise(self.known.row_mut(slot), &barrier.clock);
        self.acquired[slot] = self.releases.both(self.acquired[slot], barrier.acquired);
    }

    /// A barrier releases these warps; `whole` when it waited for all threads.
    pub fn complete(&mut self, number: usize, released: &[usize], whole: bool) {
        let number = self.barrier(number);
        let mut barrier = std::mem::take(&mut self.barriers[number]);
        if whole {
            let own = self.first..self.first + self.per_block;
            for slot in own.filter(|slot| self.ended[*slot]) {
                join(&mut barrier.clock, &self.clock_with_own(slot));
                barrier.fences = self.releases.both_fenced(barrier.fences, self.fences[slot]);
            }
        }
        for &warp in released {
            let slot = self.slot(warp);
            self.leave(slot, &barrier);
            // Those of this warp, which has just arrived, are among them.
            self.fences[slot] = barrier.fences;
        }
        // Its room is kept for those who come next.
        barrier.clock.clear();
        barrier.acquired = NONE;
        barrier.fences = Fenced::default();
        self.barriers[number] = barrier;
    }

    /// A warp arrives at the cluster's barrier, in a generation of it.
    pub fn cluster_arrive(&mut self, warp: usize, generation: u32) {
        let (slot, g) = (self.slot(warp), generation as usize & 1);
        let mut barrier = std::mem::take(&mut self.cluster_barrier[g]);
        self.arrive_at(&mut barrier, slot);
        self.cluster_barrier[g] = barrier;
    }

    /// All have arrived at the cluster's barrier, in this generation: those that have ended, too.
    pub fn cluster_complete(&mut self, generation: u32) {
        let g = generation as usize & 1;
        let mut barrier = std::mem::take(&mut self.cluster_barrier[g]);
        for slot in (0..self.real).filter(|slot| self.ended[*slot]) {
            join(&mut barrier.clock, &self.clock_with_own(slot));
        }
        self.cluster_barrier[g] = barrier;
        self.cluster_barrier[1 - g] = BarrierClock::default();
    }

    /// The cluster's barrier releases a warp that arrived in this generation.
    pub fn cluster_leave(&mut self, warp: usize, generation: u32) {
        let (slot, g) = (self.slot(warp), generation as usize & 1);
        let barrier = std::mem::take(&mut self.cluster_barrier[g]);
        self.leave(slot, &barrier);
        self.fences[slot] = self.releases.both_fenced(self.fences[slot], barrier.fences);
        self.cluster_barrier[g] = barrier;
    }
}
