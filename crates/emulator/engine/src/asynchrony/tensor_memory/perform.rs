//! What was issued is done: products, copies, shifts, and the arrivals at mbarriers.

use super::super::cluster::Cluster;
use super::super::finish::LateFault;
use super::super::mbarrier::Mbarrier;
use super::queue::{Arrival, What, Work};
use crate::event::AccessKind;
use crate::fault::{FaultKind, RawFault};
use lanework_ptx_ir::kernel::MemorySpace;

/// Does all that was issued, in order.
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
unsafe fn perform(cluster: &mut Cluster, work: &Work) -> Result<(), RawFault> {
    let (shared, memories) = (&cluster.shared, &mut cluster.tensor_memory);
    // SAFETY: the cluster's shared memory is live, as this function requires; the arrivals' addresses were checked
    // when they were issued.
    let done = unsafe {
        match &work.what {
            What::Multiply(product) => product.compute(shared, memories),
            What::Copy(copy) => copy.perform(shared, memories),
            What::Shift(shift) => {
                shift.perform(memories);
                Ok(())
            }
            What::Commit(arrivals) => {
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
unsafe fn arrive(work: &Work, at: Arrival) -> Result<(), RawFault> {
    let host = at.host.cast::<u64>();
    // SAFETY: the address was checked when the arrival was issued, and shared memory lives until the cluster ends.
    let found = unsafe { Mbarrier::from_bits(host.read()) };
    let told = match found {
        None => Err("no mbarrier is there any more".to_owned()),
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
