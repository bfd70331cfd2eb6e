//! `break`, `continue` and `return`, and the frames of inlined functions that `return` leaves.

use crate::current::{here, with};
use crate::frames::{CallFrame, LoopFrame};

/// Jumps out of the loop that `break` or `continue` names.
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
    begin_call();
    let result = body();
    end_call();
    result
}

fn begin_call() {
    with(|b| {
        let exit = b.label("return");
        let loops = std::mem::take(&mut b.loops);
        b.calls.push(CallFrame { exit, loops });
        b.enter();
    });
}

fn end_call() {
    with(|b| {
        let frame = b.calls.pop().expect("pushed above");
        b.loops = frame.loops;
        b.leave_at(&frame.exit);
    });
}

/// Jumps to the end of the innermost `#[device]` call.
pub(crate) fn leave_call() {
    with(|b| match b.calls.last().map(|frame| frame.exit.clone()) {
        Some(exit) => b.jump(&exit),
        None => b.error("`return` outside a function", "use it in the body only"),
    });
}
