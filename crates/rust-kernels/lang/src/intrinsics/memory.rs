//! Accesses to memory beyond plain loads and stores: atomics, which return the old value; loads with cache operators; addresses; and
//! asynchronous copies from global to shared memory (from sm_80).

use crate::data::place::{Place, ReadPlace, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::number::{Element, Integer};
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Types that `atomic_add` supports.
#[diagnostic::on_unimplemented(
    message = "there is no atomic addition of `{Self}`",
    note = "atomic addition takes i32, u32, i64, u64, usize, f32 and f64"
)]
pub trait AtomicAdd: Element {}

/// Types that the other atomics support.
#[diagnostic::on_unimplemented(
    message = "there is no such atomic on `{Self}`",
    note = "atomics take i32, u32, i64, u64 and usize"
)]
pub trait AtomicInteger: AtomicAdd + Integer {}

macro_rules! atomic_types {
    ($trait:ident: $($t:ty)*) => { $(impl $trait for $t {})* };
}

atomic_types!(AtomicAdd: u32 i32 u64 i64 usize isize f32 f64);
atomic_types!(AtomicInteger: u32 i32 u64 i64 usize isize);

/// `atom.space.op.type`.
fn atomic<T: Element>(op: &str, word: &str, place: Place<T>, values: &[Value]) -> Var<T> {
    Var::new(with(|b| {
        let mut operands = vec![place.operand(b)];
        operands.extend(values.iter().map(|value| b.operand(*value, T::SCALAR)));
        b.emit_to(&format!("atom.{}.{op}.{word}", place.space.word()), T::SCALAR, operands)
    }))
}

/// The untyped (`.b32`, `.b64`) type of the same width.
fn bits(ty: ScalarType) -> &'static str {
    if ty.size() == 8 { "b64" } else { "b32" }
}

/// `*place += value`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     atomic_add(&mut out[0], 2);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [64]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn atomic_add<T: AtomicAdd>(place: Place<T>, value: impl IntoVar<T>) -> Var<T> {
    here();
    // PTX has no signed 64-bit form; in two's complement the unsigned one computes the same.
    let word = match T::SCALAR {
        ScalarType::S64 => "u64",
        other => other.name(),
    };
    atomic("add", word, place, &[value.into_var().value])
}

/// `*place -= value`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     atomic_sub(&mut out[0], 2);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[100u32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [36]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn atomic_sub<T: AtomicAdd>(place: Place<T>, value: impl IntoVar<T>) -> Var<T> {
    let negated = -value.into_var();
    atomic_add(place, negated)
}

macro_rules! atomics {
    ($($(#[$doc:meta])* $name:ident $op:literal $typed:literal;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: AtomicInteger>(place: Place<T>, value: impl IntoVar<T>) -> Var<T> {
            here();
            let word = if $typed { T::SCALAR.name() } else { bits(T::SCALAR) };
            atomic($op, word, place, &[value.into_var().value])
        }
    )*};
}

atomics! {
    /// `*place = min(*place, value)`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(out: &mut [u32]) {
    ///     atomic_min(&mut out[0], thread_idx.x + 3);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.upload(&[100u32])?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [3]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    atomic_min "min" true;
    /// `*place = max(*place, value)`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(out: &mut [u32]) {
    ///     atomic_max(&mut out[0], thread_idx.x);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.upload(&[0u32])?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [31]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    atomic_max "max" true;
    /// `*place &= value`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(out: &mut [u32]) {
    ///     atomic_and(&mut out[0], 0b110);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.upload(&[0b111u32])?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [0b110]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    atomic_and "and" false;
    /// `*place |= value`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(out: &mut [u32]) {
    ///     atomic_or(&mut out[0], 1u32 << thread_idx.x);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.upload(&[0u32])?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [u32::MAX]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    atomic_or "or" false;
    /// `*place ^= value`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(out: &mut [u32]) {
    ///     atomic_xor(&mut out[0], 1);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.upload(&[0u32])?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    atomic_xor "xor" false;
}

/// `*place = value`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Exactly one thread receives the 7.
///     if atomic_exch(&mut out[0], 0) == 7 {
///         out[1] += 1;
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[7u32, 0])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [0, 1]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn atomic_exch<T: AtomicAdd>(place: Place<T>, value: impl IntoVar<T>) -> Var<T> {
    here();
    let value = value.into_var().value;
    Var::new(with(|b| {
        let value = b.bit_operand(value, T::SCALAR);
        let operands = vec![place.operand(b), value];
        let name = format!("atom.{}.exch.{}", place.space.word(), bits(T::SCALAR));
        b.emit_to(&name, T::SCALAR, operands)
    }))
}

/// `if *place == expected { *place = value }`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Adds by compare-and-swap, which can make any operation atomic.
///     let mut old = load_volatile(&out[0]);
///     loop {
///         let seen = atomic_cas(&mut out[0], old, old + 1);
///         if seen == old {
///             break;
///         }
///         old = seen;
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn atomic_cas<T: AtomicInteger>(
    place: Place<T>,
    expected: impl IntoVar<T>,
    value: impl IntoVar<T>,
) -> Var<T> {
    here();
    let values = [expected.into_var().value, value.into_var().value];
    atomic("cas", bits(T::SCALAR), place, &values)
}

/// `*place = if *place >= limit { 0 } else { *place + 1 }`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     atomic_inc(&mut out[0], 9); // counts from 0 to 9, then from 0 again
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [2]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn atomic_inc(place: Place<u32>, limit: impl IntoVar<u32>) -> Var<u32> {
    here();
    atomic("inc", "u32", place, &[limit.into_var().value])
}

/// `*place = if *place == 0 || *place > limit { limit } else { *place - 1 }`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     atomic_dec(&mut out[0], 9); // counts from 9 to 0, then from 9 again
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [8]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn atomic_dec(place: Place<u32>, limit: impl IntoVar<u32>) -> Var<u32> {
    here();
    atomic("dec", "u32", place, &[limit.into_var().value])
}

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
///     // The copy does not read elements from `n` on, and fills them with zeros.
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
/// zeros. If `have` is 0, it ignores `from`.
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
