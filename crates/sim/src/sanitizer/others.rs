//! The blocks of a cluster: whose turn it is, and accesses to each other's shared memory.
//!
//! What is known of shared memory is kept by block. That of the block whose turn it is lies at hand; to
//! judge an access to another's, the two change places meanwhile.

use super::checker::Checker;
use super::lanewise::{Judged, lanes_of};
use super::order::{self, Tag};
use super::report::{Report, ReportKind};
use super::shadow::Cells;
use super::written::Written;
use crate::engine::asynchrony::cluster::split;
use crate::engine::context::Region;
use crate::engine::op::Warp;
use lanework_ptx_ir::window::RANK_SHIFT;

/// What is known of the shared memory of a block that is not at hand.
pub struct Others {
    region: Region,
    /// Which bytes have been written.
    pub written: Written,
    cells: Cells,
}

impl Others {
    /// Nothing has been written there.
    pub fn new(region: Region, shift: u32) -> Others {
        let (written, cells) = (Written::new(region.bytes), Cells::new(region.bytes, shift));
        Others { region, written, cells }
    }
}

impl Checker {
    /// It is the turn of the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.lend(rank);
        self.rank = rank;
        self.block = self.blocks.get(rank as usize).copied().unwrap_or(0);
        self.order.enter(rank as usize, self.block);
    }

    /// The place of a warp of the block whose turn it is among all of the cluster.
    #[inline(always)]
    pub(super) fn slot(&self, warp: u32) -> usize {
        self.rank as usize * self.warps + warp as usize
    }

    /// Puts the shared memory of the block of a rank at hand.
    pub(super) fn lend(&mut self, rank: u32) {
        if rank == self.shared_rank {
            return;
        }
        for at in [self.shared_rank, rank] {
            let Some(other) = self.others.get_mut(at as usize) else { return };
            std::mem::swap(&mut self.shared, &mut other.region);
            std::mem::swap(&mut self.shared_written, &mut other.written);
            std::mem::swap(&mut self.shared_cells, &mut other.cells);
        }
        self.shared_rank = rank;
    }

    /// The shared memory of the block of a rank.
    fn shared_of(&self, rank: u32) -> Option<Region> {
        if rank == self.shared_rank {
            return Some(self.shared);
        }
        self.others.get(rank as usize).map(|other| other.region)
    }

    /// The block and the offset in its shared memory of bytes on the host, if they lie there.
    pub(super) fn shared_place(&self, host: *const u8, bytes: u64) -> Option<(u32, u64)> {
        (0..self.others.len() as u32).find_map(|rank| {
            let region = self.shared_of(rank)?;
            let offset = (host as u64).wrapping_sub(region.host as u64);
            let inside = offset < region.bytes && bytes <= region.bytes - offset;
            inside.then_some((rank, offset))
        })
    }

    /// The lanes whose addresses say whose shared memory they mean; judges these.
    pub(super) fn far(&mut self, judged: &Judged<'_>, at: &[u64; 32]) -> u32 {
        let far = lanes_of(judged.mask).filter(|lane| at[*lane] >> RANK_SHIFT != 0);
        let far = far.fold(0u32, |far, lane| far | 1 << lane);
        let mut rest = far;
        while rest != 0 {
            let (rank, _) = split(at[rest.trailing_zeros() as usize], self.rank);
            let same = lanes_of(rest).filter(|lane| split(at[*lane], self.rank).0 == rank);
            let mask = same.fold(0u32, |same, lane| same | 1 << lane);
            rest &= !mask;
            // Blocks that are not there are the engine's to report.
            if self.others.get(rank as usize).is_none() {
                continue;
            }
            let offsets = at.map(|at| split(at, rank).1);
            let lane = mask.trailing_zeros();
            self.reach(rank, order::with_lane(judged.tag, lane));
            self.lend(rank);
            self.shared(&Judged { mask, ..*judged }, &offsets);
            self.lend(self.rank);
        }
        far
    }

    /// The shared memory of the block of a rank is accessed, or its mbarrier used.
    pub(super) fn reach(&mut self, rank: u32, tag: Tag) {
        if rank != self.rank
            && let Some(reached) = self.reached.get_mut(rank as usize)
        {
            reached.insert(self.order.place_of(tag), tag);
        }
    }

    /// A copy that another block started is done in the shared memory of the block of a rank.
    pub(super) fn reached_by_copy(&mut self, rank: u32, tag: Tag) {
        if let Some(reached) = self.reached.get_mut(rank as usize) {
            reached.insert(self.order.place_of(tag), tag);
        }
    }

    /// The tag of what a lane does now.
    pub(super) fn tag_now(&mut self, warp: &Warp, lane: u32, instruction: u32) -> Tag {
        order::with_lane(order::tag(self.order.segment_of(warp.index), instruction), lane)
    }

    /// The block of a rank has ended. What others did with its shared memory must come before.
    pub fn left(&mut self, rank: u32) {
        let reached = std::mem::take(&mut self.reached[rank as usize]);
        let mut late: Vec<Tag> = reached.into_values().collect();
        late.retain(|tag| !self.order.known_to(*tag, rank as usize));
        late.sort_unstable();
        let kind = ReportKind::UseAfterFree;
        for tag in late {
            let instruction = order::instruction(tag);
            if self.again(kind, instruction, 0) {
                continue;
            }
            let who = self.other(tag);
            let report = Report {
                message: format!(
                    "shared memory of the block of rank {rank} of the cluster is used, and nothing keeps that block from ending before"
                ),
                help: "let the blocks of the cluster arrive and wait at its barrier after the last access, before any of them ends"
                    .to_owned(),
                block: who.block,
                thread: who.thread,
                ..self.new_report(kind, 0, 0, instruction)
            };
            self.keep(instruction, 0, report);
        }
    }
}
