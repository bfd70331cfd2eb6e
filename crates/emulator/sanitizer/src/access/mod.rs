//! The access check: what one memory access goes through, lane by lane.
//!
//! [`check`] holds the parts an access goes through, [`reference`](mod@reference) is the per-lane path,
//! [`cells`] the shadow cells of a lane.
//!
//! The parts that an access goes through, in this order: bounds, initialisation, races; and the reports
//! that each may make.
//!
//! What is known of the accesses of a cluster that waits in another seat than the one that runs: its shared and local
//! memory, its clocks. Global memory, its shadow and the reports are of the launch as a whole.

pub mod cells;
mod findings;
pub mod position;
pub mod reference;

use crate::access::position::{LaneAt, Position};
use crate::bounds::{Bounds, Extent, MemoryId};
use crate::findings::Reports;
use crate::findings::kinds::ReportKind;
use crate::initialization::Initialisation;
use crate::races::epoch::{self, PackedEpoch};
use crate::races::{PeerAccesses, Races, SuspendedRaces};
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::region::Region;
use lanework_engine::site::Site;
use lanework_ptx_ir::kernel::{Kernel, MemoryKind, MemorySpace, Opcode, Scope, SyncAnnotation};
use lanework_ptx_ir::opcode::memory::AtomicOp;

/// One warp's access while it is checked.
#[derive(Clone, Copy)]
pub struct WarpAccess<'a> {
    /// The warp.
    pub warp: &'a Warp,
    /// The memory instruction.
    pub site: &'a Site,
    /// Its number in the kernel.
    pub instruction: u32,
    /// Bytes of each lane.
    pub bytes: u64,
    /// The access of lane 0.
    pub packed: PackedEpoch,
    /// The lanes that access this space.
    pub mask: u32,
    /// Lanes that only read, for their compare-and-swap fails.
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

    /// Whether its thread goes on from the value that a strong access reads.
    #[inline(always)]
    pub fn observes(&self) -> bool {
        match self.site.kind {
            AccessKind::Load => !self.site.order.data,
            AccessKind::Store => false,
            AccessKind::Atomic => self.site.order.observes,
        }
    }
}

/// The parts that accesses go through.
pub struct AccessCheck {
    /// Whose turn it is.
    pub position: Position,
    /// What is found.
    pub reports: Reports,
    /// Where everything lies.
    pub bounds: Bounds,
    /// What has been written.
    pub initial: Initialisation,
    /// Who accessed what, and what orders it.
    pub races: Races,
    /// Accesses to other blocks of the cluster.
    pub peers: PeerAccesses,
    /// Whether anything releases: sync variables then are worth following.
    pub(super) releases: bool,
    /// Whether words are cells, and all that the fast paths look for is looked for.
    has_word_cells: bool,
    /// By instruction: whether it is an atomic exchange whose old value nobody looks at, so that it may well be the first write.
    overwrites: Vec<bool>,
    /// The same, but not while every access goes through the path that takes any.
    word_cells: bool,
}

impl AccessCheck {
    /// Of these parts.
    pub fn new(
        kernel: &Kernel,
        position: Position,
        reports: Reports,
        bounds: Bounds,
    ) -> AccessCheck {
        let shift = cell_shift(kernel);
        let both = [ReportKind::Race, ReportKind::Uninitialized];
        let all = both.into_iter().all(|kind| reports.wants(kind));
        let word_cells = shift == 2 && all && !reports.by_lane();
        let shared = || (0..bounds.ranks()).map(|rank| bounds.extent(rank).bytes);
        AccessCheck {
            initial: Initialisation::new(shared(), bounds.local_bytes_of(position.warps)),
            races: Races::new(position.warps, shared(), shift),
            peers: PeerAccesses::new(bounds.ranks()),
            releases: releases(kernel),
            has_word_cells: word_cells,
            overwrites: overwrites(kernel),
            word_cells,
            position,
            reports,
            bounds,
        }
    }

    /// A cluster starts, of these blocks.
    pub fn start(&mut self, blocks: &[u64]) {
        self.position.start(blocks);
        self.races.order.start(self.position.block);
        self.initial.start();
        self.peers.start();
    }

    /// It is the turn of the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.position.enter(rank);
        self.races.order.enter(rank as usize, self.position.block);
    }

    /// Whether each access goes through the path that takes any.
    pub fn without_word_cells(&mut self, without: bool) {
        self.word_cells = self.has_word_cells && !without;
    }

    /// Whether an access needs what is there to be written: it reads it, and somebody looks at it.
    pub(super) fn needs_written(&self, access: &WarpAccess<'_>) -> bool {
        let overwrites = || self.overwrites.get(access.instruction as usize) == Some(&true);
        access.site.kind != AccessKind::Store && !overwrites()
    }

    /// Whether words are cells, for the fast paths that only take such.
    #[inline(always)]
    pub fn word_cells(&self) -> bool {
        self.word_cells
    }

    /// The allocation of a global address that an instruction accesses.
    #[inline(always)]
    pub fn allocation(&mut self, instruction: u32, address: u64) -> Option<MemoryId> {
        let AccessCheck { bounds, initial, races, .. } = self;
        bounds.allocation(instruction, address, |allocation| {
            initial.track(allocation.written.clone());
            races.track(allocation.bytes);
        })
    }

    /// What a lane accesses now by an instruction, packed.
    pub fn packed_now(&mut self, at: LaneAt) -> PackedEpoch {
        self.races.order.packed_now(at.warp, at.lane, at.instruction)
    }

    /// Lane 0's access of a warp's instruction, with what its site says about its order.
    pub(super) fn packed_of(&mut self, warp: u32, instruction: u32, site: &Site) -> PackedEpoch {
        let mut packed = self.races.order.packed_now(warp, 0, instruction);
        if let Some(scope) = site.order.strong {
            packed |= epoch::STRONG;
            packed |= match scope {
                Scope::Block => 0,
                Scope::Cluster => epoch::CLUSTER_SCOPE,
                Scope::Device => epoch::CLUSTER_SCOPE | epoch::DEVICE_SCOPE,
            };
            packed |= if site.order.data { epoch::DATA } else { 0 };
            if site.kind == AccessKind::Atomic {
                packed |= epoch::ATOMIC | epoch::size_of_atomic(site.bytes);
            }
        }
        packed
    }

    /// Notes the lanes of an access in which not all of its warp take part.
    #[inline(always)]
    pub fn note_lanes(&mut self, warp: &Warp) {
        if warp.mask != warp.live {
            self.races.order.narrow_lanes(warp.index, warp.mask);
        }
    }

    /// Another block's shared memory is accessed, or its mbarrier used.
    pub fn touch_peer(&mut self, rank: u32, access: PackedEpoch) {
        if rank != self.position.rank {
            self.peers.touch(&self.races.order, rank, access);
        }
    }
}

/// Which instructions are atomic exchanges whose old value decides nothing.
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

/// The size of a shadow cell, as a power of two: 4 bytes, or less where the kernel accesses less.
fn cell_shift(kernel: &Kernel) -> u32 {
    let mut least = 4;
    for inst in &kernel.insts {
        match &inst.opcode {
            Opcode::Memory(op)
                if !matches!(op.space, MemorySpace::Parameter | MemorySpace::Local) =>
            {
                least = least.min(op.ty.size() * u32::from(op.count));
            }
            Opcode::Matrix(_) => least = least.min(2),
            _ => {}
        }
    }
    least.max(1).ilog2()
}

/// Whether a kernel releases anything by fences or by accesses that say so.
fn releases(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|inst| match &inst.opcode {
        Opcode::Annotation(SyncAnnotation::Fence(_)) => true,
        Opcode::Memory(op) => op.order.release && !matches!(op.kind, MemoryKind::Load),
        _ => false,
    })
}

/// What is of one seat alone.
pub struct SuspendedAccess {
    position: Position,
    extents: Vec<Extent>,
    initial: Initialisation,
    races: SuspendedRaces,
    peers: PeerAccesses,
}

impl AccessCheck {
    /// Of another seat, in which nothing has run yet; the regions are the shared memory of its blocks.
    pub fn another(&self, shared: &[Region]) -> SuspendedAccess {
        let (warps, ranks) = (self.position.warps, shared.len());
        let bytes = || shared.iter().map(|region| region.bytes);
        let local = self.bounds.local_bytes_of(warps);
        SuspendedAccess {
            position: Position::new(warps, ranks),
            extents: shared.iter().map(Extent::of_shared).collect(),
            initial: Initialisation::new(bytes(), local),
            races: self.races.another(warps, bytes()),
            peers: PeerAccesses::new(ranks),
        }
    }

    /// Exchanges what is of one seat alone with that of another.
    pub fn exchange(&mut self, other: &mut SuspendedAccess) {
        std::mem::swap(&mut self.position, &mut other.position);
        self.bounds.exchange_shared(&mut other.extents);
        self.initial.exchange(&mut other.initial);
        self.races.exchange(&mut other.races);
        std::mem::swap(&mut self.peers, &mut other.peers);
    }
}
