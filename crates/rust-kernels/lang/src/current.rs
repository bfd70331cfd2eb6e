//! The kernel being staged on this thread.

use crate::builder::Builder;
use std::cell::RefCell;
use std::panic::Location as Caller;

thread_local! {
    static BUILDER: RefCell<Option<Box<Builder>>> = const { RefCell::new(None) };
}

/// The payload that unwinds out of a kernel's body after an error from which staging cannot
/// continue.
pub(crate) struct Abandon;

/// Makes `builder` the one that this thread stages into, and returns the one before.
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
/// When there is none: the kernel language is only valid inside `#[kernel]` and `#[device]`.
#[track_caller]
pub(crate) fn with<R>(f: impl FnOnce(&mut Builder) -> R) -> R {
    let mut held = Held::take();
    f(held.0.as_mut().expect("taken above"))
}

/// Makes the caller's source position that of the instructions that follow.
#[track_caller]
pub(crate) fn here() {
    let caller = Caller::caller();
    with(|b| b.set_position(caller));
}
