//! Parts of the common handlers of memory instructions: counting in place (see [`crate::instrument::counter`]), and loads from
//! lanes' own addresses into 512-bit registers, also for some lanes only.
//!
//! Such a load collects its words in registers. Written to memory one by one, they would stall the next operation's wide read.
//! The host's gather instructions took twice as long, because their microcode prevents speculation.

use crate::instructions::access::Load;
use crate::instructions::access::site::AccessSite;
use crate::instrument::counter::{Memo, Pattern, WordCost, distinct};
use crate::machine::context::{Body, Context, baseline};
use crate::machine::slot::{Lanes, WIDE};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use std::arch::x86_64::*;

/// Counts an access in scalar form in the site's slots, by its rule, and remembers its pattern.
///
/// # Safety
/// The site comes from the assembler.
#[inline(always)]
pub unsafe fn tally<const STEPS: bool>(
    context: *mut Context,
    site: *mut AccessSite,
    first: [u64; 2],
    stride: u64,
    bytes: u64,
    times: u64,
) {
    // SAFETY: the assembler gave the site's offset, and the worker owns sites and context for as long as its warps
    // run (`Body::run`).
    unsafe {
        let rule = (*site).counter;
        let slots = &mut (*site).slots;
        slots[0] += times;
        let delta = first[1].wrapping_sub(first[0]);
        if !STEPS && bytes == 4 && rule.words != WordCost::Asked {
            if rule.words == WordCost::Granules {
                let granules = 1 + u64::from(first[0] >> 5 != first[1] >> 5);
                slots[1] += granules * times;
                slots[2] += granules * times;
            } else {
                let clash = u64::from(delta != 0 && delta & 127 == 0);
                slots[1] += (1 + clash) * times;
                slots[2] += clash * times;
            }
            return;
        }
        let bytes = if rule.bytes != 0 { rule.bytes.into() } else { bytes };
        let low = first[0] & u64::from(rule.phase);
        let known = &(*site).memo.pattern;
        // Compare field by field: a `Pattern` to compare with would be written to the host's stack
        // each time.
        if known.stride != stride
            || known.delta != delta
            || known.low != low
            || known.bytes != bytes
        {
            // The warp itself stays out of the call, so that its fields may stay in registers.
            ask(context, site, stride, delta, low, bytes);
        }
        let [one, other] = (*site).memo.cost;
        slots[1] += one * times;
        slots[2] += other * times;
    }
}

/// Asks the instrument for the cost of a pattern.
///
/// # Safety
/// The context belongs to the running warp, and the site is one of its sites.
#[cold]
#[inline(never)]
unsafe fn ask(
    context: *mut Context,
    site: *mut AccessSite,
    stride: u64,
    delta: u64,
    low: u64,
    bytes: u64,
) {
    let pattern = Pattern { stride, delta, low, bytes };
    // SAFETY: the assembler gave the site's offset, and the worker owns sites and context for as long as its warps
    // run (`Body::run`).
    unsafe {
        let cost = (*context).hook.any().cost((*site).counter.class, &pattern);
        (*site).memo = Memo { pattern, cost };
    }
}

/// Counts an access by 32 lanes to independent words: the number of distinct 32-byte granules, and
/// the same number limited to 4, which is what 32 adjacent words need. `from` moves the addresses
/// so that granule numbers fit in 32 bits.
///
/// # Safety
/// The site comes from the assembler.
#[inline(always)]
pub unsafe fn count_lanes(site: *mut AccessSite, addresses: &Lanes<u64>, from: u64) {
    let mut granules = [0u32; 32];
    for i in 0..32 {
        // Regions are smaller than 2^37 bytes, because no host has so much memory.
        granules[i] = (addresses.0[i].wrapping_add(from) >> 5) as u32;
    }
    let distinct = distinct(&granules);
    // SAFETY: handlers pass a site of their worker's context (`Warp::site`), to which no other reference exists while
    // they run.
    unsafe {
        let slots = &mut (*site).slots;
        slots[0] += 1;
        slots[1] += u64::from(distinct);
        slots[2] += u64::from(distinct.min(4));
    }
}

/// A load of 32-bit words from 32 independent addresses, in global memory.
pub struct Gather<const COUNT: bool>;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<const COUNT: bool> Body for Gather<COUNT> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it, in the forms
        // for which the assembler picks this handler, and only where the host has AVX-512. Every active lane's distance
        // was found below `room`, so its four bytes are in the region hit last, which the launch keeps allocated.
        unsafe {
            let mask = warp.mask;
            let site = warp.site(op.c);
            let bounds = (*site).bounds;
            let at = warp.known(op.b, WIDE).cast::<__m512i>();
            let from = _mm512_set1_epi64(bounds.from as i64);
            let room = _mm512_set1_epi64(bounds.room as i64);
            let low_bits = _mm512_set1_epi64(3);
            let mut bad = 0;
            for i in 0..4 {
                let (active, distances) =
                    ((mask >> (8 * i)) as __mmask8, _mm512_add_epi64(at.add(i).read(), from));
                // Distances are unsigned: one below the region wraps to a large one.
                bad |= _mm512_mask_cmpge_epu64_mask(active, distances, room);
                bad |= _mm512_mask_test_epi64_mask(active, distances, low_bits);
            }
            if bad != 0 || COUNT && mask != u32::MAX {
                return baseline::<Load<u32>>(op, warp);
            }
            if COUNT {
                count_lanes(site, &*at.cast::<Lanes<u64>>(), bounds.from);
            }
            let to = warp.known(op.a, 0).cast::<__m512i>();
            if mask == u32::MAX {
                let host = bounds.host.wrapping_add(bounds.from as usize);
                let addresses = at.cast::<u64>();
                for half in 0..2 {
                    let four = |lane: usize| {
                        guest::words(
                            host,
                            addresses.add(half * 16 + lane).cast::<[u64; 4]>().read(),
                        )
                    };
                    let eight = |i| _mm256_set_m128i(four(i + 4), four(i));
                    let low = _mm512_castsi256_si512(eight(0));
                    to.add(half).write(_mm512_inserti64x4::<1>(low, eight(8)));
                }
            } else {
                let mut rest = mask;
                let host = bounds.host.wrapping_add(bounds.from as usize);
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize & 31;
                    rest &= rest - 1;
                    let address = at.cast::<u64>().add(lane).read() as usize;
                    let word = guest::load(host.wrapping_add(address).cast::<u32>());
                    to.cast::<u32>().add(lane).write(word);
                }
            }
            op.next(warp)
        }
    }
}
