//! Device memory in stream order.
//!
//! Device memory is host memory that the emulator tracks. The driver checks each range before it is accessed, and copies
//! use the call's stream, so race checks see their order. Work runs immediately, because earlier work of its stream is
//! complete; on a captured stream it becomes a host node of the graph.

use crate::call::{Answer, FailureKind, Result, call, fail};
use crate::driver::{Rows, Side, driver};
use std::cell::Cell;
use std::ffi::c_void;

/// A range of device memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Address of the first byte.
    pub at: usize,
    /// Number of bytes.
    pub bytes: usize,
}

/// Result of an address lookup.
enum Known {
    /// Allocated; this many bytes remain from the address on.
    Left(u64),
    /// Not allocated.
    Nothing,
}

/// Looks up an address.
fn known(at: u64) -> Result<Known> {
    let (mut base, mut size) = (0u64, 0usize);
    // SAFETY: `base` and `size` are valid for the numbers that the driver stores.
    match unsafe { (driver()?.range)(&mut base, &mut size, at) } {
        0 => Ok(Known::Left(base.saturating_add(size as u64).saturating_sub(at))),
        // Invalid value, or no allocation.
        1 | 500 => Ok(Known::Nothing),
        code => fail(
            FailureKind::Driver,
            format!("the device reports error {code}, perhaps from an earlier kernel"),
        ),
    }
}

/// Whether an address is device memory.
///
/// # Errors
/// If there is no driver, or a kernel left an error.
pub fn is_allocated(at: usize) -> Result<bool> {
    Ok(matches!(known(at as u64)?, Known::Left(_)))
}

impl Memory {
    /// Checks that the range is inside one allocation.
    ///
    /// # Errors
    /// If it is not; the message names it by `what`.
    pub fn check(&self, what: &str) -> Result {
        if self.bytes == 0 {
            return Ok(());
        }
        let place = match known(self.at as u64)? {
            Known::Left(left) if left >= self.bytes as u64 => return Ok(()),
            Known::Left(left) => format!("only {left} bytes are allocated there"),
            Known::Nothing => "nothing is allocated there".to_owned(),
        };
        let why = format!("{what} takes {} bytes at {:#x}, and {place}", self.bytes, self.at);
        fail(FailureKind::Memory, why)
    }

    /// Borrows its bytes.
    ///
    /// # Errors
    /// As [`Memory::check`].
    ///
    /// # Safety
    /// The bytes are neither freed nor written while the slice is used.
    pub unsafe fn bytes<'a>(&self, what: &str) -> Result<&'a [u8]> {
        self.check(what)?;
        if self.bytes == 0 {
            return Ok(&[]);
        }
        // SAFETY: `check` found them allocated, and by contract they are neither written nor freed.
        Ok(unsafe { std::slice::from_raw_parts(self.at as *const u8, self.bytes) })
    }

    /// Copies its bytes through the driver.
    ///
    /// # Errors
    /// As [`Memory::check`], and errors of the copy.
    pub fn read(&self, what: &str) -> Result<Vec<u8>> {
        self.check(what)?;
        let mut bytes = vec![0; self.bytes];
        if self.bytes == 0 {
            return Ok(bytes);
        }
        // SAFETY: the driver checks the source range, and the vector has `bytes` bytes.
        let code = unsafe {
            (driver()?.read)(
                bytes.as_mut_ptr().cast(),
                self.at as u64,
                self.bytes,
                current_stream(),
            )
        };
        match code {
            0 => Ok(bytes),
            code => fail(FailureKind::Driver, format!("{what} cannot be read: error {code}")),
        }
    }
}

/// Writes bytes to device memory, and marks them as initialized.
///
/// # Errors
/// If the range is not inside one allocation; the message names it by `what`.
pub fn write(at: usize, from: &[u8], what: &str) -> Result {
    Memory { at, bytes: from.len() }.check(what)?;
    if from.is_empty() {
        return Ok(());
    }
    // SAFETY: the driver checks the destination range; the source is a slice of that length.
    match unsafe {
        (driver()?.write)(at as u64, from.as_ptr().cast(), from.len(), current_stream())
    } {
        0 => Ok(()),
        code => fail(FailureKind::Driver, format!("{what} cannot be written: error {code}")),
    }
}

/// Writes elements of `size` bytes, `pitch` bytes apart. Bytes in between stay unchanged.
///
/// # Errors
/// If the range is not inside one allocation; the message names it by `what`.
///
/// # Panics
/// If `size` is 0.
pub fn write_spaced(at: usize, from: &[u8], size: usize, pitch: usize, what: &str) -> Result {
    if size == pitch {
        return write(at, from, what);
    }
    let host = Side { memory: 1, host: from.as_ptr() as u64, pitch: size, ..Side::default() };
    let device = Side { memory: 2, device: at as u64, pitch, ..Side::default() };
    let rows = Rows { from: host, to: device, width: size, height: from.len() / size };
    // SAFETY: the source has all rows, and the driver checks the destination range.
    match unsafe { (driver()?.write_rows)(&rows, current_stream()) } {
        0 => Ok(()),
        code => fail(FailureKind::Driver, format!("{what} cannot be written: error {code}")),
    }
}

/// Allocates memory on the current device.
///
/// # Errors
/// If there is not enough memory.
pub fn allocate(bytes: usize) -> Result<u64> {
    let mut at = 0;
    // SAFETY: `at` is valid for the address that the driver stores.
    match unsafe { (driver()?.allocate)(&mut at, bytes) } {
        0 => Ok(at),
        code => fail(
            FailureKind::Allocation,
            format!("cannot allocate {bytes} bytes of device memory: error {code}"),
        ),
    }
}

/// Frees device memory.
///
/// # Errors
/// If it is not allocated.
pub fn free(at: u64) -> Result {
    // SAFETY: the driver looks up the address, so a wrong one is an error.
    match unsafe { (driver()?.free)(at) } {
        0 => Ok(()),
        code => fail(FailureKind::Driver, format!("{at:#x} cannot be freed: error {code}")),
    }
}

/// Runs the work of a host node.
type Work = Box<dyn Fn() + Send + Sync>;

unsafe extern "C" fn run(work: *mut c_void) {
    // SAFETY: `capture` leaked the closure, since a graph may be launched any number of times.
    let work = unsafe { &*work.cast::<Work>() };
    // Unlike a program's function, this one uses the driver.
    let Ok(driver) = driver() else { return };
    // SAFETY: the function takes any number.
    let outer = unsafe { (driver.set_in_host_function)(0) };
    work();
    // SAFETY: as above.
    unsafe { (driver.set_in_host_function)(outer) };
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
    /// Restores the previous stream, even on unwinding.
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
