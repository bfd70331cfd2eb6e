//! Exit handler: the C library calls it after `main`, once Rust has flushed its output.

use std::sync::Mutex;

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
    fn _exit(code: i32) -> !;
}

/// Something to be done at the end; its answer is the exit code, where it is not the program's own.
type Last = fn() -> Option<i32>;

static LAST: Mutex<Option<Last>> = Mutex::new(None);

extern "C" fn run() {
    let last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    // A panic must not leave a function that C calls.
    let code = last.and_then(|last| std::panic::catch_unwind(last).ok().flatten());
    if let Some(code) = code {
        // SAFETY: `_exit` takes a number and does not return; the process is ending already, so that no destructor is
        // skipped that would run.
        unsafe { _exit(code) }
    }
}

/// Lets the process end with `last`.
pub(super) fn end_with(last: Last) {
    let before = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).replace(last);
    if before.is_none() {
        // SAFETY: `run` is a function of this program, which stays loaded until its end, and does not unwind. If the
        // list is full, there is no report at the end.
        unsafe { atexit(run) };
    }
}
