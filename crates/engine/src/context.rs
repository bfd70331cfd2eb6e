//! What the warps of one worker share: memory, the sites of memory instructions, counters, output.

use crate::alu::atomic::Combine;
use crate::asynchrony::cluster::Cluster;
use crate::counter::{CounterRule, Memo, SiteTotal};
use crate::event::{AccessKind, Place, Space};
use crate::fault::FaultKind;
use crate::instrument::{Hook, Instrument, Wants};
use crate::lanes::Slot;
use crate::matrix::group::Meeting;
use crate::memory::Memory;
use crate::op::{Op, Stop, Warp};
use lanework_ptx_ir::access_class::AccessClass;
use lanework_ptx_ir::kernel::{MemorySpace, Order};
use lanework_ptx_ir::window::{LOCAL_WINDOW, PARAMETER_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW};

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
    /// Whether the general handlers tell the instrument of its accesses.
    pub observed: bool,
    /// Its order among others.
    pub order: Order,
    /// How the load/store unit treats it.
    pub service: AccessClass,
    /// How its accesses are counted in place.
    pub counter: CounterRule,
    /// Its instruction in the kernel.
    pub origin: u32,
    /// Counter slots of the common handlers: accesses, and two costs by the rule.
    pub slots: [u64; 3],
    /// The pattern counted last.
    pub memo: Memo,
}

impl Site {
    /// Bytes per lane that count.
    pub fn counted_bytes(&self) -> u64 {
        match self.counter.bytes {
            0 => u64::from(self.bytes) * u64::from(self.count),
            bytes => bytes.into(),
        }
    }

    /// The site of one element per lane, accessed beside the memory instructions proper: it has hit no
    /// region yet, and has no counter slots of its own.
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
            counter: CounterRule::NONE,
            origin: 0,
            slots: [0; 3],
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
    pub chains: *const crate::fuse::Chain,
    /// For each basic block the times that a warp ran it, and the lanes in all, when counting.
    pub visits: Vec<[u64; 2]>,
    /// The run's instrument.
    pub hook: Hook,
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

impl Context {
    /// The run's instrument, if it wants any of this.
    #[inline(always)]
    pub fn instrument(&mut self, what: Wants) -> Option<&mut dyn Instrument> {
        // SAFETY: the launch keeps the instrument alive, and this worker alone uses it.
        unsafe { self.hook.get(what) }
    }

    /// Takes out what sites counted.
    pub fn take_totals(&mut self) -> Vec<SiteTotal> {
        let total = |site: &mut Site| SiteTotal {
            instruction: site.origin,
            class: site.counter.class,
            bytes: 32 * site.counted_bytes(),
            slots: std::mem::take(&mut site.slots),
        };
        self.sites.iter_mut().map(total).collect()
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

    /// The place of an operation.
    pub fn place(&self, warp: &Warp, op: &Op) -> Place {
        // SAFETY: one origin per operation.
        let instruction = unsafe { *self.origin_of.add(warp.pc(op) as usize) };
        Place { block: self.block, warp: warp.index, instruction }
    }

    /// Tells the instrument of an access at these guest addresses.
    #[inline(never)]
    pub fn observe(&mut self, warp: &Warp, op: &Op, site: &Site, addresses: &[u64; 32]) {
        let place = self.place(warp, op);
        if let Some(instrument) = self.instrument(Wants::ACCESSES | Wants::COUNTS) {
            instrument.memory(warp, site, place, addresses);
        }
    }
}

/// Whether the instrument lets the kernel go on after a lane's invalid access: then the place, off the
/// guest's memory, where its bytes come from or go to; else the fault.
#[cold]
pub fn excuse(warp: &Warp, op: &Op, raw: RawFault) -> Result<*mut u8, RawFault> {
    // SAFETY: the context outlives the warp's run, which alone uses it.
    unsafe {
        let context = &mut *warp.context;
        let instruction = context.place(warp, op).instruction;
        context.hook.any().invalid_access(warp.index, instruction, raw)
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
