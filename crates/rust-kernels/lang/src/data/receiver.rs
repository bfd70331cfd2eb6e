//! Receivers of calls in functions whose type parameters have bounds by device traits.
//!
//! A method of the language needs the receiver's value, and a method of a trait that takes `&mut self` needs its place, so a
//! receiver holds both. A device trait adds its methods with an adapter, which dereferences to the receiver that it wraps.

use crate::scalar::var::{Scalar, Var};
use std::ops::Deref;

/// A receiver, perhaps wrapped in adapters.
pub trait Receiver: Sized {
    /// The place, or the value if it has no place.
    type Place: Copy;
    /// The place.
    fn place(self) -> Self::Place;
}

/// A receiver in a variable or in memory: its value or parts, and its place.
#[derive(Clone, Copy, Debug)]
pub struct InPlace<X, P>(pub X, pub P);

/// A receiver without a place.
#[derive(Clone, Copy, Debug)]
pub struct ByValue<X>(pub X);

impl<X, P: Copy> Receiver for InPlace<X, P> {
    type Place = P;
    fn place(self) -> P {
        self.1
    }
}

impl<X: Copy> Receiver for ByValue<X> {
    type Place = X;
    fn place(self) -> X {
        self.0
    }
}

impl<X, P> Deref for InPlace<X, P> {
    type Target = X;
    fn deref(&self) -> &X {
        &self.0
    }
}

impl<X> Deref for ByValue<X> {
    type Target = X;
    fn deref(&self) -> &X {
        &self.0
    }
}

/// A value that exists only while a kernel is staged: a scalar's handle, or the parts of a `#[device]` struct or enum. An
/// ordinary value has the methods of the trait itself.
pub trait InKernel: Copy {}

impl<T: Scalar> InKernel for Var<T> {}
