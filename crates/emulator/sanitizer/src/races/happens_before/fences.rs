//! x
//!
//! The fences of a warp's lanes: what a strong write of theirs releases.
//!
//! A fence of a lane keeps what that lane did and knows ([`super::knowledge`]). BlockAndCluster a warp that acts as one runs it, that is what
//! all its lanes know together, and what a lane did itself is put beside when it releases. Lanes that synchronise, and warps that
//! meet at a barrier, release what each of them has fenced.

use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::sync_variables::Release;
use crate::races::known_clocks::{FencedClocks, KnownClocks, SCOPES};
use lanework_ptx_ir::kernel::Scope;

/// A fence that some lanes have run and not replaced.
#[derive(Clone)]
pub(super) struct LaneFence {
    /// The lanes that release it, by how far it reaches.
    pub(super) lanes: [u32; 3],
    /// What all of them know.
    pub(super) known: KnownClocks,
    /// Up to which clock each did something itself, where that is not in what is known.
    pub(super) done: Option<u32>,
}

/// What a warp's fences release.
#[derive(Clone, Default)]
pub(super) struct WarpFences {
    /// By any of its lanes.
    pub(super) all: FencedClocks,
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
    pub(super) fn add(&mut self, lanes: [u32; 3], known: KnownClocks, done: Option<u32>) {
        if !known.is_none() {
            self.since.push(LaneFence { lanes, known, done });
        }
    }
}

impl HappensBefore {
    /// Lanes of a warp run a fence.
    pub fn fence(&mut self, warp: usize, lanes: u32, scope: Scope) {
        let slot = self.slot(warp);
        let reach = |lanes: u32| SCOPES.map(|of| if of <= scope { lanes } else { 0 });
        self.fences[slot].replace(reach(lanes));
        if lanes.count_ones() > 1 && self.acts_as_one(slot) {
            let (clock, others) = (self.common_clock(slot), self.acquired[slot].clone());
            let done = Some(self.done(slot));
            self.fences[slot].add(
                reach(lanes),
                KnownClocks::new(self.cluster, clock, others),
                done,
            );
        } else {
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let known = self.known_of_lane(slot, lane);
                self.fences[slot].add(reach(1 << lane), known, None);
            }
        }
        self.end_epoch(slot);
    }

    /// What a lane did and knows until now, to be published.
    pub(super) fn known_of_lane(&mut self, slot: usize, lane: u32) -> KnownClocks {
        let (clock, others) = self.clock_of_lane(slot, lane);
        KnownClocks::new(self.cluster, clock, others)
    }

    /// What a strong write of a lane releases, by how far it reaches.
    pub(super) fn fenced_by(&mut self, slot: usize, lane: u32) -> [Release; 3] {
        let all = &self.fences[slot].all;
        let mut fenced =
            SCOPES.map(|scope| Release { known: all.within(scope).clone(), lanes: None });
        for LaneFence { lanes, known, done } in &self.fences[slot].since {
            for (fenced, lanes) in fenced.iter_mut().zip(lanes) {
                if lanes >> lane & 1 != 0 {
                    self.lanes_apart |= done.is_some();
                    let lanes = done.map(|done| (slot as u32, 1 << lane, done));
                    *fenced = Release { known: known.clone(), lanes };
                }
            }
        }
        fenced
    }

    /// What some lanes of a warp, and barriers before, have fenced.
    fn fenced_by_lanes(&mut self, slot: usize, since: &[LaneFence], lanes: u32) -> FencedClocks {
        let mut shared = self.fences[slot].all.clone();
        for fence in since {
            let reach = fence.lanes.map(|of| of & lanes);
            let mut of_fence = FencedClocks::default();
            let mut last = (0, KnownClocks::default());
            for (scope, lanes) in SCOPES.into_iter().zip(reach) {
                if lanes != last.0 {
                    last = (lanes, self.fence_of_lanes(slot, fence, lanes));
                }
                *of_fence.within_mut(scope) = last.1.clone();
            }
            drop(last);
            shared.join(&of_fence);
        }
        shared
    }

    /// What all lanes of a warp have fenced.
    pub(super) fn fenced_by_all(&mut self, slot: usize) -> FencedClocks {
        let since = std::mem::take(&mut self.fences[slot].since);
        let fenced = self.fenced_by_lanes(slot, &since, u32::MAX);
        self.fences[slot].since = since;
        fenced
    }

    /// Lanes of a warp synchronise: each releases what they all have fenced.
    pub(super) fn share_fences(&mut self, slot: usize, lanes: u32, live: u32) {
        if self.fences[slot].since.is_empty() {
            return;
        }
        let since = std::mem::take(&mut self.fences[slot].since);
        let shared = self.fenced_by_lanes(slot, &since, lanes);
        let fences = &mut self.fences[slot];
        if lanes & live == live {
            fences.all = shared;
            return;
        }
        fences.since = since;
        fences.replace([lanes; 3]);
        for (i, scope) in SCOPES.into_iter().enumerate() {
            let mut reach = [0; 3];
            reach[i] = lanes;
            fences.add(reach, shared.within(scope).clone(), None);
        }
    }

    /// What some lanes that ran a fence know, with what they did themselves.
    fn fence_of_lanes(&mut self, slot: usize, fence: &LaneFence, lanes: u32) -> KnownClocks {
        let mut known = fence.known.clone();
        match fence.done {
            _ if lanes == 0 => return KnownClocks::default(),
            None => {}
            Some(done) => {
                self.lanes_apart = true;
                known.raise_lanes(self.cluster, (slot as u32, lanes, done));
            }
        }
        known
    }
}
