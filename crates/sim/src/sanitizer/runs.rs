//! Accesses in the common form, judged half a warp at a time: words side by side, or one for all.
//!
//! Everything is looked at before anything is changed, so that whatever is uncommon, or may be wrong,
//! can still be judged lane by lane, in `lanewise`, whose verdict is the one that counts.

use super::checker::Checker;
use super::lanewise::{Judged, lanes_of};
use super::line::{ALL, Now};
use super::order::{self, Memo, Order, Tag};
use super::report::ReportKind;
use super::shadow::{Cells, LINE};
use super::written::Written;
use crate::engine::context::Site;
use crate::engine::event::AccessKind;
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// Addresses of a warp that go evenly in each half.
pub struct Form {
    /// Those of lanes 0 and 16.
    pub base: [u64; 2],
    /// The step from lane to lane.
    pub stride: u64,
}

impl Form {
    /// The form of 32 addresses, if they have one and all lanes are there.
    #[inline(always)]
    pub fn of(at: &[u64; 32]) -> Option<Form> {
        let stride = at[1].wrapping_sub(at[0]);
        if stride > 32 || at[17].wrapping_sub(at[16]) != stride {
            return None;
        }
        let mut odd = 0;
        for i in 0..16 {
            let step = stride.wrapping_mul(i as u64);
            odd |= at[i].wrapping_sub(at[0]) ^ step;
            odd |= at[16 + i].wrapping_sub(at[16]) ^ step;
        }
        (odd == 0).then_some(Form { base: [at[0], at[16]], stride })
    }
}

/// The active lanes of half a warp and what they access.
#[derive(Clone, Copy, Default)]
struct Half {
    /// From the lowest active lane on, a bit for each that is active; none where the half is idle.
    lanes: u32,
    /// The lowest active lane.
    first: u32,
    /// Its place in its area, or in shared memory.
    offset: u64,
    /// Bytes from there to the last active lane's last.
    span: u64,
}

impl Half {
    #[inline(always)]
    fn of(mask: u32, half: u32, start: u64, stride: u64, bytes: u64) -> Half {
        let own = mask >> (16 * half) & 0xffff;
        if own == 0xffff {
            return Half { lanes: own, first: 16 * half, offset: start, span: 15 * stride + bytes };
        }
        if own == 0 {
            return Half::default();
        }
        let low = own.trailing_zeros();
        let steps = u64::from(31 - own.leading_zeros() - low);
        let offset = start.wrapping_add(stride.wrapping_mul(low.into()));
        Half { lanes: own >> low, first: 16 * half + low, offset, span: steps * stride + bytes }
    }

    /// Tells what its lanes write.
    #[inline(always)]
    fn mark(&self, written: &Written, bytes: u64) {
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

/// The cells that an access is judged by.
pub struct Ground<'a> {
    /// Those of the area, or of shared memory.
    pub cells: &'a mut Cells,
    /// Which bytes have been written, where it is known.
    pub written: Option<&'a Written>,
    /// What orders accesses.
    pub order: &'a mut Order,
    /// How the writes met last lie to this access.
    pub writers: Memo,
    /// How the reads met last do.
    pub readers: Memo,
    /// Tags of smaller segments are of the past.
    pub base: u32,
    /// The warp that accesses them.
    pub warp: u32,
    /// The tag of lane 0; without an instruction where several are judged.
    pub tag: Tag,
}

impl Checker {
    /// One warp's access; `false`, and nothing changed, if it must be judged lane by lane.
    #[inline(always)]
    pub(super) fn runs(&mut self, warp: &Warp, instruction: u32, site: &Site, form: &Form) -> bool {
        match (site.space, site.kind) {
            _ if site.order.strong.is_some() => false,
            (MemorySpace::Shared, AccessKind::Load) => {
                self.runs_of::<true, true>(warp, instruction, site, form)
            }
            (MemorySpace::Shared, AccessKind::Store) => {
                self.runs_of::<true, false>(warp, instruction, site, form)
            }
            (MemorySpace::Global | MemorySpace::Constant, AccessKind::Load) => {
                self.runs_of::<false, true>(warp, instruction, site, form)
            }
            (MemorySpace::Global, AccessKind::Store) => {
                self.runs_of::<false, false>(warp, instruction, site, form)
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn runs_of<const SHARED: bool, const LOADS: bool>(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &Site,
        form: &Form,
    ) -> bool {
        let bytes = u64::from(site.bytes) * u64::from(site.count);
        let one = LOADS && form.stride == 0;
        if !one && form.stride != bytes || (form.base[0] | form.base[1]) & (bytes - 1) != 0 {
            return false;
        }
        let area = if SHARED {
            0
        } else {
            let at = form.base[usize::from(warp.mask & 0xffff == 0)];
            let Some(area) = self.area_of(instruction, at) else { return false };
            area
        };
        let (start, size, written) = if SHARED {
            (0, self.shared.bytes, Some(&self.shared_written))
        } else {
            let area = &self.areas[area];
            (area.start, area.quick(LOADS), area.written.as_deref())
        };
        // A lane's cells: one, two or four.
        let each = bytes >> self.shift;
        if !(1..=4).contains(&each) {
            return false;
        }
        let [low, high] = [form.base[0].wrapping_sub(start), form.base[1].wrapping_sub(start)];
        let halves = [
            Half::of(warp.mask, 0, low, form.stride, bytes),
            Half::of(warp.mask, 1, high, form.stride, bytes),
        ];
        let initial = LOADS && self.wants(ReportKind::Uninitialized);
        let same = LOADS && low == high && warp.mask == u32::MAX;
        let mut hint = if SHARED { self.hint(instruction) } else { 0 };
        for (i, half) in halves.iter().enumerate() {
            if half.lanes == 0 || same && i == 1 {
                continue;
            }
            let inside = half.offset < size && half.span <= size - half.offset;
            if !inside || SHARED && !self.shared_names.holds(half.offset, half.span, &mut hint) {
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
            self.set_hint(instruction, hint);
        }
        if site.space == MemorySpace::Constant || !self.wants(ReportKind::Race) {
            return true;
        }
        let mut ground = self.ground::<SHARED>(warp.index, area);
        ground.tag |= order::tag(0, instruction);
        let tag = ground.tag;
        let [low_half, high_half] = &halves;
        let odd = match (one, same) {
            (true, true) => ground.two(low_half, each),
            (true, false) => ground.two(low_half, each) | ground.two(high_half, each),
            (false, true) => {
                let odd = ground.lines::<LOADS>(low_half, each, 16 << order::LANE);
                odd | odd << 16
            }
            (false, false) => {
                ground.lines::<LOADS>(low_half, each, 0) | ground.lines::<LOADS>(high_half, each, 0)
            }
        };
        if odd != 0 {
            let judged = Judged { warp, site, instruction, bytes, tag, mask: odd };
            self.one_by_one(&judged, (!SHARED).then_some(area), [low, high], form.stride);
        }
        true
    }

    /// The lanes that could not be judged together.
    #[cold]
    #[inline(never)]
    fn one_by_one(
        &mut self,
        judged: &Judged<'_>,
        area: Option<usize>,
        base: [u64; 2],
        stride: u64,
    ) {
        for lane in lanes_of(judged.mask) {
            self.race(judged, lane, area, base[lane / 16] + (lane as u64 % 16) * stride);
        }
    }
}

impl Ground<'_> {
    /// A read of one place by all lanes of a half: two of them stand for all. Gives them where they
    /// must be judged by themselves; nothing then is changed.
    #[inline(always)]
    fn two(&mut self, half: &Half, each: u64) -> u32 {
        if half.lanes == 0 {
            return 0;
        }
        let more = half.lanes & !1;
        let second = more.trailing_zeros();
        let odd = (1 | more & more.wrapping_neg()) << half.first;
        let cell = (half.offset >> self.cells.shift()) as usize;
        if more == 0 || each != 1 {
            return odd;
        }
        let lanes = [half.first, half.first + second];
        if self.pair(cell, self.tag, lanes) { 0 } else { odd }
    }

    /// The cells of half a warp whose lanes go side by side, `each` cells per lane, line by line.
    /// `second` makes of the tag of a lane that of another one which reads the same. Gives the lanes
    /// that must be judged by themselves; nothing of theirs is changed.
    #[inline(always)]
    fn lines<const LOADS: bool>(&mut self, half: &Half, each: u64, second: Tag) -> u32 {
        let log = each.trailing_zeros();
        let mut cell = (half.offset >> self.cells.shift()) as usize;
        let mut active = if each == 1 { u64::from(half.lanes) } else { widened(half.lanes, each) };
        // Cells of the half before `cell`.
        let (mut done, mut odd) = (0, 0);
        while active != 0 {
            let skip = cell % LINE;
            let here = (active << skip) as u32 & ALL;
            let lane = (done as i64 - skip as i64) >> log;
            let start =
                order::with_lane(self.tag, half.first).wrapping_add((lane << order::LANE) as u64);
            let mut tags = STEPS[log as usize % 3];
            for tag in &mut tags {
                *tag = tag.wrapping_add(start);
            }
            let now = Now { tags, second, active: here, warp: self.warp, base: self.base };
            if here != 0 && !self.judge::<LOADS>(cell, &now) {
                let (from, to) = (done >> log, (done + LINE - skip) >> log);
                odd |= half.lanes & ((1 << to.min(16)) - (1 << from));
            }
            done += LINE - skip;
            cell += LINE - skip;
            active = active.checked_shr((LINE - skip) as u32).unwrap_or(0);
        }
        odd << half.first
    }
}

/// What lanes of one, two and four cells each add to the tag of a line's first cell.
pub const STEPS: [[Tag; LINE]; 3] = {
    let mut steps = [[0; LINE]; 3];
    let mut i = 0;
    while i < 3 * LINE {
        steps[i / LINE][i % LINE] = ((i % LINE) as Tag >> (i / LINE)) << order::LANE;
        i += 1;
    }
    steps
};

/// A bit for each of `each` cells of every lane.
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
