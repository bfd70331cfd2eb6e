//! Registers that nothing has written: reported where their value reaches an address, a branch or
//! memory, and followed until then.
//!
//! Which registers may hold such a value is known before the run ([`super::unwritten`]), and only they are
//! followed, by a bit per lane, as a taint is: the result of an instruction is unwritten where one of
//! its sources is. Kernels without pay nothing.

use super::super::kinds::ReportKind;
use super::super::position::{LaneAt, Position};
use super::super::reports::{Finding, Reports};
use super::super::suppressions::Rule;
use super::unwritten::{Followed, Step};
use lanework_engine::machine::Warp;

/// The followed registers of a cluster's warps.
pub struct Registers {
    followed: Followed,
    /// By warp and followed register: the lanes in which nothing has written it.
    unwritten: Vec<u32>,
}

impl Registers {
    /// For this many warps.
    pub fn new(followed: Followed, warps: usize) -> Registers {
        Registers { unwritten: vec![0; warps * followed.count], followed }
    }

    /// A cluster starts.
    pub fn start(&mut self) {
        if self.followed.count == 0 {
            return;
        }
        for lanes in self.unwritten.chunks_mut(self.followed.count) {
            lanes.fill(0);
            self.followed.unwritten.iter().for_each(|r| lanes[*r as usize] = u32::MAX);
        }
    }

    /// An instruction with followed registers, before it is done.
    pub fn step(
        &mut self,
        position: &Position,
        reports: &mut Reports,
        warp: &Warp,
        instruction: u32,
        step: &Step,
    ) {
        let first = position.slot(warp.index) * self.followed.count;
        let lanes = &mut self.unwritten[first..first + self.followed.count];
        for (r, what) in &step.ends {
            let bad = lanes[*r as usize] & warp.mask;
            if bad == 0 || reports.suppresses(Rule::Unused, instruction) {
                continue;
            }
            let at = LaneAt { warp: warp.index, lane: bad.trailing_zeros(), instruction };
            reports.add(ReportKind::Uninitialized, position.actor(at), None, |_| Finding {
                message: format!(
                    "uninitialised register: the value of a register that nothing has written reaches {what}"
                ),
                help: "give the variable a value on every path before it is used",
                ..Finding::default()
            });
        }
        let bad = step.from.iter().fold(0, |bad, r| bad | lanes[*r as usize]);
        for r in &step.to {
            let old = &mut lanes[*r as usize];
            *old = (*old & !warp.mask) | (bad & warp.mask);
        }
    }
}
