//! Variables (`let mut x`, or `let x;` with a later value), targets of assignments, and receivers of methods.
//!
//! A `&mut T` parameter of a `#[device]` function is a variable itself, or a place in memory, which is
//! a variable while the function runs. `std::mem::swap` and `std::mem::replace` take both.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Item, Leaf, Part, Places, Values, Variables, leaves};
use crate::data::operations::{self, read_copy, read_view, save, set, store_part, variable};
use crate::data::place::{Place, ReadPlace};
use crate::emit::current::{here, with};
use crate::emit::value::{Register, Value};
use crate::scalar::var::{Mut, Read, Scalar, Var};
use std::cell::OnceCell;
use std::marker::PhantomData;
use std::ops::Deref;

macro_rules! read_places {
    ($($place:ident $kind:ident)*) => {$(
        impl<T: Scalar> Read for $place<T> {
            type Value = Var<T>;
            #[track_caller]
            fn view(self) -> Var<T> {
                read_view::<T, crate::data::leaves::$kind>(self)
            }
            #[track_caller]
            fn copy(self) -> Var<T> {
                read_view::<T, crate::data::leaves::$kind>(self)
            }
        }

        impl<T: Data, const N: usize> Read for $place<[T; N]> {
            type Value = [Handle<T>; N];
            #[track_caller]
            fn view(self) -> [Handle<T>; N] {
                read_view::<[T; N], crate::data::leaves::$kind>(self)
            }
            #[track_caller]
            fn copy(self) -> [Handle<T>; N] {
                read_view::<[T; N], crate::data::leaves::$kind>(self)
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

/// Receivers of methods. A scalar is passed by value, a struct in place, because its methods may change it.
#[diagnostic::on_unimplemented(
    message = "this value has no methods in a kernel",
    label = "not a value of the kernel language",
    note = "a type parameter needs a bound, `Number` or a #[device] trait with a function that takes or returns `Self`"
)]
pub trait Receive: Copy {
    /// The type that has the methods.
    type Receiver;
    /// The receiver.
    fn receive(self) -> Self::Receiver;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Receive for T {
    type Receiver = T;
    fn receive(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Receive for Var<T> {
    type Receiver = Var<T>;
    fn receive(self) -> Var<T> {
        self
    }
}

#[diagnostic::do_not_recommend]
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

/// Target of an assignment: a variable or a place, or a part of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be assigned to",
    label = "neither a variable nor writable memory",
    note = "a variable is declared with `let mut`; a parameter is written to when it is `&mut [T]`"
)]
pub trait Target: Copy {
    /// The type of the assigned value.
    type Value: Data;
    /// `self = value`.
    fn set(self, value: Handle<Self::Value>);
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Target for Mut<T> {
    type Value = T;
    #[track_caller]
    fn set(self, value: Var<T>) {
        here();
        self.assign(value);
    }
}

impl<T: Scalar> Target for Place<T> {
    type Value = T;
    #[track_caller]
    fn set(self, value: Var<T>) {
        save(self, value);
    }
}

impl<T: Data, const N: usize> Target for Place<[T; N]> {
    type Value = [T; N];
    #[track_caller]
    fn set(self, value: [Handle<T>; N]) {
        save(self, value);
    }
}

impl<X: Target, const N: usize> Target for [X; N] {
    type Value = [X::Value; N];
    #[track_caller]
    fn set(self, value: [Handle<X::Value>; N]) {
        for (target, value) in self.into_iter().zip(value) {
            target.set(value);
        }
    }
}

/// Types that may be passed as `&mut T`.
#[diagnostic::on_unimplemented(
    message = "expected `&mut {T}`, found `{Self}`",
    label = "not a mutable `{T}`",
    note = "pass `&mut x` of a variable declared with `let mut`, or of an element of a `&mut [T]`"
)]
pub trait Exclusive<T: Data>: Copy {
    /// The variable that the function changes, and what [`give_back`] needs.
    fn enter(self) -> (T::Of<Variables>, Loan<T>);
}

/// The leaves of a value from memory that is held in a variable; none if the value is a variable itself.
pub struct Loan<T: Data> {
    leaves: Vec<Lent>,
    value: PhantomData<fn() -> T>,
}

/// A leaf in memory, the register that holds it, and the number of assignments to the register before the loan.
struct Lent {
    leaf: Leaf,
    place: Part,
    register: Register,
    version: u64,
}

impl<T: Data> Loan<T> {
    fn of(leaves: Vec<Lent>) -> Self {
        Loan { leaves, value: PhantomData }
    }
}

/// Lends a variable.
pub fn lend<T: Data>(variable: T::Of<Variables>) -> (T::Of<Variables>, Loan<T>) {
    (variable, Loan::of(Vec::new()))
}

/// Lends a value without a name: a new variable.
pub fn keep_nameless<T: Data>(value: Handle<T>) -> (T::Of<Variables>, Loan<T>) {
    let variable = variable::<T>();
    set::<T, Variables>(variable, value);
    (variable, Loan::of(Vec::new()))
}

/// Lends a value in memory: loads it.
pub fn borrow<T: Data>(place: T::Of<Places>) -> (T::Of<Variables>, Loan<T>) {
    let variable = variable::<T>();
    set::<T, Variables>(variable, read_view::<T, Places>(place));
    let (mut places, mut lent) = (Vec::new(), Vec::new());
    T::parts::<Places>(place, &mut places);
    let registers = registers::<T>(variable);
    for ((leaf, place), register) in leaves::<T>().into_iter().zip(places).zip(registers) {
        lent.push(Lent { leaf, place, register, version: with(|b| b.writes(register)) });
    }
    (variable, Loan::of(lent))
}

/// Stores the changed leaves of a value back to memory.
pub fn give_back<T: Data>(loan: Loan<T>) {
    for Lent { leaf, place, register, version } in loan.leaves {
        if with(|b| b.writes(register)) != version {
            store_part(leaf, place, Part(Item::Value(Value::Register(register))));
        }
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

#[diagnostic::do_not_recommend]
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

impl<T: Data, X: Exclusive<T> + Valued<Value = T>, const N: usize> Exclusive<[T; N]> for [X; N] {
    #[track_caller]
    fn enter(self) -> ([T::Of<Variables>; N], Loan<[T; N]>) {
        let mut leaves = Vec::new();
        let variables = self.map(|element| {
            let (variable, loan) = element.enter();
            leaves.extend(loan.leaves);
            variable
        });
        (variables, Loan::of(leaves))
    }
}

macro_rules! tuples {
    ($($($t:ident $x:ident $i:tt),*;)*) => {$(
        impl<$($t: Data, $x: Exclusive<$t>),*> Exclusive<($($t,)*)> for ($($x,)*) {
            #[track_caller]
            fn enter(self) -> (($($t::Of<Variables>,)*), Loan<($($t,)*)>) {
                let entered = ($(self.$i.enter(),)*);
                let mut leaves = Vec::new();
                $(leaves.extend(entered.$i.1.leaves);)*
                (($(entered.$i.0,)*), Loan::of(leaves))
            }
        }
    )*};
}

tuples! {
    A X1 0;
    A X1 0, B X2 1;
    A X1 0, B X2 1, C X3 2;
    A X1 0, B X2 1, C X3 2, D X4 3;
    A X1 0, B X2 1, C X3 2, D X4 3, E X5 4;
    A X1 0, B X2 1, C X3 2, D X4 3, E X5 4, F X6 5;
    A X1 0, B X2 1, C X3 2, D X4 3, E X5 4, F X6 5, G X7 6;
    A X1 0, B X2 1, C X3 2, D X4 3, E X5 4, F X6 5, G X7 6, H X8 7;
}

/// Types that `let mut` may hold: values of the kernel language, which become registers, and arrays of
/// registers.
#[diagnostic::on_unimplemented(
    message = "`let mut` cannot hold `{Self}` in a kernel",
    label = "not a value of the kernel language",
    note = "a mutable variable is a scalar, or a tuple, an array or a #[device] type of scalars; bind anything else with `let`",
    note = "a type parameter needs a bound, `Number` or a #[device] trait with a function that takes or returns `Self`"
)]
pub trait IntoVariable: Copy {
    /// The variable: `Mut<T>` for a scalar, and a composition of these for other types.
    type Variable: Copy;
    /// A new variable that holds the value.
    fn into_variable(self) -> Self::Variable;
}

/// A new variable that holds a value of the kernel language.
pub fn new_variable<X: Valued>(value: X) -> <X::Value as Data>::Of<Variables> {
    let value = value.to();
    let variable = operations::variable::<X::Value>();
    operations::set::<X::Value, Variables>(variable, value);
    variable
}

macro_rules! scalar_variables {
    ($($of:ty)*) => {$(
        impl<T: Scalar> IntoVariable for $of {
            type Variable = Mut<T>;
            fn into_variable(self) -> Mut<T> {
                new_variable(self)
            }
        }
    )*};
}

scalar_variables!(T Var<T> Mut<T>);

impl<X: IntoVariable, const N: usize> IntoVariable for [X; N] {
    type Variable = [X::Variable; N];
    fn into_variable(self) -> Self::Variable {
        self.map(X::into_variable)
    }
}

/// A value that may be assigned to a variable or a place of type `V`.
#[diagnostic::on_unimplemented(
    message = "cannot assign `{Self}` to this variable",
    label = "of another type than the variable"
)]
pub trait AssignTo<V> {
    /// `variable = self`.
    fn assign_to(self, variable: V);
}

impl<V: Target, X: To<V::Value>> AssignTo<V> for X {
    #[track_caller]
    fn assign_to(self, variable: V) {
        variable.set(self.to());
    }
}

/// A variable that is assigned later.
pub struct Deferred<T: Data>(OnceCell<T::Of<Variables>>);

/// `let x;`
pub fn deferred<T: Data>() -> Deferred<T> {
    Deferred(OnceCell::new())
}

impl<T: Data> Deferred<T> {
    fn variable(&self) -> T::Of<Variables> {
        *self.0.get_or_init(variable::<T>)
    }
}

impl<T: Data> Deref for Deferred<T> {
    type Target = T::Of<Variables>;
    fn deref(&self) -> &Self::Target {
        self.0.get_or_init(variable::<T>)
    }
}

impl<T: Data, X: To<T>> AssignTo<&Deferred<T>> for X {
    #[track_caller]
    fn assign_to(self, deferred: &Deferred<T>) {
        here();
        set::<T, Variables>(deferred.variable(), self.to());
    }
}

#[diagnostic::do_not_recommend]
impl<T: Data> To<T> for &Deferred<T> {
    #[track_caller]
    fn to(self) -> Handle<T> {
        read_view::<T, Variables>(self.variable())
    }
}

impl<T: Data> Read for &Deferred<T> {
    type Value = Handle<T>;
    #[track_caller]
    fn view(self) -> Handle<T> {
        read_view::<T, Variables>(self.variable())
    }
    #[track_caller]
    fn copy(self) -> Handle<T> {
        read_copy::<T, Variables>(self.variable())
    }
}

impl<T: Data> Receive for &Deferred<T> {
    type Receiver = Handle<T>;
    #[track_caller]
    fn receive(self) -> Handle<T> {
        self.view()
    }
}

/// Exchanges two values.
#[track_caller]
pub fn swap<A, B>(first: A, second: B)
where
    A: Target + To<<A as Target>::Value>,
    B: Target<Value = <A as Target>::Value> + To<<A as Target>::Value>,
{
    here();
    let old = read_copy::<<A as Target>::Value, Values>(first.to());
    first.set(read_copy::<<A as Target>::Value, Values>(second.to()));
    second.set(old);
}

/// The value of a place, which the default of its type replaces.
#[track_caller]
pub fn take<A>(place: A) -> Handle<<A as Target>::Value>
where
    A: Target<Value: Default> + To<<A as Target>::Value>,
{
    replace(place, crate::data::convert::Defaulted)
}

/// Replaces a value and returns the old one.
#[track_caller]
pub fn replace<A>(place: A, value: impl To<<A as Target>::Value>) -> Handle<<A as Target>::Value>
where
    A: Target + To<<A as Target>::Value>,
{
    here();
    let old = read_copy::<<A as Target>::Value, Values>(place.to());
    place.set(value.to());
    old
}
