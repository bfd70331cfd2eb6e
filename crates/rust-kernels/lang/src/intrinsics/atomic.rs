//! Atomics on places in global and shared memory; each returns the old value.

use crate::data::place::Place;
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::number::{Element, Integer};
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

/// Types that `atomic_add` takes.
#[diagnostic::on_unimplemented(
    message = "there is no atomic addition of `{Self}`",
    note = "atomic addition takes i32, u32, i64, u64, usize, f32 and f64"
)]
pub trait AtomicAdd: Element {}

/// Types that the other atomics take.
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
///     // Exactly one thread gets the 7.
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
///     // Adds by compare and swap, as any operation can be made atomic.
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
