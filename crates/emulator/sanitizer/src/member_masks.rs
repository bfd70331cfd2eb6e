//! Member masks, shuffle sources, and the warps of `setmaxnreg`.
//!
//! *Rules* (PTX ISA, `bar.warp.sync`, `shfl.sync`, `vote.sync`): a member mask must include the
//! executing lane, and only lanes that execute the instruction or have exited. A shuffle may read
//! only from members that execute it. All warps of a warpgroup must execute the same `setmaxnreg`.
//!
//! The engine detects divergence and deadlocks at barriers and raises faults.
//!
//! *Limit.* If the warp does not wait for a named lane, the check cannot know whether the lane
//! arrives later.

use crate::access::position::{LaneAt, Position, ThreadAt};
use crate::findings::kinds::ReportKind;
use crate::findings::{Finding, Reports};
use lanework_engine::machine::Warp;
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::opcode::memory::ShuffleMode;
use std::collections::{BTreeMap, BTreeSet};

/// The lanes that warp instructions wait for, and the warps that execute `setmaxnreg`.
#[derive(Default)]
pub struct MemberMasks {
    /// Warp, instruction, lanes.
    missing: Vec<(usize, u32, u32)>,
    /// The `setmaxnreg` instructions that ran, each with the warps that executed it.
    register_changes: BTreeMap<u32, BTreeSet<usize>>,
}

/// Member masks that name the whole warp: always right if all lanes execute.
const ALL: [u32; 32] = [u32::MAX; 32];

/// Warps of a warpgroup.
const WARPGROUP: usize = 4;

impl MemberMasks {
    /// Starts a cluster.
    pub fn start(&mut self) {
        self.missing.clear();
        self.register_changes.clear();
    }

    /// A warp executes `setmaxnreg`.
    pub fn changes_registers(&mut self, position: &Position, warp: u32, instruction: u32) {
        let warps = self.register_changes.entry(instruction).or_default();
        warps.insert(position.slot(warp));
    }

    /// Reports `setmaxnreg` instructions that only part of a warpgroup has executed; the cluster ends.
    pub fn end(&mut self, position: &Position, reports: &mut Reports) {
        for (instruction, warps) in std::mem::take(&mut self.register_changes) {
            let groups = position.warps.div_ceil(WARPGROUP);
            let group_of = |slot: usize| {
                let (rank, warp) = (slot / position.warps, slot % position.warps);
                rank * groups + warp / WARPGROUP
            };
            let partial = warps.iter().find_map(|slot| {
                let warp = slot % position.warps;
                let first = warp - warp % WARPGROUP;
                let all = (position.warps - first).min(WARPGROUP);
                let ran = warps.iter().filter(|other| group_of(**other) == group_of(*slot)).count();
                (ran < all).then_some((*slot, ran, all))
            });
            let Some((slot, ran, all)) = partial else { continue };
            let (rank, warp) = (slot / position.warps, slot % position.warps);
            let block = position.blocks.get(rank).copied().unwrap_or_default();
            let who = ThreadAt { block, thread: 32 * warp as u32, instruction };
            reports.add(ReportKind::BarrierDivergence, who, None, |_| Finding {
                message: format!(
                    "`setmaxnreg` is executed by {ran} of the {all} warps of a warpgroup, and all of them must execute it"
                ),
                help: "choose the role of a warp by its warpgroup (`threadIdx.x / 128`), so that all four warps execute it"
                    .into(),
                ..Finding::default()
            });
        }
    }

    /// Records that an instruction waits for lanes that it names and that are on another path.
    pub fn missing(&mut self, position: &Position, warp: u32, instruction: u32, lanes: u32) {
        let slot = position.slot(warp);
        match self.missing.iter_mut().find(|(w, i, _)| (*w, *i) == (slot, instruction)) {
            Some((.., known)) => *known |= lanes,
            None => self.missing.push((slot, instruction, lanes)),
        }
    }

    /// Removes and returns the lanes that a finished instruction had waited for.
    fn missed(&mut self, position: &Position, warp: u32, instruction: u32) -> u32 {
        let slot = position.slot(warp);
        let at = self.missing.iter().position(|(w, i, _)| (*w, *i) == (slot, instruction));
        at.map_or(0, |at| self.missing.swap_remove(at).2)
    }

    /// Checks member masks: each must include its own lane, and only lanes that execute now or had
    /// exited before. With `apart`, lanes may arrive one after the other: then a named lane is an error
    /// only if the warp waited for it and it exited elsewhere. Returns whether the masks are right.
    pub fn check(
        &mut self,
        position: &Position,
        reports: &mut Reports,
        warp: &Warp,
        instruction: u32,
        (masks, apart): (&Lanes<u32>, bool),
    ) -> bool {
        let missed = self.missed(position, warp.index, instruction);
        if warp.mask == u32::MAX && masks.0 == ALL {
            return true;
        }
        for lane in (0..32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let mask = masks.0[lane as usize];
            let known = if apart { missed } else { warp.live | missed };
            let absent = mask & known & !warp.participants();
            let lacks = mask >> lane & 1 == 0;
            if !lacks && absent == 0 {
                continue;
            }
            let at = LaneAt { warp: warp.index, lane, instruction };
            reports.add(ReportKind::InactiveLane, position.thread_at(at), None, |reports| Finding {
                message: match lacks {
                    true => format!(
                        "the member mask {mask:#010x} lacks lane {lane}, which executes the instruction"
                    ),
                    false => format!(
                        "the member mask {mask:#010x} names {} lanes that are on another path, such as lane {}",
                        absent.count_ones(),
                        absent.trailing_zeros()
                    ),
                },
                help: match lacks {
                    true => "use a mask with a bit for each lane that executes the instruction: 0xffffffff if \
                             the whole warp does, else `__ballot_sync` of the condition before the branch".into(),
                    false => format!(
                        "move it out of {}, or use the mask of the lanes that reach it (`__ballot_sync` of the condition before the branch)",
                        reports.branch_before(instruction)
                    ),
                },
                ..Finding::default()
            });
            return false;
        }
        true
    }
}

/// The source lane of a shuffle by its operands `b` and `c`; `None` if it is out of range, so the
/// lane keeps its own value.
pub fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> Option<u32> {
    let (amount, limit, segment) = (b & 31, c & 31, c >> 8 & 31);
    let highest = (lane & segment) | (limit & !segment);
    let (from, reads) = match mode {
        ShuffleMode::Up => {
            (lane.wrapping_sub(amount), lane as i32 - amount as i32 >= highest as i32)
        }
        ShuffleMode::Down => (lane + amount, lane + amount <= highest),
        ShuffleMode::Butterfly => (lane ^ amount, lane ^ amount <= highest),
        ShuffleMode::Index => {
            let from = (lane & segment) | (amount & !segment);
            (from, from <= highest)
        }
    };
    reads.then_some(from & 31)
}

/// Reports lanes of a shuffle that read from a lane that does not take part. `b` and `c` are its
/// operands.
pub fn check_shuffle(
    position: &Position,
    reports: &mut Reports,
    (warp, instruction): (&Warp, u32),
    mode: ShuffleMode,
    members: &Lanes<u32>,
    [b, c]: [&Lanes<u32>; 2],
) {
    if warp.mask == u32::MAX && members.0 == ALL {
        return;
    }
    for lane in (0..32u32).filter(|lane| warp.mask >> lane & 1 != 0) {
        let i = lane as usize;
        let Some(from) = shuffle_source(mode, lane, b.0[i], c.0[i]) else { continue };
        let takes_part = warp.participants() & members.0[i];
        if takes_part >> from & 1 != 0 {
            continue;
        }
        let why = match () {
            () if warp.live >> from & 1 == 0 => "which has exited or does not exist",
            () if warp.participants() >> from & 1 == 0 => "which is on another path",
            () => "which the member mask does not name",
        };
        let at = LaneAt { warp: warp.index, lane, instruction };
        let apart = warp.live >> from & 1 != 0 && warp.participants() >> from & 1 == 0;
        reports.add(ReportKind::InactiveLane, position.thread_at(at), None, |reports| Finding {
            message: format!("lane {lane} reads from lane {from}, {why}: the value is undefined"),
            help: match apart {
                true => format!(
                    "let every lane that is read from take part: move the shuffle out of {}, or shorten its width",
                    reports.branch_before(instruction)
                ),
                false => "let every lane that is read from take part, or shorten the shuffle's width"
                    .into(),
            },
            ..Finding::default()
        });
    }
}
