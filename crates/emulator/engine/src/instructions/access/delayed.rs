//! Delayed reductions: write combining of atomics without results, so that workers do not pass the cache lines of a histogram's
//! bins back and forth.
//!
//! [`DelayableReductions`](lanework_ptx_ir::analysis::reductions::DelayableReductions) selects kernels in which no other block can
//! tell when a reduction reaches memory. If several workers run such a kernel, each one combines the operands per word in a
//! direct-mapped table. A word leaves the table when another word needs its place, and at the end of the launch.
//!
//! What keeps the results of one worker's blocks as if each reduction were performed at once:
//!
//! - A *joined* region is one with words in the table. No site of another kind of access has a joined region cached: joining
//!   takes the region away from all of them. Their next access to it looks the region up, and that path ([`reveal`]) publishes
//!   all words and ends delaying for this worker and launch. So an access never misses a reduction of an earlier instruction
//!   of the same thread, or of a thread that a barrier of the block ordered before it.
//! - Reductions that bypass the table while words are in it have the same function, or go through [`reveal`]; the order of the two
//!   does not matter.
//! - A block that only spins publishes after each of its time slices, and a launch ends for every other worker regardless.
//!
//! If more than a quarter of the words are displaced before they are combined, delaying costs more than it saves, and ends.

use crate::instructions::access::site::{AccessSite, Region};
use crate::instructions::access::{each_active, within};
use crate::instructions::alu::atomic::{Combine, replace};
use crate::machine::context::Context;
use crate::machine::lanes::addresses;
use crate::machine::slot::Lanes;
use crate::machine::{Op, Warp};

/// Words of the table: enough for the histograms of most programs, and 64 KiB.
const WORDS: usize = 1 << 12;
/// Regions that a worker can join.
const REGIONS: usize = 4;
/// Displaced words that each warp instruction may cause on average, and the number allowed at first.
const DISPLACED: (i64, i64) = (8, 1 << 14);

/// Whether the reductions of a site are delayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Never: another kind of access.
    Never,
    /// Once its region has been joined.
    Possible,
    /// Its cached region is joined.
    Joined,
}

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
    /// Displaced words that are still allowed.
    allowed: i64,
}

impl Delayed {
    /// None yet, of a function on words of this size.
    pub fn new(combine: Combine, bytes: u8) -> Delayed {
        let (words, joined) = (Vec::new(), Vec::new());
        Delayed { words, joined, combine, bytes, allowed: DISPLACED.1 }
    }

    /// Combines the operands of the lanes in `mask` with their words, by `sum`, which computes the same as the table's function.
    ///
    /// # Safety
    /// The host addresses of the active lanes are those of aligned words in a joined region.
    #[inline(always)]
    unsafe fn add(
        &mut self,
        mask: u32,
        host: &Lanes<u64>,
        operand: impl Fn(usize) -> u64,
        sum: impl Fn(u64, u64) -> u64,
    ) {
        let shift = self.bytes.trailing_zeros();
        self.allowed += DISPLACED.0;
        each_active(mask, |i| {
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
        });
    }

    /// Performs the reduction of a word in memory.
    ///
    /// # Safety
    /// The word is one of the table's.
    unsafe fn perform(&self, word: Word) {
        // SAFETY: `delay` checked bounds and alignment of the word before it entered the table.
        unsafe { replace(word.host as *mut u8, self.bytes, |m| (self.combine)(m, word.value, 0)) };
    }

    /// Performs all reductions.
    fn publish(&mut self) {
        for i in 0..self.words.len() {
            let word = std::mem::replace(&mut self.words[i], Word { host: 0, value: 0 });
            if word.host != 0 {
                // SAFETY: the word was in the table.
                unsafe { self.perform(word) };
            }
        }
    }
}

/// Performs the delayed reductions of a worker, if there are any.
pub fn publish(context: &mut Context) {
    if let Some(delayed) = &mut context.delayed {
        delayed.publish();
    }
}

/// Delays the reduction of a site, if its cached region is or can be joined; else the caller performs it.
///
/// # Safety
/// A running handler was given the operation and the warp, and the site is the operation's. `sum` computes the same as the site's
/// function.
#[inline(always)]
pub unsafe fn delay(
    op: &Op,
    warp: &mut Warp,
    site: *mut AccessSite,
    operand: impl Fn(usize) -> u64,
    sum: impl Fn(u64, u64) -> u64,
) -> bool {
    // SAFETY: the worker owns the site and the context for as long as its warps run.
    unsafe {
        let context = warp.context;
        let at = addresses(warp, op.b, (*site).offset);
        let mut host = Lanes([0u64; 32]);
        let bytes = u64::from((*site).bytes);
        if !within(&(*site).region, warp.mask, &at, bytes, &mut host)
            || (*site).delay != Delay::Joined && !join(context, site)
        {
            return false;
        }
        let Some(delayed) = &mut (*context).delayed else { return false };
        delayed.add(warp.mask, &host, operand, sum);
        if delayed.allowed < 0 {
            end(&mut *context);
        }
        true
    }
}

/// Joins a site's region. Fails if it is not in global memory, or if too many are joined.
///
/// # Safety
/// The worker owns the context, and the site is one of its sites.
#[cold]
#[inline(never)]
unsafe fn join(context: *mut Context, site: *mut AccessSite) -> bool {
    // SAFETY: the worker owns both (contract of this function), and the launch holds the lock of global memory.
    unsafe {
        let region = (*site).region;
        let Some(delayed) = &mut (*context).delayed else { return false };
        if !delayed.joined.iter().any(|joined| joined.host == region.host) {
            let global = (*(*context).memory).region(region.start);
            if global.is_none_or(|global| global.host != region.host)
                || delayed.joined.len() == REGIONS
            {
                return false;
            }
            if delayed.words.is_empty() {
                delayed.words = vec![Word { host: 0, value: 0 }; WORDS];
            }
            delayed.joined.push(region);
            for other in &mut (*context).sites {
                if other.delay == Delay::Never && overlap(&other.region, &region) {
                    other.hit(Region::EMPTY);
                }
            }
        }
        (*site).delay = Delay::Joined;
        true
    }
}

/// Whether two regions share memory of the host: one allocation can be mapped at several guest addresses.
fn overlap(a: &Region, b: &Region) -> bool {
    let (first, second) = (a.host as u64, b.host as u64);
    a.bytes > 0 && b.bytes > 0 && first < second + b.bytes && second < first + a.bytes
}

/// Called before an access to a region that its site has not cached: if the region is joined, performs the delayed reductions and
/// ends delaying.
pub fn reveal(context: &mut Context, region: &Region) {
    let joined = |delayed: &Box<Delayed>| delayed.joined.iter().any(|one| overlap(one, region));
    if context.delayed.as_ref().is_some_and(joined) {
        end(context);
    }
}

/// Performs the delayed reductions; no later one is delayed.
#[cold]
#[inline(never)]
fn end(context: &mut Context) {
    publish(context);
    context.delayed = None;
    for site in &mut context.sites {
        site.delay = Delay::Never;
    }
}
