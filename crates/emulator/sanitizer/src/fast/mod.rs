//! Fast paths: vectorized checks of common access patterns.
//!
//! *Invariant.* A fast path handles only accesses in which the reference path would find nothing,
//! and leaves shadow memory in the same state. It leaves all others to the reference path, which
//! sets anything already changed to the same values. `equivalence` tests this on random histories.
//!
//! Each file says how much its path gains on the checked benchmark (`cargo bench -p
//! lanework-emulator --bench engine -- --quick --checked`). This file chooses the path, and checks
//! groups of loads ([`LoadGroup`]).

pub mod atomics;
#[cfg(test)]
mod equivalence;
pub mod full_warp;
pub mod half_warp;
pub mod line;
mod local;
pub mod scattered;
pub mod stored;
mod whole;
mod words;

use crate::access::AccessCheck;
use crate::bounds::MemoryId;
use crate::races::epoch::{self, ALL, LINE, PackedEpoch};
use lanework_engine::ablation::FastPath;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::{Op, Warp};
use lanework_engine::site::AccessSite;
use lanework_engine::slot::{Scalar, WIDE};
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::*;
use lanework_ptx_ir::memory_layout::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use line::AccessBatch;
use std::collections::HashMap;
use whole::ShadowView;

const _: () = assert!(LOCAL_WINDOW.wrapping_sub(SHARED_WINDOW) < 3 * WINDOW);
const _: () = assert!(PARAMETER_WINDOW.wrapping_sub(SHARED_WINDOW) < 3 * WINDOW);

impl AccessCheck {
    /// Checks a warp's access before it executes, by the fastest path that accepts it.
    #[inline(never)]
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        self.access_inlined(warp, instruction, site, at);
    }

    /// [`access`](Self::access), compiled for the SIMD level of the caller: only for the handler of accesses, because each
    /// copy takes 15 s to compile.
    #[inline(always)]
    pub fn access_inlined(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
    ) {
        if site.space == MemorySpace::Local {
            self.note_lanes(warp);
            return self.by_lane(warp, instruction, site, at, warp.mask);
        }
        let of_space = OneSpace::of(warp.mask, site, at);
        let (fast_site, fast_at) = of_space.as_ref().map_or((site, at), |of| (&of.site, &of.at));
        // All lanes load and store the rows of a matrix together.
        if site.service != AccessClass::Rows {
            self.note_lanes(warp);
        }
        if site.kind != AccessKind::Atomic
            && FastPath::HalfWarps.on()
            && let Some(form) = HalfWarpAddresses::from_addresses(fast_at)
            && self.half_warps(warp, instruction, fast_site, &form)
        {
            return;
        }
        let left = match site.kind {
            AccessKind::Atomic => self.atomics(warp, instruction, fast_site, fast_at),
            _ => self.scattered(warp, instruction, fast_site, fast_at),
        };
        if left != 0 {
            self.by_lane(warp, instruction, site, at, left);
        }
    }
}

/// An access by generic addresses that are all global, or all in shared memory, as an access to that space.
struct OneSpace {
    site: AccessSite,
    at: [u64; 32],
}

impl OneSpace {
    /// The access by some lanes, if it is one.
    #[inline(always)]
    fn of(mask: u32, site: &AccessSite, at: &[u64; 32]) -> Option<OneSpace> {
        match site.space {
            MemorySpace::Generic => OneSpace::of_generic(mask, site, at),
            _ => None,
        }
    }

    #[inline(never)]
    fn of_generic(mask: u32, site: &AccessSite, at: &[u64; 32]) -> Option<OneSpace> {
        let (mut in_shared, mut in_windows) = (0, 0);
        for lane in 0..32 {
            // The windows of local memory and of parameters follow the one of shared memory.
            let from = at[lane].wrapping_sub(SHARED_WINDOW);
            in_shared |= u32::from(from < WINDOW) << lane;
            in_windows |= u32::from(from < 3 * WINDOW) << lane;
        }
        let (space, start) = if in_shared & mask == mask {
            (MemorySpace::Shared, SHARED_WINDOW)
        } else if in_windows & mask == 0 {
            (MemorySpace::Global, 0)
        } else {
            return None;
        };
        let mut offsets = *at;
        for offset in &mut offsets {
            *offset = offset.wrapping_sub(start);
        }
        Some(OneSpace { site: AccessSite { space, ..*site }, at: offsets })
    }
}

/// Addresses of a warp with a constant stride in each half.
///
/// Also detected at run time, because the assembler cannot prove every constant stride: without
/// that, sgemm_tiled takes 15 times as long.
pub struct HalfWarpAddresses {
    /// Addresses of lanes 0 and 16.
    pub base: [u64; 2],
    /// Distance between neighboring lanes.
    pub stride: u64,
}

impl HalfWarpAddresses {
    /// Detects the pattern in 32 addresses; `None` if it does not match or the stride exceeds 32 bytes.
    #[inline(always)]
    pub fn from_addresses(at: &[u64; 32]) -> Option<HalfWarpAddresses> {
        let stride = at[1].wrapping_sub(at[0]);
        if stride > 32 || at[17].wrapping_sub(at[16]) != stride {
            return None;
        }
        let mut mismatch = 0;
        for i in 0..16 {
            let step = stride.wrapping_mul(i as u64);
            mismatch |= at[i].wrapping_sub(at[0]) ^ step;
            mismatch |= at[16 + i].wrapping_sub(at[16]) ^ step;
        }
        (mismatch == 0).then_some(HalfWarpAddresses { base: [at[0], at[16]], stride })
    }

    /// The pattern of a scalar-form address with an offset added; `None` if 32-bit addresses wrap
    /// around.
    ///
    /// # Safety
    /// The assembler made `op` for this warp's code, and its operand `b` is in scalar form.
    #[inline(always)]
    pub unsafe fn of_scalar(op: &Op, warp: &Warp, offset: u64) -> Option<HalfWarpAddresses> {
        // SAFETY: `op.b` is the slot of a scalar-form register (required above), which holds a
        // `Scalar` in the warp's register file.
        let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
        if op.b & WIDE != 0 {
            let base = [scalar.base[0].wrapping_add(offset), scalar.base[1].wrapping_add(offset)];
            return Some(HalfWarpAddresses { base, stride: scalar.stride });
        }
        let (low, high) = (scalar.base[0] as u32, scalar.base[1] as u32);
        let base = [low.wrapping_add(offset as u32), high.wrapping_add(offset as u32)];
        let stride = scalar.stride as u32;
        // Negative strides wrap, and are rare.
        let reach = stride.checked_mul(15)?;
        base[0].checked_add(reach)?;
        base[1].checked_add(reach)?;
        Some(HalfWarpAddresses { base: [base[0].into(), base[1].into()], stride: stride.into() })
    }
}

/// One load of a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupedLoad {
    /// Offset from the address register in bytes.
    pub offset: u64,
    /// The instruction.
    pub instruction: u32,
    /// Whether it is a read-only load (`.nc`).
    pub read_only: bool,
}

/// Loads of one word per lane from one address register at several offsets, checked together before
/// the first.
///
/// Unrolled loops are full of them: each step loads a word from a row of one matrix and a word from a
/// row of the other. Adjacent words share a line of shadow memory, which is checked once. Without
/// groups sgemm_tiled takes 2.5 times as long, sgemm_naive 1.8 times; without their prefetch, 1.3 and
/// 1.15 times.
///
/// Loads join a group if they use one address register in one basic block, with no synchronization
/// or store between them.
pub struct LoadGroup {
    /// The loads, sorted by offset.
    pub members: Vec<GroupedLoad>,
    runs: Vec<WordRun>,
    /// The lowest offset.
    pub lowest: u64,
    /// Distance from the lowest to the highest offset.
    reach: u64,
    /// Whether all loads are read-only (`.nc`).
    read_only: bool,
}

/// Loads of adjacent words, at most a line of them.
struct WordRun {
    offset: u64,
    words: u32,
    /// The packed accesses of their instructions, padded on both sides so they can be shifted.
    packed: [PackedEpoch; 3 * LINE],
}

impl LoadGroup {
    /// Builds a group of at least one load.
    pub fn new(mut members: Vec<GroupedLoad>) -> LoadGroup {
        members.sort_by_key(|member| member.offset as i64);
        let mut runs: Vec<WordRun> = Vec::new();
        for member in &members {
            let access = epoch::pack(0, member.instruction);
            if let Some(run) = runs.last_mut()
                && run.words < LINE as u32
                && run.offset.wrapping_add(4 * u64::from(run.words)) == member.offset
            {
                run.packed[LINE + run.words as usize] = access;
                run.words += 1;
                continue;
            }
            let mut packed = [0; 3 * LINE];
            packed[LINE] = access;
            runs.push(WordRun { offset: member.offset, words: 1, packed });
        }
        let lowest = members.first().map_or(0, |member| member.offset);
        let highest = members.last().map_or(0, |member| member.offset);
        let read_only = members.iter().all(|member| member.read_only);
        LoadGroup { lowest, reach: highest.wrapping_sub(lowest), members, runs, read_only }
    }
}

impl AccessCheck {
    /// Checks a group of loads by all lanes. The first load is at `base`; each half of the warp
    /// reads one word (`ONE`) or adjacent words. Returns `false` if the loads must be checked one
    /// by one; checking them again after a partial update has the same effect.
    #[inline(always)]
    pub fn group<const SHARED: bool, const ONE: bool>(
        &mut self,
        warp: u32,
        group: &LoadGroup,
        base: [u64; 2],
        last_addresses: &mut [u64],
    ) -> bool {
        let first = group.members[0].instruction;
        let span = if ONE { 4 } else { 64 };
        let Some((id, at)) = self.inside::<SHARED, true>(first, base, group.reach + span) else {
            return false;
        };
        if !SHARED && group.read_only && self.races.has_writes(id) {
            return false;
        }
        if !SHARED {
            self.prefetch(id, at, last_addresses.get_mut(first as usize));
        }
        let mut view = self.view::<SHARED>(warp, id);
        if ONE {
            for run in &group.runs {
                let skip = run.offset.wrapping_sub(group.lowest);
                let at = [at[0] + skip, at[1] + skip];
                let well = view.written(at, 4 * u64::from(run.words))
                    && view.run(run, at[0], 0)
                    && (at[0] == at[1] || view.run(run, at[1], 16));
                if !well {
                    return false;
                }
            }
        } else {
            for member in &group.members {
                let skip = member.offset.wrapping_sub(group.lowest);
                let at = [at[0] + skip, at[1] + skip];
                let instruction = epoch::pack(0, member.instruction);
                if !view.written(at, 64) || !view.words::<true>(at, instruction) {
                    return false;
                }
            }
        }
        true
    }

    /// Prefetches shadow lines of strided loads: predicts the next address of the instruction by
    /// its last stride. A shadow cell is four times as large as its word.
    #[inline(always)]
    fn prefetch(&mut self, id: MemoryId, at: [u64; 2], last: Option<&mut u64>) {
        let Some(last) = last else { return };
        let ahead = at[0].wrapping_sub(*last);
        *last = at[0];
        let shadow = self.races.shadow(id);
        shadow.prefetch(at[0].wrapping_add(ahead));
        if at[0] != at[1] {
            shadow.prefetch(at[1].wrapping_add(ahead));
        }
    }
}

impl ShadowView<'_> {
    /// Checks adjacent words that all lanes of a half read, starting with `lane`: two lanes
    /// represent all. Returns `false` if the general path must check them.
    #[inline(always)]
    fn run(&mut self, run: &WordRun, at: u64, lane: u32) -> bool {
        let mut cell = (at >> 2) as usize;
        if run.words == 1 {
            return self.pair(cell, self.packed | run.packed[LINE], [lane, lane + 1]);
        }
        let start = epoch::with_lane(self.packed, lane);
        let mut active = ((1u64 << run.words) - 1) << (cell % LINE);
        let mut skip = LINE - cell % LINE;
        while active != 0 {
            let mut packed = [0; LINE];
            packed.copy_from_slice(&run.packed[skip..skip + LINE]);
            for of_cell in &mut packed {
                *of_cell |= start;
            }
            let (here, second) = (active as u32 & ALL, 1 << epoch::LANE_SHIFT);
            let (warp, base) = (self.warp, self.base);
            let batch = AccessBatch { packed, second, active: here, warp, base };
            if !self.check::<true>(cell, &batch) {
                return false;
            }
            active >>= LINE;
            skip += LINE;
            cell += LINE;
        }
        true
    }
}

/// Groups the loads of a basic block that starts at instruction `start`. Maps the first load of a
/// group to all its loads, and every other load to an empty list. Other instructions have no entry.
pub fn groups(insts: &[Inst], start: usize) -> HashMap<usize, Vec<GroupedLoad>> {
    let mut groups: HashMap<usize, Vec<GroupedLoad>> = HashMap::new();
    if !FastPath::LoadGroups.on() {
        return groups;
    }
    // The first load of each open group, by address register.
    let mut open: HashMap<(bool, bool, Reg), usize> = HashMap::new();
    for (i, inst) in insts.iter().enumerate() {
        match (&inst.opcode, words(inst)) {
            (Opcode::Memory(op), Some(address)) => {
                let (offset, read_only) = (op.offset as u64, op.order.read_only);
                let member = GroupedLoad { offset, instruction: inst.origin, read_only };
                let first = *open.entry(address).or_insert(start + i);
                groups.entry(first).or_default().push(member);
                if first != start + i {
                    groups.insert(start + i, Vec::new());
                }
            }
            (opcode, _) if opcode.has_effect() => open.clear(),
            _ => {}
        }
        open.retain(|(.., register), _| !inst.dst.contains(&Some(*register)));
    }
    groups
}

/// Whether a groupable load accesses shared memory, whether it is read-only, and its address
/// register; `None` for other instructions.
fn words(inst: &Inst) -> Option<(bool, bool, Reg)> {
    let (Opcode::Memory(op), Some(Operand::Reg(address))) = (&inst.opcode, inst.src.first()) else {
        return None;
    };
    let common = matches!(op.kind, MemoryKind::Load)
        && op.ty.size() == 4
        && op.count == 1
        && op.order.strong.is_none()
        && inst.guard.is_none()
        && matches!(op.space, MemorySpace::Shared | MemorySpace::Global);
    common.then_some((op.space == MemorySpace::Shared, op.order.read_only, *address))
}
