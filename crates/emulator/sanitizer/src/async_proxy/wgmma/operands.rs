//! Reads of shared memory by `wgmma`: through the asynchronous proxy, from issue until the wait for
//! the product's group.
//!
//! The lanes of a warp execute a product together, so their earlier writes are ordered before it.
//! The proxy fence and the order with other warps are up to the program.

use crate::access::AccessCheck;
use crate::access::cells::RunStart;
use crate::access::position::LaneAt;
use crate::async_proxy::operands::operand_runs;
use crate::async_proxy::{ByteRun, site};
use crate::races::epoch::{self, PackedEpoch};
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::vector_clock::VectorClock;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// Shared memory that a warp's product reads.
struct OperandRead {
    group: u32,
    run: ByteRun,
    read: PackedEpoch,
}

/// Operands of a cluster's products in flight.
pub struct Operands {
    /// By warp.
    reading: Vec<Vec<OperandRead>>,
    /// Clock released by completed products, by the warpgroup's first warp.
    released: Vec<VectorClock>,
}

impl Operands {
    /// For this many warps.
    pub fn new(warps: usize) -> Operands {
        let reading = (0..warps).map(|_| Vec::new()).collect();
        Operands { reading, released: vec![VectorClock::default(); warps] }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.reading.iter_mut().for_each(Vec::clear);
        self.released.iter_mut().for_each(VectorClock::clear);
    }

    /// A warp's product of a group reads these chunks of its block's shared memory.
    pub fn read(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        (instruction, group): (u32, u32),
        chunks: &[u64],
    ) {
        access.races.order.warp_sync(warp.index as usize, u32::MAX, warp.live);
        let at = LaneAt { warp: warp.index, lane: 0, instruction };
        let runs = operand_runs(access, at, chunks);
        let (rank, slot) = (access.position.rank, access.position.slot(warp.index));
        for (offset, bytes) in runs {
            let run = ByteRun::shared(rank, offset, bytes);
            access.check_proxy_fence(at, run);
            let load = site(MemorySpace::Shared, AccessKind::Load, 1);
            access.run_of_bytes(
                warp,
                (0, instruction),
                &load,
                (RunStart::Shared(rank, offset), bytes),
                0,
            );
            let read = access.packed_now(at);
            access.set_reads(run, Some(read), read | epoch::ASYNC);
            self.reading[slot].push(OperandRead { group, run, read });
        }
    }

    /// A warp has waited for its groups up to `done`: the whole warpgroup no longer reads their
    /// operands. An access after the wait of one of the four warps is ordered after the reads of
    /// all four.
    pub fn waited(&mut self, access: &mut AccessCheck, warp: u32, done: u32) {
        let position = &access.position;
        let (first, end) = (position.slot(warp & !3), position.slot(0) + position.warps);
        let (block, order) = (position.block, &mut access.races.order);
        let mut past = Vec::new();
        for reading in &mut self.reading[first..(first + 4).min(end)] {
            past.extend(reading.extract_if(.., |this| this.group <= done));
        }
        if !past.is_empty() {
            let pseudo_thread = order.product_pseudo_thread(warp as usize);
            let number = order.pseudo_thread_epoch(pseudo_thread, (block, warp));
            for this in past {
                let read = epoch::pack(number, epoch::instruction(this.read));
                access.set_reads(this.run, Some(this.read | epoch::ASYNC), read);
            }
            let clock = access.races.order.pseudo_thread_clock(pseudo_thread);
            self.released[first].join(&clock);
        }
        let all = (u32::MAX, u32::MAX);
        let released = &self.released[first];
        access.races.order.acquire_clock(warp as usize, all, AcquireSource::Lanes, released);
    }
}
