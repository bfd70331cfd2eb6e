//! Bulk copies and mbarriers: what a phase hands over, and to whom.
//!
//! The copies that complete an mbarrier's phase count as one more warp of the block, an agent: what
//! they wrote comes before whoever has waited for the phase, and so does what the threads did that
//! arrived. A bulk copy reads and writes by the asynchronous proxy: what threads wrote before must have
//! been fenced by `fence.proxy.async`, in the writing thread or in the one that starts the copy.

use super::checker::Checker;
use super::copies::site;
use super::order::{self, Tag};
use super::report::{Report, ReportKind};
use crate::engine::asynchrony::mbarrier::Mbarrier;
use crate::engine::context::Site;
use crate::engine::event::{AccessKind, Moved, Run};
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::{MemorySpace, Order, Scope};
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::collections::HashMap;

/// Shared memory that a copy is writing.
pub struct Landing {
    /// Of the block of which rank.
    pub rank: u32,
    /// Where.
    pub offset: u64,
    /// How much.
    pub bytes: u64,
    /// The tag of its cells.
    pub tag: Tag,
    /// The block and the warp that started it.
    pub by: (u64, u32),
}

/// What is known of an mbarrier.
#[derive(Default)]
struct Phase {
    parity: bool,
    agent: usize,
    /// Who made it.
    made: Tag,
    /// What those know who have arrived in this phase.
    gathered: Vec<u32>,
    /// What the phases that have ended hand over.
    handed: Vec<u32>,
    landing: Vec<Landing>,
}

/// Shared memory that a copy is reading.
struct Leaving {
    lane: u32,
    group: u32,
    offset: u64,
    bytes: u64,
    origin: u32,
}

/// The bulk copies and mbarriers of a block.
pub struct Bulk {
    /// By rank of the block and offset in its shared memory.
    phases: HashMap<(u32, u64), Phase>,
    leaving: Vec<Vec<Leaving>>,
    committed: Vec<[u32; 32]>,
}

impl Bulk {
    /// For blocks of this many warps.
    pub fn new(warps: usize) -> Bulk {
        let leaving = (0..warps).map(|_| Vec::new()).collect();
        Bulk { phases: HashMap::new(), leaving, committed: vec![[0; 32]; warps] }
    }

    /// A block starts.
    pub fn start(&mut self) {
        self.phases.clear();
        self.leaving.iter_mut().for_each(Vec::clear);
        self.committed.fill([0; 32]);
    }
}

impl Checker {
    /// A lane starts a copy; an mbarrier of a block at an offset of its shared memory is told, or the
    /// thread's group.
    pub fn bulk(
        &mut self,
        warp: &Warp,
        place: (u32, u32),
        moved: Moved,
        mbarrier: Option<(u32, u64)>,
    ) {
        // The copy engine combines as relaxed atomics of the whole device do.
        let target = |space| match moved.combines {
            true => {
                let order = Order { strong: Some(Scope::Device), ..Order::default() };
                Site { order, ..site(space, AccessKind::Atomic, 1) }
            }
            false => site(space, AccessKind::Store, 1),
        };
        let loads = moved.reads.is_none();
        for (address, bytes) in moved.global {
            let site = match loads {
                true => site(MemorySpace::Global, AccessKind::Load, 1),
                false => target(MemorySpace::Global),
            };
            self.stretch(warp, place, &site, address, bytes);
        }
        if let Some((from, bytes)) = moved.reads {
            self.copy_reads(warp, place, (from, bytes));
        }
        let Some((to, bytes)) = moved.writes else { return };
        let Some((rank, offset)) = self.shared_place(to, bytes) else {
            if let Some(address) = self.global_address(to) {
                self.stretch(warp, place, &target(MemorySpace::Global), address, bytes);
            }
            return;
        };
        self.lend(rank);
        self.stretch(warp, place, &target(MemorySpace::Shared), offset, bytes);
        let strong = if moved.combines { order::STRONG | order::WIDE_SCOPE } else { 0 };
        let tag = self.tag_now(warp, place.0, place.1) | order::ASYNC | strong;
        self.retag(offset, bytes, None, tag);
        self.lend(self.rank);
        if let Some((of, at)) = mbarrier {
            let by = (self.block, warp.index);
            self.phase(of, at).landing.push(Landing { rank, offset, bytes, tag, by });
        }
    }

    /// A copy reads some bytes.
    fn copy_reads(&mut self, warp: &Warp, (lane, origin): (u32, u32), (from, bytes): Run) {
        let place = (lane, origin);
        match self.shared_place(from, bytes) {
            // Copies read shared memory of their own block only.
            Some((_, offset)) => {
                self.unfenced(warp, lane, origin, (offset, bytes));
                let load = site(MemorySpace::Shared, AccessKind::Load, 1);
                self.stretch(warp, place, &load, offset, bytes);
                self.leave(warp, lane, origin, (offset, bytes));
            }
            None => {
                if let Some(address) = self.global_address(from) {
                    let load = site(MemorySpace::Global, AccessKind::Load, 1);
                    self.stretch(warp, place, &load, address, bytes);
                }
            }
        }
    }

    fn phase(&mut self, rank: u32, offset: u64) -> &mut Phase {
        let next = self.bulk.phases.len() % order::AGENTS;
        self.bulk
            .phases
            .entry((rank, offset))
            .or_insert_with(|| Phase { agent: next, ..Phase::default() })
    }

    /// A lane's instruction on an mbarrier of a block, before it is done.
    pub fn mbarrier(
        &mut self,
        warp: &Warp,
        (lane, instruction): (u32, u32),
        what: MbarrierOp,
        (rank, offset): (u32, u64),
    ) {
        let w = warp.index as usize;
        let tag = self.tag_now(warp, lane, instruction);
        if what != MbarrierOp::Init {
            self.mbarrier_made(warp, (lane, instruction), (rank, offset));
            self.reach(rank, tag);
        }
        match what {
            MbarrierOp::Init => self.mbarrier_init((rank, offset), tag),
            MbarrierOp::Arrive { .. } => self.mbarrier_arrive(w, (rank, offset)),
            MbarrierOp::CopyArrive { .. } => {
                self.mbarrier_arrive(w, (rank, offset));
                let landing = self.copies_of(warp.index, lane);
                self.phase(rank, offset).landing.extend(landing);
            }
            _ => self.mbarrier_look(rank, offset),
        }
    }

    /// An mbarrier is made.
    fn mbarrier_init(&mut self, (rank, offset): (u32, u64), made: Tag) {
        self.lend(rank);
        self.mark_shared(offset, 8);
        self.lend(self.rank);
        let agent = self.phase(rank, offset).agent;
        self.bulk.phases.insert((rank, offset), Phase { agent, made, ..Phase::default() });
    }

    /// Whoever uses an mbarrier must come after who made it.
    fn mbarrier_made(
        &mut self,
        warp: &Warp,
        (lane, origin): (u32, u32),
        (rank, offset): (u32, u64),
    ) {
        let made = self.phase(rank, offset).made;
        let of_cluster = order::segment(made) >= self.order.base();
        if !of_cluster || self.order.before(made, warp.index, lane) {
            return;
        }
        let (kind, other) = (ReportKind::Race, order::instruction(made));
        if self.again(kind, origin, other) {
            return;
        }
        let (whose, barrier) = match rank == self.rank {
            true => (String::new(), "a barrier between the two (`__syncthreads`, `sync_threads`)"),
            false => {
                (format!(" of the block of rank {rank}"), "the cluster's barrier between the two")
            }
        };
        let report = Report {
            message: format!(
                "race in shared memory: the mbarrier at offset {offset}{whose} is used, and nothing orders that after its initialisation by another thread"
            ),
            help: format!("put {barrier}: only then is the mbarrier there for all"),
            other: Some(self.other(made)),
            address: Some(offset),
            size: 8,
            ..self.new_report(kind, warp.index, lane, origin)
        };
        self.keep(origin, other, report);
    }

    /// Looks whether an mbarrier's phase has ended since it was looked at last.
    fn mbarrier_look(&mut self, rank: u32, offset: u64) {
        self.lend(rank);
        let at = self.shared_at(offset);
        self.lend(self.rank);
        // SAFETY: the engine has checked that an mbarrier's 8 bytes lie in shared memory.
        let bits = unsafe { at.cast::<u64>().read_unaligned() };
        let Some(now) = Mbarrier::from_bits(bits) else { return };
        let phase = self.phase(rank, offset);
        if phase.parity == now.parity {
            return;
        }
        phase.parity = now.parity;
        let gathered = std::mem::take(&mut phase.gathered);
        order::join(&mut phase.handed, &gathered);
        let landing = std::mem::take(&mut phase.landing);
        if landing.is_empty() {
            return;
        }
        let agent = phase.agent;
        for copy in landing {
            let segment = self.order.agent_segment(agent, copy.by);
            let tag = order::tag(segment, order::instruction(copy.tag));
            let tag = order::with_lane(tag, order::lane(copy.tag));
            if self.blocks.get(copy.rank as usize) != Some(&copy.by.0) {
                self.reached_by_copy(copy.rank, tag);
            }
            self.lend(copy.rank);
            self.retag(copy.offset, copy.bytes, Some(copy.tag), tag);
            self.lend(self.rank);
        }
        let row = self.order.agent_row(agent);
        order::join(&mut self.phase(rank, offset).handed, &row);
    }

    /// A thread arrives at an mbarrier; call it before the arrival counts.
    fn mbarrier_arrive(&mut self, w: usize, (rank, offset): (u32, u64)) {
        self.mbarrier_look(rank, offset);
        let row = self.order.hand_over(w);
        order::join(&mut self.phase(rank, offset).gathered, &row);
    }

    /// A thread has waited for an mbarrier's phase.
    pub fn mbarrier_waited(&mut self, warp: &Warp, at: (u32, u32), (rank, offset): (u32, u64)) {
        let w = warp.index as usize;
        self.mbarrier_made(warp, at, (rank, offset));
        self.mbarrier_look(rank, offset);
        let handed = std::mem::take(&mut self.phase(rank, offset).handed);
        self.order.take_over(w, &handed);
        self.phase(rank, offset).handed = handed;
    }

    /// Shared memory that a copy reads while threads wrote it without a fence between the proxies.
    pub fn unfenced(&mut self, warp: &Warp, lane: u32, origin: u32, (offset, bytes): (u64, u64)) {
        let (grain, base) = (self.shared_cells.grain(), self.order.base());
        let mut at = offset;
        while at < offset + bytes {
            let written = self.shared_cells.at(at).written_by();
            at += grain;
            let plain = written & order::ASYNC == 0 && order::segment(written) >= base;
            if !plain || self.order.proxy_fenced(written, warp.index as usize) {
                continue;
            }
            let (kind, other) = (ReportKind::AsyncOrder, order::instruction(written));
            if self.again(kind, origin, other) {
                return;
            }
            let report = Report {
                message: format!(
                    "a thread wrote {bytes} bytes of shared memory by the generic proxy that are now read by the asynchronous one, with no fence between"
                ),
                help: "run `fence.proxy.async` in the threads that write, before the barrier that orders \
                       them with the copy"
                    .to_owned(),
                other: Some(self.other(written)),
                address: Some(offset),
                size: bytes as u32,
                ..self.new_report(kind, warp.index, lane, origin)
            };
            return self.keep(origin, other, report);
        }
    }

    /// Shared memory is being read until the thread has waited for the group.
    fn leave(&mut self, warp: &Warp, lane: u32, origin: u32, (offset, bytes): (u64, u64)) {
        let segment = self.order.segment_of(warp.index);
        let tag = order::with_lane(order::tag(segment, origin), lane) | order::ASYNC;
        self.tag_readers(offset, bytes, None, tag);
        let w = self.slot(warp.index);
        let group = self.bulk.committed[w][lane as usize];
        self.bulk.leaving[w].push(Leaving { lane, group, offset, bytes, origin });
    }

    /// A thread makes a bulk group.
    pub fn bulk_commit(&mut self, warp: u32, lane: u32) {
        let w = self.slot(warp);
        self.bulk.committed[w][lane as usize] += 1;
    }

    /// A thread waits for its bulk groups but for the latest `keep`.
    pub fn bulk_wait(&mut self, warp: u32, lane: u32, keep: u32) {
        let w = self.slot(warp);
        let committed = self.bulk.committed[w][lane as usize];
        let leaving = std::mem::take(&mut self.bulk.leaving[w]);
        let (done, rest): (Vec<_>, Vec<_>) = leaving
            .into_iter()
            .partition(|copy| copy.lane == lane && copy.group.saturating_add(keep) < committed);
        self.bulk.leaving[w] = rest;
        let segment = self.order.segment_of(warp);
        for copy in done {
            let tag = order::with_lane(order::tag(segment, copy.origin), lane);
            self.tag_readers(copy.offset, copy.bytes, None, tag);
        }
    }
}
