//! Bulk copies and asynchronous stores: their start, and the wait for their groups.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::alu::atomic::combine;
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::cluster::{address_in, split};
use crate::instructions::asynchrony::copies::{Finish, Transfer, finish_groups};
use crate::instructions::asynchrony::shared::{
    Shared, begin, everywhere, lanes, mbarrier_at, notify, owner, raw, shared, shared_addresses,
    shared_span, words,
};
use crate::instrument::event::{Asynchronous, Space, Span, Wants};
use crate::machine::context::Context;
use crate::machine::lanes::{addresses, fetch_cold};
use crate::machine::slot::{Lanes, Slot};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::{AddressOperand, CopyOp};
use lanework_ptx_ir::opcode::memory::AtomicOp;

/// The unit of bulk copies, in bytes.
const CHUNK: u64 = 16;

/// Starts bulk copies.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub(crate) unsafe fn start(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    copy: CopyOp,
) -> Result<bool, RawFault> {
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; `place` and `mbarrier_at`
    // check every place before it is accessed.
    unsafe {
        let size = words(warp, plan, 2);
        let mask = words(warp, plan, 4);
        let to = place_addresses(warp, plan.src[0], copy.to);
        let from = place_addresses(warp, plan.src[1], copy.from);
        let bar = match copy.barrier {
            Some(at) => shared_addresses(warp, plan.src[3], at),
            None => Lanes([0; 32]),
        };
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let bytes = u64::from(size.0[i]);
            if !bytes.is_multiple_of(CHUNK) {
                let note = format!("a bulk copy of {bytes} bytes, not a multiple of {CHUNK}");
                let place = (copy.to.space, to.0[i], bytes);
                return Err(raw(FaultKind::Misaligned, lane, place, note));
            }
            let own = std::iter::once(to.0[i]);
            let targets: Vec<u64> = match copy.multicast {
                true => everywhere(to.0[i], mask.0[i]).collect(),
                false => own.collect(),
            };
            let at = from.0[i];
            let source = place(warp, lane, copy.from.space, at, bytes)?;
            for (n, target) in targets.into_iter().enumerate() {
                let target_place = place(warp, lane, copy.to.space, target, bytes)?;
                let finish = match copy.barrier {
                    None => Finish::Group(None),
                    Some(_) => {
                        let (rank, _) = split(target, (*warp.context).rank);
                        let address = match copy.multicast {
                            true => address_in(rank, bar.0[i]),
                            false => bar.0[i],
                        };
                        let to = Shared { host: target_place, rank, offset: 0 };
                        mbarrier_at(warp, lane, address, to, bytes as u32)?
                    }
                };
                let (from, to, bytes) = (source.cast_const(), target_place, bytes as usize);
                let what = match copy.reduction {
                    None => Transfer::Run { from, to, bytes },
                    Some((atomic, element)) => {
                        Transfer::Reduce { from, to, bytes, combine: combine(atomic), element }
                    }
                };
                let span = |space, address| match space {
                    MemorySpace::Shared => {
                        let (rank, offset) = split(address, (*warp.context).rank);
                        shared_span(rank, offset, bytes as u64)
                    }
                    _ => Span { space: Space::Global, rank: 0, address, bytes: bytes as u64 },
                };
                let spans = [(copy.from.space, at), (copy.to.space, target)];
                let spans = spans.map(|(space, address)| Some(span(space, address)));
                begin(op, warp, lane, (what, finish), spans, n);
            }
        }
        Ok(true)
    }
}

/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn place_addresses(warp: &Warp, slot: Slot, at: AddressOperand) -> Lanes<u64> {
    // SAFETY: a handler of this warp passes a slot of its plan (`Body::run`), which is in the warp's register file.
    unsafe {
        match at.space {
            MemorySpace::Shared => shared_addresses(warp, slot, at),
            _ => addresses(warp, slot, at.offset as u64),
        }
    }
}

/// Checks one end of a bulk copy.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn place(
    warp: &Warp,
    lane: u32,
    space: MemorySpace,
    address: u64,
    bytes: u64,
) -> Result<*mut u8, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    unsafe {
        // A copy of no bytes needs no alignment: CUB makes such copies from and to any address.
        let align = if bytes == 0 { 1 } else { CHUNK };
        if space == MemorySpace::Shared {
            return Ok(shared(warp, lane, address, bytes, align, "bulk copy")?.host);
        }
        let at = (space, address, bytes);
        if !address.is_multiple_of(align) {
            let note =
                format!("misaligned bulk copy: address {address:#x} is not a multiple of {CHUNK}");
            return Err(raw(FaultKind::Misaligned, lane, at, note));
        }
        let context: &Context = &*warp.context;
        // A copy of 0 bytes touches no memory.
        let host = match bytes {
            0 => Some(std::ptr::null_mut()),
            _ => context.lane_host(space, warp.index, lane, address, bytes),
        };
        host.ok_or_else(|| RawFault { access: None, ..raw(FaultKind::OutOfBounds, lane, at, "") })
    }
}

/// `st.async` and `red.async`.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub(crate) unsafe fn store(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    (bytes, reduction, everywhere): (u8, Option<AtomicOp>, bool),
    to: AddressOperand,
    barrier: AddressOperand,
) -> Result<bool, RawFault> {
    let values = &plan.src[2..];
    let combine = reduction.map(combine);
    let all = u64::from(bytes) * values.len() as u64;
    // SAFETY: the plan's slots are in this warp's register file, as this function requires; `shared` and `mbarrier_at`
    // check every place before it is accessed.
    unsafe {
        let at = shared_addresses(warp, plan.src[0], to);
        let bar = shared_addresses(warp, plan.src[1], barrier);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let targets: Vec<(u64, u64)> = match everywhere {
                false => vec![(at.0[i], bar.0[i])],
                true => (0..(*(*warp.context).cluster).shared.len() as u32)
                    .map(|rank| (address_in(rank, at.0[i]), address_in(rank, bar.0[i])))
                    .collect(),
            };
            for (target, (at, bar)) in targets.into_iter().enumerate() {
                let place = shared(warp, lane, at, all, all, "asynchronous store")?;
                for (n, slot) in values.iter().enumerate() {
                    let bits = fetch_cold::<u64>(warp, *slot).0[i];
                    let to = place.host.add(n * usize::from(bytes));
                    let what = Transfer::Value { bits, to, bytes, combine };
                    let finish = mbarrier_at(warp, lane, bar, place, bytes.into())?;
                    let skip = n as u64 * u64::from(bytes);
                    let span = shared_span(place.rank, place.offset + skip, bytes.into());
                    let number = target * values.len() + n;
                    begin(op, warp, lane, (what, finish), [None, Some(span)], number);
                }
            }
        }
        Ok(true)
    }
}

/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn commit(op: &Op, warp: &mut Warp) -> Result<bool, RawFault> {
    for lane in lanes(warp.mask) {
        // SAFETY: the worker owns the context, and the executor the cluster, for as long as their warps run
        // (`Body::run`).
        unsafe {
            let owner = owner(warp, lane);
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                instrument.bulk_commit(warp.index, lane);
            }
            (*(*warp.context).cluster).copies.commit(owner);
            notify(op, warp, lane, Asynchronous::Committed);
        }
    }
    Ok(true)
}

/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn wait_group(
    op: &Op,
    warp: &mut Warp,
    pending: u32,
    read: bool,
) -> Result<bool, RawFault> {
    for lane in lanes(warp.mask) {
        // SAFETY: the context and its cluster outlive the warp's run, and so does all that copies
        // in flight touch.
        unsafe {
            let owner = owner(warp, lane);
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                instrument.bulk_wait(warp.index, lane, pending, read);
            }
            let cluster = &mut *(*warp.context).cluster;
            finish_groups(cluster, owner, pending).map_err(|late| late.raw)?;
            notify(op, warp, lane, Asynchronous::GroupsWaited { pending });
        }
    }
    Ok(true)
}
