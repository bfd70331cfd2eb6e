//! Helpers of asynchronous instructions: operands, places in shared memory, and starting copies.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::cluster::split;
use crate::instructions::asynchrony::copies::{Copy, Finish, Owner, Transfer};
use crate::instructions::asynchrony::mbarrier::Mbarrier;
use crate::instrument::event::{AccessKind, Asynchronous, Phase, Space, Span, Wants};
use crate::machine::context::Context;
use crate::machine::lanes::{addresses, fetch_cold};
use crate::machine::slot::{Lanes, Slot};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::memory_layout::{SHARED_WINDOW, WINDOW};
use lanework_ptx_ir::opcode::asynchrony::AddressOperand;

/// The active lanes, lowest first.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// A 32-bit operand of all lanes.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub(crate) unsafe fn words(warp: &Warp, plan: &Plan, i: usize) -> Lanes<u32> {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    unsafe { fetch_cold::<u32>(warp, plan.src[i]) }
}

/// A fault of one lane.
pub(crate) fn raw(
    kind: FaultKind,
    lane: u32,
    (space, address, bytes): (MemorySpace, u64, u64),
    note: impl Into<String>,
) -> RawFault {
    RawFault {
        kind,
        lane,
        address: Some(address),
        bytes: bytes as u32,
        space,
        access: Some(AccessKind::Atomic),
        note: note.into(),
    }
}

/// A place in the shared memory of a block of the cluster.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    /// Its host address.
    pub host: *mut u8,
    /// The rank of its block.
    pub rank: u32,
    /// Its offset there.
    pub offset: u64,
}

/// The address of each lane as one of shared memory, whatever the operand's space; subtracts the base of the
/// shared window from generic addresses.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn shared_addresses(warp: &Warp, slot: Slot, at: AddressOperand) -> Lanes<u64> {
    // SAFETY: a handler of this warp passes a slot of its plan (`Body::run`), which is in the warp's register file.
    let mut found = unsafe { addresses(warp, slot, at.offset as u64) };
    if at.space == MemorySpace::Generic {
        for address in &mut found.0 {
            let inside = address.wrapping_sub(SHARED_WINDOW);
            *address = if inside < WINDOW { inside } else { u64::MAX };
        }
    }
    found
}

/// Checks a place in shared memory for `bytes` bytes at a multiple of `align`.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn shared(
    warp: &Warp,
    lane: u32,
    address: u64,
    bytes: u64,
    align: u64,
    what: &str,
) -> Result<Shared, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    let context: &Context = unsafe { &*warp.context };
    let place = (MemorySpace::Shared, address, bytes);
    if !address.is_multiple_of(align) && address != u64::MAX {
        let note =
            format!("misaligned {what}: shared address {address:#x} is not a multiple of {align}");
        return Err(raw(FaultKind::Misaligned, lane, place, note));
    }
    let host = context.lane_host(MemorySpace::Shared, warp.index, lane, address, bytes);
    let Some(host) = host else {
        let mut out = raw(FaultKind::OutOfBounds, lane, place, "");
        out.access = None;
        return Err(out);
    };
    let (rank, offset) = split(address, context.rank);
    Ok(Shared { host, rank, offset })
}

/// The thread of a lane.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn owner(warp: &Warp, lane: u32) -> Owner {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    Owner { rank: unsafe { (*warp.context).rank }, warp: warp.index, lane }
}

/// The mbarrier that a copy to `to` signals, which must be in the same block.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn mbarrier_at(
    warp: &Warp,
    lane: u32,
    address: u64,
    to: Shared,
    bytes: u32,
) -> Result<Finish, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`), as this function requires.
    let found = unsafe { shared(warp, lane, address, 8, 8, "mbarrier") }?;
    if found.rank != to.rank {
        let note = format!(
            "the copy goes to the block of rank {}, its mbarrier is in that of rank {}",
            to.rank, found.rank
        );
        return Err(raw(FaultKind::Mbarrier, lane, (MemorySpace::Shared, address, 8), note));
    }
    Ok(Finish::Mbarrier { host: found.host, rank: found.rank, offset: found.offset, bytes })
}

/// The addresses of one offset in each target block of a multicast.
pub(crate) fn everywhere(address: u64, mask: u32) -> impl Iterator<Item = u64> {
    lanes(mask & 0xffff)
        .map(move |rank| crate::instructions::asynchrony::cluster::address_in(rank, address))
}

/// Notifies the instrument.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
#[inline]
pub(crate) unsafe fn notify(op: &Op, warp: &Warp, lane: u32, event: Asynchronous) {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    unsafe {
        let place = (*warp.context).place(warp, op);
        if let Some(instrument) = (*warp.context).instrument(Wants::ASYNCHRONOUS) {
            instrument.asynchronous(place, lane, event);
        }
    }
}

/// Shared memory, as reported to an instrument.
pub(crate) fn shared_span(rank: u32, address: u64, bytes: u64) -> Span {
    Span { space: Space::Shared, rank, address, bytes }
}

/// Starts a copy and reports it; `target` counts the targets of one copy.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn begin(
    op: &Op,
    warp: &Warp,
    lane: u32,
    (what, finish): (Transfer, Finish),
    [from, to]: [Option<Span>; 2],
    target: usize,
) {
    // SAFETY: the context and its cluster outlive the warp's run; the mbarrier was checked.
    unsafe {
        let (owner, place) = (owner(warp, lane), (*warp.context).place(warp, op));
        if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
            let mbarrier = match finish {
                Finish::Mbarrier { rank, offset, .. } => Some((rank, offset)),
                Finish::Group(_) => None,
            };
            instrument.bulk_copy(warp, (lane, place.instruction), what.moved(), mbarrier);
        }
        if let Some(instrument) = (*warp.context).instrument(Wants::COUNTS) {
            instrument.bulk_traffic(place, &what.traffic([from, to], target == 0));
        }
        let cluster = &mut *(*warp.context).cluster;
        cluster.changes += 1;
        let id = cluster.copies.next_id();
        if cluster.hook.wants(Wants::ASYNCHRONOUS) {
            let phase = match finish {
                Finish::Mbarrier { host, rank, offset, .. } => {
                    Mbarrier::from_bits(host.cast::<u64>().read()).map(|this| Phase {
                        rank,
                        offset,
                        parity: this.parity,
                    })
                }
                Finish::Group(_) => None,
            };
            notify(op, warp, lane, Asynchronous::Started { copy: id, from, to, phase });
        }
        cluster.copies.push(Copy { what, finish, owner, place, id });
    }
}
