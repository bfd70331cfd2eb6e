//! Handles: the stream, the place of scalars, and settings that change no result here.

use crate::kind::Kind;
use crate::scalar::{Place, Scalar};
use crate::status::{Result, Status, refuse};
use lanework_standin::begin;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// What a handle holds.
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

/// Makes a handle.
///
/// # Errors
/// When the driver is not the emulator's.
pub fn create() -> Result<usize> {
    begin("cuBLAS")?;
    let mut table = table();
    // Programs may look whether a handle is aligned.
    table.0 += 16;
    let handle = 0x1000_0000 + table.0;
    table.1.insert(handle, Handle::default());
    Ok(handle)
}

/// Ends a handle.
///
/// # Errors
/// When there is no such.
pub fn destroy(handle: usize) -> Result {
    table().1.remove(&handle).map(drop).ok_or(Status::NotInitialized)
}

/// What a handle holds.
///
/// # Errors
/// When there is no such.
pub fn get(handle: i64) -> Result<Handle> {
    match table().1.get(&(handle as usize)) {
        Some(handle) => Ok(*handle),
        None => {
            refuse(Status::NotInitialized, "a handle was not made by cublasCreate, or is destroyed")
        }
    }
}

/// Changes what a handle holds.
///
/// # Errors
/// When there is no such.
pub fn set(handle: usize, change: impl FnOnce(&mut Handle)) -> Result {
    table().1.get_mut(&handle).map(change).ok_or(Status::NotInitialized)
}

impl Handle {
    /// A scalar of a call.
    ///
    /// # Errors
    /// When its pointer is null.
    ///
    /// # Safety
    /// A pointer of the host is valid.
    pub unsafe fn scalar(&self, pointer: i64, kind: Kind) -> Result<Scalar> {
        // SAFETY: by the caller.
        unsafe { Scalar::at(pointer as usize, kind, self.on_device) }
    }

    /// Where a result goes.
    pub fn place(&self, pointer: i64) -> Place {
        Place { at: pointer as usize, on_device: self.on_device }
    }
}
