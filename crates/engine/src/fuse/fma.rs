//! Fused multiply-add sequences (superinstructions): the inner steps of matrix products, two loads and an
//! `fma`, one after the other.

use super::fusion::{Fusion, FusionKind};
use super::pair::{Mark, Sum, Two};
use crate::access::Load;
use crate::direct::{distances, in_bounds, prefetch, runs_inside, starts};
use crate::guest::{Level, Middle, Widest};
use crate::handler::{Body, WideTiers, baseline};
use crate::machine::{Context, Deferred, Op, Warp};
use crate::slot::{OFFSET, SCALAR, Scalar, WIDE as WIDE_FORM, both};
use crate::tally::tally;
use std::marker::PhantomData;

/// Where product steps are overlaid.
pub struct FmaOverlay<'a> {
    /// The operations.
    pub ops: &'a mut [Op],
    /// Their marks.
    pub marks: &'a [Mark],
    /// The SIMD level.
    pub tier: usize,
    /// Whether accesses are counted.
    pub count: bool,
    /// Whether the operation before is the second of a fused pair of sums.
    pub after_sum: bool,
    /// The chains so far.
    pub chains: &'a mut Vec<Box<FmaSequence>>,
    /// What was fused so far, in the order of operations.
    pub fusions: &'a mut Vec<Fusion>,
}

impl FmaOverlay<'_> {
    /// Overlays the longest chain at `at`; gives the operations dealt with.
    pub fn overlay(&mut self, at: usize, read_once: &dyn Fn(u32) -> bool) -> usize {
        let (marks, count) = (self.marks, self.count);
        let Some((chain, wide)) = chain(&self.ops[at..], &marks[at..], read_once) else { return 1 };
        let length = chain.length as usize;
        if let [link] = chain.links[..] {
            let first = matches!(marks[at], Mark::LoadScalar(_));
            let dead = |to, flag| if to == DEAD { flag } else { 0 };
            self.ops[at].d = dead(link.same_to, SAME_DEAD) | dead(link.run_to, RUN_DEAD);
            if at > 0 && !self.after_sum && matches!(marks[at - 1], Mark::Sum) {
                self.set(at - 1, sum_and_one(wide, first, count), FusionKind::SumAndStep);
            }
            self.set(at, one(wide, first, count), FusionKind::Step);
            return length;
        }
        // The general handler of the first load, which a chain falls back to, needs no immediate.
        let chain = Box::new(FmaSequence { index: self.chains.len() as u32, ..chain });
        self.ops[at].imm = std::ptr::from_ref(&*chain).expose_provenance() as u64;
        let index = self.chains.len() as u32;
        self.chains.push(chain);
        let tiers = match (wide, count) {
            (false, false) => WideTiers::split::<
                RunSequence<Middle, false, false>,
                RunSequence<Widest, false, false>,
            >(),
            (false, true) => {
                WideTiers::split::<RunSequence<Middle, false, true>, RunSequence<Widest, false, true>>(
                )
            }
            (true, false) => {
                WideTiers::split::<RunSequence<Middle, true, false>, RunSequence<Widest, true, false>>(
                )
            }
            (true, true) => {
                WideTiers::split::<RunSequence<Middle, true, true>, RunSequence<Widest, true, true>>(
                )
            }
        };
        self.set(at, tiers, FusionKind::Chain(index));
        length
    }

    /// Overlays an operation, where the SIMD level has the handler.
    fn set(&mut self, at: usize, tiers: WideTiers, kind: FusionKind) {
        if let Some(handler) = tiers.at(self.tier) {
            self.ops[at].handler = handler;
            self.fusions.push(Fusion { at: at as u32, kind });
        }
    }
}

/// One step of a [`FmaSequence`]: two loads and the `fma` of both.
#[derive(Clone, Copy)]
pub struct FmaStep {
    /// From the chain's lowest scalar address to this step's, in bytes.
    same: u32,
    /// The same for the run of lanes.
    run: u32,
    /// Sites of the scalar load and of the run.
    sites: [u32; 2],
    /// Slots to write the loaded values and the sum to; [`DEAD`] where nobody else reads them.
    same_to: u32,
    run_to: u32,
    sum_to: u32,
}

/// A value that no other instruction reads.
const DEAD: u32 = u32::MAX;

/// Steps of a product that share both address registers, each adding to the sum of the one before: what
/// an unrolled inner loop is made of. The addresses are checked once for all steps.
#[derive(Clone)]
pub struct FmaSequence {
    links: Vec<FmaStep>,
    /// Operations that load from the lowest addresses.
    same: Op,
    run: Op,
    /// Bytes from the lowest to past the highest access.
    same_bytes: u64,
    run_bytes: u64,
    /// Where the first sum comes from.
    sum_from: u32,
    /// Operations in all.
    length: u32,
    /// Its number among the program's.
    index: u32,
}

impl FmaSequence {
    /// Adds the runs that were deferred to the counter slots of its sites.
    ///
    /// # Safety
    /// It is one of the program that the context's sites belong to.
    #[inline(never)]
    pub unsafe fn count_deferred(&self, context: *mut Context) {
        // SAFETY: by the caller; the context has an entry for each sequence.
        unsafe {
            let counted = &mut *context;
            let Some(deferred) = counted.deferred.get_mut(self.index as usize) else { return };
            let Deferred { same, run, times } = std::mem::take(deferred);
            if times == 0 {
                return;
            }
            let sites = counted.sites.as_mut_ptr();
            for link in &self.links {
                let shifted = |at: [u64; 2], by: u32| both(at, |a| a.wrapping_add(by.into()));
                let [one, other] = both(link.sites, |offset| sites.byte_add(offset as usize));
                tally::<false>(context, one, shifted(same, link.same), 0, 4, times);
                tally::<true>(context, other, shifted(run, link.run), 4, 4, times);
            }
        }
    }

    /// Operations in all.
    pub fn operations(&self) -> usize {
        self.length as usize
    }

    /// Whether these plain operations, in steps of two loads and an `fma`, are what it runs: the same
    /// sites, slots and addresses. `offset` gives the offset of a load's site.
    pub fn agrees(&self, ops: &[Op], offset: &dyn Fn(&Op) -> u64) -> bool {
        let mut sum = self.sum_from;
        let mut steps = self.links.iter().zip(ops.chunks_exact(3)).enumerate();
        let may_be = |to: u32, slot: u32| to == DEAD || to == slot & OFFSET;
        let at = |base: &Op, by: u32| base.imm.wrapping_add(u64::from(by));
        let step = |(i, (link, ops)): (usize, (&FmaStep, &[Op]))| {
            let (same, run) = match ops[0].c == link.sites[0] {
                true => (&ops[0], &ops[1]),
                false => (&ops[1], &ops[0]),
            };
            let sites = [same.c, run.c];
            let firsts = i > 0 || sites == [self.same.c, self.run.c];
            let follows = ops[2].d & OFFSET == sum;
            sum = ops[2].a & OFFSET;
            firsts
                && follows
                && sites == link.sites
                && (same.a & SCALAR, run.a & SCALAR) == (SCALAR, 0)
                && (same.b, run.b) == (self.same.b, self.run.b)
                && offset(same) == at(&self.same, link.same)
                && offset(run) == at(&self.run, link.run)
                && u64::from(link.same) + 4 <= self.same_bytes
                && u64::from(link.run) + 64 <= self.run_bytes
                && may_be(link.same_to, same.a)
                && may_be(link.run_to, run.a)
                && may_be(link.sum_to, ops[2].a)
        };
        ops.len() == self.operations() && 3 * self.links.len() == ops.len() && steps.all(step)
    }
}

/// Runs the [`FmaSequence`] whose address is the immediate.
struct RunSequence<L, const WIDE: bool, const COUNT: bool>(PhantomData<L>);

/// Words as the floats that they are.
#[inline(always)]
fn floats(words: [u32; 16]) -> [f32; 16] {
    // SAFETY: every 32 bits are a float.
    unsafe { std::mem::transmute(words) }
}

impl<L: Level, const WIDE: bool, const COUNT: bool> Body for RunSequence<L, WIDE, COUNT> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the assembler made the chain of operations in sequence whose slots fit each other;
        // all accesses are checked before anything is written.
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
                for i in 0..16 {
                    low[i] = x[i].mul_add(a[i], low[i]);
                }
                for i in 0..16 {
                    high[i] = y[i].mul_add(b[i], high[i]);
                }
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

/// A chain of one step; `d` tells which loaded values nobody else reads, and their order.
struct RunStep<L, const WIDE: bool, const SCALAR_FIRST: bool, const COUNT: bool>(PhantomData<L>);

/// The scalar value of a [`RunStep`] is dead.
const SAME_DEAD: u32 = 1;

/// Its run is dead.
const RUN_DEAD: u32 = 2;

impl<L: Level, const WIDE: bool, const SCALAR_FIRST: bool, const COUNT: bool> Body
    for RunStep<L, WIDE, SCALAR_FIRST, COUNT>
{
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as for `RunSequence`.
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
            for i in 0..16 {
                low[i] = x[i].mul_add(a[i], low[i]);
            }
            for i in 0..16 {
                high[i] = y[i].mul_add(b[i], high[i]);
            }
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

/// The first operation of a sequence alone, in its general form.
#[inline(never)]
unsafe fn fall_back(op: &Op, warp: &mut Warp) -> *const Op {
    // SAFETY: by the caller.
    unsafe { baseline::<Load<u32>>(op, warp) }
}

/// The handler of a chain of one step.
fn one(wide: bool, scalar_first: bool, count: bool) -> WideTiers {
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

/// The same with a sum before it, which usually makes an address.
fn sum_and_one(wide: bool, scalar_first: bool, count: bool) -> WideTiers {
    match (wide, scalar_first, count) {
        (false, false, false) => WideTiers::split::<
            Two<Sum, RunStep<Middle, false, false, false>>,
            Two<Sum, RunStep<Widest, false, false, false>>,
        >(),
        (false, false, true) => WideTiers::split::<
            Two<Sum, RunStep<Middle, false, false, true>>,
            Two<Sum, RunStep<Widest, false, false, true>>,
        >(),
        (false, true, false) => WideTiers::split::<
            Two<Sum, RunStep<Middle, false, true, false>>,
            Two<Sum, RunStep<Widest, false, true, false>>,
        >(),
        (false, true, true) => WideTiers::split::<
            Two<Sum, RunStep<Middle, false, true, true>>,
            Two<Sum, RunStep<Widest, false, true, true>>,
        >(),
        (true, false, false) => WideTiers::split::<
            Two<Sum, RunStep<Middle, true, false, false>>,
            Two<Sum, RunStep<Widest, true, false, false>>,
        >(),
        (true, false, true) => WideTiers::split::<
            Two<Sum, RunStep<Middle, true, false, true>>,
            Two<Sum, RunStep<Widest, true, false, true>>,
        >(),
        (true, true, false) => WideTiers::split::<
            Two<Sum, RunStep<Middle, true, true, false>>,
            Two<Sum, RunStep<Widest, true, true, false>>,
        >(),
        (true, true, true) => WideTiers::split::<
            Two<Sum, RunStep<Middle, true, true, true>>,
            Two<Sum, RunStep<Widest, true, true, true>>,
        >(),
    }
}

/// One step: the scalar load, the run, and their `fma`, if their registers fit.
fn step(ops: &[Op], marks: &[Mark]) -> Option<(Op, Op, Op, bool)> {
    let (same, run, wide) = match *marks.get(..3)? {
        [Mark::LoadScalar(a), Mark::LoadRun(b), Mark::Fma] if a == b => (ops[0], ops[1], a),
        [Mark::LoadRun(a), Mark::LoadScalar(b), Mark::Fma] if a == b => (ops[1], ops[0], a),
        _ => return None,
    };
    let fma = ops[2];
    let (same_to, run_to) = (same.a & OFFSET, run.a & OFFSET);
    let factors = [fma.b & OFFSET, fma.c & OFFSET];
    let uses = factors == [same_to, run_to] || factors == [run_to, same_to];
    // Neither load may feed the other's address, and the sum must come from elsewhere.
    let apart = same_to != run_to
        && ![same_to, run_to].contains(&(same.b & OFFSET))
        && ![same_to, run_to].contains(&(run.b & OFFSET))
        && ![same_to, run_to].contains(&(fma.d & OFFSET))
        && ![same.b & OFFSET, run.b & OFFSET].contains(&(fma.a & OFFSET));
    // Registers are words, and offsets are small, even and positive enough to add up.
    let plain = (same.a | run.a) & WIDE_FORM == 0;
    let near = |op: &Op| (op.imm as i64).unsigned_abs() < 1 << 20 && op.imm & 3 == 0;
    (uses && apart && plain && near(&same) && near(&run)).then_some((same, run, fma, wide))
}

/// The longest chain that starts here.
fn chain(
    ops: &[Op],
    marks: &[Mark],
    read_once: &dyn Fn(u32) -> bool,
) -> Option<(FmaSequence, bool)> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(next) = step(&ops[at..], &marks[at..]) {
        let (same, run, fma, wide) = next;
        if let Some((first_same, first_run, _, first_wide)) = steps.first() {
            let (first_same, first_run): (&Op, &Op) = (first_same, first_run);
            let (_, _, before, _): &(Op, Op, Op, bool) = &steps[steps.len() - 1];
            let follows = fma.d & OFFSET == before.a & OFFSET
                && same.b == first_same.b
                && run.b == first_run.b
                && wide == *first_wide;
            if !follows {
                break;
            }
        }
        steps.push((same, run, fma, wide));
        at += 3;
    }
    let (first_same, first_run, first_fma, wide) = *steps.first()?;
    let lowest =
        |pick: fn(&(Op, Op, Op, bool)) -> Op| steps.iter().map(pick).min_by_key(|op| op.imm as i64);
    let highest =
        |pick: fn(&(Op, Op, Op, bool)) -> Op| steps.iter().map(pick).max_by_key(|op| op.imm as i64);
    let (same, run) = (lowest(|s| s.0)?, lowest(|s| s.1)?);
    let span = |low: &Op, high: &Op| high.imm.wrapping_sub(low.imm);
    let (same_span, run_span) = (span(&same, &highest(|s| s.0)?), span(&run, &highest(|s| s.1)?));
    let final_sum = steps.last()?.2.a & OFFSET;
    let unless_dead = |slot: u32| if read_once(slot) { DEAD } else { slot };
    let links = steps.iter().enumerate().map(|(i, (s, r, f, _))| {
        let sum = f.a & OFFSET;
        let last = i + 1 == steps.len();
        let kept = if last {
            sum
        } else if sum == final_sum || read_once(sum) {
            DEAD
        } else {
            sum
        };
        FmaStep {
            same: span(&same, s) as u32,
            run: span(&run, r) as u32,
            sites: [s.c, r.c],
            same_to: unless_dead(s.a & OFFSET),
            run_to: unless_dead(r.a & OFFSET),
            sum_to: kept,
        }
    });
    let chain = FmaSequence {
        links: links.collect(),
        // The sites of the first operations find the regions.
        same: Op { c: first_same.c, ..same },
        run: Op { c: first_run.c, ..run },
        same_bytes: same_span + 4,
        run_bytes: run_span + 64,
        sum_from: first_fma.d & OFFSET,
        length: at as u32,
        index: 0,
    };
    Some((chain, wide))
}
