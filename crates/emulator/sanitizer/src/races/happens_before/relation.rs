//! The relation between prior accesses and a warp, or one of its lanes: ordered, concurrent, or
//! ordered for some lanes only.

use crate::races::epoch::{self, Epoch, PackedEpoch};
use crate::races::grid_clock::lanes_known;
use crate::races::happens_before::HappensBefore;
use crate::races::vector_clock::lanes_beyond;

/// How the accesses of an epoch relate to a warp's next access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// All happen before.
    HappensBefore,
    /// Concurrent.
    Concurrent,
    /// They belong to the same warp: each lane's accesses happen before that lane only.
    ProgramOrder,
    /// Ordered for some lanes only: lanes have synchronized in parts, or acquired or released
    /// alone.
    ByLane,
}

/// The synchronization missing between two warps, if only single lanes of them synchronized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MissingWarpSync {
    /// A lane of the other warp released its own accesses, but not the racing lane's.
    pub released: bool,
    /// A lane of this warp acquired the release, but not the lane that accesses now.
    pub acquired: bool,
    /// These lanes took part in the accesses: the two would be ordered if warps ran in lockstep.
    pub lockstep: bool,
}

/// Caches the last relation, since neighboring cells mostly belong to one epoch. Valid until the
/// next synchronization.
pub struct RelationCache {
    epoch: u32,
    relation: Relation,
}

impl RelationCache {
    /// An empty cache: epoch 0 is never looked up.
    pub const EMPTY: RelationCache = RelationCache { epoch: 0, relation: Relation::HappensBefore };

    /// The epoch that was looked up last, and its relation.
    #[inline(always)]
    pub fn last(&self) -> (u32, Relation) {
        (self.epoch, self.relation)
    }

    /// Cached [`HappensBefore::relation_of`].
    #[inline(always)]
    pub fn relation(
        &mut self,
        order: &mut HappensBefore,
        access: PackedEpoch,
        base: u32,
        warp: u32,
    ) -> Relation {
        let of = epoch::number(access);
        if of < base {
            return Relation::HappensBefore;
        }
        if of != self.epoch {
            *self = RelationCache { epoch: of, relation: order.relation(of, warp) };
        }
        self.relation
    }
}

impl HappensBefore {
    /// How the accesses of an epoch relate to a warp's next access.
    #[inline(always)]
    pub fn relation(&mut self, number: u32, warp: u32) -> Relation {
        let e = &self.epochs[number as usize];
        let slot = self.slot(warp as usize);
        if e.cluster != self.cluster {
            let acquired = &self.acquired[slot];
            if acquired.is_empty() && !self.lanes_apart {
                return Relation::Concurrent;
            }
            return match lanes_known(acquired, e) {
                u32::MAX => Relation::HappensBefore,
                0 if !self.apart[slot].acquired_alone() => Relation::Concurrent,
                _ => Relation::ByLane,
            };
        }
        let known = e.clock < self.known.get(slot, e.slot as usize);
        if known {
            return Relation::HappensBefore;
        }
        let whole =
            !self.lanes_apart || self.apart[slot].is_empty() && self.known.ahead(slot).is_empty();
        if e.slot as usize != slot {
            let some = !whole && self.known_lanes(slot, None, e.slot, e.clock) != 0;
            return if some { Relation::ByLane } else { Relation::Concurrent };
        }
        // A warp may know of itself: one lane released and another acquired, such as with a lock
        // that both held.
        match &self.pair_sync[slot] {
            _ if e.clock < self.warp_sync[slot] => Relation::HappensBefore,
            None if whole => Relation::ProgramOrder,
            _ => Relation::ByLane,
        }
    }

    /// The relation of an access's epoch; epochs below `base` belong to earlier clusters and happen before.
    #[inline(always)]
    pub fn relation_of(&mut self, access: PackedEpoch, base: u32, warp: u32) -> Relation {
        let number = epoch::number(access);
        if number < base { Relation::HappensBefore } else { self.relation(number, warp) }
    }

    /// Whether an access happens before a lane's next access.
    #[inline(always)]
    pub fn happens_before(&mut self, access: PackedEpoch, warp: u32, of_lane: u32) -> bool {
        match self.relation(epoch::number(access), warp) {
            Relation::HappensBefore => true,
            Relation::Concurrent => false,
            Relation::ProgramOrder => epoch::lane(access) == of_lane,
            Relation::ByLane => {
                let e = self.epoch(access);
                self.lanes_before(e, warp, of_lane) >> epoch::lane(access) & 1 != 0
            }
        }
    }

    /// The lanes of slot `of` known beyond a clock to a lane of a warp, or to any lane if `None`;
    /// within this cluster.
    #[cold]
    pub(super) fn known_lanes(&self, slot: usize, lane: Option<u32>, of: u32, clock: u32) -> u32 {
        lanes_beyond(self.known.ahead(slot), of, clock) | self.apart[slot].beyond(lane, of, clock)
    }

    /// The lanes of an epoch whose accesses happen before a lane's next access.
    #[cold]
    fn lanes_before(&self, e: Epoch, warp: u32, lane: u32) -> u32 {
        let slot = self.slot(warp as usize);
        if e.cluster != self.cluster {
            let apart = self.apart[slot].of_lane(lane).map(|part| &part.acquired);
            let all = apart.chain([&self.acquired[slot]]);
            return all.fold(0, |lanes, known| lanes | lanes_known(known, &e));
        }
        let known = self.known_lanes(slot, Some(lane), e.slot, e.clock);
        if e.slot as usize != slot {
            return known;
        }
        let before = |other: usize| match &self.pair_sync[slot] {
            Some(pairs) => e.clock < pairs[other][lane as usize],
            None => false,
        };
        (0..32).filter(|other| before(*other)).fold(known | 1 << lane, |lanes, of| lanes | 1 << of)
    }

    /// The missing synchronization between an access and a lane of another warp, if they are
    /// concurrent only because lanes of these warps synchronized alone. `together` are the lanes of the
    /// current access.
    pub fn lacks_warp_sync(
        &mut self,
        access: PackedEpoch,
        (warp, lane): (u32, u32),
        together: u32,
    ) -> Option<MissingWarpSync> {
        let (e, by) = (self.epoch(access), epoch::lane(access));
        if !self.lanes_apart
            || e.cluster == self.cluster && e.slot as usize == self.slot(warp as usize)
        {
            return None;
        }
        let known = self.lanes_before(e, warp, lane);
        if known != 0 {
            let lockstep = known & e.lanes != 0;
            return Some(MissingWarpSync { released: true, acquired: false, lockstep });
        }
        let mut lack: Option<MissingWarpSync> = None;
        for other in 0..32 {
            let known = self.lanes_before(e, warp, other);
            if known == 0 {
                continue;
            }
            let released = known >> by & 1 == 0;
            let lockstep = together >> other & 1 != 0 && (!released || known & e.lanes != 0);
            let this = MissingWarpSync { released, acquired: true, lockstep };
            if lack.is_none_or(|lack| (lack.released, !lack.lockstep) > (released, !lockstep)) {
                lack = Some(this);
            }
        }
        lack
    }

    /// Whether an access happens before the next access of some warp of the block of a rank.
    pub fn known_to_block(&self, access: PackedEpoch, rank: usize) -> bool {
        let (e, lane) = (self.epoch(access), epoch::lane(access));
        let mut own = rank * self.per_block..(rank + 1) * self.per_block;
        own.any(|slot| {
            e.clock < self.known.get(slot, e.slot as usize)
                || self.known_lanes(slot, None, e.slot, e.clock) >> lane & 1 != 0
        })
    }
}
