//! The instrument interface: the events that an observer of a run may receive, and the decisions that it may make.
//!
//! An [`Instrument`] declares the events that it wants ([`Wants`]). The assembler inserts operations only for those, so
//! that other events cost nothing. This is how tools for dynamic binary instrumentation work (Pin, 2005; NVBit, 2019).
//! An event is reported in one of three ways:
//!
//! - *Accesses* run hot. An operation before each memory instruction reports them: [`Observe`],
//!   monomorphized for the instrument in the crate that defines it, or operations of the instrument's own,
//!   which its [`Plan`] names.
//! - *Counts* are summed in place by the engine's own handlers, by a [`CounterRule`] for each site; the instrument
//!   supplies the cost of a pattern of addresses, and receives the totals at the end.
//! - *Everything else* is a call through `dyn Instrument`.
//!
//! Each worker has its own instrument (`fork`), and they are merged in a fixed order when the launch ends.
//!
//! [`Instrument`] is an unsafe trait, because it inserts handlers into the code that warps run. To only observe,
//! implement the safe [`Observer`](crate::instrument::observer::Observer).

pub mod cluster_view;
pub mod counter;
pub mod event;
pub mod insertion;
pub mod observer;
pub mod step_view;

use crate::fault::{ClusterFault, Located, RawFault};
use crate::instructions::access::site::{AccessSite, Region};
use crate::instrument::cluster_view::{ClusterView, Verdict};
use crate::instrument::counter::{CounterRule, Pattern, Totals};
use crate::instrument::event::{
    Access, AccessKind, Asynchronous, BulkTraffic, HeapEvent, MatrixTile, Moved, Place,
};
use crate::instrument::step_view::{StepVerdict, StepView};
use crate::machine::context::{Body, Tiers};
use crate::machine::lanes::addresses;
use crate::machine::slot::Lanes;
use crate::machine::{Op, Warp};
use crate::memory::Memory;
use event::Wants;
use insertion::Plan;
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::{Kernel, MemorySpace, SyncAnnotation};
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::marker::PhantomData;
use std::sync::Arc;

/// A launch, as the instrument of one worker sees it.
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Arc<Kernel>,
    /// The operations that the instrument inserted.
    pub plan: Option<&'a dyn Plan>,
    /// Global memory; the launch holds its lock, so that it outlives the run.
    pub memory: &'a Memory,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The shared memory of each block of a cluster, by rank.
    pub shared: Vec<Region>,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
}

/// The time slice of a warp in instructions. Long, so that a warp that should have waited at a barrier
/// runs far ahead and the missing barrier shows in the results.
pub const TIME_SLICE: u64 = 1 << 20;

/// Bytes that an invalid access may use in place of the guest's memory.
#[derive(Clone, Copy, Debug)]
pub struct ScratchBytes(*mut u8);

impl ScratchBytes {
    /// The number of bytes.
    pub const BYTES: usize = 64;

    /// The bytes from `start` on.
    ///
    /// # Safety
    /// `start` is a multiple of 8. Until the warp's current operation ends, [`ScratchBytes::BYTES`] bytes from it on can be
    /// read and written through it, and no other code accesses them.
    pub unsafe fn new(start: *mut u8) -> ScratchBytes {
        ScratchBytes(start)
    }

    /// The first byte.
    pub(crate) fn start(self) -> *mut u8 {
        self.0
    }
}

/// Observes a run and can influence it.
///
/// All methods but `fork` and `merge` may be left to their defaults, which do nothing. Warps are named by
/// their index in the block, blocks of a cluster by rank, places in a kernel by the instruction's index.
///
/// # Safety
/// The engine runs an instrument's inserted operations without a check. An implementation must fulfill all of this:
///
/// - `access_operation` returns handlers for an operation whose operand `b` is an address slot, `c` a site's offset, `d` the
///   SIMD level and whose immediate is an instruction index; its destination is unused. The default does.
/// - `plan` returns a plan that keeps the contract of [`Plan`] for this kernel, and whose handlers use the instrument as
///   the type that implements this trait.
/// - `copy` does not change the registers, sites, context and operations of the warp; it may change the mask of active
///   lanes for its own calls and must restore it.
/// - No method keeps a pointer that it finds in its arguments after `finish` returns.
pub unsafe trait Instrument: Send + 'static {
    /// A fresh instrument for another worker.
    fn fork(&self) -> Self
    where
        Self: Sized;

    /// Merges the data of another worker's instrument.
    fn merge(&mut self, other: Self)
    where
        Self: Sized;

    /// The events that it wants.
    fn wants(&self) -> Wants {
        Wants::EVENTS
    }

    // --- Assembly ---

    /// The general operation before memory instructions. Its site is operand `c`, its address `b`, the
    /// SIMD level `d`, and the immediate the instruction's index in the kernel.
    fn access_operation() -> Tiers
    where
        Self: Sized,
    {
        Tiers::cold::<Observe<Self>>()
    }

    /// The operations that it inserts into a kernel in addition.
    fn plan(_kernel: &Kernel, _analyses: &Analyses) -> Option<Arc<dyn Plan>>
    where
        Self: Sized,
    {
        None
    }

    /// How accesses of a memory instruction are counted in place.
    fn counter(_space: MemorySpace, _kind: AccessKind, _class: AccessClass) -> CounterRule
    where
        Self: Sized,
    {
        CounterRule::NONE
    }

    // --- Instructions and accesses ---

    /// A warp executes an instruction with these active lanes.
    fn instruction(&mut self, _place: Place, _mask: u32) {}

    /// A warp is about to execute an instruction. The launch may stop before it, with a
    /// [`FaultKind::InstructionLimit`](crate::fault::FaultKind::InstructionLimit).
    fn step(&mut self, _step: &StepView<'_>) -> StepVerdict {
        StepVerdict::UntilStep(u64::MAX)
    }

    /// A cluster has ended, or a fault has stopped it: the number of steps that this worker's warps have executed.
    fn steps(&mut self, _executed: u64) {}

    /// A warp accesses memory.
    fn access(&mut self, _access: &Access<'_>) {}

    /// A warp accesses memory, with all data that the engine has about the access. The default calls
    /// [`Instrument::access`].
    fn memory(&mut self, warp: &Warp, site: &AccessSite, place: Place, addresses: &[u64; 32]) {
        if let Some(access) = site.access(warp.mask, place, addresses) {
            self.access(&access);
        }
    }

    /// A lane's access is invalid, or its call of `free`. With `Ok` the run continues, and the access uses the scratch bytes.
    ///
    /// # Errors
    /// The fault, if it ends the run.
    fn invalid_access(
        &mut self,
        _warp: u32,
        _instruction: u32,
        fault: RawFault,
    ) -> Result<ScratchBytes, RawFault> {
        Err(fault)
    }

    /// A warp diverges at a branch.
    fn diverged(&mut self, _place: Place) {}

    // --- Counting ---

    /// The cost that accesses of a pattern add to the second and third counter slot of a site.
    fn cost(&self, _class: u8, _pattern: &Pattern) -> [u64; 2] {
        [0; 2]
    }

    /// The worker's run has ended; receives the counts, once for each block of a cluster.
    fn flush(&mut self, _totals: &Totals<'_>) {}

    // --- Synchronization ---

    /// A warp arrives at a barrier.
    fn barrier(&mut self, _place: Place, _mask: u32) {}

    /// A warp arrives at a barrier of its block by number; it may not wait there.
    fn barrier_arrive(&mut self, _warp: usize, _number: usize, _waits: bool) {}

    /// A barrier opens for these warps; `all` if it was for all threads of the block.
    fn barrier_open(&mut self, _number: usize, _released: &[usize], _all: bool) {}

    /// A warp executes an instruction that synchronizes it or has requirements on its lanes; `operand` reads the
    /// instruction's sources.
    fn synchronization(
        &mut self,
        _warp: &Warp,
        _instruction: u32,
        _note: SyncAnnotation,
        _operand: &dyn Fn(usize) -> Lanes<u32>,
    ) {
    }

    /// An instruction names lanes that are on another path: it waits for them.
    fn lanes_missing(&mut self, _warp: u32, _instruction: u32, _lanes: u32) {}

    /// Called before a lane operates on the mbarrier at an offset in a block's shared memory.
    fn mbarrier(
        &mut self,
        _warp: &Warp,
        _at: (u32, u32),
        _operation: (MbarrierOp, i64),
        _mbarrier: (u32, u64),
    ) {
    }

    /// A lane has found that a phase of an mbarrier has ended.
    fn mbarrier_waited(
        &mut self,
        _warp: &Warp,
        _at: (u32, u32),
        _operation: MbarrierOp,
        _mbarrier: (u32, u64),
    ) {
    }

    /// A warp arrives at the cluster's barrier of this generation; `relaxed` means that the arrival orders none of its earlier
    /// accesses.
    fn cluster_arrive(&mut self, _warp: usize, _generation: u32, _relaxed: bool) {}

    /// All have arrived at the cluster's barrier.
    fn cluster_open(&mut self, _generation: u32) {}

    /// A warp has waited at the cluster's barrier.
    fn cluster_waited(&mut self, _warp: usize, _generation: u32) {}

    // --- Copies ---

    /// A thread, by its lane, uses an mbarrier or a bulk copy.
    fn asynchronous(&mut self, _place: Place, _lane: u32, _event: Asynchronous) {}

    /// A warp copies by `cp.async`, up to `bytes` bytes per lane; lanes that `have` less read less. By
    /// default this is an access to each of both spaces.
    fn copy(
        &mut self,
        warp: &mut Warp,
        place: Place,
        bytes: u32,
        [to, from]: [&[u64; 32]; 2],
        have: &[u32; 32],
    ) {
        let class = AccessClass::Copy;
        let read = AccessSite::aside(MemorySpace::Global, AccessKind::Load, bytes as u8, class);
        let write = AccessSite::aside(MemorySpace::Shared, AccessKind::Store, bytes as u8, class);
        let copying = warp.mask;
        // Lanes that only write zeros read nothing.
        warp.mask &=
            (0..32).filter(|&lane| have[lane] > 0).fold(0, |mask, lane| mask | 1u32 << lane);
        if warp.mask != 0 {
            self.memory(warp, &read, place, from);
        }
        warp.mask = copying;
        self.memory(warp, &write, place, to);
    }

    /// A lane starts a bulk copy. Its completion is signaled to the mbarrier of a block at an offset, or else to the
    /// thread's group.
    fn bulk_copy(
        &mut self,
        _warp: &Warp,
        _at: (u32, u32),
        _moved: Moved,
        _mbarrier: Option<(u32, u64)>,
    ) {
    }

    /// A thread starts a bulk copy; reports its bytes, for counting ([`Wants::COUNTS`]).
    fn bulk_traffic(&mut self, _place: Place, _traffic: &BulkTraffic) {}

    /// A thread makes a group of the bulk copies that it has started.
    fn bulk_commit(&mut self, _warp: u32, _lane: u32) {}

    /// A thread waits for all but its latest `pending` groups: with `read` until they have read their sources, else
    /// until they are complete.
    fn bulk_wait(&mut self, _warp: u32, _lane: u32, _pending: u32, _read: bool) {}

    /// A warp loads or stores a matrix by `wmma`; its accesses are reported, too.
    fn matrix_tile(&mut self, _warp: &Warp, _instruction: u32, _tile: &MatrixTile<'_>) {}

    /// A warp's product (`wgmma`) reads these 16-byte chunks of its block's shared memory; `accumulates` says whether it
    /// reads its accumulators, too.
    fn product_reads(
        &mut self,
        _warp: &Warp,
        _instruction: u32,
        _chunks: &[u64],
        _accumulates: bool,
    ) {
    }

    /// A lane's instruction on tensor memory reads these 16-byte chunks of the shared memory of the block of a rank,
    /// through the asynchronous proxy, from now until its commit has arrived.
    fn tensor_reads(&mut self, _warp: &Warp, _at: (u32, u32), _rank: u32, _chunks: &[u64]) {}

    /// A lane's product adds to columns of tensor memory, from a first one on, that were never written.
    fn tensor_unwritten(&mut self, _warp: &Warp, _at: (u32, u32), _columns: (u32, u32)) {}

    /// A lane commits what it has issued on tensor memory to these mbarriers.
    fn tensor_commit(&mut self, _warp: &Warp, _at: (u32, u32), _mbarriers: &[(u32, u64)]) {}

    // --- Allocation ---

    /// A kernel allocates or frees.
    fn heap(&mut self, _event: HeapEvent) {}

    // --- Edges ---

    /// The launch starts on this worker.
    ///
    /// # Safety
    /// The memory and the shared regions of `launch` stay live until [`Instrument::finish`] has returned: an instrument may
    /// keep pointers into them until then.
    unsafe fn launch(&mut self, _launch: &Launch<'_>) {}

    /// A cluster starts, of these blocks.
    fn cluster_start(&mut self, _blocks: &[u64]) {}

    /// A cluster has ended, or a fault has stopped it.
    fn cluster_end(&mut self) {}

    /// The warps of the block of a rank run next.
    fn block_slice(&mut self, _rank: u32) {}

    /// The block of a rank has ended, in a cluster of several.
    fn block_end(&mut self, _rank: u32) {}

    /// A warp has ended.
    fn warp_end(&mut self, _warp: usize) {}

    /// The instructions of a warp's time slice.
    fn time_slice(&self) -> u64 {
        TIME_SLICE
    }

    /// Called after each scheduler pass. An error stops the cluster.
    ///
    /// # Errors
    /// The fault, and the rank of the block that it is in.
    fn scheduler_pass(
        &mut self,
        _cluster: &mut dyn ClusterView,
    ) -> Result<Verdict, (usize, Located)> {
        Ok(Verdict::GoesOn)
    }

    /// The worker switches to the cluster in another of its slots, counted from 0. Clusters that wait for others keep
    /// theirs; a slot is used by one cluster after another. The regions are the shared memory of the slot's blocks, by
    /// rank.
    fn enter_slot(&mut self, _slot: usize, _shared: &[Region]) {}

    /// Whether the cluster in a slot may be able to continue, after [`Verdict::Waits`].
    fn may_go_on(&self, _seat: usize) -> bool {
        true
    }

    /// A fault stops the cluster; the instrument may extend its message.
    fn stopped(&mut self, _fault: &mut RawFault, _cluster: &dyn ClusterView) {}

    /// A fault has stopped a cluster, or all running clusters wait forever. With `None` the launch continues with the
    /// next cluster.
    fn fault(&mut self, fault: ClusterFault) -> Option<Located> {
        Some(fault.located)
    }

    /// The worker's run has ended; the arguments tell whether all clusters of the grid were to run, and whether a fault
    /// has stopped it. May return a fault that ends the launch.
    fn finish(&mut self, _all: bool, _faulted: bool) -> Option<([u32; 3], Located)> {
        None
    }
}

/// Reports the access of the following memory instruction to an instrument; see [`Instrument::access_operation`].
pub struct Observe<I>(PhantomData<I>);

// SAFETY: `run` returns what `Op::next` gives, and the instrument sees the warp by shared reference only.
unsafe impl<I: Instrument> Body for Observe<I> {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler puts this body before a memory instruction with `b` its address slot and `c` its site's
        // offset. The worker owns the context for as long as its warps run, and `Program::assembled` keeps code by the
        // instrument's type, so that the attached instrument is an `I`.
        unsafe {
            let site = &*warp.site(op.c);
            let at = addresses(warp, op.b, site.offset);
            let (block, instruction) = ((*warp.context).block, op.imm as u32);
            let place = Place { block, warp: warp.index, instruction };
            (*warp.context).hook.typed::<I>().memory(warp, site, place, &at.0);
            op.next(warp)
        }
    }
}
