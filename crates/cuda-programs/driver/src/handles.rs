//! Handles: opaque numbers that identify objects. Each use looks up the object, so a stale handle is an error instead
//! of a dangling pointer.

use crate::state::lock;
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// A handle as C passes it: an opaque pointer, never dereferenced. 0 is null.
pub type Handle = u64;

/// All objects of one type by handle.
pub struct Handles<T> {
    objects: Mutex<BTreeMap<Handle, Arc<T>>>,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Handles { objects: Mutex::default() }
    }
}

impl<T> Handles<T> {
    /// Adds an object, and returns its handle.
    pub fn add(&self, object: T) -> Handle {
        self.add_with(|_| object)
    }

    /// Like `add`, for an object that stores its own handle.
    pub fn add_with(&self, make: impl FnOnce(Handle) -> T) -> Handle {
        // Unique across all types, larger than the special streams 1 and 2, and spaced like pointers.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = 0x1000_0000 + 64 * NEXT.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(handle, Arc::new(make(handle)));
        handle
    }

    /// Adds an object under the handle of a previous object.
    pub fn add_again(&self, handle: Handle, object: T) {
        self.lock().insert(handle, Arc::new(object));
    }

    /// The object of a handle, or an error.
    pub fn get(&self, handle: Handle) -> Result<Arc<T>> {
        self.find(handle).ok_or(Status::InvalidHandle)
    }

    /// Like [`Self::get`], for object types whose null handle is an invalid value.
    pub fn some(&self, handle: Handle) -> Result<Arc<T>> {
        if handle == 0 { Err(Status::InvalidValue) } else { self.get(handle) }
    }

    /// Like [`Self::remove`], for object types whose null handle is an invalid value.
    pub fn remove_some(&self, handle: Handle) -> Result<Arc<T>> {
        if handle == 0 { Err(Status::InvalidValue) } else { self.remove(handle) }
    }

    /// The object of a handle, if it exists.
    pub fn find(&self, handle: Handle) -> Option<Arc<T>> {
        self.lock().get(&handle).cloned()
    }

    /// Invalidates a handle. The object stays alive while other references exist.
    pub fn remove(&self, handle: Handle) -> Result<Arc<T>> {
        self.lock().remove(&handle).ok_or(Status::InvalidHandle)
    }

    /// Invalidates the handles of all objects for which `keep` is false.
    pub fn retain(&self, keep: impl Fn(&T) -> bool) {
        self.lock().retain(|_, object| keep(object));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Handle, Arc<T>>> {
        lock(&self.objects)
    }
}
