//! The order of streams. A call has happened when it returns, since all before it in its stream has; in a stream that is captured it
//! becomes a host node of the graph.

use crate::call::{Answer, call};
use crate::driver::driver;
use crate::failure::{Kind, Result, fail};
use std::cell::Cell;
use std::ffi::c_void;

/// What a node of a graph does.
type Work = Box<dyn Fn() + Send + Sync>;

unsafe extern "C" fn run(work: *mut c_void) {
    // SAFETY: made by `capture`, and never freed, since a graph runs it as often as it is launched.
    let work = unsafe { &*work.cast::<Work>() };
    work();
}

/// Whether a stream is being captured.
///
/// # Errors
/// When there is no such stream, or a kernel left an error.
pub fn is_captured(stream: usize) -> Result<bool> {
    let mut state = 0;
    // SAFETY: stores a number.
    match unsafe { (driver()?.capturing)(stream, &mut state) } {
        0 => Ok(state != 0),
        code => fail(
            Kind::Driver,
            format!(
                "the stream is not there any more, or an earlier kernel left an error: error {code}"
            ),
        ),
    }
}

/// Makes some work, which may not unwind, a node of the graph that a stream is captured to.
///
/// # Errors
/// Those of the stream.
pub fn capture(stream: usize, work: impl Fn() + Send + Sync + 'static) -> Result {
    let work: Work = Box::new(work);
    let work = Box::into_raw(Box::new(work));
    // SAFETY: the work lives for ever.
    match unsafe { (driver()?.launch_host)(stream, run, work.cast()) } {
        0 => Ok(()),
        code => {
            fail(Kind::Driver, format!("the captured stream takes no host function: error {code}"))
        }
    }
}

thread_local! {
    /// The stream whose work this thread does; 0, the default stream, for none.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The stream whose work this thread does; 0, the default stream, for none.
pub(crate) fn current_stream() -> usize {
    CURRENT.get()
}

/// Does some work as that of a stream.
fn as_stream<T>(stream: usize, work: impl FnOnce() -> T) -> T {
    /// Sets the former stream again, also where the work unwinds.
    struct Former(usize);
    impl Drop for Former {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _former = Former(CURRENT.replace(stream));
    work()
}

/// Does some work in the order of a stream: now, or as a node of the graph that the stream is captured to.
///
/// # Errors
/// Those of the work, or of the stream.
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
