//! Tuples of up to eight values.

use super::leaves::laid_out;
use super::{Data, Handle, Kind, Leaf, Part, Parts, Receive, Target, To, Valued};
use crate::var::Read;
use crate::variable::IntoVariable;
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

        impl<$($t: Data, $x: To<$t>),*> To<($($t,)*)> for ($($x,)*) {
            #[track_caller]
            #[allow(clippy::unused_unit)]
            fn to(self) -> ($(Handle<$t>,)*) {
                ($(self.$i.to(),)*)
            }
        }

        impl<$($x: Valued),*> Valued for ($($x,)*) {
            type Value = ($($x::Value,)*);
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
