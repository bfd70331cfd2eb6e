//! Handlers of control flow and of active lanes.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::print;
use crate::instrument::event::Wants;
use crate::machine::context::{Body, fault};
use crate::machine::lanes::fetch_cold;
use crate::machine::{NO_RECONVERGENCE, Op, ReconvergenceEntry, Stop, Warp};
use lanework_ptx_ir::kernel::MemorySpace;

/// Adds a finished basic block's instructions to the warp's counts.
#[inline(always)]
fn account(op: &Op, warp: &mut Warp) {
    warp.instructions += op.imm;
    warp.lane_instructions += op.imm * u64::from(warp.mask.count_ones());
}

/// Ends the time slice if it is used up; the branch is taken in the warp's next slice.
#[inline(always)]
fn end_slice(warp: &mut Warp, to: *const Op) -> *const Op {
    if warp.instructions >= warp.slice_end { warp.stop_at(to, Stop::Yield) } else { to }
}

/// A jump: `a` is the target, `imm` the block's instructions.
pub struct Jump;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Jump {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        account(op, warp);
        // SAFETY: `a` of a jump is the index of an operation of the same code: the assembler stored it when the
        // target's block was placed.
        let to = unsafe { warp.op(op.a) };
        end_slice(warp, to)
    }
}

/// A branch on a predicate that all lanes share: `b` is the predicate, `d` its negation.
pub struct BranchUniform;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for BranchUniform {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        account(op, warp);
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `a` is the
        // index of an operation of the same code, and a branch is never the last operation.
        unsafe {
            let taken = (*warp.at(op.b).cast::<u32>() ^ op.d) & warp.mask != 0;
            let to = if taken { warp.op(op.a) } else { std::ptr::from_ref(op).add(1) };
            end_slice(warp, to)
        }
    }
}

/// A branch at which lanes may diverge; `c` is the reconvergence PC.
pub struct Branch;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Branch {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        account(op, warp);
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `a` and `c`
        // are indices of operations of the same code, and a branch is never the last operation.
        unsafe {
            let taken = (*warp.at(op.b).cast::<u32>() ^ op.d) & warp.mask;
            let fall = std::ptr::from_ref(op).add(1);
            if taken == 0 {
                return end_slice(warp, fall);
            }
            if taken == warp.mask {
                let to = warp.op(op.a);
                return end_slice(warp, to);
            }
            warp.divergent_branches += 1;
            if (*warp.context).hook.wants(Wants::BRANCHES) {
                diverged(op, warp);
            }
            let rest = warp.mask & !taken;
            if op.c != NO_RECONVERGENCE && warp.reconvergence_pc != op.c {
                warp.push(ReconvergenceEntry {
                    pc: op.c,
                    mask: warp.mask,
                    reconvergence_pc: warp.reconvergence_pc,
                });
                warp.reconvergence_pc = op.c;
            }
            let fall_pc = warp.pc(fall);
            let to = if op.a == op.c {
                warp.mask = rest;
                fall
            } else {
                if fall_pc != op.c {
                    warp.push(ReconvergenceEntry {
                        pc: fall_pc,
                        mask: rest,
                        reconvergence_pc: warp.reconvergence_pc,
                    });
                }
                warp.mask = taken;
                warp.op(op.a)
            };
            end_slice(warp, to)
        }
    }
}

/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`].
#[cold]
unsafe fn diverged(op: &Op, warp: &Warp) {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    unsafe {
        let place = (*warp.context).place(warp, op);
        (*warp.context).hook.any().diverged(place);
    }
}

/// The start of a block where lanes reconverge: `a` is its own index. `b` to `d` are
/// [`ENDS`](crate::machine::ENDS) if the lanes then exit.
pub struct Join;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Join {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        if warp.reconvergence_pc == op.a {
            // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler stored in
            // operations of this code.
            return unsafe { warp.pop(op) };
        }
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe { op.leave() }
    }
}

/// Counts that a warp runs the basic block `a`.
pub struct Visit;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Visit {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the worker owns the context for as long as its warps run (`Body::run`), and `Worker::new` gave
        // `visits` a place for the highest block of `runs`. A visit is never the last operation, so there is a next
        // one.
        unsafe {
            let visits = &mut *(*warp.context).visits.as_mut_ptr().add(op.a as usize);
            visits[0] += 1;
            visits[1] += u64::from(warp.mask.count_ones());
            op.next(warp)
        }
    }
}

/// Accounts for a block that falls through.
pub struct Count;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Count {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        account(op, warp);
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe { op.next(warp) }
    }
}

/// Ends the active lanes.
pub struct Exit;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Exit {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        account(op, warp);
        warp.live &= !warp.mask;
        // SAFETY: `Branch` pushed the entries of the reconvergence stack, with indices that the assembler stored in
        // operations of this code.
        unsafe { warp.pop(op) }
    }
}

/// `trap`.
pub struct Trap;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Trap {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let raw =
            RawFault::of_lanes(FaultKind::Trap, MemorySpace::Generic, warp.mask, String::new());
        fault(warp, op, raw)
    }
}

/// `__assertfail`.
pub struct AssertFail;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for AssertFail {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let (kind, space) = (FaultKind::Assertion, MemorySpace::Generic);
        // SAFETY: the worker owns the context for as long as its warps run.
        unsafe { (*warp.context).publish() };
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        let told = unsafe { print::texts(warp, [op.b, op.c, op.d]) };
        fault(warp, op, RawFault::of_lanes(kind, space, warp.mask, told.join("\0")))
    }
}

/// Faults because the thread's stack is full.
pub struct StackOverflow;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for StackOverflow {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let (kind, space) = (FaultKind::StackOverflow, MemorySpace::Local);
        fault(warp, op, RawFault::of_lanes(kind, space, warp.mask, String::new()))
    }
}

/// Narrows the active lanes to those whose guard holds; `b` is the guard, `d` its negation, `a` the target if none
/// does.
pub struct Guard;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Guard {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `a` is the
        // index of the operation after the guarded ones.
        unsafe {
            let mask = (*warp.at(op.b).cast::<u32>() ^ op.d) & warp.mask;
            if mask == 0 {
                return warp.op(op.a);
            }
            warp.unguarded = warp.mask;
            warp.guarded = true;
            warp.mask = mask;
            op.next(warp)
        }
    }
}

/// The end of guarded operations.
pub struct Unguard;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Unguard {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        warp.mask = warp.unguarded;
        warp.guarded = false;
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe { op.next(warp) }
    }
}

/// An instruction without effect.
pub struct Nothing;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Nothing {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe { op.next(warp) }
    }
}

/// Waits for lanes of other splits of the warp; `b` holds all lanes that must arrive, `c` each lane's contribution to the
/// instruction that follows, and `d` the number of that instruction (see [`crate::machine::divergence`]).
pub struct Converge;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Converge {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            if warp.mask != warp.live && named(op, warp) & warp.live & !warp.mask != 0 {
                warp.retire();
                let missing = named(op, warp) & warp.live & !warp.mask;
                let context = &mut *warp.context;
                let instruction = context.place(warp, op).instruction;
                if let Some(instrument) = context.instrument(Wants::SYNCHRONIZATION) {
                    instrument.lanes_missing(warp.index, instruction, missing);
                }
                return warp.stop_at(op, Stop::Converge);
            }
            op.next(warp)
        }
    }
}

/// The lanes that a warp stopped at a `Converge` waits for.
pub fn members(warp: &Warp) -> u32 {
    // SAFETY: the warp stopped with `Stop::Converge`, at a `Converge` of the code that it runs (`stop_at`), which the
    // launch keeps alive; its slots are in the warp's register file.
    unsafe { named(&*warp.stopped_at, warp) }
}

/// The lanes that the operands of the active lanes name.
///
/// # Safety
/// A running handler was given the operation and the warp: as for [`Body::run`].
unsafe fn named(op: &Op, warp: &Warp) -> u32 {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
    let masks = unsafe { fetch_cold::<u32>(warp, op.b) };
    (0..32).filter(|lane| warp.mask >> lane & 1 != 0).fold(0, |all, lane| all | masks.0[lane])
}

/// Returns to the dispatch loop within a long basic block, so that a chain of tail calls stays short.
pub struct Breath;

// SAFETY: `run` returns the next operation, an operation at an index that the assembler stored (`Warp::op`), or null after `stop_at`.
unsafe impl Body for Breath {
    unsafe fn run(op: &Op, _: &mut Warp) -> *const Op {
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe { std::ptr::from_ref(op).add(1) }
    }
}
