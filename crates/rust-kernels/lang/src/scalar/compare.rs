//! Comparisons, and conditions with `&&` and `||`: `bool` on host values, `Var<bool>` on run-time values.

use crate::emit::arithmetic::{self, Operation, to_f32};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::frames::Captured;
use crate::emit::value::{Value, compute_type, extended, integer};
use crate::scalar::relations::ConditionType;
use crate::scalar::var::{Scalar, Var};
use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::cmp::Ordering;

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Relation {
    pub(crate) fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Relation::Eq => order == Some(Ordering::Equal),
            Relation::Ne => order != Some(Ordering::Equal),
            Relation::Lt => order == Some(Ordering::Less),
            Relation::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Relation::Gt => order == Some(Ordering::Greater),
            Relation::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }

    /// The same relation with its operands exchanged.
    pub(crate) fn mirrored(self) -> Relation {
        match self {
            Relation::Eq | Relation::Ne => self,
            Relation::Lt => Relation::Gt,
            Relation::Le => Relation::Ge,
            Relation::Gt => Relation::Lt,
            Relation::Ge => Relation::Le,
        }
    }

    /// The comparison operator of `setp`. As in Rust, a NaN differs from every number.
    fn word(self, float: bool) -> &'static str {
        match self {
            Relation::Eq => "eq",
            Relation::Ne if float => "neu",
            Relation::Ne => "ne",
            Relation::Lt => "lt",
            Relation::Le => "le",
            Relation::Gt => "gt",
            Relation::Ge => "ge",
        }
    }
}

/// `x relation y` for values of type `ty`, as a predicate.
pub(crate) fn relate(
    b: &mut Builder,
    relation: Relation,
    ty: ScalarType,
    x: Value,
    y: Value,
) -> Value {
    if let (Value::Constant(a), Value::Constant(c)) = (x, y) {
        return Value::Constant(relation.holds(order(ty, a, c)).into());
    }
    if matches!(x, Value::Constant(_)) {
        return relate(b, relation.mirrored(), ty, y, x);
    }
    match ty {
        ScalarType::Pred => {
            let differ = arithmetic::binary(b, Operation::Xor, ty, x, y);
            match relation {
                Relation::Ne => differ,
                _ => arithmetic::not(b, ty, differ),
            }
        }
        ScalarType::Bf16 => {
            let (x, y) = (to_f32(b, ty, x), to_f32(b, ty, y));
            relate(b, relation, ScalarType::F32, x, y)
        }
        _ => {
            let y = extended(y, ty);
            let ty = compute_type(ty);
            let name = format!("setp.{}.{}", relation.word(ty.is_float()), ty.name());
            b.pure(&name, ScalarType::Pred, &[(x, ty), (y, ty)])
        }
    }
}

fn order(ty: ScalarType, a: u64, b: u64) -> Option<Ordering> {
    match ty {
        ScalarType::F32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        ScalarType::F64 => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        ScalarType::F16 => f16::from_bits(a as u16).partial_cmp(&f16::from_bits(b as u16)),
        ScalarType::Bf16 => bf16::from_bits(a as u16).partial_cmp(&bf16::from_bits(b as u16)),
        _ => integer(a, ty).partial_cmp(&integer(b, ty)),
    }
}

/// `==` and `!=`.
#[diagnostic::on_unimplemented(
    message = "these values cannot be compared in a kernel",
    label = "no `==` between `{Self}` and `{R}`",
    note = "only numbers of one type, or two integers, can be compared; convert others with `as`",
    note = "`Var<T>` is a `T` that the kernel computes",
    note = "to compare a #[device] struct, put `#[derive(PartialEq)]` below #[device]"
)]
pub trait Equate<R> {
    /// `bool` or `Var<bool>`.
    type Output;
    /// `self == other`.
    fn eq(self, other: R) -> Self::Output;
    /// `self != other`.
    fn ne(self, other: R) -> Self::Output;
}

/// `<`, `<=`, `>` and `>=`.
#[diagnostic::on_unimplemented(
    message = "these values cannot be compared in a kernel",
    label = "no order between `{Self}` and `{R}`",
    note = "only numbers of one type, or two integers, can be compared; convert others with `as`",
    note = "`Var<T>` is a `T` that the kernel computes"
)]
pub trait Order<R> {
    /// `bool` or `Var<bool>`.
    type Output;
    /// `self < other`.
    fn lt(self, other: R) -> Self::Output;
    /// `self <= other`.
    fn le(self, other: R) -> Self::Output;
    /// `self > other`.
    fn gt(self, other: R) -> Self::Output;
    /// `self >= other`.
    fn ge(self, other: R) -> Self::Output;
}

impl<T: PartialEq> Equate<T> for T {
    type Output = bool;
    fn eq(self, other: T) -> bool {
        self == other
    }
    fn ne(self, other: T) -> bool {
        self != other
    }
}

impl<T: PartialOrd> Order<T> for T {
    type Output = bool;
    fn lt(self, other: T) -> bool {
        self < other
    }
    fn le(self, other: T) -> bool {
        self <= other
    }
    fn gt(self, other: T) -> bool {
        self > other
    }
    fn ge(self, other: T) -> bool {
        self >= other
    }
}

#[track_caller]
fn compare<T: Scalar>(relation: Relation, x: Value, y: Value) -> Var<bool> {
    here();
    Var::new(with(|b| relate(b, relation, T::SCALAR, x, y)))
}

macro_rules! comparisons {
    ([$($generics:tt)*] $left:ty, $right:ty, $t:ty, $x:expr, $y:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Equate<$right> for $left {
            type Output = Var<bool>;
            comparisons!(@methods $right, $t, $x, $y, eq Eq, ne Ne);
        }
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Order<$right> for $left {
            type Output = Var<bool>;
            comparisons!(@methods $right, $t, $x, $y, lt Lt, le Le, gt Gt, ge Ge);
        }
    };
    (@methods $right:ty, $t:ty, $x:expr, $y:expr, $($method:ident $relation:ident),*) => {$(
        #[track_caller]
        fn $method(self, other: $right) -> Var<bool> {
            compare::<$t>(Relation::$relation, $x(self), $y(other))
        }
    )*};
}

/// The value of a handle.
fn handle<T>(x: Var<T>) -> Value {
    x.value
}

/// The value of an ordinary Rust scalar.
fn constant<T: Scalar>(x: T) -> Value {
    Value::Constant(x.bits())
}

comparisons!([T: Scalar] Var<T>, Var<T>, T, handle, handle);
comparisons!([T: Scalar] Var<T>, T, T, handle, constant);

macro_rules! value_comparisons {
    ($($t:ty)*) => { $(comparisons!([] $t, Var<$t>, $t, constant, handle);)* };
}

value_comparisons!(char bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64);

/// A condition: `bool` or `Var<bool>`.
#[diagnostic::on_unimplemented(
    message = "expected a condition, found `{Self}`",
    label = "not a `bool`",
    note = "compare with `!=` first"
)]
pub trait Condition: Copy {
    /// The condition as a handle.
    fn condition(self) -> Var<bool>;
}

impl Condition for bool {
    fn condition(self) -> Var<bool> {
        Var::constant(self)
    }
}

impl<T: ConditionType> Condition for Var<T> {
    fn condition(self) -> Var<bool> {
        Var::new(self.value)
    }
}

/// `&&` and `||`, which evaluate the right side only if the left side does not decide.
pub trait Connect<R>: Condition {
    /// `bool` or `Var<bool>`.
    type Output;
    /// `self && other()`.
    fn and(self, other: impl FnOnce() -> R) -> Self::Output;
    /// `self || other()`.
    fn or(self, other: impl FnOnce() -> R) -> Self::Output;
}

impl Connect<bool> for bool {
    type Output = bool;
    fn and(self, other: impl FnOnce() -> bool) -> bool {
        self && other()
    }
    fn or(self, other: impl FnOnce() -> bool) -> bool {
        self || other()
    }
}

impl Connect<Var<bool>> for bool {
    type Output = Var<bool>;
    fn and(self, other: impl FnOnce() -> Var<bool>) -> Var<bool> {
        if self { other() } else { Var::constant(false) }
    }
    fn or(self, other: impl FnOnce() -> Var<bool>) -> Var<bool> {
        if self { Var::constant(true) } else { other() }
    }
}

impl<R: Condition> Connect<R> for Var<bool> {
    type Output = Var<bool>;
    #[track_caller]
    fn and(self, other: impl FnOnce() -> R) -> Var<bool> {
        here();
        connect(self, other, true)
    }
    #[track_caller]
    fn or(self, other: impl FnOnce() -> R) -> Var<bool> {
        here();
        connect(self, other, false)
    }
}

/// `left && right()` (`is_and`) or `left || right()`. A short right side without side effects or loads is
/// always computed, which costs less than a branch. Any other right side is skipped by a branch.
fn connect<R: Condition>(left: Var<bool>, right: impl FnOnce() -> R, is_and: bool) -> Var<bool> {
    if !begin_right(left, is_and) {
        return left;
    }
    let right = right().condition();
    end_right(left, right, is_and)
}

/// Whether the value depends on the right side of [`connect`]. If the left side is unknown, starts to capture the right side.
fn begin_right(left: Var<bool>, is_and: bool) -> bool {
    match left.known() {
        Some(known) => known == is_and,
        None => {
            with(Builder::begin_capture);
            true
        }
    }
}

/// The value of [`connect`], after the right side has been staged.
fn end_right(left: Var<bool>, right: Var<bool>, is_and: bool) -> Var<bool> {
    if left.known().is_some() {
        return right;
    }
    let lines = with(Builder::end_capture);
    place_connected(left, right.value, lines, is_and)
}

/// Places the captured right side of [`connect`].
fn place_connected(left: Var<bool>, value: Value, lines: Captured, is_and: bool) -> Var<bool> {
    let ty = ScalarType::Pred;
    with(|b| {
        if lines.is_cheap() {
            b.append_kept(lines);
            let op = if is_and { Operation::And } else { Operation::Or };
            return Var::new(arithmetic::binary(b, op, ty, left.value, value));
        }
        let out = b.register(ty, false);
        let end = b.label("short");
        b.assign(out, left.value, ty);
        b.jump_if(out, is_and, &end);
        b.append(lines);
        b.assign(out, value, ty);
        b.place(&end);
        Var::new(Value::Register(out))
    })
}
