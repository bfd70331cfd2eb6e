//! Generator handles.

use crate::generator::{Generator, GeneratorKind};
use crate::status::{Result, Status, refuse};
use lanework_standin::begin;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// A generator, shared by calls and captured graphs.
pub type Shared = Arc<Mutex<Generator>>;

/// Locks a mutex, ignoring poisoning.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

static TABLE: Mutex<(usize, BTreeMap<usize, Shared>)> = Mutex::new((0, BTreeMap::new()));

/// Creates a generator.
///
/// # Errors
/// If the kind is unknown, or the generator is for a device and the driver is not the emulator's.
pub fn create(kind: i32, host: bool) -> Result<usize> {
    let Some(kind) = GeneratorKind::of(kind) else {
        return refuse(Status::TypeError, &format!("there is no generator of type {kind}"));
    };
    if !host {
        begin("cuRAND")?;
    }
    let mut table = lock(&TABLE);
    table.0 += 16;
    let handle = 0x2000_0000 + table.0;
    table.1.insert(handle, Arc::new(Mutex::new(Generator::new(kind, host))));
    Ok(handle)
}

/// The generator of a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn get(handle: usize) -> Result<Shared> {
    match lock(&TABLE).1.get(&handle) {
        Some(generator) => Ok(Arc::clone(generator)),
        None => refuse(
            Status::NotInitialized,
            "invalid generator: not created by curandCreateGenerator, or already destroyed",
        ),
    }
}

/// Destroys a generator.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: usize) -> Result {
    get(handle)?;
    lock(&TABLE).1.remove(&handle);
    Ok(())
}
