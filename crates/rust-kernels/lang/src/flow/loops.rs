//! Loops: `while`, `loop`, `for` over ranges, and loops unrolled while staging.
//!
//! Loops are inverted: the condition is staged before the loop and again at its end, which saves a
//! jump per iteration.

use crate::data::convert::Valued;
use crate::data::leaves::{Data, Handle};
use crate::data::operations;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{Never, here, with};
use crate::emit::frames::{Count, LoopFrame, Repeat};
use crate::emit::value::{Index, Register, Value, wrap};
use crate::scalar::cast::cast;
use crate::scalar::compare::{Condition, Relation, relate};
use crate::scalar::number::{IndexValue, Integer};
use crate::scalar::var::{IntoVar, Read, Var};
use lanework_ptx::ScalarType;
use std::cell::Cell;

/// `while condition() { body() }`; the condition is staged at the top and again at the bottom,
/// which saves a jump per iteration.
#[track_caller]
pub fn while_loop<C: Condition>(
    name: Option<&'static str>,
    condition: impl Fn() -> C,
    body: impl FnOnce(),
) {
    here();
    repeat_while(name, condition, body);
}

/// A `while` at the current source position.
pub(crate) fn repeat_while<C: Condition>(
    name: Option<&'static str>,
    condition: impl Fn() -> C,
    body: impl FnOnce(),
) {
    if begin_while(name, condition().condition()) {
        body();
        end_while_body();
        end_while(condition().condition());
    }
}

/// Places the head of a `while`, after a jump past the loop if its condition `first` does not hold before the first
/// iteration.
fn begin_while(name: Option<&'static str>, first: Var<bool>) -> bool {
    if first.known() == Some(false) {
        return false;
    }
    with(|b| {
        let (head, next, exit) = (b.label("loop"), b.label("next"), b.label("done"));
        if first.known().is_none() {
            let predicate = b.predicate(first);
            b.jump_if(predicate, true, &exit);
        }
        b.place_always(&head);
        b.begin_body(name, &exit, next);
        b.repeats.push(Repeat { head, exit, count: None });
    });
    true
}

/// Ends the body of a `while`: its condition is staged next.
fn end_while_body() {
    with(|b| {
        b.end_body();
        b.enter();
        b.forget_variables();
    });
}

/// Jumps back if the condition holds `again`.
fn end_while(again: Var<bool>) {
    with(|b| {
        let Repeat { head, exit, .. } = b.repeats.pop().expect("begun before");
        b.leave();
        match again.known() {
            Some(true) => b.jump(&head),
            Some(false) => {}
            None => {
                let predicate = b.predicate(again);
                b.jump_if(predicate, false, &head);
            }
        }
        b.after_loop(&exit);
    });
}

impl Builder {
    /// Begins a loop's body, with its labels known to `break` and `continue`.
    pub(crate) fn begin_body(&mut self, name: Option<&'static str>, exit: &str, next: String) {
        self.loops.push(LoopFrame { name, exit: exit.to_owned(), next: Some(next) });
        self.enter();
        self.forget_variables();
    }

    /// Ends a loop's body.
    pub(crate) fn end_body(&mut self) {
        let frame = self.loops.pop().expect("begun before");
        self.leave();
        self.place(&frame.next.expect("a loop"));
    }

    /// Ends a loop.
    pub(crate) fn after_loop(&mut self, exit: &str) {
        self.forget_variables();
        self.place(exit);
    }
}

/// `loop { body() }`.
#[track_caller]
pub fn endless_loop(name: Option<&'static str>, body: impl FnOnce()) {
    here();
    repeat_while(name, || true, body);
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

/// Sets the loop's value, before `break value` leaves the loop.
#[track_caller]
pub fn break_value<T: Data>(slot: &BreakSlot<T>, value: impl Valued<Value = T>) {
    here();
    let out = slot.out.get().unwrap_or_else(operations::declare::<T>);
    slot.out.set(Some(out));
    operations::assign::<T>(out, value.to());
}

/// `'name: { body() }`.
#[track_caller]
pub fn labeled_block(name: Option<&'static str>, body: impl FnOnce()) {
    here();
    with(|b| {
        let exit = b.label("block");
        b.loops.push(LoopFrame { name, exit, next: None });
        b.enter();
    });
    body();
    with(|b| {
        let frame = b.loops.pop().expect("begun before");
        b.leave_at(&frame.exit);
    });
}

/// `'name: { .. break 'name value; .. }`.
#[track_caller]
pub fn labeled_value<T: Data>(
    name: Option<&'static str>,
    body: impl FnOnce(&BreakSlot<T>),
) -> Handle<T> {
    let slot = BreakSlot { out: Cell::new(None) };
    labeled_block(name, || body(&slot));
    slot.out.get().unwrap_or_else(operations::declare::<T>)
}

/// The value of a block's last expression, if control reaches it.
pub trait Ending<T: Data> {
    /// Sets the block's value.
    fn end(self, slot: &BreakSlot<T>);
}

impl<T: Data> Ending<T> for Never {
    fn end(self, _: &BreakSlot<T>) {}
}

impl<T: Data, X: Valued<Value = T>> Ending<T> for X {
    #[track_caller]
    fn end(self, slot: &BreakSlot<T>) {
        break_value(slot, self);
    }
}

/// Sets the value of a block with a label from its last expression.
#[track_caller]
pub fn end_with<T: Data>(slot: &BreakSlot<T>, value: impl Ending<T>) {
    value.end(slot);
}

/// `#[unroll] for item in items { body(item) }`: an ordinary Rust loop over host values.
#[track_caller]
pub fn unrolled<I: IntoIterator>(
    name: Option<&'static str>,
    items: I,
    mut body: impl FnMut(I::Item),
) {
    here();
    begin_unrolled();
    for item in items {
        begin_turn(name);
        body(item);
        if end_turn() {
            break;
        }
    }
    end_unrolled();
}

fn begin_unrolled() {
    with(|b| {
        b.enter();
        let exit = b.label("unrolled");
        b.unrolled.push(exit);
    });
}

fn begin_turn(name: Option<&'static str>) {
    with(|b| {
        let exit = b.unrolled.last().expect("begun before").clone();
        let next = b.label("next");
        b.loops.push(LoopFrame { name, exit, next: Some(next) });
        b.enter();
    });
}

/// Whether control cannot reach the next iteration.
fn end_turn() -> bool {
    with(|b| {
        let frame = b.loops.pop().expect("begun before");
        b.leave_at(&frame.next.expect("a loop"));
        b.dead
    })
}

fn end_unrolled() {
    with(|b| {
        let exit = b.unrolled.pop().expect("begun before");
        b.leave_at(&exit);
    });
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
    /// `.step_by(s).rev()`: down from the last value that is reached by steps from the first one.
    DownFromStep,
}

/// The step of a `for`, of any integer type.
pub trait Step {
    /// The distance; `None` without `.step_by(s)`.
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
    let walk = copied::<T>(walk);
    if let Some(value) = begin_for(name, T::SCALAR, walk) {
        body(Var::new(value));
        end_for();
    }
}

/// Copies range and step, because the body may assign to variables in them.
fn copied<T: Integer>(
    walk: Walk<impl IntoVar<T>, impl IntoVar<T>, impl Step>,
) -> Walk<Value, Value, Option<Index>> {
    let start = Read::copy(walk.start.into_var()).value;
    let end = Read::copy(walk.end.into_var()).value;
    let Walk { inclusive, order, .. } = walk;
    Walk { start, end, step: walk.step.distance(), inclusive, order }
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
        // One step of this size exceeds every range of this type.
        Some(known) => Value::Constant(wrap(known.min(most), ty)),
        None => cast(b, step.value, step.ty, ty),
    })
}

/// Begins a `for` whose range may be nonempty, and returns its variable. It is not generic, so it is compiled once.
fn begin_for(
    name: Option<&'static str>,
    ty: ScalarType,
    walk: Walk<Value, Value, Option<Index>>,
) -> Option<Value> {
    let Walk { start, end, step, inclusive, order } = walk;
    let step = stride(ty, step);
    let relation = if inclusive { Relation::Le } else { Relation::Lt };
    with(|b| {
        let (head, next, exit) = (b.label("loop"), b.label("next"), b.label("done"));
        match relate(b, relation, ty, start, end) {
            Value::Register(predicate) => b.jump_if(predicate, true, &exit),
            Value::Constant(0) => return None,
            _ => {}
        }
        // The jump skips the code from here to the exit, so the values of that code are unknown after it.
        b.enter();
        let plan = plan(b, ty, Walk { start, end, step, inclusive, order });
        let counter = b.register(ty, false);
        b.assign(counter, plan.from, ty);
        b.place_always(&head);
        b.begin_body(name, &exit, next);
        let value = Value::Register(counter);
        let handed_out = match plan.mirror {
            Some(sum) => binary(b, Operation::Sub, ty, sum, value),
            None => value,
        };
        let Plan { to, step, inclusive, .. } = plan;
        let count = Some(Count { counter, ty, to, step, inclusive });
        b.repeats.push(Repeat { head, exit, count });
        Some(handed_out)
    })
}

/// Steps the counter, and jumps back unless the bound is reached.
fn end_for() {
    with(|b| {
        b.end_body();
        let Repeat { head, exit, count } = b.repeats.pop().expect("begun before");
        let Count { counter, ty, to, step, inclusive } = count.expect("the loop counts");
        let value = Value::Register(counter);
        b.enter();
        // With `..=` the counter is compared before its step, because the step may overflow the type.
        let one_by_one = inclusive && step == Value::Constant(1);
        let before = one_by_one.then(|| relate(b, Relation::Lt, ty, value, to));
        b.step_counter(counter, ty, step);
        let after = if inclusive { Relation::Le } else { Relation::Lt };
        let again = before.unwrap_or_else(|| relate(b, after, ty, value, to));
        match again {
            Value::Register(predicate) => b.jump_if(predicate, false, &head),
            Value::Constant(0) => {}
            _ => b.jump(&head),
        }
        b.leave();
        b.leave();
        b.after_loop(&exit);
    });
}

/// How a `for` counts: the counter counts up, and the loop's variable is the counter, or `mirror` minus the counter.
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
    /// Visits the same values in the opposite order.
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
        let compute = crate::emit::value::compute_type(ty);
        let name = format!("add.{}", compute.name());
        let value = Value::Register(counter);
        let operands =
            vec![counter.name().into(), self.operand(value, compute), self.operand(step, compute)];
        self.emit(&name, operands);
    }
}
