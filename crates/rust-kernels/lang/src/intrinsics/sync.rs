//! Barriers and fences.

use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Waits until every thread of the block has arrived; memory accesses before the barrier are
/// visible to all threads after it (`bar.sync 0`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let tile = shared::<u32>([64]);
///     tile[thread_idx.x] = x[thread_idx.x];
///     sync_threads();
///     out[thread_idx.x] = tile[63 - thread_idx.x];
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 64, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&x, &mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[0], 63);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn sync_threads() {
    here();
    with(|b| b.emit("bar.sync", vec![Operand::integer(0)]));
}

/// Waits at barrier `id` (0 to 15) until `threads` threads, a multiple of 32, have arrived
/// (`bar.sync id, threads`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     let tile = shared::<u32>([64]);
///     tile[thread_idx.x] = thread_idx.x;
///     // Each half of the block waits for itself.
///     barrier(1 + thread_idx.x / 32, 32);
///     out[thread_idx.x] = tile[thread_idx.x ^ 1];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[..4], [1, 0, 3, 2]);
/// # Ok::<(), lanework::Error>(())
/// ```
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
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[thread_idx.x] = sync_threads_count(x[thread_idx.x] > 10);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 64, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&x, &mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[0], 53);
/// # Ok::<(), lanework::Error>(())
/// ```
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
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     let tile = shared::<u32>([32]);
///     tile[thread_idx.x] = thread_idx.x;
///     sync_warp(FULL_MASK);
///     out[thread_idx.x] = tile[31 - thread_idx.x];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[0], 31);
/// # Ok::<(), lanework::Error>(())
/// ```
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
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 0 writes a value, then says so.
///     if thread_idx.x == 0 {
///         out[1] = 42;
///         threadfence();
///         atomic_exch(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [1, 42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn threadfence() {
    here();
    with(|b| b.emit("membar.gl", vec![]));
}

/// Makes this thread's writes visible to its block before those that follow (`membar.cta`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 0 writes a value, then says so.
///     if thread_idx.x == 0 {
///         out[1] = 42;
///         threadfence_block();
///         atomic_exch(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [1, 42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn threadfence_block() {
    here();
    with(|b| b.emit("membar.cta", vec![]));
}

/// Makes this thread's writes visible to the host and all devices before those that follow
/// (`membar.sys`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 0 writes a value, then says so.
///     if thread_idx.x == 0 {
///         out[1] = 42;
///         threadfence_system();
///         atomic_exch(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [1, 42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn threadfence_system() {
    here();
    with(|b| b.emit("membar.sys", vec![]));
}
