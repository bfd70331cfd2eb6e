//! Which operations are a fused multiply-add sequence: their marks, and registers that fit each other.

use super::super::pair::Mark;
use super::sequence::{DEAD, FmaSequence, FmaStep};
use crate::machine::Op;
use crate::slot::{OFFSET, WIDE as WIDE_FORM};

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
pub(super) fn longest(
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
