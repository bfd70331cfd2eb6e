//! Superinstructions: sequences so common that one handler runs them all.
//!
//! A fused handler overlays the first operation of its sequence and leaves the others in place, so
//! branch targets stay valid, and a fused handler that meets an uncommon case falls back to the first
//! operation alone.

use crate::access::Load;
use crate::control::BranchUniform;
use crate::direct::{distances, prefetch, runs_inside, tally};
use crate::lanes::{OFFSET, SCALAR, Scalar, WIDE as WIDE_FORM};
use crate::op::{Body, Op, Tiers, Warp, baseline};
use std::marker::PhantomData;

/// What the assembler remembers of an operation, to find sequences.
#[derive(Clone, Copy)]
pub enum Mark {
    /// Nothing of use.
    Plain,
    /// A direct 32-bit load in scalar form, by whether its address is 64 bits wide.
    LoadScalar(bool),
    /// A direct 32-bit load of runs of lanes, likewise.
    LoadRun(bool),
    /// A direct `fma.f32` of one scalar and one varying factor and a varying sum.
    Fma,
    /// A sum of scalar forms.
    Sum,
    /// A uniform comparison, with the handler of it and a branch.
    Compare(Tiers),
    /// A branch on a uniform predicate.
    BranchUniform,
}

/// A body that can be followed by another in the same handler.
pub trait Step {
    /// Does the operation's work; the error is where to go on instead of the next operation.
    ///
    /// # Safety
    /// As for [`crate::op::Handler`].
    unsafe fn step(op: &Op, warp: &mut Warp) -> Result<(), *const Op>;
}

/// Two operations in one handler.
pub struct Two<A, B>(PhantomData<(A, B)>);

impl<A: Step, B: Body> Body for Two<A, B> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler fused two operations in sequence.
        unsafe {
            match A::step(op, warp) {
                Ok(()) => B::run(&*std::ptr::from_ref(op).add(1), warp),
                Err(to) => to,
            }
        }
    }
}

/// The sum of two scalar forms.
pub struct Sum;

impl Step for Sum {
    #[inline(always)]
    unsafe fn step(op: &Op, warp: &mut Warp) -> Result<(), *const Op> {
        // SAFETY: slots are bare offsets of scalar forms by the assembler.
        unsafe {
            let a = *warp.regs.add(op.b as usize).cast::<[u64; 4]>();
            let b = *warp.regs.add(op.c as usize).cast::<[u64; 4]>();
            let mut sum = [0u64; 4];
            for i in 0..4 {
                sum[i] = a[i].wrapping_add(b[i]);
            }
            *warp.regs.add(op.a as usize).cast::<[u64; 4]>() = sum;
        }
        Ok(())
    }
}

impl Body for Sum {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: by the caller; a sum always steps.
        unsafe {
            let _ = Sum::step(op, warp);
            op.next(warp)
        }
    }
}

/// Two 32-bit loads, one in scalar form and one of runs of lanes, and the `fma` of both: the inner step of
/// a matrix product.
struct LoadLoadFma<const WIDE: bool, const SCALAR_FIRST: bool, const COUNT: bool>;

impl<const WIDE: bool, const SCALAR_FIRST: bool, const COUNT: bool> Body
    for LoadLoadFma<WIDE, SCALAR_FIRST, COUNT>
{
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler fused three operations in sequence whose slots fit each other; the
        // accesses are checked before anything is written.
        unsafe {
            let second = &*std::ptr::from_ref(op).add(1);
            let fma = &*std::ptr::from_ref(op).add(2);
            let (same, run) = if SCALAR_FIRST { (op, second) } else { (second, op) };
            let (same_site, run_site) = (warp.site(same.c), warp.site(run.c));
            let (same_region, run_region) = ((*same_site).region, (*run_site).region);
            let (same_at, _) = distances::<WIDE>(same, warp, &same_region);
            let (run_at, stride) = distances::<WIDE>(run, warp, &run_region);
            let fits = warp.mask == u32::MAX
                && stride == 4
                && runs_inside(same_at, &same_region, 4, 4)
                && runs_inside(run_at, &run_region, 64, 4);
            if !fits {
                return fall_back::<COUNT>(op, warp);
            }
            if COUNT {
                tally::<false>(warp, same_site, same_at, 0, 4);
                tally::<true>(warp, run_site, run_at, 4, 4);
            }
            if WIDE {
                prefetch(run_site, &run_region, run_at);
            }
            let [a, b] =
                same_at.map(|at| same_region.host.add(at as usize).cast::<u32>().read_unaligned());
            let base = [u64::from(a), u64::from(b)];
            warp.known(same.a, SCALAR).cast::<Scalar>().write(Scalar {
                base,
                stride: 0,
                unused: 0,
            });
            let [low, high] = run_at
                .map(|at| run_region.host.add(at as usize).cast::<[f32; 16]>().read_unaligned());
            let to = warp.regs.add(run.a as usize).cast::<[f32; 16]>();
            to.write(low);
            to.add(1).write(high);
            let sum = warp.regs.add(fma.d as usize).cast::<[f32; 16]>();
            let (mut sum_low, mut sum_high) = (sum.read(), sum.add(1).read());
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            for i in 0..16 {
                sum_low[i] = low[i].mul_add(a, sum_low[i]);
            }
            for i in 0..16 {
                sum_high[i] = high[i].mul_add(b, sum_high[i]);
            }
            let to = warp.regs.add(fma.a as usize).cast::<[f32; 16]>();
            to.write(sum_low);
            to.add(1).write(sum_high);
            fma.next(warp)
        }
    }
}

/// The first operation of a sequence alone, in its general form.
#[inline(never)]
unsafe fn fall_back<const COUNT: bool>(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: by the caller.
    unsafe { baseline::<Load<u32, COUNT>>(op, warp) }
}

/// Overlays sequences with fused handlers.
pub fn fuse(ops: &mut [Op], marks: &[Mark], tier: usize, count: bool) {
    let mut at = 0;
    while at < ops.len() {
        at += match marks[at..] {
            [Mark::LoadScalar(wide), Mark::LoadRun(other), Mark::Fma, ..] if wide == other => {
                product(&mut ops[at..], wide, true, tier, count)
            }
            [Mark::LoadRun(wide), Mark::LoadScalar(other), Mark::Fma, ..] if wide == other => {
                product(&mut ops[at..], wide, false, tier, count)
            }
            [Mark::Compare(tiers), Mark::BranchUniform, ..] => {
                ops[at].handler = tiers.0[tier];
                2
            }
            [Mark::Sum, Mark::Sum, ..] => {
                ops[at].handler = Tiers::of::<Two<Sum, Sum>>().0[tier];
                2
            }
            [Mark::Sum, Mark::Plain, ..] | [Mark::Sum] | [Mark::Sum, ..] => {
                ops[at].handler = Tiers::of::<Sum>().0[tier];
                1
            }
            _ => 1,
        };
    }
}

/// Fuses two loads and their product if their registers fit; gives the operations dealt with.
fn product(ops: &mut [Op], wide: bool, scalar_first: bool, tier: usize, count: bool) -> usize {
    let [first, second, fma] = [ops[0], ops[1], ops[2]];
    let dst = [first.a & OFFSET, second.a & OFFSET];
    let factors = [fma.b & OFFSET, fma.c & OFFSET];
    let apart = dst[0] != dst[1] && second.b & OFFSET != dst[0];
    let uses = factors == dst || factors == [dst[1], dst[0]];
    // The run's register must be a word, the scalar's too: that is what the handler's slots assume.
    let words = first.a & WIDE_FORM == 0 && second.a & WIDE_FORM == 0;
    if !apart || !uses || !words {
        return 1;
    }
    let tiers = match (wide, scalar_first, count) {
        (false, false, false) => Tiers::of::<LoadLoadFma<false, false, false>>(),
        (false, false, true) => Tiers::of::<LoadLoadFma<false, false, true>>(),
        (false, true, false) => Tiers::of::<LoadLoadFma<false, true, false>>(),
        (false, true, true) => Tiers::of::<LoadLoadFma<false, true, true>>(),
        (true, false, false) => Tiers::of::<LoadLoadFma<true, false, false>>(),
        (true, false, true) => Tiers::of::<LoadLoadFma<true, false, true>>(),
        (true, true, false) => Tiers::of::<LoadLoadFma<true, true, false>>(),
        (true, true, true) => Tiers::of::<LoadLoadFma<true, true, true>>(),
    };
    ops[0].handler = tiers.0[tier];
    3
}

/// A comparison and the branch on its result.
pub type CompareBranch<C> = Two<C, BranchUniform>;
