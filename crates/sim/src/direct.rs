//! Loads and stores in their common form: one element per lane, an address in scalar form, all lanes
//! active. Anything else goes on to the general handlers of [`crate::access`].

use crate::access::{Load, Store};
use crate::context::{Region, Site};
use crate::lanes::{Elem, SCALAR, Scalar, Sink};
use crate::op::{Body, Op, Warp, baseline};
use crate::traffic;
use std::marker::PhantomData;

/// The distance of each half's first lane from the region's start, and the step between lanes; `None`
/// if the access is not wholly and evenly inside the region hit last.
#[inline(always)]
unsafe fn inside<const WIDE: bool, const STEPS: bool>(
    op: &Op,
    warp: &Warp,
    region: &Region,
    bytes: u64,
) -> Option<([u64; 2], u64)> {
    // SAFETY: the assembler gave a slot in scalar form.
    let scalar = unsafe { *warp.at(op.b).cast::<Scalar>() };
    let (base, stride) = if WIDE {
        (scalar.base, scalar.stride)
    } else {
        (scalar.base.map(|b| b & 0xffff_ffff), i64::from(scalar.stride as i32) as u64)
    };
    let from = op.imm.wrapping_sub(region.start);
    let first = [base[0].wrapping_add(from), base[1].wrapping_add(from)];
    let mut furthest = first[0].max(first[1]);
    let mut bits = first[0] | first[1];
    if STEPS {
        let reach = stride.wrapping_mul(15);
        furthest = furthest.max(first[0].wrapping_add(reach)).max(first[1].wrapping_add(reach));
        bits |= stride;
    }
    // Regions start at multiples of 16, so the distance is as aligned as the address. A stride whose
    // reach wraps around 64 bits would put lanes in between outside.
    let even = !STEPS || (stride as i64).unsigned_abs() < 1 << 40;
    let limit = region.bytes.saturating_sub(bytes - 1);
    (furthest < limit && bits & (bytes - 1) == 0 && even).then_some((first, stride))
}

/// Counts an access in scalar form; patterns seen last are remembered.
#[inline(always)]
unsafe fn tally<const STEPS: bool>(
    warp: &Warp,
    site: *mut Site,
    first: [u64; 2],
    stride: u64,
    bytes: u64,
) {
    // SAFETY: site and context are valid by the assembler and the scheduler.
    unsafe {
        let tallies = &mut (*warp.context).tallies[usize::from((*site).tally) & 7];
        tallies[0] += 1;
        let delta = first[1].wrapping_sub(first[0]);
        if !STEPS && bytes == 4 {
            let different = delta != 0;
            if (*site).tally < 3 {
                tallies[1] += 1 + u64::from(first[0] >> 5 != first[1] >> 5);
            } else {
                let clash = u64::from(different && delta & 127 == 0);
                tallies[1] += 1 + clash;
                tallies[2] += clash;
            }
            return;
        }
        let memo = &mut (*site).memo;
        // Banks repeat: a shift of the whole pattern changes no conflict.
        let low = if (*site).tally < 3 { first[0] & 31 } else { 0 };
        if memo.stride != stride || memo.delta != delta || memo.low != low || memo.bytes != bytes {
            traffic::remember(memo, (*site).tally, stride, delta, low, bytes);
        }
        tallies[1] += memo.passes;
        tallies[2] += memo.extra;
    }
}

/// Loads at even steps. Out of line, so that the common case stays small.
#[inline(never)]
unsafe fn gather<T: Elem>(op: &Op, warp: &mut Warp, a: *const T, b: *const T, step: isize) -> *const Op {
    // SAFETY: the caller checked every lane's bytes.
    unsafe {
        let to = warp.at(op.a).cast::<T>();
        for i in 0..16 {
            to.add(i).write(a.byte_offset(step * i as isize).read_unaligned());
        }
        for i in 0..16 {
            to.add(16 + i).write(b.byte_offset(step * i as isize).read_unaligned());
        }
        op.next(warp)
    }
}

/// Stores at even steps, likewise.
#[inline(never)]
unsafe fn scatter<T: Elem>(op: &Op, warp: &mut Warp, a: *mut T, b: *mut T, step: isize) -> *const Op {
    // SAFETY: the caller checked every lane's bytes.
    unsafe {
        let from = warp.at(op.d).cast::<T>();
        for i in 0..16 {
            a.byte_offset(step * i as isize).write_unaligned(from.add(i).read());
        }
        for i in 0..16 {
            b.byte_offset(step * i as isize).write_unaligned(from.add(16 + i).read());
        }
        op.next(warp)
    }
}

/// A load; `SCALAR_RESULT` for a stride of 0 whose result stays in scalar form.
pub struct LoadDirect<T, const WIDE: bool, const SCALAR_RESULT: bool, const COUNT: bool>(
    PhantomData<T>,
);

impl<T: Elem, const WIDE: bool, const SCALAR_RESULT: bool, const COUNT: bool> Body
    for LoadDirect<T, WIDE, SCALAR_RESULT, COUNT>
{
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `inside` checked every lane's bytes; slots are valid by the assembler.
        unsafe {
            let site = (*warp.context).sites.as_mut_ptr().add(op.c as usize);
            let bytes = size_of::<T>() as u64;
            if warp.mask != u32::MAX {
                return baseline::<Load<T, COUNT>>(op, warp);
            }
            let region = (*site).region;
            if SCALAR_RESULT {
                let Some((first, _)) = inside::<WIDE, false>(op, warp, &region, bytes) else {
                    return baseline::<Load<T, COUNT>>(op, warp);
                };
                if COUNT {
                    tally::<false>(warp, site, first, 0, bytes);
                }
                let pair =
                    first.map(|at| region.host.add(at as usize).cast::<T>().read_unaligned());
                T::put_pair(warp, op.a, pair);
            } else {
                let Some((first, stride)) = inside::<WIDE, true>(op, warp, &region, bytes) else {
                    return baseline::<Load<T, COUNT>>(op, warp);
                };
                if COUNT {
                    tally::<true>(warp, site, first, stride, bytes);
                }
                let [a, b] = first.map(|at| region.host.add(at as usize).cast_const().cast::<T>());
                if stride != bytes {
                    return gather::<T>(op, warp, a, b, stride as isize);
                }
                let to = warp.at(op.a).cast::<[T; 16]>();
                to.write(a.cast::<[T; 16]>().read_unaligned());
                to.add(1).write(b.cast::<[T; 16]>().read_unaligned());
            }
            op.next(warp)
        }
    }
}

/// A store.
pub struct StoreDirect<T, const WIDE: bool, const COUNT: bool>(PhantomData<T>);

impl<T: Elem, const WIDE: bool, const COUNT: bool> Body for StoreDirect<T, WIDE, COUNT> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `inside` checked every lane's bytes; slots are valid by the assembler.
        unsafe {
            let site = (*warp.context).sites.as_mut_ptr().add(op.c as usize);
            let bytes = size_of::<T>() as u64;
            let region = (*site).region;
            if warp.mask != u32::MAX || op.d & SCALAR != 0 {
                return baseline::<Store<T, COUNT>>(op, warp);
            }
            let Some((first, stride)) = inside::<WIDE, true>(op, warp, &region, bytes) else {
                return baseline::<Store<T, COUNT>>(op, warp);
            };
            if COUNT {
                tally::<true>(warp, site, first, stride, bytes);
            }
            let [a, b] = first.map(|at| region.host.add(at as usize).cast::<T>());
            if stride != bytes {
                return scatter::<T>(op, warp, a, b, stride as isize);
            }
            let from = warp.at(op.d).cast::<[T; 16]>();
            a.cast::<[T; 16]>().write_unaligned(from.read());
            b.cast::<[T; 16]>().write_unaligned(from.add(1).read());
            op.next(warp)
        }
    }
}
