//! The fences of a warp's lanes: what a strong write of theirs releases.
//!
//! A fence of a lane makes a node of the graph of releases from what that lane did and knows. Where a warp that acts as one runs
//! it, one node holds what all its lanes know together, and what a lane did itself is put beside when it releases. Lanes that
//! synchronise, and warps that meet at a barrier, release what each of them has fenced.

use super::happens_before::HappensBefore;
use super::lanes::LaneFence;
use super::releases::{Fenced, NONE};
use lanework_ptx_ir::kernel::Scope;

impl HappensBefore {
    /// Lanes of a warp run a fence.
    pub fn fence(&mut self, warp: usize, lanes: u32, scope: Scope) {
        let slot = self.slot(warp);
        let wide = |lanes: u32| if scope > Scope::Block { lanes } else { 0 };
        self.fences[slot].replace(lanes, wide(lanes));
        if lanes.count_ones() > 1 && self.acts_as_one(slot) {
            let clock = self.common_clock(slot);
            let node = self.releases.node(self.cluster, clock, self.acquired[slot]);
            let done = Some(self.done(slot));
            self.fences[slot].add(lanes, wide(lanes), node, done);
        } else {
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let node = self.node_of_lane(slot, lane);
                self.fences[slot].add(1 << lane, wide(1 << lane), node, None);
            }
        }
        self.end_epoch(slot);
    }

    /// What a lane did and knows until now, to be published.
    pub(super) fn node_of_lane(&mut self, slot: usize, lane: u32) -> u32 {
        let (clock, acquired) = self.clock_of_lane(slot, lane);
        self.releases.node(self.cluster, clock, acquired)
    }

    /// What a strong write of a lane releases.
    pub(super) fn fenced_by(&mut self, slot: usize, lane: u32) -> Fenced {
        let mut fenced = self.fences[slot].all;
        for i in 0..self.fences[slot].since.len() {
            let LaneFence { near, wide, .. } = self.fences[slot].since[i];
            if (near | wide) >> lane & 1 == 0 {
                continue;
            }
            let node = self.fence_of_lane(slot, i, lane);
            if near >> lane & 1 != 0 {
                fenced.near = node;
            }
            if wide >> lane & 1 != 0 {
                fenced.wide = node;
            }
        }
        fenced
    }

    /// The node of a lane that ran a fence, with what it did itself.
    fn fence_of_lane(&mut self, slot: usize, index: usize, lane: u32) -> u32 {
        let LaneFence { node, done, nodes, .. } = &mut self.fences[slot].since[index];
        let Some(done) = *done else { return *node };
        let node = *node;
        self.lanes_apart = true;
        let known = &mut nodes.get_or_insert_with(|| Box::new([NONE; 32]))[lane as usize];
        if *known == NONE {
            let of = (self.cluster, slot as u32);
            *known = self.releases.node_with_lanes(of, node, (1 << lane, done));
        }
        *known
    }

    /// What some lanes of a warp, and barriers before, have fenced.
    fn fenced_by_lanes(&mut self, slot: usize, since: &[LaneFence], lanes: u32) -> Fenced {
        let mut shared = self.fences[slot].all;
        for fence in since {
            let (near, wide) = (fence.near & lanes, fence.wide & lanes);
            let of_near = self.fence_of_lanes(slot, fence, near);
            let of_wide =
                if near == wide { of_near } else { self.fence_of_lanes(slot, fence, wide) };
            let both = Fenced { near: of_near, wide: of_wide };
            shared = self.releases.both_fenced(shared, both);
        }
        shared
    }

    /// What all lanes of a warp have fenced.
    pub(super) fn fenced_by_all(&mut self, slot: usize) -> Fenced {
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
        if lanes & live == live {
            self.fences[slot].all = shared;
            return;
        }
        let fences = &mut self.fences[slot];
        fences.since = since;
        fences.replace(lanes, lanes);
        fences.add(lanes, 0, shared.near, None);
        fences.add(0, lanes, shared.wide, None);
    }

    /// The node of some lanes that ran a fence, with what they did themselves.
    fn fence_of_lanes(&mut self, slot: usize, fence: &LaneFence, lanes: u32) -> u32 {
        match fence.done {
            _ if lanes == 0 => NONE,
            None => fence.node,
            Some(done) => {
                let of = (self.cluster, slot as u32);
                self.lanes_apart = true;
                self.releases.node_with_lanes(of, fence.node, (lanes, done))
            }
        }
    }
}
