//! Atomics and asynchronous copies, lane after lane.

use crate::ablation::FastPath;
use crate::fault::{FaultKind, RawFault};
use crate::instructions::access::delayed::overlap;
use crate::instructions::access::site::{AccessSite, Delay, Region};
use crate::instructions::access::{each_active, plan, within};
use crate::instructions::alu::atomic::replace;
use crate::machine::context::{Body, Context, fault, recover};
use crate::machine::lanes::{Source, addresses, fetch_cold, put_cold, put_warm};
use crate::machine::slot::{BITS, Lanes};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use crate::number::single::canonical;
use lanework_ptx_ir::kernel::MemorySpace;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// An atomic whose function is in its site, lane after lane.
pub struct Atomic;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Atomic {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked the bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            let bytes = (*site).bytes;
            let combine = (*site).combine.unwrap_or(|m, _, _| m);
            if (*site).delay != Delay::Never {
                let b =
                    (*site).data[0].map_or(Lanes([0; 32]), |slot| fetch_cold::<u64>(warp, slot));
                if delay(op, warp, site, |i| b.0[i], |m, b| combine(m, b, 0)) {
                    return op.leave();
                }
            }
            let mut host = Lanes([0u64; 32]);
            if let Err(null) = plan(op, warp, site, u64::from(bytes), &mut host) {
                return null;
            }
            let operand = |i: usize| {
                (*site).data[i].map_or(Lanes([0; 32]), |slot| fetch_cold::<u64>(warp, slot))
            };
            let (b, c) = (operand(0), operand(1));
            let mut old = Lanes([0u64; 32]);
            each_active(warp.mask, |i| {
                let to = host.0[i] as *mut u8;
                old.0[i] = replace(to, bytes, |m| combine(m, b.0[i], c.0[i]));
            });
            if let Some(slot) = (*site).data[2] {
                put_cold(warp, slot, old);
            }
            op.leave()
        }
    }
}

/// Delays the reduction of a site, if its cached region is or can be joined; else the caller performs it.
///
/// # Safety
/// A running handler was given the operation and the warp, and the site is the operation's. `sum` computes the same as the
/// site's function.
#[inline(always)]
unsafe fn delay(
    op: &Op,
    warp: &mut Warp,
    site: *mut AccessSite,
    operand: impl Fn(usize) -> u64,
    sum: impl Fn(u64, u64) -> u64,
) -> bool {
    // SAFETY: the worker owns the site and the context for as long as its warps run; `within` finds the lanes' aligned words in
    // the site's region, which is joined.
    unsafe {
        let context = warp.context;
        let at = addresses(warp, op.b, (*site).offset);
        let mut host = Lanes([0u64; 32]);
        let bytes = u64::from((*site).bytes);
        if !within(&(*site).region, warp.mask, &at, bytes, &mut host)
            || (*site).delay != Delay::Joined && !join(context, site, warp.mask.count_ones())
        {
            return false;
        }
        let Some(delayed) = &mut (*context).delayed else { return false };
        delayed.add(warp.mask, &host, operand, sum);
        if delayed.is_useless() {
            (*context).end_delays();
        }
        true
    }
}

/// Joins a site's region, before a reduction of so many lanes. Fails if it is not in global memory, if too many are joined, or if
/// too few reductions have been performed.
///
/// # Safety
/// The worker owns the context, and the site is one of its sites.
#[cold]
#[inline(never)]
unsafe fn join(context: *mut Context, site: *mut AccessSite, lanes: u32) -> bool {
    // SAFETY: the worker owns both (contract of this function), and the launch holds the lock of global memory.
    unsafe {
        let region = (*site).region;
        let Some(delayed) = &mut (*context).delayed else { return false };
        if !delayed.pays_off(lanes) {
            return false;
        }
        let global = (*(*context).memory).region(region.start);
        if global.is_none_or(|global| global.host != region.host) || !delayed.join(region) {
            return false;
        }
        for other in &mut (*context).sites {
            if other.delay == Delay::Never && overlap(&other.region, &region) {
                other.hit(Region::EMPTY);
            }
        }
        (*site).delay = Delay::Joined;
        true
    }
}

/// A common function of 32-bit atomics.
pub trait WordFunction {
    /// Whether reductions may be delayed, as in [`crate::instructions::access::delayed`].
    const DELAYABLE: bool = false;

    /// The new word, from the one in memory and the operands.
    fn combine(m: u32, b: u32, c: u32) -> u32;

    /// Replaces a word that other workers may replace at the same time; returns the old one.
    #[inline(always)]
    fn replace(cell: &AtomicU32, b: u32, c: u32) -> u32 {
        let old = cell.fetch_update(Relaxed, Relaxed, |m| Some(Self::combine(m, b, c)));
        old.unwrap_or_default()
    }
}

/// `.add` of integers.
pub struct WordSum;

impl WordFunction for WordSum {
    const DELAYABLE: bool = true;

    #[inline(always)]
    fn combine(m: u32, b: u32, _c: u32) -> u32 {
        m.wrapping_add(b)
    }

    #[inline(always)]
    fn replace(cell: &AtomicU32, b: u32, _c: u32) -> u32 {
        cell.fetch_add(b, Relaxed)
    }
}

/// `.add.f32`.
pub struct SingleSum;

impl WordFunction for SingleSum {
    #[inline(always)]
    fn combine(m: u32, b: u32, _c: u32) -> u32 {
        canonical(f32::from_bits(m) + f32::from_bits(b)).to_bits()
    }
}

/// `.cas.b32`.
pub struct CompareAndSwap;

impl WordFunction for CompareAndSwap {
    #[inline(always)]
    fn combine(m: u32, b: u32, c: u32) -> u32 {
        if m == b { c } else { m }
    }

    #[inline(always)]
    fn replace(cell: &AtomicU32, b: u32, c: u32) -> u32 {
        cell.compare_exchange(b, c, Relaxed, Relaxed).unwrap_or_else(|old| old)
    }
}

/// The host address of all active lanes, if they have the same one.
#[inline(always)]
fn same_place(mask: u32, host: &Lanes<u64>) -> Option<u64> {
    let first = host.0[mask.trailing_zeros() as usize & 31];
    let mut differ = 0;
    for i in 0..32 {
        differ |= if mask & BITS[i] != 0 { host.0[i] ^ first } else { 0 };
    }
    (differ == 0).then_some(first)
}

/// Stands in for an absent operand.
static NONE: Lanes<u32> = Lanes([0; 32]);

/// An atomic of a common function on words, lane after lane.
pub struct WordAtomic<F>(PhantomData<F>);

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<F: WordFunction> Body for WordAtomic<F> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked the four bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            if F::DELAYABLE && (*site).delay != Delay::Never {
                let mut copy = MaybeUninit::uninit();
                let b = (*site).data[0].map_or(NONE, |slot| *u32::view(warp, slot, &mut copy));
                let sum = |m, b| u64::from(F::combine(m as u32, b as u32, 0));
                if delay(op, warp, site, |i| b.0[i].into(), sum) {
                    return op.leave();
                }
            }
            let mut host = Lanes([0u64; 32]);
            if let Err(null) = plan(op, warp, site, 4, &mut host) {
                return null;
            }
            let mut copies = [const { MaybeUninit::uninit() }; 2];
            let [first, second] = &mut copies;
            let (b, c) = (
                (*site).data[0].map_or(&NONE, |slot| u32::view(warp, slot, first)),
                (*site).data[1].map_or(&NONE, |slot| u32::view(warp, slot, second)),
            );
            let mut old = Lanes([0u32; 32]);
            if (*site).space == MemorySpace::Shared && FastPath::OwnSharedMemory.on() {
                // One worker runs all blocks of a cluster, so no other thread accesses the word.
                each_active(warp.mask, |i| {
                    let to = host.0[i] as *mut u32;
                    old.0[i] = guest::load(to);
                    guest::store(to, F::combine(old.0[i], b.0[i], c.0[i]));
                });
            } else if let Some(place) = same_place(warp.mask, &host)
                && FastPath::OneExchange.on()
            {
                // One exchange serves all lanes: they follow each other with nothing in between.
                let cell = AtomicU32::from_ptr(place as *mut u32);
                let all = cell.fetch_update(Relaxed, Relaxed, |mut word| {
                    each_active(warp.mask, |i| {
                        old.0[i] = word;
                        word = F::combine(word, b.0[i], c.0[i]);
                    });
                    Some(word)
                });
                debug_assert!(all.is_ok());
            } else {
                each_active(warp.mask, |i| {
                    let cell = AtomicU32::from_ptr(host.0[i] as *mut u32);
                    old.0[i] = F::replace(cell, b.0[i], c.0[i]);
                });
            }
            if let Some(slot) = (*site).data[2] {
                put_warm(warp, slot, old);
            }
            op.leave()
        }
    }
}

/// An exchange or compare-and-swap of 128 bits, lane by lane. Its kernels run their blocks one after another
/// ([`lanework_ptx_ir::kernel::Kernel::ordered_blocks`]), so that no other worker can access one half in between.
pub struct AtomicQuad;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for AtomicQuad {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        const BYTES: usize = 16;
        // SAFETY: `plan` checked the bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            let mut host = Lanes([0u64; 32]);
            if let Err(null) = plan(op, warp, site, BYTES as u64, &mut host) {
                return null;
            }
            let operand = |i: usize| (*site).data[i].map(|slot| fetch_cold::<u64>(warp, slot));
            let [low, high, new_low, new_high] = [0, 1, 2, 3].map(operand);
            let mut old = [Lanes([0u64; 32]); 2];
            for lane in (0..32usize).filter(|lane| warp.mask & BITS[*lane] != 0) {
                let half = |of: &Option<Lanes<u64>>| of.as_ref().map_or(0, |of| of.0[lane]);
                let to = host.0[lane] as *mut u8;
                let mut bytes = [0u8; BYTES];
                guest::read_bytes(to, &mut bytes);
                let held = u128::from_le_bytes(bytes);
                (old[0].0[lane], old[1].0[lane]) = (held as u64, (held >> 64) as u64);
                let given = u128::from(half(&low)) | u128::from(half(&high)) << 64;
                let other = u128::from(half(&new_low)) | u128::from(half(&new_high)) << 64;
                // An exchange has two halves, a compare-and-swap four.
                let new = match new_low {
                    None => given,
                    Some(_) if held == given => other,
                    Some(_) => held,
                };
                guest::write_bytes(to, &new.to_le_bytes());
            }
            for (slot, old) in (&(*site).data)[4..6].iter().zip(old) {
                if let Some(slot) = slot {
                    put_cold(warp, *slot, old);
                }
            }
            op.leave()
        }
    }
}

/// `cp.async`: from global to shared memory, the rest filled with zeros.
pub struct AsyncCopy;

/// Flag in the immediate of an [`AsyncCopy`]: an instrument observes it.
pub const OBSERVED: u64 = 1 << 8;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for AsyncCopy {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `lane_host`
        // checks the source and the target of each lane before the copy.
        unsafe {
            let bytes = op.imm & 0xff;
            let (to, from) = (addresses(warp, op.b, 0), addresses(warp, op.c, 0));
            let have = fetch_cold::<u32>(warp, op.d);
            if op.imm & OBSERVED != 0 {
                let place = (*warp.context).place(warp, op);
                let instrument = (*warp.context).hook.any();
                instrument.copy(warp, place, bytes as u32, [&to.0, &from.0], &have.0);
            }
            for lane in 0..32u32 {
                if warp.mask >> lane & 1 == 0 {
                    continue;
                }
                let i = lane as usize;
                let read = u64::from(have.0[i]).min(bytes);
                let context: &Context = &*warp.context;
                let target =
                    context.lane_host(MemorySpace::Shared, warp.index, lane, to.0[i], bytes);
                let source = if read == 0 {
                    Some(std::ptr::null_mut())
                } else {
                    context.lane_host(MemorySpace::Global, warp.index, lane, from.0[i], read)
                };
                let aligned = |a: u64| a & (bytes - 1) == 0;
                let bad = |space: MemorySpace, address: u64| RawFault {
                    kind: if aligned(address) {
                        FaultKind::OutOfBounds
                    } else {
                        FaultKind::Misaligned
                    },
                    lane,
                    address: Some(address),
                    bytes: bytes as u32,
                    space,
                    access: None,
                    note: String::new(),
                };
                let target = match target {
                    Some(target) if aligned(to.0[i]) => Ok(target),
                    _ => recover(warp, op, bad(MemorySpace::Shared, to.0[i])),
                };
                let source = match source {
                    Some(source) if read == 0 || aligned(from.0[i]) => Ok(source),
                    _ => recover(warp, op, bad(MemorySpace::Global, from.0[i])),
                };
                let (target, source) = match (target, source) {
                    (Ok(target), Ok(source)) => (target, source),
                    (Err(raw), _) | (_, Err(raw)) => return fault(warp, op, raw),
                };
                let mut buffer = [0u8; 16];
                if read > 0 {
                    guest::read_bytes(source, &mut buffer[..read as usize]);
                }
                guest::write_bytes(target, &buffer[..bytes as usize]);
            }
            op.leave()
        }
    }
}
