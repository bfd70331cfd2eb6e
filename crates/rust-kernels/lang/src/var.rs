//! Typed handles: run-time values while a kernel is staged.

use crate::current::with;
use crate::scalar::Scalar;
use crate::value::{Register, Value};
use std::fmt;
use std::marker::PhantomData;

/// A run-time value of type `T`: a register or a constant of the kernel being staged.
///
/// It behaves as a `T` in a kernel's source: operators, comparisons, `as` and the methods of `T`
/// return handles. Mixing it with an ordinary Rust value of type `T` needs no conversion.
///
/// ```
/// # use lanework::prelude::*;
/// /// What a function takes by value is a `Var` while a kernel is staged: known then, or not.
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

impl<T> Clone for Var<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Var<T> {}

impl<T> Clone for Mut<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Mut<T> {}

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

    /// The variable's current value; a later assignment shows through it.
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

impl<T: Scalar> IntoVar<T> for T {
    fn into_var(self) -> Var<T> {
        Var::constant(self)
    }
}

impl<T: Scalar> IntoVar<T> for Var<T> {
    fn into_var(self) -> Var<T> {
        self
    }
}

/// Reading a name: a variable's current value, anything else unchanged.
pub trait Read: Copy {
    /// What is read.
    type Value;
    /// The value now; a later assignment to the variable shows through it.
    fn view(self) -> Self::Value;
    /// The value now, unaffected by later assignments.
    fn copy(self) -> Self::Value;
}

impl<T: Scalar> Read for T {
    type Value = T;
    fn view(self) -> T {
        self
    }
    fn copy(self) -> T {
        self
    }
}

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
