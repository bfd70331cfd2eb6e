//! What single lanes of a warp know and have fenced beyond what all of its lanes do: the state that
//! [`super::alone`] and [`super::fences`] change.

use super::grid_clock::GridClock;
use super::knowledge::{Fenced, Known};
use super::vector_clock::VectorClock;
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

/// What was acquired, so that lanes which acquire the same are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// What was published at a sync variable, by its version, and the scope of the read.
    Published(u64, Scope),
    /// What an mbarrier has released, by a number that it has from then on.
    Mbarrier(u32),
    /// What lanes that synchronised knew.
    Lanes,
}

/// What some lanes know.
#[derive(Clone, Default)]
pub(super) struct Part {
    pub(super) lanes: u32,
    pub(super) clock: Arc<VectorClock>,
    /// What they have acquired of other clusters.
    pub(super) acquired: GridClock,
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

    /// All parts.
    pub(super) fn all(&self) -> impl Iterator<Item = &Part> {
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

    /// Whether any lane has acquired something of other clusters alone.
    pub(super) fn has_acquired(&self) -> bool {
        self.all().any(|part| !part.acquired.is_empty())
    }
}

/// A fence that some lanes have run and not replaced.
#[derive(Clone)]
pub(super) struct LaneFence {
    /// The lanes that release it, by how far it reaches.
    pub(super) lanes: [u32; 3],
    /// What all of them know.
    pub(super) known: Known,
    /// Up to which clock each did something itself, where that is not in what is known.
    pub(super) done: Option<u32>,
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
    /// Lanes replace what they have fenced, by how far it reaches.
    pub(super) fn replace(&mut self, lanes: [u32; 3]) {
        self.since.retain_mut(|fence| {
            fence.lanes = std::array::from_fn(|i| fence.lanes[i] & !lanes[i]);
            fence.lanes != [0; 3]
        });
    }

    /// Lanes run a fence.
    pub(super) fn add(&mut self, lanes: [u32; 3], known: Known, done: Option<u32>) {
        if !known.is_none() {
            self.since.push(LaneFence { lanes, known, done });
        }
    }
}
