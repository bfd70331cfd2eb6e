//! `if` as a statement and as a value.
//!
//! The branches of an `if` join at the label right after it, which is therefore the immediate
//! post-dominator of the branch instruction: the emulator and the GPU reconverge there.

use crate::builder::{Builder, Line};
use crate::capture::{Captured, captured};
use crate::compare::Condition;
use crate::current::{here, with};
use crate::merge::{HostMerge, Merge};
use crate::value::{Register, Value};
use crate::var::Var;

impl Builder {
    /// The register of a condition that is only known at run time.
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
    match condition.known() {
        Some(true) => return then(),
        Some(false) => return,
        None => {}
    }
    let ((), lines) = captured(then);
    place_if(condition, lines);
}

/// Places lines to be run where the condition holds.
fn place_if(condition: Var<bool>, lines: Captured) {
    with(|b| {
        let predicate = b.predicate(condition);
        if lines.lines.is_empty() {
            return;
        }
        if let Some(jump) = lines.only_jump() {
            let mut jump = jump.clone();
            jump.guard = Some(lanework_ptx::Guard { register: predicate.name(), negated: false });
            jump.modifiers.retain(|m| m != "uni");
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
    let (first, first_lines) = captured(then);
    let (second, second_lines) = captured(otherwise);
    if first_lines.is_cheap() && second_lines.is_cheap() && A::selectable() {
        keep_both(first_lines, second_lines);
        return A::select(condition, first, second);
    }
    let out = A::declare();
    let labels = begin_first(condition, first_lines);
    A::assign_first(out, first);
    begin_second(&labels, second_lines);
    A::assign_second(out, second);
    end_second(&labels);
    out
}

fn keep_both(first: Captured, second: Captured) {
    with(|b| {
        b.append_kept(first);
        b.append_kept(second);
    });
}

/// Labels of the `else` branch and of the end of an `if` with `else`.
struct Sides {
    otherwise: String,
    end: String,
}

fn begin_first(condition: Var<bool>, lines: Captured) -> Sides {
    with(|b| {
        let predicate = b.predicate(condition);
        let sides = Sides { otherwise: b.label("else"), end: b.label("endif") };
        b.jump_if(predicate, true, &sides.otherwise);
        b.append(lines);
        sides
    })
}

fn begin_second(sides: &Sides, lines: Captured) {
    with(|b| {
        b.jump(&sides.end);
        b.place(&sides.otherwise);
        b.append(lines);
    });
}

fn end_second(sides: &Sides) {
    with(|b| b.place(&sides.end));
}

/// A condition whose `if` may have branches of types `A` and `B`.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have types `{A}` and `{B}`, or its condition `{Self}` is not a `bool`",
    label = "both branches need one type, the condition must be a `bool`"
)]
pub trait Choose<A, B>: Condition {
    /// The value of the `if`.
    type Output;
    /// Stages the branch taken, or both.
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
