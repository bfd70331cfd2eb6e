//! The types of an operator's two operands, as relations that exist for their error messages: rustc names `f32` and `u32`, and
//! not the handles, for which std's operators are implemented.

use crate::scalar::number::Number;
use crate::scalar::var::Bits;
use half::{bf16, f16};

/// A type whose relations are never used: it keeps rustc from giving up at the operator, before it knows the right operand's
/// type and can name it.
pub enum Unused {}

macro_rules! relations {
    ($bound:ident, $without:tt, $takes:literal: $($(#[$doc:meta])* $name:ident $message:literal $label:literal;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = $message,
            label = $label,
            note = $takes,
            note = "the kernel language has no implicit conversions: use `as` between numbers"
        )]
        pub trait $name<U> {}

        #[diagnostic::do_not_recommend]
        impl<T: $bound> $name<T> for T {}

        without!($name $without);
    )*};
}

/// Implements a relation for types that have no such operator.
macro_rules! without {
    ($name:ident [$($t:ty)*]) => {$(
        #[diagnostic::do_not_recommend]
        impl $name<Unused> for $t {}
    )*};
}

relations! {
    Number, [bool], "arithmetic takes two numbers of one type":
    /// `x + y` of ordinary types.
    Adds "cannot add `{U}` to `{Self}` in a kernel" "no `{Self} + {U}`";
    /// `x - y` of ordinary types.
    Subtracts "cannot subtract `{U}` from `{Self}` in a kernel" "no `{Self} - {U}`";
    /// `x * y` of ordinary types.
    Multiplies "cannot multiply `{Self}` by `{U}` in a kernel" "no `{Self} * {U}`";
    /// `x / y` of ordinary types.
    Divides "cannot divide `{Self}` by `{U}` in a kernel" "no `{Self} / {U}`";
    /// `x % y` of ordinary types.
    Remains "cannot divide `{Self}` by `{U}` with remainder in a kernel" "no `{Self} % {U}`";
}

relations! {
    Bits, [f16 bf16 f32 f64], "bitwise operators take two integers of one type, or two `bool`s":
    /// `x & y` of ordinary types.
    Ands "no `{Self} & {U}` in a kernel" "no `{Self} & {U}`";
    /// `x | y` of ordinary types.
    Ors "no `{Self} | {U}` in a kernel" "no `{Self} | {U}`";
    /// `x ^ y` of ordinary types.
    Xors "no `{Self} ^ {U}` in a kernel" "no `{Self} ^ {U}`";
}
