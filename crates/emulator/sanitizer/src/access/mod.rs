//! The access check: bounds, initialization and races of one warp's memory access.
//!
//! Each access passes [`Bounds`], [`Initialization`] and [`Races`] in this order.
//! [`reference`](mod@reference) is the per-lane path, [`cells`] updates the shadow cells of a lane,
//! [`position`] names lanes and threads.

pub mod cells;
mod findings;
pub mod position;
pub mod reference;

use crate::access::position::{LaneAt, Position};
use crate::bounds::{Bounds, Extent, MemoryId};
use crate::findings::Reports;
use crate::findings::kinds::ReportKind;
use crate::initialization::{CopiedValues, Initialization, LaneOfBlock};
use crate::races::epoch::{self, PackedEpoch};
use crate::races::shadow_cell::ShadowCell;
use crate::races::{self, LaunchPoints, PeerAccesses, Races, SuspendedRaces};
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::site::{AccessSite, Region};
use lanework_ptx_ir::kernel::{Kernel, MemoryKind, MemorySpace, Opcode, Scope, SyncAnnotation};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use lanework_ptx_ir::opcode::memory::AtomicOp;
use std::sync::Arc;

/// Name that lowering gives to the shared memory reserved for CUDA's libraries. Cooperative groups clear their own bits
/// there by atomics before use, and leave the other bits unchanged.
const OF_LIBRARIES: &str = "the shared memory of CUDA's libraries";

/// A warp's access under check.
#[derive(Clone, Copy)]
pub struct WarpAccess<'a> {
    /// The warp.
    pub warp: &'a Warp,
    /// The memory instruction.
    pub site: &'a AccessSite,
    /// Number of the instruction in the kernel.
    pub instruction: u32,
    /// Bytes per lane.
    pub bytes: u64,
    /// Packed access of lane 0.
    pub packed: PackedEpoch,
    /// Active lanes that access this space.
    pub mask: u32,
    /// Lanes whose compare-and-swap fails and therefore only reads.
    pub failed: u32,
}

impl WarpAccess<'_> {
    /// One of its lanes.
    pub fn lane(&self, lane: usize) -> LaneAt {
        LaneAt { warp: self.warp.index, lane: lane as u32, instruction: self.instruction }
    }

    /// Whether a lane writes.
    #[inline(always)]
    pub fn writes(&self, lane: usize) -> bool {
        self.site.kind != AccessKind::Load && self.failed >> lane & 1 == 0
    }

    /// Whether the thread uses the value that a strong access reads.
    #[inline(always)]
    pub fn observes(&self) -> bool {
        match self.site.kind {
            AccessKind::Load => !self.site.order.data,
            AccessKind::Store => false,
            AccessKind::Atomic => self.site.order.observes,
        }
    }
}

/// The checks that every access passes.
pub struct AccessCheck {
    /// The running cluster and block.
    pub position: Position,
    /// Collected findings.
    pub reports: Reports,
    /// Extents of allocations and variables.
    pub bounds: Bounds,
    /// Initialized-byte bitmaps.
    pub initial: Initialization,
    /// Uninitialized bytes of values that are only copied.
    pub(crate) copied: CopiedValues,
    /// Shadow memory and the happens-before tracker.
    pub races: Races,
    /// Accesses to shared memory of peer blocks.
    pub peers: PeerAccesses,
    /// Launches that this kernel makes.
    pub launches: LaunchPoints,
    /// Whether the kernel releases anything; otherwise sync variables are not tracked.
    pub(super) releases: bool,
    /// Whether all checks of the fast paths are enabled.
    has_fast_paths: bool,
    /// By instruction: whether it is an atomic exchange with an unused result, which may be the
    /// first write of its word.
    overwrites: Vec<bool>,
    /// As `has_fast_paths`, but false while a livelock trial needs every access on the general path.
    fast_paths: bool,
}

impl AccessCheck {
    /// Combines the checks of a launch.
    pub fn new(
        kernel: &Kernel,
        position: Position,
        reports: Reports,
        bounds: Bounds,
    ) -> AccessCheck {
        let shift = cell_shift(kernel);
        let both = [ReportKind::Race, ReportKind::Uninitialized];
        let all = both.into_iter().all(|kind| reports.wants(kind));
        let fast_paths = all && !reports.by_lane();
        let shared = || (0..bounds.ranks()).map(|rank| bounds.extent(rank).bytes);
        AccessCheck {
            initial: Initialization::new(shared(), bounds.local_of(position.warps)),
            races: Races::new(position.warps, shared(), shift),
            copied: CopiedValues::default(),
            peers: PeerAccesses::new(bounds.ranks()),
            launches: LaunchPoints { counter: launch_counter(&bounds), list: Vec::new() },
            releases: releases(kernel),
            has_fast_paths: fast_paths,
            overwrites: overwrites(kernel),
            fast_paths,
            position,
            reports,
            bounds,
        }
    }

    /// Starts a cluster of these blocks.
    pub fn start(&mut self, blocks: &[u64]) {
        self.position.start(blocks);
        self.races.order.start(self.position.block);
        self.initial.start();
        if let Some((start, bytes)) = self.bounds.shared.of_name(OF_LIBRARIES) {
            let written = (0..self.bounds.ranks()).filter_map(|rank| self.initial.written(rank));
            written.for_each(|written| written.set(start, bytes));
        }
        self.peers.start();
    }

    /// Whether shared memory at an offset is reserved for CUDA's libraries.
    fn is_of_libraries(&self, offset: u64) -> bool {
        let reserved = self.bounds.shared.of_name(OF_LIBRARIES);
        reserved.is_some_and(|(start, bytes)| (start..start + bytes).contains(&offset))
    }

    /// Switches to the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.position.enter(rank);
        self.races.order.enter(rank as usize, self.position.block);
    }

    /// Disables the fast paths that check lanes or words, or enables them again if `without` is false.
    pub fn disable_fast_paths(&mut self, without: bool) {
        self.fast_paths = self.has_fast_paths && !without;
    }

    /// Whether an access needs initialized bytes: it reads them and the value is used.
    pub(super) fn needs_written(&self, access: &WarpAccess<'_>) -> bool {
        let overwrites = || self.overwrites.get(access.instruction as usize) == Some(&true);
        access.site.kind != AccessKind::Store && !overwrites()
    }

    /// A lane of an access.
    fn lane_of_block(&self, access: &WarpAccess<'_>, lane: usize) -> LaneOfBlock {
        (self.position.block, access.warp.index, lane as u32)
    }

    /// Whether a load of uninitialized bytes only copies them; `place` is their offset in the memory.
    #[cold]
    pub(super) fn only_copies(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        id: MemoryId,
        place: u64,
    ) -> bool {
        if access.site.kind != AccessKind::Load {
            return false;
        }
        let element = u64::from(access.site.bytes);
        let Some(written) = self.initial.written(id) else { return false };
        let unwritten = |at: u64| {
            (0..element.min(16)).fold(0, |bytes, i| bytes | u16::from(!written.has(at + i, 1)) << i)
        };
        // An element without a register is not used.
        let used = |i: usize| access.site.data.get(i).is_some_and(Option::is_some);
        let elements = (0..usize::from(access.site.count)).map(|i| match used(i) {
            true => unwritten(place + i as u64 * element),
            false => 0,
        });
        let (bytes, by) = (elements.collect::<Vec<u16>>(), self.lane_of_block(access, lane));
        let whole = u16::MAX >> (16 - element.clamp(1, 16));
        let kernel = self.reports.kernel();
        // A load without any initialized byte does not copy a structure, unless it copies a small piece of one.
        if bytes.iter().enumerate().all(|(i, bytes)| !used(i) || *bytes == whole) {
            let place = place as i64;
            let word = place & !7..(place + (element * bytes.len() as u64) as i64 + 7) & !7;
            let pieces = self.copied.pieces(&kernel, access.instruction);
            let near = pieces
                .iter()
                .map(|piece| word.start.max(place + piece.start)..word.end.min(place + piece.end));
            let written = |at: i64| u64::try_from(at).is_ok_and(|at| written.has(at, 1));
            if !near.flatten().any(written) {
                return false;
            }
        }
        let copies = self.copied.load(&kernel, by, access.instruction, &bytes);
        if self.copied.active() {
            (self.has_fast_paths, self.fast_paths) = (false, false);
        }
        copies
    }

    /// Carries the uninitialized bytes of copied values to the target of a store, and forgets them at
    /// a load of initialized bytes.
    #[inline(always)]
    pub(super) fn carry_unwritten(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        id: MemoryId,
        place: u64,
    ) {
        if self.copied.active() {
            self.carry(access, lane, id, place);
        }
    }

    #[cold]
    fn carry(&mut self, access: &WarpAccess<'_>, lane: usize, id: MemoryId, place: u64) {
        let (by, instruction) = (self.lane_of_block(access, lane), access.instruction);
        let (element, count) = (u64::from(access.site.bytes), usize::from(access.site.count));
        match access.site.kind {
            AccessKind::Load => {
                let kernel = self.reports.kernel();
                self.copied.load(&kernel, by, instruction, &vec![0; count]);
            }
            AccessKind::Store => {
                let Some(written) = self.initial.written(id) else { return };
                for (i, bytes) in (0..).zip(self.copied.stored(by, instruction)) {
                    let unwritten = (0..element.min(16)).filter(|byte| bytes >> byte & 1 != 0);
                    unwritten.for_each(|byte| written.unset(place + i * element + byte, 1));
                }
            }
            AccessKind::Atomic => {}
        }
    }

    /// Whether the fast paths that check lanes may run.
    #[inline(always)]
    pub fn fast_paths(&self) -> bool {
        self.fast_paths
    }

    /// Whether the fast paths that need cells of a word may run.
    #[inline(always)]
    pub fn word_cells(&self) -> bool {
        // log2 of the bytes of a word.
        self.fast_paths && self.races.shift() == 2
    }

    /// The allocation that contains a global address accessed by an instruction.
    #[inline(always)]
    pub fn allocation(&mut self, instruction: u32, address: u64) -> Option<MemoryId> {
        let AccessCheck { bounds, initial, races, .. } = self;
        bounds.allocation(instruction, address, |allocation| {
            initial.track(allocation.written.clone());
            races.track(allocation.bytes);
        })
    }

    /// Records that `malloc` returned a block. Accesses to a freed block at the same bytes happen
    /// before that.
    pub fn heap_allocated(&mut self, address: u64, bytes: u64) {
        if !self.bounds.heap.allocated(address, bytes) {
            return;
        }
        let Some(id) = self.allocation(u32::MAX, address) else { return };
        let offset = address - self.bounds.extent(id).start;
        let shadow = self.races.shadow(id);
        shadow.change_run(offset, bytes, |cell| *cell = ShadowCell::default());
        if let Some(written) = self.initial.written(id) {
            written.unset(offset, bytes);
        }
    }

    /// The packed access of a lane in its current epoch.
    pub fn packed_now(&mut self, at: LaneAt) -> PackedEpoch {
        self.races.order.packed_now(at.warp, at.lane, at.instruction)
    }

    /// The packed access of lane 0 with the flags of the site's memory order.
    pub(super) fn packed_of(
        &mut self,
        warp: u32,
        instruction: u32,
        site: &AccessSite,
    ) -> PackedEpoch {
        let mut packed = self.races.order.packed_now(warp, 0, instruction);
        if let Some(scope) = site.order.strong {
            packed |= epoch::STRONG;
            packed |= match scope {
                Scope::Block => 0,
                Scope::Cluster => epoch::CLUSTER_SCOPE,
                Scope::Device | Scope::System => epoch::CLUSTER_SCOPE | epoch::DEVICE_SCOPE,
            };
            packed |= if site.order.data { epoch::DATA } else { 0 };
            if site.kind == AccessKind::Atomic {
                packed |= epoch::ATOMIC;
            }
        }
        packed
    }

    /// Records the active lanes of an access, if not all live lanes take part.
    #[inline(always)]
    pub fn note_lanes(&mut self, warp: &Warp) {
        if warp.mask != warp.live {
            self.races.order.narrow_lanes(warp.index, warp.mask);
        }
    }

    /// Records an access to another block's shared memory, or a use of its mbarrier.
    pub fn touch_peer(&mut self, rank: u32, access: PackedEpoch) {
        if rank != self.position.rank {
            self.peers.touch(&self.races.order, rank, access);
        }
    }
}

/// Address of the counter of the kernel's launches, if its module has a queue of them.
fn launch_counter(bounds: &Bounds) -> Option<u64> {
    let mut live = bounds.memory().live();
    let (start, _) = live.find(|(_, allocation)| allocation.name == races::QUEUE)?;
    Some(start + races::COUNTER)
}

/// By instruction: whether it is an atomic exchange with an unused result.
fn overwrites(kernel: &Kernel) -> Vec<bool> {
    let mut found = vec![false; kernel.origins.len()];
    for inst in &kernel.insts {
        if let Opcode::Memory(op) = &inst.opcode
            && matches!(op.kind, MemoryKind::Atomic(AtomicOp::Exchange))
            && !op.order.observes
        {
            found[inst.origin as usize] = true;
        }
    }
    found
}

/// By instruction: bytes of an element that it accesses, 0 if it is not a plain memory access.
pub fn element_bytes(kernel: &Kernel) -> Arc<[u8]> {
    let mut bytes = vec![0; kernel.origins.len()];
    for inst in &kernel.insts {
        if let Opcode::Memory(op) = &inst.opcode {
            bytes[inst.origin as usize] = op.ty.size() as u8;
        }
    }
    bytes.into()
}

/// log2 of the size of a shadow cell: 4 bytes, or fewer if the kernel accesses fewer at a time.
fn cell_shift(kernel: &Kernel) -> u32 {
    let mut least = 4;
    for inst in &kernel.insts {
        match &inst.opcode {
            Opcode::Memory(op)
                if !matches!(op.space, MemorySpace::Parameter | MemorySpace::Local) =>
            {
                least = least.min(op.ty.size() * u32::from(op.count));
            }
            // `wmma`: rows of `ldmatrix` and operands of products have 16 bytes.
            Opcode::Matrix(MatrixOp::Tile { fragment, by_rows, .. }) => {
                least = least.min(fragment.bytes_together(*by_rows) as u32);
            }
            _ => {}
        }
    }
    least.max(1).ilog2()
}

/// Whether a kernel releases anything by fences or by release accesses.
fn releases(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|inst| match &inst.opcode {
        Opcode::Annotation(SyncAnnotation::Fence(_)) => true,
        Opcode::Memory(op) => op.order.release && !matches!(op.kind, MemoryKind::Load),
        _ => false,
    })
}

/// Per-cluster state of a suspended cluster: shared and local memory, clocks. Global memory, its
/// shadow and the findings belong to the launch.
pub struct SuspendedAccess {
    position: Position,
    extents: Vec<Extent>,
    initial: Initialization,
    races: SuspendedRaces,
    peers: PeerAccesses,
}

impl AccessCheck {
    /// State for another resident cluster that has not run yet; `shared` are the shared memories of
    /// its blocks.
    pub fn another(&self, shared: &[Region]) -> SuspendedAccess {
        let (warps, ranks) = (self.position.warps, shared.len());
        let bytes = || shared.iter().map(|region| region.bytes);
        let local = self.bounds.local_of(warps);
        SuspendedAccess {
            position: Position::new(warps, ranks),
            extents: shared.iter().map(Extent::of_shared).collect(),
            initial: Initialization::new(bytes(), local),
            races: self.races.another(warps, bytes()),
            peers: PeerAccesses::new(ranks),
        }
    }

    /// Swaps the per-cluster state with another cluster's.
    pub fn exchange(&mut self, other: &mut SuspendedAccess) {
        std::mem::swap(&mut self.position, &mut other.position);
        self.bounds.exchange_shared(&mut other.extents);
        self.initial.exchange(&mut other.initial);
        self.races.exchange(&mut other.races);
        std::mem::swap(&mut self.peers, &mut other.peers);
    }
}
