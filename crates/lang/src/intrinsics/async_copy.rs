//! Asynchronous copies from global to shared memory (from sm_80).

use crate::builder::{here, with};
use crate::memory::{Place, ReadPlace, Space};
use crate::scalar::Element;
use lanework_ptx::Operand;

/// Starts copying `BYTES` bytes (4, 8 or 16) from global to shared memory, both aligned to that
/// size (`cp.async`). Copies of 16 bytes pass by the first-level cache.
#[track_caller]
pub fn cp_async<const BYTES: usize, T: Element>(to: Place<T>, from: impl Into<ReadPlace<T>>) {
    here();
    let from = from.into().place;
    with(|b| {
        if ![4, 8, 16].contains(&BYTES) {
            b.error(format!("cp_async copies 4, 8 or 16 bytes, not {BYTES}"), "choose one of them");
        }
        if to.space != Space::Shared || from.space != Space::Global {
            b.error("cp_async copies from global to shared memory", "exchange the two places");
        }
        let cache = if BYTES == 16 { "cg" } else { "ca" };
        let operands = vec![to.operand(b), from.operand(b), Operand::integer(BYTES as u64)];
        b.emit(&format!("cp.async.{cache}.shared.global"), operands);
    });
}

/// Makes the copies started since the last call one group (`cp.async.commit_group`).
#[track_caller]
pub fn cp_async_commit() {
    here();
    with(|b| b.emit("cp.async.commit_group", vec![]));
}

/// Waits until at most `pending` of this thread's latest groups are under way
/// (`cp.async.wait_group`).
#[track_caller]
pub fn cp_async_wait(pending: u32) {
    here();
    with(|b| b.emit("cp.async.wait_group", vec![Operand::integer(pending)]));
}
