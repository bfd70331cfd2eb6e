//! The lock of a device's memory. Launches and readers of memory share it; allocation and copies take it exclusively.
//!
//! The lock has no queue: a launch may wait for the host's write, and the host, which shares the lock to write it, must not
//! wait behind a thread that wants exclusive access, as it would with the standard library's lock.

use crate::memory::Memory;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

/// Attempts to get exclusive access before the first sleep.
const ATTEMPTS: u32 = 64;
/// The sleep between two later attempts.
const REST: Duration = Duration::from_micros(20);

/// Memory under its lock.
pub struct MemoryLock(RwLock<Memory>);

impl MemoryLock {
    /// Locks new memory.
    pub fn new(memory: Memory) -> MemoryLock {
        MemoryLock(RwLock::new(memory))
    }

    /// Locks the memory, shared with launches.
    pub fn shared(&self) -> RwLockReadGuard<'_, Memory> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for running launches and locks the memory exclusively.
    pub fn alone(&self) -> RwLockWriteGuard<'_, Memory> {
        let mut attempts = 0;
        loop {
            match self.0.try_write() {
                Ok(guard) => return guard,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if attempts < ATTEMPTS => std::hint::spin_loop(),
                Err(TryLockError::WouldBlock) => std::thread::sleep(REST),
            }
            attempts += 1;
        }
    }
}
