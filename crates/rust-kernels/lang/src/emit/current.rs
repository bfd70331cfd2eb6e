//! The kernel being staged on this thread; `break`, `continue` and `return`, with the frames of inlined functions; and the value of
//! an expression that never completes.

use crate::emit::builder::Builder;
use crate::emit::frames::{CallFrame, LoopFrame};
use std::cell::RefCell;
use std::panic::Location as Caller;

thread_local! {
    static BUILDER: RefCell<Option<Box<Builder>>> = const { RefCell::new(None) };
}

/// The payload that unwinds out of a kernel's body after an error from which staging cannot
/// continue.
pub(crate) struct Abandon;

/// Makes `builder` this thread's current builder, and returns the previous one.
pub(crate) fn install(builder: Option<Box<Builder>>) -> Option<Box<Builder>> {
    BUILDER.with(|slot| slot.replace(builder))
}

/// The kernel being staged, taken out of the thread-local slot until dropped.
struct Held(Option<Box<Builder>>);

impl Held {
    #[track_caller]
    fn take() -> Held {
        match install(None) {
            Some(builder) => Held(Some(builder)),
            None => panic!(
                "the kernel language is used outside a kernel: \
                 call this only in functions marked #[kernel] or #[device]"
            ),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        install(self.0.take());
    }
}

/// Runs `f` on the kernel being staged.
///
/// Kernels instantiate this thousands of times, once per closure. All code that does not depend on the
/// closure is in [`Held`], which is compiled once.
///
/// # Panics
/// If no kernel is being staged: the kernel language is only valid inside `#[kernel]` and `#[device]`.
#[track_caller]
pub(crate) fn with<R>(f: impl FnOnce(&mut Builder) -> R) -> R {
    let mut held = Held::take();
    f(held.0.as_mut().expect("taken above"))
}

/// Sets the source position of the next instructions to the caller's.
#[track_caller]
pub(crate) fn here() {
    let caller = Caller::caller();
    with(|b| b.set_position(caller));
}

/// Jumps out of the loop that `break` or `continue` names.
fn leave_loop(name: Option<&'static str>, target: impl Fn(&LoopFrame) -> Option<&String>) {
    with(|b| {
        let frame = match name {
            Some(name) => b.loops.iter().rev().find(|frame| frame.name == Some(name)),
            None => b.loops.iter().rev().find(|frame| frame.next.is_some()),
        };
        match frame.and_then(&target).cloned() {
            Some(label) => b.jump(&label),
            None => b.error("no enclosing loop to leave", "`break` and `continue` need a loop"),
        }
    });
}

/// `break`.
#[track_caller]
pub fn break_loop(name: Option<&'static str>) {
    here();
    leave_loop(name, |frame| Some(&frame.exit));
}

/// `continue`.
#[track_caller]
pub fn continue_loop(name: Option<&'static str>) {
    here();
    leave_loop(name, |frame| frame.next.as_ref());
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

/// Depth of nested calls at which staging stops: a function calls itself, through others or as a method.
const DEEPEST: usize = 128;

fn begin_call() {
    with(|b| {
        assert!(
            b.calls.len() < DEEPEST,
            "a kernel has {DEEPEST} nested calls of #[device] functions: a function that calls itself never ends while it is inlined; write a \
             loop, with a local array as its stack"
        );
        let exit = b.label("return");
        let loops = std::mem::take(&mut b.loops);
        let site = b.enter_function();
        b.calls.push(CallFrame { exit, loops, site });
        b.enter();
    });
}

fn end_call() {
    with(|b| {
        let frame = b.calls.pop().expect("pushed above");
        b.loops = frame.loops;
        if let Some((_, position)) = frame.site {
            b.set_location(Some(position));
        }
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

/// The value of a diverging branch (`return`, `break`, `continue`).
#[derive(Clone, Copy, Debug)]
pub struct Never;
