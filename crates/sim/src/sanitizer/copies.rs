//! `cp.async`: what is copied is there only once its thread has waited.

use super::bulk::Landing;
use super::checker::Checker;
use super::order;
use crate::engine::context::Site;
use crate::engine::event::AccessKind;
use crate::engine::op::Warp;
use lanework_ptx_ir::access_class::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;

/// A copy under way.
struct Copy {
    lane: u32,
    /// How many groups its thread had committed before it.
    group: u32,
    offset: u64,
    bytes: u64,
    tag: order::Tag,
}

/// The copies of a block's warps.
pub struct Copies {
    pending: Vec<Vec<Copy>>,
    committed: Vec<[u32; 32]>,
}

impl Copies {
    /// For blocks of this many warps.
    pub fn new(warps: usize) -> Copies {
        let pending = (0..warps).map(|_| Vec::new()).collect();
        Copies { pending, committed: vec![[0; 32]; warps] }
    }

    /// A block starts.
    pub fn start(&mut self) {
        self.pending.iter_mut().for_each(Vec::clear);
        self.committed.fill([0; 32]);
    }
}

/// The site of an access that is not an instruction's own.
pub fn site(space: MemorySpace, kind: AccessKind, bytes: u32) -> Site {
    Site::aside(space, kind, bytes as u8, AccessClass::default())
}

impl Checker {
    /// A thread's copies under way, to be handed over by an mbarrier.
    pub(super) fn copies_of(&mut self, warp: u32, lane: u32) -> Vec<Landing> {
        let pending = &mut self.copies.pending[self.rank as usize * self.warps + warp as usize];
        let mine = pending.extract_if(.., |copy| copy.lane == lane);
        let (rank, by) = (self.rank, (self.block, warp));
        mine.map(|c| Landing { rank, offset: c.offset, bytes: c.bytes, tag: c.tag, by }).collect()
    }

    /// A warp starts copies of `bytes` bytes from global to shared memory; lanes that have less read
    /// less.
    pub fn copy(
        &mut self,
        warp: &mut Warp,
        instruction: u32,
        bytes: u32,
        [to, from]: [&[u64; 32]; 2],
        have: &[u32; 32],
    ) {
        let copying = warp.mask;
        let reading =
            (0..32).filter(|lane| have[*lane] > 0).fold(0, |mask, lane| mask | 1u32 << lane);
        warp.mask = copying & reading;
        if warp.mask != 0 {
            let source = site(MemorySpace::Global, AccessKind::Load, bytes);
            self.access(warp, instruction, &source, from);
        }
        warp.mask = copying;
        let target = site(MemorySpace::Shared, AccessKind::Store, bytes);
        self.access(warp, instruction, &target, to);
        let w = self.slot(warp.index);
        let tag = order::tag(self.order.segment_of(warp.index), instruction) | order::ASYNC;
        for lane in (0..32u32).filter(|lane| copying >> lane & 1 != 0) {
            let (offset, bytes) = (to[lane as usize], u64::from(bytes));
            if offset >= self.shared_bytes() || bytes > self.shared_bytes() - offset {
                continue;
            }
            let tag = order::with_lane(tag, lane);
            self.retag(offset, bytes, None, tag);
            let group = self.copies.committed[w][lane as usize];
            self.copies.pending[w].push(Copy { lane, group, offset, bytes, tag });
        }
    }

    /// Gives cells another tag; only those that have the tag `from`, where one is given.
    pub(super) fn retag(
        &mut self,
        offset: u64,
        bytes: u64,
        from: Option<order::Tag>,
        to: order::Tag,
    ) {
        let grain = self.shared_cells.grain();
        let mut at = offset;
        while at < offset + bytes {
            self.shared_cells.change(at, |cell| {
                if from.is_none_or(|from| cell.written_by() == from) {
                    cell.set_write(to);
                }
            });
            at += grain;
        }
    }

    /// Gives cells a reader, in the place of `from` where that is one.
    pub(super) fn tag_readers(
        &mut self,
        offset: u64,
        bytes: u64,
        from: Option<order::Tag>,
        tag: order::Tag,
    ) {
        let grain = self.shared_cells.grain();
        let mut at = offset;
        while at < offset + bytes {
            self.shared_cells.change(at, |cell| match from {
                Some(from) => cell.replace_reader(from, tag),
                None => cell.set_reader(tag),
            });
            at += grain;
        }
    }

    /// Threads commit what they have started.
    pub fn commit(&mut self, warp: &Warp) {
        let w = self.slot(warp.index);
        let committed = &mut self.copies.committed[w];
        for (lane, groups) in committed.iter_mut().enumerate() {
            *groups += warp.mask >> lane & 1;
        }
    }

    /// Threads wait for all groups but the last `keep`; `u32::MAX` waits for everything.
    pub fn wait(&mut self, warp: &Warp, keep: u32) {
        let w = self.slot(warp.index);
        let committed = self.copies.committed[w];
        let pending = std::mem::take(&mut self.copies.pending[w]);
        let (done, rest): (Vec<_>, Vec<_>) = pending.into_iter().partition(|copy| {
            let groups = committed[copy.lane as usize];
            let finished = keep == u32::MAX || copy.group + keep < groups;
            warp.mask >> copy.lane & 1 != 0 && finished
        });
        self.copies.pending[w] = rest;
        let segment = self.order.segment_of(warp.index);
        for copy in done {
            let tag = order::tag(segment, order::instruction(copy.tag));
            let tag = order::with_lane(tag, copy.lane);
            self.retag(copy.offset, copy.bytes, Some(copy.tag), tag);
        }
    }
}
