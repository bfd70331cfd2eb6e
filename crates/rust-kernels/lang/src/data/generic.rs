//! Generic functions: values whose type is a type parameter, and the receivers of their methods.
//!
//! A type parameter has no known parts, so a bound has to say what a kernel does with its values: [`KernelValue`]. The attributes add
//! it to a parameter that only traits of Rust's library bound, as in `T: Copy`.
//!
//! A method of the language needs the receiver's value, and a method of a trait that takes `&mut self` needs its place, so a
//! receiver holds both. A device trait adds its methods with an adapter, which dereferences to the receiver that it wraps.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{
    Data, Handle, Parts, Places, ReadPlaces, Temporaries, Values, Variables,
};
use crate::data::variable::{Exclusive, IntoVariable, Receive, Target};
use crate::scalar::var::{Read, Scalar, Var};
use std::ops::Deref;

macro_rules! kernel_value {
    ($($bound:tt)*) => {
        /// A type whose values a generic function may compute with: every type of the kernel language.
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a type of the kernel language",
            label = "not a type that kernels compute with",
            note = "scalars, and tuples and arrays of them, are; mark a struct or an enum #[device]"
        )]
        pub trait KernelValue: $($bound)* {}

        #[diagnostic::do_not_recommend]
        impl<T> KernelValue for T where T: $($bound)* {}
    };
}

/// The values of a type in the forms that a kernel handles them.
type Variable<T> = <T as Data>::Of<Variables>;

kernel_value! {
    To<Self> + Valued<Value = Self> + Read<Value = Self> + IntoVariable<Variable = Variable<Self>>
    + Data<Of<Values>: To<Self> + Valued<Value = Self> + Read<Value = Handle<Self>>
        + IntoVariable<Variable = Variable<Self>> + InKernel>
    + Data<Of<Variables>: To<Self> + Valued<Value = Self> + Read<Value = Handle<Self>>
        + Target<Value = Self> + Exclusive<Self> + Receive<Receiver: To<Self> + Valued<Value = Self>>>
    + Data<Of<Places>: To<Self> + Valued<Value = Self> + Read<Value = Handle<Self>>
        + Target<Value = Self> + Exclusive<Self> + Receive<Receiver: To<Self> + Valued<Value = Self>>>
    + Data<Of<ReadPlaces>: To<Self> + Valued<Value = Self> + Read<Value = Handle<Self>>
        + Receive<Receiver: To<Self> + Valued<Value = Self>>>
}

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

/// A value of a call, which has no name. `(&&Nameless(value)).receiver()` is the receiver of a method.
#[derive(Clone, Copy, Debug)]
pub struct Nameless<X>(pub X);

/// The parts of a `#[device]` struct or enum, which a method may change.
pub trait OfUser: Copy {
    /// The receiver.
    type Receiver;
    /// The receiver.
    fn temporary(self) -> Self::Receiver;
}

/// The receiver of a struct or an enum.
pub trait ReceiveUser {
    /// The receiver.
    type Receiver;
    /// The receiver.
    fn receiver(self) -> Self::Receiver;
}

impl<X: OfUser> ReceiveUser for &&Nameless<X> {
    type Receiver = X::Receiver;
    fn receiver(self) -> X::Receiver {
        self.0.temporary()
    }
}

/// The receiver of any other value: the value.
pub trait ReceiveOther<X> {
    /// The receiver.
    fn receiver(self) -> X;
}

impl<X> ReceiveOther<X> for Nameless<X> {
    fn receiver(self) -> X {
        self.0
    }
}

/// A constant receiver and an argument. `(&&&Chosen(receiver, &argument)).receiver()` is the receiver of a method: the parts
/// of a `#[device]` struct or enum if the argument is not an ordinary value, so that the method runs in the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a, X, A>(pub X, pub &'a A);

/// The receiver of a method whose argument is an ordinary value.
pub trait ReceiveHost<X> {
    /// The receiver.
    fn receiver(self) -> X;
}

impl<X: Copy, A: Data> ReceiveHost<X> for &&&Chosen<'_, X, A> {
    fn receiver(self) -> X {
        self.0
    }
}

/// The receiver of a method whose argument exists in a kernel.
pub trait ReceiveChosen<R> {
    /// The receiver.
    fn receiver(self) -> R;
}

impl<X: Data + To<X>, A> ReceiveChosen<<Handle<X> as OfUser>::Receiver> for &&Chosen<'_, X, A>
where
    Handle<X>: OfUser,
{
    #[track_caller]
    fn receiver(self) -> <Handle<X> as OfUser>::Receiver {
        self.0.to().temporary()
    }
}

/// Any other receiver.
pub trait ReceiveUnchosen<X> {
    /// The receiver.
    fn receiver(self) -> X;
}

impl<X, A> ReceiveUnchosen<X> for Chosen<'_, X, A> {
    fn receiver(self) -> X {
        self.0
    }
}

/// The same parts as those of a value without a name.
pub fn temporary<T: Data>(value: Handle<T>) -> T::Of<Temporaries> {
    let mut parts = Vec::new();
    T::parts::<Values>(value, &mut parts);
    T::build::<Temporaries>(&mut Parts::new(&parts))
}

/// A value that exists only while a kernel is staged: a scalar's handle, or the parts of a `#[device]` struct or enum. An
/// ordinary value has the methods of the trait itself.
pub trait InKernel: Copy {}

impl<T: Scalar> InKernel for Var<T> {}

impl<X: InKernel, const N: usize> InKernel for [X; N] {}

macro_rules! tuples {
    ($($($x:ident)*;)*) => {$(
        impl<$($x: InKernel),*> InKernel for ($($x,)*) {}
    )*};
}

tuples! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
