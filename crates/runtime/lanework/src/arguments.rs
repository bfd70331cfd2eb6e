//! Kernel arguments by value.

use crate::Arg;
use crate::lang::Data;

/// The argument for a parameter by value: a scalar, a struct, a tuple or an array.
#[doc(hidden)]
pub fn value_arg<T: Data>(value: T) -> Arg<'static> {
    Arg::bytes(crate::lang::rt::bytes(value))
}
