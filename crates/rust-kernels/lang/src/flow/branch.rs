//! `if` as a statement and as an expression, which merges the values of its branches.
//!
//! The branches of an `if` join at the label right after it, which is therefore the immediate
//! post-dominator of the branch instruction: the emulator and the GPU reconverge there.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle};
use crate::data::operations;
use crate::emit::builder::Builder;
use crate::emit::current::{Never, here, with};
use crate::emit::frames::{Branches, Captured, Line};
use crate::emit::value::{Register, Value};
use crate::scalar::compare::Condition;
use crate::scalar::var::{IntoVar, Scalar, Var};
use half::{bf16, f16};

impl Builder {
    /// The register of a condition that is known only at run time.
    pub fn predicate(&mut self, condition: Var<bool>) -> Register {
        match condition.value {
            Value::Register(register) => register,
            _ => unreachable!("a condition is a constant or a register"),
        }
    }
}

/// `if condition { then() }`.
#[track_caller]
pub fn if_then<C: Condition>(condition: C, then: impl FnOnce()) {
    here();
    let condition = condition.condition();
    if begin_then(condition) {
        then();
    }
    end_then(condition);
}

/// Whether the body of an `if` is staged. If the condition is unknown, starts to capture the body.
fn begin_then(condition: Var<bool>) -> bool {
    condition.known().unwrap_or_else(|| {
        with(Builder::begin_capture);
        true
    })
}

/// Places the captured lines so that they run if the condition holds.
fn end_then(condition: Var<bool>) {
    if condition.known().is_some() {
        return;
    }
    with(|b| {
        let lines = b.end_capture();
        let predicate = b.predicate(condition);
        if lines.lines.is_empty() {
            return;
        }
        if let Some(jump) = lines.only_jump() {
            let mut jump = jump.clone();
            jump.guard = Some(lanework_ptx::Guard { register: predicate.name(), negated: false });
            jump.modifiers.retain(|m| *m != lanework_ptx::Modifier::Uni);
            b.push(Line::Op { instruction: jump, dest: None, pure: false });
            return;
        }
        let end = b.label("endif");
        b.jump_if(predicate, true, &end);
        b.append(lines);
        b.place(&end);
    });
}

/// `if condition { then() } else { otherwise() }` as an expression.
#[track_caller]
pub fn if_else<C, A, B>(
    condition: C,
    then: impl FnOnce() -> A,
    otherwise: impl FnOnce() -> B,
) -> C::Output
where
    C: Choose<A, B>,
{
    here();
    condition.choose(then, otherwise)
}

/// The run-time `if`: stages both branches and merges their values.
pub(crate) fn branch<A: Merge<B>, B>(
    condition: Var<bool>,
    then: impl FnOnce() -> A,
    otherwise: impl FnOnce() -> B,
) -> A::Output {
    match condition.known() {
        Some(true) => return A::from_first(then()),
        Some(false) => return A::from_second(otherwise()),
        None => {}
    }
    with(Builder::begin_capture);
    let first = then();
    end_then_begin_else();
    let second = otherwise();
    if end_else(A::selectable()) {
        return A::select(condition, first, second);
    }
    let out = A::declare();
    place_first(condition);
    A::assign_first(out, first);
    place_second();
    A::assign_second(out, second);
    place_end();
    out
}

fn end_then_begin_else() {
    with(|b| {
        let first = b.end_capture();
        b.branches.push(Branches { first: Some(first), second: None, labels: None });
        b.begin_capture();
    });
}

/// Ends the second branch. Returns whether both branches are cheap enough to compute both and select one value.
fn end_else(selectable: bool) -> bool {
    with(|b| {
        let second = b.end_capture();
        let mut branches = b.branches.pop().expect("begun before");
        let cheap = |lines: &Captured| lines.is_cheap();
        if selectable && branches.first.as_ref().is_some_and(cheap) && cheap(&second) {
            branches.first.into_iter().for_each(|first| b.append_kept(first));
            b.append_kept(second);
            return true;
        }
        branches.second = Some(second);
        b.branches.push(branches);
        false
    })
}

fn place_first(condition: Var<bool>) {
    with(|b| {
        let mut branches = b.branches.pop().expect("ended before");
        let predicate = b.predicate(condition);
        let (otherwise, end) = (b.label("else"), b.label("endif"));
        b.jump_if(predicate, true, &otherwise);
        branches.first.take().into_iter().for_each(|first| b.append(first));
        branches.labels = Some((otherwise, end));
        b.branches.push(branches);
    });
}

fn place_second() {
    with(|b| {
        let mut branches = b.branches.pop().expect("the first was placed before");
        if let Some((otherwise, end)) = &branches.labels {
            b.jump(end);
            b.place(otherwise);
        }
        branches.second.take().into_iter().for_each(|second| b.append(second));
        b.branches.push(branches);
    });
}

fn place_end() {
    with(|b| {
        let branches = b.branches.pop().expect("both were placed before");
        if let Some((_, end)) = branches.labels {
            b.place(&end);
        }
    });
}

/// A condition whose `if` may have branches of types `A` and `B`.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{A}` and `{B}`, or its condition `{Self}` is not a `bool`",
    label = "both branches need one type, the condition must be a `bool`"
)]
pub trait Choose<A, B>: Condition {
    /// The value of the `if`.
    type Output;
    /// Stages the taken branch, or both.
    fn choose(self, then: impl FnOnce() -> A, otherwise: impl FnOnce() -> B) -> Self::Output;
}

impl<A: HostMerge<B>, B> Choose<A, B> for bool {
    type Output = A::Output;
    fn choose(self, then: impl FnOnce() -> A, otherwise: impl FnOnce() -> B) -> A::Output {
        if self { A::first(then()) } else { A::second(otherwise()) }
    }
}

impl<A: Merge<B>, B> Choose<A, B> for Var<bool> {
    type Output = A::Output;
    fn choose(self, then: impl FnOnce() -> A, otherwise: impl FnOnce() -> B) -> A::Output {
        branch(self, then, otherwise)
    }
}

/// Values of the two branches of a run-time `if` that merge into one.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{Self}` and `{B}`",
    label = "both branches need one type",
    note = "both branches of a run-time `if` give values of one type of the kernel language"
)]
pub trait Merge<B>: Sized {
    /// The value of the `if`.
    type Output: Copy;
    /// Whether `select` exists.
    fn selectable() -> bool;
    /// Registers for the value.
    fn declare() -> Self::Output;
    /// `out = first`.
    fn assign_first(out: Self::Output, first: Self);
    /// `out = second`.
    fn assign_second(out: Self::Output, second: B);
    /// `condition ? first : second`, both computed.
    fn select(condition: Var<bool>, first: Self, second: B) -> Self::Output;
    /// The value when only the first branch can be taken.
    fn from_first(first: Self) -> Self::Output {
        let out = Self::declare();
        Self::assign_first(out, first);
        out
    }
    /// The value when only the second branch can be taken.
    fn from_second(second: B) -> Self::Output {
        let out = Self::declare();
        Self::assign_second(out, second);
        out
    }
}

/// `condition ? x : y` without a branch.
pub(crate) fn select<T: Scalar>(
    condition: Var<bool>,
    x: impl IntoVar<T>,
    y: impl IntoVar<T>,
) -> Var<T> {
    operations::select::<T>(condition, x.into_var(), y.into_var())
}

/// `out = value`, unless control does not reach it.
fn assign<T: Data, X: To<T>>(out: Handle<T>, value: X) {
    if X::REACHED {
        operations::assign::<T>(out, value.to());
    }
}

impl<A: Valued, B: To<A::Value>> Merge<B> for A {
    type Output = Handle<A::Value>;
    fn selectable() -> bool {
        B::REACHED && operations::selectable::<A::Value>()
    }
    fn declare() -> Self::Output {
        operations::declare::<A::Value>()
    }
    fn assign_first(out: Self::Output, first: A) {
        assign::<A::Value, A>(out, first);
    }
    fn assign_second(out: Self::Output, second: B) {
        assign::<A::Value, B>(out, second);
    }
    fn select(condition: Var<bool>, first: A, second: B) -> Self::Output {
        operations::select::<A::Value>(condition, first.to(), second.to())
    }
}

impl<B: Valued> Merge<B> for Never {
    type Output = Handle<B::Value>;
    fn selectable() -> bool {
        false
    }
    fn declare() -> Self::Output {
        operations::declare::<B::Value>()
    }
    fn assign_first(_: Self::Output, _: Never) {}
    fn assign_second(out: Self::Output, second: B) {
        assign::<B::Value, B>(out, second);
    }
    fn select(_: Var<bool>, _: Never, second: B) -> Self::Output {
        <Never as Merge<B>>::from_second(second)
    }
}

impl Merge<Never> for Never {
    type Output = Never;
    fn selectable() -> bool {
        false
    }
    fn declare() -> Never {
        Never
    }
    fn assign_first(_: Never, _: Never) {}
    fn assign_second(_: Never, _: Never) {}
    fn select(_: Var<bool>, _: Never, _: Never) -> Never {
        Never
    }
}

macro_rules! host_merges {
    ($($t:ty)*) => {$(
        impl HostMerge<Var<$t>> for $t {
            type Output = Var<$t>;
            fn first(first: $t) -> Var<$t> {
                first.into_var()
            }
            fn second(second: Var<$t>) -> Var<$t> {
                second
            }
        }
    )*};
}

host_merges!(char bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize f16 bf16 f32 f64);

/// Values of the two branches of an `if` on a host value; only one branch is staged.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{Self}` and `{B}`",
    label = "both branches need one type"
)]
pub trait HostMerge<B> {
    /// The value of the `if`.
    type Output;
    /// The first branch's value as the value of the `if`.
    fn first(first: Self) -> Self::Output;
    /// The second branch's value as the value of the `if`.
    fn second(second: B) -> Self::Output;
}

impl<T> HostMerge<T> for T {
    type Output = T;
    fn first(first: T) -> T {
        first
    }
    fn second(second: T) -> T {
        second
    }
}

impl<T: Scalar> HostMerge<T> for Var<T> {
    type Output = Var<T>;
    fn first(first: Var<T>) -> Var<T> {
        first
    }
    fn second(second: T) -> Var<T> {
        second.into_var()
    }
}
