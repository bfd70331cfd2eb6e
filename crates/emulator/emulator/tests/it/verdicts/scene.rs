//! The context of a piece: the shape of the launch, which threads reach it together, and what the host can compute
//! about them.

use crate::verdicts::text::{Need, Text};
use std::ops::Range;

/// The launch.
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

/// Which threads reach a place together, from all threads to unknown lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Lanes that no mask names.
    Any,
    /// Lanes that a mask names.
    Lanes,
    /// Whole warps, in a row.
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
    /// The lanes of the warp that come here, as an operand.
    pub mask: String,
    pub warps: Range<u32>,
    /// Whether it is run more than once.
    pub looped: bool,
    /// Whether it is alone in that loop's body.
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

    /// The first thread that reaches this piece, and the number of threads that do, in whole warps.
    pub fn group(&self) -> (u32, u32) {
        let first = self.warps.start * 32;
        (first, (self.warps.end * 32).min(self.shape.threads) - first)
    }

    /// Whether all threads of the block come here.
    pub fn whole_block(&self) -> bool {
        self.level >= Level::Block
    }

    /// Threads as a barrier counts them.
    pub fn counted(&self) -> u32 {
        (self.warps.end - self.warps.start) * 32
    }
}

/// The number of threads that reach a piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    threads: u32,
    lanes: u32,
    blocks: u32,
    /// Whether a lane reads another lane's value.
    pub crosses: bool,
    /// Whether lanes of a warp that has come are elsewhere.
    partial: bool,
    /// Whether lanes of both sides of a branch in the piece are there.
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

/// The kernel on the host.
pub struct Host {
    pub shape: Shape,
    /// By thread of the grid: its value.
    pub v: Vec<u32>,
    /// Words that threads add to.
    pub sums: Vec<u32>,
    /// By piece.
    pub facts: Vec<Facts>,
}

impl Host {
    /// Notes who comes to a piece.
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

    /// Changes the value of each active thread, by all values before: `change(thread, values)`.
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
