//! Values of a type, known while staging or only at run time, and functions that exist to type-check patterns: rustc checks calls
//! of them, which never run.
//!
//! An enum with data is the variant's number, then the fields of all variants, in registers or in a thread's
//! local memory. Rust does not define the layout of such an enum, so buffers cannot hold it. In local memory this file defines the
//! layout: each field at the next multiple of 8 bytes.

use crate::data::leaves::{Data, Handle, Leaf, Values, leaves};
use crate::data::operations;
use crate::data::place::{Place, ReadPlace};
use crate::emit::current::Never;
use crate::scalar::relations::SameType;
use crate::scalar::var::{Mut, Scalar, Var};
use lanework_ptx::ScalarType;

/// A value of type `T`, known while staging or only at run time.
#[diagnostic::on_unimplemented(
    message = "expected a value of type `{T}`, found `{Self}`",
    label = "not a `{T}`",
    note = "the kernel language has no implicit conversions: use `as` between numbers"
)]
pub trait To<T: Data>: Copy {
    /// Whether control reaches the value.
    const REACHED: bool = true;
    /// The handle.
    fn to(self) -> Handle<T>;
}

/// A value that determines its own type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of the kernel language",
    label = "not a value that kernels compute with",
    note = "scalars, and tuples and arrays of them, are; mark a struct or an enum #[device]"
)]
pub trait Valued: To<<Self as Valued>::Value> {
    /// The type.
    type Value: Data;
    /// Whether the value is in memory, so that its use loads it.
    const IN_MEMORY: bool = false;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> To<T> for T {
    fn to(self) -> Var<T> {
        Var::constant(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Valued for T {
    type Value = T;
}

impl<T: Scalar + SameType<U>, U: Scalar> To<U> for Var<T> {
    fn to(self) -> Var<U> {
        Var::new(self.value)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Valued for Var<T> {
    type Value = T;
}

impl<T: Scalar + SameType<U>, U: Scalar> To<U> for Mut<T> {
    fn to(self) -> Var<U> {
        Var::new(self.view().value)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Valued for Mut<T> {
    type Value = T;
}

macro_rules! places {
    ($($place:ident $kind:ident)*) => {$(
        impl<T: Scalar + SameType<U>, U: Scalar> To<U> for $place<T> {
            #[track_caller]
            fn to(self) -> Var<U> {
                Var::new(operations::read_view::<T, crate::data::leaves::$kind>(self).value)
            }
        }

        impl<T: Scalar> Valued for $place<T> {
            type Value = T;
            const IN_MEMORY: bool = true;
        }

        #[diagnostic::do_not_recommend]
        impl<T: Data, const N: usize> To<[T; N]> for $place<[T; N]> {
            #[track_caller]
            fn to(self) -> [Handle<T>; N] {
                operations::read_view::<[T; N], crate::data::leaves::$kind>(self)
            }
        }

        impl<T: Data, const N: usize> Valued for $place<[T; N]> {
            type Value = [T; N];
            const IN_MEMORY: bool = true;
        }
    )*};
}

places!(Place Places ReadPlace ReadPlaces);

#[diagnostic::do_not_recommend]
impl<T: Data, X: To<T>, const N: usize> To<[T; N]> for [X; N] {
    #[track_caller]
    fn to(self) -> [Handle<T>; N] {
        self.map(X::to)
    }
}

impl<X: Valued, const N: usize> Valued for [X; N] {
    type Value = [X::Value; N];
    const IN_MEMORY: bool = X::IN_MEMORY;
}

#[diagnostic::do_not_recommend]
impl<T: Data> To<T> for Never {
    const REACHED: bool = false;
    fn to(self) -> Handle<T> {
        operations::declare::<T>()
    }
}

/// A handle as a value.
pub struct Given<T: Data>(pub(crate) Handle<T>);

crate::scalar::var::copied!([T: Data] Given<T>);

impl<T: Data> To<T> for Given<T> {
    fn to(self) -> Handle<T> {
        self.0
    }
}

impl<T: Data> Valued for Given<T> {
    type Value = T;
}

/// The value as a handle.
#[track_caller]
pub fn lift<X: Valued>(value: X) -> Handle<X::Value> {
    value.to()
}

/// `let x: T = value`: a value of the declared type, unchanged.
pub fn keep<T: Data, X: To<T>>(value: X) -> X {
    value
}

/// An ordinary value of the type of `value`, for code that is type-checked but never runs.
pub fn host<X: Valued>(_: X) -> X::Value {
    unreachable!("only checked by the compiler")
}

/// A value with unset leaves, of the type that `check` returns; `check` never runs.
pub fn blank<T: Data>(_check: impl FnOnce() -> T) -> Handle<T> {
    operations::handle::<T>([])
}

/// `rest` as a value of the type that `check` returns; `check` never runs.
#[track_caller]
pub fn rest<T: Data>(_check: impl FnOnce() -> T, rest: impl To<T>) -> Handle<T> {
    rest.to()
}

/// Checks a field's type, so that the error is at the field.
pub fn is_data<T: Data>() {}

/// Asserts that no padding follows a field.
pub trait NoPadding {}

/// The type whose functions a kernel calls as `Type::function`: the handle of a value's type, or the type itself if it belongs to
/// the language.
#[diagnostic::on_unimplemented(
    message = "the functions of `{Self}` run on the host only",
    label = "not a type of the kernel language",
    note = "mark the struct or enum and its `impl` #[device], or call the function in a \
            `const {{ .. }}` block"
)]
pub trait Functions {
    /// The type.
    type Of;
}

impl<T: Data> Functions for T {
    type Of = Handle<T>;
}

/// A field: the number of its variant, its size in bytes, and the function that appends its leaves.
pub type VariantField = (u64, u64, fn(u64, &mut Vec<Leaf>));

/// Bytes of the variant's number, chosen so that every field is aligned.
const NUMBER: u64 = 8;

/// The bytes of an enum whose fields have these sizes.
pub fn variants_size(fields: &[u64]) -> u64 {
    NUMBER + fields.iter().map(|size| size.next_multiple_of(8)).sum::<u64>()
}

/// Appends the leaves of an enum at `offset`.
pub fn variants_leaves(offset: u64, fields: &[VariantField], out: &mut Vec<Leaf>) {
    let tag = out.len();
    out.push(Leaf { ty: ScalarType::U32, offset, flag: None });
    let mut at = offset + NUMBER;
    for (variant, size, append) in fields {
        let first = out.len();
        append(at, out);
        for leaf in &mut out[first..] {
            leaf.flag.get_or_insert((tag, *variant));
        }
        at += size.next_multiple_of(8);
    }
}

/// Appends zero bits for a field of another variant.
pub fn no_bits<T: Data>(out: &mut Vec<u64>) {
    out.extend(leaves::<T>().iter().map(|_| 0));
}

/// Code that is type-checked but never runs.
pub fn check(_code: impl FnOnce()) {}

/// A condition of unknown value, for guards.
pub fn perhaps() -> bool {
    false
}

/// A value that is not known.
pub fn any() -> u32 {
    0
}

/// A value that is matched. `(&&Scrutinee(value)).host()` has its ordinary type.
#[derive(Clone, Copy, Debug)]
pub struct Scrutinee<X>(pub X);

/// A value of the kernel language.
pub trait HostOfValue {
    /// The ordinary type.
    type Host;
    /// An ordinary value.
    fn host(self) -> Self::Host;
}

impl<X: Valued> HostOfValue for &&Scrutinee<X> {
    type Host = X::Value;
    fn host(self) -> X::Value {
        unreachable!("only checked by the compiler")
    }
}

/// An ordinary value of any other type.
pub trait HostOfAny {
    /// The type.
    type Host;
    /// The value.
    fn host(self) -> Self::Host;
}

impl<X: Copy> HostOfAny for &Scrutinee<X> {
    type Host = X;
    fn host(self) -> X {
        self.0
    }
}

/// The `else` of a `let`, which must diverge.
#[diagnostic::on_unimplemented(
    message = "the `else` block of this `let` does not leave the scope",
    label = "continues after the `let`",
    note = "end it with `return`, `break` or `continue`"
)]
pub trait Leaves {}

impl Leaves for Never {}

/// Checks that the `else` of a `let` diverges.
pub fn must_leave<X: Leaves>(_otherwise: X) {}

/// An argument of a closure: a value of the kernel language becomes a handle, anything else stays.
#[derive(Clone, Copy, Debug)]
pub struct Passed<X>(pub X);

/// A value of the kernel language.
pub trait PassValue {
    /// The closure's argument.
    type Argument;
    /// The argument.
    fn pass(self) -> Self::Argument;
}

impl<X: Valued> PassValue for &&Passed<X> {
    type Argument = Handle<X::Value>;
    #[track_caller]
    fn pass(self) -> Handle<X::Value> {
        self.0.to()
    }
}

/// Anything else.
pub trait PassAny {
    /// The closure's argument.
    type Argument;
    /// The argument.
    fn pass(self) -> Self::Argument;
}

impl<X: Copy> PassAny for &Passed<X> {
    type Argument = X;
    fn pass(self) -> X {
        self.0
    }
}

/// An argument of `T::from`, where `T` is a type parameter: `(&&Converted(value)).converted::<T>()`.
#[derive(Clone, Copy, Debug)]
pub struct Converted<X>(pub X);

/// A value that is known while staging: the host converts it.
pub trait ConvertKnown<X> {
    /// `T::from(value)`.
    fn converted<T: From<X>>(self) -> T;
}

impl<X: Valued<Value = X>> ConvertKnown<X> for &&Converted<X> {
    fn converted<T: From<X>>(self) -> T {
        T::from(self.0)
    }
}

/// A value that the kernel computes.
pub trait ConvertComputed<X: Valued> {
    /// `T::from(value)`.
    fn converted<T: FromValue<X::Value>>(self) -> Handle<T>;
}

impl<X: Valued> ConvertComputed<X> for &Converted<X> {
    #[track_caller]
    fn converted<T: FromValue<X::Value>>(self) -> Handle<T> {
        T::from_value(self.0.to())
    }
}

/// A type with a conversion from `U` in kernels.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from `{U}` in a kernel",
    label = "no conversion from `{U}`",
    note = "write `impl From<{U}> for {Self}` with #[device] above it"
)]
pub trait FromValue<U: Data>: Data {
    /// `Self::from(value)`.
    #[doc(hidden)]
    fn from_value(value: Handle<U>) -> Handle<Self>;
}

/// `Default::default()`, where the context says of which type.
#[derive(Clone, Copy, Debug)]
pub struct Defaulted;

impl<T: Data + Default> To<T> for Defaulted {
    fn to(self) -> Handle<T> {
        operations::constant::<T>(T::default())
    }
}

/// `Default::default()` in a field.
pub fn default_handle<X: Valued>() -> X
where
    X::Value: Default + Data<Of<Values> = X>,
{
    operations::constant::<X::Value>(Default::default())
}
