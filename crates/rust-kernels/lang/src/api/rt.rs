//! The runtime of the macros: what the code that `#[kernel]` and `#[device]` generate calls. Not
//! for use by hand.

pub use crate::api::stage::*;
pub use crate::asynchrony::tensor::{tensor_pixels, tensor_tiles};
pub use crate::data::compare::{Compare, ordered, same};
pub use crate::data::convert::{
    Functions, HostOfAny, HostOfValue, Leaves, NoPadding, PassAny, PassValue, Passed, Scrutinee,
    To, Valued, any, blank, check, host, is_data, keep, lift, must_leave, no_bits, perhaps, rest,
    variants_leaves, variants_size,
};
pub use crate::data::leaves::{
    Data, Handle, Kind, Leaf, Part, Parts, Places, ReadPlaces, Values, Variables, laid_out,
};
pub use crate::data::operations::{constant, read_copy, read_view, set};
pub use crate::data::place::{Place, ReadPlace, Space};
pub use crate::data::receive::{
    Exclusive, Loan, Receive, Target, borrow, give_back, lend, receive,
};
pub use crate::data::variable::{
    AssignTo, Deferred, IntoVariable, deferred, new_variable, replace, swap,
};
pub use crate::emit::current::{Never, break_loop, continue_loop, return_kernel};
pub use crate::flow::branch::{if_else, if_then};
pub use crate::flow::call::{
    ReturnAs, ReturnSlot, Returned, by_value, call_closure, call_unit, call_value, return_unit,
    return_value,
};
pub use crate::flow::inline::{Input, Written, inline, output};
pub use crate::flow::loops::{
    BreakSlot, By, Direction, OneByOne, Step, Walk, break_value, endless_loop, for_loop,
    loop_value, unrolled, while_loop,
};
pub use crate::flow::print::{PLAIN, Piece, Printable, Printed, Show, assertion, ending, print};
pub use crate::intrinsics::bytes::{from_be_bytes, from_le_bytes};
pub use crate::library::items::{Items, for_enumerated, for_items};
pub use crate::library::iterate::sources::{
    IntoStream, IntoStreamMut, chunks, chunks_exact, range, range_from, windows,
};
pub use crate::library::iterate::{Iter, Sequence, Stream};
pub use crate::library::option::{OptionOf, Optional, is_none, is_some, payload, some};
pub use crate::library::ordering::OrderingOf;
pub use crate::memory::elements::{At, Element, ReceivePlace, ReceiveValue, at};
pub use crate::memory::registers::{Get, IntoShape, Locate, Put};
pub use crate::memory::slice::IntoSlice;
pub use crate::memory::subslice::{Subslice, end_at, subslice};
pub use crate::scalar::cast::{Cast, Promote, PromoteBase, ShiftBy, shift_left, shift_right};
pub use crate::scalar::compare::{Condition, Connect, Equate, Order, Relation};
pub use crate::scalar::index::{Extent, IndexValue};
pub use crate::scalar::var::{Become, IntoVar, Join, Joined, Read, joined};
pub use bytemuck;

use crate::emit::current::{here, with};

/// The comparisons' methods, for the functions that the macros write.
pub mod comparing {
    pub use crate::data::compare::{
        AnyAtLeast as _, AnyAtMost as _, AnyEqual as _, AnyGreater as _, AnyLess as _,
        AnyUnequal as _, OtherAtLeast as _, OtherAtMost as _, OtherEqual as _, OtherGreater as _,
        OtherLess as _, OtherUnequal as _, SameAtLeast as _, SameAtMost as _, SameEqual as _,
        SameGreater as _, SameLess as _, SameUnequal as _,
    };
    pub use crate::data::convert::{
        HostOfAny as _, HostOfValue as _, PassAny as _, PassValue as _,
    };
    pub use crate::memory::elements::{ReceivePlace as _, ReceiveValue as _};
    pub use crate::scalar::cast::{Kept as _, Promoted as _};
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
    /// The parameter's type in the kernel.
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
