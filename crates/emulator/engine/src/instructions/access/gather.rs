//! Loads from lanes' own addresses into 512-bit registers, for all or some lanes.
//!
//! Such a load collects its words in registers. Written to memory one by one, they would stall the next operation's wide read.
//! The host's gather instructions took twice as long, because their microcode prevents speculation.

use crate::instructions::access::Load;
use crate::instructions::access::tally::count_lanes;
use crate::machine::context::{Body, wide};
use crate::machine::slot::{Lanes, WIDE};
use crate::machine::{Op, Warp};
use crate::memory::guest::{self, x86};
use std::arch::x86_64::*;

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
                return wide::<Load<u32>>(op, warp);
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
                        x86::words(host, addresses.add(half * 16 + lane).cast::<[u64; 4]>().read())
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
