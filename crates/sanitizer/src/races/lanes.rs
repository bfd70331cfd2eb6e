//! What single lanes of a warp know and have fenced beyond what all of its lanes do: the state that
//! [`super::alone`] and [`super::fences`] change.

use super::releases::{Fenced, NONE};
use super::vector_clock::VectorClock;

/// What was acquired, so that lanes which acquire the same are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nodes of the graph of releases, for the block and for all.
    Nodes(u32, u32),
    /// What an mbarrier has released, by a number that it has from then on.
    Mbarrier(u32),
    /// What lanes that synchronised knew.
    Lanes,
}

/// What some lanes know.
#[derive(Clone, Default)]
pub(super) struct Part {
    pub(super) lanes: u32,
    pub(super) clock: VectorClock,
    /// What they have acquired of other blocks.
    pub(super) acquired: u32,
}

/// What lanes of a warp know beyond it.
#[derive(Clone, Default)]
pub(super) struct Apart {
    pub(super) parts: Vec<Part>,
    pub(super) latest: Option<(Source, Part)>,
    /// What all lanes have acquired last.
    pub(super) whole: Option<Source>,
}

impl Apart {
    /// What holds for a lane.
    pub(super) fn of(&self, lane: u32) -> impl Iterator<Item = &Part> {
        self.all().filter(move |part| part.lanes >> lane & 1 != 0)
    }

    fn all(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().chain(self.latest.as_ref().map(|(_, part)| part))
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.latest.is_none()
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.latest = None;
    }

    pub(super) fn forget(&mut self) {
        self.clear();
        self.whole = None;
    }

    /// The lanes of a slot known beyond a clock to a lane, or to any where none is given.
    pub(super) fn beyond(&self, lane: Option<u32>, slot: u32, clock: u32) -> u32 {
        let of = |part: &&Part| lane.is_none_or(|lane| part.lanes >> lane & 1 != 0);
        self.all().filter(of).fold(0, |known, part| known | part.clock.beyond(slot, clock))
    }

    /// What a lane has acquired of other blocks alone.
    pub(super) fn acquired(&self, lane: u32) -> impl Iterator<Item = u32> {
        self.of(lane).map(|part| part.acquired).filter(|node| *node != NONE)
    }

    /// Whether any lane has acquired something of other blocks alone.
    pub(super) fn has_acquired(&self) -> bool {
        self.all().any(|part| part.acquired != NONE)
    }
}

/// A fence that some lanes have run and not replaced.
#[derive(Clone)]
pub(super) struct LaneFence {
    /// The lanes that release it to their block, and those that release it to all.
    pub(super) near: u32,
    pub(super) wide: u32,
    /// What all of them know.
    pub(super) node: u32,
    /// Up to which clock each did something itself, where that is not in the node.
    pub(super) done: Option<u32>,
    /// By lane: the node with what it did itself.
    pub(super) nodes: Option<Box<[u32; 32]>>,
}

/// What a warp's fences release.
#[derive(Clone, Default)]
pub(super) struct WarpFences {
    /// By any of its lanes.
    pub(super) all: Fenced,
    /// By those that have run one since.
    pub(super) since: Vec<LaneFence>,
}

impl WarpFences {
    /// Lanes replace what they have fenced.
    pub(super) fn replace(&mut self, near: u32, wide: u32) {
        self.since.retain_mut(|fence| {
            fence.near &= !near;
            fence.wide &= !wide;
            fence.near | fence.wide != 0
        });
    }

    /// Lanes run a fence.
    pub(super) fn add(&mut self, near: u32, wide: u32, node: u32, done: Option<u32>) {
        self.since.push(LaneFence { near, wide, node, done, nodes: None });
    }
}
