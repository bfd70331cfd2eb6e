//! The scalar types of kernels, their handles (run-time values while a kernel is staged), and array literals that mix ordinary and
//! run-time values: `[x, 0.0]`.

use crate::emit::current::with;
use crate::emit::value::{Register, Value};
use crate::scalar::relations::SameType;
use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::fmt::{self, Debug};
use std::marker::PhantomData;

/// Makes a type `Copy`, whatever its parameters are.
macro_rules! copied {
    ([$($generics:tt)*] $handle:ty) => {
        impl<$($generics)*> Clone for $handle {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generics)*> Copy for $handle {}
    };
}
pub(crate) use copied;

/// Makes a type `Copy`, and bound with `let` by its name.
macro_rules! by_name {
    ([$($generics:tt)*] $handle:ty) => {
        $crate::scalar::var::copied!([$($generics)*] $handle);

        impl<$($generics)*> $crate::scalar::var::Read for $handle {
            type Value = Self;
            fn view(self) -> Self {
                self
            }
            fn copy(self) -> Self {
                self
            }
        }
    };
}
pub(crate) use by_name;

/// A type whose values fit in a register: a number or `bool`.
///
/// ```
/// # use lanework::prelude::*;
/// use lanework::lang::{Scalar, Storable};
///
/// /// Uploads default values, in generic host code.
/// fn zeroed<T: Storable + Scalar + Default>(device: &Device) -> lanework::Result<Vec<T>> {
///     device.upload(&[T::default(); 4])?.download()
/// }
///
/// /// Atomics of any type that supports them, and warp operations on any 32-bit integer.
/// #[device]
/// fn count<T: AtomicAdd, U: AtomicInteger, W: Word>(sum: Place<T>, most: Place<U>, x: T, y: U, w: W) -> W {
///     atomic_add(sum, x);
///     atomic_max(most, y);
///     reduce_max_sync(FULL_MASK, w)
/// }
///
/// #[kernel]
/// fn example(sum: &mut [f32], most: &mut [u64], out: &mut [u32]) {
///     let t = thread_idx.x;
///     out[t] = count(&mut sum[0], &mut most[0], 1.0f32, t as u64, t);
/// }
/// # let device = Device::emulator();
/// # let (mut sum, mut most) = (device.zeros::<f32>(1)?, device.zeros::<u64>(1)?);
/// # let mut out = device.zeros::<u32>(32)?;
/// # example(&mut sum, &mut most, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!((sum.download()?, most.download()?, out.download()?[0]), (vec![32.0], vec![31], 31));
/// assert_eq!(zeroed::<u8>(&device)?, [0; 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar of the kernel language",
    note = "scalars are bool, u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Scalar:
    sealed::Sealed + Copy + Debug + PartialEq + PartialOrd + Send + Sync + 'static
{
    /// The PTX type, `pred` for `bool`.
    #[doc(hidden)]
    const SCALAR: ScalarType;
    /// The value's bits, zero-extended.
    #[doc(hidden)]
    fn bits(self) -> u64;
    /// The value with these bits; bits beyond the type's width are ignored.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
}

/// Keeps other types from being scalars: bounds checks rely on a scalar having the size of its PTX type.
mod sealed {
    pub trait Sealed {}
}

/// Scalars with bitwise operators: integers and `bool`.
#[diagnostic::on_unimplemented(message = "`{Self}` has no bitwise operators")]
pub trait Bits: Scalar {}

macro_rules! bits {
    ($($t:ty)*) => { $(impl Bits for $t {})* };
}

bits!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

macro_rules! integers {
    ($($t:ty as $bits:ty => $scalar:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                (self as $bits).into()
            }
            fn from_bits(bits: u64) -> Self {
                bits as $t
            }
        }
    )*};
}

integers!(u8 as u8 => U8, u16 as u16 => U16, u32 as u32 => U32, u64 as u64 => U64,
    i8 as u8 => S8, i16 as u16 => S16, i32 as u32 => S32, i64 as u64 => S64,
    usize as u64 => U64, isize as u64 => S64);

macro_rules! floats {
    ($($t:ty as $bits:ty => $scalar:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn from_bits(bits: u64) -> Self {
                <$t>::from_bits(bits as $bits)
            }
        }
    )*};
}

floats!(f16 as u16 => F16, bf16 as u16 => Bf16, f32 as u32 => F32, f64 as u64 => F64);

impl sealed::Sealed for char {}
impl Scalar for char {
    const SCALAR: ScalarType = ScalarType::U32;
    fn bits(self) -> u64 {
        u32::from(self).into()
    }
    fn from_bits(bits: u64) -> Self {
        // Only a constant of the kernel has these bits: a conversion from `u8`, or a `char` of the host.
        char::from_u32(bits as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

impl sealed::Sealed for bool {}
impl Scalar for bool {
    const SCALAR: ScalarType = ScalarType::Pred;
    fn bits(self) -> u64 {
        self.into()
    }
    fn from_bits(bits: u64) -> Self {
        bits & 1 == 1
    }
}

/// A run-time value of type `T`: a register or a constant of the kernel being staged.
///
/// It behaves as a `T` in a kernel's source: operators, comparisons, `as` and the methods of `T`
/// return handles. Mixing it with an ordinary Rust value of type `T` needs no conversion.
///
/// ```
/// # use lanework::prelude::*;
/// /// While a kernel is staged, an argument by value is a `Var`, known or not.
/// #[device]
/// fn is_known(x: Var<u32>) -> u32 {
///     const { 1 } * x.known().is_some() as u32
/// }
///
/// #[kernel]
/// fn example(out: &mut [u32], n: u32) {
///     out[0] = is_known(Var::constant(3));
///     out[1] = is_known(n);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(2)?;
/// # example(&mut out, 3).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [1, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct Var<T> {
    pub(crate) value: Value,
    scalar: PhantomData<fn() -> T>,
}

/// A mutable variable of type `T` (`let mut x`): one register that assignments write.
pub struct Mut<T> {
    pub(crate) register: Register,
    scalar: PhantomData<fn() -> T>,
}

copied!([T] Var<T>);

copied!([T] Mut<T>);

impl<T: Scalar> fmt::Debug for Var<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Constant(bits) => write!(f, "{:?}", T::from_bits(bits)),
            Value::Register(register) => f.write_str(&register.name()),
            Value::Special(name) => f.write_str(name),
        }
    }
}

impl<T> fmt::Debug for Mut<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.register.name())
    }
}

impl<T> Var<T> {
    pub(crate) const fn new(value: Value) -> Self {
        Var { value, scalar: PhantomData }
    }
}

impl<T: Scalar> Var<T> {
    /// A constant of the kernel.
    pub fn constant(value: T) -> Self {
        Var::new(Value::Constant(value.bits()))
    }

    /// The value, if it is known while staging.
    pub fn known(self) -> Option<T> {
        match self.value {
            Value::Constant(bits) => Some(T::from_bits(bits)),
            _ => None,
        }
    }
}

impl<T: Scalar> Mut<T> {
    /// A variable without a value yet.
    pub(crate) fn uninit() -> Self {
        let register = with(|b| b.register(T::SCALAR, true));
        Mut { register, scalar: PhantomData }
    }

    /// The variable of a register.
    pub(crate) fn of(register: Register) -> Self {
        Mut { register, scalar: PhantomData }
    }

    /// The variable's current value; it reflects later assignments.
    pub(crate) fn view(self) -> Var<T> {
        Var::new(Value::Register(self.register))
    }

    /// `self = value`.
    pub(crate) fn assign(self, value: Var<T>) {
        with(|b| b.assign(self.register, value.value, T::SCALAR));
    }
}

/// A value of type `T`, known while staging or only at run time.
#[diagnostic::on_unimplemented(
    message = "expected a value of type `{T}`, found `{Self}`",
    label = "not a `{T}`",
    note = "the kernel language has no implicit conversions: use `as {T}`"
)]
pub trait IntoVar<T: Scalar> {
    /// The handle.
    fn into_var(self) -> Var<T>;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> IntoVar<T> for T {
    fn into_var(self) -> Var<T> {
        Var::constant(self)
    }
}

impl<T: Scalar, U: Scalar + SameType<T>> IntoVar<T> for Var<U> {
    fn into_var(self) -> Var<T> {
        Var::new(self.value)
    }
}

/// Reading a name: the current value of a variable, or any other value itself.
#[diagnostic::on_unimplemented(
    message = "this value cannot be read in a kernel",
    label = "not a value of the kernel language",
    note = "a type parameter needs a bound, `Number` or a #[device] trait with a function that takes or returns `Self`"
)]
pub trait Read: Copy {
    /// The value that is read.
    type Value;
    /// The current value; it reflects later assignments to the variable.
    fn view(self) -> Self::Value;
    /// The current value, unaffected by later assignments.
    fn copy(self) -> Self::Value;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Read for T {
    type Value = T;
    fn view(self) -> T {
        self
    }
    fn copy(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Read for Var<T> {
    type Value = Var<T>;
    fn view(self) -> Var<T> {
        self
    }
    fn copy(self) -> Var<T> {
        match self.value {
            Value::Register(register) if register.mutable => {
                Var::new(with(|b| b.copied(self.value, T::SCALAR)))
            }
            _ => self,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Read for Mut<T> {
    type Value = Var<T>;
    fn view(self) -> Var<T> {
        Mut::view(self)
    }
    fn copy(self) -> Var<T> {
        Mut::view(self).copy()
    }
}

impl<X: Read, const N: usize> Read for [X; N] {
    type Value = [X::Value; N];
    fn view(self) -> Self::Value {
        self.map(X::view)
    }
    fn copy(self) -> Self::Value {
        self.map(X::copy)
    }
}

/// The type of an array's elements, inferred element by element.
pub struct Joined<A>(PhantomData<fn() -> A>);

copied!([A] Joined<A>);

/// The type of one element.
pub fn joined<A>(_: &A) -> Joined<A> {
    Joined(PhantomData)
}

impl<A> Joined<A> {
    /// The common type of the previous elements and one more.
    pub fn with<B>(self, _: &B) -> Joined<A::Output>
    where
        A: Join<B>,
    {
        Joined(PhantomData)
    }

    /// Converts an element to the common type.
    pub fn of<B: Become<A>>(self, element: B) -> A {
        element.into_kind()
    }
}

/// Types that an array can mix: equal types, or run-time and ordinary values of one scalar type.
#[diagnostic::on_unimplemented(
    message = "an array cannot hold both `{Self}` and `{B}`",
    label = "the elements have different types",
    note = "convert with `as`: an array's elements are of one type"
)]
pub trait Join<B> {
    /// The common type.
    type Output;
}

impl<A> Join<A> for A {
    type Output = A;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Join<T> for Var<T> {
    type Output = Var<T>;
}

macro_rules! value_joins {
    ($($t:ty)*) => {$(
        impl Join<Var<$t>> for $t {
            type Output = Var<$t>;
        }
    )*};
}

value_joins!(char bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64);

/// A value that can become an element of type `A`.
pub trait Become<A> {
    /// The element.
    fn into_kind(self) -> A;
}

impl<A> Become<A> for A {
    fn into_kind(self) -> A {
        self
    }
}

impl<T: Scalar> Become<Var<T>> for T {
    fn into_kind(self) -> Var<T> {
        self.into_var()
    }
}
