//! The queue of products, copies, shifts and arrivals, in the order in which they were issued.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::cluster::Cluster;
use crate::instructions::asynchrony::copies::{LateFault, Owner};
use crate::instructions::asynchrony::mbarrier::Mbarrier;
use crate::instructions::asynchrony::shared::{
    everywhere, lanes, raw, shared, shared_addresses, words,
};
use crate::instructions::tensor_memory::access::{Product, RowCopy, RowShift};
use crate::instructions::tensor_memory::issue;
use crate::instrument::event::{AccessKind, Place, Wants};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::AddressOperand;
use std::collections::VecDeque;
use std::ops::Range;

/// An mbarrier that a commit signals.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Its host address.
    pub host: *mut u8,
    /// The rank of the block whose shared memory holds it.
    pub rank: u32,
    /// Its offset there.
    pub offset: u64,
}

/// The operation.
pub enum QueuedOperation {
    /// A product.
    Multiply(Box<Product>),
    /// A copy from shared memory.
    Copy(RowCopy),
    /// A shift of rows.
    Shift(RowShift),
    /// Arrivals at mbarriers.
    Commit(Vec<Arrival>),
}

impl QueuedOperation {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            QueuedOperation::Multiply(_) => "`tcgen05.mma`",
            QueuedOperation::Copy(_) => "`tcgen05.cp`",
            QueuedOperation::Shift(_) => "`tcgen05.shift`",
            QueuedOperation::Commit(_) => "`tcgen05.commit`",
        }
    }

    /// The blocks whose tensor memory it touches.
    fn ranks(&self) -> &[usize] {
        match self {
            QueuedOperation::Multiply(product) => &product.ranks,
            QueuedOperation::Copy(copy) => &copy.ranks,
            QueuedOperation::Shift(shift) => &shift.ranks,
            QueuedOperation::Commit(_) => &[],
        }
    }
}

/// A queued operation, and the thread that issued it.
pub struct QueuedTask {
    /// The operation.
    pub what: QueuedOperation,
    /// Columns of tensor memory that it uses.
    pub columns: Vec<Range<u32>>,
    /// The thread that issued it.
    pub owner: Owner,
    /// The place of its instruction.
    pub place: Place,
}

/// The queue of a cluster.
#[derive(Default)]
pub struct TensorWork {
    queue: VecDeque<QueuedTask>,
}

impl TensorWork {
    /// Forgets the operations of the last cluster.
    pub fn start(&mut self) {
        self.queue.clear();
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Queues an operation.
    pub fn push(&mut self, work: QueuedTask) {
        self.queue.push_back(work);
    }

    /// Takes the next operation.
    pub fn pop(&mut self) -> Option<QueuedTask> {
        self.queue.pop_front()
    }

    /// The name of a queued operation that still uses columns of a block's tensor memory.
    pub fn of(&self, rank: usize, columns: Range<u32>) -> Option<&'static str> {
        let overlaps = |of: &Range<u32>| of.start < columns.end && columns.start < of.end;
        let uses = |work: &&QueuedTask| {
            work.what.ranks().contains(&rank) && work.columns.iter().any(overlaps)
        };
        self.queue.iter().find(uses).map(|work| work.what.name())
    }
}

/// Performs all issued operations, in order.
///
/// # Errors
/// The fault of one of them.
///
/// # Safety
/// The shared memory of the cluster's blocks is live.
pub unsafe fn perform_all(cluster: &mut Cluster) -> Result<(), LateFault> {
    while let Some(work) = cluster.tensor_work.pop() {
        cluster.changes += 1;
        // SAFETY: the cluster is live, as this function requires, and the work is its own.
        unsafe { perform(cluster, &work) }.map_err(|raw| LateFault {
            owner: work.owner,
            origin: work.place.instruction,
            raw,
        })?;
    }
    Ok(())
}

/// # Safety
/// The shared memory of the cluster's blocks is live.
unsafe fn perform(cluster: &mut Cluster, work: &QueuedTask) -> Result<(), RawFault> {
    let (shared, memories) = (&cluster.shared, &mut cluster.tensor_memory);
    // SAFETY: the cluster's shared memory is live, as this function requires; the arrivals' addresses were checked
    // when they were issued.
    let done = unsafe {
        match &work.what {
            QueuedOperation::Multiply(product) => product.compute(shared, memories),
            QueuedOperation::Copy(copy) => copy.perform(shared, memories),
            QueuedOperation::Shift(shift) => {
                shift.perform(memories);
                Ok(())
            }
            QueuedOperation::Commit(arrivals) => {
                for arrival in arrivals {
                    arrive(work, *arrival)?;
                }
                Ok(())
            }
        }
    };
    done.map_err(|(rank, address)| RawFault {
        kind: FaultKind::OutOfBounds,
        lane: work.owner.lane,
        address: Some(address),
        bytes: 16,
        space: MemorySpace::Shared,
        access: Some(AccessKind::Load),
        note: match rank == work.owner.rank as usize {
            true => String::new(),
            false => format!("in the block of rank {rank}"),
        },
    })
}

/// A commit arrives at an mbarrier.
///
/// # Safety
/// The shared memory of the cluster's blocks is live.
unsafe fn arrive(work: &QueuedTask, at: Arrival) -> Result<(), RawFault> {
    let host = at.host.cast::<u64>();
    // SAFETY: the address was checked when the arrival was issued, and shared memory lives until the cluster ends.
    let found = unsafe { Mbarrier::from_bits(host.read()) };
    let told = match found {
        None => Err("the mbarrier no longer exists".to_owned()),
        Some(mut barrier) => barrier.arrive(1).map(|()| barrier),
    };
    let barrier = told.map_err(|why| RawFault {
        kind: FaultKind::Mbarrier,
        lane: work.owner.lane,
        address: Some(at.offset),
        bytes: 8,
        space: MemorySpace::Shared,
        access: None,
        note: format!(
            "a `tcgen05.commit` arrives at its mbarrier, at offset {} of shared memory of the block of rank {}: {why}",
            at.offset, at.rank
        ),
    })?;
    // SAFETY: the address was checked when the arrival was issued, and shared memory lives until the cluster ends.
    unsafe { host.write(barrier.bits()) };
    Ok(())
}

/// Checks the mbarriers of each executing lane, and queues their arrivals.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn commit(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    barrier: AddressOperand,
    multicast: bool,
) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are registers of this warp, whose context is live, as this function requires; `shared`
    // checks the mbarrier before it is read.
    unsafe {
        let address = shared_addresses(warp, plan.src[0], barrier);
        let mask = words(warp, plan, 1);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let at = address.0[i];
            let targets: Vec<u64> = match multicast {
                true => everywhere(at, mask.0[i]).collect(),
                false => vec![at],
            };
            let mut arrivals = Vec::new();
            for at in targets {
                let place = shared(warp, lane, at, 8, 8, "mbarrier")?;
                if Mbarrier::from_bits(place.host.cast::<u64>().read()).is_none() {
                    let note = format!(
                        "mbarrier at shared address {at:#x}: it is not initialized; run `mbarrier.init` and a barrier first"
                    );
                    let place = (MemorySpace::Shared, at, 8);
                    return Err(raw(FaultKind::NoMbarrier, lane, place, note));
                }
                let arrival = Arrival { host: place.host, rank: place.rank, offset: place.offset };
                arrivals.push(arrival);
            }
            let instruction = (*warp.context).place(warp, op).instruction;
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                let of: Vec<(u32, u64)> = arrivals.iter().map(|a| (a.rank, a.offset)).collect();
                instrument.tensor_commit(warp, (lane, instruction), &of);
            }
            issue(op, warp, lane, QueuedOperation::Commit(arrivals), Vec::new());
        }
        Ok(true)
    }
}
