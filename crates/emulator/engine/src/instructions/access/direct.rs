//! Loads and stores in their common form: one element per lane, an address in scalar form, all lanes
//! active. Anything else falls back to the general handlers of [`crate::instructions::access`].

use crate::instructions::access::site::Region;
use crate::instructions::access::site::{AccessSite, CachedBounds};
use crate::instructions::access::tally::{count_lanes, tally};
use crate::instructions::access::{Load, Store, collect};
use crate::machine::context::{Body, WideTiers, wide};
use crate::machine::slot::{Elem, Lanes, SCALAR, Scalar, both};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use crate::memory::guest::Level;
use std::marker::PhantomData;

/// The address operand: both bases as distances from a region's start, and the stride.
///
/// # Safety
/// Operation, warp and site come from the assembler.
#[inline(always)]
pub unsafe fn distances<const WIDE: bool>(
    op: &Op,
    warp: &Warp,
    region: &Region,
) -> ([u64; 2], u64) {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it, and `moved` finds
    // the address operand in scalar form, as every caller's handler was chosen for it.
    unsafe { moved::<WIDE>(op, warp, op.imm.wrapping_sub(region.start)) }
}

/// The address operand: both bases as distances from the start of the cached region, and the stride.
///
/// # Safety
/// A running handler was given the operation and the warp, and the bounds belong to the operation's site.
#[inline(always)]
pub unsafe fn starts<const WIDE: bool>(
    op: &Op,
    warp: &Warp,
    bounds: &CachedBounds,
) -> ([u64; 2], u64) {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it, and `moved` finds
    // the address operand in scalar form, as every caller's handler was chosen for it.
    unsafe { moved::<WIDE>(op, warp, bounds.from) }
}

/// The address operand with `from` added to both bases, and its stride.
///
/// # Safety
/// Operation and warp come from the assembler.
#[inline(always)]
unsafe fn moved<const WIDE: bool>(op: &Op, warp: &Warp, from: u64) -> ([u64; 2], u64) {
    let form = if WIDE { SCALAR | crate::machine::slot::WIDE } else { SCALAR };
    // SAFETY: the assembler picks handlers with `WIDE` by the form of the address operand, so that `op.b` is a scalar
    // slot of this width in the warp's register file.
    let scalar = unsafe { *warp.known(op.b, form).cast::<Scalar>() };
    if WIDE {
        (both(scalar.base, |b| b.wrapping_add(from)), scalar.stride)
    } else {
        let base = both(scalar.base, |b| u64::from(b as u32).wrapping_add(from));
        (base, i64::from(scalar.stride as i32) as u64)
    }
}

/// Whether the bytes that a site touches, from either distance on, are in the region. Regions start at multiples of 16,
/// so a distance is as aligned as its address.
#[inline(always)]
pub fn in_bounds(first: [u64; 2], bounds: &CachedBounds, align: u64) -> bool {
    first[0] < bounds.room && first[1] < bounds.room && (first[0] | first[1]) & (align - 1) == 0
}

/// Whether a run of `bytes` from each base is inside the region.
#[inline(always)]
pub fn runs_inside(first: [u64; 2], region: &Region, bytes: u64, align: u64) -> bool {
    let limit = region.bytes.saturating_sub(bytes - 1);
    first[0].max(first[1]) < limit && (first[0] | first[1]) & (align - 1) == 0
}

/// The same for 16 lanes at a constant stride from each base.
#[inline(always)]
fn steps_inside(first: [u64; 2], stride: u64, region: &Region, bytes: u64) -> bool {
    let reach = stride.wrapping_mul(15);
    let last = both(first, |f| f.wrapping_add(reach));
    // With a larger stride the addresses could wrap around 64 bits, and lanes in between could be outside.
    (stride as i64).unsigned_abs() < 1 << 40
        && stride & (bytes - 1) == 0
        && runs_inside(first, region, bytes, bytes)
        && runs_inside(last, region, bytes, bytes)
}

/// Prefetches the site's next access, assuming that it repeats its last step. All sites share one
/// host instruction, so the host's own prefetcher cannot tell their steps apart.
///
/// # Safety
/// Operation, warp and site come from the assembler.
#[inline(always)]
pub unsafe fn prefetch(site: *mut AccessSite, host: *mut u8, first: [u64; 2]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch accesses no memory, so any address will do; the site is one of the worker's context
    // (`Warp::site`).
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let ahead = first[0].wrapping_sub((*site).last);
        (*site).last = first[0];
        let next = host.wrapping_add(ahead as usize);
        _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(first[0] as usize).cast());
        _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(first[1] as usize).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (site, host, first);
}

/// The form of a varying register with words of `T`.
const fn own<T: Elem>() -> u32 {
    if T::WIDE { crate::machine::slot::WIDE } else { 0 }
}

/// Loads at a constant stride. Out of line, so that the common case stays small.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`].
#[inline(never)]
unsafe fn gather<T: Elem, const WIDE: bool, const COUNT: bool>(
    op: &Op,
    warp: &mut Warp,
) -> *const Op {
    // SAFETY: `steps_inside` checked the bytes of every lane; `op` was assembled for this warp's register file
    // (`Body::run`), so its slots are in it.
    unsafe {
        let site = warp.site(op.c);
        let region = (*site).region;
        let (first, stride) = distances::<WIDE>(op, warp, &region);
        let bytes = size_of::<T>() as u64;
        if !steps_inside(first, stride, &region, bytes) {
            return wide::<Load<T>>(op, warp);
        }
        if COUNT {
            tally::<true>(warp.context, site, first, stride, bytes, 1);
        }
        let to = warp.known(op.a, own::<T>());
        let bases = both(first, |first| region.host.add(first as usize).cast::<T>());
        let load = |i: usize| {
            guest::load(bases[i / 16].wrapping_byte_add((stride as usize).wrapping_mul(i % 16)))
        };
        match T::WIDE {
            false => collect::words(to.cast(), |i| load(i).to32()),
            true => collect::wide(to.cast(), |i| load(i).to64()),
        }
        op.next(warp)
    }
}

/// Stores at a constant stride, also out of line.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`].
#[inline(never)]
unsafe fn scatter<T: Elem, const WIDE: bool, const COUNT: bool>(
    op: &Op,
    warp: &mut Warp,
) -> *const Op {
    // SAFETY: `steps_inside` checked the bytes of every lane; `op` was assembled for this warp's register file
    // (`Body::run`), so its slots are in it.
    unsafe {
        let site = warp.site(op.c);
        let region = (*site).region;
        let (first, stride) = distances::<WIDE>(op, warp, &region);
        let bytes = size_of::<T>() as u64;
        if !steps_inside(first, stride, &region, bytes) {
            return wide::<Store<T>>(op, warp);
        }
        if COUNT {
            tally::<true>(warp.context, site, first, stride, bytes, 1);
        }
        let from = warp.known(op.d, own::<T>()).cast::<T>();
        for half in 0..2 {
            let mut to = region.host.add(first[half] as usize).cast::<T>();
            for i in 0..16 {
                guest::store(to, from.add(half * 16 + i).read());
                to = to.wrapping_byte_add(stride as usize);
            }
        }
        op.next(warp)
    }
}

/// A load; `SCALAR_RESULT` for a stride of 0 whose result stays in scalar form.
pub struct LoadDirect<T, L, const WIDE: bool, const SCALAR_RESULT: bool, const COUNT: bool>(
    PhantomData<(T, L)>,
);

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<T: Elem, L: Level, const WIDE: bool, const SCALAR_RESULT: bool, const COUNT: bool> Body
    for LoadDirect<T, L, WIDE, SCALAR_RESULT, COUNT>
{
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `in_bounds` checked the bytes of every lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let bytes = size_of::<T>() as u64;
            if warp.mask != u32::MAX {
                return wide::<Load<T>>(op, warp);
            }
            let site = warp.site(op.c);
            let bounds = (*site).bounds;
            let (first, stride) = starts::<WIDE>(op, warp, &bounds);
            if SCALAR_RESULT {
                if !in_bounds(first, &bounds, bytes) {
                    return wide::<Load<T>>(op, warp);
                }
                if COUNT {
                    tally::<false>(warp.context, site, first, 0, bytes, 1);
                }
                let [a, b] =
                    both(first, |at| guest::load(bounds.host.add(at as usize).cast::<T>()));
                let to = warp.known(op.a, SCALAR | own::<T>()).cast::<Scalar>();
                Scalar { base: [a.to64(), b.to64()], stride: 0, unused: 0 }.store(to);
            } else {
                if stride != bytes {
                    return gather::<T, WIDE, COUNT>(op, warp);
                }
                if !in_bounds(first, &bounds, bytes) {
                    return wide::<Load<T>>(op, warp);
                }
                if COUNT {
                    tally::<true>(warp.context, site, first, stride, bytes, 1);
                }
                prefetch(site, bounds.host, first);
                let [a, b] = both(first, |at| bounds.host.add(at as usize).cast::<[T; 16]>());
                let to = warp.known(op.a, own::<T>()).cast::<[T; 16]>();
                to.write(L::load(a));
                to.add(1).write(L::load(b));
            }
            op.next(warp)
        }
    }
}

/// A store.
pub struct StoreDirect<T, L, const WIDE: bool, const COUNT: bool>(PhantomData<(T, L)>);

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<T: Elem, L: Level, const WIDE: bool, const COUNT: bool> Body
    for StoreDirect<T, L, WIDE, COUNT>
{
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `in_bounds` checked the bytes of every lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let bytes = size_of::<T>() as u64;
            if warp.mask != u32::MAX {
                return wide::<Store<T>>(op, warp);
            }
            let site = warp.site(op.c);
            let bounds = (*site).bounds;
            let (first, stride) = starts::<WIDE>(op, warp, &bounds);
            if stride != bytes {
                return scatter::<T, WIDE, COUNT>(op, warp);
            }
            if !in_bounds(first, &bounds, bytes) {
                return wide::<Store<T>>(op, warp);
            }
            if COUNT {
                tally::<true>(warp.context, site, first, stride, bytes, 1);
            }
            prefetch(site, bounds.host, first);
            let [a, b] = both(first, |at| bounds.host.add(at as usize).cast::<[T; 16]>());
            let from = warp.known(op.d, own::<T>()).cast::<[T; 16]>();
            L::store(a, from.read());
            L::store(b, from.add(1).read());
            op.next(warp)
        }
    }
}

/// A load of 32-bit words from 32 independent addresses, in global memory.
pub struct LoadLanes<const COUNT: bool>;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<const COUNT: bool> Body for LoadLanes<COUNT> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it, in the forms
        // for which the assembler picks this handler. `highest` is the largest distance of a lane from the region's
        // start: all four bytes are in the region, which the launch keeps allocated.
        unsafe {
            if warp.mask != u32::MAX {
                return wide::<Load<u32>>(op, warp);
            }
            let site = warp.site(op.c);
            let region = (*site).region;
            let at = warp.known(op.b, crate::machine::slot::WIDE).cast::<Lanes<u64>>();
            let from = op.imm.wrapping_sub(region.start);
            let (mut highest, mut bits) = (0u64, 0u64);
            let addresses = *at;
            for i in 0..32 {
                let distance = addresses.0[i].wrapping_add(from);
                highest = highest.max(distance);
                bits |= distance;
            }
            // Distances are unsigned: one below the region wraps to a large one.
            if highest >= region.bytes.saturating_sub(3) || bits & 3 != 0 {
                return wide::<Load<u32>>(op, warp);
            }
            if COUNT {
                count_lanes(site, &addresses, from);
            }
            let host = region.host.wrapping_add(from as usize);
            let to = warp.known(op.a, 0).cast::<u32>();
            let at = at.cast::<u64>();
            // The result register is not the address register: their widths differ.
            collect::words(to, |i| {
                guest::load(host.wrapping_add(at.add(i).read() as usize).cast::<u32>())
            });
            op.next(warp)
        }
    }
}

/// The handler of loads of 32-bit words from lanes' own addresses.
pub const fn lanes<const COUNT: bool>() -> WideTiers {
    #[cfg(target_arch = "x86_64")]
    {
        WideTiers::split::<LoadLanes<COUNT>, crate::instructions::access::gather::Gather<COUNT>>()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        WideTiers::per_level::<LoadLanes<COUNT>>()
    }
}
