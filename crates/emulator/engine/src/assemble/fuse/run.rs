//! The handlers of fused multiply-add sequences, of one step or of several.

use crate::assemble::fuse::fma::{DEAD, FmaSequence};
use crate::assemble::fuse::{FusedPair, Sum};
use crate::instructions::access::Load;
use crate::instructions::access::direct::{distances, in_bounds, prefetch, runs_inside, starts};
use crate::instructions::access::tally::tally;
use crate::machine::context::{Body, Deferred, WideTiers, wide};
use crate::machine::slot::{SCALAR, Scalar, both};
use crate::machine::{Op, Warp};
use crate::memory::guest::{Level, Middle, Widest};
use crate::number::fused::add_products;
use std::marker::PhantomData;

/// Runs the [`FmaSequence`] whose address is the immediate.
struct RunSequence<L, const WIDE: bool, const COUNT: bool>(PhantomData<L>);

/// Words as floats.
#[inline(always)]
fn floats(words: [u32; 16]) -> [f32; 16] {
    // SAFETY: both arrays have 64 bytes, and every bit pattern is an `f32`.
    unsafe { std::mem::transmute(words) }
}

// SAFETY: `run` returns what `Op::next` or `Op::leave` gives for the last operation of the sequence, which falls through.
unsafe impl<L: Level, const WIDE: bool, const COUNT: bool> Body for RunSequence<L, WIDE, COUNT> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the immediate is the address of a sequence that the code owns; its slots and sites are of this warp
        // (`Body::run`). `runs_inside` has checked all bytes of both loads before the first is read.
        unsafe {
            let chain = &*std::ptr::with_exposed_provenance::<FmaSequence>(op.imm as usize);
            let (same_site, run_site) = (warp.site(chain.same.c), warp.site(chain.run.c));
            let (same_region, run_region) = ((*same_site).region, (*run_site).region);
            let (same_at, _) = distances::<WIDE>(&chain.same, warp, &same_region);
            let (run_at, stride) = distances::<WIDE>(&chain.run, warp, &run_region);
            let fits = warp.mask == u32::MAX
                && stride == 4
                && runs_inside(same_at, &same_region, chain.same_bytes, 4)
                && runs_inside(run_at, &run_region, chain.run_bytes, 4);
            if !fits {
                return fall_back(op, warp);
            }
            if COUNT {
                let deferred = (*warp.context).deferred.as_mut_ptr().add(chain.index as usize);
                let by_distance = (*same_site).counter.phase | (*run_site).counter.phase == 0;
                let distance = |at: [u64; 2]| at[1].wrapping_sub(at[0]);
                let alike = distance((*deferred).same) == distance(same_at)
                    && distance((*deferred).run) == distance(run_at);
                if alike && by_distance {
                    (*deferred).times += 1;
                } else {
                    chain.count_deferred(warp.context);
                    *deferred = Deferred { same: same_at, run: run_at, times: 1 };
                }
                if !by_distance {
                    chain.count_deferred(warp.context);
                }
            }
            if WIDE {
                prefetch(run_site, run_region.host, run_at);
            }
            let same = both(same_at, |at| same_region.host.add(at as usize));
            let run = both(run_at, |at| run_region.host.add(at as usize));
            let from = warp.regs.add(chain.sum_from as usize).cast::<[f32; 16]>();
            let (mut low, mut high) = (from.read(), from.add(1).read());
            for link in &chain.links {
                let word = |p: *mut u8| p.add(link.same as usize).cast::<u32>();
                let (a, b) =
                    (floats(L::broadcast(word(same[0]))), floats(L::broadcast(word(same[1]))));
                let words = |p: *mut u8| p.add(link.run as usize).cast::<[u32; 16]>();
                let (x, y) = (floats(L::load(words(run[0]))), floats(L::load(words(run[1]))));
                add_products(&x, &a, &mut low);
                add_products(&y, &b, &mut high);
                if link.same_to != DEAD {
                    let base = [u64::from(a[0].to_bits()), u64::from(b[0].to_bits())];
                    let to = warp.regs.add(link.same_to as usize).cast::<Scalar>();
                    Scalar { base, stride: 0, unused: 0 }.store(to);
                }
                if link.run_to != DEAD {
                    let to = warp.regs.add(link.run_to as usize).cast::<[f32; 16]>();
                    to.write(x);
                    to.add(1).write(y);
                }
                if link.sum_to != DEAD {
                    let to = warp.regs.add(link.sum_to as usize).cast::<[f32; 16]>();
                    to.write(low);
                    to.add(1).write(high);
                }
            }
            let last = std::ptr::from_ref(op).add(chain.length as usize - 1);
            (*last).next(warp)
        }
    }
}

/// A sequence of one step; `d` encodes which loaded values have no other reader, and their order.
struct RunStep<L, const WIDE: bool, const SCALAR_FIRST: bool, const COUNT: bool>(PhantomData<L>);

/// The scalar value of a [`RunStep`] is dead.
pub(crate) const SAME_DEAD: u32 = 1;

/// Its run is dead.
pub(crate) const RUN_DEAD: u32 = 2;

// SAFETY: `run` returns what `Op::next` or `Op::leave` gives for the last operation of the sequence, which falls through.
unsafe impl<L: Level, const WIDE: bool, const SCALAR_FIRST: bool, const COUNT: bool> Body
    for RunStep<L, WIDE, SCALAR_FIRST, COUNT>
{
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler fused these operations in sequence: their slots and sites fit this warp
        // (`Body::run`), and the immediate is the address of the sequence, which the code owns.
        unsafe {
            let second = &*std::ptr::from_ref(op).add(1);
            let (same, run) = if SCALAR_FIRST { (op, second) } else { (second, op) };
            let fma = &*std::ptr::from_ref(op).add(2);
            let (same_site, run_site) = (warp.site(same.c), warp.site(run.c));
            let (same_bounds, run_bounds) = ((*same_site).bounds, (*run_site).bounds);
            let (same_at, _) = starts::<WIDE>(same, warp, &same_bounds);
            let (run_at, stride) = starts::<WIDE>(run, warp, &run_bounds);
            let fits = warp.mask == u32::MAX
                && stride == 4
                && in_bounds(same_at, &same_bounds, 4)
                && in_bounds(run_at, &run_bounds, 4);
            if !fits {
                return fall_back(op, warp);
            }
            if COUNT {
                tally::<false>(warp.context, same_site, same_at, 0, 4, 1);
                tally::<true>(warp.context, run_site, run_at, 4, 4, 1);
            }
            if WIDE {
                prefetch(run_site, run_bounds.host, run_at);
            }
            let word = |at: u64| same_bounds.host.add(at as usize).cast::<u32>();
            let (a, b) =
                (floats(L::broadcast(word(same_at[0]))), floats(L::broadcast(word(same_at[1]))));
            let words = |at: u64| run_bounds.host.add(at as usize).cast::<[u32; 16]>();
            let (x, y) = (floats(L::load(words(run_at[0]))), floats(L::load(words(run_at[1]))));
            let sum = warp.regs.add(fma.d as usize).cast::<[f32; 16]>();
            let (mut low, mut high) = (sum.read(), sum.add(1).read());
            add_products(&x, &a, &mut low);
            add_products(&y, &b, &mut high);
            if op.d & SAME_DEAD == 0 {
                let base = [u64::from(a[0].to_bits()), u64::from(b[0].to_bits())];
                let to = warp.known(same.a, SCALAR).cast::<Scalar>();
                Scalar { base, stride: 0, unused: 0 }.store(to);
            }
            if op.d & RUN_DEAD == 0 {
                let to = warp.regs.add(run.a as usize).cast::<[f32; 16]>();
                to.write(x);
                to.add(1).write(y);
            }
            let to = warp.regs.add(fma.a as usize).cast::<[f32; 16]>();
            to.write(low);
            to.add(1).write(high);
            fma.next(warp)
        }
    }
}

/// Runs only the first operation of a sequence, by its general handler.
///
/// # Safety
/// As for [`Body::run`]: a handler that runs passes its own operation and warp.
#[inline(never)]
unsafe fn fall_back(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: the operation is a load of words, assembled for this warp (`Body::run`); sequences are
    // handlers of `WideTiers`.
    unsafe { wide::<Load<u32>>(op, warp) }
}

/// The handler of a chain of several steps.
pub(crate) fn sequence(wide: bool, count: bool) -> WideTiers {
    match (wide, count) {
        (false, false) => {
            WideTiers::split::<RunSequence<Middle, false, false>, RunSequence<Widest, false, false>>(
            )
        }
        (false, true) => {
            WideTiers::split::<RunSequence<Middle, false, true>, RunSequence<Widest, false, true>>()
        }
        (true, false) => {
            WideTiers::split::<RunSequence<Middle, true, false>, RunSequence<Widest, true, false>>()
        }
        (true, true) => {
            WideTiers::split::<RunSequence<Middle, true, true>, RunSequence<Widest, true, true>>()
        }
    }
}

/// The handler of a chain of one step.
pub(crate) fn one(wide: bool, scalar_first: bool, count: bool) -> WideTiers {
    match (wide, scalar_first, count) {
        (false, false, false) => WideTiers::split::<
            RunStep<Middle, false, false, false>,
            RunStep<Widest, false, false, false>,
        >(),
        (false, false, true) => WideTiers::split::<
            RunStep<Middle, false, false, true>,
            RunStep<Widest, false, false, true>,
        >(),
        (false, true, false) => WideTiers::split::<
            RunStep<Middle, false, true, false>,
            RunStep<Widest, false, true, false>,
        >(),
        (false, true, true) => {
            WideTiers::split::<RunStep<Middle, false, true, true>, RunStep<Widest, false, true, true>>(
            )
        }
        (true, false, false) => WideTiers::split::<
            RunStep<Middle, true, false, false>,
            RunStep<Widest, true, false, false>,
        >(),
        (true, false, true) => {
            WideTiers::split::<RunStep<Middle, true, false, true>, RunStep<Widest, true, false, true>>(
            )
        }
        (true, true, false) => {
            WideTiers::split::<RunStep<Middle, true, true, false>, RunStep<Widest, true, true, false>>(
            )
        }
        (true, true, true) => {
            WideTiers::split::<RunStep<Middle, true, true, true>, RunStep<Widest, true, true, true>>(
            )
        }
    }
}

/// The handler of a scalar sum followed by a chain of one step. The sum usually computes an
/// address.
pub(crate) fn sum_and_one(wide: bool, scalar_first: bool, count: bool) -> WideTiers {
    match (wide, scalar_first, count) {
        (false, false, false) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, false, false, false>>,
            FusedPair<Sum, RunStep<Widest, false, false, false>>,
        >(),
        (false, false, true) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, false, false, true>>,
            FusedPair<Sum, RunStep<Widest, false, false, true>>,
        >(),
        (false, true, false) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, false, true, false>>,
            FusedPair<Sum, RunStep<Widest, false, true, false>>,
        >(),
        (false, true, true) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, false, true, true>>,
            FusedPair<Sum, RunStep<Widest, false, true, true>>,
        >(),
        (true, false, false) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, true, false, false>>,
            FusedPair<Sum, RunStep<Widest, true, false, false>>,
        >(),
        (true, false, true) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, true, false, true>>,
            FusedPair<Sum, RunStep<Widest, true, false, true>>,
        >(),
        (true, true, false) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, true, true, false>>,
            FusedPair<Sum, RunStep<Widest, true, true, false>>,
        >(),
        (true, true, true) => WideTiers::split::<
            FusedPair<Sum, RunStep<Middle, true, true, true>>,
            FusedPair<Sum, RunStep<Widest, true, true, true>>,
        >(),
    }
}
