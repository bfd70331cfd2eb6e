//! Reports of the reference path.

use crate::access::{AccessCheck, WarpAccess};
use crate::bounds::{Bounds, MemoryId};
use crate::findings::advice::{Distance, RaceAccess, RaceFacts};
use crate::findings::kinds::ReportKind;
use crate::findings::suppressions::SuppressionRule;
use crate::findings::{Finding, place, verb};
use crate::initialization::Initialization;
use crate::races::epoch::{self, PackedEpoch};
use crate::races::findings::RaceDescription;
use crate::races::happens_before::relation::MissingWarpSync;
use crate::races::shadow_cell::{Conflict, mixed_sizes};

impl AccessCheck {
    /// Whether an access to a `malloc` heap or a memory pool stays inside a live block; reports it
    /// otherwise.
    #[cold]
    pub(super) fn in_live_block(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        address: u64,
        of_heap: bool,
    ) -> bool {
        let (verb, run) = (verb(access.site.kind), (address, access.bytes));
        let Some((kind, finding)) = self.bounds.violation(of_heap, verb, run) else {
            return true;
        };
        let who = self.position.thread_at(access.lane(lane));
        self.reports.add(kind, who, None, |_| finding);
        false
    }

    /// Reports a read of uninitialized bytes.
    #[cold]
    pub(super) fn report_unwritten(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        space: &str,
        at: u64,
    ) {
        let bytes = access.bytes;
        let kind = match space {
            "constant" => ReportKind::UnsetConstant,
            _ => ReportKind::Uninitialized,
        };
        if !matches!(space, "global" | "constant")
            && self.reports.suppresses(SuppressionRule::Unused, access.instruction)
        {
            return;
        }
        let (bounds, who) = (&self.bounds, self.position.thread_at(access.lane(lane)));
        self.reports.add(kind, who, None, |_| {
            let near = match space {
                "global" | "constant" => bounds.nearest_global(at, bytes),
                "shared" => bounds.shared.nearest(at, bytes),
                _ => bounds.local.nearest(at, bytes),
            };
            match space {
                "constant" => Initialization::unset((at, bytes), near),
                _ => Initialization::unwritten(verb(access.site.kind), space, (at, bytes), near),
            }
        });
    }

    /// Reports an access inside the block's memory but outside every variable.
    #[cold]
    pub(super) fn report_outside(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        space: &str,
        offset: u64,
    ) {
        let (bounds, bytes) = (&self.bounds, access.bytes);
        let who = self.position.thread_at(access.lane(lane));
        let variables = if space == "shared" { &bounds.shared } else { &bounds.local };
        let near = variables.nearest(offset, bytes);
        if let Some(near) = &near {
            self.reports.reached(near, bytes);
        }
        self.reports.add(ReportKind::OutOfBounds, who, None, |_| {
            Bounds::outside(verb(access.site.kind), space, (offset, bytes), near)
        });
    }

    /// Reports a race.
    #[cold]
    pub(super) fn report_race(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        id: MemoryId,
        offset: u64,
        conflict: Conflict,
    ) {
        let who = self.position.thread_at(access.lane(lane));
        let prior = self.races.thread_at(conflict.with);
        let global = id >= self.bounds.ranks();
        let covered = |instruction| self.reports.suppresses(SuppressionRule::Reused, instruction);
        if global
            && !conflict.wrote
            && prior.block != who.block
            && covered(who.instruction)
            && covered(prior.instruction)
        {
            return;
        }
        let lane_now = epoch::with_lane(access.packed, lane as u32);
        let mixed = mixed_sizes(&self.races.order, conflict.with, lane_now);
        let order = &self.races.order;
        let unfenced = order.missing_acquire(conflict.with, access.warp.index, lane as u32);
        // A strong access after the flag's read is not served from a stale cache line, nor moved before it.
        if unfenced.is_some() && access.site.order.strong.is_some() {
            return;
        }
        let lack = match mixed || unfenced.is_some() {
            true => None,
            false => self.lack_of_sync(access, lane, conflict),
        };
        if lack == Some(MissingWarpSync::default()) {
            return;
        }
        // Collectives of cooperative groups rely there on lockstep of the warps that call them.
        let lockstep = lack.is_some() || who.distance(prior) == Distance::Lanes;
        if !global && lockstep && self.is_of_libraries(offset) {
            return;
        }
        let facts = RaceFacts {
            accesses: [
                RaceAccess {
                    instruction: who.instruction,
                    strong: access.site.order.strong,
                    writes: access.writes(lane),
                },
                RaceAccess {
                    instruction: prior.instruction,
                    strong: epoch::scope(conflict.with),
                    writes: conflict.wrote,
                },
            ],
            distance: self.races.distance(conflict.with, who, prior),
            global,
            mixed,
            unfenced,
        };
        let (bounds, kind) = (&self.bounds, self.races.kind(conflict, lane_now, lack, global));
        self.reports.add(kind, who, Some(prior), |reports| {
            let (space, address, near) = match global {
                true => {
                    let address = bounds.extent(id).start + offset;
                    ("global", address, bounds.nearest_global(address, 1))
                }
                false => ("shared", offset, bounds.shared.nearest(offset, 1)),
            };
            let (verb, bytes) = (verb(access.site.kind), access.bytes);
            let at = place(near.as_ref(), address);
            let in_branch = lack.is_some() && reports.is_in_branch(prior.instruction);
            let place = at.as_str();
            let racing = RaceDescription {
                verb,
                space,
                bytes,
                place,
                who,
                prior,
                conflict,
                lack,
                in_branch,
            };
            let advised = kind == ReportKind::Race && !mixed && lack.is_none();
            let race = advised.then_some(facts);
            let (message, help) = match kind {
                ReportKind::AsyncOrder => {
                    racing.too_early(reports.is_group_product(prior.instruction))
                }
                ReportKind::WarpSynchronous => racing.warp_synchronous(),
                _ if mixed => racing.mixed_sizes(),
                _ => racing.race(),
            };
            Finding {
                message,
                help: help.into(),
                address: Some(address),
                size: bytes,
                allocation: near,
                race,
            }
        });
    }

    /// The synchronization that is missing between two warps, if only single lanes of them
    /// synchronized. A collective matrix load or store is ordered with every lane of its warp, so on
    /// that side nothing is missing.
    fn lack_of_sync(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        conflict: Conflict,
    ) -> Option<MissingWarpSync> {
        if conflict.with & epoch::ASYNC != 0 {
            return None;
        }
        let by = (access.warp.index, lane as u32);
        let mut lack = self.races.order.lacks_warp_sync(conflict.with, by, access.warp.mask)?;
        lack.released &= !self.reports.is_collective(epoch::instruction(conflict.with));
        lack.acquired &= !self.reports.is_collective(access.instruction);
        if !lack.released && !lack.acquired {
            lack.lockstep = false;
        }
        Some(lack)
    }

    /// Reports a load through the non-coherent cache of bytes that the kernel has written.
    #[cold]
    pub(super) fn report_stale(
        &mut self,
        access: &WarpAccess<'_>,
        lane: usize,
        id: MemoryId,
        offset: u64,
        with: PackedEpoch,
    ) {
        let who = self.position.thread_at(access.lane(lane));
        let (prior, bounds, bytes) = (self.races.thread_at(with), &self.bounds, access.bytes);
        self.reports.add(ReportKind::Race, who, Some(prior), |_| {
            let address = bounds.extent(id).start + offset;
            let near = bounds.nearest_global(address, 1);
            let at = place(near.as_ref(), address);
            Finding {
                message: format!(
                    "race in global memory: `.nc` read of {bytes} bytes at {at}, which this kernel has written: the read-only cache may hold the old value even after a barrier"
                ),
                help: "use a plain load: remove `__ldg`, or `const __restrict__` from the pointer".into(),
                address: Some(address),
                size: bytes,
                allocation: near,
                race: None,
            }
        });
    }
}
