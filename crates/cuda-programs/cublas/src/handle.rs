//! Handles: the stream, the pointer mode, and settings that have no effect here. Also scalar arguments and results, in
//! host memory (accessed during the call) or in device memory (accessed in stream order).

use crate::kind::{ElementType, Number};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, begin, write};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// The state of a handle.
#[derive(Clone, Copy, Default)]
pub struct Handle {
    pub stream: usize,
    pub on_device: bool,
    pub atomics: i32,
    pub math: i32,
    pub multiprocessors: i32,
}

fn table() -> MutexGuard<'static, (usize, BTreeMap<usize, Handle>)> {
    static TABLE: Mutex<(usize, BTreeMap<usize, Handle>)> = Mutex::new((0, BTreeMap::new()));
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Creates a handle.
///
/// # Errors
/// If the driver is not the emulator's.
pub fn create() -> Result<usize> {
    begin("cuBLAS")?;
    let mut table = table();
    // Handles are aligned like pointers, because programs may check.
    table.0 += 16;
    let handle = 0x1000_0000 + table.0;
    table.1.insert(handle, Handle::default());
    Ok(handle)
}

/// Destroys a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: usize) -> Result {
    table().1.remove(&handle).map(drop).ok_or(Status::NotInitialized)
}

/// The state of a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn get(handle: i64) -> Result<Handle> {
    match table().1.get(&(handle as usize)) {
        Some(handle) => Ok(*handle),
        None => refuse(
            Status::NotInitialized,
            "invalid handle: not created by cublasCreate, or already destroyed",
        ),
    }
}

/// Changes the state of a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn set(handle: usize, change: impl FnOnce(&mut Handle)) -> Result {
    table().1.get_mut(&handle).map(change).ok_or(Status::NotInitialized)
}

impl Handle {
    /// A scalar argument, in the pointer mode of the handle.
    ///
    /// # Errors
    /// If its pointer is null.
    ///
    /// # Safety
    /// In host pointer mode, the pointer is null or valid for an element of type `kind`.
    pub unsafe fn scalar(&self, pointer: i64, kind: ElementType) -> Result<Scalar> {
        // SAFETY: this function has the contract of `Scalar::at`, for the pointer mode of the handle.
        unsafe { Scalar::at(pointer as usize, kind, self.on_device) }
    }

    /// The place of a result.
    ///
    /// # Safety
    /// In host pointer mode, the pointer is null or valid for reads and writes of the result until it is stored.
    pub unsafe fn place(&self, pointer: i64) -> Place {
        // SAFETY: this function has the contract of `Place::new`, for the pointer mode of the handle.
        unsafe { Place::new(pointer as usize, self.on_device) }
    }
}

/// A scalar.
#[derive(Clone, Copy)]
pub enum Scalar {
    Known(Number),
    OnDevice(usize, ElementType),
}

impl Scalar {
    /// The scalar at a pointer of a call.
    ///
    /// # Errors
    /// If the pointer is null.
    ///
    /// # Safety
    /// A host pointer is valid for an element of type `kind`.
    pub unsafe fn at(pointer: usize, kind: ElementType, on_device: bool) -> Result<Scalar> {
        if pointer == 0 {
            return refuse(Status::InvalidValue, "a scalar's pointer is null");
        }
        if on_device {
            return Ok(Scalar::OnDevice(pointer, kind));
        }
        // SAFETY: not null, not on the device, so by this function's contract host memory for an element of `kind`.
        let bytes = unsafe { std::slice::from_raw_parts(pointer as *const u8, kind.bytes()) };
        Ok(Scalar::Known(kind.read(bytes)))
    }

    /// The value; called in stream order.
    ///
    /// # Errors
    /// If its memory is not allocated.
    pub fn value(self) -> Result<Number> {
        match self {
            Scalar::Known(value) => Ok(value),
            Scalar::OnDevice(at, kind) => {
                let memory = Memory { at, bytes: kind.bytes() };
                // SAFETY: the slice ends with this statement, and stream order excludes writers until then.
                Ok(kind.read(unsafe { memory.bytes("a scalar") }?))
            }
        }
    }
}

/// Destination of a scalar result.
#[derive(Clone, Copy)]
pub struct Place {
    at: usize,
    on_device: bool,
}

impl Place {
    /// The place at a pointer of a call.
    ///
    /// # Safety
    /// A host pointer is null or valid for reads and writes of the result, or of all elements that [`Place::element`] selects, until the
    /// call's work is done.
    pub unsafe fn new(at: usize, on_device: bool) -> Place {
        Place { at, on_device }
    }

    /// The place of an element of an array. A null pointer stays null.
    pub fn element(self, index: usize, kind: ElementType) -> Place {
        Place { at: if self.at == 0 { 0 } else { self.at + index * kind.bytes() }, ..self }
    }

    /// Reads an element, for calls that update it.
    ///
    /// # Errors
    /// If the pointer is null, or the device memory is not allocated.
    pub fn read(self, kind: ElementType) -> Result<Number> {
        match (self.on_device, self.at) {
            (_, 0) => Err(Status::InvalidValue),
            (true, at) => {
                let memory = Memory { at, bytes: kind.bytes() };
                // SAFETY: the slice ends with this statement, and stream order excludes writers until then.
                Ok(kind.read(unsafe { memory.bytes("a number") }?))
            }
            (false, at) => {
                // SAFETY: not null, so by `Place::new`'s contract host memory for an element of `kind`.
                let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, kind.bytes()) };
                Ok(kind.read(bytes))
            }
        }
    }

    /// Stores a result.
    ///
    /// # Errors
    /// If the device memory is not allocated, or the pointer is null.
    pub fn store(self, bytes: &[u8]) -> Result {
        match (self.on_device, self.at) {
            (_, 0) => refuse(Status::InvalidValue, "the pointer for the result is null"),
            (true, at) => Ok(write(at, bytes, "the result")?),
            (false, at) => {
                // SAFETY: not null, so by `Place::new`'s contract host memory for the result.
                unsafe { (at as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
        }
    }
}
