//! Conditions and what connects them: `&&` and `||`, on host values and on run-time ones.

use crate::arithmetic;
use crate::builder::Builder;
use crate::current::{here, with};
use crate::frames::Captured;
use crate::operation::Operation;
use crate::value::Value;
use crate::var::Var;
use lanework_ptx::ScalarType;

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

impl Condition for Var<bool> {
    fn condition(self) -> Var<bool> {
        self
    }
}

/// `&&` and `||`, which stage the right side only where it is needed.
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

/// `left && right()` (`is_and`) or `left || right()`. A short right side without side effects or
/// loads is always computed, which costs less than a branch; any other is skipped by a branch.
fn connect<R: Condition>(left: Var<bool>, right: impl FnOnce() -> R, is_and: bool) -> Var<bool> {
    if !begin_right(left, is_and) {
        return left;
    }
    let right = right().condition();
    end_right(left, right, is_and)
}

/// Whether the value depends on the right side of [`connect`]; it is captured where the left side is not known.
fn begin_right(left: Var<bool>, is_and: bool) -> bool {
    match left.known() {
        Some(known) => known == is_and,
        None => {
            with(Builder::begin_capture);
            true
        }
    }
}

/// The value, after the right side was staged.
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
