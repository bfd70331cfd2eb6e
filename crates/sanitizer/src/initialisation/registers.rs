//! Registers that nothing has written: reported where their value reaches an address, a branch or
//! memory, and followed until then.
//!
//! Which registers may hold such a value is known before the run ([`super::unwritten`]), and only they are
//! followed, by a bit per lane, as a taint is: the result of an instruction is unwritten where one of
//! its sources is. Of a shuffle it is where the source of the lane read from is: a lane that gets its value from the leader needs none of its
//! own. Of a selection, and of a predicate `and` or `or`, it is only where both choices are: which of them counts is a value, and values are not
//! looked at. So a use of an unwritten choice is missed, and none is made up. Kernels without pay nothing.

use super::super::barriers::lanes::shuffle_source;
use super::super::kinds::ReportKind;
use super::super::position::{LaneAt, Position};
use super::super::reports::{Finding, Reports};
use super::super::suppressions::Rule;
use super::unwritten::{Followed, Step};
use lanework_engine::machine::Warp;
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::opcode::warp::ShuffleMode;

/// The followed registers of a cluster's warps.
pub struct Registers {
    followed: Followed,
    /// By warp and followed register: the lanes in which nothing has written it.
    unwritten: Vec<u32>,
    /// The shuffle that a warp executes next: the lane that each lane reads from.
    shuffle: Option<(u32, [u8; 32])>,
}

impl Registers {
    /// For this many warps.
    pub fn new(followed: Followed, warps: usize) -> Registers {
        Registers { unwritten: vec![0; warps * followed.count], followed, shuffle: None }
    }

    /// Whether any are followed.
    pub fn follows(&self) -> bool {
        self.followed.count != 0
    }

    /// A warp's next instruction is a shuffle with these operands `b` and `c`.
    pub fn shuffle(&mut self, warp: &Warp, mode: ShuffleMode, [b, c]: [&Lanes<u32>; 2]) {
        let from = |lane: usize| {
            shuffle_source(mode, lane as u32, b.0[lane], c.0[lane]).map_or(lane as u8, |l| l as u8)
        };
        self.shuffle = Some((warp.index, std::array::from_fn(from)));
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
        let mut bad = step.from.iter().fold(0, |bad, r| bad | lanes[*r as usize]);
        if let Some([first, second]) = step.both {
            bad |= lanes[first as usize] & lanes[second as usize];
        }
        if let Some(value) = step.shuffled {
            // Lanes on another path may have gone on, so that only those that are here are looked at.
            let there = lanes[value as usize] & warp.mask;
            match self.shuffle.take() {
                Some((of, from)) if of == warp.index => {
                    let read = |lane: usize| (there >> from[lane] & 1) << lane;
                    bad |= (0..32).map(read).fold(0, |bad, bit| bad | bit);
                }
                _ => {}
            }
        }
        step.written.iter().for_each(|r| lanes[*r as usize] &= !warp.mask);
        for r in &step.to {
            let old = &mut lanes[*r as usize];
            *old = (*old & !warp.mask) | (bad & warp.mask);
        }
    }
}
