//! Loops: `while`, `loop`, `for` over ranges, and loops unrolled while staging.
//!
//! Loops are inverted: the condition is staged before the loop and again at its end, which saves a
//! jump per iteration.

use crate::arithmetic::binary;
use crate::builder::{Builder, LoopFrame};
use crate::cast::cast;
use crate::compare::{Condition, Relation, relate};
use crate::current::{here, with};
use crate::data::{Data, Handle, Valued, operations};
use crate::memory::IndexValue;
use crate::number::Integer;
use crate::operation::Operation;
use crate::value::{Index, Register, Value, wrap};
use crate::var::{IntoVar, Read, Var};
use lanework_ptx::ScalarType;
use std::cell::Cell;

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
pub(crate) fn while_dyn(
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

/// The registers that hold the value of a `loop`.
pub struct BreakSlot<T: Data> {
    out: Cell<Option<Handle<T>>>,
}

/// `loop { .. break value; }`.
#[track_caller]
pub fn loop_value<T: Data>(
    name: Option<&'static str>,
    body: impl FnOnce(&BreakSlot<T>),
) -> Handle<T> {
    let slot = BreakSlot { out: Cell::new(None) };
    endless_loop(name, || body(&slot));
    slot.out.get().unwrap_or_else(operations::declare::<T>)
}

/// What `break value` does before it leaves the loop.
#[track_caller]
pub fn break_value<T: Data>(slot: &BreakSlot<T>, value: impl Valued<Value = T>) {
    here();
    let out = slot.out.get().unwrap_or_else(operations::declare::<T>);
    slot.out.set(Some(out));
    operations::assign::<T>(out, value.to());
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
    /// Which value is first.
    pub order: Direction,
}

/// The order of a `for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first value up.
    Up,
    /// `.rev()`, with `.step_by(s)` after it: from the range's last value down.
    Down,
    /// `.step_by(s).rev()`: from the last value that steps from the first one reach, down.
    DownFromStep,
}

/// The step of a `for`, of any integer type.
pub trait Step {
    /// The distance; `None` for every value.
    fn distance(self) -> Option<Index>;
}

/// No `.step_by(s)`: every value.
#[derive(Clone, Copy, Debug)]
pub struct OneByOne;

/// `.step_by(s)`.
#[derive(Clone, Copy, Debug)]
pub struct By<S>(pub S);

impl Step for OneByOne {
    fn distance(self) -> Option<Index> {
        None
    }
}

impl<S: IndexValue> Step for By<S> {
    fn distance(self) -> Option<Index> {
        Some(self.0.parts())
    }
}

/// `for i in start..end { body(i) }`, or with `..=`, `.step_by(step)` and `.rev()`.
///
/// Stepping past the type's largest value wraps: keep `end + step` in range.
#[track_caller]
pub fn for_loop<T: Integer>(
    name: Option<&'static str>,
    walk: Walk<impl IntoVar<T>, impl IntoVar<T>, impl Step>,
    body: impl FnOnce(Var<T>),
) {
    here();
    let start = Read::copy(walk.start.into_var()).value;
    let end = Read::copy(walk.end.into_var()).value;
    let step = stride(T::SCALAR, walk.step.distance());
    let Walk { inclusive, order, .. } = walk;
    let mut body = Some(body);
    let mut once = |value| {
        if let Some(body) = body.take() {
            body(Var::new(value));
        }
    };
    for_dyn(name, T::SCALAR, Walk { start, end, step, inclusive, order }, &mut once);
}

/// A step as a value of the loop's type.
fn stride(ty: ScalarType, step: Option<Index>) -> Value {
    let Some(step) = step else { return Value::Constant(1) };
    let bits = 8 * ty.size() - u32::from(ty.is_signed());
    let most = i128::MAX >> (127 - bits);
    with(|b| match step.known() {
        Some(known) if known <= 0 => {
            b.error("this loop's step is not above 0", "count down with `(a..b).rev()`");
            Value::Constant(1)
        }
        // One step of that size leaves every range of this type.
        Some(known) => Value::Constant(wrap(known.min(most), ty)),
        None => cast(b, step.value, step.ty, ty),
    })
}

/// A `for`. Kernels call a thin generic wrapper of this function, so that it is compiled once.
fn for_dyn(
    name: Option<&'static str>,
    ty: ScalarType,
    walk: Walk<Value, Value, Value>,
    body: &mut dyn FnMut(Value),
) {
    let relation = if walk.inclusive { Relation::Le } else { Relation::Lt };
    let labels = with(|b| (b.label("loop"), b.label("next"), b.label("done")));
    let enters = with(|b| {
        let enters = relate(b, relation, ty, walk.start, walk.end);
        if let Value::Register(predicate) = enters {
            b.jump_if(predicate, true, &labels.2);
        }
        enters
    });
    if enters == Value::Constant(0) {
        return;
    }
    // What is computed from here to the exit is skipped by the jump: none of it is known after.
    let plan = with(|b| {
        b.enter();
        plan(b, ty, walk)
    });
    let (head, next, exit) = labels;
    let counter = with(|b| {
        let counter = b.register(ty, false);
        b.assign(counter, plan.from, ty);
        b.place_always(&head);
        counter
    });
    let value = Value::Register(counter);
    in_loop(name, &exit, &next, &mut || {
        let handed_out = match plan.mirror {
            Some(sum) => with(|b| binary(b, Operation::Sub, ty, sum, value)),
            None => value,
        };
        body(handed_out);
    });
    with(|b| {
        b.enter();
        // With `..=` the counter is compared before its step, which may leave the type.
        let one_by_one = plan.inclusive && plan.step == Value::Constant(1);
        let before = one_by_one.then(|| relate(b, Relation::Lt, ty, value, plan.to));
        b.step_counter(counter, ty, plan.step);
        let after = if plan.inclusive { Relation::Le } else { Relation::Lt };
        let again = before.unwrap_or_else(|| relate(b, after, ty, value, plan.to));
        match again {
            Value::Register(predicate) => b.jump_if(predicate, false, &head),
            Value::Constant(0) => {}
            _ => b.jump(&head),
        }
        b.leave();
        b.leave();
        after_loop(b, &exit);
    });
}

/// What the counter of a `for` does: it counts up, and the loop's variable is the counter, or
/// `mirror` minus the counter.
struct Plan {
    from: Value,
    to: Value,
    step: Value,
    inclusive: bool,
    mirror: Option<Value>,
}

/// The plan of a loop whose range is not empty.
fn plan(b: &mut Builder, ty: ScalarType, walk: Walk<Value, Value, Value>) -> Plan {
    let Walk { start, end, step, inclusive, order } = walk;
    let excluded = Value::Constant(u64::from(!inclusive));
    match order {
        Direction::Up => Plan { from: start, to: end, step, inclusive, mirror: None },
        _ if step == Value::Constant(1) => {
            // The variable is first + last - counter.
            let sum = binary(b, Operation::Add, ty, start, end);
            let sum = binary(b, Operation::Sub, ty, sum, excluded);
            Plan { from: start, to: end, step, inclusive, mirror: Some(sum) }
        }
        _ => {
            // Counts the distance from the first value visited. A distance between two signed
            // values may exceed the signed type: it is computed in the unsigned one.
            let distance = unsigned(ty);
            let last = binary(b, Operation::Sub, ty, end, excluded);
            let span = binary(b, Operation::Sub, ty, last, start);
            let span = cast(b, span, ty, distance);
            let wide = cast(b, step, ty, distance);
            let steps = binary(b, Operation::Div, distance, span, wide);
            let reach = binary(b, Operation::Mul, distance, steps, wide);
            let reach = cast(b, reach, distance, ty);
            let top = match order {
                Direction::DownFromStep => binary(b, Operation::Add, ty, start, reach),
                _ => last,
            };
            let least = binary(b, Operation::Sub, ty, top, reach);
            Plan { from: least, to: top, step, inclusive: true, mirror: None }.mirrored(b, ty)
        }
    }
}

impl Plan {
    /// The same values from the other end.
    fn mirrored(self, b: &mut Builder, ty: ScalarType) -> Plan {
        let sum = binary(b, Operation::Add, ty, self.from, self.to);
        Plan { mirror: Some(sum), ..self }
    }
}

/// The unsigned type of the same width.
fn unsigned(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::S8 => ScalarType::U8,
        ScalarType::S16 => ScalarType::U16,
        ScalarType::S32 => ScalarType::U32,
        ScalarType::S64 => ScalarType::U64,
        other => other,
    }
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
