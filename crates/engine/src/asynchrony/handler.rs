//! The handler of all asynchronous instructions: lane after lane, as their operands differ.

use super::cluster::split;
use super::copies::{Copy, Finish, Move, Owner, finish_groups};
use super::mbarrier::Mbarrier;
use super::{Plan, sync, tensor};
use crate::access::addresses;
use crate::alu::atomic::combine;
use crate::context::{Context, RawFault, fault};
use crate::event::{AccessKind, Asynchronous, Phase, Space, Span};
use crate::fault::FaultKind;
use crate::instrument::Wants;
use crate::lanes::{Lanes, Slot, fetch_cold};
use crate::op::{Body, Op, Stop, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, At, CopyOp};
use lanework_ptx_ir::opcode::atomic::AtomicOp;
use lanework_ptx_ir::window::{SHARED_WINDOW, WINDOW};

/// Bytes that bulk copies are counted in.
const CHUNK: u64 = 16;

/// Any instruction of this family.
pub struct Async;

impl Body for Async {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a plan that lives as long as the code; its slots are
        // valid by the assembler.
        unsafe {
            let plan = &*std::ptr::with_exposed_provenance::<Plan>(op.imm as usize);
            let done = match plan.op {
                AsyncOp::Mbarrier(what, at) => sync::mbarrier(op, warp, plan, what, at),
                AsyncOp::ClusterArrive { aligned } => sync::arrive(warp, aligned),
                AsyncOp::ClusterWait { aligned } => sync::wait(warp, aligned),
                AsyncOp::Copy(copy) => start(op, warp, plan, copy),
                AsyncOp::Tensor(tensor) => tensor::start(op, warp, plan, tensor),
                AsyncOp::Store { bytes, reduction, to, barrier } => {
                    let form = (bytes, reduction);
                    store(op, warp, plan, form, to, barrier)
                }
                AsyncOp::ProductCommit => Ok(true),
                AsyncOp::ProductWait if warp.mask != u32::MAX => {
                    Err(crate::matrix::incomplete(warp))
                }
                AsyncOp::ProductWait => crate::matrix::group::wait(warp),
                AsyncOp::Commit => commit(op, warp),
                AsyncOp::WaitGroup { pending } => wait_group(op, warp, pending),
            };
            match done {
                Ok(true) => op.next(warp),
                Ok(false) => warp.stop_at(op, Stop::Wait),
                Err(raw) => fault(warp, op, raw),
            }
        }
    }
}

/// What a warp waits for at an operation where it stopped with [`Stop::Wait`], in words.
///
/// # Safety
/// The warp stopped at `op` in this way, and its context is live.
pub unsafe fn waits_for(op: *const Op, warp: &Warp) -> String {
    // SAFETY: such operations are those of [`Async`], with the address of a plan.
    unsafe {
        let plan = &*std::ptr::with_exposed_provenance::<Plan>((*op).imm as usize);
        match plan.op {
            AsyncOp::Mbarrier(_, at) => sync::describe(warp, plan, at),
            AsyncOp::ProductWait => "the other warps of its warpgroup".to_owned(),
            _ => "every thread of the cluster to arrive at the cluster's barrier".to_owned(),
        }
    }
}

/// The active lanes, lowest first.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// A 32-bit operand of all lanes.
pub(super) unsafe fn words(warp: &Warp, plan: &Plan, i: usize) -> Lanes<u32> {
    // SAFETY: slots are valid by the assembler.
    unsafe { fetch_cold::<u32>(warp, plan.src[i]) }
}

/// A fault of one lane.
pub(super) fn raw(
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
pub(super) struct Shared {
    /// On the host.
    pub host: *mut u8,
    /// Whose.
    pub rank: u32,
    /// Where there.
    pub offset: u64,
}

/// The address of each lane as one of shared memory, whatever the operand's space; the base of the
/// shared window is taken off generic ones.
pub(super) unsafe fn shared_addresses(warp: &Warp, slot: Slot, at: At) -> Lanes<u64> {
    // SAFETY: slots are valid by the assembler.
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
pub(super) unsafe fn shared(
    warp: &Warp,
    lane: u32,
    address: u64,
    bytes: u64,
    align: u64,
    what: &str,
) -> Result<Shared, RawFault> {
    // SAFETY: the context outlives the warp's run.
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
pub(super) unsafe fn owner(warp: &Warp, lane: u32) -> Owner {
    // SAFETY: the context outlives the warp's run.
    Owner { rank: unsafe { (*warp.context).rank }, warp: warp.index, lane }
}

/// Who is told of a copy to `to`: its mbarrier, which must be in the same block.
pub(super) unsafe fn mbarrier_at(
    warp: &Warp,
    lane: u32,
    address: u64,
    to: Shared,
    bytes: u32,
) -> Result<Finish, RawFault> {
    // SAFETY: by the caller.
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

/// The ranks of the blocks that a multicast goes to, as addresses of the same offset in each.
pub(super) fn everywhere(address: u64, mask: u32) -> impl Iterator<Item = u64> {
    lanes(mask & 0xffff).map(move |rank| super::cluster::address_in(rank, address))
}

/// Tells the instrument.
#[inline]
pub(super) unsafe fn tell(op: &Op, warp: &Warp, lane: u32, event: Asynchronous) {
    // SAFETY: the context outlives the warp's run.
    unsafe {
        let place = (*warp.context).place(warp, op);
        if let Some(instrument) = (*warp.context).instrument(Wants::ASYNCHRONOUS) {
            instrument.asynchronous(place, lane, event);
        }
    }
}

/// Shared memory as an instrument is told of it.
pub(super) fn shared_span(rank: u32, address: u64, bytes: u64) -> Span {
    Span { space: Space::Shared, rank, address, bytes }
}

/// Puts a copy under way, and tells of it.
pub(super) unsafe fn begin(
    op: &Op,
    warp: &Warp,
    lane: u32,
    (what, finish): (Move, Finish),
    [from, to]: [Option<Span>; 2],
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
            tell(op, warp, lane, Asynchronous::Started { copy: id, from, to, phase });
        }
        cluster.copies.push(Copy { what, finish, owner, place, id });
    }
}

/// Starts bulk copies.
unsafe fn start(op: &Op, warp: &mut Warp, plan: &Plan, copy: CopyOp) -> Result<bool, RawFault> {
    // SAFETY: slots are valid by the assembler; every place is checked.
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
            for target in targets {
                let target_place = place(warp, lane, copy.to.space, target, bytes)?;
                let finish = match copy.barrier {
                    None => Finish::Group(None),
                    Some(_) => {
                        let (rank, _) = split(target, (*warp.context).rank);
                        let address = match copy.multicast {
                            true => super::cluster::address_in(rank, bar.0[i]),
                            false => bar.0[i],
                        };
                        let to = Shared { host: target_place, rank, offset: 0 };
                        mbarrier_at(warp, lane, address, to, bytes as u32)?
                    }
                };
                let (from, to, bytes) = (source.cast_const(), target_place, bytes as usize);
                let what = match copy.reduction {
                    None => Move::Run { from, to, bytes },
                    Some((atomic, element)) => {
                        Move::Reduce { from, to, bytes, combine: combine(atomic), element }
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
                begin(op, warp, lane, (what, finish), spans);
            }
        }
        Ok(true)
    }
}

unsafe fn place_addresses(warp: &Warp, slot: Slot, at: At) -> Lanes<u64> {
    // SAFETY: slots are valid by the assembler.
    unsafe {
        match at.space {
            MemorySpace::Shared => shared_addresses(warp, slot, at),
            _ => addresses(warp, slot, at.offset as u64),
        }
    }
}

/// Checks one end of a bulk copy.
unsafe fn place(
    warp: &Warp,
    lane: u32,
    space: MemorySpace,
    address: u64,
    bytes: u64,
) -> Result<*mut u8, RawFault> {
    // SAFETY: the context outlives the warp's run.
    unsafe {
        if space == MemorySpace::Shared {
            return Ok(shared(warp, lane, address, bytes, CHUNK, "bulk copy")?.host);
        }
        let at = (space, address, bytes);
        if !address.is_multiple_of(CHUNK) {
            let note =
                format!("misaligned bulk copy: address {address:#x} is not a multiple of {CHUNK}");
            return Err(raw(FaultKind::Misaligned, lane, at, note));
        }
        let context: &Context = &*warp.context;
        // A copy of nothing touches nothing.
        let host = match bytes {
            0 => Some(std::ptr::null_mut()),
            _ => context.lane_host(space, warp.index, lane, address, bytes),
        };
        host.ok_or_else(|| RawFault { access: None, ..raw(FaultKind::OutOfBounds, lane, at, "") })
    }
}

/// `st.async` and `red.async`.
unsafe fn store(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    (bytes, reduction): (u8, Option<AtomicOp>),
    to: At,
    barrier: At,
) -> Result<bool, RawFault> {
    let values = &plan.src[2..];
    let combine = reduction.map(combine);
    let all = u64::from(bytes) * values.len() as u64;
    // SAFETY: slots are valid by the assembler; every place is checked.
    unsafe {
        let at = shared_addresses(warp, plan.src[0], to);
        let bar = shared_addresses(warp, plan.src[1], barrier);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let place = shared(warp, lane, at.0[i], all, all, "asynchronous store")?;
            for (n, slot) in values.iter().enumerate() {
                let bits = fetch_cold::<u64>(warp, *slot).0[i];
                let to = place.host.add(n * usize::from(bytes));
                let what = Move::Value { bits, to, bytes, combine };
                let finish = mbarrier_at(warp, lane, bar.0[i], place, bytes.into())?;
                let skip = n as u64 * u64::from(bytes);
                let span = shared_span(place.rank, place.offset + skip, bytes.into());
                begin(op, warp, lane, (what, finish), [None, Some(span)]);
            }
        }
        Ok(true)
    }
}

unsafe fn commit(op: &Op, warp: &mut Warp) -> Result<bool, RawFault> {
    for lane in lanes(warp.mask) {
        // SAFETY: the context and its cluster outlive the warp's run.
        unsafe {
            let owner = owner(warp, lane);
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                instrument.bulk_commit(warp.index, lane);
            }
            (*(*warp.context).cluster).copies.commit(owner);
            tell(op, warp, lane, Asynchronous::Committed);
        }
    }
    Ok(true)
}

unsafe fn wait_group(op: &Op, warp: &mut Warp, pending: u32) -> Result<bool, RawFault> {
    for lane in lanes(warp.mask) {
        // SAFETY: the context and its cluster outlive the warp's run, and so does all that copies
        // under way touch.
        unsafe {
            let owner = owner(warp, lane);
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                instrument.bulk_wait(warp.index, lane, pending);
            }
            let cluster = &mut *(*warp.context).cluster;
            finish_groups(cluster, owner, pending).map_err(|late| late.raw)?;
            tell(op, warp, lane, Asynchronous::GroupsWaited { pending });
        }
    }
    Ok(true)
}
