//! Handles: library contexts and settings.

use crate::status::{Result, Status, refuse};
use lanework_standin::begin;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

/// The object of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A context of the library, with its stream.
    Context(usize),
    /// Options of the generic functions, which have no effect here.
    Parameters,
    /// Settings of Jacobi's methods: whether to sort values.
    Jacobi(bool),
}

fn table() -> MutexGuard<'static, (usize, BTreeMap<usize, Object>)> {
    static TABLE: Mutex<(usize, BTreeMap<usize, Object>)> = Mutex::new((0, BTreeMap::new()));
    TABLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Creates a handle.
///
/// # Errors
/// If the driver is not the emulator's.
pub fn create(object: Object) -> Result<usize> {
    begin("cuSOLVER")?;
    let mut table = table();
    table.0 += 1;
    // Handles are never addresses of the program.
    let handle = 0x5_0000 + 16 * table.0;
    table.1.insert(handle, object);
    Ok(handle)
}

/// Reads or changes the object of a handle.
fn with<T>(handle: usize, what: &str, change: impl FnOnce(&mut Object) -> Option<T>) -> Result<T> {
    match table().1.get_mut(&handle).and_then(change) {
        Some(found) => Ok(found),
        None => refuse(
            Status::NotInitialized,
            &format!("{handle:#x} is not a handle of {what}, or is already destroyed"),
        ),
    }
}

/// Destroys a handle.
///
/// # Errors
/// If the handle is unknown.
pub fn destroy(handle: usize) -> Result {
    with(handle, "this library", |_| Some(()))?;
    table().1.remove(&handle);
    Ok(())
}

/// The stream of a context.
///
/// # Errors
/// If the context is unknown.
pub fn stream(handle: usize) -> Result<usize> {
    with(handle, "cusolverDnCreate", |held| match held {
        Object::Context(stream) => Some(*stream),
        _ => None,
    })
}

/// Sets the stream of a context.
///
/// # Errors
/// If the context is unknown.
pub fn set_stream(handle: usize, to: usize) -> Result {
    with(handle, "cusolverDnCreate", |held| match held {
        Object::Context(stream) => {
            *stream = to;
            Some(())
        }
        _ => None,
    })
}

/// Whether Jacobi's methods sort values.
///
/// # Errors
/// If the settings are unknown.
pub fn sorts(handle: usize) -> Result<bool> {
    with(handle, "settings", |held| match held {
        Object::Jacobi(sorted) => Some(*sorted),
        _ => None,
    })
}

/// Sets whether Jacobi's methods sort values.
///
/// # Errors
/// If the settings are unknown.
pub fn set_sorted(handle: usize, to: bool) -> Result {
    with(handle, "settings", |held| match held {
        Object::Jacobi(sorted) => {
            *sorted = to;
            Some(())
        }
        _ => None,
    })
}
