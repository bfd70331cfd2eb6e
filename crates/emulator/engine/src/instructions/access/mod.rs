//! Loads, stores and atomics in their general form.
//!
//! An access in scalar form is checked by its end points, any other by its lowest and highest address against the region hit
//! last, and lane by lane when that fails. [`crate::instructions::access::direct`] has the hot forms; these handlers are
//! compiled once.

pub(crate) mod atomic;
pub(crate) mod direct;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gather;
pub mod region;
pub mod site;
pub(crate) mod tally;

use crate::fault::{FaultKind, RawFault};
use crate::instructions::access::site::AccessSite;
use crate::machine::context::{fault, recover};
use crate::machine::handler::Body;
use crate::machine::lanes::{Sink, addresses, fetch_cold, put_cold};
use crate::machine::slot::{BITS, Elem, Lanes, SCALAR, Scalar, Slot, WIDE, both};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;
use std::marker::PhantomData;

/// Calls `f` with each active lane, lowest first.
#[inline(always)]
fn each_active(mask: u32, mut f: impl FnMut(usize)) {
    let mut rest = mask;
    while rest != 0 {
        f(rest.trailing_zeros() as usize & 31);
        rest &= rest - 1;
    }
}

/// The lowest and highest of 16 addresses from each base, all of them `bytes` apart in alignment:
/// `None` when a half wraps around or an address is not aligned.
fn ends(warp: &Warp, slot: Slot, offset: u64, align: u64) -> Option<(u64, u64)> {
    // SAFETY: callers have tested the slot's `SCALAR` bit, and slots of an operation are in the register file of the
    // warp that runs it.
    let scalar = unsafe { *warp.at(slot).cast::<Scalar>() };
    let (base, stride) = if slot & WIDE != 0 {
        (both(scalar.base, |b| b.wrapping_add(offset)), scalar.stride)
    } else {
        let stride = i64::from(scalar.stride as i32) as u64;
        (both(scalar.base, |b| u64::from((b as u32).wrapping_add(offset as u32))), stride)
    };
    // A half without active lanes borrows the other's addresses.
    let a = if warp.mask & 0xffff != 0 { base[0] } else { base[1] };
    let b = if warp.mask >> 16 != 0 { base[1] } else { base[0] };
    let reach = stride.wrapping_mul(15);
    let (c, d) = (a.wrapping_add(reach), b.wrapping_add(reach));
    let (low, high) = (a.min(b).min(c).min(d), a.max(b).max(c).max(d));
    let near = (stride as i64).unsigned_abs() < 1 << 40 && high - low < 1 << 40;
    (near && (a | b | stride) & align == 0).then_some((low, high))
}

/// Checks an access of `bytes` per lane and finds each active lane's host address; on a fault, stops the warp and
/// gives the null pointer to return.
///
/// # Safety
/// Operation, warp and site are the assembler's.
#[inline(never)]
pub unsafe fn plan(
    op: &Op,
    warp: &mut Warp,
    site: *mut AccessSite,
    bytes: u64,
    host: &mut Lanes<u64>,
) -> Result<(), *const Op> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `site` is one of
    // the context's, which the worker owns for as long as its warps run.
    unsafe {
        let offset = (*site).offset;
        let at = addresses(warp, op.b, offset);
        if (*site).observed {
            (*warp.context).observe(warp, op, &*site, &at.0);
        }
        let ends = if op.b & SCALAR != 0 {
            let ends = ends(warp, op.b, offset, bytes - 1);
            if let Some((low, high)) = ends
                && !(*site).region.holds(low, high, bytes)
                && let Some(region) = (*warp.context).region_of((*site).space, low)
            {
                (*site).hit(region);
            }
            ends
        } else {
            let (mut low, mut high, mut any) = (u64::MAX, 0, 0);
            for i in 0..32 {
                let active = warp.mask & BITS[i] != 0;
                low = low.min(if active { at.0[i] } else { u64::MAX });
                high = high.max(if active { at.0[i] } else { 0 });
                any |= if active { at.0[i] } else { 0 };
            }
            (any & (bytes - 1) == 0).then_some((low, high))
        };
        let region = (*site).region;
        if let Some((low, high)) = ends
            && region.holds(low, high, bytes)
        {
            let delta = (region.host as u64).wrapping_sub(region.start);
            for i in 0..32 {
                host.0[i] = at.0[i].wrapping_add(delta);
            }
            return Ok(());
        }
        lane_by_lane(op, warp, site, bytes, &at, host)
    }
}

/// Finds each lane's host address on its own, or the first fault.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`](crate::machine::handler::Body::run).
#[cold]
#[inline(never)]
unsafe fn lane_by_lane(
    op: &Op,
    warp: &mut Warp,
    site: *mut AccessSite,
    bytes: u64,
    at: &Lanes<u64>,
    host: &mut Lanes<u64>,
) -> Result<(), *const Op> {
    // SAFETY: the assembler gave the site's offset, and the worker owns sites and context for as long as its warps
    // run (`Body::run`).
    let site = unsafe { &mut *site };
    for lane in 0..32u32 {
        if warp.mask >> lane & 1 == 0 {
            continue;
        }
        let address = at.0[lane as usize];
        // SAFETY: the worker owns the context for as long as its warps run, and the instrument that `recover` calls
        // keeps no reference to it.
        let context = unsafe { &*warp.context };
        let found = context.lane_host(site.space, warp.index, lane, address, bytes);
        let aligned = address & (bytes - 1) == 0;
        match found {
            Some(pointer) if aligned => host.0[lane as usize] = pointer as u64,
            _ => {
                let kind = if aligned { FaultKind::OutOfBounds } else { FaultKind::Misaligned };
                let raw = RawFault {
                    kind,
                    lane,
                    address: Some(address),
                    bytes: bytes as u32,
                    space: site.space,
                    access: Some(site.kind),
                    note: String::new(),
                };
                match recover(warp, op, raw) {
                    Ok(place) => host.0[lane as usize] = place as u64,
                    Err(raw) => return Err(fault(warp, op, raw)),
                }
            }
        }
    }
    // SAFETY: the worker owns the context for as long as its warps run, and the instrument that `recover` calls keeps
    // no reference to it.
    let context = unsafe { &*warp.context };
    let lane = warp.mask.trailing_zeros() as usize & 31;
    if let Some(region) = context.region_of(site.space, at.0[lane])
        && site.space != MemorySpace::Local
        && region.holds(at.0[lane], at.0[lane], bytes)
    {
        site.hit(region);
    }
    Ok(())
}

/// A load of elements `T`.
pub struct Load<T>(PhantomData<T>);

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<T: Elem> Body for Load<T> {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked the bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            let count = usize::from((*site).count);
            let mut host = Lanes([0u64; 32]);
            let bytes = (size_of::<T>() * count) as u64;
            if let Err(null) = plan(op, warp, site, bytes, &mut host) {
                return null;
            }
            for element in 0..count {
                let Some(slot) = (*site).data[element] else { continue };
                let skip = element * size_of::<T>();
                let mut out = Lanes([T::default(); 32]);
                each_active(warp.mask, |i| {
                    out.0[i] = guest::load((host.0[i] as *const T).byte_add(skip));
                });
                if slot & SCALAR == 0 {
                    put_cold(warp, slot, out);
                    continue;
                }
                let halves = [warp.mask & 0xffff, warp.mask >> 16];
                let first = |half: usize| {
                    out.0[(half * 16 + halves[half].trailing_zeros() as usize).min(31)]
                };
                T::put_pair(warp, slot, [first(0), first(1)]);
            }
            op.next(warp)
        }
    }
}

/// A store of elements `T`.
pub struct Store<T>(PhantomData<T>);

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<T: Elem> Body for Store<T> {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked the bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            let count = usize::from((*site).count);
            let mut host = Lanes([0u64; 32]);
            let bytes = (size_of::<T>() * count) as u64;
            if let Err(null) = plan(op, warp, site, bytes, &mut host) {
                return null;
            }
            for element in 0..count {
                let Some(slot) = (*site).data[element] else { continue };
                let skip = element * size_of::<T>();
                let values = fetch_cold::<T>(warp, slot);
                each_active(warp.mask, |i| {
                    guest::store((host.0[i] as *mut T).byte_add(skip), values.0[i]);
                });
            }
            op.next(warp)
        }
    }
}
