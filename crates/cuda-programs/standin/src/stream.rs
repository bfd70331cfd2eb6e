//! Stream order. Calls run immediately, because earlier work of the stream is complete. On a captured stream they
//! become host nodes of the graph.

use crate::call::{Answer, call};
use crate::driver::driver;
use crate::failure::{FailureKind, Result, fail};
use std::cell::Cell;
use std::ffi::c_void;

/// Runs the work of a host node.
type Work = Box<dyn Fn() + Send + Sync>;

unsafe extern "C" fn run(work: *mut c_void) {
    // SAFETY: `capture` leaked the closure, since a graph may be launched any number of times.
    let work = unsafe { &*work.cast::<Work>() };
    work();
}

/// Whether a stream is captured.
///
/// # Errors
/// If the stream does not exist, or a kernel left an error.
pub fn is_captured(stream: usize) -> Result<bool> {
    let mut state = 0;
    // SAFETY: `status` is valid for the number that the driver stores.
    match unsafe { (driver()?.capturing)(stream, &mut state) } {
        0 => Ok(state != 0),
        code => fail(
            FailureKind::Driver,
            format!("the stream was destroyed, or an earlier kernel failed: error {code}"),
        ),
    }
}

/// Adds work, which must not unwind, to the graph that captures a stream.
///
/// # Errors
/// Errors of the stream.
pub fn capture(stream: usize, work: impl Fn() + Send + Sync + 'static) -> Result {
    let work: Work = Box::new(work);
    let work = Box::into_raw(Box::new(work));
    // SAFETY: `run` takes the leaked closure, which lives forever.
    match unsafe { (driver()?.launch_host)(stream, run, work.cast()) } {
        0 => Ok(()),
        code => fail(
            FailureKind::Driver,
            format!("the captured stream refused a host function: error {code}"),
        ),
    }
}

thread_local! {
    /// The stream whose work this thread runs; 0, the default stream, if none.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The stream whose work this thread runs; 0, the default stream, if none.
pub(crate) fn current_stream() -> usize {
    CURRENT.get()
}

/// Runs work on behalf of a stream.
fn as_stream<T>(stream: usize, work: impl FnOnce() -> T) -> T {
    /// Restores the previous stream, also on unwinding.
    struct Former(usize);
    impl Drop for Former {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _former = Former(CURRENT.replace(stream));
    work()
}

/// Runs work in stream order: now, or as a node of the graph that captures the stream.
///
/// # Errors
/// Errors of the work or of the stream.
pub fn submit<E: Answer>(
    stream: usize,
    work: impl Fn() -> std::result::Result<(), E> + Send + Sync + 'static,
) -> std::result::Result<(), E> {
    if !is_captured(stream)? {
        return as_stream(stream, work);
    }
    capture(stream, move || {
        call("a node of a graph", &work);
    })?;
    Ok(())
}
