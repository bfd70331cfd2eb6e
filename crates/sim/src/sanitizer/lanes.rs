//! What is demanded of lanes: member masks, and shuffles that read from lanes that take part.

use super::checker::Checker;
use super::report::{Report, ReportKind};
use crate::engine::lanes::{Lanes, fetch_cold};
use crate::engine::op::{Body, Op, Warp};
use crate::ir::kernel::{Note, Scope};
use crate::ir::opcode::warp::ShuffleMode;

/// A note as an immediate.
pub fn packed(note: Note) -> u64 {
    let scope = |scope: Scope| match scope {
        Scope::Block => 0,
        Scope::Cluster => 1,
        Scope::Device => 2,
    };
    let (kind, value) = match note {
        Note::WarpSync => (0, 0),
        Note::Members => (1, 0),
        Note::Shuffle(mode) => (2, mode as u64),
        Note::Fence(of) => (3, scope(of)),
        Note::ProxyFence => (4, 0),
        Note::Commit => (5, 0),
        Note::Wait(keep) => (6, u64::from(keep)),
        Note::ProductCommit => (7, 0),
        Note::ProductWait(keep) => (8, u64::from(keep)),
        Note::ProductFence => (9, 0),
    };
    kind | value << 8
}

const SHUFFLE_MODES: [ShuffleMode; 4] =
    [ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly, ShuffleMode::Index];

fn unpacked(imm: u64) -> Note {
    let value = imm >> 8;
    match imm & 0xff {
        0 => Note::WarpSync,
        1 => Note::Members,
        2 => Note::Shuffle(SHUFFLE_MODES[(value & 3) as usize]),
        3 => Note::Fence([Scope::Block, Scope::Cluster, Scope::Device][(value % 3) as usize]),
        4 => Note::ProxyFence,
        5 => Note::Commit,
        7 => Note::ProductCommit,
        8 => Note::ProductWait(value as u32),
        9 => Note::ProductFence,
        _ => Note::Wait(value as u32),
    }
}

/// Tells checks of a note.
pub struct Noted;

impl Body for Noted {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        if warp.mask != warp.live {
            warp.retire();
        }
        // SAFETY: the context outlives the warp's run; slots are valid by the assembler.
        unsafe {
            let context = &mut *warp.context;
            let instruction = context.place(warp, op).instruction;
            if let Some(checks) = &mut context.checks {
                let operand = |slot| fetch_cold::<u32>(warp, slot);
                let w = warp.index as usize;
                match unpacked(op.imm) {
                    Note::WarpSync => {
                        let members = operand(op.b);
                        checks.members(warp, instruction, &members, true);
                        let mut rest = warp.mask;
                        while rest != 0 {
                            let mask = members.0[rest.trailing_zeros() as usize];
                            checks.order.warp_sync(w, mask, warp.live);
                            rest &= !mask & (rest - 1);
                        }
                    }
                    Note::Members => {
                        checks.members(warp, instruction, &operand(op.b), false);
                    }
                    Note::Shuffle(mode) => {
                        let members = operand(op.b);
                        if checks.members(warp, instruction, &members, false) {
                            let (b, c) = (operand(op.c), operand(op.d));
                            checks.shuffle(warp, instruction, mode, &members, [&b, &c]);
                        }
                    }
                    Note::Fence(scope) => checks.order.fence(w, scope),
                    Note::ProxyFence => checks.order.proxy_fence(w),
                    Note::Commit => checks.commit(warp),
                    Note::Wait(keep) => checks.wait(warp, keep),
                    Note::ProductFence => checks.product_fence(w),
                    Note::ProductCommit => checks.product_commit(w),
                    Note::ProductWait(keep) => checks.product_wait(w, keep),
                }
            }
            op.next(warp)
        }
    }
}

impl Checker {
    /// Lanes that an instruction names are on another path: it waits for them.
    pub fn missing(&mut self, warp: u32, instruction: u32, lanes: u32) {
        let warp = self.slot(warp) as u32;
        match self.missing.iter_mut().find(|(w, i, _)| (*w, *i) == (warp, instruction)) {
            Some((.., known)) => *known |= lanes,
            None => self.missing.push((warp, instruction, lanes)),
        }
    }

    /// The lanes that an instruction waited for, which is now done.
    fn missed(&mut self, warp: u32, instruction: u32) -> u32 {
        let warp = self.slot(warp) as u32;
        let at = self.missing.iter().position(|(w, i, _)| (*w, *i) == (warp, instruction));
        at.map_or(0, |at| self.missing.swap_remove(at).2)
    }

    /// Member masks: each must name the lane that gives it, and, unless lanes may come one after the
    /// other, only lanes that execute now or have ended. Gives whether all is well.
    fn members(&mut self, warp: &Warp, instruction: u32, masks: &Lanes<u32>, apart: bool) -> bool {
        let missed = self.missed(warp.index, instruction);
        for lane in (0..32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let mask = masks.0[lane as usize];
            let absent = mask & (warp.live | missed) & !warp.mask;
            let message = if mask >> lane & 1 == 0 {
                format!(
                    "the member mask {mask:#010x} lacks lane {lane}, which executes the instruction"
                )
            } else if absent != 0 && !apart {
                format!(
                    "the member mask {mask:#010x} names {} lanes that are on another path, such as lane {}",
                    absent.count_ones(),
                    absent.trailing_zeros()
                )
            } else {
                continue;
            };
            if !self.again(ReportKind::InactiveLane, instruction, 0) {
                let report =
                    self.new_report(ReportKind::InactiveLane, warp.index, lane, instruction);
                self.keep(instruction, 0, Report {
                    message,
                    help: "move it out of the branch, or take the mask of the lanes that come here \
                           (`__ballot_sync` of the condition before the branch)"
                        .to_owned(),
                    ..report
                });
            }
            return false;
        }
        true
    }

    /// A shuffle: each lane must read from one that takes part.
    fn shuffle(
        &mut self,
        warp: &Warp,
        instruction: u32,
        mode: ShuffleMode,
        members: &Lanes<u32>,
        [b, c]: [&Lanes<u32>; 2],
    ) {
        for lane in (0..32u32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let i = lane as usize;
            let (amount, limit, segment) = (b.0[i] & 31, c.0[i] & 31, c.0[i] >> 8 & 31);
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
            let from = from & 31;
            let takes_part = warp.mask & members.0[i];
            if !reads || takes_part >> from & 1 != 0 {
                continue;
            }
            if self.again(ReportKind::InactiveLane, instruction, 0) {
                continue;
            }
            let why = match () {
                () if warp.live >> from & 1 == 0 => "which has ended or does not exist",
                () if warp.mask >> from & 1 == 0 => "which is on another path",
                () => "which the member mask does not name",
            };
            let report = self.new_report(ReportKind::InactiveLane, warp.index, lane, instruction);
            self.keep(
                instruction,
                0,
                Report {
                    message: format!(
                        "lane {lane} reads from lane {from}, {why}: the value is undefined"
                    ),
                    help:
                        "let every lane that is read from take part, or shorten the shuffle's width"
                            .to_owned(),
                    ..report
                },
            );
        }
    }
}
