//! Scalars of calls: on the host, read when the call is made, or on the device, read when its turn comes in the stream.

use crate::kind::{Kind, Number};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, write};

/// A scalar.
#[derive(Clone, Copy)]
pub enum Scalar {
    Known(Number),
    OnDevice(usize, Kind),
}

impl Scalar {
    /// The scalar at a pointer of a call.
    ///
    /// # Errors
    /// When the pointer is null.
    ///
    /// # Safety
    /// A pointer of the host is valid.
    pub unsafe fn at(pointer: usize, kind: Kind, on_device: bool) -> Result<Scalar> {
        if pointer == 0 {
            return refuse(Status::InvalidValue, "a scalar's pointer is null");
        }
        if on_device {
            return Ok(Scalar::OnDevice(pointer, kind));
        }
        // SAFETY: by the caller.
        let bytes = unsafe { std::slice::from_raw_parts(pointer as *const u8, kind.bytes()) };
        Ok(Scalar::Known(kind.read(bytes)))
    }

    /// Its value, when its turn has come.
    ///
    /// # Errors
    /// When its memory is not there.
    pub fn value(self) -> Result<Number> {
        match self {
            Scalar::Known(value) => Ok(value),
            Scalar::OnDevice(at, kind) => {
                let memory = Memory { at, bytes: kind.bytes() };
                // SAFETY: the number is read at once.
                Ok(kind.read(unsafe { memory.bytes("a scalar") }?))
            }
        }
    }
}

/// Where the result of a reduction goes.
#[derive(Clone, Copy)]
pub struct Place {
    pub at: usize,
    pub on_device: bool,
}

impl Place {
    /// Stores a result.
    ///
    /// # Errors
    /// When the memory of the device is not there, or the pointer is null.
    pub fn store(self, bytes: &[u8]) -> Result {
        match (self.on_device, self.at) {
            (_, 0) => refuse(Status::InvalidValue, "the pointer for the result is null"),
            (true, at) => Ok(write(at, bytes, "the result")?),
            (false, at) => {
                // SAFETY: the caller's pointer for a result of this size.
                unsafe { (at as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
        }
    }
}
