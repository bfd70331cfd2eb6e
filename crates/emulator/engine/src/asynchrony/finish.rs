//! Bulk copies are done: their bytes are moved, and who waits for them is told.

use super::cluster::Cluster;
use super::copies::{Copy, Finish, Move, Owner};
use super::mbarrier::Mbarrier;
use crate::alu::atomic::replace;
use crate::event::Asynchronous;
use crate::fault::{FaultKind, RawFault};
use crate::guest;
use crate::hook::Wants;
use lanework_ptx_ir::kernel::MemorySpace;

/// A fault of a copy that was done later than it was started.
pub struct LateFault {
    /// Who started the copy.
    pub owner: Owner,
    /// The instruction.
    pub origin: u32,
    /// The fault.
    pub raw: RawFault,
}

/// Does the copies of a thread's groups but for the latest `pending`.
///
/// # Errors
/// The fault of one of them.
///
/// # Safety
/// Their host addresses are live.
pub unsafe fn finish_groups(
    cluster: &mut Cluster,
    owner: Owner,
    pending: u32,
) -> Result<(), LateFault> {
    for copy in cluster.copies.take_groups(owner, pending) {
        // SAFETY: the cluster is live, as this function requires, and the copy is one that it started.
        unsafe { finish(cluster, copy) }?;
    }
    Ok(())
}

/// Does all copies in flight, in the order in which they were started, or from `first` on around.
///
/// # Errors
/// The fault of one of them.
///
/// # Safety
/// Their host addresses are live.
pub unsafe fn finish_all(cluster: &mut Cluster, first: usize) -> Result<(), LateFault> {
    let count = cluster.copies.queue.len();
    cluster.copies.queue.rotate_left(if count == 0 { 0 } else { first % count });
    while let Some(copy) = cluster.copies.queue.pop_front() {
        // SAFETY: the cluster is live, as this function requires, and the copy is one that it started.
        unsafe { finish(cluster, copy) }?;
    }
    Ok(())
}

/// # Safety
/// The copy was started by a warp of this cluster, whose blocks' memory is live.
unsafe fn finish(cluster: &mut Cluster, copy: Copy) -> Result<(), LateFault> {
    // SAFETY: the cluster is live, as this function requires; the addresses were checked when the copy was started,
    // and no block's memory is freed before the cluster ends.
    unsafe {
        match copy.what {
            Move::Run { from, to, bytes } => guest::copy(from, to, bytes),
            Move::Reduce { from, to, bytes, combine, element } => {
                for at in (0..bytes).step_by(usize::from(element)) {
                    let mut word = [0u8; 8];
                    let value = from.add(at);
                    guest::read_bytes(value, &mut word[..usize::from(element)]);
                    let value = u64::from_le_bytes(word);
                    replace(to.add(at), element, |there| combine(there, value, 0));
                }
            }
            Move::Tile(tile) => {
                tile.finish(&*cluster.memory).map_err(|(address, bytes)| LateFault {
                    owner: copy.owner,
                    origin: copy.place.instruction,
                    raw: RawFault {
                        kind: FaultKind::OutOfBounds,
                        lane: copy.owner.lane,
                        address: Some(address),
                        bytes: bytes as u32,
                        space: MemorySpace::Global,
                        access: None,
                        note: String::new(),
                    },
                })?;
            }
            Move::Value { bits, to, bytes, combine } => {
                let combine = combine.unwrap_or(|_, value, _| value);
                replace(to, bytes, |there| combine(there, bits, 0));
            }
        }
    }
    cluster.changes += 1;
    // SAFETY: the launch keeps the instrument alive, and this worker alone uses it.
    if let Some(instrument) = unsafe { cluster.hook.get(Wants::ASYNCHRONOUS) } {
        let done = Asynchronous::Done { copy: copy.id };
        instrument.asynchronous(copy.place, copy.owner.lane, done);
    }
    let Finish::Mbarrier { host, rank, offset, bytes } = copy.finish else { return Ok(()) };
    // SAFETY: the mbarrier's address was checked when the copy was started.
    let found = unsafe { Mbarrier::from_bits(host.cast::<u64>().read()) };
    let told = match found {
        None => Err("no mbarrier is there any more".to_owned()),
        Some(mut barrier) => barrier.complete_bytes(bytes).map(|()| barrier),
    };
    match told {
        // SAFETY: the mbarrier was read from this address just before.
        Ok(barrier) => unsafe { host.cast::<u64>().write(barrier.bits()) },
        Err(why) => {
            let raw = RawFault {
                kind: FaultKind::Mbarrier,
                lane: copy.owner.lane,
                address: Some(offset),
                bytes: 8,
                space: MemorySpace::Shared,
                access: None,
                note: format!(
                    "a copy of {bytes} bytes is done, but at its mbarrier, at offset {offset} of shared memory of the block of rank {rank}: {why}"
                ),
            };
            return Err(LateFault { owner: copy.owner, origin: copy.place.instruction, raw });
        }
    }
    Ok(())
}
