//! Host functions that streams call: CUDA refuses most of its calls in them.

use crate::status::{Result, Status, refuse};
use std::cell::Cell;

thread_local! {
    /// Whether this thread runs a host function of a stream.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a host function of a stream.
pub fn run(function: impl FnOnce()) {
    let outer = RUNNING.replace(true);
    function();
    RUNNING.set(outer);
}

/// Records whether this thread runs a host function of a stream that calls no CUDA function. Returns what was recorded
/// before. Lanework's libraries compute captured calls in host functions, which do use the driver.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_set_in_host_function(running: i32) -> i32 {
    i32::from(RUNNING.replace(running != 0))
}

/// Whether this thread runs a host function of a stream.
pub fn is_running() -> bool {
    RUNNING.get()
}

/// Parts of the names of calls that are refused: they use memory or streams. Queries stay possible.
const REFUSED: [&str; 11] = [
    "Alloc",
    "Free",
    "Memcpy",
    "Memset",
    "Launch",
    "Synchronize",
    "Create",
    "Destroy",
    "Record",
    "WaitEvent",
    "Register",
];

/// Refuses a call in a host function of a stream.
pub fn check_call(name: &str) -> Result {
    if !RUNNING.get() || !REFUSED.iter().any(|part| name.contains(part)) {
        return Ok(());
    }
    Err(refuse(
        Status::NotPermitted,
        "a host function that a stream calls must not call CUDA: the stream waits for the function",
        "let the function tell another thread, which makes the call, or make the call before the work is queued",
    ))
}
