//! Groups of bulk and tensor stores, which a thread waits for, and the fence between its own accesses and those of the copy
//! engine.

use crate::current::{here, with};
use lanework_ptx::Operand;

/// Commits the bulk and tensor stores and reductions that this thread started since the last call as one group
/// (`cp.async.bulk.commit_group`).
#[track_caller]
pub fn bulk_commit() {
    here();
    with(|b| b.emit("cp.async.bulk.commit_group", vec![]));
}

/// Waits until at most `pending` of this thread's latest groups are not complete (`cp.async.bulk.wait_group`): what they
/// wrote may be read.
#[track_caller]
pub fn bulk_wait(pending: u32) {
    here();
    with(|b| b.emit("cp.async.bulk.wait_group", vec![Operand::integer(pending)]));
}

/// Waits until at most `pending` of this thread's latest groups still read shared memory
/// (`cp.async.bulk.wait_group.read`): their source may be written again, their target is perhaps not written yet.
#[track_caller]
pub fn bulk_wait_read(pending: u32) {
    here();
    with(|b| b.emit("cp.async.bulk.wait_group.read", vec![Operand::integer(pending)]));
}

/// Orders this thread's accesses to shared memory before those of the copies that are started after it, also by another
/// thread behind a barrier (`fence.proxy.async.shared::cta`). It stands between writing a tile and storing it.
#[track_caller]
pub fn fence_proxy_async_shared() {
    here();
    with(|b| b.emit("fence.proxy.async.shared::cta", vec![]));
}

/// [`fence_proxy_async_shared`] for all memory (`fence.proxy.async`).
#[track_caller]
pub fn fence_proxy_async() {
    here();
    with(|b| b.emit("fence.proxy.async", vec![]));
}
