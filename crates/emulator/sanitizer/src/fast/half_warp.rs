//! Checks weak accesses of the common form, half a warp at a time: adjacent elements, or one address
//! for all lanes.
//!
//! All checks precede the updates, so the reference path can still check an unusual or wrong
//! access. Without this path sgemm_tiled takes 17 times as long, transpose 1.4 times.

use crate::access::reference::lanes_of;
use crate::access::{AccessCheck, WarpAccess};
use crate::bounds::MemoryId;
use crate::fast::HalfWarpAddresses;
use crate::fast::line::AccessBatch;
use crate::fast::stored::StoredValues;
use crate::fast::whole::ShadowView;
use crate::findings::kinds::ReportKind;
use crate::races::epoch::{self, ALL, LINE, PackedEpoch, STEPS, WholeField};
use lanework_engine::allocation::InitializedBytes;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;

/// The active lanes of half a warp and the bytes that they access.
#[derive(Clone, Copy, Default)]
struct ActiveHalf {
    /// Active lanes, shifted so that the lowest one is bit 0; zero if the half is idle.
    lanes: u32,
    /// The lowest active lane.
    first: u32,
    /// Its offset in the memory.
    offset: u64,
    /// Bytes from there to the end of the last active lane's access.
    span: u64,
}

impl ActiveHalf {
    #[inline(always)]
    fn from_mask(mask: u32, half: u32, start: u64, stride: u64, bytes: u64) -> ActiveHalf {
        let own = mask >> (16 * half) & 0xffff;
        if own == 0xffff {
            return ActiveHalf {
                lanes: own,
                first: 16 * half,
                offset: start,
                span: 15 * stride + bytes,
            };
        }
        if own == 0 {
            return ActiveHalf::default();
        }
        let low = own.trailing_zeros();
        let steps = u64::from(31 - own.leading_zeros() - low);
        let offset = start.wrapping_add(stride.wrapping_mul(low.into()));
        ActiveHalf {
            lanes: own >> low,
            first: 16 * half + low,
            offset,
            span: steps * stride + bytes,
        }
    }

    /// Marks the bytes that its lanes write as initialized.
    #[inline(always)]
    fn mark(&self, written: &InitializedBytes, bytes: u64) {
        if self.lanes & (self.lanes + 1) == 0 {
            return written.set(self.offset, self.span);
        }
        for i in 0..16 {
            if self.lanes >> i & 1 != 0 {
                written.set(self.offset + i * bytes, bytes);
            }
        }
    }
}

impl AccessCheck {
    /// Checks a warp's access. Returns `false`, and changes nothing, if it must be checked lane by
    /// lane.
    #[inline(always)]
    pub fn half_warps(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        form: &HalfWarpAddresses,
    ) -> bool {
        match (site.space, site.kind) {
            _ if site.order.strong.is_some() => false,
            (MemorySpace::Shared, AccessKind::Load) => {
                self.half_warps_of::<true, true>(warp, instruction, site, form)
            }
            (MemorySpace::Shared, AccessKind::Store) => {
                self.half_warps_of::<true, false>(warp, instruction, site, form)
            }
            (MemorySpace::Global | MemorySpace::Constant, AccessKind::Load) => {
                self.half_warps_of::<false, true>(warp, instruction, site, form)
            }
            (MemorySpace::Global, AccessKind::Store) => {
                self.half_warps_of::<false, false>(warp, instruction, site, form)
            }
            _ => false,
        }
    }

    /// Checks a weak load or store of shared, global or constant memory.
    #[inline(always)]
    pub fn half_warps_of<const SHARED: bool, const LOADS: bool>(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        form: &HalfWarpAddresses,
    ) -> bool {
        let bytes = u64::from(site.bytes) * u64::from(site.count);
        let one = LOADS && form.stride == 0;
        let apart = !one && form.stride != bytes;
        // Stores of copied values may leave bytes uninitialized.
        if apart || (form.base[0] | form.base[1]) & (bytes - 1) != 0 || self.copied.active() {
            return false;
        }
        let id = if SHARED {
            self.position.rank as usize
        } else {
            let at = form.base[usize::from(warp.mask & 0xffff == 0)];
            let Some(id) = self.allocation(instruction, at) else { return false };
            id
        };
        let (start, size) = if SHARED {
            (0, self.bounds.shared_bytes())
        } else {
            let extent = self.bounds.extent(id);
            (extent.start, extent.fast(LOADS))
        };
        // Shadow cells per lane: one, two or four.
        let shift = self.races.shift();
        let each = bytes >> shift;
        if !(1..=4).contains(&each) {
            return false;
        }
        let [low, high] = [form.base[0].wrapping_sub(start), form.base[1].wrapping_sub(start)];
        let halves = [
            ActiveHalf::from_mask(warp.mask, 0, low, form.stride, bytes),
            ActiveHalf::from_mask(warp.mask, 1, high, form.stride, bytes),
        ];
        let host = self.bounds.extent(id).host;
        let written = self.initial.written(id);
        let initial = LOADS && self.reports.wants(ReportKind::Uninitialized);
        let same = LOADS && low == high && warp.mask == u32::MAX;
        let mut hint = if SHARED { self.bounds.hint(instruction) } else { 0 };
        for (i, half) in halves.iter().enumerate() {
            if half.lanes == 0 || same && i == 1 {
                continue;
            }
            let inside = half.offset < size && half.span <= size - half.offset;
            if !inside || SHARED && !self.bounds.shared.holds(half.offset, half.span, &mut hint) {
                return false;
            }
            if initial
                && let Some(written) = written
                && !written.has(half.offset, half.span)
            {
                return false;
            }
        }
        if !LOADS && let Some(written) = written {
            halves[0].mark(written, bytes);
            halves[1].mark(written, bytes);
        }
        if SHARED {
            self.bounds.set_hint(instruction, hint);
        }
        let is_constant = site.space == MemorySpace::Constant;
        if is_constant && !self.reports.tracks_constants() || !self.reports.tracks_accesses() {
            return true;
        }
        if !SHARED && LOADS && site.order.read_only && self.races.has_writes(id) {
            return false;
        }
        if site.service != AccessClass::Rows {
            self.note_lanes(warp);
        }
        let mut view = self.view::<SHARED>(warp.index, id);
        view.packed |= epoch::pack(0, instruction);
        if !LOADS {
            // SAFETY: the bytes that each half stores are inside the memory, as checked above.
            view.stored = unsafe { StoredValues::new(warp, site, host, shift) };
        }
        let packed = view.packed;
        // One call in a loop instead of three: each copy of `lines` takes seconds to compile.
        let (distinct, second) =
            if same { (&halves[..1], 16 << epoch::LANE_SHIFT) } else { (&halves[..], 0) };
        let mut rest = 0;
        for half in distinct {
            rest |=
                if one { view.two(half, each) } else { view.lines::<LOADS>(half, each, second) };
        }
        if same && !one {
            rest |= rest << 16;
        }
        if rest != 0 {
            let (mask, failed) = (rest, 0);
            let access = WarpAccess { warp, site, instruction, bytes, packed, mask, failed };
            self.check_lanes(&access, id, [low, high], form.stride);
        }
        true
    }

    /// Checks the lanes that could not be checked together.
    #[cold]
    #[inline(never)]
    fn check_lanes(&mut self, access: &WarpAccess<'_>, id: MemoryId, base: [u64; 2], stride: u64) {
        for lane in lanes_of(access.mask) {
            self.race(access, lane, id, base[lane / 16] + (lane as u64 % 16) * stride);
        }
    }
}

impl ShadowView<'_> {
    /// Checks a read of one address by all lanes of a half: two of them represent all. Returns
    /// those two if they must be checked separately; then nothing has changed.
    #[inline(always)]
    fn two(&mut self, half: &ActiveHalf, each: u64) -> u32 {
        if half.lanes == 0 {
            return 0;
        }
        let more = half.lanes & !1;
        let second = more.trailing_zeros();
        let rest = (1 | more & more.wrapping_neg()) << half.first;
        let cell = (half.offset >> self.shadow.shift()) as usize;
        if more == 0 || each != 1 {
            return rest;
        }
        let lanes = [half.first, half.first + second];
        if self.pair(cell, self.packed, lanes) { 0 } else { rest }
    }

    /// Checks the cells of half a warp with adjacent lanes of `each` cells, line by line. Adding
    /// `second` to a lane's packed access gives the packed access of a second lane that reads the
    /// same. Returns the lanes that must be checked separately; nothing of theirs has changed.
    #[inline(always)]
    fn lines<const LOADS: bool>(
        &mut self,
        half: &ActiveHalf,
        each: u64,
        second: PackedEpoch,
    ) -> u32 {
        let log = each.trailing_zeros();
        let mut cell = (half.offset >> self.shadow.shift()) as usize;
        let mut active = if each == 1 { u64::from(half.lanes) } else { widened(half.lanes, each) };
        // Cells of the half before `cell`.
        let (mut done, mut rest) = (0, 0);
        while active != 0 {
            let skip = cell % LINE;
            let here = (active << skip) as u32 & ALL;
            let lane = (done as i64 - skip as i64) >> log;
            let start = epoch::with_lane(self.packed, half.first)
                .wrapping_add((lane << epoch::LANE_SHIFT) as u64);
            let well = match here {
                0 => true,
                ALL => {
                    self.whole_line::<LOADS>(cell, WholeField { start, form: log as u8 }, second)
                }
                _ => {
                    let mut packed = STEPS[log as usize % 3];
                    for of_cell in &mut packed {
                        *of_cell = of_cell.wrapping_add(start);
                    }
                    let (warp, base) = (self.warp, self.base);
                    let batch = AccessBatch { packed, second, active: here, warp, base };
                    self.check::<LOADS>(cell, &batch)
                }
            };
            if !well {
                let (from, to) = (done >> log, (done + LINE - skip) >> log);
                rest |= half.lanes & ((1 << to.min(16)) - (1 << from));
            }
            done += LINE - skip;
            cell += LINE - skip;
            active = active.checked_shr((LINE - skip) as u32).unwrap_or(0);
        }
        rest << half.first
    }
}

/// A bit for each of the `each` cells of every lane.
fn widened(lanes: u32, each: u64) -> u64 {
    let cell = (1 << each) - 1;
    let mut all = 0;
    for lane in 0..16 {
        if lanes >> lane & 1 != 0 {
            all |= cell << (lane * each);
        }
    }
    all
}
