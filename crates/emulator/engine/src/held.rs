//! Device memory beside running launches: bytes that the host reaches without waiting for them.

use crate::device::Device;
use crate::fault::MemoryError;
use crate::memory::Memory;
use std::sync::RwLockReadGuard;

/// Bytes of device memory beside running launches. Nothing is freed while it lives.
pub struct Held<'a> {
    memory: RwLockReadGuard<'a, Memory>,
    start: *mut u8,
    address: u64,
    bytes: u64,
}

impl Held<'_> {
    /// Where the host finds them. Launches may access them at any time.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Notes that the host has written them all.
    pub fn wrote(&self) {
        self.memory.mark(self.address, self.bytes);
    }
}

impl Device {
    /// Bytes of one allocation, which stays there while launches go on; does not wait for them.
    ///
    /// # Errors
    /// When the bytes are not inside one allocation.
    pub fn hold(&self, address: u64, bytes: u64) -> Result<Held<'_>, MemoryError> {
        let memory = self.memory();
        let start = memory.host(address, bytes)?;
        Ok(Held { memory, start, address, bytes })
    }
}
