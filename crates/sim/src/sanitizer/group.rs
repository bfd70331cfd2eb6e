//! Loads from one address register at several offsets, judged together before the first of them.
//!
//! Unrolled loops are full of them: a word of one row and a row of another matrix at every step. What
//! lies side by side is then one line of shadow memory, looked at once.

use super::checker::Checker;
use super::instrument::Sanitizer;
use super::judge::form;
use super::line::{ALL, Now};
use super::order::{self, Tag};
use super::runs::Ground;
use super::shadow::LINE;
use crate::engine::assemble::together::Member;
use crate::engine::lanes::SCALAR;
use crate::engine::op::{Body, Op, Warp};

/// Loads of one word per lane.
pub struct Group {
    members: Vec<Member>,
    runs: Vec<Run>,
    /// The lowest offset, and bytes from there to the highest.
    lowest: u64,
    reach: u64,
}

/// Loads of words that lie side by side, at most a line of them.
struct Run {
    offset: u64,
    words: u32,
    /// The tags of their instructions, with room before and after so that they can be shifted.
    tags: [Tag; 3 * LINE],
}

impl Group {
    /// Of at least one load.
    pub fn new(mut members: Vec<Member>) -> Group {
        members.sort_by_key(|member| member.offset as i64);
        let mut runs: Vec<Run> = Vec::new();
        for member in &members {
            let tag = order::tag(0, member.instruction);
            if let Some(run) = runs.last_mut()
                && run.words < LINE as u32
                && run.offset.wrapping_add(4 * u64::from(run.words)) == member.offset
            {
                run.tags[LINE + run.words as usize] = tag;
                run.words += 1;
                continue;
            }
            let mut tags = [0; 3 * LINE];
            tags[LINE] = tag;
            runs.push(Run { offset: member.offset, words: 1, tags });
        }
        let lowest = members.first().map_or(0, |member| member.offset);
        let highest = members.last().map_or(0, |member| member.offset);
        Group { lowest, reach: highest.wrapping_sub(lowest), members, runs }
    }
}

/// Judges a group of loads from shared or global memory; the immediate is its address. For the other
/// operands see [`super::judge::Judge`]; the site is that of the first load.
pub struct JudgeGroup<const SHARED: bool>;

impl<const SHARED: bool> Body for JudgeGroup<SHARED> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a group that lives as long as the code; site and slot
        // are the assembler's; the context outlives the warp's run, which alone uses it.
        unsafe {
            let group = &*std::ptr::with_exposed_provenance::<Group>(op.imm as usize);
            let sanitizer = (*warp.context).hook.typed::<Sanitizer>();
            if sanitizer.probe.tries() {
                let site = &*warp.site(op.c);
                for member in &group.members {
                    let at = crate::engine::access::addresses(warp, op.b, member.offset);
                    sanitizer.probe.follow(warp, member.instruction, site, &at.0);
                }
            }
            let Some(checks) = &mut sanitizer.checker else { return op.next(warp) };
            let form = match op.b & SCALAR {
                0 => None,
                _ => form(op, warp, group.lowest),
            };
            // No closures here: they would not be compiled for the SIMD level.
            let well = match form {
                Some(form) if warp.mask == u32::MAX => match form.stride {
                    0 => checks.group::<SHARED, true>(warp.index, group, form.base),
                    4 => checks.group::<SHARED, false>(warp.index, group, form.base),
                    _ => false,
                },
                _ => false,
            };
            if !well {
                let site = &*warp.site(op.c);
                for member in &group.members {
                    let at = crate::engine::access::addresses(warp, op.b, member.offset);
                    checks.access(warp, member.instruction, site, &at.0);
                }
            }
            op.next(warp)
        }
    }
}

impl Checker {
    /// A group of loads by all lanes, of `ONE` word for each half of the warp or of words side by side,
    /// the first of them at `base`. `false` if they must be judged one by one; what is changed then does
    /// not matter.
    #[inline(always)]
    fn group<const SHARED: bool, const ONE: bool>(
        &mut self,
        warp: u32,
        group: &Group,
        base: [u64; 2],
    ) -> bool {
        let first = group.members[0].instruction;
        let span = if ONE { 4 } else { 64 };
        let Some((area, at)) = self.inside::<SHARED, true>(first, base, group.reach + span) else {
            return false;
        };
        if !SHARED {
            self.prefetch(area, first, at);
        }
        let mut ground = self.ground::<SHARED>(warp, area);
        if ONE {
            for run in &group.runs {
                let skip = run.offset.wrapping_sub(group.lowest);
                let at = [at[0] + skip, at[1] + skip];
                let well = ground.written(at, 4 * u64::from(run.words))
                    && ground.run(run, at[0], 0)
                    && (at[0] == at[1] || ground.run(run, at[1], 16));
                if !well {
                    return false;
                }
            }
        } else {
            for member in &group.members {
                let skip = member.offset.wrapping_sub(group.lowest);
                let at = [at[0] + skip, at[1] + skip];
                let instruction = order::tag(0, member.instruction);
                if !ground.written(at, 64) || !ground.words::<true>(at, instruction) {
                    return false;
                }
            }
        }
        true
    }
}

impl Checker {
    /// Fetches what the instruction will want next if it goes on as it did since last time: what is
    /// known of a word is four times as large as the word, and far away.
    #[inline(always)]
    fn prefetch(&mut self, area: usize, instruction: u32, at: [u64; 2]) {
        let Some(last) = self.lasts.get_mut(instruction as usize) else { return };
        let ahead = at[0].wrapping_sub(*last);
        *last = at[0];
        let cells = &self.areas[area].cells;
        cells.prefetch(at[0].wrapping_add(ahead));
        if at[0] != at[1] {
            cells.prefetch(at[1].wrapping_add(ahead));
        }
    }
}

impl Ground<'_> {
    /// Words side by side that each is read by all lanes of a half, from `lane` on: two of them stand
    /// for all. `false` if it is not as common.
    #[inline(always)]
    fn run(&mut self, run: &Run, at: u64, lane: u32) -> bool {
        let mut cell = (at >> 2) as usize;
        if run.words == 1 {
            return self.pair(cell, self.tag | run.tags[LINE], [lane, lane + 1]);
        }
        let start = order::with_lane(self.tag, lane);
        let mut active = ((1u64 << run.words) - 1) << (cell % LINE);
        let mut skip = LINE - cell % LINE;
        while active != 0 {
            let mut tags = [0; LINE];
            tags.copy_from_slice(&run.tags[skip..skip + LINE]);
            for tag in &mut tags {
                *tag |= start;
            }
            let (here, second) = (active as u32 & ALL, 1 << order::LANE);
            let now = Now { tags, second, active: here, warp: self.warp, base: self.base };
            if !self.judge::<true>(cell, &now) {
                return false;
            }
            active >>= LINE;
            skip += LINE;
            cell += LINE;
        }
        true
    }
}
