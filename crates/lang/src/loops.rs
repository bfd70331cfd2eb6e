//! Loops: `while`, `loop`, `for` over ranges, and loops unrolled while staging.
//!
//! Loops are inverted: the condition is staged before the loop and again at its end, which saves a
//! jump per iteration.

use crate::arithmetic::binary;
use crate::builder::{Builder, LoopFrame};
use crate::compare::{Condition, Relation, relate};
use crate::current::{here, with};
use crate::operation::Operation;
use crate::scalar::{Integer, Scalar};
use crate::value::{Register, Value, integer};
use crate::var::{IntoVar, Read, Var};
use lanework_ptx::ScalarType;

/// Runs a loop's body with its labels known to `break` and `continue`.
fn in_loop(name: Option<&'static str>, exit: &str, next: &str, body: &mut dyn FnMut()) {
    with(|b| {
        b.loops.push(LoopFrame { name, exit: exit.to_owned(), next: next.to_owned() });
        b.enter();
        b.forget_variables();
    });
    body();
    with(|b| {
        b.loops.pop();
        b.leave();
        b.place(next);
    });
}

/// Ends the loop that `in_loop` began.
fn after_loop(b: &mut Builder, exit: &str) {
    b.forget_variables();
    b.place(exit);
}

/// `while condition() { body() }`; the condition is staged at the top and again at the bottom,
/// which saves a jump per iteration.
#[track_caller]
pub fn while_loop<C: Condition>(
    name: Option<&'static str>,
    condition: impl Fn() -> C,
    body: impl FnOnce(),
) {
    here();
    let mut body = Some(body);
    let mut once = || {
        if let Some(body) = body.take() {
            body();
        }
    };
    while_dyn(name, &|| condition().condition(), &mut once);
}

/// A `while`. Kernels call a thin generic wrapper of this function, so that it is compiled once.
fn while_dyn(
    name: Option<&'static str>,
    condition: &dyn Fn() -> Var<bool>,
    body: &mut dyn FnMut(),
) {
    let first = condition();
    if first.known() == Some(false) {
        return;
    }
    let (head, next, exit) = with(|b| {
        let labels = (b.label("loop"), b.label("next"), b.label("done"));
        if first.known().is_none() {
            let predicate = b.predicate(first);
            b.jump_if(predicate, true, &labels.2);
        }
        b.place_always(&labels.0);
        labels
    });
    in_loop(name, &exit, &next, body);
    with(|b| {
        b.enter();
        b.forget_variables();
    });
    let again = condition();
    with(|b| {
        b.leave();
        match again.known() {
            Some(true) => b.jump(&head),
            Some(false) => {}
            None => {
                let predicate = b.predicate(again);
                b.jump_if(predicate, false, &head);
            }
        }
        after_loop(b, &exit);
    });
}

/// `loop { body() }`.
#[track_caller]
pub fn endless_loop(name: Option<&'static str>, body: impl FnOnce()) {
    here();
    while_loop(name, || true, body);
}

/// The values of a `for`.
#[derive(Clone, Copy, Debug)]
pub struct Walk<A, B, S> {
    /// The first value.
    pub start: A,
    /// The bound.
    pub end: B,
    /// The distance between values.
    pub step: S,
    /// Whether the bound is included.
    pub inclusive: bool,
    /// Whether the values are visited in reverse order.
    pub reverse: bool,
}

/// The step of a `for`.
pub trait Step<T: Scalar> {
    /// The distance.
    fn distance(self) -> Var<T>;
}

/// No `.step_by(s)`: every value.
#[derive(Clone, Copy, Debug)]
pub struct OneByOne;

/// `.step_by(s)`.
#[derive(Clone, Copy, Debug)]
pub struct By<S>(pub S);

impl<T: Scalar> Step<T> for OneByOne {
    fn distance(self) -> Var<T> {
        Var::new(Value::Constant(1))
    }
}

impl<T: Scalar, S: IntoVar<T>> Step<T> for By<S> {
    fn distance(self) -> Var<T> {
        self.0.into_var()
    }
}

/// `for i in start..end { body(i) }`, or with `..=` and `.step_by(step)`.
///
/// Counting past the type's largest value wraps: keep `end + step` in range.
#[track_caller]
pub fn for_loop<T: Integer>(
    name: Option<&'static str>,
    walk: Walk<impl IntoVar<T>, impl IntoVar<T>, impl Step<T>>,
    body: impl FnOnce(Var<T>),
) {
    here();
    let start = Read::copy(walk.start.into_var()).value;
    let end = Read::copy(walk.end.into_var()).value;
    let step = Read::copy(walk.step.distance()).value;
    let Walk { inclusive, reverse, .. } = walk;
    let mut body = Some(body);
    let mut once = |value| {
        if let Some(body) = body.take() {
            body(Var::new(value));
        }
    };
    for_dyn(name, T::SCALAR, Walk { start, end, step, inclusive, reverse }, &mut once);
}

/// A `for`. Kernels call a thin generic wrapper of this function, so that it is compiled once.
fn for_dyn(
    name: Option<&'static str>,
    ty: ScalarType,
    walk: Walk<Value, Value, Value>,
    body: &mut dyn FnMut(Value),
) {
    let Walk { start, end, step, .. } = walk;
    if let Value::Constant(bits) = step
        && integer(bits, ty) <= 0
    {
        with(|b| b.error("this loop's step is not above 0", "count down with `(a..b).rev()`"));
        return;
    }
    let mirrored = walk.reverse.then(|| {
        // Counts up and yields first + last - counter.
        with(|b| {
            let sum = binary(b, Operation::Add, ty, start, end);
            let excluded = Value::Constant(u64::from(!walk.inclusive));
            binary(b, Operation::Sub, ty, sum, excluded)
        })
    });
    let relation = if walk.inclusive { Relation::Le } else { Relation::Lt };
    let entered = with(|b| {
        let enters = relate(b, relation, ty, start, end);
        let labels = (b.label("loop"), b.label("next"), b.label("done"));
        match enters {
            Value::Constant(0) => return None,
            Value::Constant(_) => {}
            _ => {
                let predicate = b.predicate(Var::new(enters));
                b.jump_if(predicate, true, &labels.2);
            }
        }
        let counter = b.register(ty, false);
        b.assign(counter, start, ty);
        b.place_always(&labels.0);
        Some((counter, labels))
    });
    let Some((counter, (head, next, exit))) = entered else { return };
    let value = Value::Register(counter);
    in_loop(name, &exit, &next, &mut || {
        let handed_out = match mirrored {
            Some(sum) => with(|b| binary(b, Operation::Sub, ty, sum, value)),
            None => value,
        };
        body(handed_out);
    });
    with(|b| {
        b.step_counter(counter, ty, step);
        b.enter();
        let again = relate(b, relation, ty, value, end);
        match again {
            Value::Register(predicate) => b.jump_if(predicate, false, &head),
            Value::Constant(0) => {}
            _ => b.jump(&head),
        }
        b.leave();
        after_loop(b, &exit);
    });
}

impl Builder {
    /// `counter += step`.
    fn step_counter(&mut self, counter: Register, ty: ScalarType, step: Value) {
        let compute = crate::value::compute_type(ty);
        let name = format!("add.{}", compute.name());
        let value = Value::Register(counter);
        let operands =
            vec![counter.name().into(), self.operand(value, compute), self.operand(step, compute)];
        self.emit(&name, operands);
    }
}

/// `#[unroll] for item in items { body(item) }`: an ordinary Rust loop over host values.
#[track_caller]
pub fn unrolled<I: IntoIterator>(
    name: Option<&'static str>,
    items: I,
    mut body: impl FnMut(I::Item),
) {
    here();
    let exit = begin_unrolled();
    for item in items {
        let next = begin_turn(name, &exit);
        body(item);
        if end_turn(&next) {
            break;
        }
    }
    end_unrolled(&exit);
}

/// The label at the end of the loop.
fn begin_unrolled() -> String {
    with(|b| {
        b.enter();
        b.label("unrolled")
    })
}

/// The label at the end of the iteration.
fn begin_turn(name: Option<&'static str>, exit: &str) -> String {
    with(|b| {
        let next = b.label("next");
        b.loops.push(LoopFrame { name, exit: exit.to_owned(), next: next.clone() });
        b.enter();
        next
    })
}

/// Whether control cannot reach the next iteration.
fn end_turn(next: &str) -> bool {
    with(|b| {
        b.loops.pop();
        b.leave_at(next);
        b.dead
    })
}

fn end_unrolled(exit: &str) {
    with(|b| b.leave_at(exit));
}
