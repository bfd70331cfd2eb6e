//! Words that lanes access anywhere, judged lane by lane in the few steps that usually do: what is
//! uncommon, or may be wrong, is left to `lanewise`.

use super::checker::Checker;
use super::lanewise::lanes_of;
use super::order::{self, ASYNC, Memo, Order, Tag, Verdict, WROTE};
use super::runs::Ground;
use super::shadow::LINE;
use crate::engine::context::Site;
use crate::engine::event::AccessKind;
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// How a former access lies to one lane's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Former {
    /// It comes before.
    Before,
    /// Nothing orders the two.
    Beside,
    /// That needs a closer look.
    Unclear,
}

/// How the former access of a tag lies to that of a warp's lane.
#[inline(always)]
fn former(
    memo: &mut Memo,
    order: &mut Order,
    tag: Tag,
    base: u32,
    (warp, lane): (u32, u32),
) -> Former {
    match memo.of(order, tag, base, warp) {
        Verdict::Before => Former::Before,
        Verdict::ByLane if order::lane(tag) == lane => Former::Before,
        Verdict::ByLane | Verdict::Beside => Former::Beside,
        Verdict::ByPairs => Former::Unclear,
    }
}

impl Checker {
    /// Judges an access of one word per lane; gives the lanes that are left to judge.
    pub(super) fn scattered(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &Site,
        at: &[u64; 32],
    ) -> u32 {
        let weak = site.order.strong.is_none() && site.count == 1 && site.bytes == 4;
        if !weak || !self.words_are_cells {
            return warp.mask;
        }
        match (site.space, site.kind) {
            (MemorySpace::Global, AccessKind::Load) => {
                self.scattered_of::<false, true>(warp, instruction, at)
            }
            (MemorySpace::Global, AccessKind::Store) => {
                self.scattered_of::<false, false>(warp, instruction, at)
            }
            (MemorySpace::Shared, AccessKind::Load) => {
                self.scattered_of::<true, true>(warp, instruction, at)
            }
            (MemorySpace::Shared, AccessKind::Store) => {
                self.scattered_of::<true, false>(warp, instruction, at)
            }
            _ => warp.mask,
        }
    }

    #[inline(always)]
    fn scattered_of<const SHARED: bool, const LOADS: bool>(
        &mut self,
        warp: &Warp,
        instruction: u32,
        at: &[u64; 32],
    ) -> u32 {
        let index = if SHARED {
            self.hint(instruction) as usize
        } else {
            let first = at[warp.mask.trailing_zeros() as usize % 32];
            let Some(area) = self.area_of(instruction, first) else { return warp.mask };
            area
        };
        let (start, size) = self.extent::<SHARED, LOADS>(index);
        let Some(room) = size.checked_sub(3) else { return warp.mask };
        let origin = if SHARED { 0 } else { start };
        let mut ground = self.ground::<SHARED>(warp.index, index);
        ground.tag |= order::tag(0, instruction);
        let mut left = 0;
        for lane in lanes_of(warp.mask) {
            let offset = at[lane].wrapping_sub(origin);
            let inside = at[lane].wrapping_sub(start) < room && offset & 3 == 0;
            let known = match ground.written {
                Some(written) if LOADS => inside && written.has(offset, 4),
                _ => inside,
            };
            let tag = order::with_lane(ground.tag, lane as u32);
            let well =
                known && if LOADS { ground.read(offset, tag) } else { ground.write(offset, tag) };
            left |= u32::from(!well) << lane;
            if let Some(written) = ground.written
                && !LOADS
                && well
            {
                written.set(offset, 4);
            }
        }
        left
    }
}

impl Ground<'_> {
    /// One lane's read of a word; `false`, and nothing changed, if it is not as common.
    #[inline(always)]
    fn read(&mut self, offset: u64, tag: Tag) -> bool {
        let cell = (offset >> 2) as usize;
        let Some((writes, [first, last])) = self.cells.read_line(cell) else { return false };
        let (write, i) = (writes.map_or(0, |writes| writes[cell % LINE]), cell % LINE);
        let flags = (write & ASYNC) | ((first[i] | last[i]) & (ASYNC | WROTE));
        let (base, who) = (self.base, (self.warp, order::lane(tag)));
        if flags != 0 || former(&mut self.writers, self.order, write, base, who) != Former::Before {
            return false;
        }
        match former(&mut self.readers, self.order, first[i], base, who) {
            Former::Before => first[i] = tag,
            Former::Beside => last[i] = tag,
            Former::Unclear => return false,
        }
        true
    }

    /// One lane's write of a word; likewise.
    #[inline(always)]
    fn write(&mut self, offset: u64, tag: Tag) -> bool {
        let cell = (offset >> 2) as usize;
        let Some((writes, reads)) = self.cells.write_line(cell) else { return false };
        let (write, i) = (&mut writes[cell % LINE], cell % LINE);
        let (base, who) = (self.base, (self.warp, order::lane(tag)));
        let clear = |memo: &mut Memo, order: &mut Order, tag: Tag, flags: Tag| {
            tag & flags == 0 && former(memo, order, tag, base, who) == Former::Before
        };
        if !clear(&mut self.writers, self.order, *write, ASYNC) {
            return false;
        }
        if let Some([first, last]) = reads {
            let flags = ASYNC | WROTE;
            if !clear(&mut self.readers, self.order, first[i], flags)
                || !clear(&mut self.readers, self.order, last[i], flags)
            {
                return false;
            }
            (first[i], last[i]) = (0, 0);
        }
        *write = tag;
        true
    }

    /// One lane's access of a word that is judged alone.
    #[cfg(test)]
    pub fn alone(&mut self, offset: u64, tag: Tag, writes: bool) -> bool {
        match writes {
            true => self.write(offset, tag),
            false => self.read(offset, tag),
        }
    }
}
