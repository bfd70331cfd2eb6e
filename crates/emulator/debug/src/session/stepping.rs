//! Stepping: the search for the next or the previous line of a thread, a warp or a block.

use crate::data::scope::LaunchScope;
use crate::session::breakpoints::WarpLines;
use crate::timeline::{StepAt, Visitor};
use std::sync::Arc;

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// To the next line, which may be in a called function.
    Into,
    /// To the next line of this function or its caller.
    Over,
    /// To the caller.
    Out,
    /// To the next instruction.
    Instruction,
}

/// The steps that a command follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepUnit {
    /// Steps of the current thread.
    #[default]
    Thread,
    /// Steps of its warp.
    Warp,
    /// Steps of its block.
    Block,
}

/// Searches for the first stop after a step, or for the last stop before it.
pub struct StepSearch {
    pub(super) scope: Arc<LaunchScope>,
    pub(super) kind: StepKind,
    pub(super) unit: StepUnit,
    /// The block and the thread.
    pub(super) focus: (u64, u32),
    /// The step from which the search starts.
    pub(super) now: u64,
    /// The first step that it sees.
    pub(super) first: u64,
    /// The number of calls around the instruction there.
    pub(super) depth: u32,
    /// Whether to search backward.
    pub(super) back: bool,
    pub(super) lines: WarpLines,
    /// The stop, and the thread that reaches it.
    pub(super) found: Option<(u64, u32)>,
    /// The last step of the thread, the warp or the block.
    pub(super) last: Option<u64>,
    /// Whether the thread has exited.
    pub(super) ended: bool,
}

impl StepSearch {
    /// Whether the command follows a step.
    fn counts(&self, at: &StepAt<'_>) -> bool {
        let (block, thread) = self.focus;
        at.place.block == block
            && match self.unit {
                StepUnit::Thread => {
                    at.place.warp == thread / 32 && at.mask >> (thread % 32) & 1 != 0
                }
                StepUnit::Warp => at.place.warp == thread / 32,
                StepUnit::Block => true,
            }
    }

    /// Whether to stop at a step that the command follows.
    fn stops(&mut self, at: &StepAt<'_>) -> bool {
        let place = self.scope.code.place(at.place.instruction);
        let depth = place.map_or(self.depth, |place| place.depth);
        match self.kind {
            StepKind::Instruction => true,
            StepKind::Out => depth < self.depth,
            StepKind::Over if depth > self.depth => false,
            StepKind::Into | StepKind::Over => self.lines.arrival(&self.scope, at).is_some(),
        }
    }
}

impl Visitor for StepSearch {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        let (block, thread) = self.focus;
        if self.back && at.step >= self.now || self.ended {
            return true;
        }
        // The first step of a cluster is always seen.
        if at.step < self.first {
            return false;
        }
        if !self.counts(at) {
            let own = at.place.block == block && at.place.warp == thread / 32;
            self.ended |= own
                && self.unit != StepUnit::Block
                && at.step > self.now
                && at.view.live() >> (thread % 32) & 1 == 0;
            return self.ended;
        }
        self.last = Some(at.step);
        let stops = self.stops(at);
        if stops && (self.back || at.step > self.now) {
            let lane = if at.mask >> (thread % 32) & 1 != 0 && at.place.warp == thread / 32 {
                thread % 32
            } else {
                at.mask.trailing_zeros()
            };
            self.found = Some((at.step, at.place.warp * 32 + lane));
            return !self.back;
        }
        false
    }

    fn cluster_end(&mut self, blocks: &[u64]) {
        self.ended |= blocks.contains(&self.focus.0);
    }

    fn first_step(&self) -> u64 {
        self.first
    }
}
