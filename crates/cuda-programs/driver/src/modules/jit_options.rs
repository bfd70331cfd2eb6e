//! Options of loading and linking (`CUjit_option`): buffers for texts, limits, and the time that it took.

use crate::pointers::{In, Out, write_text};
use std::ffi::c_void;
use std::time::Duration;

/// Registers per thread at most.
const MOST_REGISTERS: i32 = 0;
/// The milliseconds that it took, as a float in the place of the value.
const WALL_TIME: i32 = 2;
const INFO_LOG: i32 = 3;
const INFO_LOG_BYTES: i32 = 4;
const ERROR_LOG: i32 = 5;
const ERROR_LOG_BYTES: i32 = 6;
/// A target by its number; none means that of the current context.
const TARGET: i32 = 9;
const VERBOSE: i32 = 12;

/// Options as C passes them.
#[derive(Clone, Copy)]
pub struct JitOptions<'call> {
    pub count: u32,
    pub names: In<'call, i32>,
    pub values: Out<'call, *mut c_void>,
}

impl<'call> JitOptions<'call> {
    pub const NONE: Self = JitOptions { count: 0, names: In::NULL, values: Out::NULL };

    /// Whether there are names and values for the count.
    pub fn are_whole(&self) -> bool {
        self.count == 0 || (!self.names.is_null() && !self.values.is_null())
    }

    /// The place of an option's value.
    fn place(&self, name: i32) -> Option<Out<'call, *mut c_void>> {
        if self.names.is_null() || self.values.is_null() {
            return None;
        }
        // SAFETY: the caller of the driver says that there are `count` names and values.
        (0..self.count as usize)
            .find(|&index| unsafe { self.names.at(index) }.find() == Some(name))
            .map(|index| unsafe { self.values.at(index) })
    }

    /// An option that is a number in the place of a pointer.
    fn number(&self, name: i32) -> Option<u32> {
        Some(self.place(name)?.get().ok()? as usize as u32)
    }

    /// Registers per thread at most, where the options say it.
    pub fn most_registers(&self) -> Option<u32> {
        self.number(MOST_REGISTERS).filter(|&most| most > 0)
    }

    /// Whether they name a target.
    pub fn have_target(&self) -> bool {
        self.place(TARGET).is_some()
    }

    /// Where texts and times are written: read once, since the size of a buffer is overwritten by the length of its text.
    pub fn outputs(&self) -> Outputs {
        let log = |(buffer, size)| {
            let (buffer, size) = (self.place(buffer)?, self.place(size)?);
            // SAFETY: the values of these options are a buffer and, as a number in the place of a pointer, its size.
            Some(Log {
                buffer: buffer.get().ok()? as usize,
                bytes: size.get().ok()? as usize,
                size: size.as_ptr() as usize,
            })
        };
        Outputs {
            info: log((INFO_LOG, INFO_LOG_BYTES)),
            error: log((ERROR_LOG, ERROR_LOG_BYTES)),
            time: self.place(WALL_TIME).map(|place| place.as_ptr() as usize),
            verbose: self.number(VERBOSE).is_some_and(|value| value != 0),
        }
    }
}

/// Where a program wants texts and times. The addresses are valid for as long as what the options were passed to.
pub struct Outputs {
    info: Option<Log>,
    error: Option<Log>,
    time: Option<usize>,
    /// Whether the information is wanted in full.
    pub verbose: bool,
}

/// A buffer, its bytes, and where the length of its text goes.
struct Log {
    buffer: usize,
    bytes: usize,
    size: usize,
}

impl Outputs {
    /// Writes both logs.
    pub fn write(&self, info: &str, error: &str) {
        for (log, text) in [(&self.info, info), (&self.error, error)] {
            let Some(Log { buffer, bytes, size }) = *log else { continue };
            let kept = text.len().min(bytes.saturating_sub(1));
            // SAFETY: `outputs` made the log of the options that a program passed. CUDA obliges it to keep buffer and value as long as what
            // it passed the options to, which writes the log; the buffer has `bytes` bytes.
            unsafe {
                // A buffer that is not there is written to by nobody.
                let _ = write_text(buffer as *mut _, bytes, text);
                (size as *mut *mut c_void).write(kept as *mut c_void);
            }
        }
    }

    /// Writes the time that was spent.
    pub fn write_time(&self, spent: Duration) {
        let Some(place) = self.time else { return };
        // SAFETY: the place of an option's value (see `write`), whose first four bytes hold the time as a float.
        unsafe { (place as *mut f32).write(1e3 * spent.as_secs_f32()) };
    }
}
