//! Structured control flow: `if`, loops, `break`, `continue` and `return`.
//!
//! Every branch's join is the label right after it, so that it is the immediate post-dominator.

use crate::arithmetic::{Operation, binary};
use crate::builder::{Builder, CallFrame, Line, LoopFrame, here, with};
use crate::compare::{Condition, Relation, relate};
use crate::merge::{Choose, Merge};
use crate::scalar::{Integer, Scalar};
use crate::value::{Register, Value};
use crate::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

/// Lines staged aside, to be placed once it is known how.
pub(crate) struct Captured {
    pub lines: Vec<Line>,
    /// Whether control cannot reach their end.
    pub dead: bool,
    scope: crate::builder::Scope,
}

/// Most instructions that are worth computing always instead of jumping over.
const CHEAP: usize = 4;

impl Captured {
    /// Whether there are few instructions, none with side effects or memory accesses.
    pub fn is_cheap(&self) -> bool {
        !self.dead
            && self.lines.len() <= CHEAP
            && self.lines.iter().all(|line| matches!(line, Line::Op { pure: true, .. }))
    }

    /// The target, where the lines are nothing but one jump or return.
    fn only_jump(&self) -> Option<&lanework_ptx::Instruction> {
        match self.lines.as_slice() {
            [Line::Op { instruction, .. }]
                if instruction.guard.is_none()
                    && matches!(instruction.opcode.as_str(), "bra" | "ret" | "exit") =>
            {
                Some(instruction)
            }
            _ => None,
        }
    }
}

/// Stages `f` aside.
pub(crate) fn captured<R>(f: impl FnOnce() -> R) -> (R, Captured) {
    let (outer, was_dead) = with(|b| {
        b.enter();
        (std::mem::take(&mut b.lines), b.dead)
    });
    let result = f();
    let captured = with(|b| {
        let lines = std::mem::replace(&mut b.lines, outer);
        let dead = std::mem::replace(&mut b.dead, was_dead);
        Captured { lines, dead, scope: b.leave() }
    });
    (result, captured)
}

impl Builder {
    /// Appends lines staged aside; what they computed is known to them only.
    pub fn append(&mut self, captured: Captured) {
        if !self.dead {
            self.lines.extend(captured.lines);
            self.dead = captured.dead;
        }
    }

    /// Appends lines staged aside that always run, so that what they computed stays known.
    pub fn append_kept(&mut self, captured: Captured) {
        let scope = captured.scope.clone();
        self.append(captured);
        self.keep(scope);
    }

    /// Register of a condition that is not known.
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

/// The run-time `if`: stages both sides and merges their values.
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
    if first_lines.is_cheap() && second_lines.is_cheap() && A::SELECTABLE {
        with(|b| {
            b.append_kept(first_lines);
            b.append_kept(second_lines);
        });
        return A::select(condition, first, second);
    }
    let out = A::declare();
    let end = with(|b| {
        let predicate = b.predicate(condition);
        let (otherwise, end) = (b.label("else"), b.label("endif"));
        b.jump_if(predicate, true, &otherwise);
        b.append(first_lines);
        (otherwise, end)
    });
    A::assign_first(out, first);
    with(|b| {
        b.jump(&end.1);
        b.place(&end.0);
        b.append(second_lines);
    });
    A::assign_second(out, second);
    with(|b| b.place(&end.1));
    out
}

/// Runs a loop's body with its labels known to `break` and `continue`.
fn in_loop(name: Option<&'static str>, exit: &str, next: &str, body: impl FnOnce()) {
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

/// Ends what `in_loop` began.
fn after_loop(b: &mut Builder, exit: &str) {
    b.forget_variables();
    b.place(exit);
}

/// `while condition() { body() }`; the test is staged at the top and again at the bottom, which
/// saves a jump per turn.
#[track_caller]
pub fn while_loop<C: Condition>(
    name: Option<&'static str>,
    condition: impl Fn() -> C,
    body: impl FnOnce(),
) {
    here();
    let first = condition().condition();
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
    let again = condition().condition();
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

/// Which values a `for` goes through.
#[derive(Clone, Copy, Debug)]
pub struct Walk<A, B, S> {
    /// The first value.
    pub start: A,
    /// The bound.
    pub end: B,
    /// The distance between values.
    pub step: S,
    /// Whether the bound itself is visited.
    pub inclusive: bool,
    /// Whether the values come last to first.
    pub reverse: bool,
}

/// How far apart the values of a `for` are.
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
    let ty = T::SCALAR;
    let start = crate::var::Read::copy(walk.start.into_var());
    let end = crate::var::Read::copy(walk.end.into_var());
    let step = crate::var::Read::copy(walk.step.distance());
    let mirrored = walk.reverse.then(|| {
        // Counting up, and handing out first + last - counter.
        with(|b| {
            let sum = binary(b, Operation::Add, ty, start.value, end.value);
            let excluded = Value::Constant(u64::from(!walk.inclusive));
            binary(b, Operation::Sub, ty, sum, excluded)
        })
    });
    let relation = if walk.inclusive { Relation::Le } else { Relation::Lt };
    let entered = with(|b| {
        let enters = relate(b, relation, ty, start.value, end.value);
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
        b.assign(counter, start.value, ty);
        b.place_always(&labels.0);
        Some((counter, labels))
    });
    let Some((counter, (head, next, exit))) = entered else { return };
    let value = Value::Register(counter);
    in_loop(name, &exit, &next, || {
        let handed_out = match mirrored {
            Some(sum) => with(|b| binary(b, Operation::Sub, ty, sum, value)),
            None => value,
        };
        body(Var::new(handed_out));
    });
    with(|b| {
        b.step_counter(counter, ty, step.value);
        b.enter();
        let again = relate(b, relation, ty, value, end.value);
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
    let exit = with(|b| b.label("unrolled"));
    for item in items {
        let next = with(|b| {
            let next = b.label("next");
            b.loops.push(LoopFrame { name, exit: exit.clone(), next: next.clone() });
            next
        });
        body(item);
        let dead = with(|b| {
            b.loops.pop();
            b.place(&next);
            b.dead
        });
        if dead {
            break;
        }
    }
    with(|b| b.place(&exit));
}

/// Finds the loop that `break` or `continue` means, and jumps.
fn leave_loop(name: Option<&'static str>, target: impl Fn(&LoopFrame) -> &String) {
    with(|b| {
        let frame = match name {
            Some(name) => b.loops.iter().rev().find(|frame| frame.name == Some(name)),
            None => b.loops.last(),
        };
        match frame.map(&target).cloned() {
            Some(label) => b.jump(&label),
            None => b.error("no enclosing loop to leave", "`break` and `continue` need a loop"),
        }
    });
}

/// `break`.
#[track_caller]
pub fn break_loop(name: Option<&'static str>) {
    here();
    leave_loop(name, |frame| &frame.exit);
}

/// `continue`.
#[track_caller]
pub fn continue_loop(name: Option<&'static str>) {
    here();
    leave_loop(name, |frame| &frame.next);
}

/// `return` from the kernel.
#[track_caller]
pub fn return_kernel() {
    here();
    with(|b| {
        b.emit("ret", vec![]);
        b.dead = true;
    });
}

/// The body of a `#[device]` function: `return` inside it ends the body only.
pub(crate) fn in_call<R>(body: impl FnOnce() -> R) -> R {
    with(|b| {
        let exit = b.label("return");
        let loops = std::mem::take(&mut b.loops);
        b.calls.push(CallFrame { exit, loops });
    });
    let result = body();
    with(|b| {
        let frame = b.calls.pop().expect("pushed above");
        b.loops = frame.loops;
        b.place(&frame.exit);
    });
    result
}

/// Jumps to the end of the innermost `#[device]` call.
pub(crate) fn leave_call() {
    with(|b| match b.calls.last().map(|frame| frame.exit.clone()) {
        Some(exit) => b.jump(&exit),
        None => b.error("`return` outside a function", "use it in the body only"),
    });
}
