//! Code: modules, libraries, functions, linking, image formats, and the options of loading and linking (`CUjit_option`: log
//! buffers, limits, timing).

pub mod embedded;
pub mod fatbin;
pub mod foreign;
pub mod function;
pub mod kernel_entry;
pub mod libraries;
pub mod links;
pub mod managed_variables;
pub mod module;

use crate::pointers::*;
use std::ffi::c_void;
use std::time::Duration;

/// Maximum registers per thread.
const MOST_REGISTERS: i32 = 0;

/// Time in milliseconds, stored as a float in the value.
const WALL_TIME: i32 = 2;

const INFO_LOG: i32 = 3;

const INFO_LOG_BYTES: i32 = 4;

const ERROR_LOG: i32 = 5;

const ERROR_LOG_BYTES: i32 = 6;

/// Target architecture; the default is the current context's.
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

    /// Whether names and values are present.
    pub fn are_whole(&self) -> bool {
        self.count == 0 || (!self.names.is_null() && !self.values.is_null())
    }

    /// Pointer to an option's value.
    fn place(&self, name: i32) -> Option<Out<'call, *mut c_void>> {
        if self.names.is_null() || self.values.is_null() {
            return None;
        }
        // SAFETY: `index` is less than `count`, the length of both arrays that the caller passed.
        (0..self.count as usize)
            .find(|&index| unsafe { self.names.at(index) }.find() == Some(name))
            .map(|index| unsafe { self.values.at(index) })
    }

    /// An integer option, stored in the pointer itself.
    fn number(&self, name: i32) -> Option<u32> {
        Some(self.place(name)?.get().ok()? as usize as u32)
    }

    /// The requested register limit.
    pub fn most_registers(&self) -> Option<u32> {
        self.number(MOST_REGISTERS).filter(|&most| most > 0)
    }

    /// Whether a target is given.
    pub fn have_target(&self) -> bool {
        self.place(TARGET).is_some()
    }

    /// The output locations. Read only once, because the log length overwrites the buffer size.
    pub fn outputs(&self) -> Outputs {
        let log = |(buffer, size)| {
            let (buffer, size) = (self.place(buffer)?, self.place(size)?);
            // The value of the size option is a number stored in the pointer.
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

/// Output locations. They stay valid as long as the object that the options were passed for.
pub struct Outputs {
    info: Option<Log>,
    error: Option<Log>,
    time: Option<usize>,
    /// Whether a verbose log is requested.
    pub verbose: bool,
}

/// A log buffer, its size, and where to store the log length.
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
            // SAFETY: the log comes from the options that a program passed. CUDA requires the
            // program to keep the buffer of `bytes` bytes, and the value, as long as the module or
            // linker whose log this is.
            unsafe {
                // A null buffer receives no text.
                let _ = write_text(buffer as *mut _, bytes, text);
                (size as *mut *mut c_void).write(kept as *mut c_void);
            }
        }
    }

    /// Stores the elapsed time.
    pub fn write_time(&self, spent: Duration) {
        let Some(place) = self.time else { return };
        // SAFETY: the location of an option's value (see `write`); its first four bytes hold the time as a float.
        unsafe { (place as *mut f32).write(1e3 * spent.as_secs_f32()) };
    }
}
