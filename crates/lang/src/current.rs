//! The kernel being staged on this thread.

use crate::builder::Builder;
use std::cell::RefCell;
use std::panic::Location as Caller;

thread_local! {
    static BUILDER: RefCell<Option<Builder>> = const { RefCell::new(None) };
}

/// Makes `builder` the one that this thread stages into, and returns the one before.
pub(crate) fn install(builder: Option<Builder>) -> Option<Builder> {
    BUILDER.with(|slot| slot.replace(builder))
}

/// Runs `f` on the kernel being staged.
///
/// # Panics
/// When none is: the kernel language only means something inside `#[kernel]` and `#[device]`.
#[track_caller]
pub(crate) fn with<R>(f: impl FnOnce(&mut Builder) -> R) -> R {
    BUILDER.with(|slot| {
        let mut slot = slot.borrow_mut();
        let Some(builder) = slot.as_mut() else {
            panic!(
                "the kernel language is used outside a kernel: \
                 call this only in functions marked #[kernel] or #[device]"
            )
        };
        f(builder)
    })
}

/// Makes the caller's source position that of the instructions that follow.
#[track_caller]
pub(crate) fn here() {
    let caller = Caller::caller();
    with(|b| b.set_position(caller));
}
