//! Instructions on mbarriers and on the cluster's barrier.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::asynchrony::Plan;
use crate::instructions::asynchrony::mbarrier::Mbarrier;
use crate::instructions::asynchrony::shared::{
    Shared, lanes, notify, owner, raw, shared, shared_addresses, words,
};
use crate::instructions::cross::put_predicate;
use crate::instrument::event::{Asynchronous, Phase, Wants};
use crate::machine::lanes::{fetch_cold, put_cold};
use crate::machine::slot::{Lanes, NO_SLOT};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::{AddressOperand, MbarrierOp};

/// A fault of an mbarrier at an offset.
fn misuse(kind: FaultKind, lane: u32, address: u64, why: &str) -> RawFault {
    let note = format!("mbarrier at shared address {address:#x}: {why}");
    raw(kind, lane, (MemorySpace::Shared, address, 8), note)
}

/// An instruction on an mbarrier, lane by lane; `false` if the warp waits.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub(crate) unsafe fn mbarrier(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    what: MbarrierOp,
    at: AddressOperand,
) -> Result<bool, RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; every address
    // is checked before it is accessed.
    unsafe {
        let address = shared_addresses(warp, plan.src[0], at);
        if let MbarrierOp::Wait { parity, .. } = what {
            return wait_phase(op, warp, plan, &address, (what, parity));
        }
        let ends = matches!(what, MbarrierOp::Init | MbarrierOp::Invalidate);
        if ends && someone_waits(warp, &address)? {
            return Ok(false);
        }
        let first = match plan.src.len() {
            0 | 1 => Lanes([0; 32]),
            _ => words(warp, plan, 1),
        };
        let second = match plan.src.len() {
            0..3 => Lanes([0; 32]),
            _ => words(warp, plan, 2),
        };
        let mut states = Lanes([0u64; 32]);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let place = shared(warp, lane, address.0[i], 8, 8, "mbarrier")?;
            let host = place.host.cast::<u64>();
            states.0[i] = host.read();
            let next = change(states.0[i], what, first.0[i], second.0[i]);
            // A GPU invalidates a word that holds no mbarrier without a fault; only a check reports it.
            let tolerated = what == MbarrierOp::Invalidate
                && (*warp.context).instrument(Wants::SYNCHRONIZATION).is_none();
            let next = if tolerated { Ok(0) } else { next };
            let none = what != MbarrierOp::Init && Mbarrier::from_bits(states.0[i]).is_none();
            let kind = if none { FaultKind::NoMbarrier } else { FaultKind::Mbarrier };
            let next = next.map_err(|why| misuse(kind, lane, address.0[i], &why))?;
            let instruction = (*warp.context).place(warp, op).instruction;
            if let Some(instrument) = (*warp.context).instrument(Wants::SYNCHRONIZATION) {
                let bytes = announced(what, first.0[i], second.0[i]);
                let at = (place.rank, place.offset);
                instrument.mbarrier(warp, (lane, instruction), (what, bytes), at);
            }
            host.write(next);
            (*(*warp.context).cluster).changes += 1;
            let arrives = matches!(what, MbarrierOp::Arrive { .. } | MbarrierOp::CopyArrive { .. });
            if let (true, Some(before)) = (arrives, Mbarrier::from_bits(states.0[i])) {
                notify(op, warp, lane, Asynchronous::Arrived(phase(place, before.parity)));
            }
        }
        if let Some(slot) = plan.dst.first().filter(|slot| **slot != NO_SLOT) {
            put_cold(warp, *slot, states);
        }
        Ok(true)
    }
}

/// A phase of the mbarrier at a place.
fn phase(place: Shared, parity: bool) -> Phase {
    Phase { rank: place.rank, offset: place.offset, parity }
}

/// Whether another warp waits for a phase that has completed: a GPU wakes it at the completion, so that it sees the
/// phase even if a thread initializes the mbarrier again at once.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
unsafe fn someone_waits(warp: &Warp, address: &Lanes<u64>) -> Result<bool, RawFault> {
    // SAFETY: the worker owns the context and the cluster for as long as its warps run (`Body::run`); `shared` checks
    // each address before it is read.
    unsafe {
        let waits = &(*(*warp.context).cluster).waits;
        for lane in lanes(warp.mask) {
            let place = shared(warp, lane, address.0[lane as usize], 8, 8, "mbarrier")?;
            let Some(state) = Mbarrier::from_bits(place.host.cast::<u64>().read()) else {
                continue;
            };
            if waits.any(((*warp.context).rank, warp.index), phase(place, !state.parity)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The bytes that an operation adds to those that a phase waits for.
fn announced(what: MbarrierOp, first: u32, second: u32) -> i64 {
    match what {
        MbarrierOp::Arrive { expect: true, .. } => i64::from(second),
        MbarrierOp::Expect => i64::from(first),
        MbarrierOp::Complete => -i64::from(first),
        _ => 0,
    }
}

/// The bits of an mbarrier after an operation.
fn change(bits: u64, what: MbarrierOp, first: u32, second: u32) -> Result<u64, String> {
    if what == MbarrierOp::Init {
        return Mbarrier::new(first).map(Mbarrier::bits);
    }
    let Some(mut this) = Mbarrier::from_bits(bits) else {
        return Err("it is not initialized; run `mbarrier.init` and a barrier first".to_owned());
    };
    match what {
        MbarrierOp::Invalidate => return Ok(0),
        MbarrierOp::Arrive { drop, expect, stay, relaxed: _ } => {
            if expect {
                this.expect_bytes(second)?;
            }
            let before = this.parity;
            if drop { this.drop_out(first) } else { this.arrive(first) }?;
            if stay && this.parity != before {
                return Err("an arrival with `.noComplete` ends the phase".to_owned());
            }
        }
        MbarrierOp::Expect => this.expect_bytes(first)?,
        MbarrierOp::Complete => this.complete_bytes(first)?,
        MbarrierOp::CopyArrive { counted } => {
            // Copies of `cp.async` are performed immediately, so the arrival is immediate.
            if !counted {
                this.expect_arrival()?;
            }
            this.arrive(1)?;
        }
        MbarrierOp::Init | MbarrierOp::Wait { .. } => {}
    }
    Ok(this.bits())
}

/// `mbarrier.test_wait` and `try_wait`.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
unsafe fn wait_phase(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    address: &Lanes<u64>,
    (what, parity): (MbarrierOp, bool),
) -> Result<bool, RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; every address
    // is checked before it is accessed.
    unsafe {
        let wanted = fetch_cold::<u64>(warp, plan.src[1]);
        let mut done = 0;
        let mut ended = [Phase { rank: 0, offset: 0, parity: false }; 32];
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let place = shared(warp, lane, address.0[i], 8, 8, "mbarrier")?;
            let Some(this) = Mbarrier::from_bits(place.host.cast::<u64>().read()) else {
                let why = "it is not initialized; run `mbarrier.init` and a barrier first";
                return Err(misuse(FaultKind::NoMbarrier, lane, address.0[i], why));
            };
            let of = if parity {
                wanted.0[i] & 1 != 0
            } else {
                let state = Mbarrier::from_bits(wanted.0[i]);
                state
                    .ok_or_else(|| {
                        misuse(
                            FaultKind::Mbarrier,
                            lane,
                            address.0[i],
                            "the value waited for is not an mbarrier state",
                        )
                    })?
                    .parity
            };
            done |= u32::from(this.parity != of) << lane;
            ended[i] = phase(place, of);
        }
        let poll_expires = std::mem::take(&mut warp.poll_expires);
        let waits = &mut (*(*warp.context).cluster).waits;
        let late = warp.mask & !done;
        if late != 0 && !poll_expires {
            waits.note(
                ((*warp.context).rank, warp.index),
                Some(ended[late.trailing_zeros() as usize & 31]),
            );
            return Ok(false);
        }
        waits.note(((*warp.context).rank, warp.index), None);
        for lane in lanes(done) {
            notify(op, warp, lane, Asynchronous::Waited(ended[lane as usize]));
            let place = shared(warp, lane, address.0[lane as usize], 8, 8, "mbarrier")?;
            let instruction = (*warp.context).place(warp, op).instruction;
            if let Some(instrument) = (*warp.context).instrument(Wants::SYNCHRONIZATION) {
                let at = (place.rank, place.offset);
                instrument.mbarrier_waited(warp, (lane, instruction), what, at);
            }
        }
        if let Some(slot) = plan.dst.first() {
            put_predicate(warp, *slot, done);
        }
        Ok(true)
    }
}

/// The mbarrier that a warp waits for, as text.
///
/// # Safety
/// The warp stopped at a wait of this plan.
pub(crate) unsafe fn describe(warp: &Warp, plan: &Plan, at: AddressOperand) -> String {
    // SAFETY: the warp stopped at an operation with this plan, so the plan's slots are in its register file; the address is
    // checked before it is accessed.
    unsafe {
        let lane = warp.waiting.trailing_zeros() & 31;
        let address = shared_addresses(warp, plan.src[0], at).0[lane as usize];
        let Ok(place) = shared(warp, lane, address, 8, 8, "mbarrier") else {
            return "an mbarrier of a block that has ended".to_owned();
        };
        let of = match place.rank == (*warp.context).rank {
            true => String::new(),
            false => format!(" of the block of rank {}", place.rank),
        };
        let state = match Mbarrier::from_bits(place.host.cast::<u64>().read()) {
            Some(this) => this.to_string(),
            None => "no longer initialized".to_owned(),
        };
        format!("the mbarrier at offset {} of shared memory{of} ({state})", place.offset)
    }
}

/// The fault of a warp with lanes on another path.
fn divided(warp: &Warp) -> RawFault {
    let (here, missing) = (warp.mask.count_ones(), (warp.live & !warp.mask).count_ones());
    RawFault::of_lanes(
        FaultKind::BarrierDivergence,
        MemorySpace::Shared,
        warp.mask,
        format!(
            "{here} threads of warp {} reached the cluster's barrier while {missing} others of the warp are on another path",
            warp.index
        ),
    )
}

/// The fault of lanes that arrive twice or wait without having arrived.
fn out_of_turn(mask: u32, what: &str) -> RawFault {
    RawFault::of_lanes(FaultKind::BarrierDivergence, MemorySpace::Shared, mask, what.to_owned())
}

/// `barrier.cluster.arrive`.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn arrive(
    warp: &mut Warp,
    aligned: bool,
    relaxed: bool,
) -> Result<bool, RawFault> {
    if aligned && warp.mask != warp.live {
        return Err(divided(warp));
    }
    let lane = warp.mask.trailing_zeros() & 31;
    // SAFETY: the worker owns the context, and the executor the cluster, for as long as their warps run
    // (`Body::run`).
    unsafe {
        let rank = owner(warp, lane).rank;
        let cluster = &mut *(*warp.context).cluster;
        if let Some(instrument) = (*warp.context).instrument(Wants::SYNCHRONIZATION) {
            let generation = cluster.barrier.generation;
            instrument.cluster_arrive(warp.index as usize, generation, relaxed);
        }
        cluster.changes += 1;
        let arrived = cluster.barrier.arrive(rank, warp.index, warp.mask);
        let twice = "a thread arrives at the cluster's barrier again before it has waited there";
        arrived.map(|()| true).map_err(|mask| out_of_turn(mask, twice))
    }
}

/// `barrier.cluster.wait`.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`](crate::machine::context::Body::run).
pub(crate) unsafe fn wait(warp: &mut Warp, aligned: bool) -> Result<bool, RawFault> {
    if aligned && warp.mask != warp.live {
        return Err(divided(warp));
    }
    let lane = warp.mask.trailing_zeros() & 31;
    // SAFETY: the worker owns the context, and the executor the cluster, for as long as their warps run
    // (`Body::run`).
    unsafe {
        let rank = owner(warp, lane).rank;
        let cluster = &mut *(*warp.context).cluster;
        let arrived = cluster.barrier.arrived(rank, warp.index, lane);
        let met = cluster.barrier.wait(rank, warp.index, warp.mask);
        if met == Ok(true)
            && let Some(instrument) = (*warp.context).instrument(Wants::SYNCHRONIZATION)
        {
            instrument.cluster_waited(warp.index as usize, arrived);
        }
        let never = "a thread waits at the cluster's barrier without having arrived there";
        met.map_err(|mask| out_of_turn(mask, never))
    }
}

/// `setmaxnreg`; `false` when the warp waits for registers.
///
/// # Safety
/// The warp's context and its cluster are live.
pub(crate) unsafe fn registers(warp: &mut Warp, count: u32, more: bool) -> Result<bool, RawFault> {
    let refuse = |warp: &Warp, kind, note| {
        Err(RawFault::of_lanes(kind, MemorySpace::Generic, warp.mask, note))
    };
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`), and no other reference to it
    // exists while this handler runs.
    unsafe {
        let pool = &mut (*warp.context).registers;
        match pool.change(warp.index as usize, count, more) {
            Err(note) if pool.launched().is_none() => refuse(warp, FaultKind::Deadlock, note),
            Ok(changed) => {
                (*(*warp.context).cluster).changes += u64::from(changed);
                Ok(changed)
            }
            Err(note) => refuse(warp, FaultKind::LimitExceeded, note),
        }
    }
}

/// The registers that a warp waits for, as text.
///
/// # Safety
/// The warp's context is live.
pub(crate) unsafe fn describe_registers(warp: &Warp, count: u32) -> String {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    let free = unsafe { (*warp.context).registers.free() };
    format!(
        "{count} registers per thread (`setmaxnreg.inc`), of which other warps have given back {free}"
    )
}
