//! Handles: numbers that stand for objects of the driver. An object is looked up, so that a handle of something destroyed is an error and
//! not a dangling pointer.

use crate::state::lock;
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// A handle, as C passes it: a pointer that nobody follows. 0 is none.
pub type Handle = u64;

/// Objects of one kind by their handles.
pub struct Handles<T> {
    objects: Mutex<BTreeMap<Handle, Arc<T>>>,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Handles { objects: Mutex::default() }
    }
}

impl<T> Handles<T> {
    /// A new handle for an object.
    pub fn add(&self, object: T) -> Handle {
        self.add_with(|_| object)
    }

    /// As `add`, of an object that knows its handle.
    pub fn add_with(&self, make: impl FnOnce(Handle) -> T) -> Handle {
        // Distinct for all kinds, above the special streams 1 and 2, and spaced as pointers are.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = 0x1000_0000 + 64 * NEXT.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(handle, Arc::new(make(handle)));
        handle
    }

    /// The object of a handle.
    pub fn get(&self, handle: Handle) -> Result<Arc<T>> {
        self.find(handle).ok_or(Status::InvalidHandle)
    }

    /// The object of a handle, if there is one.
    pub fn find(&self, handle: Handle) -> Option<Arc<T>> {
        self.lock().get(&handle).cloned()
    }

    /// Ends a handle; the object lives for as long as others hold it.
    pub fn remove(&self, handle: Handle) -> Result<Arc<T>> {
        self.lock().remove(&handle).ok_or(Status::InvalidHandle)
    }

    /// Ends the handles of all objects that are not kept.
    pub fn retain(&self, keep: impl Fn(&T) -> bool) {
        self.lock().retain(|_, object| keep(object));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Handle, Arc<T>>> {
        lock(&self.objects)
    }
}
