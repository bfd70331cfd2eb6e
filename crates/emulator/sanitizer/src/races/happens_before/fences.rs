//! Fences: the clocks that a later strong write of a lane releases.
//!
//! A fence by a lane stores what the lane has done and acquired ([`KnownClocks`]). If a whole warp
//! in one state executes the fence, one entry stores the common clock, and the lane's own clock is
//! added at its release. Lanes that synchronize, and warps that meet at a barrier, release what
//! each of them has fenced (cumulativity).

use crate::races::epoch::Epoch;
use crate::races::grid_clock::{FencedClocks, KnownClocks, SCOPES};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::sync_variables::Release;
use lanework_ptx_ir::kernel::Scope;

/// A fence executed by some lanes and not replaced since.
#[derive(Clone)]
pub(super) struct LaneFence {
    /// The lanes that release it, by scope.
    pub(super) lanes: [u32; SCOPES.len()],
    /// The clocks known to all of them.
    pub(super) known: KnownClocks,
    /// Each lane's own clock, if it is not part of `known`.
    pub(super) done: Option<u32>,
}

/// The fences of a warp.
#[derive(Clone, Default)]
pub(super) struct WarpFences {
    /// Released by any lane.
    pub(super) all: FencedClocks,
    /// Fences of single lanes since.
    pub(super) since: Vec<LaneFence>,
}

impl WarpFences {
    /// Removes the older fences of lanes, by scope.
    pub(super) fn replace(&mut self, lanes: [u32; SCOPES.len()]) {
        self.since.retain_mut(|fence| {
            fence.lanes = std::array::from_fn(|i| fence.lanes[i] & !lanes[i]);
            fence.lanes != [0; SCOPES.len()]
        });
    }

    /// Adds a fence of lanes.
    pub(super) fn add(
        &mut self,
        lanes: [u32; SCOPES.len()],
        known: KnownClocks,
        done: Option<u32>,
    ) {
        if !known.is_none() {
            self.since.push(LaneFence { lanes, known, done });
        }
    }
}

impl HappensBefore {
    /// Lanes of a warp execute a fence.
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

    /// A lane launches a grid: the clocks that happen before the launch.
    pub fn launched(&mut self, warp: u32, lane: u32) -> KnownClocks {
        let slot = self.slot(warp as usize);
        let known = self.known_of_lane(slot, lane);
        self.end_epoch(slot);
        known
    }

    /// All epochs of the launch, at its end.
    pub fn take_epochs(&mut self) -> Vec<Epoch> {
        std::mem::take(&mut self.epochs)
    }

    /// The clocks that writes released to the host.
    pub fn host_knows(&self) -> &KnownClocks {
        &self.host_knows
    }

    /// The clocks that a lane publishes now: its own and the acquired ones.
    pub(super) fn known_of_lane(&mut self, slot: usize, lane: u32) -> KnownClocks {
        let (clock, others) = self.clock_of_lane(slot, lane);
        KnownClocks::new(self.cluster, clock, others)
    }

    /// The clocks that a strong write of a lane releases, by scope.
    pub(super) fn fenced_by(&mut self, slot: usize, lane: u32) -> [Release; SCOPES.len()] {
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

    /// The clocks fenced by some lanes of a warp and by earlier barriers.
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

    /// The clocks fenced by all lanes of a warp.
    pub(super) fn fenced_by_all(&mut self, slot: usize) -> FencedClocks {
        let since = std::mem::take(&mut self.fences[slot].since);
        let fenced = self.fenced_by_lanes(slot, &since, u32::MAX);
        self.fences[slot].since = since;
        fenced
    }

    /// Lanes of a warp synchronize: each then releases what they all have fenced.
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
        fences.replace([lanes; SCOPES.len()]);
        for (i, scope) in SCOPES.into_iter().enumerate() {
            let mut reach = [0; SCOPES.len()];
            reach[i] = lanes;
            fences.add(reach, shared.within(scope).clone(), None);
        }
    }

    /// The clocks of lanes that executed a fence, including their own.
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
