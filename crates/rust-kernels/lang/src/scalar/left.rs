//! Arithmetic with a literal on the left: `2 * i + 1`. A literal has any numeric type, and takes the one of the other operand, also if
//! rustc has yet to find that: `let mut i = 0; .. let child = 2 * i + 1; .. a[child]`.

use crate::scalar::number::Number;
use crate::scalar::var::Var;
use std::ops::{Add, Div, Mul, Rem, Sub};

/// A literal and the right operand.
#[derive(Clone, Copy, Debug)]
pub struct LiteralOperands<L, R>(pub L, pub R);

macro_rules! operations {
    ($($method:ident $operator:ident $function:ident $same:ident $other:ident;)*) => {$(
        /// A literal and a number that the kernel computes.
        pub trait $same {
            /// The result.
            type Output;
            /// The operation.
            fn $method(self) -> Self::Output;
        }

        impl<T: Number + $operator<Var<T>, Output = Var<T>>> $same for &&LiteralOperands<T, Var<T>> {
            type Output = Var<T>;
            #[track_caller]
            fn $method(self) -> Var<T> {
                self.0.$function(self.1)
            }
        }

        impl<T: Number> $same for &&LiteralOperands<T, T> {
            type Output = T;
            fn $method(self) -> T {
                self.0.$function(self.1)
            }
        }

        /// Any other operands.
        pub trait $other<L, R> {
            /// The operation.
            fn $method(self) -> L::Output
            where
                L: $operator<R>;
        }

        impl<L: Copy, R: Copy> $other<L, R> for LiteralOperands<L, R> {
            #[track_caller]
            fn $method(self) -> L::Output
            where
                L: $operator<R>,
            {
                self.0.$function(self.1)
            }
        }
    )*};
}

operations! {
    sum Add add SameSum OtherSum;
    difference Sub sub SameDifference OtherDifference;
    product Mul mul SameProduct OtherProduct;
    quotient Div div SameQuotient OtherQuotient;
    remainder Rem rem SameRemainder OtherRemainder;
}
