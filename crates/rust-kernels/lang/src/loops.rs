//! Loops: `while`, `loop`, and loops unrolled while staging; `for` over ranges is in [`crate::counted`].
//!
//! Loops are inverted: the condition is staged before the loop and again at its end, which saves a
//! jump per iteration.

use crate::builder::Builder;
use crate::connect::Condition;
use crate::current::{here, with};
use crate::data::{Data, Handle, Valued, operations};
use crate::frames::{LoopFrame, Repeat};
use crate::var::Var;
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

/// A `while` at the source position of what was staged last.
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

/// Places the head of a `while` that may run, after a jump past it where `first`, its condition before it, does not hold.
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

/// Jumps back where the condition holds `again`.
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
        self.loops.push(LoopFrame { name, exit: exit.to_owned(), next });
        self.enter();
        self.forget_variables();
    }

    /// Ends a loop's body.
    pub(crate) fn end_body(&mut self) {
        let frame = self.loops.pop().expect("begun before");
        self.leave();
        self.place(&frame.next);
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

/// What `break value` does before it leaves the loop.
#[track_caller]
pub fn break_value<T: Data>(slot: &BreakSlot<T>, value: impl Valued<Value = T>) {
    here();
    let out = slot.out.get().unwrap_or_else(operations::declare::<T>);
    slot.out.set(Some(out));
    operations::assign::<T>(out, value.to());
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
        b.loops.push(LoopFrame { name, exit, next });
        b.enter();
    });
}

/// Whether control cannot reach the next iteration.
fn end_turn() -> bool {
    with(|b| {
        let frame = b.loops.pop().expect("begun before");
        b.leave_at(&frame.next);
        b.dead
    })
}

fn end_unrolled() {
    with(|b| {
        let exit = b.unrolled.pop().expect("begun before");
        b.leave_at(&exit);
    });
}
