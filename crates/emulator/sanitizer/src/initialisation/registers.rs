//! Registers that nothing has written: reported where their value reaches an address, a branch or
//! memory, and followed until then.
//!
//! Which registers may hold such a value is known before the run ([`super::unwritten`]), and only they are
//! followed, by their bits in each lane: those of a result are unwritten that are made of unwritten ones ([`super::bits`]). Of a shuffle they are
//! where the source of the lane read from is: a lane that gets its value from the leader needs none of its
//! own. Of a selection, and of a predicate `and` or `or`, it is only where both choices are: which of them counts is a value, and values are not
//! looked at. So a use of an unwritten choice is missed, and none is made up. Kernels without pay nothing.

use super::super::access::reference::lanes_of;
use super::super::barriers::lanes::shuffle_source;
use super::super::kinds::ReportKind;
use super::super::position::{LaneAt, Position};
use super::super::reports::{Finding, Reports};
use super::super::suppressions::Rule;
use super::unwritten::{Followed, Step};
use lanework_engine::machine::Warp;
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::opcode::sync::ShuffleMode;

/// The followed registers of a cluster's warps.
pub struct Registers {
    followed: Followed,
    /// By warp and followed register: by lane, the bits that nothing has written.
    unwritten: Vec<[u64; 32]>,
    /// The shuffle that a warp executes next: the lane that each lane reads from.
    shuffle: Option<(u32, [u8; 32])>,
}

impl Registers {
    /// For this many warps.
    pub fn new(followed: Followed, warps: usize) -> Registers {
        let unwritten = vec![[0; 32]; warps * followed.count];
        Registers { unwritten, followed, shuffle: None }
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
        let Followed { count, unwritten, bits, .. } = &self.followed;
        for registers in self.unwritten.chunks_mut(*count) {
            registers.fill([0; 32]);
            unwritten.iter().for_each(|r| registers[*r as usize].fill(bits[*r as usize]));
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
        let registers = &mut self.unwritten[first..first + self.followed.count];
        for (r, bits, what) in &step.ends {
            let of_lane = &registers[*r as usize];
            let bad = lanes_of(warp.mask).find(|lane| of_lane[*lane] & bits != 0);
            let Some(lane) = bad.filter(|_| !reports.suppresses(Rule::Unused, instruction)) else {
                continue;
            };
            let at = LaneAt { warp: warp.index, lane: lane as u32, instruction };
            reports.add(ReportKind::Uninitialized, position.actor(at), None, |_| Finding {
                message: format!(
                    "uninitialised register: the value of a register that nothing has written reaches {what}"
                ),
                help: "give the variable a value on every path before it is used",
                ..Finding::default()
            });
        }
        // Lanes on another path may have gone on, so that only those that are here are looked at.
        let shuffled = step.shuffled.zip(self.shuffle.take_if(|(of, _)| *of == warp.index));
        let shuffled = shuffled.map(|(value, (_, from))| {
            let there = |from: u8| match warp.mask >> from & 1 {
                0 => 0,
                _ => registers[value as usize][from as usize],
            };
            from.map(there)
        });
        for lane in lanes_of(warp.mask) {
            let bits = step.flow.bits(|r| registers[r as usize][lane]);
            let bits = bits | shuffled.map_or(0, |shuffled| shuffled[lane]);
            step.written.iter().for_each(|r| registers[*r as usize][lane] = 0);
            for r in &step.to {
                registers[*r as usize][lane] = bits & self.followed.bits[*r as usize];
            }
        }
    }
}
