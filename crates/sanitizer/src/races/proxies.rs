//! Happens-before between threads and the asynchronous proxy.
//!
//! Asynchronous copies and the products of a warpgroup act as pseudo-threads with slots of their own in
//! the vector clocks. Completing them releases what they did ([`HappensBefore::pseudo_thread_clock`]);
//! waiting for them acquires it. What a thread wrote by the generic proxy is visible to the asynchronous
//! one only after `fence.proxy.async`, in the thread that wrote or in the one that starts the operation
//! (PTX ISA, "Memory consistency model", proxies).

use super::epoch::PackedEpoch;
use super::happens_before::{HappensBefore, PSEUDO_THREADS};
use super::releases::NONE;
use super::vector_clock::{VectorClock, raise};

impl HappensBefore {
    /// Whether an access is of an asynchronous operation that somebody has waited for.
    pub fn of_pseudo_thread(&self, access: PackedEpoch) -> bool {
        self.epoch(access).slot as usize >= self.real
    }

    /// An epoch of a pseudo-thread for what a warp of a block started; gives its number.
    pub fn pseudo_thread_epoch(&mut self, pseudo: usize, by: (u64, u32)) -> u32 {
        self.push(self.real + pseudo, by)
    }

    /// The pseudo-thread of the products of a warp's warpgroup.
    pub fn product_pseudo_thread(&self, warp: usize) -> usize {
        let block = self.first / self.per_block.max(1);
        PSEUDO_THREADS + block * self.per_block.div_ceil(4) + warp / 4
    }

    /// What a pseudo-thread has done until now, to be released; it then begins another epoch.
    pub fn pseudo_thread_clock(&mut self, pseudo: usize) -> VectorClock {
        let slot = self.real + pseudo;
        let mut clock = vec![0; self.clock.len()];
        clock[slot] = self.clock[slot] + 1;
        self.clock[slot] += 1;
        clock
    }

    /// What a warp knows and did until now, to be released at an mbarrier; it then begins another epoch.
    pub fn release_clock(&mut self, warp: usize) -> VectorClock {
        let slot = self.slot(warp);
        let clock = self.clock_with_own(slot);
        self.advance(slot);
        clock
    }

    /// A warp acquires what was released so.
    pub fn acquire_clock(&mut self, warp: usize, clock: &[u32]) {
        let slot = self.slot(warp);
        raise(self.known.row_mut(slot), clock);
        // Lanes that released come before those of their own warp, too.
        let own = clock.get(slot).copied().unwrap_or(0);
        self.warp_sync[slot] = self.warp_sync[slot].max(own);
    }

    /// A warp runs a fence between the generic and the asynchronous proxy.
    pub fn proxy_fence(&mut self, warp: usize) {
        let slot = self.slot(warp);
        let clock = self.clock_with_own(slot);
        self.past_fences.insert((self.cluster, slot as u32), clock[slot]);
        self.fenced.row_mut(slot).copy_from_slice(&clock);
        self.fenced_acquired[slot] = self.acquired[slot];
        self.advance(slot);
    }

    /// Whether a write was fenced, by its own warp or by the one that goes on with it.
    pub fn proxy_fenced(&mut self, write: PackedEpoch, by: u32) -> bool {
        let (e, by) = (self.epoch(write), self.slot(by as usize));
        let slot = e.slot as usize;
        if slot >= self.real {
            return true;
        }
        if e.cluster == self.cluster {
            let fenced = |of: usize| self.fenced.get(of, slot);
            return e.clock < fenced(slot) || e.clock < fenced(by);
        }
        let past = self.past_fences.get(&(e.cluster, e.slot));
        let acquired = self.fenced_acquired[by];
        past.is_some_and(|clock| e.clock < *clock)
            || acquired != NONE && self.releases.reach(acquired, e)
    }
}
