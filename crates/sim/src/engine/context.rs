//! What the warps of one worker share: memory, the sites of memory instructions, counters, output.

use crate::engine::alu::atomic::Combine;
use crate::engine::asynchrony::cluster::Cluster;
use crate::engine::event::{Access, AccessKind, Asynchronous, Place, Space};
use crate::engine::fault::FaultKind;
use crate::engine::lanes::Slot;
use crate::engine::matrix::group::Meeting;
use crate::engine::memory::Memory;
use crate::engine::op::{Op, Stop, Warp};
use crate::engine::stillness::Stillness;
use crate::ir::access_class::AccessClass;
use crate::ir::kernel::{MemorySpace, Order};
use crate::ir::window::{LOCAL_WINDOW, PARAMETER_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW};
use crate::mem::counters::Counters;
use crate::sanitizer::Checker;

/// A stretch of guest addresses and where they lie on the host.
#[derive(Clone, Copy)]
pub struct Region {
    /// First guest address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// The host address of the first byte.
    pub host: *mut u8,
}

impl Region {
    /// A region that nothing is in.
    pub const EMPTY: Region = Region { start: 0, bytes: 0, host: std::ptr::null_mut() };

    /// Whether the bytes from the lowest to past the highest address are inside.
    #[inline(always)]
    pub fn holds(&self, lowest: u64, highest: u64, bytes: u64) -> bool {
        let low = lowest.wrapping_sub(self.start);
        let high = highest.wrapping_sub(self.start);
        low < self.bytes && high < self.bytes && bytes <= self.bytes - high
    }
}

/// A region as the common handlers of one memory instruction want it.
#[derive(Clone, Copy)]
pub struct Reach {
    /// What makes of the address operand a distance from the region's start, the offset included.
    pub from: u64,
    /// From smaller distances on, all the bytes that the instruction touches are inside.
    pub room: u64,
    /// The host address of the region's first byte.
    pub host: *mut u8,
}

impl Reach {
    /// Nothing is in reach.
    pub const EMPTY: Reach = Reach { from: 0, room: 0, host: std::ptr::null_mut() };
}

/// A memory instruction: what it does, and the region it hit last.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Site {
    /// The region hit last, as the common handlers want it.
    pub reach: Reach,
    /// Where its first lane went last, from the region's start.
    pub last: u64,
    /// The region hit last.
    pub region: Region,
    /// Bytes that the common handlers touch from an address on.
    pub span: u64,
    /// Where it goes.
    pub space: MemorySpace,
    /// Bytes added to the address.
    pub offset: u64,
    /// Elements per lane.
    pub count: u8,
    /// Bytes per element.
    pub bytes: u8,
    /// What it does.
    pub kind: AccessKind,
    /// Registers read or written, one per element; for atomics the two operands.
    pub data: [Option<Slot>; 8],
    /// The function of an atomic.
    pub combine: Option<Combine>,
    /// Whether counters or an observer want to know of it.
    pub observed: bool,
    /// Its order among others, for checks.
    pub order: Order,
    /// How shared memory serves it.
    pub service: AccessClass,
    /// Which counts it adds to; see [`tally_of`].
    pub tally: u8,
    /// Its instruction, for [`Context::counts`].
    pub origin: u32,
    /// Accesses counted by the common handlers: requests, sectors or wavefronts, and ideal sectors or
    /// bank conflicts.
    pub tallies: [u64; 3],
    /// The pattern counted last.
    pub memo: Memo,
}

impl Site {
    /// Bytes per lane of the load that it stands for.
    pub fn joined_bytes(&self) -> u64 {
        match self.service {
            AccessClass::Joined(bytes) => bytes.into(),
            _ => u64::from(self.bytes) * u64::from(self.count),
        }
    }

    /// The site of one element per lane, accessed beside the memory instructions proper: it has hit no
    /// region yet, and counts in no tally of its own.
    pub fn aside(space: MemorySpace, kind: AccessKind, bytes: u8, service: AccessClass) -> Site {
        Site {
            reach: Reach::EMPTY,
            last: 0,
            region: Region::EMPTY,
            span: 1,
            space,
            offset: 0,
            count: 1,
            bytes,
            kind,
            data: [None; 8],
            combine: None,
            observed: true,
            order: Order::default(),
            service,
            tally: NO_TALLY,
            origin: 0,
            tallies: [0; 3],
            memo: Memo::default(),
        }
    }

    /// Remembers the region hit last.
    pub fn hit(&mut self, region: Region) {
        self.region = region;
        self.reach = Reach {
            from: self.offset.wrapping_sub(region.start),
            room: region.bytes.saturating_sub(self.span - 1),
            host: region.host,
        };
    }
}

/// What [`tally_of`] gives for spaces that have no tally.
pub const NO_TALLY: u8 = 7;
/// The tally of loads from shared memory that stand for others, too.
pub const JOINED: u8 = 6;

/// An access pattern in scalar form and what it costs.
#[derive(Clone, Copy, Default)]
pub struct Memo {
    /// Step between lanes.
    pub stride: u64,
    /// From the first to the second half.
    pub delta: u64,
    /// The place of the first lane in its sector.
    pub low: u64,
    /// Bytes per lane; 0 for a memo not yet made.
    pub bytes: u64,
    /// Sectors or wavefronts.
    pub passes: u64,
    /// Ideal sectors or bank conflicts.
    pub extra: u64,
}

/// A fault as a handler sees it.
#[derive(Clone, Debug)]
pub struct RawFault {
    /// What kind.
    pub kind: FaultKind,
    /// The lane.
    pub lane: u32,
    /// The guest address, if it has to do with one.
    pub address: Option<u64>,
    /// Bytes accessed.
    pub bytes: u32,
    /// The space accessed.
    pub space: MemorySpace,
    /// What the access did.
    pub access: Option<AccessKind>,
    /// More in words.
    pub note: String,
}

impl RawFault {
    /// A fault of executing lanes that has to do with no address; the lowest of them stands for all.
    pub fn of_lanes(kind: FaultKind, space: MemorySpace, mask: u32, note: String) -> RawFault {
        let lane = mask.trailing_zeros() & 31;
        RawFault { kind, lane, address: None, bytes: 0, space, access: None, note }
    }
}

/// A fault and where it happened.
#[derive(Clone, Debug)]
pub struct Located {
    /// The fault.
    pub raw: RawFault,
    /// The instruction's origin.
    pub origin: u32,
    /// The warp.
    pub warp: u32,
}

/// Receives events; the object-safe face of [`crate::Observer`].
pub trait Events {
    /// A warp executes an instruction.
    fn instruction(&mut self, place: Place, mask: u32);
    /// A warp accesses memory.
    fn access(&mut self, access: &Access<'_>);
    /// A warp arrives at a barrier.
    fn barrier(&mut self, place: Place, mask: u32);
    /// A thread has to do with mbarriers or bulk copies.
    fn asynchronous(&mut self, place: Place, lane: u32, event: Asynchronous);
}

impl<O: crate::engine::event::Observer> Events for O {
    fn instruction(&mut self, place: Place, mask: u32) {
        crate::engine::event::Observer::instruction(self, place, mask);
    }
    fn access(&mut self, access: &Access<'_>) {
        crate::engine::event::Observer::access(self, access);
    }
    fn barrier(&mut self, place: Place, mask: u32) {
        crate::engine::event::Observer::barrier(self, place, mask);
    }
    fn asynchronous(&mut self, place: Place, lane: u32, event: Asynchronous) {
        crate::engine::event::Observer::asynchronous(self, place, lane, event);
    }
}

/// One worker's context.
pub struct Context {
    /// Global memory; valid while the launch holds its lock.
    pub memory: *const Memory,
    /// The block's shared memory.
    pub shared: Region,
    /// The kernel's parameters.
    pub parameters: Region,
    /// Local memory of all threads of the block, lane by lane.
    pub local: *mut u8,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Memory instructions.
    pub sites: Vec<Site>,
    /// The instruction of each operation.
    pub origin_of: *const u32,
    /// Product steps that one operation runs.
    pub chains: *const crate::engine::fuse::Chain,
    /// The counts of each instruction, when counting; else empty.
    pub counts: Vec<Counters>,
    /// For each basic block the times that a warp ran it, and the lanes in all, when counting.
    pub visits: Vec<[u64; 2]>,
    /// Receives events, when an observer wants them.
    pub events: Option<*mut dyn Events>,
    /// Judges accesses, when they are checked.
    pub checks: Option<Box<Checker>>,
    /// Follows what changes memory, while it is tried whether warps spin for ever.
    pub stillness: Option<Box<Stillness>>,
    /// What the block printed.
    pub printed: String,
    /// The block's linear index.
    pub block: u64,
    /// What the blocks of its cluster share.
    pub cluster: *mut Cluster,
    /// Its rank in the cluster.
    pub rank: u32,
    /// Where each warp is among those of its warpgroup.
    pub warpgroups: Vec<Meeting>,
    /// The fault that stopped the block.
    pub fault: Option<Box<RawFault>>,
}

/// What accesses to a space count as: global loads, stores, atomics, then shared ones, local ones, and
/// the rest.
pub fn tally_of(space: MemorySpace, kind: AccessKind) -> u8 {
    let kind = match kind {
        AccessKind::Load => 0,
        AccessKind::Store => 1,
        AccessKind::Atomic => 2,
    };
    match space {
        MemorySpace::Global => kind,
        MemorySpace::Shared => 3 + kind,
        MemorySpace::Local => 6,
        _ => NO_TALLY,
    }
}

impl Context {
    /// The counts of an instruction, when counting.
    #[inline]
    pub fn counts_of(&mut self, warp: &Warp, op: &Op) -> Option<&mut Counters> {
        if self.counts.is_empty() {
            return None;
        }
        // SAFETY: one origin per operation.
        let origin = unsafe { *self.origin_of.add(warp.pc(op) as usize) };
        self.counts.get_mut(origin as usize)
    }

    /// Moves what sites and basic blocks counted to their instructions, of which `runs` names those of
    /// each block, and gives the counts.
    pub fn settle(&mut self, runs: &[(u32, u32)]) -> Vec<Counters> {
        let mut counts = std::mem::take(&mut self.counts);
        if counts.is_empty() {
            return counts;
        }
        for (block, origin) in runs {
            let [warps, lanes] = self.visits[*block as usize];
            counts[*origin as usize].warp_instructions += warps;
            counts[*origin as usize].lane_instructions += lanes;
        }
        for site in &mut self.sites {
            let [requests, passes, extra] = std::mem::take(&mut site.tallies);
            let c = &mut counts[site.origin as usize];
            // The common handlers are for 32 active lanes.
            let bytes = requests * 32 * u64::from(site.bytes) * u64::from(site.count);
            let kinds = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];
            let kind = kinds[usize::from(site.tally) % 3];
            match site.tally {
                0..3 => {
                    let to = crate::mem::traffic::global(c, kind);
                    to.requests += requests;
                    to.sectors += passes;
                    to.ideal_sectors += extra;
                    to.bytes += bytes;
                }
                3..6 => {
                    let to = crate::mem::traffic::shared(c, kind);
                    to.requests += requests;
                    to.wavefronts += passes;
                    to.bank_conflicts += extra;
                    to.bytes += bytes;
                }
                JOINED => {
                    let to = &mut c.shared_load;
                    to.requests += requests;
                    to.wavefronts += passes;
                    to.bank_conflicts += extra;
                    to.bytes += requests * 32 * site.joined_bytes();
                }
                _ => {}
            }
        }
        counts
    }

    /// The shared memory that an address in the shared window is in: the block's own, or that of
    /// another block of its cluster.
    fn shared_of(&self, address: u64) -> Option<Region> {
        if address >> RANK_SHIFT == 0 {
            return Some(self.shared);
        }
        // SAFETY: the cluster's state outlives the runs of its blocks.
        unsafe { &*self.cluster }.region(address)
    }

    /// Forgets the regions of another block's shared memory that memory instructions hit last.
    pub fn forget_others(&mut self) {
        for site in &mut self.sites {
            let within = match site.space {
                MemorySpace::Shared => site.region.start,
                MemorySpace::Generic => site.region.start.wrapping_sub(SHARED_WINDOW),
                _ => continue,
            };
            if within < WINDOW && within >> RANK_SHIFT != 0 {
                site.hit(Region::EMPTY);
            }
        }
    }

    /// Finds the region of a guest address.
    pub fn region_of(&self, space: MemorySpace, address: u64) -> Option<Region> {
        match space {
            MemorySpace::Shared => self.shared_of(address),
            MemorySpace::Parameter => Some(self.parameters),
            MemorySpace::Local => None,
            MemorySpace::Global | MemorySpace::Constant => {
                // SAFETY: the launch holds the memory's lock while blocks run.
                unsafe { (*self.memory).region(address) }
            }
            MemorySpace::Generic => {
                if address.wrapping_sub(SHARED_WINDOW) < WINDOW {
                    let region = self.shared_of(address - SHARED_WINDOW)?;
                    Some(Region { start: region.start + SHARED_WINDOW, ..region })
                } else if address.wrapping_sub(PARAMETER_WINDOW) < WINDOW {
                    Some(Region { start: PARAMETER_WINDOW, ..self.parameters })
                } else {
                    self.region_of(MemorySpace::Global, address)
                }
            }
        }
    }

    /// The host address of one lane's access, or `None` when it is out of bounds.
    pub fn lane_host(
        &self,
        space: MemorySpace,
        warp: u32,
        lane: u32,
        address: u64,
        bytes: u64,
    ) -> Option<*mut u8> {
        let in_window =
            space == MemorySpace::Generic && address.wrapping_sub(LOCAL_WINDOW) < WINDOW;
        if space == MemorySpace::Local || in_window {
            // Function-scope parameters live in local memory too, so a generic address may be given.
            let offset = if address.wrapping_sub(LOCAL_WINDOW) < WINDOW {
                address - LOCAL_WINDOW
            } else {
                address
            };
            if offset >= self.local_bytes || bytes > self.local_bytes - offset {
                return None;
            }
            let thread = u64::from(warp) * 32 + u64::from(lane);
            // SAFETY: the buffer holds `local_bytes` for every lane of every warp.
            return Some(unsafe { self.local.add((thread * self.local_bytes + offset) as usize) });
        }
        let Some(region) = self.region_of(space, address) else {
            return match space {
                MemorySpace::Global | MemorySpace::Constant | MemorySpace::Generic => {
                    // SAFETY: the launch holds the memory's lock while blocks run.
                    unsafe { (*self.memory).locate(address, bytes) }
                }
                _ => None,
            };
        };
        region
            .holds(address, address, bytes)
            .then(|| region.host.wrapping_add((address - region.start) as usize))
    }

    /// An access while it is tried whether warps spin for ever.
    pub fn follow(&mut self, warp: &Warp, instruction: u32, site: &Site, at: &[u64; 32]) {
        if let Some(mut stillness) = self.stillness.take() {
            stillness.access(self, warp, instruction, site, at);
            self.stillness = Some(stillness);
        }
    }

    /// Something changes in another way than by an access that is observed.
    pub fn disturb(&mut self) {
        if let Some(stillness) = &mut self.stillness {
            stillness.disturb();
        }
    }

    /// The place of an operation.
    pub fn place(&self, warp: &Warp, op: &Op) -> Place {
        // SAFETY: one origin per operation.
        let instruction = unsafe { *self.origin_of.add(warp.pc(op) as usize) };
        Place { block: self.block, warp: warp.index, instruction }
    }

    /// Tells counters and observers of an access at these guest addresses.
    #[inline(never)]
    pub fn observe(&mut self, warp: &Warp, op: &Op, site: &Site, addresses: &[u64; 32]) {
        if self.checks.is_some() {
            let instruction = self.place(warp, op).instruction;
            if let Some(checks) = &mut self.checks {
                checks.access(warp, instruction, site, addresses);
            }
            self.follow(warp, instruction, site, addresses);
            return;
        }
        let bytes = u32::from(site.bytes) * u32::from(site.count);
        let space = match site.space {
            MemorySpace::Generic => {
                generic_space(addresses[warp.mask.trailing_zeros() as usize & 31])
            }
            MemorySpace::Global => Space::Global,
            MemorySpace::Constant | MemorySpace::Parameter => Space::Constant,
            MemorySpace::Shared => Space::Shared,
            MemorySpace::Local => Space::Local,
        };
        if let Some(events) = self.events {
            let place = self.place(warp, op);
            // A vector of atomics is told of once.
            let bytes = match site.service {
                AccessClass::First(elements) => bytes * u32::from(elements),
                AccessClass::Rest if site.kind == AccessKind::Atomic => return,
                _ => bytes,
            };
            let access =
                Access { space, kind: site.kind, bytes, mask: warp.mask, addresses, place };
            // SAFETY: the launch keeps the observer alive, and this worker alone uses it.
            unsafe { (*events).access(&access) };
        } else if let Some(counts) = self.counts_of(warp, op) {
            let how = (site.kind, site.service);
            crate::mem::traffic::count(counts, space, how, bytes, warp.mask, addresses);
            if site.space == MemorySpace::Generic && site.kind == AccessKind::Atomic {
                crate::mem::traffic::count_generic(counts, space, site.service);
            }
        }
    }
}

/// Whether a lane's bad access is reported and the kernel goes on: then the place, off the guest's
/// memory, where its bytes come from or go to; else the fault.
#[cold]
pub fn excuse(warp: &Warp, op: &Op, raw: RawFault) -> Result<*mut u8, RawFault> {
    // SAFETY: the context outlives the warp's run, which alone uses it.
    unsafe {
        let context = &mut *warp.context;
        let instruction = context.place(warp, op).instruction;
        match &mut context.checks {
            Some(checks) => Ok(checks.excuse(warp.index, instruction, raw)),
            None => Err(raw),
        }
    }
}

/// The space of a generic address.
pub fn generic_space(address: u64) -> Space {
    if address.wrapping_sub(SHARED_WINDOW) < WINDOW {
        Space::Shared
    } else if address.wrapping_sub(LOCAL_WINDOW) < WINDOW {
        Space::Local
    } else if address.wrapping_sub(PARAMETER_WINDOW) < WINDOW {
        Space::Constant
    } else {
        Space::Global
    }
}

/// Stops the warp with a fault.
#[cold]
pub fn fault(warp: &mut Warp, op: &Op, fault: RawFault) -> *const Op {
    // SAFETY: the context outlives the warp's run.
    unsafe { (*warp.context).fault = Some(Box::new(fault)) };
    warp.stop_at(op, Stop::Fault)
}
