//! The context that the warps of one worker share while they run a block (memory, sites, counts, the instrument), and handlers:
//! the bodies of operations, compiled once per SIMD level, with the choice of the level.

use crate::fault::RawFault;
use crate::instructions::access::delayed::Delayed;
use crate::instructions::access::site::{AccessSite, Delay, Region};
use crate::instructions::asynchrony::cluster::Cluster;
use crate::instructions::asynchrony::registers::RegisterPool;
use crate::instructions::matrix::narrow::FactorArrays;
use crate::instrument::counter::SiteTotal;
use crate::instrument::event::{Hook, Place, Wants};
use crate::machine::slot::Slot;
use crate::machine::{Handler, Op, Stop, Warp};
use crate::memory::Memory;
use lanework_ptx_ir::kernel::{MemorySpace, Register};
use lanework_ptx_ir::memory_layout::{
    LOCAL_WINDOW, PARAMETER_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW,
};

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
    pub sites: Vec<AccessSite>,
    /// The instruction of each operation.
    pub origin_of: *const u32,
    /// The kernel's registers.
    pub kernel_registers: *const [Register],
    /// The slot of each register in the code that warps start in, and in the all-varying code once a warp runs it.
    pub slots: [*const [Slot]; 2],
    /// When counting: for each basic block, how often warps ran it, and the sum of their active lanes.
    pub visits: Vec<[u64; 2]>,
    /// When counting: for each fused multiply-add sequence, the executions that its sites have not counted yet.
    pub deferred: Vec<Deferred>,
    /// How far an instrument has moved the clock ahead of the instructions.
    pub clock_ahead: u64,
    /// The run's instrument.
    pub hook: Hook,
    /// The block's `printf` output.
    pub printed: String,
    /// The block's linear index.
    pub block: u64,
    /// The state that the blocks of its cluster share.
    pub cluster: *mut Cluster,
    /// Its rank in the cluster.
    pub rank: u32,
    /// The block's registers that no warp holds (`setmaxnreg`).
    pub registers: RegisterPool,
    /// The progress of each warp within its warpgroup.
    pub warpgroups: Vec<WarpgroupArrival>,
    /// Arrays for the factors of matrix products. Products overwrite them: clearing them took a tenth of a product's time.
    pub factors: Option<Box<FactorArrays>>,
    /// Reductions that have not reached memory; `None` if each is performed at once.
    pub delayed: Option<Box<Delayed>>,
    /// The fault that stopped the block.
    pub fault: Option<Box<RawFault>>,
}

/// Executions of one fused sequence whose accesses have the same cost, because a cost in shared memory depends only on
/// the distance between the two bases. They are added to the sites' counter slots when the distance changes, and
/// at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deferred {
    /// The bases of the scalar loads.
    pub same: [u64; 2],
    /// The bases of the loads of runs.
    pub run: [u64; 2],
    /// The number of executions.
    pub times: u64,
}

/// One warp of a warpgroup at `wgmma.wait_group`.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarpgroupArrival {
    /// Number of arrivals there.
    pub came: u64,
    /// Whether it still waits there.
    pub waits: bool,
}

impl Context {
    /// Takes the counts of the sites.
    pub fn take_totals(&mut self) -> Vec<SiteTotal> {
        let total = |site: &mut AccessSite| SiteTotal {
            instruction: site.origin,
            class: site.counter.class,
            bytes: 32 * site.counted_bytes(),
            slots: std::mem::take(&mut site.slots),
        };
        self.sites.iter_mut().map(total).collect()
    }

    /// Performs the delayed reductions, if there are any.
    pub fn publish(&mut self) {
        if let Some(delayed) = &mut self.delayed {
            delayed.publish();
        }
    }

    /// Called before an access to a region that its site has not cached: if reductions in it may be delayed, ends delaying.
    pub fn reveal(&mut self, region: &Region) {
        if self.delayed.as_deref().is_some_and(|delayed| delayed.covers(region)) {
            self.end_delays();
        }
    }

    /// Performs the delayed reductions; no later one is delayed.
    #[cold]
    #[inline(never)]
    pub fn end_delays(&mut self) {
        self.publish();
        self.delayed = None;
        for site in &mut self.sites {
            site.delay = Delay::Never;
        }
    }

    /// The shared memory that holds an address in the shared window: the block's own, or the memory of
    /// another block of its cluster.
    fn shared_of(&self, address: u64) -> Option<Region> {
        if address >> RANK_SHIFT == 0 {
            return Some(self.shared);
        }
        // SAFETY: the cluster's state outlives the runs of its blocks.
        unsafe { &*self.cluster }.region(address)
    }

    /// Forgets cached regions in the shared memory of other blocks.
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
                // SAFETY: the launch borrows the memory under its lock until its workers have ended.
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
            // Function-scope parameters are in local memory, too, so their address may be generic.
            let offset = if address.wrapping_sub(LOCAL_WINDOW) < WINDOW {
                address - LOCAL_WINDOW
            } else {
                address
            };
            if offset >= self.local_bytes || bytes > self.local_bytes - offset {
                return None;
            }
            let thread = u64::from(warp) * 32 + u64::from(lane);
            // SAFETY: `Worker::new` made `local` with `local_bytes` for 32 lanes of every warp; `offset` was found
            // within `local_bytes`.
            return Some(unsafe { self.local.add((thread * self.local_bytes + offset) as usize) });
        }
        let Some(region) = self.region_of(space, address) else {
            return match space {
                MemorySpace::Global | MemorySpace::Constant | MemorySpace::Generic => {
                    // SAFETY: the launch borrows the memory under its lock until its workers have ended.
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
        // SAFETY: `origin_of` has an entry for each operation of the code that the warp runs, and `op` is one of them,
        // so that `pc` is its index.
        let instruction = unsafe { *self.origin_of.add(warp.pc(op) as usize) };
        Place { block: self.block, warp: warp.index, instruction }
    }

    /// Reports an access at these guest addresses to the instrument.
    #[inline(never)]
    pub fn observe(&mut self, warp: &Warp, op: &Op, site: &AccessSite, addresses: &[u64; 32]) {
        let place = self.place(warp, op);
        if let Some(instrument) = self.instrument(Wants::ACCESSES | Wants::COUNTS) {
            instrument.memory(warp, site, place, addresses);
        }
    }
}

/// Asks the instrument whether the kernel continues after a lane's invalid access. If so, returns scratch bytes
/// outside of guest memory for the access; else the fault.
#[cold]
pub fn recover(warp: &Warp, op: &Op, raw: RawFault) -> Result<*mut u8, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run; handlers hold no other reference to it, or to its
    // instrument, when they look for a lane's bytes.
    unsafe {
        let context = &mut *warp.context;
        let instruction = context.place(warp, op).instruction;
        let scratch = context.hook.any().invalid_access(warp.index, instruction, raw)?;
        Ok(scratch.start())
    }
}

/// Stops the warp with a fault.
#[cold]
pub fn fault(warp: &mut Warp, op: &Op, fault: RawFault) -> *const Op {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    unsafe { (*warp.context).fault = Some(Box::new(fault)) };
    warp.stop_at(op, Stop::Fault)
}

/// The body of a handler, compiled once per SIMD level.
///
/// # Safety
/// The scheduler follows the pointer that `run` returns without a check. `run` must return null after it has called
/// `Warp::stop_at`, or an operation of the program that `op` is in: by [`Op::next`], by [`Op::leave`], or by a jump to an
/// operation index that the assembler stored in `op`. It must leave the warp's register file, its sites and its context valid.
pub unsafe trait Body {
    /// Runs the operation.
    ///
    /// # Safety
    /// - `op` was assembled for the register file of `warp`, with the operands and the immediate that this body expects.
    /// - `warp` was started by the scheduler: its context, its sites and its instrument are live, and no other thread uses them.
    /// - The host has the SIMD level that the caller was compiled for.
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op;
}

/// A handler at each SIMD level, lowest first.
#[derive(Clone, Copy)]
pub struct Tiers([Handler; 3]);

impl Tiers {
    /// The handler at a SIMD level.
    pub(crate) fn at(self, tier: usize) -> Handler {
        self.0[tier]
    }

    /// The handlers of a body.
    pub const fn per_level<B: Body>() -> Tiers {
        #[cfg(target_arch = "x86_64")]
        {
            Tiers([baseline::<B>, avx2::<B>, avx512::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Tiers([baseline::<B>, baseline::<B>, baseline::<B>])
        }
    }
}

impl Tiers {
    /// The handler of a body that is rare or does not gain from wide registers: one for all levels,
    /// which keeps the emulator quick to compile.
    pub const fn cold<B: Body>() -> Tiers {
        Tiers([baseline::<B>; 3])
    }
}

impl Tiers {
    /// The handlers of a body that is large: one for all machines with wide registers, and `Lowest`, which may be slow
    /// and need not be inlined, for those without.
    pub const fn large<B: Body, Lowest: Body>() -> Tiers {
        #[cfg(target_arch = "x86_64")]
        {
            Tiers([baseline::<Lowest>, avx2::<B>, avx2::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Tiers([baseline::<B>; 3])
        }
    }
}

/// A handler that pays off only with wide registers. The lowest level uses the general handlers instead, which saves
/// compile time.
#[derive(Clone, Copy)]
pub struct WideTiers([Handler; 2]);

impl WideTiers {
    /// The handlers of a body.
    pub const fn per_level<B: Body>() -> WideTiers {
        #[cfg(target_arch = "x86_64")]
        {
            WideTiers([avx2::<B>, avx512::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            WideTiers([baseline::<B>, baseline::<B>])
        }
    }

    /// The handler of a body: one for all machines with wide registers, which saves compile time.
    pub const fn of_one_level<B: Body>() -> WideTiers {
        #[cfg(target_arch = "x86_64")]
        {
            WideTiers([avx2::<B>, avx2::<B>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            WideTiers([baseline::<B>, baseline::<B>])
        }
    }

    /// The handlers of two bodies: one for registers of 256 bits and one for 512 bits.
    pub const fn split<B: Body, Widest: Body>() -> WideTiers {
        #[cfg(target_arch = "x86_64")]
        {
            WideTiers([avx2::<B>, avx512::<Widest>])
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            WideTiers([baseline::<B>, baseline::<Widest>])
        }
    }

    /// The handler at a SIMD level, if there is one.
    pub fn at(self, tier: usize) -> Option<Handler> {
        // On other hosts the lowest level has vectors for which the handler pays off.
        let index = if cfg!(target_arch = "x86_64") { tier.checked_sub(1)? } else { 0 };
        self.0.get(index).copied()
    }
}

/// A body at the lowest SIMD level.
///
/// # Safety
/// As for [`Handler`].
#[inline(never)]
pub unsafe fn baseline<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; the baseline is every host's level.
    unsafe { B::run(op, warp) }
}

/// A body at the level of 256-bit registers, for handlers of that level or a higher one that leave rare cases to it.
///
/// # Safety
/// As for [`Handler`]; the caller is one of [`WideTiers`].
#[inline(always)]
pub(crate) unsafe fn wide<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; the host has the level of `WideTiers`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            avx2::<B>(op, warp)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            baseline::<B>(op, warp)
        }
    }
}

/// # Safety
/// As for [`Handler`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx2<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; `best_tier` found these features before
    // the assembler chose this handler.
    unsafe { B::run(op, warp) }
}

/// # Safety
/// As for [`Handler`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn avx512<B: Body>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: operation and warp fulfill `Body::run`, as `Handler` requires; `best_tier` found these features before
    // the assembler chose this handler.
    unsafe { B::run(op, warp) }
}

/// The highest SIMD level that this machine has: an index into [`Tiers`].
pub fn best_tier() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        let best = usize::from(avx2) + usize::from(avx512);
        let cap = std::env::var("LANEWORK_SIMD").ok();
        match cap.as_deref() {
            Some("baseline") => 0,
            Some("avx2") => best.min(1),
            _ => best,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        0
    }
}
