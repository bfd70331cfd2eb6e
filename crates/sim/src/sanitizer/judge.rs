//! The operations that judge memory instructions: one before each.
//!
//! The general one takes any access. That of stores here and that of loads in `group` expect all lanes
//! with a word each, side by side or one for each half of the warp; what is otherwise goes on to the
//! general one.

use super::checker::Checker;
use super::instrument::Sanitizer;
use super::line::{ALL, Now};
use super::order::{self, ASYNC, Memo, Tag, Verdict, WROTE};
use super::runs::{Form, Ground, STEPS};
use super::shadow::LINE;
use crate::engine::lanes::{SCALAR, Scalar, WIDE};
use crate::engine::op::{Body, Op, Tiers, Warp};

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
            let sanitizer = (*warp.context).hook.typed::<Sanitizer>();
            if sanitizer.probe.tries() {
                let at = crate::engine::access::addresses(warp, op.b, site.offset);
                sanitizer.probe.follow(warp, instruction, site, &at.0);
            }
            let Some(checks) = &mut sanitizer.checker else { return op.next(warp) };
            let form = if op.b & SCALAR != 0 { form(op, warp, site.offset) } else { None };
            // No closures here: they would not be compiled for the SIMD level.
            let judged = match form {
                Some(form) => checks.runs(warp, instruction, site, &form),
                None => false,
            };
            if !judged {
                let at = crate::engine::access::addresses(warp, op.b, site.offset);
                checks.access(warp, instruction, site, &at.0);
            }
            op.next(warp)
        }
    }
}

/// Goes on with the general operation at the same SIMD level.
#[inline(never)]
unsafe fn general(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: by the caller; the assembler gave the level.
    unsafe { (Tiers::of::<Judge>().0[op.d as usize % 3])(op, warp) }
}

/// The form of an address in scalar form with an offset added; `None` where 32 bits wrap around.
///
/// # Safety
/// Operation and warp are the assembler's, and the address is in scalar form.
#[inline(always)]
pub unsafe fn form(op: &Op, warp: &Warp, offset: u64) -> Option<Form> {
    // SAFETY: by the caller.
    let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
    if op.b & WIDE != 0 {
        let base = [scalar.base[0].wrapping_add(offset), scalar.base[1].wrapping_add(offset)];
        return Some(Form { base, stride: scalar.stride });
    }
    let (low, high) = (scalar.base[0] as u32, scalar.base[1] as u32);
    let base = [low.wrapping_add(offset as u32), high.wrapping_add(offset as u32)];
    let stride = scalar.stride as u32;
    // Steps down wrap, and are uncommon.
    let reach = stride.checked_mul(15)?;
    base[0].checked_add(reach)?;
    base[1].checked_add(reach)?;
    Some(Form { base: [base[0].into(), base[1].into()], stride: stride.into() })
}

/// Judges a store of one word per lane in shared or global memory whose address is in scalar form.
pub struct JudgeStore<const SHARED: bool>;

impl<const SHARED: bool> Body for JudgeStore<SHARED> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as for `Judge`.
        unsafe {
            let (site, instruction) = (&*warp.site(op.c), op.imm as u32);
            let sanitizer = (*warp.context).hook.typed::<Sanitizer>();
            let Some(checks) = &mut sanitizer.checker else { return op.next(warp) };
            if sanitizer.probe.tries() {
                return general(op, warp);
            }
            let well = match form(op, warp, site.offset) {
                Some(form) if warp.mask == u32::MAX && form.stride == 4 => {
                    checks.store::<SHARED>(warp.index, instruction, form.base)
                }
                _ => false,
            };
            if well { op.next(warp) } else { general(op, warp) }
        }
    }
}

impl Checker {
    /// The area that two runs of bytes lie in, by the hint for an instruction, and their places in it;
    /// `None` if either does not.
    #[inline(always)]
    pub(super) fn inside<const SHARED: bool, const LOADS: bool>(
        &self,
        instruction: u32,
        base: [u64; 2],
        span: u64,
    ) -> Option<(usize, [u64; 2])> {
        if (base[0] | base[1]) & 3 != 0 || !self.words_are_cells {
            return None;
        }
        let index = self.hint(instruction) as usize;
        let (start, size) = self.extent::<SHARED, LOADS>(index);
        let room = size.checked_sub(span - 1)?;
        let from = [base[0].wrapping_sub(start), base[1].wrapping_sub(start)];
        (from[0] < room && from[1] < room).then_some((index, if SHARED { base } else { from }))
    }

    /// First byte of an area, or of a variable in shared memory, and how many of its bytes may be judged
    /// in the quick ways; of nothing, if there is none.
    #[inline(always)]
    pub(super) fn extent<const SHARED: bool, const LOADS: bool>(&self, index: usize) -> (u64, u64) {
        if SHARED {
            return self.shared_names.run(index);
        }
        match self.areas.get(index) {
            Some(area) => (area.start, area.quick(LOADS)),
            None => (0, 0),
        }
    }

    /// What to judge accesses of a warp by.
    #[inline(always)]
    pub(super) fn ground<const SHARED: bool>(&mut self, warp: u32, area: usize) -> Ground<'_> {
        let tag = order::tag(self.order.segment_of(warp), 0);
        let (cells, written, base) = if SHARED {
            (&mut self.shared_cells, Some(&self.shared_written), self.order.base())
        } else {
            let area = &mut self.areas[area];
            (&mut area.cells, area.written.as_deref(), 1)
        };
        let (writers, readers) = (Memo::NONE, Memo::NONE);
        Ground { cells, written, order: &mut self.order, writers, readers, base, warp, tag }
    }

    /// A store of 16 words side by side by each half of a warp; `false` if it is not as common, and
    /// nothing changed that judging it again would not change alike.
    #[inline(always)]
    fn store<const SHARED: bool>(&mut self, warp: u32, instruction: u32, base: [u64; 2]) -> bool {
        let Some((area, at)) = self.inside::<SHARED, false>(instruction, base, 64) else {
            return false;
        };
        let mut ground = self.ground::<SHARED>(warp, area);
        if let Some(written) = ground.written {
            written.set(at[0], 64);
            written.set(at[1], 64);
        }
        ground.words::<false>(at, order::tag(0, instruction))
    }
}

impl Ground<'_> {
    /// Whether all of two runs of bytes have been written.
    #[inline(always)]
    pub fn written(&self, at: [u64; 2], span: u64) -> bool {
        match self.written {
            Some(written) => {
                written.has(at[0], span) && (at[0] == at[1] || written.has(at[1], span))
            }
            None => true,
        }
    }

    /// A line by each half of a warp, or one by both; `false` as for [`Checker::store`].
    #[inline(always)]
    pub fn words<const LOADS: bool>(&mut self, at: [u64; 2], instruction: Tag) -> bool {
        if (at[0] | at[1]) & 63 != 0 {
            return false;
        }
        let [low, high] = [(at[0] >> 2) as usize, (at[1] >> 2) as usize];
        let tag = self.tag | instruction;
        if LOADS && low == high {
            return self.line::<LOADS>(low, tag, 16 << order::LANE);
        }
        self.line::<LOADS>(low, tag, 0) && self.line::<LOADS>(high, order::with_lane(tag, 16), 0)
    }

    #[inline(always)]
    fn line<const LOADS: bool>(&mut self, cell: usize, tag: Tag, second: Tag) -> bool {
        let mut tags = STEPS[0];
        for step in &mut tags {
            *step += tag;
        }
        let now = Now { tags, second, active: ALL, warp: self.warp, base: self.base };
        self.judge::<LOADS>(cell, &now)
    }

    /// What is accessed of a line.
    #[inline(always)]
    pub fn judge<const LOADS: bool>(&mut self, cell: usize, now: &Now) -> bool {
        let memos = [&mut self.writers, &mut self.readers];
        if LOADS {
            let Some((writes, reads)) = self.cells.read_line(cell) else { return false };
            match now.active {
                ALL => now.read::<true>(self.order, memos, writes, reads),
                _ => now.read::<false>(self.order, memos, writes, reads),
            }
        } else {
            let Some((writes, reads)) = self.cells.write_line(cell) else { return false };
            match now.active {
                ALL => now.write::<true>(self.order, memos, writes, reads),
                _ => now.write::<false>(self.order, memos, writes, reads),
            }
        }
    }

    /// A read of one cell by two lanes that stand for all that read it.
    #[inline(always)]
    pub fn pair(&mut self, cell: usize, tag: Tag, [one, other]: [u32; 2]) -> bool {
        let Some((writes, [first, last])) = self.cells.read_line(cell) else { return false };
        let i = cell % LINE;
        let write = if let Some(writes) = writes { writes[i] } else { 0 };
        let (first, last) = (&mut first[i], &mut last[i]);
        let flags = (write & ASYNC) | ((*first | *last) & (ASYNC | WROTE));
        let writer = self.writers.of(self.order, write, self.base, self.warp);
        if flags != 0 || writer != Verdict::Before {
            return false;
        }
        let lanes = [one, other];
        let [one, other] = [order::with_lane(tag, one), order::with_lane(tag, other)];
        (*first, *last) = match self.readers.of(self.order, *first, self.base, self.warp) {
            Verdict::Before => (one, other),
            Verdict::ByPairs => return false,
            Verdict::ByLane if order::lane(*first) == lanes[0] => (one, other),
            Verdict::ByLane if order::lane(*first) == lanes[1] => (other, one),
            Verdict::ByLane | Verdict::Beside => (*first, other),
        };
        true
    }
}
