//! The asynchronous proxy: `cp.async`, bulk and tensor copies, and the mbarriers that complete them.
//!
//! *Rules* (PTX ISA, "Asynchronous operations" and "Data movement: async copies", proxies): only
//! after waiting for a copy's group or its mbarrier's phase may threads access the target or change
//! the source. Accesses by threads need a proxy fence before a copy of the same bytes
//! (`proxy_fences.rs`).
//!
//! *Algorithm.* A copy marks the shadow cells of its target as in flight. Its completion replaces
//! the mark by an epoch of the thread that waited (`cp.async`), or of the mbarrier's pseudo-thread,
//! which releases its clock to the threads that wait for the phase. Findings do not depend on when
//! the emulator executes a copy.
//!
//! *Limit.* Mbarriers beyond the sixteenth of a kernel share pseudo-threads, which can hide errors.

pub mod bulk;
pub mod mbarrier;
pub mod operands;
mod proxy_fences;
pub mod wgmma;

use crate::access::AccessCheck;
use crate::access::position::{LaneAt, ThreadAt};
use crate::access::reference::lanes_of;
use crate::bounds::MemoryId;
use crate::findings::kinds::ReportKind;
use crate::findings::{Finding, place};
use crate::races::epoch::PackedEpoch;
use lanework_engine::event::{AccessKind, Space, generic_space};
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;

/// A site for an access that is not the instruction's own.
pub fn site(space: MemorySpace, kind: AccessKind, bytes: u32) -> AccessSite {
    AccessSite::aside(space, kind, bytes as u8, AccessClass::default())
}

/// A run of bytes in a memory.
#[derive(Clone, Copy, Debug)]
pub struct ByteRun {
    /// The memory; shared memory is numbered by rank.
    pub memory: MemoryId,
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
}

impl ByteRun {
    /// A run in the shared memory of the block of a rank.
    pub fn shared(rank: u32, offset: u64, bytes: u64) -> ByteRun {
        ByteRun { memory: rank as usize, offset, bytes }
    }
}

impl AccessCheck {
    /// Marks a run as being written by a copy.
    pub fn start_writes(&mut self, run: ByteRun, write: PackedEpoch) {
        let shadow = self.races.shadow(run.memory);
        shadow.change_run(run.offset, run.bytes, |cell| cell.start_write(write));
    }

    /// Replaces a recorded write of a run.
    pub fn replace_writes(&mut self, run: ByteRun, from: PackedEpoch, to: PackedEpoch) {
        let shadow = self.races.shadow(run.memory);
        shadow.change_run(run.offset, run.bytes, |cell| cell.replace_write(from, to));
    }

    /// Records `to` as a read of a run, or replaces the recorded read `from`.
    pub fn set_reads(&mut self, run: ByteRun, from: Option<PackedEpoch>, to: PackedEpoch) {
        let shadow = self.races.shadow(run.memory);
        match from {
            Some(from) => shadow.replace_reads((run.offset, run.bytes), from, to),
            None => shadow.change_run(run.offset, run.bytes, |cell| cell.set_read(to)),
        }
    }
}

/// Global memory that a copy reads.
///
/// Shadow memory records the read as one of the issuing thread, so a later store of this thread, or
/// one after a barrier, looks ordered although the copy may still be reading. [`check_store`] finds
/// such stores by a list of the sources in flight. Few kernels store while copies are in flight, so
/// a list is fast enough.
#[derive(Clone, Copy, Debug)]
pub struct GlobalSource {
    /// Start address.
    pub address: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// The thread that started the copy.
    pub by: ThreadAt,
}

impl GlobalSource {
    /// Whether an access overlaps it.
    pub fn touches(&self, address: u64, bytes: u64) -> bool {
        address < self.address.saturating_add(self.bytes)
            && self.address < address.saturating_add(bytes)
    }
}

/// The lanes of a store that access global memory, with their addresses.
fn global_lanes<'a>(
    warp: &Warp,
    site: &AccessSite,
    at: &'a [u64; 32],
) -> impl Iterator<Item = (usize, u64)> + 'a {
    let generic = site.space == MemorySpace::Generic;
    let global = generic || site.space == MemorySpace::Global;
    let lanes = lanes_of(if global { warp.mask } else { 0 });
    lanes
        .map(|lane| (lane, at[lane]))
        .filter(move |(_, at)| !generic || generic_space(*at) == Space::Global)
}

/// Reports a store to the source of a copy in flight.
pub fn check_store(
    access: &mut AccessCheck,
    warp: &Warp,
    instruction: u32,
    site: &AccessSite,
    at: &[u64; 32],
    sources: impl Iterator<Item = GlobalSource>,
) {
    let bytes = u64::from(site.bytes) * u64::from(site.count);
    let places = || global_lanes(warp, site, at).map(|(_, at)| at);
    let (Some(low), Some(high)) = (places().min(), places().max()) else { return };
    let span = (high - low).saturating_add(bytes);
    for source in sources.filter(|source| source.touches(low, span)) {
        let mut hits = global_lanes(warp, site, at);
        let Some((lane, address)) = hits.find(|(_, at)| source.touches(*at, bytes)) else {
            continue;
        };
        let who = LaneAt { warp: warp.index, lane: lane as u32, instruction };
        let (who, prior) = (access.position.thread_at(who), source.by);
        let same = (prior.block, prior.thread) == (who.block, who.thread);
        let bounds = &access.bounds;
        return access.reports.add(ReportKind::AsyncOrder, who, Some(prior), |_| {
            let near = bounds.nearest_global(address, bytes);
            let at = place(near.as_ref(), address);
            let whose = if same { "this thread" } else { "another thread" };
            Finding {
                message: format!(
                    "global write of {bytes} bytes at {at} while an asynchronous copy of {whose} may still be reading them"
                ),
                help: "wait for the copy first (for its group, or for the phase of its mbarrier), then at a barrier if other threads made it".into(),
                address: Some(address),
                size: bytes,
                allocation: near,
                race: None,
            }
        });
    }
}
