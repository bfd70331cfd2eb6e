//! Loads with cache operators, and addresses.
//!
//! Asynchronous copies from global to shared memory (from sm_80).

use crate::data::place::{Place, ReadPlace, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::scalar::number::Element;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Reads `&x[i]` through the read-only cache (`ld.global.nc`): no thread may write the element
/// while the kernel runs.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[thread_idx.x] = load_nc(&x[thread_idx.x]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[7], 7);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn load_nc<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    let place = place.into().place;
    match place.space {
        crate::data::place::Space::Global => place.load_with(".nc"),
        _ => place.load_with(""),
    }
}

/// Reads `&x[i]` from memory at every call (`ld.volatile`), for polling a lock or a flag.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 32 waits for thread 0, which is in another warp.
///     if thread_idx.x == 0 {
///         atomic_exch(&mut out[0], 1);
///     }
///     if thread_idx.x == 32 {
///         while load_volatile(&out[0]) == 0 {}
///         out[1] = 2;
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?, [1, 2]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn load_volatile<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    place.into().place.load_volatile()
}

/// The address of `&x[i]` within its state space (global or shared), for instructions that take an
/// address in a register.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[0] = (address_of(&x[3]) - address_of(&x[0])) as u32;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[0u32; 4])?;
/// # let mut out = device.upload(&[0u32; 1])?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [12]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn address_of<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<u64> {
    here();
    let place = place.into().place;
    match place.space {
        crate::data::place::Space::Global => Var::new(with(|b| place.address(b))),
        _ => crate::scalar::cast::Cast::cast(Var::<u32>::new(with(|b| place.address(b)))),
    }
}

/// Starts copying `BYTES` bytes (4, 8 or 16) from global to shared memory, both aligned to that
/// size (`cp.async`). Copies of 16 bytes bypass the L1 cache.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 32)]
/// fn example(x: &[f32], out: &mut [f32], n: u32) {
///     let (t, tile, rest) = (thread_idx.x, shared::<f32>(32), shared::<f32>(32));
///     cp_async::<4, _>(&mut tile[t], &x[t]);
///     cp_async_commit();
///     // Elements from `n` on are not read: the copy fills in zeros.
///     let have = if t < n { 4u32 } else { 0 };
///     cp_async_filled::<4, _>(&mut rest[t], &x[t], have);
///     cp_async_commit();
///     cp_async_wait(1); // the first group has arrived
///     out[t] = tile[t];
///     cp_async_wait(0); // both have
///     out[t] += rest[t];
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1.0f32; 32])?;
/// # let mut out = device.zeros::<f32>(32)?;
/// # example(&x, &mut out, 8).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[6..10], [2.0, 2.0, 1.0, 1.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn cp_async<const BYTES: usize, T: Element>(to: Place<T>, from: impl Into<ReadPlace<T>>) {
    here();
    let from = from.into().place;
    with(|b| copy::<BYTES, T>(b, to, from, None));
}

/// As [`cp_async`], but reads only the first `have` bytes, at most `BYTES`, and fills the rest with
/// zeros; with 0, nothing is read and `from` is ignored.
#[track_caller]
pub fn cp_async_filled<const BYTES: usize, T: Element>(
    to: Place<T>,
    from: impl Into<ReadPlace<T>>,
    have: impl IntoVar<u32>,
) {
    here();
    let (from, have) = (from.into().place, have.into_var());
    with(|b| {
        let have = b.operand(have.value, ScalarType::U32);
        copy::<BYTES, T>(b, to, from, Some(have));
    });
}

fn copy<const BYTES: usize, T>(
    b: &mut Builder,
    to: Place<T>,
    from: Place<T>,
    have: Option<Operand>,
) {
    if ![4, 8, 16].contains(&BYTES) {
        b.error(format!("cp_async copies 4, 8 or 16 bytes, not {BYTES}"), "choose one of them");
    }
    if to.space != Space::Shared || from.space != Space::Global {
        b.error("cp_async copies from global to shared memory", "exchange the two places");
    }
    let cache = if BYTES == 16 { "cg" } else { "ca" };
    let mut operands = vec![to.operand(b), from.operand(b), Operand::integer(BYTES as u64)];
    operands.extend(have);
    b.emit(&format!("cp.async.{cache}.shared.global"), operands);
}

/// Commits the copies started since the last call as one group (`cp.async.commit_group`).
#[track_caller]
pub fn cp_async_commit() {
    here();
    with(|b| b.emit("cp.async.commit_group", vec![]));
}

/// Waits until at most `pending` of this thread's latest groups are in flight
/// (`cp.async.wait_group`).
#[track_caller]
pub fn cp_async_wait(pending: u32) {
    here();
    with(|b| b.emit("cp.async.wait_group", vec![Operand::integer(pending)]));
}
