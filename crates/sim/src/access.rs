//! Loads, stores and atomics.
//!
//! An access in scalar form is checked by its end points and done as wide moves; any other is checked
//! by its lowest and highest address against the region hit last, and lane by lane when that fails.

use crate::context::{RawFault, Site, fault};
use crate::fault::FaultKind;
use crate::ir::MemorySpace;
use crate::lanes::{BITS, Elem, Lanes, SCALAR, Scalar, Sink, Slot, Source, WIDE};
use crate::op::{Body, Op, Warp};
use std::marker::PhantomData;

/// Where the lanes of a checked access lie on the host.
pub enum Plan {
    /// Bases of both halves and the step between lanes; a half without active lanes has no base.
    Steps([*mut u8; 2], isize),
    /// One address per active lane.
    Lanes(Lanes<u64>),
}

/// Calls `f` with each active lane, lowest first.
#[inline(always)]
fn each_active(mask: u32, mut f: impl FnMut(usize)) {
    let mut rest = mask;
    while rest != 0 {
        f(rest.trailing_zeros() as usize & 31);
        rest &= rest - 1;
    }
}

/// The address operand in scalar form, offset added.
#[inline(always)]
unsafe fn steps(warp: &Warp, slot: Slot, offset: u64) -> ([u64; 2], u64) {
    // SAFETY: the assembler gave a slot in scalar form.
    let scalar = unsafe { *warp.at(slot).cast::<Scalar>() };
    if slot & WIDE != 0 {
        (scalar.base.map(|b| b.wrapping_add(offset)), scalar.stride)
    } else {
        let stride = i64::from(scalar.stride as i32) as u64;
        (scalar.base.map(|b| u64::from(b as u32).wrapping_add(offset)), stride)
    }
}

/// The address of each lane.
#[inline(always)]
pub unsafe fn addresses(warp: &Warp, slot: Slot, offset: u64) -> Lanes<u64> {
    // SAFETY: by the caller.
    let mut at = unsafe { u64::fetch(warp, slot) };
    if slot & WIDE == 0 {
        for i in 0..32 {
            at.0[i] = u64::from(at.0[i] as u32);
        }
    }
    for i in 0..32 {
        at.0[i] = at.0[i].wrapping_add(offset);
    }
    at
}

/// Checks an access of `bytes` per lane; on a fault, stops the warp and gives the null to return.
#[inline(always)]
pub unsafe fn plan<const OBSERVE: bool>(
    op: &Op,
    warp: &mut Warp,
    site: *mut Site,
    bytes: u64,
) -> Result<Plan, *const Op> {
    // SAFETY: site, slots and context are valid by the assembler and the scheduler.
    unsafe {
        let offset = (*site).offset;
        let align = bytes - 1;
        if op.b & SCALAR != 0 {
            let (base, stride) = steps(warp, op.b, offset);
            let halves = [warp.mask & 0xffff != 0, warp.mask >> 16 != 0];
            let reach = stride.wrapping_mul(15);
            let last = base.map(|b| b.wrapping_add(reach));
            // A half without active lanes borrows the other's addresses.
            let (a, b) = (usize::from(!halves[0]), usize::from(halves[1]));
            let low = base[a].min(last[a]).min(base[b].min(last[b]));
            let high = base[a].max(last[a]).max(base[b].max(last[b]));
            let aligned = (base[a] | base[b] | stride) & align == 0;
            if aligned && high.wrapping_sub(low) < 1 << 40 {
                if !(*site).region.holds(low, high, bytes)
                    && let Some(region) = (*warp.context).region_of((*site).space, low)
                {
                    (*site).region = region;
                }
                let region = (*site).region;
                if region.holds(low, high, bytes) {
                    if OBSERVE {
                        let at = addresses(warp, op.b, offset);
                        (*warp.context).observe(warp, op, &*site, &at.0);
                    }
                    let host =
                        |guest: u64| region.host.wrapping_add((guest - region.start) as usize);
                    return Ok(Plan::Steps([host(base[a]), host(base[b])], stride as isize));
                }
            }
        }
        let at = addresses(warp, op.b, offset);
        let (mut low, mut high, mut any) = (u64::MAX, 0, 0);
        for i in 0..32 {
            let active = warp.mask & BITS[i] != 0;
            low = low.min(if active { at.0[i] } else { u64::MAX });
            high = high.max(if active { at.0[i] } else { 0 });
            any |= if active { at.0[i] } else { 0 };
        }
        if OBSERVE {
            (*warp.context).observe(warp, op, &*site, &at.0);
        }
        let region = (*site).region;
        if any & align == 0 && region.holds(low, high, bytes) {
            let mut host = at;
            let delta = (region.host as u64).wrapping_sub(region.start);
            for i in 0..32 {
                host.0[i] = host.0[i].wrapping_add(delta);
            }
            return Ok(Plan::Lanes(host));
        }
        lane_by_lane(op, warp, site, bytes, &at)
    }
}

/// Finds each lane's host address on its own, or the first fault.
#[cold]
#[inline(never)]
unsafe fn lane_by_lane(
    op: &Op,
    warp: &mut Warp,
    site: *mut Site,
    bytes: u64,
    at: &Lanes<u64>,
) -> Result<Plan, *const Op> {
    let mut host = Lanes([0u64; 32]);
    // SAFETY: site and context are valid by the assembler and the scheduler.
    let (site, context) = unsafe { (&mut *site, &*warp.context) };
    for lane in 0..32u32 {
        if warp.mask >> lane & 1 == 0 {
            continue;
        }
        let address = at.0[lane as usize];
        let found = context.lane_host(site.space, warp.index, lane, address, bytes);
        let aligned = address & (bytes - 1) == 0;
        match found {
            Some(pointer) if aligned => host.0[lane as usize] = pointer as u64,
            _ => {
                let kind =
                    if found.is_some() { FaultKind::Misaligned } else { FaultKind::OutOfBounds };
                let raw = RawFault {
                    kind,
                    lane,
                    address: Some(address),
                    bytes: bytes as u32,
                    space: site.space,
                    access: Some(site.kind),
                    note: String::new(),
                };
                return Err(fault(warp, op, raw));
            }
        }
    }
    let lane = warp.mask.trailing_zeros() as usize & 31;
    if let Some(region) = context.region_of(site.space, at.0[lane])
        && site.space != MemorySpace::Local
        && region.holds(at.0[lane], at.0[lane], bytes)
    {
        site.region = region;
    }
    Ok(Plan::Lanes(host))
}

/// A load of elements `T`.
pub struct Load<T, const OBSERVE: bool>(PhantomData<T>);

impl<T: Elem, const OBSERVE: bool> Body for Load<T, OBSERVE> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked every active lane's bytes; slots are valid by the assembler.
        unsafe {
            let site = warp.site(op.c);
            let count = usize::from((*site).count);
            let plan = match plan::<OBSERVE>(op, warp, site, (size_of::<T>() * count) as u64) {
                Ok(plan) => plan,
                Err(null) => return null,
            };
            for element in 0..count {
                let Some(slot) = (*site).data[element] else { continue };
                let skip = element * size_of::<T>();
                match &plan {
                    Plan::Steps(base, stride) => {
                        let base = [base[0].wrapping_add(skip), base[1].wrapping_add(skip)];
                        load_steps::<T>(warp, slot, base, *stride);
                    }
                    Plan::Lanes(host) => {
                        let mut out = Lanes([T::default(); 32]);
                        if warp.mask == u32::MAX {
                            for i in 0..32 {
                                out.0[i] = (host.0[i] as *const T).byte_add(skip).read_unaligned();
                            }
                        } else {
                            each_active(warp.mask, |i| {
                                out.0[i] = (host.0[i] as *const T).byte_add(skip).read_unaligned();
                            });
                        }
                        if slot & SCALAR != 0 {
                            let lanes = [warp.mask & 0xffff, warp.mask >> 16];
                            let first = |half: usize| {
                                out.0[(half * 16 + lanes[half].trailing_zeros() as usize).min(31)]
                            };
                            T::put_pair(warp, slot, [first(0), first(1)]);
                        } else {
                            T::put(warp, slot, out);
                        }
                    }
                }
            }
            op.next(warp)
        }
    }
}

/// Loads at even steps; every lane of a half that has active ones may be read.
#[inline(always)]
unsafe fn load_steps<T: Elem>(warp: &mut Warp, slot: Slot, base: [*mut u8; 2], stride: isize) {
    // SAFETY: by `plan`.
    unsafe {
        let [a, b] = base.map(|p| p as *const T);
        if slot & SCALAR != 0 {
            return T::put_pair(warp, slot, [a.read_unaligned(), b.read_unaligned()]);
        }
        let mut out = Lanes([T::default(); 32]);
        if stride == size_of::<T>() as isize {
            let (low, high) = (*a.cast::<Unaligned<T>>(), *b.cast::<Unaligned<T>>());
            let (low, high) = (low.0, high.0);
            out.0[..16].copy_from_slice(&low);
            out.0[16..].copy_from_slice(&high);
        } else if stride == 0 {
            let (low, high) = (a.read_unaligned(), b.read_unaligned());
            for i in 0..16 {
                out.0[i] = low;
                out.0[16 + i] = high;
            }
        } else {
            for i in 0..16 {
                out.0[i] = a.byte_offset(stride * i as isize).read_unaligned();
                out.0[16 + i] = b.byte_offset(stride * i as isize).read_unaligned();
            }
        }
        T::put(warp, slot, out);
    }
}

/// Sixteen elements at any address.
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct Unaligned<T: Copy>(pub [T; 16]);

/// A store of elements `T`.
pub struct Store<T, const OBSERVE: bool>(PhantomData<T>);

impl<T: Elem, const OBSERVE: bool> Body for Store<T, OBSERVE> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked every active lane's bytes; slots are valid by the assembler.
        unsafe {
            let site = warp.site(op.c);
            let count = usize::from((*site).count);
            let plan = match plan::<OBSERVE>(op, warp, site, (size_of::<T>() * count) as u64) {
                Ok(plan) => plan,
                Err(null) => return null,
            };
            for element in 0..count {
                let Some(slot) = (*site).data[element] else { continue };
                let skip = element * size_of::<T>();
                let values = T::fetch(warp, slot);
                match &plan {
                    Plan::Steps(base, stride) => {
                        let [a, b] = base.map(|p| p.wrapping_add(skip) as *mut T);
                        if warp.mask == u32::MAX && *stride == size_of::<T>() as isize {
                            let (mut low, mut high) = ([T::default(); 16], [T::default(); 16]);
                            low.copy_from_slice(&values.0[..16]);
                            high.copy_from_slice(&values.0[16..]);
                            *a.cast::<Unaligned<T>>() = Unaligned(low);
                            *b.cast::<Unaligned<T>>() = Unaligned(high);
                        } else {
                            each_active(warp.mask, |i| {
                                let to = if i < 16 { a } else { b };
                                let to = to.wrapping_byte_offset(*stride * (i as isize & 15));
                                to.write_unaligned(values.0[i]);
                            });
                        }
                    }
                    Plan::Lanes(host) => {
                        each_active(warp.mask, |i| {
                            (host.0[i] as *mut T).byte_add(skip).write_unaligned(values.0[i]);
                        });
                    }
                }
            }
            op.next(warp)
        }
    }
}
