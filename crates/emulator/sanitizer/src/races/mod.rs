//! Races: two accesses to one byte that nothing orders, one of which writes.
//!
//! [`happens_before`] tells what is ordered, [`shadow_memory`] what was accessed before, and
//! [`shadow_cell`] puts the two together. Here are both for one launch, and what a race is in words.

pub mod alone;
pub mod barriers;
pub mod conflict;
pub mod epoch;
pub mod fences;
pub mod grid_clock;
pub mod happens_before;
pub mod knowledge;
pub mod lanes;
pub mod peers;
pub mod proxies;
pub mod relation;
pub mod releases;
pub mod shadow_cell;
pub mod shadow_memory;
pub mod strong_accesses;
pub mod sync_variables;
pub mod vector_clock;

use self::conflict::Conflict;
pub use self::conflict::mixed_sizes;
use self::epoch::PackedEpoch;
use self::happens_before::HappensBefore;
use self::relation::LackOfSync;
use self::shadow_memory::ShadowMemory;
use super::bounds::MemoryId;
use super::kinds::ReportKind;
use super::position::Actor;

/// Who accessed what, and what orders it.
pub struct Races {
    /// What orders accesses.
    pub order: HappensBefore,
    ranks: usize,
    /// By number of the memory.
    shadow: Vec<ShadowMemory>,
    shift: u32,
}

/// What is known of the races of a cluster in a seat that is not the one that runs.
pub struct AwayRaces {
    order: HappensBefore,
    shadow: Vec<ShadowMemory>,
}

impl Races {
    /// Of another seat, for blocks of this many warps whose shared memories have these sizes.
    pub fn another(&self, warps: usize, shared: impl Iterator<Item = u64>) -> AwayRaces {
        let shadow = shared.map(|bytes| ShadowMemory::new(bytes, self.shift)).collect();
        let mut order = HappensBefore::new(warps, self.ranks);
        order.lanes_of_last(self.order.last_lanes);
        AwayRaces { order, shadow }
    }

    /// Exchanges clocks and the shadow of shared memory with those of another seat.
    pub fn exchange(&mut self, other: &mut AwayRaces) {
        self.order.exchange(&mut other.order);
        self.shadow[..self.ranks].swap_with_slice(&mut other.shadow);
    }

    /// For blocks of this many warps, whose shared memories have these sizes, in cells of `1 << shift`
    /// bytes.
    pub fn new(warps: usize, shared: impl Iterator<Item = u64>, shift: u32) -> Races {
        let shadow: Vec<_> = shared.map(|bytes| ShadowMemory::new(bytes, shift)).collect();
        let ranks = shadow.len();
        Races { order: HappensBefore::new(warps, ranks), ranks, shadow, shift }
    }

    /// The next memory, an allocation of this size.
    pub fn track(&mut self, bytes: u64) {
        self.shadow.push(ShadowMemory::new(bytes, self.shift));
    }

    /// The shadow memory of a memory.
    #[inline(always)]
    pub fn of(&mut self, id: MemoryId) -> &mut ShadowMemory {
        &mut self.shadow[id]
    }

    /// Whether the launch has written anything in a memory.
    #[inline(always)]
    pub fn has_writes(&self, id: MemoryId) -> bool {
        self.shadow[id].has_writes()
    }

    /// Bytes of a shadow cell, as a power of two.
    #[inline(always)]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The first epoch of a memory: shared memory starts afresh with each cluster.
    #[inline(always)]
    pub fn base(&self, id: MemoryId) -> u32 {
        if id < self.ranks { self.order.base() } else { 1 }
    }

    /// A memory's shadow, and the order of accesses.
    #[inline(always)]
    pub fn parts(&mut self, id: MemoryId) -> (&mut ShadowMemory, &mut HappensBefore) {
        (&mut self.shadow[id], &mut self.order)
    }

    /// The thread of an access.
    pub fn actor(&self, access: PackedEpoch) -> Actor {
        let epoch = self.order.epoch(access);
        let thread = epoch.warp * 32 + epoch::lane(access);
        Actor { block: epoch.block, thread, instruction: epoch::instruction(access) }
    }

    /// Whether a conflict is with an asynchronous operation.
    pub fn asynchronous(&self, conflict: Conflict) -> bool {
        conflict.with & epoch::ASYNC != 0 || self.order.of_pseudo_thread(conflict.with)
    }

    /// The kind of a conflict with the access `now`. Lanes of a warp that hand over data by `.volatile`
    /// accesses rely on lockstep, and so does a lane that hands over for its warp; what copies of two blocks do to global memory no wait
    /// orders.
    pub fn kind(
        &self,
        conflict: Conflict,
        now: PackedEpoch,
        lack: Option<LackOfSync>,
        global: bool,
    ) -> ReportKind {
        if lack.is_some_and(|lack| lack.lockstep) {
            return ReportKind::WarpSynchronous;
        }
        let volatile = conflict.with & now & epoch::DATA != 0
            && epoch::instruction(conflict.with) != epoch::instruction(now);
        let (prior, this) = (self.order.epoch(conflict.with), self.order.epoch(now));
        match self.asynchronous(conflict) && !(global && prior.block != this.block) {
            true => ReportKind::AsyncOrder,
            false if volatile && prior.slot == this.slot && prior.cluster == this.cluster => {
                ReportKind::WarpSynchronous
            }
            false => ReportKind::Race,
        }
    }
}

/// An access that races, as it is told of.
pub struct Racing<'a> {
    /// What it does.
    pub verb: &'a str,
    /// The space.
    pub space: &'a str,
    /// The bytes.
    pub bytes: u64,
    /// Where.
    pub place: &'a str,
    /// Who does it now.
    pub who: Actor,
    /// Who did the prior access.
    pub prior: Actor,
    /// The prior access.
    pub conflict: Conflict,
    /// What the two warps lack, where a lane of one of them has synchronised alone.
    pub lack: Option<LackOfSync>,
}

impl Racing<'_> {
    /// A race between threads: message and help.
    pub fn race(&self) -> (String, &'static str) {
        let Racing { verb, space, bytes, place, who, prior, .. } = self;
        let same_block = prior.block == who.block;
        let same_warp = same_block && prior.thread / 32 == who.thread / 32;
        let (what, whom) = (self.what(), self.whom());
        let help = match (same_warp, same_block) {
            _ if self.lack.is_some() => self.help_for_lack(),
            (true, _) if who.instruction == prior.instruction => {
                "let one lane do it, give each lane its own element, or use an atomic"
            }
            (true, _) => "synchronise the lanes between the two (`__syncwarp`, `sync_warp`)",
            (_, true) => {
                "put a barrier between the two (`__syncthreads`, `sync_threads`), or use atomics"
            }
            _ => {
                "give each block its own elements, use atomics, or hand over by a fence and an atomic flag"
            }
        };
        let message = format!(
            "race in {space} memory: {verb} of {bytes} bytes at {place} and {what} {whom}, and nothing orders the two"
        );
        (message, help)
    }

    fn what(&self) -> &'static str {
        match (self.conflict.wrote, self.conflict.with & epoch::STRONG != 0) {
            (true, true) => "an atomic or volatile write",
            (true, false) => "a write",
            (false, _) => "a read",
        }
    }

    fn whom(&self) -> &'static str {
        let same_block = self.prior.block == self.who.block;
        match (same_block && self.prior.thread / 32 == self.who.thread / 32, same_block) {
            (true, _) => "by another lane of the warp",
            (_, true) => "by another warp of the block",
            _ => "by another block",
        }
    }

    /// What to do where a lane has synchronised alone.
    fn help_for_lack(&self) -> &'static str {
        match self.lack {
            Some(LackOfSync { acquired: true, released: false, .. }) => {
                "a lane of this warp has waited for it, and this one has not: synchronise the warp after the wait (`__syncwarp`, `sync_warp`)"
            }
            _ => {
                "a lane of the other warp hands over what it did itself: synchronise that warp before (`__syncwarp`, `sync_warp`)"
            }
        }
    }

    /// A race of lanes that rely on lockstep: message and help.
    pub fn warp_synchronous(&self) -> (String, &'static str) {
        let Racing { verb, space, bytes, place, conflict, .. } = self;
        if self.lack.is_some() {
            let (what, whom) = (self.what(), self.whom());
            let message = format!(
                "warp-synchronous code in {space} memory: {verb} of {bytes} bytes at {place} relies on lanes of a warp to run in lockstep to come after {what} {whom}"
            );
            return (message, self.help_for_lack());
        }
        let what = if conflict.wrote { "write" } else { "read" };
        let message = format!(
            "warp-synchronous code in {space} memory: `.volatile` {verb} of {bytes} bytes at {place} relies on lockstep to come after a `.volatile` {what} by another lane of the warp"
        );
        (
            message,
            "put `__syncwarp()` (`sync_warp`) between the two, or shuffle: since sm_70 lanes need not run in lockstep",
        )
    }

    /// Atomics of different sizes on one word: message and help.
    pub fn mixed_sizes(&self) -> (String, &'static str) {
        let Racing { space, bytes, place, who, prior, .. } = self;
        let whom = if prior.block == who.block { "thread" } else { "block" };
        let message = format!(
            "race in {space} memory: atomic of {bytes} bytes at {place} and an atomic of another size by another {whom}: they are not atomic to each other, and nothing orders the two"
        );
        (message, "use atomics of one size on a word, or put a barrier between the two kinds")
    }

    /// An access to what an asynchronous operation, a product or a copy, still uses: message and help.
    pub fn too_early(&self, product: bool) -> (String, &'static str) {
        let Racing { verb, space, bytes, place, who, prior, conflict, .. } = self;
        let same = prior.block == who.block && prior.thread == who.thread;
        let whose = if same { "this thread" } else { "another thread" };
        let does = if conflict.wrote { "writing" } else { "reading" };
        let (what, help) = match product {
            true => (
                "a product",
                "wait for the product's group first (`wgmma.wait_group`), then at a barrier if it is of another warpgroup",
            ),
            false => (
                "an asynchronous copy",
                "wait for the copy first (for its group, or for the phase of its mbarrier), then at a barrier if other threads made it",
            ),
        };
        let message = format!(
            "{space} {verb} of {bytes} bytes at {place} while {what} of {whose} may still be {does} them"
        );
        (message, help)
    }
}
