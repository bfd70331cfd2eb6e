//! The counting instrument: the counts of a hardware profiler, for each instruction.
//!
//! The engine counts accesses that follow a pattern, and visits of basic blocks, in place. This
//! module provides the cost of a pattern, counts all other accesses, and adds the totals to their
//! counters.

use crate::cost;
use crate::counters::{Counters, add_each};
use lanework_engine::counter::{CounterRule, Pattern, SiteTotal, Totals, WordCost};
use lanework_engine::event::{AccessKind, BulkTraffic, Place};
use lanework_engine::hook::Wants;
use lanework_engine::instrument::{Instrument, Launch};
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;

/// Classes of in-place counters: loads, stores and atomics of global memory, the same of shared
/// memory, and vectorized loads from shared memory.
const GLOBAL: u8 = 0;
const SHARED: u8 = 3;
const JOINED: u8 = 6;

/// Counts the events of a hardware profiler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountingObserver {
    /// The counters of each instruction so far.
    pub instructions: Vec<Counters>,
}

impl CountingObserver {
    /// The counters of the whole kernel.
    pub fn total(&self) -> Counters {
        Counters::sum(&self.instructions)
    }

    fn at(&mut self, place: Place) -> Option<&mut Counters> {
        self.instructions.get_mut(place.instruction as usize)
    }
}

// SAFETY: no method inserts an operation, excuses an access, changes a warp or keeps a pointer.
unsafe impl Instrument for CountingObserver {
    fn wants(&self) -> Wants {
        Wants::COUNTS | Wants::BRANCHES
    }

    fn fork(&self) -> Self {
        CountingObserver::default()
    }

    fn merge(&mut self, other: Self) {
        add_each(&mut self.instructions, &other.instructions);
    }

    unsafe fn launch(&mut self, launch: &Launch<'_>) {
        self.instructions = vec![Counters::default(); launch.kernel.origins.len()];
    }

    fn counter(space: MemorySpace, kind: AccessKind, class: AccessClass) -> CounterRule {
        let kind = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        match (space, class) {
            (_, AccessClass::Vectorized(bytes)) => {
                CounterRule { class: JOINED, bytes, phase: 0, words: WordCost::Asked }
            }
            (_, AccessClass::Rest) => CounterRule::NONE,
            // Sectors of a pattern depend on its offset in the first one. Banks repeat, so a shift
            // of the whole pattern changes no conflict.
            (MemorySpace::Global, _) => {
                CounterRule { class: GLOBAL + kind, bytes: 0, phase: 31, words: WordCost::Granules }
            }
            (MemorySpace::Shared, _) => {
                CounterRule { class: SHARED + kind, bytes: 0, phase: 0, words: WordCost::Banks }
            }
            _ => CounterRule::NONE,
        }
    }

    fn cost(&self, class: u8, pattern: &Pattern) -> [u64; 2] {
        cost::pattern_cost(class, pattern)
    }

    fn memory(&mut self, warp: &Warp, site: &AccessSite, place: Place, addresses: &[u64; 32]) {
        let Some(counts) = self.at(place) else { return };
        let space = site.accessed_space(warp.mask, addresses);
        let bytes = u32::from(site.bytes) * u32::from(site.count);
        let how = (site.kind, site.service);
        cost::count(counts, space, how, bytes, warp.mask, addresses);
        if site.space == MemorySpace::Generic && site.kind == AccessKind::Atomic {
            cost::count_generic(counts, space, site.service);
        }
    }

    fn bulk_traffic(&mut self, place: Place, traffic: &BulkTraffic) {
        if let Some(counts) = self.at(place) {
            cost::count_bulk(counts, traffic);
        }
    }

    fn diverged(&mut self, place: Place) {
        if let Some(counts) = self.at(place) {
            counts.divergent_branches += 1;
        }
    }

    fn barrier(&mut self, place: Place, _: u32) {
        if let Some(counts) = self.at(place) {
            counts.barriers += 1;
        }
    }

    fn flush(&mut self, totals: &Totals<'_>) {
        for (block, instruction) in totals.runs {
            let [warps, lanes] = totals.visits[*block as usize];
            let counts = &mut self.instructions[*instruction as usize];
            counts.warp_instructions += warps;
            counts.lane_instructions += lanes;
        }
        for total in totals.sites {
            add_site(&mut self.instructions[total.instruction as usize], total);
        }
    }
}

/// Adds the in-place counts of a site.
fn add_site(counts: &mut Counters, total: &SiteTotal) {
    let [requests, passes, extra] = total.slots;
    let bytes = requests * total.bytes;
    let kinds = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];
    let kind = kinds[usize::from(total.class) % 3];
    match total.class {
        0..3 => {
            let to = cost::global(counts, kind);
            to.requests += requests;
            to.sectors += passes;
            to.ideal_sectors += extra;
            to.bytes += bytes;
        }
        // Vectorized loads are of kind 0, too.
        3..=JOINED => {
            let to = cost::shared(counts, kind);
            to.requests += requests;
            to.wavefronts += passes;
            to.bank_conflicts += extra;
            to.bytes += bytes;
        }
        _ => {}
    }
}
