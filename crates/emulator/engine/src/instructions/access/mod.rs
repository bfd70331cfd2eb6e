//! Loads, stores and atomics in their general form.
//!
//! The check of an access compares the addresses of all active lanes with the region hit last,
//! without branches, and after a miss with the region of the first active lane. If that fails, too,
//! each lane is checked. [`crate::instructions::access::direct`] has the hot forms; the handlers
//! here are compiled for fewer SIMD levels.

pub(crate) mod atomic;
mod collect;
pub(crate) mod delayed;
pub(crate) mod direct;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gather;
pub(crate) mod local;
pub mod site;
pub(crate) mod tally;

use crate::fault::{FaultKind, RawFault};
use crate::instructions::access::site::{AccessSite, Delay};
use crate::machine::context::{Body, Context, fault, recover};
use crate::machine::lanes::{Sink, Source, addresses};
use crate::machine::slot::{BITS, Elem, Lanes, SCALAR, Slot, WIDE};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::memory_layout::{LOCAL_WINDOW, WINDOW};
use site::Region;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Calls `f` with each active lane, lowest first.
#[inline(always)]
pub fn each_active(mask: u32, mut f: impl FnMut(usize)) {
    if mask == u32::MAX {
        for i in 0..32 {
            f(i);
        }
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        f(rest.trailing_zeros() as usize & 31);
        rest &= rest - 1;
    }
}

/// Checks an access of `bytes` per lane and finds each active lane's host address; on a fault, stops the warp and
/// gives the null pointer to return.
///
/// # Safety
/// Operation, warp and site come from the assembler.
#[inline(always)]
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
        let at = addresses(warp, op.b, (*site).offset);
        if (*site).observed {
            (*warp.context).observe(warp, op, &*site, &at.0);
        }
        let found = match (*site).space {
            MemorySpace::Local => {
                within_local(&*warp.context, (warp.index, warp.mask), &at, 0, bytes, host)
            }
            _ => within(&(*site).region, warp.mask, &at, bytes, host),
        };
        if found {
            return Ok(());
        }
        miss(op, warp, site, bytes, &at, host)
    }
}

/// The host address of each lane; `false` if an active lane's bytes are not in the region, or not aligned.
#[inline(always)]
pub(crate) fn within(
    region: &Region,
    mask: u32,
    at: &Lanes<u64>,
    bytes: u64,
    host: &mut Lanes<u64>,
) -> bool {
    let room = region.bytes.saturating_sub(bytes - 1);
    // Regions start at multiples of 16, so a distance is as aligned as its address.
    let (mut low_bits, mut outside) = (0, false);
    for i in 0..32 {
        // Distances are unsigned: one below the region wraps to a large one.
        let distance = at.0[i].wrapping_sub(region.start);
        host.0[i] = distance.wrapping_add(region.host as u64);
        let counted = if mask & BITS[i] != 0 { distance } else { 0 };
        low_bits |= counted;
        outside |= counted >= room;
    }
    low_bits & (bytes - 1) == 0 && !outside
}

/// The host address of each lane's access to its local memory, at addresses that count from `start`; `false` if an active
/// lane's bytes are outside, or not aligned.
#[inline(always)]
fn within_local(
    context: &Context,
    (warp, mask): (u32, u32),
    at: &Lanes<u64>,
    start: u64,
    bytes: u64,
    host: &mut Lanes<u64>,
) -> bool {
    let size = context.local_bytes;
    let room = size.saturating_sub(bytes - 1);
    let mut memory = (context.local as u64).wrapping_add(u64::from(warp) * 32 * size);
    let (mut low_bits, mut outside) = (0, false);
    for i in 0..32 {
        let offset = at.0[i].wrapping_sub(start);
        host.0[i] = offset.wrapping_add(memory);
        memory = memory.wrapping_add(size);
        let counted = if mask & BITS[i] != 0 { offset } else { 0 };
        low_bits |= counted;
        outside |= counted >= room;
    }
    low_bits & (bytes - 1) == 0 && !outside
}

/// The slow path of [`plan`], after [`within`] has failed for the region hit last.
///
/// # Safety
/// As for [`plan`].
#[inline(never)]
unsafe fn miss(
    op: &Op,
    warp: &mut Warp,
    site: *mut AccessSite,
    bytes: u64,
    at: &Lanes<u64>,
    host: &mut Lanes<u64>,
) -> Result<(), *const Op> {
    // SAFETY: the worker owns the site and the context for as long as its warps run.
    unsafe {
        let first = at.0[warp.mask.trailing_zeros() as usize & 31];
        if (*site).space != MemorySpace::Local
            && let Some(region) = (*warp.context).region_of((*site).space, first)
            && within(&region, warp.mask, at, bytes, host)
        {
            if (*site).delay == Delay::Never {
                (*warp.context).reveal(&region);
            }
            (*site).hit(region);
            return Ok(());
        }
        if (*site).space == MemorySpace::Generic
            && first.wrapping_sub(LOCAL_WINDOW) < WINDOW
            && within_local(&*warp.context, (warp.index, warp.mask), at, LOCAL_WINDOW, bytes, host)
        {
            return Ok(());
        }
        lane_by_lane(op, warp, site, bytes, at, host)
    }
}

/// Finds each lane's host address on its own, or the first fault.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`].
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
    let access = unsafe { &*site };
    for lane in 0..32u32 {
        if warp.mask >> lane & 1 == 0 {
            continue;
        }
        let address = at.0[lane as usize];
        // SAFETY: the worker owns the context for as long as its warps run, and the instrument that `recover` calls
        // keeps no reference to it.
        let context = unsafe { &*warp.context };
        let found = context.lane_host(access.space, warp.index, lane, address, bytes);
        let aligned = address & (bytes - 1) == 0;
        // SAFETY: as above.
        let found = found.or_else(|| unsafe { used_part(warp, access, lane, address) });
        match found {
            Some(pointer) if aligned => host.0[lane as usize] = pointer as u64,
            _ => {
                let kind = if aligned { FaultKind::OutOfBounds } else { FaultKind::Misaligned };
                let raw = RawFault {
                    kind,
                    lane,
                    address: Some(address),
                    bytes: bytes as u32,
                    space: access.space,
                    access: Some(access.kind),
                    note: String::new(),
                };
                match recover(warp, op, raw) {
                    Ok(place) => host.0[lane as usize] = place as u64,
                    Err(raw) => return Err(fault(warp, op, raw)),
                }
            }
        }
    }
    let (space, delayed) = (access.space, access.delay != Delay::Never);
    // SAFETY: the worker owns the context and its sites for as long as its warps run, and the instrument that `recover`
    // calls keeps no reference to them; no other reference to them is used from here on.
    unsafe {
        let context = warp.context;
        each_active(if delayed { 0 } else { warp.mask }, |i| {
            let touched = Region { start: at.0[i], bytes, host: host.0[i] as *mut u8 };
            (*context).reveal(&touched);
        });
        let lane = warp.mask.trailing_zeros() as usize & 31;
        if let Some(region) = (*context).region_of(space, at.0[lane])
            && space != MemorySpace::Local
            && region.holds(at.0[lane], at.0[lane], bytes)
        {
            (*site).hit(region);
        }
    }
    Ok(())
}

/// The host address of a vector in shared memory that is partly outside, if none of the elements outside has a
/// register. Compilers widen loads to aligned vectors: the unused elements of an aligned vector never fault on a GPU,
/// which allocates shared memory in larger pieces than 16 bytes.
///
/// # Safety
/// The worker owns the warp's context.
unsafe fn used_part(warp: &Warp, site: &AccessSite, lane: u32, address: u64) -> Option<*mut u8> {
    let (skip, bytes) = site.used_part()?;
    // SAFETY: the worker owns the context for as long as its warps run.
    let context = unsafe { &*warp.context };
    let start =
        context.lane_host(site.space, warp.index, lane, address.wrapping_add(skip), bytes)?;
    Some(start.wrapping_sub(skip as usize))
}

/// The registers of elements `element` and `element + 1`, to move both words at once: only 32-bit
/// elements from an even element on, because a vector is aligned to its size, and only if both
/// registers are varying words.
#[inline(always)]
fn pair<T>(site: &AccessSite, element: usize) -> Option<[Slot; 2]> {
    if size_of::<T>() != 4 || !(usize::from(site.count) | element).is_multiple_of(2) {
        return None;
    }
    match (site.data.get(element), site.data.get(element + 1)) {
        (Some(Some(first)), Some(Some(second))) if (first | second) & (SCALAR | WIDE) == 0 => {
            Some([*first, *second])
        }
        _ => None,
    }
}

/// A load of elements `T`.
pub struct Load<T>(PhantomData<T>);

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<T: Elem> Body for Load<T> {
    #[inline(always)]
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
            let mut element = 0;
            while element < count {
                let (this, skip) = (element, element * size_of::<T>());
                let all = warp.mask == u32::MAX;
                if let Some([first, second]) = pair::<T>(&*site, this) {
                    let (low, high) = (warp.at(first).cast::<u32>(), warp.at(second).cast::<u32>());
                    let load = |i: usize| guest::load((host.0[i] as *const u64).byte_add(skip));
                    if all {
                        collect::halves(low, high, load);
                        element += 2;
                        continue;
                    }
                    each_active(warp.mask, |i| {
                        let word = load(i);
                        low.add(i).write(word as u32);
                        high.add(i).write((word >> 32) as u32);
                    });
                    element += 2;
                    continue;
                }
                element += 1;
                let Some(slot) = (*site).data[this] else { continue };
                let load = |i: usize| guest::load((host.0[i] as *const T).byte_add(skip));
                match slot & (SCALAR | WIDE) {
                    0 => {
                        let to = warp.at(slot).cast::<u32>();
                        if all {
                            collect::words(to, |i| load(i).to32());
                            continue;
                        }
                        each_active(warp.mask, |i| to.add(i).write(load(i).to32()));
                        continue;
                    }
                    WIDE => {
                        let to = warp.at(slot).cast::<u64>();
                        if all {
                            collect::wide(to, |i| load(i).to64());
                            continue;
                        }
                        each_active(warp.mask, |i| to.add(i).write(load(i).to64()));
                        continue;
                    }
                    _ => {}
                }
                let mut out = Lanes([T::default(); 32]);
                each_active(warp.mask, |i| out.0[i] = load(i));
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
    #[inline(always)]
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
            let mut element = 0;
            while element < count {
                let (this, skip) = (element, element * size_of::<T>());
                if let Some([first, second]) = pair::<T>(&*site, this) {
                    let mut copies = [const { MaybeUninit::uninit() }; 2];
                    let [copy, other] = &mut copies;
                    let (low, high) =
                        (u32::view(warp, first, copy), u32::view(warp, second, other));
                    each_active(warp.mask, |i| {
                        let word = u64::from(low.0[i]) | u64::from(high.0[i]) << 32;
                        guest::store((host.0[i] as *mut u64).byte_add(skip), word);
                    });
                    element += 2;
                    continue;
                }
                element += 1;
                let Some(slot) = (*site).data[this] else { continue };
                let mut copy = MaybeUninit::uninit();
                let values = T::view(warp, slot, &mut copy);
                each_active(warp.mask, |i| {
                    guest::store((host.0[i] as *mut T).byte_add(skip), values.0[i]);
                });
            }
            op.next(warp)
        }
    }
}
