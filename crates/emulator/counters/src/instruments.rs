//! The instruments of this crate. One counts what a hardware profiler counts, for each instruction; the other traces
//! the accesses and steps of a few blocks, for pictures and for the cache model.
//!
//! The engine counts accesses that follow a pattern, and visits of basic blocks, in place. The counting instrument
//! provides the cost of a pattern, counts all other accesses, and adds the totals to their counters.

use crate::cost;
use crate::counters::{Counters, add_each};
use lanework_engine::counter::{CounterRule, Pattern, SiteTotal, Totals, WordCost};
use lanework_engine::event::{Access, AccessKind, BulkTraffic, Place, Space, Wants};
use lanework_engine::instrument::{Instrument, Launch};
use lanework_engine::machine::Warp;
use lanework_engine::observer::Observer;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;
use std::collections::HashSet;
use std::ops::Range;

/// Classes of in-place counters: loads, stores and atomics on global memory, then on shared memory,
/// then vectorized loads from shared memory.
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

// SAFETY: no method inserts an operation, permits an invalid access, changes a warp or keeps a pointer.
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
            // The sectors of a pattern depend on its offset in the first sector. Banks repeat, so
            // shifting the whole pattern does not change its conflicts.
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
        // Vectorized loads count as loads.
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

/// The accesses to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// No accesses.
    #[default]
    Nothing,
    /// The first access of each instruction.
    First,
    /// The first access of each instruction by each warp.
    FirstOfWarp,
    /// Every access of these instructions.
    Of(Vec<u32>),
    /// The sectors of every access to global memory.
    Sectors,
}

/// Trace configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceConfig {
    /// Whether to record every instruction of every warp with its active lanes.
    pub steps: bool,
    /// The accesses to record.
    pub accesses: Keep,
    /// Maximum number of records of each kind.
    pub most: usize,
    /// Record only blocks with these linear indices; `None` for all.
    pub only: Option<Range<u64>>,
}

/// One warp's access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedAccess {
    /// Position in the program and the grid.
    pub place: Place,
    /// The memory space.
    pub space: Space,
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// Bytes per lane.
    pub bytes: u32,
    /// Active lanes.
    pub mask: u32,
    /// The address of each lane; see [`Access::addresses`].
    pub addresses: [u64; 32],
}

impl TracedAccess {
    /// For global memory: the offset of the first byte in its 32-byte sector, if an aligned start
    /// would save sectors.
    pub fn misaligned_start(&self) -> Option<u64> {
        let active = || (0..32).filter(|lane| self.mask >> lane & 1 != 0);
        let past = active().map(|lane| self.addresses[lane]).min()? % 32;
        let aligned = self.addresses.map(|address| address.wrapping_sub(past));
        let sectors = |at| crate::cost::sectors(self.mask, at, self.bytes);
        (sectors(&aligned) < sectors(&self.addresses)).then_some(past)
    }

    /// Whether the active lanes access contiguous bytes in lane order.
    pub fn contiguous(&self) -> bool {
        let lanes: Vec<usize> = (0..32).filter(|lane| self.mask >> lane & 1 != 0).collect();
        let step = |pair: &[usize]| self.addresses[pair[1]].wrapping_sub(self.addresses[pair[0]]);
        lanes.len() > 1 && lanes.windows(2).all(|pair| step(pair) == u64::from(self.bytes))
    }

    /// For shared memory: the groups of lanes that are served together, each with its passes through
    /// the banks. An atomic implemented as a compare-and-swap loop takes more passes.
    pub fn served(&self) -> Vec<(u32, u64)> {
        crate::cost::banks::groups(self.kind, self.mask, &self.addresses, self.bytes)
    }
}

/// The sectors of one warp's access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectorAccess {
    /// Linear index of the block.
    pub block: u64,
    /// Index of the warp in its block.
    pub warp: u32,
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// Index of its first sector in [`Trace::sectors`].
    pub first: u32,
    /// Number of sectors.
    pub count: u32,
}

/// The recorded trace. The records of one warp are in execution order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Executed instructions with their active lanes.
    pub steps: Vec<(Place, u32)>,
    /// Accesses with their addresses.
    pub touches: Vec<TracedAccess>,
    /// Accesses as ranges in `sectors`.
    pub reaches: Vec<SectorAccess>,
    /// Sectors: addresses divided by 32.
    pub sectors: Vec<u64>,
    /// Whether the trace was truncated.
    pub cut: bool,
}

/// The tracing instrument.
#[derive(Clone, Debug)]
pub struct Tracer {
    wanted: TraceConfig,
    seen: Vec<bool>,
    /// Instructions, blocks and warps whose first access is recorded.
    seen_of_warp: HashSet<Place>,
    /// The trace so far.
    pub trace: Trace,
}

impl Tracer {
    /// Creates a tracer with an empty trace.
    pub fn new(wanted: TraceConfig) -> Tracer {
        let (seen, seen_of_warp) = (Vec::new(), HashSet::new());
        Tracer { wanted, seen, seen_of_warp, trace: Trace::default() }
    }

    fn keeps_block(&self, place: Place) -> bool {
        self.wanted.only.as_ref().is_none_or(|only| only.contains(&place.block))
    }

    /// Whether to record an access of this instruction with its addresses.
    fn keeps(&mut self, place: Place) -> bool {
        match &self.wanted.accesses {
            Keep::Nothing | Keep::Sectors => false,
            Keep::Of(instructions) => instructions.contains(&place.instruction),
            Keep::FirstOfWarp => self.seen_of_warp.insert(place),
            Keep::First => {
                let at = place.instruction as usize;
                self.seen.resize(self.seen.len().max(at + 1), false);
                !std::mem::replace(&mut self.seen[at], true)
            }
        }
    }

    fn keep_sectors(&mut self, access: &Access<'_>) {
        let Trace { reaches, sectors, cut, .. } = &mut self.trace;
        if sectors.len() + 64 > self.wanted.most {
            *cut = true;
            return;
        }
        let first = sectors.len();
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            let address = access.addresses[lane];
            let last = address.wrapping_add(u64::from(access.bytes.max(1)) - 1);
            for sector in [address / 32, last / 32] {
                if !sectors[first..].contains(&sector) {
                    sectors.push(sector);
                }
            }
        }
        let Place { block, warp, .. } = access.place;
        let count = (sectors.len() - first) as u32;
        reaches.push(SectorAccess { block, warp, kind: access.kind, first: first as u32, count });
    }
}

impl Observer for Tracer {
    fn fork(&self) -> Self {
        Tracer::new(self.wanted.clone())
    }

    fn merge(&mut self, other: Self) {
        let first = self.trace.sectors.len() as u32;
        let theirs = other.trace;
        self.trace.steps.extend(theirs.steps);
        self.trace.touches.extend(theirs.touches);
        let moved =
            theirs.reaches.iter().map(|one| SectorAccess { first: one.first + first, ..*one });
        self.trace.reaches.extend(moved);
        self.trace.sectors.extend(theirs.sectors);
        self.trace.cut |= theirs.cut;
    }

    fn instruction(&mut self, place: Place, mask: u32) {
        if !self.wanted.steps || !self.keeps_block(place) {
            return;
        }
        if self.trace.steps.len() < self.wanted.most {
            self.trace.steps.push((place, mask));
        } else {
            self.trace.cut = true;
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        if access.mask == 0 || !self.keeps_block(access.place) {
            return;
        }
        if self.wanted.accesses == Keep::Sectors {
            if access.space == Space::Global {
                self.keep_sectors(access);
            }
        } else if self.keeps(access.place) {
            if self.trace.touches.len() >= self.wanted.most {
                self.trace.cut = true;
                return;
            }
            let &Access { space, kind, bytes, mask, addresses, place } = access;
            self.trace.touches.push(TracedAccess {
                place,
                space,
                kind,
                bytes,
                mask,
                addresses: *addresses,
            });
        }
    }
}
