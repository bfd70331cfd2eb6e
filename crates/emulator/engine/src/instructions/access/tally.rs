//! Counting in place, a part of the common handlers of memory instructions (see [`crate::instrument::counter`]).

use crate::instructions::access::site::AccessSite;
use crate::instrument::counter::{Memo, Pattern, WordCost, distinct};
use crate::machine::context::Context;
use crate::machine::slot::Lanes;

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
