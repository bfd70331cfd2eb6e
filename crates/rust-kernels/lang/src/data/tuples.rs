//! Tuples of up to eight values, `PhantomData`, and `Option` and `Ordering`, whose parts are scalars.

use crate::data::convert::{To, Valued};
use crate::data::generic::InKernel;
use crate::data::leaves::{Data, Handle, Kind, Leaf, Part, Parts, Variables, laid_out};
use crate::data::variable::{Exclusive, IntoVariable, Loan, Receive, Target, lend};
use crate::scalar::var::Read;
use std::marker::PhantomData;
use std::mem::offset_of;

macro_rules! tuple {
    ($($t:ident $x:ident $i:tt),*) => {
        impl<$($t: Data),*> Data for ($($t,)*) {
            type Of<K: Kind> = ($($t::Of<K>,)*);
            fn size() -> u64 {
                laid_out(&[$((offset_of!(Self, $i), size_of::<$t>(), $t::size())),*], size_of::<Self>()).1
            }
            #[allow(unused_variables)]
            fn leaves(offset: u64, out: &mut Vec<Leaf>) {
                let (at, _) = laid_out(
                    &[$((offset_of!(Self, $i), size_of::<$t>(), $t::size())),*], size_of::<Self>());
                $($t::leaves(offset + at[$i], out);)*
            }
            fn described() -> String {
                let (_at, _bytes) = laid_out(
                    &[$((offset_of!(Self, $i), size_of::<$t>(), $t::size())),*], size_of::<Self>());
                let fields: &[String] = &[$(format!("{}@{}:{}", $i, _at[$i], $t::described())),*];
                format!("{{tuple;{_bytes};{}}}", fields.join(","))
            }
            #[allow(unused_variables)]
            fn bits(self, out: &mut Vec<u64>) {
                $(self.$i.bits(out);)*
            }
            #[allow(unused_variables, clippy::unused_unit)]
            fn build<K: Kind>(parts: &mut Parts<'_>) -> Self::Of<K> {
                ($($t::build::<K>(parts),)*)
            }
            #[allow(unused_variables)]
            fn parts<K: Kind>(value: Self::Of<K>, out: &mut Vec<Part>) {
                $($t::parts::<K>(value.$i, out);)*
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($t: Data, $x: To<$t>),*> To<($($t,)*)> for ($($x,)*) {
            #[track_caller]
            #[allow(clippy::unused_unit)]
            fn to(self) -> ($(Handle<$t>,)*) {
                ($(self.$i.to(),)*)
            }
        }

        impl<$($x: Valued),*> Valued for ($($x,)*) {
            type Value = ($($x::Value,)*);
            const IN_MEMORY: bool = false $(|| $x::IN_MEMORY)*;
        }

        impl<$($x: Read),*> Read for ($($x,)*) {
            type Value = ($($x::Value,)*);
            #[track_caller]
            #[allow(clippy::unused_unit)]
            fn view(self) -> Self::Value {
                ($(self.$i.view(),)*)
            }
            #[track_caller]
            #[allow(clippy::unused_unit)]
            fn copy(self) -> Self::Value {
                ($(self.$i.copy(),)*)
            }
        }

        impl<$($x: IntoVariable),*> IntoVariable for ($($x,)*) {
            type Variable = ($($x::Variable,)*);
            #[allow(clippy::unused_unit)]
            fn into_variable(self) -> Self::Variable {
                ($(self.$i.into_variable(),)*)
            }
        }

        impl<$($x: Target),*> Target for ($($x,)*) {
            type Value = ($($x::Value,)*);
            #[track_caller]
            #[allow(unused_variables)]
            fn set(self, value: Handle<Self::Value>) {
                $(self.$i.set(value.$i);)*
            }
        }

        impl<$($x: Read),*> Receive for ($($x,)*) {
            type Receiver = <Self as Read>::Value;
            #[track_caller]
            fn receive(self) -> Self::Receiver {
                self.view()
            }
        }
    };
}

tuple!();
tuple!(T1 X1 0);
tuple!(T1 X1 0, T2 X2 1);
tuple!(T1 X1 0, T2 X2 1, T3 X3 2);
tuple!(T1 X1 0, T2 X2 1, T3 X3 2, T4 X4 3);
tuple!(T1 X1 0, T2 X2 1, T3 X3 2, T4 X4 3, T5 X5 4);
tuple!(T1 X1 0, T2 X2 1, T3 X3 2, T4 X4 3, T5 X5 4, T6 X6 5);
tuple!(T1 X1 0, T2 X2 1, T3 X3 2, T4 X4 3, T5 X5 4, T6 X6 5, T7 X7 6);
tuple!(T1 X1 0, T2 X2 1, T3 X3 2, T4 X4 3, T5 X5 4, T6 X6 5, T7 X7 6, T8 X8 7);

/// A value without scalars, which is its own handle, variable and place.
impl<T: 'static> Data for PhantomData<T> {
    type Of<K: Kind> = PhantomData<T>;
    fn leaves(_: u64, _: &mut Vec<Leaf>) {}
    fn bits(self, _: &mut Vec<u64>) {}
    fn build<K: Kind>(_: &mut Parts<'_>) -> Self {
        PhantomData
    }
    fn parts<K: Kind>(_: Self, _: &mut Vec<Part>) {}
}

impl<T: 'static> To<PhantomData<T>> for PhantomData<T> {
    fn to(self) -> Self {
        self
    }
}

impl<T: 'static> Valued for PhantomData<T> {
    type Value = Self;
}

impl<T: 'static> Read for PhantomData<T> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

impl<T: 'static> Receive for PhantomData<T> {
    type Receiver = Self;
    fn receive(self) -> Self {
        self
    }
}

impl<T: 'static> IntoVariable for PhantomData<T> {
    type Variable = Self;
    fn into_variable(self) -> Self {
        self
    }
}

impl<T: 'static> Target for PhantomData<T> {
    type Value = Self;
    fn set(self, _: Self) {}
}

impl<T: 'static> Exclusive<PhantomData<T>> for PhantomData<T> {
    fn enter(self) -> (<Self as Data>::Of<Variables>, Loan<Self>) {
        lend::<Self>(self)
    }
}

impl<T: 'static> InKernel for PhantomData<T> {}

/// The implementations for the host's type and for its parts of any kind.
macro_rules! value_of {
    ([$($generics:tt)*] [$($t:ident),*] $host:ty, $of:ident) => {
        impl<$($generics)*> $crate::data::convert::To<$host> for $host {
            fn to(self) -> $of<Values, $($t),*> {
                $crate::data::operations::constant::<$host>(self)
            }
        }

        impl<$($generics)*> $crate::data::convert::Valued for $host {
            type Value = $host;
        }

        impl<$($generics)*> $crate::scalar::var::Read for $host {
            type Value = $host;
            fn view(self) -> Self {
                self
            }
            fn copy(self) -> Self {
                self
            }
        }

        impl<$($generics)*> $crate::data::variable::Receive for $host {
            type Receiver = $of<Values, $($t),*>;
            fn receive(self) -> Self::Receiver {
                $crate::data::operations::constant::<$host>(self)
            }
        }

        impl<$($generics)*> $crate::data::variable::IntoVariable for $host {
            type Variable = $of<Variables, $($t),*>;
            fn into_variable(self) -> Self::Variable {
                $crate::data::variable::new_variable(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::convert::To<$host> for $of<K, $($t),*> {
            #[track_caller]
            fn to(self) -> $of<Values, $($t),*> {
                $crate::data::operations::read_view::<$host, K>(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::convert::Valued for $of<K, $($t),*> {
            type Value = $host;
            const IN_MEMORY: bool = K::IN_MEMORY;
        }

        impl<K: Kind, $($generics)*> $crate::scalar::var::Read for $of<K, $($t),*> {
            type Value = $of<Values, $($t),*>;
            #[track_caller]
            fn view(self) -> Self::Value {
                $crate::data::operations::read_view::<$host, K>(self)
            }
            #[track_caller]
            fn copy(self) -> Self::Value {
                $crate::data::operations::read_copy::<$host, K>(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::variable::Receive for $of<K, $($t),*> {
            type Receiver = $of<Values, $($t),*>;
            #[track_caller]
            fn receive(self) -> Self::Receiver {
                $crate::data::operations::read_view::<$host, K>(self)
            }
        }

        impl<K: Kind, $($generics)*> $crate::data::variable::IntoVariable for $of<K, $($t),*> {
            type Variable = $of<Variables, $($t),*>;
            fn into_variable(self) -> Self::Variable {
                $crate::data::variable::new_variable(self)
            }
        }

        $crate::data::tuples::value_of!(@assigned [$($generics)*] [$($t),*] $host, $of, Variables lend);
        $crate::data::tuples::value_of!(@assigned [$($generics)*] [$($t),*] $host, $of, Places borrow);
    };
    (@assigned [$($generics:tt)*] [$($t:ident),*] $host:ty, $of:ident, $kind:ident $enter:ident) => {
        impl<$($generics)*> $crate::data::variable::Target for $of<$kind, $($t),*> {
            type Value = $host;
            #[track_caller]
            fn set(self, value: $of<Values, $($t),*>) {
                $crate::data::operations::set::<$host, $kind>(self, value);
            }
        }

        impl<$($generics)*> $crate::data::variable::Exclusive<$host> for $of<$kind, $($t),*> {
            #[track_caller]
            fn enter(self) -> ($of<Variables, $($t),*>, $crate::data::variable::Loan<$host>) {
                $crate::data::variable::$enter::<$host>(self)
            }
        }
    };
}

pub(crate) use value_of;
