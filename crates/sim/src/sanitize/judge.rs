//! The operations that judge memory instructions: one before each.
//!
//! The general one takes any access. The others know theirs by the kernel's text: all lanes, a word
//! each, side by side or one for each half of the warp; what is otherwise goes on to the general one.

use super::checker::Checker;
use super::line::{ALL, Now};
use super::order::{self, ASYNC, WROTE};
use super::runs::{Form, Ground, STEPS};
use super::shadow::LINE;
use crate::context::Site;
use crate::lanes::{SCALAR, Scalar, WIDE};
use crate::op::{Body, Op, Tiers, Warp};

/// Judges the memory instruction that follows: its site is operand `c`, its address `b`, and its
/// number in the kernel the immediate. Operand `d` is the SIMD level.
pub struct Judge;

impl Body for Judge {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: site and slot are the assembler's; the context outlives the warp's run, which alone
        // uses it.
        unsafe {
            let (site, instruction) = (&*warp.site(op.c), op.imm as u32);
            if (*warp.context).stillness.is_some() {
                follow(op, warp, site);
            }
            let Some(checks) = &mut (*warp.context).checks else { return op.next(warp) };
            let form = if op.b & SCALAR != 0 { form(op, warp, site) } else { None };
            let judged = form.is_some_and(|form| checks.runs(warp, instruction, site, &form));
            if !judged {
                let at = crate::access::addresses(warp, op.b, site.offset);
                checks.access(warp, instruction, site, &at.0);
            }
            op.next(warp)
        }
    }
}

/// Follows what the instruction reads and changes.
#[cold]
#[inline(never)]
unsafe fn follow(op: &Op, warp: &mut Warp, site: &Site) {
    // SAFETY: as for `Judge`.
    unsafe {
        let at = crate::access::addresses(warp, op.b, site.offset);
        (*warp.context).follow(warp, op.imm as u32, site, &at.0);
    }
}

/// Goes on with the general operation at the same SIMD level.
#[inline(never)]
unsafe fn general(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: by the caller; the assembler gave the level.
    unsafe { (Tiers::of::<Judge>().0[op.d as usize % 3])(op, warp) }
}

/// The form of an address in scalar form; `None` where 32 bits wrap around.
///
/// # Safety
/// Operation, warp and site are the assembler's, and the address is in scalar form.
#[inline(always)]
unsafe fn form(op: &Op, warp: &Warp, site: &Site) -> Option<Form> {
    // SAFETY: by the caller.
    let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
    if op.b & WIDE != 0 {
        let base = scalar.base.map(|base| base.wrapping_add(site.offset));
        return Some(Form { base, stride: scalar.stride });
    }
    let base = scalar.base.map(|base| (base as u32).wrapping_add(site.offset as u32));
    let stride = scalar.stride as u32;
    // Steps down wrap, and are uncommon.
    let reach = stride.checked_mul(15)?;
    base[0].checked_add(reach)?;
    base[1].checked_add(reach)?;
    Some(Form { base: base.map(u64::from), stride: stride.into() })
}

/// Judges an access of one word per lane by all lanes, whose address is in scalar form, in shared or
/// global memory: loads, or else stores.
pub struct JudgeWords<const SHARED: bool, const LOADS: bool>;

impl<const SHARED: bool, const LOADS: bool> Body for JudgeWords<SHARED, LOADS> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as for `Judge`.
        unsafe {
            let (site, instruction) = (&*warp.site(op.c), op.imm as u32);
            let (Some(checks), Some(form)) = (&mut (*warp.context).checks, form(op, warp, site))
            else {
                return general(op, warp);
            };
            let well = warp.mask == u32::MAX
                && match form.stride {
                    0 if LOADS => checks.one_word::<SHARED>(warp.index, instruction, form.base),
                    4 => checks.words::<SHARED, LOADS>(warp.index, instruction, form.base),
                    _ => false,
                };
            if well { op.next(warp) } else { general(op, warp) }
        }
    }
}

impl Checker {
    /// The places of two runs of `span` bytes in an area or in shared memory; `None` if either is not
    /// all inside, or, where `loads`, not all written.
    #[inline(always)]
    fn places<const SHARED: bool>(
        &mut self,
        instruction: u32,
        base: [u64; 2],
        span: u64,
        loads: bool,
    ) -> Option<(usize, [u64; 2])> {
        if (base[0] | base[1]) & 3 != 0 || !self.words_are_cells {
            return None;
        }
        let index = self.hint(instruction) as usize;
        let (start, size) = if SHARED {
            self.shared_names.run(index)
        } else {
            let area = self.areas.get(index)?;
            (area.start, area.bytes)
        };
        let room = size.checked_sub(span - 1)?;
        if base[0].wrapping_sub(start) >= room || base[1].wrapping_sub(start) >= room {
            return None;
        }
        let at = if SHARED { base } else { base.map(|base| base - start) };
        let written =
            if SHARED { Some(&self.shared_written) } else { self.areas[index].written.as_deref() };
        if let Some(written) = written {
            if !loads {
                written.set(at[0], span);
                written.set(at[1], span);
            } else if !written.has(at[0], span) || !written.has(at[1], span) {
                return None;
            }
        }
        Some((index, at))
    }

    /// What to judge races by.
    #[inline(always)]
    fn ground<const SHARED: bool>(
        &mut self,
        warp: u32,
        instruction: u32,
        area: usize,
    ) -> Ground<'_> {
        let tag = order::tag(self.order.segment_of(warp), instruction);
        let base = if SHARED { self.order.base() } else { 1 };
        let cells = if SHARED { &mut self.shared_cells } else { &mut self.areas[area].cells };
        Ground { cells, order: &mut self.order, base, warp, tag }
    }

    /// A load of one word by each half of a warp; `false`, and nothing changed, if it is not as common.
    #[inline(always)]
    fn one_word<const SHARED: bool>(
        &mut self,
        warp: u32,
        instruction: u32,
        base: [u64; 2],
    ) -> bool {
        let Some((area, at)) = self.places::<SHARED>(instruction, base, 4, true) else {
            return false;
        };
        let mut ground = self.ground::<SHARED>(warp, instruction, area);
        let low = ground.pair((at[0] >> 2) as usize, 0, 1);
        low && (at[0] == at[1] || ground.pair((at[1] >> 2) as usize, 16, 17))
    }
    /// An access of 16 words side by side by each half of a warp, likewise.
    #[inline(always)]
    fn words<const SHARED: bool, const LOADS: bool>(
        &mut self,
        warp: u32,
        instruction: u32,
        base: [u64; 2],
    ) -> bool {
        let Some((area, at)) = self.places::<SHARED>(instruction, base, 64, LOADS) else {
            return false;
        };
        if (at[0] | at[1]) & 63 != 0 {
            return false;
        }
        let mut ground = self.ground::<SHARED>(warp, instruction, area);
        let [low, high] = at.map(|at| (at >> 2) as usize);
        if LOADS && low == high {
            return ground.whole_line::<LOADS>(low, 0, 16 << order::LANE);
        }
        ground.whole_line::<LOADS>(low, 0, 0) && ground.whole_line::<LOADS>(high, 16, 0)
    }
}

impl Ground<'_> {
    /// A whole line by lanes from `lane` on; `second` makes of the tag of a lane that of another one
    /// which reads the same. `false`, and nothing changed, if it is not as common.
    #[inline(always)]
    fn whole_line<const LOADS: bool>(&mut self, cell: usize, lane: u32, second: u64) -> bool {
        let mut tags = STEPS[0];
        for tag in &mut tags {
            *tag += order::with_lane(self.tag, lane);
        }
        let now = Now { tags, second, active: ALL, warp: self.warp, base: self.base };
        if LOADS {
            let Some((writes, reads)) = self.cells.read_line(cell) else { return false };
            now.read::<true>(self.order, writes, reads)
        } else {
            let Some((writes, reads)) = self.cells.write_line(cell) else { return false };
            now.write::<true>(self.order, writes, reads)
        }
    }

    /// A read of one cell by two lanes that stand for all that read it; likewise.
    #[inline(always)]
    pub fn pair(&mut self, cell: usize, one: u32, other: u32) -> bool {
        let Some((writes, [first, last])) = self.cells.read_line(cell) else { return false };
        let i = cell % LINE;
        let (write, first, last) =
            (writes.map_or(0, |writes| writes[i]), &mut first[i], &mut last[i]);
        let flags = (write & ASYNC) | ((*first | *last) & (ASYNC | WROTE));
        if flags != 0 || !self.order.past(write, self.base, self.warp) {
            return false;
        }
        if self.order.past(*first, self.base, self.warp) {
            *first = order::with_lane(self.tag, one);
        }
        *last = order::with_lane(self.tag, other);
        true
    }
}
