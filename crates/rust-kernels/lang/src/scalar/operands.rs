//! The types of an operator's two operands, as traits that exist for their error messages: rustc names `f32` and `u32`, and
//! not the handles, for which std's operators are implemented.
//!
//! rustc reports the innermost bound that does not hold only if a single implementation of the operator fits. So each handle has
//! one implementation for all right operands, whose types are related to the left one's by a trait of the operator. The traits have
//! no other bounds, so that a type parameter without bounds has the same message.

use crate::scalar::number::Number;
use crate::scalar::var::{Bits, Scalar, Var};
use lanework_ptx::ScalarType;

macro_rules! relations {
    ($bound:ident, $takes:literal: $($name:ident $operand:ident $message:literal $of_operand:literal $label:literal $label_of_operand:literal;)*) => {$(
        /// Relates the types of the operands of a binary operator: the left one and, as parameter, the right one.
        #[diagnostic::on_unimplemented(
            message = $message,
            label = $label,
            note = $takes,
            note = "the kernel language has no implicit conversions: use `as` between numbers"
        )]
        pub trait $name<U> {
            /// The PTX type of the operands.
            const SCALAR: ScalarType;
        }

        impl<T: $bound> $name<T> for T {
            const SCALAR: ScalarType = <T as Scalar>::SCALAR;
        }

        /// A right operand of a binary operator whose left operand is a `T`: a handle or an ordinary value.
        #[diagnostic::on_unimplemented(
            message = $of_operand,
            label = $label_of_operand,
            note = $takes,
            note = "the kernel language has no implicit conversions: use `as` between numbers"
        )]
        pub trait $operand<T> {
            /// The PTX type of the operands.
            const SCALAR: ScalarType;
            /// The handle of the operand.
            fn operand(self) -> Var<T>;
        }

        impl<T: $name<U>, U> $operand<T> for Var<U> {
            const SCALAR: ScalarType = <T as $name<U>>::SCALAR;
            fn operand(self) -> Var<T> {
                // The relation holds only between equal types.
                Var::new(self.value)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $bound> $operand<T> for T {
            const SCALAR: ScalarType = <T as Scalar>::SCALAR;
            fn operand(self) -> Var<T> {
                Var::constant(self)
            }
        }
    )*};
}

relations! {
    Number, "arithmetic takes two numbers of one type; a type parameter needs the bound `Number`":
    Adds AddOperand "cannot add `{U}` to `{Self}` in a kernel" "cannot add `{Self}` to `{T}` in a kernel"
        "no `{Self} + {U}`" "no `{T} + {Self}`";
    Subtracts SubOperand "cannot subtract `{U}` from `{Self}` in a kernel" "cannot subtract `{Self}` from `{T}` in a kernel"
        "no `{Self} - {U}`" "no `{T} - {Self}`";
    Multiplies MulOperand "cannot multiply `{Self}` by `{U}` in a kernel" "cannot multiply `{T}` by `{Self}` in a kernel"
        "no `{Self} * {U}`" "no `{T} * {Self}`";
    Divides DivOperand "cannot divide `{Self}` by `{U}` in a kernel" "cannot divide `{T}` by `{Self}` in a kernel"
        "no `{Self} / {U}`" "no `{T} / {Self}`";
    Remains RemOperand "no remainder of `{Self}` by `{U}` in a kernel" "no remainder of `{T}` by `{Self}` in a kernel"
        "no `{Self} % {U}`" "no `{T} % {Self}`";
}

relations! {
    Bits, "bitwise operators take two integers of one type, or two `bool`s":
    Ands AndOperand "no `{Self} & {U}` in a kernel" "no `{T} & {Self}` in a kernel"
        "no `{Self} & {U}`" "no `{T} & {Self}`";
    Ors OrOperand "no `{Self} | {U}` in a kernel" "no `{T} | {Self}` in a kernel"
        "no `{Self} | {U}`" "no `{T} | {Self}`";
    Xors XorOperand "no `{Self} ^ {U}` in a kernel" "no `{T} ^ {Self}` in a kernel"
        "no `{Self} ^ {U}`" "no `{T} ^ {Self}`";
}
