//! What is demanded of lanes: member masks, and shuffles that read from lanes that take part.

use super::checker::Checker;
use super::report::{Report, ReportKind};
use crate::engine::lanes::Lanes;
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::Note;
use lanework_ptx_ir::opcode::warp::ShuffleMode;

impl Checker {
    /// What synchronises a warp, or demands something of its lanes.
    pub fn noted(
        &mut self,
        warp: &Warp,
        instruction: u32,
        note: Note,
        operand: &dyn Fn(usize) -> Lanes<u32>,
    ) {
        let w = warp.index as usize;
        match note {
            Note::WarpSync => {
                let members = operand(0);
                self.members(warp, instruction, &members, true);
                let mut rest = warp.mask;
                while rest != 0 {
                    let mask = members.0[rest.trailing_zeros() as usize];
                    self.order.warp_sync(w, mask, warp.live);
                    rest &= !mask & (rest - 1);
                }
            }
            Note::Members => {
                self.members(warp, instruction, &operand(0), false);
            }
            Note::Shuffle(mode) => {
                let members = operand(0);
                if self.members(warp, instruction, &members, false) {
                    let (b, c) = (operand(1), operand(2));
                    self.shuffle(warp, instruction, mode, &members, [&b, &c]);
                }
            }
            Note::Fence(scope) => self.order.fence(w, scope),
            Note::ProxyFence => self.order.proxy_fence(w),
            Note::Commit => self.commit(warp),
            Note::Wait(keep) => self.wait(warp, keep),
            Note::ProductFence => self.product_fence(w),
            Note::ProductCommit => self.product_commit(w),
            Note::ProductWait(keep) => self.product_wait(w, keep),
        }
    }

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
