//! Barriers and fences.

use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Waits until every thread of the block has arrived; memory accesses before the barrier are
/// visible to all threads after it (`bar.sync 0`).
#[track_caller]
pub fn sync_threads() {
    here();
    with(|b| b.emit("bar.sync", vec![Operand::integer(0)]));
}

/// Waits at barrier `id` (0 to 15) until `threads` threads, a multiple of 32, have arrived
/// (`bar.sync id, threads`).
#[track_caller]
pub fn barrier(id: impl IndexValue, threads: impl IndexValue) {
    here();
    with(|b| {
        let operands = vec![
            b.operand(id.parts().value, ScalarType::U32),
            b.operand(threads.parts().value, ScalarType::U32),
        ];
        b.emit("bar.sync", operands);
    });
}

/// Counts the threads of the block for which `condition` holds; all wait for each other
/// (`bar.red.popc.u32`).
#[track_caller]
pub fn sync_threads_count(condition: impl IntoVar<bool>) -> Var<u32> {
    here();
    let condition = condition.into_var().value;
    Var::new(with(|b| {
        let operands = vec![Operand::integer(0), b.operand(condition, ScalarType::Pred)];
        b.emit_to("bar.red.popc.u32", ScalarType::U32, operands)
    }))
}

/// Waits until the warp's lanes in `mask` have arrived; memory accesses before the barrier are
/// visible to these lanes after it (`bar.warp.sync`).
#[track_caller]
pub fn sync_warp(mask: impl IntoVar<u32>) {
    here();
    let mask = mask.into_var().value;
    with(|b| {
        let operands = vec![b.operand(mask, ScalarType::U32)];
        b.emit("bar.warp.sync", operands);
    });
}

/// Makes this thread's writes visible to the whole device before those that follow
/// (`membar.gl`).
#[track_caller]
pub fn threadfence() {
    here();
    with(|b| b.emit("membar.gl", vec![]));
}

/// Makes this thread's writes visible to its block before those that follow (`membar.cta`).
#[track_caller]
pub fn threadfence_block() {
    here();
    with(|b| b.emit("membar.cta", vec![]));
}

/// Makes this thread's writes visible to the host and all devices before those that follow
/// (`membar.sys`).
#[track_caller]
pub fn threadfence_system() {
    here();
    with(|b| b.emit("membar.sys", vec![]));
}
