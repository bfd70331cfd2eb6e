//! The context of a piece: the shape of the launch, the threads that reach the piece together, and the host's model of
//! them.

use crate::verdicts::text::{Need, Text};
use std::ops::Range;

/// Shape of the launch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub blocks: u32,
    pub threads: u32,
    pub cluster: u32,
}

impl Shape {
    pub fn warps(&self) -> u32 {
        self.threads.div_ceil(32)
    }

    pub fn total(&self) -> usize {
        (self.blocks * self.threads) as usize
    }
}

/// The threads that reach a place together, from unknown lanes to all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Unknown lanes, without a mask.
    Any,
    /// Lanes with a known mask.
    Lanes,
    /// Contiguous whole warps.
    Warps,
    /// Whole blocks.
    Block,
    /// Every thread of the grid.
    Grid,
}

/// A place in the kernel.
#[derive(Clone, Debug)]
pub struct Scope {
    pub shape: Shape,
    pub level: Level,
    /// The mask operand of the warp's lanes that reach this place.
    pub mask: String,
    pub warps: Range<u32>,
    /// Whether it is in a loop.
    pub looped: bool,
    /// Whether it is the only piece in that loop's body.
    pub alone: bool,
}

impl Scope {
    pub fn whole(shape: Shape) -> Scope {
        let warps = 0..shape.warps();
        Scope {
            shape,
            level: Level::Grid,
            mask: if shape.threads.is_multiple_of(32) { "-1" } else { "%full" }.to_owned(),
            warps,
            looped: false,
            alone: false,
        }
    }

    /// The first thread of the warps that reach this place, and their number of threads.
    pub fn group(&self) -> (u32, u32) {
        let first = self.warps.start * 32;
        (first, (self.warps.end * 32).min(self.shape.threads) - first)
    }

    /// Whether all threads of the block reach this place.
    pub fn whole_block(&self) -> bool {
        self.level >= Level::Block
    }

    /// The thread count for a barrier.
    pub fn counted(&self) -> u32 {
        (self.warps.end - self.warps.start) * 32
    }
}

/// Facts about the threads that reach a piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    threads: u32,
    lanes: u32,
    blocks: u32,
    /// Whether a lane reads another lane's value.
    pub crosses: bool,
    /// Whether a warp reaches the piece with only some of its lanes.
    partial: bool,
    /// Whether a warp has lanes on both sides of a branch in the piece.
    pub sides: bool,
}

impl Facts {
    pub fn meet(&self, need: Need) -> bool {
        match need {
            Need::Thread => self.threads > 0,
            Need::Lanes => self.lanes > 1,
            Need::Threads => self.threads > 1,
            Need::Blocks => self.blocks > 1,
            Need::Crosses => self.crosses,
            Need::Partial => self.partial,
            Need::Sides => self.sides,
        }
    }
}

/// The host's model of the kernel.
pub struct Host {
    pub shape: Shape,
    /// The value of each thread of the grid.
    pub v: Vec<u32>,
    /// Words that threads add to.
    pub sums: Vec<u32>,
    /// Facts about each piece.
    pub facts: Vec<Facts>,
}

impl Host {
    /// Records the threads that reach a piece.
    pub fn note(&mut self, piece: usize, active: &[bool]) {
        let threads = self.shape.threads as usize;
        let count = |of: &[bool]| of.iter().filter(|active| **active).count() as u32;
        let mut facts = Facts { threads: count(active), ..Facts::default() };
        for block in active.chunks(threads) {
            facts.blocks += u32::from(count(block) > 0);
            facts.lanes = block.chunks(32).map(count).fold(facts.lanes, u32::max);
            facts.partial |=
                block.chunks(32).any(|warp| count(warp) > 0 && (count(warp) as usize) < warp.len());
        }
        let known = &mut self.facts[piece];
        known.threads = known.threads.max(facts.threads);
        known.lanes = known.lanes.max(facts.lanes);
        known.blocks = known.blocks.max(facts.blocks);
        known.partial |= facts.partial;
    }

    /// Updates the value of each active thread, given the previous values of all threads: `change(thread, values)`.
    pub fn update(&mut self, active: &[bool], change: impl Fn(usize, &[u32]) -> u32) {
        let before = self.v.clone();
        for thread in (0..before.len()).filter(|thread| active[*thread]) {
            self.v[thread] = change(thread, &before);
        }
    }

    /// The first thread of a thread's warp.
    pub fn warp_of(&self, thread: usize) -> usize {
        let threads = self.shape.threads as usize;
        let within = thread % threads;
        thread - within % 32
    }

    /// The active lanes of a thread's warp.
    pub fn mask_of(&self, thread: usize, active: &[bool]) -> u32 {
        let threads = self.shape.threads as usize;
        let first = self.warp_of(thread);
        let end = (first + 32).min((thread / threads + 1) * threads);
        (first..end).filter(|t| active[*t]).fold(0, |mask, t| mask | 1 << (t - first))
    }
}

/// A part of a kernel: its text, and its effect on the values.
pub trait Piece {
    fn emit(&self, text: &mut Text, at: &Scope);
    fn apply(&self, host: &mut Host, active: &[bool]);
}
