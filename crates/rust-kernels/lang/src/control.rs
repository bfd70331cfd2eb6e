//! `if` as a statement and as a value.
//!
//! The branches of an `if` join at the label right after it, which is therefore the immediate
//! post-dominator of the branch instruction: the emulator and the GPU reconverge there.

use crate::builder::Builder;
use crate::connect::Condition;
use crate::current::{here, with};
use crate::frames::{Branches, Captured, Line};
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
    if begin_then(condition) {
        then();
    }
    end_then(condition);
}

/// Whether the lines of an `if` are staged; they are captured where its condition is not known.
fn begin_then(condition: Var<bool>) -> bool {
    condition.known().unwrap_or_else(|| {
        with(Builder::begin_capture);
        true
    })
}

/// Places the captured lines to be run where the condition holds.
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

/// Ends the second branch. Whether both are so cheap that they are computed, and one value selected.
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
