//! `&mut T` parameters of `#[device]` functions: a variable itself, or a place in memory, which is
//! a variable while the function runs.

use super::operations::{read_view, set, store_part, variable};
use super::{Data, Item, Part, Places, Variables};
use crate::current::with;
use crate::memory::Place;
use crate::scalar::Scalar;
use crate::value::{Register, Value};
use crate::var::Mut;

/// What may be passed as `&mut T`.
#[diagnostic::on_unimplemented(
    message = "expected `&mut {T}`, found `{Self}`",
    label = "not a mutable `{T}`",
    note = "pass `&mut x` of a variable declared with `let mut`, or of an element of a `&mut [T]`"
)]
pub trait Exclusive<T: Data>: Copy {
    /// The variable that the function changes, and what [`give_back`] needs.
    fn enter(self) -> (T::Of<Variables>, Loan<T>);
}

/// A value of memory that is in a variable.
pub struct Loan<T: Data> {
    place: Option<T::Of<Places>>,
    variable: T::Of<Variables>,
    versions: Vec<u64>,
}

/// Lends a variable.
pub fn lend<T: Data>(variable: T::Of<Variables>) -> (T::Of<Variables>, Loan<T>) {
    (variable, Loan { place: None, variable, versions: Vec::new() })
}

/// Lends a value of memory: loads it.
pub fn borrow<T: Data>(place: T::Of<Places>) -> (T::Of<Variables>, Loan<T>) {
    let variable = variable::<T>();
    set::<T, Variables>(variable, read_view::<T, Places>(place));
    (variable, Loan { place: Some(place), variable, versions: versions::<T>(variable) })
}

/// Stores what the function changed of a value of memory.
pub fn give_back<T: Data>(loan: Loan<T>) {
    let Some(place) = loan.place else { return };
    let now = versions::<T>(loan.variable);
    if now == loan.versions {
        return;
    }
    let (mut targets, mut sources) = (Vec::new(), Vec::new());
    T::parts::<Places>(place, &mut targets);
    T::parts::<Variables>(loan.variable, &mut sources);
    let changed =
        now.iter().zip(&loan.versions).map(|(now, before)| now != before).collect::<Vec<_>>();
    for (index, leaf) in super::leaves::<T>().iter().enumerate().filter(|(i, _)| changed[*i]) {
        store_part(*leaf, targets[index], sources[index]);
    }
}

fn registers<T: Data>(variable: T::Of<Variables>) -> Vec<Register> {
    let mut parts = Vec::new();
    T::parts::<Variables>(variable, &mut parts);
    let register = |part: Part| match part.0 {
        Item::Value(Value::Register(register)) => register,
        _ => unreachable!("variables are made of registers"),
    };
    parts.into_iter().map(register).collect()
}

/// How often each leaf was assigned.
fn versions<T: Data>(variable: T::Of<Variables>) -> Vec<u64> {
    let registers = registers::<T>(variable);
    with(|b| registers.iter().map(|r| b.writes(*r)).collect())
}

impl<T: Scalar> Exclusive<T> for Mut<T> {
    fn enter(self) -> (Mut<T>, Loan<T>) {
        lend::<T>(self)
    }
}

impl<T: Scalar> Exclusive<T> for Place<T> {
    #[track_caller]
    fn enter(self) -> (Mut<T>, Loan<T>) {
        borrow::<T>(self)
    }
}

impl<T: Data, const N: usize> Exclusive<[T; N]> for Place<[T; N]> {
    #[track_caller]
    fn enter(self) -> ([T::Of<Variables>; N], Loan<[T; N]>) {
        borrow::<[T; N]>(self)
    }
}

impl<T: Data, const N: usize> Exclusive<[T; N]> for [T::Of<Variables>; N] {
    fn enter(self) -> ([T::Of<Variables>; N], Loan<[T; N]>) {
        lend::<[T; N]>(self)
    }
}

macro_rules! tuples {
    ($($($t:ident)*;)*) => {$(
        impl<$($t: Data),*> Exclusive<($($t,)*)> for ($($t::Of<Variables>,)*) {
            fn enter(self) -> (($($t::Of<Variables>,)*), Loan<($($t,)*)>) {
                lend::<($($t,)*)>(self)
            }
        }
    )*};
}

tuples! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
