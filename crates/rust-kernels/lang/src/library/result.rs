//! `Result` in kernels: a flag, a value and an error, in registers or in a thread's local memory.
//!
//! Rust does not define the layout of a `Result`, so buffers cannot hold one. This file defines the layout in local
//! memory: the value, the error at a multiple of 8 bytes, then the flag in one byte. The value of an `Err` and the error
//! of an `Ok` are undefined and never read.
//!
//! ```
//! # use lanework::prelude::*;
//! #[device]
//! fn part(x: u32, of: u32) -> Result<u32, u32> {
//!     x.checked_div(of).ok_or_else(|| x + 1)
//! }
//!
//! assert_eq!((part(6, 3), part(6, 0)), (Ok(2), Err(7)));
//! ```

use crate::data::convert::{Given, To, Valued};
use crate::data::generic::InKernel;
use crate::data::leaves::{
    Data, Handle, Kind, Leaf, Part, Parts, Places, Values, Variables, leaves,
};
use crate::data::operations::{constant, handle, read_view};
use crate::flow::branch::branch;
use crate::flow::call::{ReturnSlot, return_value};
use crate::flow::print::assertion;
use crate::library::option::{OptionOf, Optional};
use crate::library::ordered::Equal;
use crate::library::slices::{FoundElement, FoundOr};
use crate::memory::registers::Locate;
use crate::scalar::compare::Connect;
use crate::scalar::var::Var;
use lanework_ptx::ScalarType;

/// A `Result<T, E>` while a kernel is staged, with Rust's methods. `?` converts the error by a `#[device] impl` of `From`.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Wrong {
///     Digit(u8),
///     Long,
/// }
///
/// #[device]
/// fn digit(byte: u8) -> Result<u32, Wrong> {
///     match byte {
///         b'0'..=b'9' => Ok((byte - b'0') as u32),
///         other => Err(Wrong::Digit(other)),
///     }
/// }
///
/// #[device]
/// fn number(text: &[u8]) -> Result<u32, Wrong> {
///     if text.len() > 9 {
///         return Err(Wrong::Long);
///     }
///     let mut value = 0;
///     for &byte in text {
///         value = 10 * value + digit(byte)?;
///     }
///     Ok(value)
/// }
///
/// #[kernel]
/// fn example(text: &[u8], out: &mut [u32]) {
///     out[0] = match number(&text[..3]) {
///         Ok(value) => value,
///         Err(Wrong::Digit(byte)) => 1000 + byte as u32,
///         Err(Wrong::Long) => 2000,
///     };
///     out[1] = number(text).map(|v| v + 1).unwrap_or(7);
///     out[2] = number(&text[..2]).map_err(|_| 1u32).and_then(|v| if v > 9 { Ok(v) } else { Err(2) }).unwrap_or_else(|e| e);
///     out[3] = number(text).is_err() as u32 + number(&text[..1]).ok().unwrap_or_default();
///     out[4] = number(text).ok().ok_or(5u32).unwrap_or_else(|e| e);
/// }
/// # let device = Device::emulator();
/// # let (text, mut out) = (device.upload(b"123x")?, device.zeros::<u32>(5)?);
/// # example(&text, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [123, 7, 12, 2, 5]);
/// assert_eq!(number(b"1x"), Err(Wrong::Digit(b'x')));
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct ResultOf<K: Kind, T: Data, E: Data> {
    good: K::Scalar<bool>,
    value: T::Of<K>,
    error: E::Of<K>,
}

crate::scalar::var::copied!([K: Kind, T: Data, E: Data] ResultOf<K, T, E>);

/// Appends leaves at `offset` that exist only if the flag has this value.
fn guarded<T: Data>(offset: u64, (flag, value): (usize, u64), out: &mut Vec<Leaf>) {
    let first = out.len();
    T::leaves(offset, out);
    out[first..].iter_mut().for_each(|leaf| {
        leaf.flag.get_or_insert((flag, value));
    });
}

impl<T: Data, E: Data> Data for Result<T, E> {
    type Of<K: Kind> = ResultOf<K, T, E>;
    fn size() -> u64 {
        (T::size().next_multiple_of(8) + E::size() + 1).next_multiple_of(8)
    }
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        let flag = out.len() + leaves::<T>().len() + leaves::<E>().len();
        let error = offset + T::size().next_multiple_of(8);
        guarded::<T>(offset, (flag, 1), out);
        guarded::<E>(error, (flag, 0), out);
        out.push(Leaf { ty: ScalarType::Pred, offset: error + E::size(), flag: None });
    }
    fn bits(self, out: &mut Vec<u64>) {
        let good = self.is_ok();
        match self {
            Ok(value) => {
                value.bits(out);
                crate::data::convert::no_bits::<E>(out);
            }
            Err(error) => {
                crate::data::convert::no_bits::<T>(out);
                error.bits(out);
            }
        }
        out.push(good.into());
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> ResultOf<K, T, E> {
        let (value, error) = (T::build::<K>(parts), E::build::<K>(parts));
        ResultOf { good: K::scalar(parts.next()), value, error }
    }
    fn parts<K: Kind>(result: ResultOf<K, T, E>, out: &mut Vec<Part>) {
        T::parts::<K>(result.value, out);
        E::parts::<K>(result.error, out);
        out.push(K::part::<bool>(result.good));
    }
}

crate::data::tuples::value_of!([T: Data, E: Data] [T, E] Result<T, E>, ResultOf);

impl<T: Data, E: Data> InKernel for ResultOf<Values, T, E> {}

impl<T: Equal, E: Equal> Equal for Result<T, E> {
    fn equal(first: ResultOf<Values, T, E>, second: ResultOf<Values, T, E>) -> Var<bool> {
        let values = T::equal(first.value, second.value) | !first.good;
        let errors = E::equal(first.error, second.error) | first.good;
        values & errors & bool::equal(first.good, second.good)
    }
}

/// `Ok(value)`.
#[track_caller]
pub fn ok<X: Valued, E: Data>(value: X) -> ResultOf<Values, X::Value, E> {
    ResultOf { good: Var::constant(true), value: value.to(), error: handle::<E>([]) }
}

/// `Err(error)`.
#[track_caller]
pub fn err<X: Valued, T: Data>(error: X) -> ResultOf<Values, T, X::Value> {
    ResultOf { good: Var::constant(false), value: handle::<T>([]), error: error.to() }
}

impl<K: Kind, T: Data, E: Data> Optional for ResultOf<K, T, E> {
    type Test = Var<bool>;
    type Value = Handle<T>;
    #[track_caller]
    fn is_some(self) -> Var<bool> {
        read_view::<bool, K>(self.good)
    }
    #[track_caller]
    fn is_none(self) -> Var<bool> {
        !read_view::<bool, K>(self.good)
    }
    #[track_caller]
    fn payload(self) -> Handle<T> {
        read_view::<T, K>(self.value)
    }
}

/// The error of a `Result` that is `Err`.
#[track_caller]
pub fn error<K: Kind, T: Data, E: Data>(result: ResultOf<K, T, E>) -> Handle<E> {
    read_view::<E, K>(result.error)
}

/// A value to which `?` applies in a function that returns an `R`.
#[diagnostic::on_unimplemented(
    message = "`?` is for an `Option` in a function that returns an `Option`, and for a `Result` in one that returns a `Result`",
    label = "this function returns a `{R}`",
    note = "`.ok_or(error)?` and `.ok()?` change the kind"
)]
pub trait Tried<R: crate::flow::call::Returned>: Optional {
    /// Returns `None` or the error from the function.
    fn leave(self, slot: &ReturnSlot<R>);
}

impl<K: Kind, T: Data, U: Data> Tried<Option<U>> for OptionOf<K, T> {
    #[track_caller]
    fn leave(self, slot: &ReturnSlot<Option<U>>) {
        return_value(slot, None::<U>);
    }
}

impl<T: Data, U: Data> Tried<Option<U>> for Option<T> {
    #[track_caller]
    fn leave(self, slot: &ReturnSlot<Option<U>>) {
        return_value(slot, None::<U>);
    }
}

/// An error that `?` makes from an `E`: the same type, or one with a `#[device] impl` of `From<E>`.
#[diagnostic::on_unimplemented(
    message = "`?` cannot convert the error `{E}` to `{Self}`",
    note = "write `impl From<{E}> for {Self}` with #[device] above it, or convert it first: `.map_err(|e| ..)?`"
)]
pub trait FromError<E: Data>: Data {
    /// The error that the function returns.
    fn from_error(error: Handle<E>) -> Handle<Self>;
}

impl<E: Data> FromError<E> for E {
    fn from_error(error: Handle<E>) -> Handle<E> {
        error
    }
}

impl<K: Kind, T: Data, E: Data, U: Data, F: FromError<E>> Tried<Result<U, F>>
    for ResultOf<K, T, E>
{
    #[track_caller]
    fn leave(self, slot: &ReturnSlot<Result<U, F>>) {
        let failed = ResultOf::<Values, U, F> {
            good: Var::constant(false),
            value: handle::<U>([]),
            error: F::from_error(error(self)),
        };
        return_value(slot, failed);
    }
}

impl<S: Locate<Var<usize>> + Copy, U: Data> Tried<Option<U>> for FoundElement<S> {
    #[track_caller]
    fn leave(self, slot: &ReturnSlot<Option<U>>) {
        return_value(slot, None::<U>);
    }
}

impl<S: Locate<Var<usize>> + Copy, E: Data, U: Data, F: FromError<E>> Tried<Result<U, F>>
    for FoundOr<S, E>
{
    #[track_caller]
    fn leave(self, slot: &ReturnSlot<Result<U, F>>) {
        let failed = ResultOf::<Values, U, F> {
            good: Var::constant(false),
            value: handle::<U>([]),
            error: F::from_error(self.error()),
        };
        return_value(slot, failed);
    }
}

/// `value?` for `None` or an error: returns from the function.
#[track_caller]
pub fn leave<R: crate::flow::call::Returned, X: Tried<R>>(value: X, slot: &ReturnSlot<R>) {
    value.leave(slot);
}

impl<T: Data, E: Data> ResultOf<Values, T, E> {
    /// Whether it is `Ok`.
    pub fn is_ok(self) -> Var<bool> {
        self.good
    }

    /// Whether it is `Err`.
    #[track_caller]
    pub fn is_err(self) -> Var<bool> {
        !self.good
    }

    /// The value as an `Option`.
    pub fn ok(self) -> OptionOf<Values, T> {
        OptionOf::new(self.good, self.value)
    }

    /// The error as an `Option`.
    #[track_caller]
    pub fn err(self) -> OptionOf<Values, E> {
        OptionOf::new(!self.good, self.error)
    }

    /// The value; on `Err`, the thread ends with a report.
    #[track_caller]
    pub fn unwrap(self) -> Handle<T> {
        assertion(self.good, "called `unwrap` on an `Err`", || {});
        self.value
    }

    /// The value; on `Err`, the thread ends with a report that says `text`.
    #[track_caller]
    pub fn expect(self, text: &'static str) -> Handle<T> {
        assertion(self.good, text, || {});
        self.value
    }

    /// The value, or `other`.
    #[track_caller]
    pub fn unwrap_or(self, other: impl To<T>) -> Handle<T> {
        self.ok().unwrap_or(other)
    }

    /// The value, or its type's default.
    #[track_caller]
    pub fn unwrap_or_default(self) -> Handle<T>
    where
        T: Default,
    {
        self.unwrap_or(Given::<T>(constant::<T>(T::default())))
    }

    /// The value, or the result of `other` for the error.
    #[track_caller]
    pub fn unwrap_or_else<X: To<T>>(self, other: impl FnOnce(Handle<E>) -> X) -> Handle<T> {
        branch(self.good, || Given::<T>(self.value), || other(self.error))
    }

    /// The value mapped by `f`.
    #[track_caller]
    pub fn map<X: Valued>(self, f: impl FnOnce(Handle<T>) -> X) -> ResultOf<Values, X::Value, E> {
        let value = branch(
            self.good,
            || Given::<X::Value>(f(self.value).to()),
            || Given::<X::Value>(handle::<X::Value>([])),
        );
        ResultOf { good: self.good, value, error: self.error }
    }

    /// The error mapped by `f`.
    #[track_caller]
    pub fn map_err<X: Valued>(
        self,
        f: impl FnOnce(Handle<E>) -> X,
    ) -> ResultOf<Values, T, X::Value> {
        let error = branch(
            self.good,
            || Given::<X::Value>(handle::<X::Value>([])),
            || Given::<X::Value>(f(self.error).to()),
        );
        ResultOf { good: self.good, value: self.value, error }
    }

    /// The `Result` that `f` returns for the value, or the same error.
    #[track_caller]
    pub fn and_then<X, U: Data>(self, f: impl FnOnce(Handle<T>) -> X) -> ResultOf<Values, U, E>
    where
        X: Valued<Value = Result<U, E>>,
    {
        let failed = ResultOf { good: self.good, value: handle::<U>([]), error: self.error };
        branch(self.good, || f(self.value), || failed)
    }
}

impl<T: Data, E: Data> ResultOf<Values, T, E> {
    /// Whether it is `Ok` and the condition holds for the value.
    #[track_caller]
    pub fn is_ok_and<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> Var<bool>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        self.good.and(|| condition(self.value))
    }

    /// The error; on `Ok`, the thread ends with a report.
    #[track_caller]
    pub fn unwrap_err(self) -> Handle<E> {
        assertion(!self.good, "called `unwrap_err` on an `Ok`", || {});
        self.error
    }

    /// The value mapped by `f`, or `other`.
    #[track_caller]
    pub fn map_or<X: Valued>(
        self,
        other: impl To<X::Value>,
        f: impl FnOnce(Handle<T>) -> X,
    ) -> Handle<X::Value> {
        let other = other.to();
        branch(self.good, || Given::<X::Value>(f(self.value).to()), || Given::<X::Value>(other))
    }

    /// The value mapped by `f`, or the error mapped by `other`.
    #[track_caller]
    pub fn map_or_else<X: Valued, Y: To<X::Value>>(
        self,
        other: impl FnOnce(Handle<E>) -> Y,
        f: impl FnOnce(Handle<T>) -> X,
    ) -> Handle<X::Value> {
        branch(
            self.good,
            || Given::<X::Value>(f(self.value).to()),
            || Given::<X::Value>(other(self.error).to()),
        )
    }

    /// The value, or the `Result` that `f` returns for the error.
    #[track_caller]
    pub fn or_else<X, F: Data>(self, f: impl FnOnce(Handle<E>) -> X) -> ResultOf<Values, T, F>
    where
        X: Valued<Value = Result<T, F>>,
    {
        let good = ResultOf { good: self.good, value: self.value, error: handle::<F>([]) };
        branch(self.good, || good, || f(self.error))
    }
}

impl<T: Data> OptionOf<Values, T> {
    /// The value as `Ok`, or the result of `error` as `Err`.
    #[track_caller]
    pub fn ok_or_else<X: Valued>(self, error: impl FnOnce() -> X) -> ResultOf<Values, T, X::Value> {
        let error = branch(
            self.some,
            || Given::<X::Value>(handle::<X::Value>([])),
            || Given::<X::Value>(error().to()),
        );
        ResultOf { good: self.some, value: self.value, error }
    }

    /// The value as `Ok`, or `error` as `Err`.
    #[track_caller]
    pub fn ok_or<X: Valued>(self, error: X) -> ResultOf<Values, T, X::Value> {
        ResultOf { good: self.some, value: self.value, error: error.to() }
    }
}
