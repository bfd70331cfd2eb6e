//! `if`: as a statement, as a value, and code staged aside until it is known how it is placed.
//!
//! Every branch's join is the label right after it, so that it is the immediate post-dominator.

use crate::builder::{Builder, Line, here, with};
use crate::compare::Condition;
use crate::merge::{Choose, Merge};
use crate::value::{Register, Value};
use crate::var::Var;

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
    let outer = begin_capture();
    let result = f();
    (result, end_capture(outer))
}

/// Puts the lines so far aside; returns them, and whether control could not reach their end.
fn begin_capture() -> (Vec<Line>, bool) {
    with(|b| {
        b.enter();
        (std::mem::take(&mut b.lines), b.dead)
    })
}

/// Puts back what [`begin_capture`] returned, and returns the lines since.
fn end_capture((outer, was_dead): (Vec<Line>, bool)) -> Captured {
    with(|b| {
        let lines = std::mem::replace(&mut b.lines, outer);
        let dead = std::mem::replace(&mut b.dead, was_dead);
        Captured { lines, dead, scope: b.leave() }
    })
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

/// Labels of the second side and of the end of an `if` with `else`.
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
