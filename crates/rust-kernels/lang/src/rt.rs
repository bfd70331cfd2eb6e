//! The runtime of the macros: what the code that `#[kernel]` and `#[device]` generate calls. Not
//! for use by hand.

pub use crate::assertion::{PLAIN, assertion, ending};
pub use crate::asynchrony::{tensor_pixels, tensor_tiles};
pub use crate::call::{
    ReturnAs, ReturnSlot, Returned, by_value, call_closure, call_unit, call_value, return_unit,
    return_value,
};
pub use crate::cast::Cast;
pub use crate::compare::{Equate, Order, Relation};
pub use crate::connect::{Condition, Connect};
pub use crate::control::{if_else, if_then};
pub use crate::counted::{By, Direction, OneByOne, Step, Walk, for_loop};
pub use crate::data::*;
pub use crate::directive::*;
pub use crate::exchange::{replace, swap};
pub use crate::inline::{Input, Written, inline, output};
pub use crate::intrinsics::{from_be_bytes, from_le_bytes};
pub use crate::items::{Items, for_enumerated, for_items};
pub use crate::iterate::{IntoStream, IntoStreamMut, Iter, Sequence, Stream, range, range_from};
pub use crate::iterate::{chunks, chunks_exact, windows};
pub use crate::join::{Become, Join, Joined, joined};
pub use crate::jumps::{break_loop, continue_loop, return_kernel};
pub use crate::loops::{BreakSlot, break_value, endless_loop, loop_value, unrolled, while_loop};
pub use crate::memory::{Extent, Get, IndexValue, IntoShape, Locate, Place, Put, ReadPlace, Space};
pub use crate::memory::{IntoSlice, Subslice, end_at, subslice};
pub use crate::mixed::Compare;
pub use crate::never::Never;
pub use crate::print::{Piece, Printable, Printed, Show, print};
pub use crate::promote::{Promote, PromoteBase, ShiftBy, shift_left, shift_right};
pub use crate::stage::{Directive, slice_mut_parameter, slice_parameter, stage};
pub use crate::var::{IntoVar, Read};
pub use crate::variable::{AssignTo, IntoVariable, new_variable};
pub use bytemuck;

use crate::current::{here, with};

/// The comparisons' methods, for the functions that the macros write.
pub mod comparing {
    pub use crate::data::{
        HostOfAny as _, HostOfValue as _, PassAny as _, PassValue as _, ReceivePlace as _,
        ReceiveValue as _,
    };
    pub use crate::mixed::{
        AnyAtLeast as _, AnyAtMost as _, AnyEqual as _, AnyGreater as _, AnyLess as _,
        AnyUnequal as _, OtherAtLeast as _, OtherAtMost as _, OtherEqual as _, OtherGreater as _,
        OtherLess as _, OtherUnequal as _, SameAtLeast as _, SameAtMost as _, SameEqual as _,
        SameGreater as _, SameLess as _, SameUnequal as _,
    };
    pub use crate::promote::{Kept as _, Promoted as _};
}

/// `T::from(value)`, where Rust has that conversion.
#[track_caller]
pub fn from<T, X: Cast<T> + Valued>(value: X) -> <X as Cast<T>>::Output
where
    T: From<X::Value>,
{
    value.cast()
}

/// A host type that a kernel takes by reference, such as a tensor map.
#[diagnostic::on_unimplemented(
    message = "a kernel parameter cannot be a reference to `{Self}`",
    label = "not passed by reference",
    note = "pass device memory as `&[T]` or `&mut [T]`, scalars by value, tensor maps as `&TensorMap<T, R>`"
)]
pub trait ByReference {
    /// What the parameter is in the kernel.
    type Handle: Copy;
    /// Declares the parameter.
    fn declare(name: &'static str) -> Self::Handle;
}

/// Declares the parameter `name: &T`.
pub fn reference_parameter<T: ByReference>(name: &'static str) -> T::Handle {
    T::declare(name)
}

/// The cache key of a staged kernel: its source position, its types and its constants.
pub fn key(module: &str, name: &str, line: u32, parts: &[String]) -> String {
    format!("{module}::{name}:{line}<{}>", parts.join(", "))
}

/// `a[i]`.
#[track_caller]
pub fn get<A: Get<I> + ?Sized, I>(array: &A, index: I) -> A::Output {
    array.get(index)
}

/// `a[i] = value`.
#[track_caller]
pub fn put<A: Put<I, V> + ?Sized, I, V>(array: &A, index: I, value: V) {
    array.put(index, value);
}

/// `a[i] op= value`, with the index evaluated once.
#[track_caller]
pub fn update<A, I: Copy, V>(array: &A, index: I, f: impl FnOnce(A::Output) -> V)
where
    A: Get<I> + Put<I, V> + ?Sized,
{
    let old = array.get(index);
    array.put(index, f(old));
}

/// `&a[i]`.
#[track_caller]
pub fn locate<A: Locate<I> + ?Sized, I>(array: &A, index: I) -> A::Place {
    array.locate(index)
}

/// `let mut x = value`.
#[track_caller]
pub fn variable<X: IntoVariable>(value: X) -> X::Variable {
    here();
    value.into_variable()
}

/// `x = value`.
#[track_caller]
pub fn assign<V, X: AssignTo<V>>(variable: V, value: X) {
    here();
    value.assign_to(variable);
}

/// The value of `x` for immediate use, before `x` can change.
pub fn view<X: Read>(variable: X) -> X::Value {
    variable.view()
}

/// A copy of the value of `x`, unaffected by later assignments.
#[track_caller]
pub fn copy<X: Read>(variable: X) -> X::Value {
    here();
    variable.copy()
}

/// `value as U`.
#[track_caller]
pub fn cast<U, X: Cast<U>>(value: X) -> X::Output {
    value.cast()
}

/// `let name = array(...)`: the array takes the variable's name.
pub fn named<R>(name: &'static str, array: impl FnOnce() -> R) -> R {
    with(|b| b.hint_name(Some(name)));
    let result = array();
    with(|b| b.hint_name(None));
    result
}

macro_rules! relations {
    ($($trait:ident: $($name:ident)*;)*) => {$($(
        /// A comparison.
        #[track_caller]
        pub fn $name<L: $trait<R>, R>(left: L, right: R) -> L::Output {
            left.$name(right)
        }
    )*)*};
}

relations!(Equate: eq ne; Order: lt le gt ge;);

/// `left && right()`.
#[track_caller]
pub fn and<L: Connect<R>, R>(left: L, right: impl FnOnce() -> R) -> L::Output {
    left.and(right)
}

/// `left || right()`.
#[track_caller]
pub fn or<L: Connect<R>, R>(left: L, right: impl FnOnce() -> R) -> L::Output {
    left.or(right)
}
