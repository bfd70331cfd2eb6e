//! Fused multiply-add sequences (superinstructions): the inner steps of matrix products, each with two loads and an
//! `fma`.

use crate::assemble::fuse::run;
use crate::assemble::fuse::run::{RUN_DEAD, SAME_DEAD};
use crate::assemble::fuse::{Fusion, FusionKind, Mark};
use crate::instructions::access::tally::tally;
use crate::machine::Op;
use crate::machine::context::{Context, Deferred, WideTiers};
use crate::machine::slot::{OFFSET, SCALAR, WIDE as WIDE_FORM, both};

/// The operations among which fused multiply-add steps are overlaid.
pub struct FmaOverlay<'a> {
    /// The operations.
    pub ops: &'a mut [Op],
    /// Their marks.
    pub marks: &'a [Mark],
    /// The SIMD level.
    pub tier: usize,
    /// Whether accesses are counted.
    pub count: bool,
    /// Whether the previous operation is the second of a fused pair of sums.
    pub after_sum: bool,
    /// The chains so far.
    pub chains: &'a mut Vec<Box<FmaSequence>>,
    /// The fusions so far, in the order of operations.
    pub fusions: &'a mut Vec<Fusion>,
}

impl FmaOverlay<'_> {
    /// Overlays the longest chain at `at`; returns the number of covered operations.
    pub fn overlay(&mut self, at: usize, read_once: &dyn Fn(u32) -> bool) -> usize {
        let (marks, count) = (self.marks, self.count);
        let Some((chain, wide)) = longest(&self.ops[at..], &marks[at..], read_once) else {
            return 1;
        };
        let length = chain.length as usize;
        if let [link] = chain.links[..] {
            let first = matches!(marks[at], Mark::LoadScalar(_));
            let dead = |to, flag| if to == DEAD { flag } else { 0 };
            self.ops[at].d = dead(link.same_to, SAME_DEAD) | dead(link.run_to, RUN_DEAD);
            if at > 0 && !self.after_sum && matches!(marks[at - 1], Mark::Sum) {
                self.set(at - 1, run::sum_and_one(wide, first, count), FusionKind::SumAndStep);
            }
            self.set(at, run::one(wide, first, count), FusionKind::Step);
            return length;
        }
        // The general handler of the first load, which a chain falls back to, needs no immediate.
        let chain = Box::new(FmaSequence { index: self.chains.len() as u32, ..chain });
        self.ops[at].imm = std::ptr::from_ref(&*chain).expose_provenance() as u64;
        let index = self.chains.len() as u32;
        self.chains.push(chain);
        let tiers = run::sequence(wide, count);
        self.set(at, tiers, FusionKind::Chain(index));
        length
    }

    /// Overlays an operation, if the SIMD level has the handler.
    fn set(&mut self, at: usize, tiers: WideTiers, kind: FusionKind) {
        if let Some(handler) = tiers.at(self.tier) {
            self.ops[at].handler = handler;
            self.fusions.push(Fusion { at: at as u32, kind });
        }
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
    // Neither load may compute the other's address, and neither may load the sum.
    let apart = same_to != run_to
        && ![same_to, run_to].contains(&(same.b & OFFSET))
        && ![same_to, run_to].contains(&(run.b & OFFSET))
        && ![same_to, run_to].contains(&(fma.d & OFFSET))
        && ![same.b & OFFSET, run.b & OFFSET].contains(&(fma.a & OFFSET));
    // Registers are 32-bit words; offsets are small multiples of 4, so that sums of them do not overflow.
    let plain = (same.a | run.a) & WIDE_FORM == 0;
    let near = |op: &Op| (op.imm as i64).unsigned_abs() < 1 << 20 && op.imm & 3 == 0;
    (uses && apart && plain && near(&same) && near(&run)).then_some((same, run, fma, wide))
}

/// The longest chain that starts here.
pub(crate) fn longest(
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
        // The loads keep the sites of the sequence's first two loads, where the regions are cached.
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

/// One step of a [`FmaSequence`]: two loads and the `fma` of both.
#[derive(Clone, Copy)]
pub struct FmaStep {
    /// Bytes from the lowest scalar address of the sequence to this step's.
    pub(crate) same: u32,
    /// Bytes from the lowest address of a run of lanes to this step's.
    pub(crate) run: u32,
    /// Sites of the scalar load and of the run.
    pub(crate) sites: [u32; 2],
    /// Slots to write the loaded values and the sum to; [`DEAD`] if no other operation reads them.
    pub(crate) same_to: u32,
    pub(crate) run_to: u32,
    pub(crate) sum_to: u32,
}

/// A value that no other instruction reads.
pub(crate) const DEAD: u32 = u32::MAX;

/// Steps of a product that share both address registers, each adding to the previous step's sum, as in an unrolled
/// inner loop. The addresses are checked once for all steps.
#[derive(Clone)]
pub struct FmaSequence {
    pub(crate) links: Vec<FmaStep>,
    /// Operations that load from the lowest addresses.
    pub(crate) same: Op,
    pub(crate) run: Op,
    /// Bytes from the start of the lowest access to the end of the highest.
    pub(crate) same_bytes: u64,
    pub(crate) run_bytes: u64,
    /// The slot of the first sum's input.
    pub(crate) sum_from: u32,
    /// Number of operations.
    pub(crate) length: u32,
    /// Index among the program's sequences.
    pub(crate) index: u32,
}

impl FmaSequence {
    /// Adds the deferred executions of this sequence to the counter slots of its sites.
    ///
    /// # Safety
    /// The sequence must belong to the program of the context's sites.
    #[inline(never)]
    pub unsafe fn count_deferred(&self, context: *mut Context) {
        // SAFETY: the context belongs to a worker that runs this code, as this function requires, with an entry for
        // each sequence.
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

    /// Whether it runs exactly these plain operations, in steps of two loads and an `fma`: the same sites, slots
    /// and addresses. `offset` returns the offset of a load's site.
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
