//! Locks whose holder panicked are used on: what the driver keeps is whole between two calls, and `api` turns a panic into a status.

use std::sync::{Mutex, MutexGuard};

/// Locks; what a panic left is used.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
