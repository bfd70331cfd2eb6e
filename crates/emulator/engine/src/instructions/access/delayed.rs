//! Delayed reductions: write combining of atomics without results, so that workers do not pass the cache lines of a histogram's
//! bins back and forth.
//!
//! [`DelayableReductions`](lanework_ptx_ir::analysis::reductions::DelayableReductions) selects kernels in which no other block can
//! tell when a reduction reaches memory. Each worker that runs such a kernel combines the operands per word in a direct-mapped
//! table, once it has performed many reductions: an addition there takes a third of the host's exchange. A word leaves the table when another word needs its place, and at the end of the launch.
//!
//! What keeps the results of one worker's blocks as if each reduction were performed at once:
//!
//! - A *joined* region is one with words in the table. No site of another kind of access has a joined region cached: joining
//!   takes the region away from all of them. Their next access to it looks the region up, and that path ([`Delayed::covers`]) publishes
//!   all words and ends delaying for this worker and launch. So an access never misses a reduction of an earlier instruction
//!   of the same thread, or of a thread that a barrier of the block ordered before it.
//! - Reductions that bypass the table while words are in it have the same function, or look their region up, too; the order of the two
//!   does not matter.
//! - A block that only spins publishes after each of its time slices, and a launch ends for every other worker regardless.
//!
//! If more than a quarter of the words are displaced before they are combined, delaying costs more than it saves, and ends.

use crate::instructions::access::site::Region;
use crate::instructions::alu::atomic::{Combine, replace};
use crate::machine::slot::Lanes;

/// Words of the table: enough for the histograms of most programs, and 64 KiB.
const WORDS: usize = 1 << 12;
/// Regions that a worker can join.
const REGIONS: usize = 4;
/// Lanes of the first reductions, which are performed at once: their exchanges take as long as clearing and publishing the table.
const EARLY: u32 = 1 << 11;
/// Displaced words that each warp instruction may cause on average, and the number allowed at first.
const DISPLACED: (i64, i64) = (8, 1 << 14);

/// A word in the table.
#[derive(Clone, Copy)]
struct Word {
    /// Its host address; 0 if the entry is free.
    host: u64,
    /// The combined operands.
    value: u64,
}

/// A worker's delayed reductions.
pub struct Delayed {
    words: Vec<Word>,
    joined: Vec<Region>,
    combine: Combine,
    bytes: u8,
    /// Lanes that have performed reductions at once.
    early: u32,
    /// Displaced words that are still allowed.
    allowed: i64,
}

impl Delayed {
    /// None yet, of a function on words of this size.
    pub fn new(combine: Combine, bytes: u8) -> Delayed {
        let (words, joined) = (Vec::new(), Vec::new());
        Delayed { words, joined, combine, bytes, early: 0, allowed: DISPLACED.1 }
    }

    /// Combines the operands of the lanes in `mask` with their words, by `sum`, which computes the same as the table's function.
    ///
    /// # Safety
    /// Each active lane's host address points to an aligned word in a joined region.
    #[inline(always)]
    pub unsafe fn add(
        &mut self,
        mask: u32,
        host: &Lanes<u64>,
        operand: impl Fn(usize) -> u64,
        sum: impl Fn(u64, u64) -> u64,
    ) {
        let shift = self.bytes.trailing_zeros();
        self.allowed += DISPLACED.0;
        let mut rest = mask;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize & 31;
            rest &= rest - 1;
            let (at, operand) = (host.0[i], operand(i));
            let word = &mut self.words[(at >> shift) as usize % WORDS];
            if word.host == at {
                word.value = sum(word.value, operand);
            } else {
                let displaced = std::mem::replace(word, Word { host: at, value: operand });
                if displaced.host != 0 {
                    self.allowed -= 1;
                    // SAFETY: the entry's address came from an earlier call; its region lives as long as the launch.
                    unsafe { self.perform(displaced) };
                }
            }
        }
    }

    /// Performs the reduction of a word in memory.
    ///
    /// # Safety
    /// The word is one of the table's.
    unsafe fn perform(&self, word: Word) {
        // SAFETY: `add` requires an aligned word of a joined region, which lives as long as the launch.
        unsafe { replace(word.host as *mut u8, self.bytes, |m| (self.combine)(m, word.value, 0)) };
    }

    /// Whether the launch has performed so many reductions that the table will pay off; this one is of so many lanes.
    pub fn pays_off(&mut self, lanes: u32) -> bool {
        self.early = self.early.saturating_add(lanes);
        self.early > EARLY
    }

    /// Joins a region, which lives as long as the launch; `false` if too many are joined.
    pub fn join(&mut self, region: Region) -> bool {
        if self.joined.iter().any(|joined| joined.host == region.host) {
            return true;
        }
        if self.joined.len() == REGIONS {
            return false;
        }
        if self.words.is_empty() {
            self.words = vec![Word { host: 0, value: 0 }; WORDS];
        }
        self.joined.push(region);
        true
    }

    /// Whether a region shares memory with a joined one.
    pub fn covers(&self, region: &Region) -> bool {
        self.joined.iter().any(|joined| overlap(joined, region))
    }

    /// Whether too many words were displaced.
    #[inline(always)]
    pub fn is_useless(&self) -> bool {
        self.allowed < 0
    }

    /// Performs all reductions.
    pub fn publish(&mut self) {
        for i in 0..self.words.len() {
            let word = std::mem::replace(&mut self.words[i], Word { host: 0, value: 0 });
            if word.host != 0 {
                // SAFETY: the word was in the table.
                unsafe { self.perform(word) };
            }
        }
    }
}

/// Whether two regions share memory of the host: one allocation can be mapped at several guest addresses.
pub fn overlap(a: &Region, b: &Region) -> bool {
    let (first, second) = (a.host as u64, b.host as u64);
    a.bytes > 0 && b.bytes > 0 && first < second + b.bytes && second < first + a.bytes
}
