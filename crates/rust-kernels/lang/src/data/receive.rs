//! What methods are called on, and how places are read.

use super::operations::read_view;
use super::{Data, Handle};
use crate::current::here;
use crate::memory::{Place, ReadPlace};
use crate::scalar::Scalar;
use crate::var::{Mut, Read, Var};

macro_rules! read_places {
    ($($place:ident $kind:ident)*) => {$(
        impl<T: Scalar> Read for $place<T> {
            type Value = Var<T>;
            #[track_caller]
            fn view(self) -> Var<T> {
                read_view::<T, super::$kind>(self)
            }
            #[track_caller]
            fn copy(self) -> Var<T> {
                read_view::<T, super::$kind>(self)
            }
        }

        impl<T: Data, const N: usize> Read for $place<[T; N]> {
            type Value = [Handle<T>; N];
            #[track_caller]
            fn view(self) -> [Handle<T>; N] {
                read_view::<[T; N], super::$kind>(self)
            }
            #[track_caller]
            fn copy(self) -> [Handle<T>; N] {
                read_view::<[T; N], super::$kind>(self)
            }
        }

        impl<T: Scalar> Receive for $place<T> {
            type Receiver = Var<T>;
            #[track_caller]
            fn receive(self) -> Var<T> {
                self.view()
            }
        }

        impl<T: Data, const N: usize> Receive for $place<[T; N]> {
            type Receiver = Self;
            fn receive(self) -> Self {
                self
            }
        }
    )*};
}

read_places!(Place Places ReadPlace ReadPlaces);

/// What a method is called on: a scalar's value, and a struct as it is, since its methods may
/// change it.
pub trait Receive: Copy {
    /// What has the methods.
    type Receiver;
    /// The receiver.
    fn receive(self) -> Self::Receiver;
}

impl<T: Scalar> Receive for T {
    type Receiver = T;
    fn receive(self) -> T {
        self
    }
}

impl<T: Scalar> Receive for Var<T> {
    type Receiver = Var<T>;
    fn receive(self) -> Var<T> {
        self
    }
}

impl<T: Scalar> Receive for Mut<T> {
    type Receiver = Var<T>;
    fn receive(self) -> Var<T> {
        self.view()
    }
}

impl<X: Read, const N: usize> Receive for [X; N] {
    type Receiver = [X::Value; N];
    #[track_caller]
    fn receive(self) -> [X::Value; N] {
        self.view()
    }
}

/// The receiver of a method call.
#[track_caller]
pub fn receive<X: Receive>(value: X) -> X::Receiver {
    here();
    value.receive()
}
